"""Which slices do the queries fall into: by the values of a label, the number of concepts, or difficulty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.comparison import common_values, over_what
from evalcore.evaluate.conditions import LABEL, RESERVED
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.targets import label_column
from evalcore.ranking.metrics import sign_of
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import rows_of
from evalcore.values.brief import brief
from evalcore.values.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.arrays import Bools, Floats, Ints
    from evalcore.values.model import Comparison, Interval, Scores, Study
    from evalcore.values.settings import Settings

CONCEPTS, DIFFICULTY = "concepts", "difficulty"
FEW = 5
"""A slice of fewer queries is marked as small."""
MOST = 20
"""Values of a label that become slices at most: those that most queries carry."""
BINS = (0, 1, 2, 3, 4, 5, 7, 10, 15)
"""Where a slice by number of concepts begins; the last one is open."""


@brief
@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some queries (image indices, ascending), what they have in common, and the conditions that choose them.

    ``where`` is empty where no condition does.
    """

    name: str
    queries: Ints
    where: tuple[str, ...] = ()


@brief
@dataclass(frozen=True, slots=True, eq=False)
class Slicing:
    """The slices of a study, none of them empty, in the order they are read in.

    ``several``: queries in more than one slice. ``outside``: queries in none. ``hidden``: values of a label
    beyond the ``MOST`` frequent ones, which have no slice.
    """

    by: str
    slices: tuple[Slice, ...]
    several: int
    outside: int
    hidden: int


def offered(study: Study) -> tuple[str, ...]:
    """What the queries can be sliced by: label columns with a value that ``FEW`` queries carry; the rest.

    A column that is nearly unique, such as a patient's number, tells no groups of queries apart.
    """
    asked = np.zeros(len(study.image_ids), np.bool_)
    asked[study.queries] = True
    useful = []
    for column in study.label_columns.values():
        rows = np.repeat(asked, np.diff(column.indptr))
        if np.bincount(column.indices[rows], minlength=1).max() >= FEW:
            useful.append(LABEL + column.name if column.name in (*RESERVED, DIFFICULTY) else column.name)
    return (*useful, CONCEPTS, DIFFICULTY)


def values_by_use(study: Study) -> list[str]:
    """The conditions that one label of the queries makes, by column, those of most queries first."""
    ways = [by for by in offered(study) if by not in (CONCEPTS, DIFFICULTY)]
    return [part.where[0] for by in ways for part in _by_label(study, by).slices]


def slice_queries(study: Study, by: str, *, scores: Sequence[Scores], settings: Settings) -> Slicing:
    """Divide the queries of a study.

    Parameters
    ----------
    by
        A label column (``label:NAME`` where the name is one of the two others): one slice per value, most
        frequent first, then the queries without a value; a query with several values is in each of them.
        "concepts": by number of concepts, see ``BINS``. "difficulty": quarters by the mean value over all
        ``scores``, hardest first, of the queries that have a value under each of them.
    scores
        Of the systems that are compared under one metric; only "difficulty" looks at them. It chooses by
        outcome, so what it shows describes and does not test.

    Raises
    ------
    UnknownName
        ``by`` is none of these.
    """
    if by == CONCEPTS:
        slices = _by_concepts(study)
    elif by == DIFFICULTY:
        slices = _by_difficulty(scores, settings)
    else:
        return _by_label(study, by)
    return _slicing(study, by, slices)


def _slicing(study: Study, by: str, slices: Sequence[Slice], hidden: int = 0) -> Slicing:
    times = np.zeros(len(study.image_ids), np.int64)
    for part in slices:
        times[part.queries] += 1
    times = times[study.queries]
    filled = tuple(part for part in slices if len(part.queries))
    return Slicing(by, filled, int(np.count_nonzero(times > 1)), int(np.count_nonzero(times == 0)), hidden)


def _by_label(study: Study, by: str) -> Slicing:
    columns = study.label_columns
    name = by.removeprefix(LABEL)
    if columns and name not in columns:
        raise UnknownName("way to slice the queries", by, [*columns, CONCEPTS, DIFFICULTY])
    column = label_column(study, name)
    named = LABEL + name if name in RESERVED else name
    asked = np.zeros(len(study.image_ids), np.bool_)
    asked[study.queries] = True
    image = rows_of(column.indptr)
    rows = asked[image]
    sizes = np.bincount(column.indices[rows], minlength=len(column.values))
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    slices = [
        Slice(
            column.values[code],
            image[rows & (column.indices == code)].astype(np.int32),
            (f"{named}={column.values[code]}",),
        )
        for code in order[:MOST]
    ]
    without = study.queries[~column.labelled[study.queries]]
    return _slicing(
        study, by, [*slices, Slice(f"no {name}", without, (f"{named}=",))], max(len(order) - MOST, 0)
    )


def _by_concepts(study: Study) -> list[Slice]:
    sets = study.concepts
    number = np.where(sets.annotated, sets.sizes, np.nan)[study.queries]
    ends = [*(start - 1 for start in BINS[1:]), None]
    slices = []
    for low, high in zip(BINS, ends, strict=True):
        inside = (number >= low) & (number <= (np.inf if high is None else high))
        where: tuple[str, ...]
        if high == low:
            name, where = f"{low or 'no'} concept{'' if low == 1 else 's'}", (f"concepts={low}",)
        elif high is None:
            name, where = f"{low} or more concepts", (f"concepts>={low}",)
        else:
            name, where = f"{low} to {high} concepts", (f"concepts>={low}", f"concepts<={high}")
        slices.append(Slice(name, study.queries[inside], where))
    return [*slices, Slice("not annotated", study.queries[np.isnan(number)])]


def _by_difficulty(scores: Sequence[Scores], settings: Settings) -> list[Slice]:
    """Quarters of the mean over the systems; a value at a quartile belongs to the harder side of it."""
    common = common_values(scores, settings)
    shared = common.queries
    if not len(shared):
        return []
    sign = sign_of(scores[0].metric)
    means: Floats = sign * column_sums(common.values.T) / len(scores)
    bounds = np.quantile(means, [0.25, 0.5, 0.75])
    # Means that are equal on paper may differ in the last digit: they stay on one side.
    quarter = np.searchsorted(bounds + SAME, means, side="left")
    slices, filled = [], np.unique(quarter)
    for place in filled:
        inside: Bools = quarter == place
        low, high = sorted((sign * float(means[inside].min()), sign * float(means[inside].max())))
        name = f"mean {low:.3g} to {high:.3g}"
        if len(filled) > 1 and place in (filled[0], filled[-1]):
            name += " (hardest)" if place == filled[0] else " (easiest)"
        slices.append(Slice(name, shared[inside].astype(np.int32)))
    return slices


def remarks(slicing: Slicing) -> list[str]:
    """What has to be known to read the slices: overlap, queries and values left out, what chose them."""
    result = []
    if slicing.several:
        result.append(
            "1 query has several values and counts in each of its groups."
            if slicing.several == 1
            else f"{slicing.several:,} queries have several values and count in each of their groups."
        )
    if slicing.by == DIFFICULTY:
        result.append(
            "Quarters of the queries by their mean over the systems compared, hardest first; equal means "
            "stay together. They are chosen by outcome, so differences and p are descriptive only."
        )
    if slicing.hidden:
        rest = "1 rarer one is" if slicing.hidden == 1 else f"{slicing.hidden:,} rarer ones are"
        result.append(f"The {MOST} most frequent values are shown, {rest} not.")
    if slicing.outside:
        singular, many = (
            ("has no value under one of the systems", "have no value under one of the systems")
            if slicing.by == DIFFICULTY
            else ("is in no group shown", "are in no group shown")
        )
        n = slicing.outside
        result.append(f"1 query {singular}." if n == 1 else f"{n:,} queries {many}.")
    if any(len(part.queries) < FEW for part in slicing.slices):
        result.append(f"Groups with fewer than {FEW} queries are too small to interpret.")
    return result


NAMES = {CONCEPTS: "number of concepts", DIFFICULTY: "difficulty"}
"""What the ways of slicing that are no label column are called."""


def way(by: str) -> str:
    """What a way of slicing is called."""
    return NAMES.get(by, by.removeprefix(LABEL))


# Means and differences slice by slice, and the slices in which another system is clearly better.


def means_by_slice(
    scores: Sequence[Scores],
    slicing: Slicing,
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[tuple[Interval, ...], ...]:
    """For each of the scores, mean and interval in every slice; NaN where no query has a value.

    All in one call: slices of equal length share their draws.
    """
    parts = [score.among(part.queries) for score in scores for part in slicing.slices]
    intervals = summarise_all(parts, settings=settings, level=level, seed=seed)
    n = len(slicing.slices)
    return tuple(intervals[i * n : (i + 1) * n] for i in range(len(scores)))


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


# Every system in every slice: means, and differences from the baseline.


class SliceMean(NamedTuple):
    """One system under one metric in one slice."""

    by: str
    name: str
    scores: Scores
    mean: Interval


class SliceDifference(NamedTuple):
    """One system against the baseline under one metric in one slice."""

    by: str
    name: str
    found: Comparison


class Sliced(NamedTuple):
    """Everything slice by slice: the rows, and per way of slicing what has to be known."""

    means: Sequence[SliceMean]
    differences: Sequence[SliceDifference]
    remarks: Sequence[tuple[str, str]]


def over_slices(differences: Sequence[SliceDifference]) -> str:
    """How and over what the p-values of slices were corrected, in words; "" without any."""
    return over_what([difference.found for difference in differences]) if differences else ""
