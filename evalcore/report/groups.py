"""Parts about the queries: groups of them, and each by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.conditions import LABEL
from evalcore.evaluate.per_query import in_order
from evalcore.evaluate.slices import SliceDifference, clear_winners, over_slices, remarks
from evalcore.figures.frame import Drawn
from evalcore.figures.maps import MapRow, slice_map
from evalcore.figures.queries import query_map
from evalcore.figures.systems import GroupRow, slice_forest
from evalcore.figures.theme import Theme
from evalcore.report.part import Named, Part
from evalcore.report.results import best_first
from evalcore.results.pairs import slice_differences_table
from evalcore.results.rows import Column, Table, also, decimals, whole
from evalcore.values.model import Interval

IN_A_COLUMN = 4
"""Systems side by side, with their names, in one column of a journal."""


def _sliced(analysis: Analysis, metric: str, by: str) -> dict[str, dict[str, Interval]]:
    """{slice: {system: its mean}}."""
    slices, systems = analysis.slicing(by, metric).slices, analysis.view.systems
    means = zip(*analysis.slice_means(by, metric), strict=True)
    return {part.name: dict(zip(systems, row, strict=True)) for part, row in zip(slices, means, strict=True)}


def slice_means(analysis: Analysis, metric: str, by: str, *, theme: Theme) -> Drawn:
    """Every system over all queries and slice by slice, the clearly best framed."""
    systems, slices = best_first(analysis, metric), _sliced(analysis, metric, by)
    rows = {"All queries": analysis.means_of(metric)} | slices
    leader, *others = systems
    winners = clear_winners({name: analysis.slice_comparisons(name, leader, by, metric) for name in others})
    framed = [leader, *(winners.get(place, "") for place in range(len(slices)))]
    cells = [
        MapRow(name, max(mean.n for mean in means.values()), means, mark)
        for (name, means), mark in zip(rows.items(), framed, strict=True)
    ]
    return slice_map(cells, systems, by=by.removeprefix(LABEL), metric=metric, theme=theme)


def _slices(analysis: Analysis, metric: str, *, by: str, theme: Theme) -> Iterator[Named]:
    """Every system, and the best system minus the second, in every slice."""
    name, gap = re.sub(r"[^A-Za-z0-9]+", "-", by), analysis.gap(metric)
    drawn = slice_means(analysis, metric, by, theme=theme)
    yield Named(f"slices-{name}", drawn, wide=len(analysis.view.systems) > IN_A_COLUMN)
    if gap is not None:
        differences = analysis.slice_comparisons(gap.system, gap.baseline, by, metric)
        names = [part.name for part in analysis.slicing(by, metric).slices]
        rows = [GroupRow(*pair) for pair in zip(names, differences, strict=True)]
        drawn = slice_forest(gap, rows, by=by.removeprefix(LABEL), theme=theme)
        yield Named(f"slice-differences-{name}", drawn)


def _slice_table(analysis: Analysis, metric: str, *, by: str) -> Table:
    """Slices down, systems across, the best first."""
    slices, way = _sliced(analysis, metric, by), by.removeprefix(LABEL)

    def mean_of(system: str) -> Column:
        return also(system, lambda name: slices[name][system].mean, decimals).on_page(system)

    def largest(name: str) -> int:
        return max(mean.n for mean in slices[name].values())

    columns = (also(way, str).on_page(way), also("n", largest, whole))
    return Table(list(slices), (*columns, *map(mean_of, best_first(analysis, metric))))


def _of_slices(analysis: Analysis, metric: str, *, by: str) -> str:
    said = " ".join(remarks(analysis.slicing(by, metric)))
    what = f"{metric} by {by.removeprefix(LABEL)}: means, best system first"
    return f"{what}; n is the number of queries with a value. {said}".strip()


def _slice_rows(analysis: Analysis, metric: str, by: str) -> list[SliceDifference]:
    return [row for row in analysis.sliced([by]).differences if row.found.metric == metric]


def _slice_differences(analysis: Analysis, metric: str, *, by: str) -> Table:
    rows = _slice_rows(analysis, metric, by)
    return slice_differences_table(rows, method="").without("by", "metric")


def _of_slice_differences(analysis: Analysis, metric: str, *, by: str) -> str:
    over = over_slices(_slice_rows(analysis, metric, by))
    return f"{metric} by {by.removeprefix(LABEL)}: each system minus {analysis.view.baseline}; {over}."


def _no_baseline(analysis: Analysis, metric: str, *, by: str) -> str:
    return "" if _slice_rows(analysis, metric, by) else "No baseline was fixed."


SLICES = Part(
    key="slices",
    question="For which queries is a system better?",
    figures=_slices,
    table=_slice_table,
    caption=_of_slices,
    in_report=True,
)
SLICE_DIFFERENCES = Part(
    key="slice_comparisons",
    question="For which queries does a system differ from the baseline?",
    table=_slice_differences,
    caption=_of_slice_differences,
    missing=_no_baseline,
    in_report=True,
)

# Every query.


def _every_query(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    """Every query under every system, hardest first; neighbours together where they are many."""
    seen = analysis.queries(metric)
    places = in_order(seen.of, "hardest", outliers=seen.departures)
    drawn = query_map(
        [analysis.study.image_ids[q] for q in seen.of.queries[places]],
        seen.of.systems,
        seen.of.values[places],
        hard=seen.hard[places],
        departs=seen.departures.departs[places],
        metric=metric,
        order="hardest first",
        lower_is_better=seen.of.sign < 0,
        theme=theme,
    )
    yield Named("every-query", drawn)


EVERY_QUERY = Part(key="queries", question="Which queries are hard?", figures=_every_query)
