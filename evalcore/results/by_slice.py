"""Systems slice by slice to take home: tables for a paper, systems x slices, and tidy rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.slices.conditions import LABEL
from evalcore.evaluate.slices.every_slice import over_slices
from evalcore.evaluate.slices.slicing import FEW
from evalcore.results.board import Board, by_score, cells_of, mark_of
from evalcore.results.caption import caption_of, note_of
from evalcore.results.tidy import score_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.slices.every_slice import Sliced
    from evalcore.values.model import Comparison, Interval, Scores, Study
    from evalcore.values.settings import Settings

ALL_QUERIES = "All queries"


def slice_boards(
    study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], comparisons: Sequence[Comparison],
    found: Sliced, *, baseline: str | None, settings: Settings, queries: str = "all",
    notes: Sequence[str] = (),
) -> tuple[Board, ...]:  # fmt: skip
    """One table per way of slicing and metric: systems down, all queries and then the slices across.

    ``found`` is about these scores (see `every_slice`). Rows come by the mean over all queries, highest
    first. Marks are against the baseline; without one there are none. A head names the largest number of
    queries with a value under one of the systems.
    """
    ways = dict.fromkeys(row.by for row in found.means)
    metrics = dict.fromkeys(one.metric for one in scores)
    return tuple(
        _board(study, scores, intervals, comparisons, found, by, metric, baseline, settings, queries, notes)
        for by in ways
        for metric in metrics
    )


def _board(
    study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], comparisons: Sequence[Comparison],
    found: Sliced, by: str, metric: str, baseline: str | None, settings: Settings, queries: str,
    notes: Sequence[str],
) -> Board:  # fmt: skip
    whole = [(one, mean) for one, mean in zip(scores, intervals, strict=True) if one.metric == metric]
    rows = [row for row in found.means if row.by == by and row.scores.metric == metric]
    against = [one for one in comparisons if one.metric == metric and one.baseline == baseline]
    parts = [row for row in found.differences if row.by == by and row.found.metric == metric]
    means = {(one.system, ALL_QUERIES): mean for one, mean in whole}
    means |= {(row.scores.system, row.name): row.mean for row in rows}
    marks = {(one.system, ALL_QUERIES): mark_of(one) for one in against}
    marks |= {(row.found.system, row.name): mark_of(row.found) for row in parts}
    systems = by_score({one.system: mean.mean for one, mean in whole})
    columns = tuple(dict.fromkeys(column for _, column in means))
    heads = tuple(f"{name} (n = {max(means[one, name].n for one in systems):,})" for name in columns)
    shown = [one.found for one in parts] + against
    of, drawn = [one for one, _ in whole], [mean for _, mean in whole]
    way = by.removeprefix(LABEL)
    short, caption = caption_of(study, of, drawn, shown, baseline=baseline, bound=False, by=way)
    few = f"n: queries with a value; fewer than {FEW} are too few to judge by."
    tests = [f"In slices: {over_slices(parts)}."] if parts else []
    note = note_of(
        study, of, drawn, against, baseline=baseline, settings=settings, queries=queries, bound=False,
        notes=[few, *tests, *(remark for way, remark in found.remarks if way == by), *notes],
    )  # fmt: skip
    label = f"systems-by-{way}" + (f"-{metric}" if len({one.metric for one in scores}) > 1 else "")
    cells = cells_of(systems, columns, means, marks)
    return Board(systems, heads, cells, (), short, caption, note, baseline, label)


def slice_rows(
    study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], comparisons: Sequence[Comparison],
    found: Sliced, *, settings: Settings, queries: str = "all",
) -> list[dict[str, object]]:  # fmt: skip
    """Tidy rows as those of `score_rows`, each with its slice: first all queries, then way by way.

    ``by`` is None over all queries, whose ``slice`` is `ALL_QUERIES`.
    """
    whole = score_rows(study, scores, intervals, comparisons, settings=settings, queries=queries)
    rows = list(_named(None, ALL_QUERIES, whole))
    for by, name in dict.fromkeys((row.by, row.name) for row in found.means):
        means = [row for row in found.means if (row.by, row.name) == (by, name)]
        against = [row.found for row in found.differences if (row.by, row.name) == (by, name)]
        part = score_rows(
            study, [row.scores for row in means], [row.mean for row in means], against, settings=settings,
            queries=queries,
        )  # fmt: skip
        rows += _named(by, name, part)
    return rows


def _named(by: str | None, name: str, rows: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    """The same rows with two columns in front."""
    yield from ({"by": by, "slice": name, **row} for row in rows)
