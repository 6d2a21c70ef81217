"""The parts of a report: one question each about an analysis, with its answer, figures, table and method.

A part is a function of an analysis, and of one of its metrics unless it is about all of them; None where
there is nothing to ask.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluate.analysis import ALL_QUERIES, Analysis
from evalcore.evaluate.by_kind import from_kinds
from evalcore.evaluate.per_query import PerQuery, per_query, sort_queries
from evalcore.evaluate.slices import clear_winners
from evalcore.evaluate.summary import METHODS, ranked, summarise_all
from evalcore.figures.curves import metric_curves
from evalcore.figures.frame import AccessibleFigure
from evalcore.figures.kinds import kind_shares
from evalcore.figures.maps import MapRow, overlap_matrix, pair_matrix, slice_map
from evalcore.figures.queries import query_map
from evalcore.figures.systems import GroupRow, difference_dots, leaderboard_dots, slice_forest
from evalcore.figures.theme import Theme
from evalcore.figures.two_systems import delta_bars, score_scatter
from evalcore.figures.words import HEADS
from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import RELEVANCE, parse_relevance
from evalcore.report import verdicts
from evalcore.results.method import method_of, over_what
from evalcore.results.pairs import comparisons_table, overlap_table, slice_differences_table
from evalcore.results.rows import Column, Table, also, decimals, whole
from evalcore.results.scores import scores_table
from evalcore.results.study import shares_table
from evalcore.stats.effect import POWER
from evalcore.stats.levels import difference
from evalcore.values.arrays import Offsets
from evalcore.values.errors import InputError
from evalcore.values.model import Interval, Scores
from evalcore.values.writing import md_escape, pluralize


class Named(NamedTuple):
    """A figure and its name, that of its file; ``wide``: one column of a journal is too narrow for it."""

    name: str
    drawn: AccessibleFigure
    wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question with its answer, a sentence of Markdown; ``caption`` and ``method`` are plain text.

    ``figures``: drawn when they are asked for, in a theme.
    """

    question: str
    answer: str = ""
    figures: Callable[[Theme], Iterable[Named]] = lambda _: ()
    table: Table | None = None
    caption: str = ""
    method: str = ""


def leaderboard(analysis: Analysis, metric: str, theme: Theme) -> AccessibleFigure:
    """Mean and interval of every system."""
    return leaderboard_dots(analysis.means_of(metric), metric=metric, **_look(analysis, theme))


def _look(analysis: Analysis, theme: Theme) -> dict[str, Any]:
    """What figures of systems share."""
    baseline = analysis.view.baseline or None
    return {"systems": analysis.study.systems, "theme": theme, "baseline": baseline}


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text)


# Which system finds the better images, and by how much?


def systems(analysis: Analysis, metric: str) -> Section:
    """Mean, interval and counts of every system, best first, and the verdict."""
    rows = [row for row in analysis.rows if row.scores.metric == metric]
    rows.sort(key=lambda row: (math.isnan(row.mean.merit), -row.mean.merit, row.scores.system))
    _, *columns = scores_table(analysis, rows).without("metric").columns
    marked = {analysis.view.baseline: " (baseline)"}
    name = Column("system", "scores.system", "system", lambda system: f"{system}{marked.get(system, '')}")
    return Section(
        question="Which system finds the better images?",
        answer=verdicts.of_board(analysis, metric),
        figures=lambda theme: [Named("means", leaderboard(analysis, metric, theme))],
        table=Table(rows, [name, *columns]),
        caption=f"{metric}: means over n queries with a value. Unanswered queries count as 0; short lists "
        f"contain fewer than k results; tied at k: results share their score across rank k. "
        f"{rows[0].scores.system}: {verdicts.count_queries(rows[0].scores, len(analysis.study.queries))}",
        method=" ".join(method_of(analysis, [metric])),
    )


def differences(analysis: Analysis, metric: str) -> Section | None:
    """How the systems differ from the baseline or the leader, and whether that is enough to matter."""
    rows = [comparison for comparison in analysis.comparisons if comparison.metric == metric]
    if not rows:
        return None
    smallest = analysis.view.smallest_difference
    by_lead = sorted(rows, key=lambda row: (math.isnan(row.difference), -row.lead))
    matters = (
        f" More than {smallest:g}, the smallest that matters: judged by the interval. Detectable: the "
        f"difference that this many queries find with {POWER:.0%} power, before correction."
    )
    return Section(
        question="How do the systems differ?",
        figures=lambda theme: [
            Named("differences", difference_dots(by_lead, systems=analysis.study.systems, theme=theme))
        ],
        table=comparisons_table(analysis, rows).without("baseline", "metric"),
        caption=f"{metric}: each system minus {rows[0].baseline}, paired by query; {over_what(rows)}."
        + matters * bool(smallest),
        method=f"Intervals of differences: {METHODS[analysis.view.settings.interval]}.",
    )


# The best two systems, query by query.


def _of_both(
    analysis: Analysis, metric: str, question: str, name: str, draw: Callable[..., AccessibleFigure]
) -> Section | None:
    """A question about the best system and the second; ``draw``: a figure of both values of each query."""
    gap = analysis.gap(metric)
    if gap is None or not gap.n_pairs:
        return None

    def figures(theme: Theme) -> Iterator[Named]:
        scores = {score.system: score for score in analysis.scores_of(metric)}
        values = per_query([scores[gap.system], scores[gap.baseline]])
        ids = [analysis.study.image_ids[query] for query in values.queries]
        look: Any = {"a": gap.system, "b": gap.baseline, "lower_is_better": gap.lower_is_better}
        yield Named(name, draw(values, ids, metric=metric, theme=theme, **look))

    return Section(question=question, figures=figures)


def query_differences(analysis: Analysis, metric: str) -> Section | None:
    """The best system minus the second, query by query."""

    def bars(values: PerQuery, ids: Sequence[str], **look: Any) -> AccessibleFigure:
        known = np.flatnonzero(values.known)
        return delta_bars([ids[int(i)] for i in known], difference(*values.values[known].T), **look)

    return _of_both(analysis, metric, "On which queries do the best two systems differ?", "queries", bars)


def both_scores(analysis: Analysis, metric: str) -> Section | None:
    """Both scores of each query."""

    def dots(values: PerQuery, ids: Sequence[str], **look: Any) -> AccessibleFigure:
        return score_scatter(ids, *values.values.T, good_at=values.good_at, **look)

    question = "How often is the best system better than the second?"
    return _of_both(analysis, metric, question, "scatter", dots)


# Groups of the queries, and every query.

IN_A_COLUMN = 4
"""Systems side by side, with their names, in one column of a journal."""


def _sliced(analysis: Analysis, metric: str, by: str) -> list[tuple[str, dict[str, Interval]]]:
    """Each slice: its name, and {system: its mean}."""
    means = zip(*analysis.slice_means(by, metric), strict=True)
    return [
        (part.name, dict(zip(analysis.view.systems, row, strict=True)))
        for part, row in zip(analysis.slicing(by).slices, means, strict=True)
    ]


def slice_means(
    analysis: Analysis, metric: str, by: str, *, theme: Theme, shown: str = ""
) -> AccessibleFigure:
    """Every system over all queries and slice by slice, the clearly best framed; ``shown``: what the metric
    is called, "" as it is."""
    names = leader, *others = ranked(analysis.means_of(metric))
    winners = clear_winners({name: analysis.slice_comparisons(name, leader, by, metric) for name in others})
    rows = [(ALL_QUERIES, analysis.means_of(metric)), *_sliced(analysis, metric, by)]
    cells = [
        MapRow(name, max(mean.n for mean in means.values()), means, mark)
        for place, (name, means) in enumerate(rows, start=-1)
        for mark in [winners.get(place, "") if place >= 0 else leader]
    ]
    return slice_map(cells, names, by=by, metric=shown or metric, theme=theme)


def slices(analysis: Analysis, metric: str, by: str) -> Section:
    """Every system, and the best system minus the second, in every slice; slices down, systems across."""
    gap = analysis.gap(metric)

    def figures(theme: Theme) -> Iterator[Named]:
        drawn = slice_means(analysis, metric, by, theme=theme)
        yield Named(f"slices-{_file_name(by)}", drawn, wide=len(analysis.view.systems) > IN_A_COLUMN)
        if gap is not None:
            pairs = analysis.slice_comparisons(gap.system, gap.baseline, by, metric)
            names = [part.name for part in analysis.slicing(by).slices]
            rows = [GroupRow(*pair) for pair in zip(names, pairs, strict=True)]
            drawn = slice_forest(gap, rows, by=by, theme=theme)
            yield Named(f"slice-differences-{_file_name(by)}", drawn)

    def mean_of(system: str) -> Column:
        return also(system, lambda row: row[1][system].mean, decimals).on_page(system)

    largest = also("n", lambda row: max(mean.n for mean in row[1].values()), whole)
    about = " ".join(analysis.slicing(by).remarks)
    return Section(
        question="For which queries is a system better?",
        figures=figures,
        table=Table(
            _sliced(analysis, metric, by),
            (also(by, "0").on_page(by), largest, *map(mean_of, ranked(analysis.means_of(metric)))),
        ),
        caption=f"{metric} by {by}: means, best system first; n is the number of queries with a value. "
        f"{about}".strip(),
    )


def slice_differences(analysis: Analysis, metric: str, by: str) -> Section | None:
    """Each system minus the baseline, in every slice; nothing where no baseline was fixed."""
    rows = [row for row in analysis.sliced([by]) if row.scores.metric == metric]
    compared = [row.against for row in rows if row.against]
    if not compared:
        return None
    return Section(
        question="For which queries does a system differ from the baseline?",
        table=slice_differences_table(analysis, rows).without("by", "metric"),
        caption=f"{metric} by {by}: each system minus {analysis.view.baseline}; {over_what(compared)}.",
    )


def map_of(
    seen: PerQuery, places: Offsets, ids: Sequence[str], *, metric: str, order: str, theme: Theme
) -> AccessibleFigure:
    """The queries at these places, in this ``order``, under every system; ``ids``: of all images."""
    return query_map(
        [ids[query] for query in seen.queries[places]],
        seen.systems,
        seen.values[places],
        hard=seen.kind("hard")[places],
        metric=metric,
        order=order,
        lower_is_better=seen.sign < 0,
        theme=theme,
    )


def every_query(analysis: Analysis, metric: str) -> Section:
    """Every query under every system, hardest first; neighbours together where they are many."""

    def figures(theme: Theme) -> Iterator[Named]:
        seen, ids = analysis.queries(metric), analysis.study.image_ids
        drawn = map_of(
            seen, sort_queries(seen, "hardest"), ids, metric=metric, order="hardest first", theme=theme
        )
        yield Named("every-query", drawn)

    return Section(question="Which queries are hard?", figures=figures)


# Parts that pages draw, and whose figures files hold: further down the list, every pair, overlap,
# kinds. ``shown``: what pages call the metric, "" as it is.

CUTOFFS = (1, 3, 5, 10, 20, 30, 50, 100)
LEAST = 3
"""Of systems, to be compared in pairs and ranked."""


def curve(
    analysis: Analysis, metric: str, *, shown: str = "", scores: Sequence[Scores] = ()
) -> Section | None:
    """The scores at other cutoffs; ``scores``: at `CUTOFFS` and that of the metric, where there are some."""
    view, cutoff = analysis.view, parse_metric(metric).cutoff
    if not cutoff:
        return None
    ks, family = sorted({*CUTOFFS, cutoff}), metric.removesuffix(f"@{cutoff}")
    metrics = [f"{family}@{k}" for k in ks]

    def work() -> dict[str, list[Interval]]:
        each = scores or analysis.under(metrics)
        by_system: dict[str, list[Interval]] = {}
        means = summarise_all(each, level=view.level, seed=view.seed)
        for scored, mean in zip(each, means, strict=True):
            by_system.setdefault(scored.system, []).append(mean)
        return by_system

    def figures(theme: Theme) -> Iterator[Named]:
        how = {"metric": shown or f"{family}@k", "current": cutoff, **_look(analysis, theme)}
        yield Named("curve", metric_curves(analysis.kept("means at", work, *metrics), ks, **how))

    return Section(question="What are the scores further down the list?", figures=figures)


def every_pair(analysis: Analysis, metric: str, *, shown: str = "", tested: bool = True) -> Section | None:
    """Every two systems, where there are three; p values on the figure only where ``tested``."""
    if len(analysis.view.systems) < LEAST:
        return None
    pairs = [pair for pair in analysis.pairs if pair.metric == metric]
    try:  # groups of two are among the pairs that are named already
        equals = [group for group in analysis.equals(metric).groups if len(group) > 2]
        alike = verdicts.of_equals(equals)
    except InputError as error:
        alike = md_escape(str(error))
    return Section(
        question="Which systems differ?",
        answer=" ".join(filter(None, (verdicts.of_pairs(pairs), alike))),
        figures=lambda theme: [
            Named("pairs", pair_matrix(pairs, metric=shown or metric, theme=theme, tested=tested))
        ],
        table=comparisons_table(analysis, pairs),
        caption=f"{pluralize(len(pairs), 'pair')} of systems with difference, interval and p",
        method=f"{over_what(pairs)}; {pairs[0].test}, seed {pairs[0].seed}",
    )


def overlap(analysis: Analysis, **lists: Any) -> Section | None:
    """How similar the results of every two systems are; ``lists``: see `evaluate.overlap.overlaps`."""
    if len(analysis.view.systems) < 2:
        return None
    result = analysis.kept("overlap", lambda: analysis.overlaps(**lists), *lists.values())
    first = result.pairs[0].rbo
    return Section(
        question="How similar are the results of every two systems?",
        answer=verdicts.of_overlaps(result),
        figures=lambda theme: [Named("overlap", overlap_matrix(result, theme=theme), wide=True)],
        table=overlap_table(result),
        caption=f"the overlap of {pluralize(len(result.pairs), 'pair')} of systems",
        method=f"Rank-biased overlap, p = {result.p:g}, of the first {pluralize(result.depth, 'result')}; "
        "bounds: whatever comes below; left out: not answered by both; intervals: "
        f"{first.method}, {first.n_resamples:,} resamples, seed {first.seed}",
    )


def kinds(analysis: Analysis, metric: str, *, instead: str = "") -> Section | None:
    """Which kinds of concepts the scores of a metric by concepts come from, best system first.

    ``instead``: the relevance where the metric has none of these, "" for no part then.
    """
    known, view, study = parse_metric(metric), analysis.view, analysis.study
    by = known.relevance or instead
    if by and parse_relevance(by).kind not in RELEVANCE:
        by = instead
    if study.kinds is None or not by:
        return None
    how: Any = {"systems": view.systems, "k": known.cutoff or 10, "settings": view.settings}
    rows = analysis.kept("from kinds", lambda: from_kinds(study, relevance=by, **how), by, known.cutoff or 10)
    order = ranked(analysis.means_of(metric))
    rows = tuple(sorted(rows, key=lambda row: order.index(row.system)))
    if not rows:
        return None
    return Section(
        question="Which kinds of concepts do the scores come from?",
        figures=lambda theme: [Named("kinds", kind_shares(rows, theme=theme), wide=True)],
        table=shares_table(rows, HEADS),
        caption=f"Where the scores of {pluralize(len(rows), 'system')} come from",
        method=f"First {pluralize(rows[0].k, 'result')}, {rows[0].relevance}; kinds by {study.kinds.source}. "
        "Queries with no finding are listed in the last columns.",
    )
