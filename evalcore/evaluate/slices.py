"""Which slices do the queries fall into? By the values of a label column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.targets import label_column
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME
from evalcore.values.arrays import rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.arrays import Ints
    from evalcore.values.model import Comparison, Study

FEW = 5
"""A slice of fewer queries is marked as small."""
MOST = 20
"""Values of a label that become slices at most: those that most queries carry."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slice:
    """Some queries (image indices, ascending), the value they have in common, and the condition for it."""

    name: str
    queries: Ints
    where: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slicing:
    """The slices of a study, none of them empty, in the order they are read in.

    ``several``: queries in more than one slice. ``outside``: queries in none. ``hidden``: values beyond the
    ``MOST`` frequent ones, which have no slice.
    """

    by: str
    slices: tuple[Slice, ...]
    several: int
    outside: int
    hidden: int

    @property
    def remarks(self) -> list[str]:
        """What has to be known to read the slices: overlap, queries and values left out."""
        result = []
        if self.several:
            result.append(
                "1 query has several values and counts in each of its groups."
                if self.several == 1
                else f"{self.several:,} queries have several values and count in each of their groups."
            )
        if self.hidden:
            rest = "1 rarer value is" if self.hidden == 1 else f"{self.hidden:,} rarer values are"
            result.append(f"The {MOST} most frequent values are shown, {rest} not.")
        if n := self.outside:
            result.append(
                "1 query is in no group shown." if n == 1 else f"{n:,} queries are in no group shown."
            )
        if any(len(part.queries) < FEW for part in self.slices):
            result.append(f"Groups with fewer than {FEW} queries are too small to interpret.")
        return result


def offered(study: Study) -> tuple[str, ...]:
    """What the queries can be sliced by: label columns with a value that ``FEW`` queries carry.

    A column that is nearly unique, such as a patient's number, tells no groups of queries apart.
    """
    is_query = np.zeros(len(study.image_ids), np.bool_)
    is_query[study.queries] = True
    useful = []
    for column in study.labels.values():
        rows = np.repeat(is_query, np.diff(column.indptr))
        if np.bincount(column.indices[rows], minlength=1).max() >= FEW:
            useful.append(column.name)
    return tuple(useful)


def values_by_use(study: Study) -> list[str]:
    """The conditions that one label of the queries makes, by column, those of most queries first."""
    return [part.where for by in offered(study) for part in slice_queries(study, by).slices]


def slice_queries(study: Study, by: str) -> Slicing:
    """Divide the queries of a study by a label column.

    One slice per value, most frequent first, then the queries without a value; a query with several values is
    in each of them. Raises UnknownName for a column that is not there.
    """
    column = label_column(study, by)
    is_query = np.zeros(len(study.image_ids), np.bool_)
    is_query[study.queries] = True
    image = rows_of(column.indptr)
    rows = is_query[image]
    sizes = np.bincount(column.indices[rows], minlength=len(column.values))
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    slices = [
        Slice(value, image[rows & (column.indices == code)].astype(np.int32), f"{by}={value}")
        for code in order[:MOST]
        for value in [column.values[code]]
    ]
    if len(without := study.queries[~column.labelled[study.queries]]):
        slices.append(Slice(f"no {by}", without, f"{by}="))
    times = np.zeros(len(study.image_ids), np.int64)
    for part in slices:
        times[part.queries] += 1
    times = times[study.queries]
    several, outside = int(np.count_nonzero(times > 1)), int(np.count_nonzero(times == 0))
    return Slicing(by, tuple(slices), several, outside, max(len(order) - MOST, 0))


def clear_winners(rivals: Mapping[str, Sequence[Comparison]]) -> dict[int, str]:
    """{place of a slice: the system that is clearly better there than the leader}.

    ``rivals``: {each other system: itself minus the leader, slice by slice}. Only where ``FEW`` queries or
    more have a value for both and the corrected p is below ``CLEAR``; of several such systems the one that is
    better by most.
    """
    best: dict[int, tuple[float, str]] = {}
    for system, rival in rivals.items():
        for place, comparison in enumerate(rival):
            if comparison.n_pairs >= FEW and comparison.p_corrected < CLEAR and comparison.lead > SAME:
                best[place] = max(best.get(place, (0.0, "")), (comparison.lead, system))
    return {place: system for place, (_, system) in sorted(best.items())}
