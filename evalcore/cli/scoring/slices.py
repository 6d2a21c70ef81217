"""The part of ``score`` that ``--by`` adds: means and comparisons slice by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.cli.columns import difference_of, means_of, p_values_of
from evalcore.cli.comparisons import MORE_FLIPS
from evalcore.cli.emit import Column, Table, also
from evalcore.cli.output import plain, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.comparisons import How
    from evalcore.evaluate.slices.every_slice import Sliced
    from evalcore.values.model import Scores, Study

BY_HELP = (
    "Also slice by slice: a label column, concepts (their number), or difficulty (quarters of the mean over "
    "the systems scored). Repeat for several."
)


def sliced(study: Study, scores: Sequence[Scores], ways: Sequence[str], how: How) -> Sliced:
    """Means in every slice; with a baseline differences too."""
    from evalcore.evaluate.slices.every_slice import every_slice

    return every_slice(study, scores, ways, **how._asdict())


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
        from evalcore.evaluate.comparison import over_what

        first = found.differences[0].found
        over = over_what([row.found for row in found.differences])
        yield f"\nAgainst {plain(first.baseline)}, slice by slice; {over}:"
        from evalcore.evaluate.comparison import at_the_floor

        if floor := at_the_floor([row.found for row in found.differences], more=MORE_FLIPS):
            yield floor
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
