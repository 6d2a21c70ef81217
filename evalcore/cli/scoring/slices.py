"""The part of ``score`` that ``--by`` adds: means and comparisons slice by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.cli.columns import difference_of, means_of, p_values_of
from evalcore.cli.emit import Column, Table, also
from evalcore.cli.output import plain, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.comparisons import How
    from evalcore.evaluate.slices.slicing import Slicing
    from evalcore.model import Comparison, Interval, Scores, Study

BY_HELP = (
    "Also slice by slice: a label column, concepts (their number), or difficulty (quarters of the mean over "
    "the systems scored). Repeat for several."
)


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


def sliced(study: Study, scores: Sequence[Scores], ways: Sequence[str], how: How) -> Sliced:
    """Means in every slice; with a baseline differences too, p corrected over the slices of each."""
    from evalcore.evaluate.slices.differences import means_by_slice
    from evalcore.evaluate.slices.slicing import remarks, slice_queries

    means: list[SliceMean] = []
    differences: list[SliceDifference] = []
    notes: dict[tuple[str, str], None] = {}
    for by in dict.fromkeys(ways):
        for metric in dict.fromkeys(one.metric for one in scores):
            compared = [one for one in scores if one.metric == metric]
            slicing = slice_queries(study, by, scores=compared, settings=how.settings)
            notes |= dict.fromkeys((by, remark) for remark in remarks(slicing))
            found = means_by_slice(compared, slicing, settings=how.settings, level=how.level, seed=how.seed)
            for one, row in zip(compared, found, strict=True):
                means += [
                    SliceMean(by, part.name, one.among(part.queries), mean)
                    for part, mean in zip(slicing.slices, row, strict=True)
                ]
            differences += _against(compared, slicing, how)
    return Sliced(means, differences, list(notes))


def _against(scores: Sequence[Scores], slicing: Slicing, how: How) -> Iterator[SliceDifference]:
    from evalcore.evaluate.slices.differences import differences_by_slice

    for first in (one for one in scores if one.system == how.baseline):
        for other in (one for one in scores if one.system != how.baseline):
            found = differences_by_slice(
                first, other, slicing, settings=how.settings, level=how.level, seed=how.seed,
                correction=how.correction,
            )  # fmt: skip
            for part, difference in zip(slicing.slices, found, strict=True):
                yield SliceDifference(slicing.by, part.name, difference)


def tables(found: Sliced, method: str) -> tuple[Table, Table]:
    """The rows of means and of differences; ``method`` names the interval of a difference."""
    named = next((row.found.correction for row in found.differences), "")
    columns = (*_differences(named), Column("ci_method", lambda _: method))
    return Table(found.means, _MEANS), Table(found.differences, columns)


def shown(found: Sliced, method: str) -> Iterator[str | Table]:
    """For people: means, differences, and what has to be known."""
    means, differences = tables(found, method)
    yield "\nSlice by slice:"
    yield means
    if differences.rows:
        first = found.differences[0].found
        yield f"\nAgainst {plain(first.baseline)}, slice by slice; p corrected over its slices:"
        yield differences
    yield from (f"{plain(by)}: {remark}" for by, remark in found.remarks)


_MEANS = (
    Column("by", head="by"),
    Column("slice", "name", "slice"),
    *means_of(also("n", "mean.n", whole), Column("n_scored", "scores.n_scored")),
    Column("seed", "mean.seed"),
)


def _differences(correction: str) -> tuple[Column, ...]:
    """Columns of differences; the correction stands above its p."""
    return (
        Column("by", head="by"),
        Column("slice", "name", "slice"),
        Column("baseline", "found.baseline"),
        Column("system", "found.system", "system"),
        Column("metric", "found.metric", "metric"),
        *difference_of("found."),
        *p_values_of(correction, "found."),
    )
