"""Parts about systems side by side: two of them, every pair, their ranks, how similar their results are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.comparison import matrix_of
from evalcore.evaluate.per_query import look, per_query
from evalcore.evaluate.summary import counted
from evalcore.figures.clouds import score_scatter
from evalcore.figures.deltas import delta_bars
from evalcore.figures.maps import overlap_matrix, pair_matrix
from evalcore.figures.systems import rank_dots
from evalcore.figures.theme import Theme
from evalcore.report.part import Named, Part
from evalcore.report.results import alone
from evalcore.stats.levels import difference
from evalcore.values.errors import InputError
from evalcore.values.model import Comparison

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
