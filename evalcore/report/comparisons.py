"""Parts about two systems, every pair, groups of the queries, and each query by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.comparison import matrix_of
from evalcore.evaluate.conditions import LABEL
from evalcore.evaluate.per_query import in_order, look, per_query
from evalcore.evaluate.slices import SliceDifference, clear_winners, over_slices, remarks
from evalcore.evaluate.summary import counted
from evalcore.figures.frame import Drawn
from evalcore.figures.maps import MapRow, overlap_matrix, pair_matrix, slice_map
from evalcore.figures.queries import query_map
from evalcore.figures.systems import GroupRow, rank_dots, slice_forest
from evalcore.figures.theme import Theme
from evalcore.figures.two_systems import delta_bars, score_scatter
from evalcore.report.part import Named, Part
from evalcore.report.results import alone, best_first
from evalcore.results.pairs import slice_differences_table
from evalcore.results.rows import Column, Table, also, decimals, whole
from evalcore.stats.levels import difference
from evalcore.values.errors import InputError
from evalcore.values.model import Comparison, Interval

LEAST = 3
"""Of systems, to be compared in pairs and ranked."""

# The best two systems.


def _pair(analysis: Analysis, metric: str) -> Comparison:
    gap = analysis.gap(metric)
    assert gap is not None, "else the part is missing"
    return gap


def _no_pair(analysis: Analysis, metric: str) -> str:
    gap = analysis.gap(metric)
    if gap is None:
        return alone(analysis, metric) or "There is one system beside the references."
    return "" if gap.n_pairs else "No query has a value for both systems."


def _query_differences(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    """The first system minus the second, query by query."""
    pair = _pair(analysis, metric)
    scores, settings = {score.system: score for score in analysis.of(metric)}, analysis.view.settings
    (queries, theirs), (others, values) = (
        counted(scores[name], settings) for name in (pair.baseline, pair.system)
    )
    common, here, there = np.intersect1d(queries, others, assume_unique=True, return_indices=True)
    drawn = delta_bars(
        [analysis.study.image_ids[query] for query in common],
        difference(values[there], theirs[here]),
        a=pair.system,
        b=pair.baseline,
        metric=metric,
        theme=theme,
        lower_is_better=pair.lower_is_better,
    )
    yield Named("queries", drawn)


def _both_scores(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    """Both scores of each query."""
    pair = _pair(analysis, metric)
    scores = {score.system: score for score in analysis.of(metric)}
    both = [scores[pair.system], scores[pair.baseline]]
    limits = look(per_query(both, settings=analysis.view.settings))
    of = limits.of
    drawn = score_scatter(
        [analysis.study.image_ids[q] for q in of.queries],
        of.values[:, 0],
        of.values[:, 1],
        a=pair.system,
        b=pair.baseline,
        metric=metric,
        good_at=limits.good_at,
        poor_below=limits.poor_below,
        lower_is_better=pair.lower_is_better,
        theme=theme,
    )
    yield Named("scatter", drawn)


QUERY_DIFFERENCES = Part(
    key="query_differences",
    question="On which queries do the best two systems differ?",
    figures=_query_differences,
    missing=_no_pair,
    in_report=True,
)
TWO = Part(
    key="two",
    question="How often is the best system better than the second?",
    figures=_both_scores,
    missing=_no_pair,
)

# Every two systems, and the rank of each.


def _two_alone(analysis: Analysis, _metric: str) -> str:
    return "" if len(analysis.view.systems) >= LEAST else f"Fewer than {LEAST} systems are compared."


def _pairs(analysis: Analysis, metric: str) -> list[Comparison]:
    return [pair for pair in analysis.pairs if pair.metric == metric]


def _pair_matrix(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    yield Named("pairs", pair_matrix(matrix_of(_pairs(analysis, metric)), metric=metric, theme=theme))


def _ranks(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    with suppress(InputError):  # no query has a value under every system
        letters, systems = analysis.equals(metric).letters, analysis.study.systems
        drawn = rank_dots(analysis.ranks(metric), letters, metric=metric, systems=systems, theme=theme)
        yield Named("ranks", drawn)


EVERY_PAIR = Part(key="pairs", question="Which systems differ?", figures=_pair_matrix, missing=_two_alone)
RANKS = Part(
    key="ranks",
    question="Which rank does each system have, and how sure is it?",
    figures=_ranks,
    missing=_two_alone,
)

# How similar are the results of every two systems?


def _overlap(analysis: Analysis, _metric: str, *, theme: Theme) -> Iterator[Named]:
    yield Named("overlap", overlap_matrix(analysis.overlaps(), theme=theme), wide=True)


OVERLAP = Part(
    key="overlaps",
    question="How similar are the results of every two systems?",
    figures=_overlap,
    missing=alone,
    once=True,
)


# Groups of the queries.

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
