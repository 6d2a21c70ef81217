"""Parts about systems side by side: two of them, every pair, their ranks, how similar their results are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.comparison import at_the_floor, matrix_of, over_what
from evalcore.evaluate.per_query import look, per_query
from evalcore.evaluate.summary import counted, method_of_differences
from evalcore.figures.clouds import score_scatter
from evalcore.figures.deltas import delta_bars
from evalcore.figures.maps import overlap_matrix, pair_matrix
from evalcore.figures.systems import rank_dots
from evalcore.figures.theme import Theme
from evalcore.report import verdicts
from evalcore.report.part import Named, Part
from evalcore.report.results import alone
from evalcore.report.verdicts import Choice
from evalcore.results.pairs import comparisons_table, overlap_table, ranks_table
from evalcore.results.rows import Table
from evalcore.stats.levels import difference
from evalcore.values.errors import InputError
from evalcore.values.model import Comparison
from evalcore.values.writing import pluralize

LEAST = 3
"""Of systems, to be compared in pairs and ranked."""

# Two systems: those named, else the best and the second.


def _pair(analysis: Analysis, metric: str, a: str, b: str) -> Comparison:
    compared = analysis.comparison(a, b, metric) if a and b else analysis.gap(metric)
    assert compared is not None, "else the part is missing"
    return compared


def _no_pair(analysis: Analysis, metric: str, a: str = "", b: str = "") -> str:
    if not a and analysis.gap(metric) is None:
        return alone(analysis, metric) or "There is one system beside the references."
    return "" if _pair(analysis, metric, a, b).n_pairs else "No query has a value for both systems."


def _of_two(analysis: Analysis, metric: str, a: str = "", b: str = "", *, words: Choice | None = None) -> str:
    return verdicts.of_pair(analysis, _pair(analysis, metric, a, b), words)


def _query_differences(
    analysis: Analysis, metric: str, a: str = "", b: str = "", *, theme: Theme
) -> Iterator[Named]:
    """The first system minus the second, query by query."""
    pair = _pair(analysis, metric, a, b)
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


def _both_scores(
    analysis: Analysis, metric: str, a: str = "", b: str = "", *, theme: Theme
) -> Iterator[Named]:
    """Both scores of each query."""
    pair = _pair(analysis, metric, a, b)
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
    question="Is one system better than another?",
    answer=_of_two,
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


def _pair_table(analysis: Analysis, metric: str) -> Table:
    method, groups = method_of_differences(analysis.view.settings), analysis.scores[0].grouped_by
    return comparisons_table(_pairs(analysis, metric), method=method, grouped_by=groups)


def _of_pairs(analysis: Analysis, metric: str) -> str:
    pairs = _pairs(analysis, metric)
    return f"{over_what(pairs)}; {pairs[0].test}, seed {pairs[0].seed}. {at_the_floor(pairs)}".strip()


def _ranks(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    with suppress(InputError):  # no query has a value under every system
        letters, systems = analysis.equals(metric).letters, analysis.study.systems
        drawn = rank_dots(analysis.ranks(metric), letters, metric=metric, systems=systems, theme=theme)
        yield Named("ranks", drawn)


def _of_ranks(analysis: Analysis, metric: str) -> str:
    first = analysis.ranks(metric)[0]
    left_out = f", {pluralize(first.left_out, 'other')} left out" if first.left_out else ""
    return (
        f"{pluralize(first.n, 'query')} with a value under every system{left_out}; {first.method}, "
        f"{first.n_resamples:,} resamples, seed {first.seed}; equals: {over_what(_pairs(analysis, metric))}."
    )


EVERY_PAIR = Part(
    key="pairs",
    question="Which systems differ?",
    answer=lambda analysis, metric, **_: verdicts.of_pairs(_pairs(analysis, metric)),
    figures=_pair_matrix,
    table=_pair_table,
    method=_of_pairs,
    missing=_two_alone,
)
RANKS = Part(
    key="ranks",
    question="Which rank does each system have, and how sure is it?",
    answer=lambda analysis, metric, **_: verdicts.of_ranks(
        analysis.ranks(metric)[0], analysis.equals(metric).groups
    ),
    figures=_ranks,
    table=lambda analysis, metric: ranks_table(
        analysis.ranks(metric), analysis.equals(metric), analysis.view.correction
    ),
    method=_of_ranks,
    missing=_two_alone,
)

# How similar are the results of every two systems?


def _overlap(analysis: Analysis, _metric: str, *, theme: Theme, **lists: Any) -> Iterator[Named]:
    yield Named("overlap", overlap_matrix(analysis.overlaps(**lists), theme=theme), wide=True)


def _of_overlap(analysis: Analysis, _metric: str, **lists: Any) -> str:
    found = analysis.overlaps(**lists)
    return (
        f"Rank-biased overlap, p = {found.p:g}, of the first {pluralize(found.depth, 'result')}; bounds: "
        f"whatever comes below; left out: not answered by both; intervals: {found.pairs[0].method}, "
        f"{found.n_resamples:,} resamples, seed {found.seed}."
    )


OVERLAP = Part(
    key="overlaps",
    question="How similar are the results of every two systems?",
    answer=lambda analysis, _metric, words=None, **lists: verdicts.of_overlaps(analysis.overlaps(**lists)),  # noqa: ARG005
    figures=_overlap,
    table=lambda analysis, _metric, **lists: overlap_table(analysis.overlaps(**lists)),
    method=_of_overlap,
    missing=lambda analysis, metric, **_: alone(analysis, metric),
    once=True,
)
