"""All systems at once: which differ from which, in which place each stands, and whose results are alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isnan

import pandas as pd
import streamlit as st

from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.pairs import overlap
from evalcore.evaluate.pairs.every_pair import Matrix, in_order, matrix_of
from evalcore.evaluate.pairs.overlap import Overlaps
from evalcore.evaluate.pairs.ranks import (
    CAVEAT,
    Equals,
    RankInterval,
    groups_of_equals,
    mean_ranks,
    rank_intervals,
)
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import about_lists
from evalcore.figures.many import critical_diagram, overlap_matrix, pair_matrix, rank_dots
from evalcore.results.pairs import comparisons_table, mean_ranks_table, overlap_table, ranks_table
from evalcore.stats.correction import CLEAR
from evalcore.ui.components import figure, select, table
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape
from evalcore.values.model import Comparison
from evalcore.values.writing import listed, number, p_value, pluralize, share, span

# Whose results are alike? Rank-biased overlap and shared results of every two of the chosen systems.

DEPTHS = (10, 20, 50, 100, 200)
WIDTH = 220


def show_overlaps(context: Context, *, clicked: Callable[[Sequence[str]], None]) -> None:
    """The choice of depth and persistence, the matrix, the table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        depth = select.amount(
            "Results compared",
            DEPTHS,
            1,
            overlap.MOST_DEPTH,
            keep=pages.DEPTH,
            first=overlap.DEPTH,
            width=WIDTH,
        )
        p = select.number(
            "Persistence p",
            0.05,
            0.99,
            keep=pages.PERSISTENCE,
            first=overlap.P,
            step=0.05,
            width=WIDTH,
            help="How likely a reader is to go on to the next result. With 0.9 the first ten results have "
            "86% of the weight.",
        )
    result = _found(context, depth, p)
    st.markdown(_overlaps_in_words(result))
    for line in about_lists(context.study, context.choice.systems):
        st.caption(md_escape(line))
    figure.show(
        context,
        overlap_matrix(result, theme=context.theme),
        key=f"overlap-{context.study.digest}",
        file="overlap",
        clicked=clicked,
        square=True,
    )
    _overlaps_table(context, result)


def _found(context: Context, depth: int, p: float) -> Overlaps:
    study, choice = context.study, context.choice
    k = min(choice.k, depth)
    return cache.remember(
        ("overlap", study.digest, repr(choice.settings), choice.systems, depth, k, p),
        lambda: overlap.overlaps(study, choice.systems, depth=depth, k=k, p=p, settings=choice.settings),
        spinner="Comparing the results of every two systems…",
    )


def _overlaps_in_words(overlaps: Overlaps) -> str:
    known = sorted((pair for pair in overlaps.pairs if not isnan(pair.rbo)), key=lambda pair: pair.rbo)
    if not known:
        return "No two systems answer the same query."
    most, least = known[-1], known[0]
    sentence = (
        f"The results of **{md_escape(most.a)}** and **{md_escape(most.b)}** are the most alike (overlap "
        f"**{number(most.rbo)}**, {span(most.rbo_low, most.rbo_high)}; {number(overlaps.k * most.shared)} of "
        f"the first {overlaps.k:,} shared)"
    )
    if least is most:
        return f"{sentence}."
    return (
        f"{sentence}, those of **{md_escape(least.a)}** and **{md_escape(least.b)}** the least "
        f"({number(least.rbo)}, {number(overlaps.k * least.shared)} of {overlaps.k:,})."
    )


def _overlaps_table(context: Context, overlaps: Overlaps) -> None:
    first = overlaps.pairs[0]
    table.declared(
        context,
        overlap_table(overlaps),
        key="overlap-table",
        file="overlap",
        note=f"Rank-biased overlap, p = {overlaps.p:g}, of the first {pluralize(overlaps.depth, 'result')}; "
        "bounds: "
        f"whatever comes below; left out: not answered by both; intervals: {md_escape(first.method)}, "
        f"{overlaps.n_resamples:,} resamples, seed {overlaps.seed}{context.chosen}.",
        alt=f"Table of the overlap of {pluralize(len(overlaps.pairs), 'pair')} of systems",
    )


# In which place does each system stand? Ranks with groups of equals, and mean ranks over queries.


def show_places(
    context: Context, ranks: tuple[RankInterval, ...], comparisons: tuple[Comparison, ...]
) -> None:
    """Ranks from the first on, groups of equals by the comparisons of every pair."""
    order = [interval.system for interval in ranks]
    try:
        equals = groups_of_equals(order, comparisons)
    except InputError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    st.markdown(_in_words(ranks, equals))
    drawn = rank_dots(
        ranks,
        equals.letters,
        metric=context.choice.metric_shown,
        systems=context.study.systems,
        theme=context.theme,
    )
    figure.show(context, drawn, key="places")
    _table(context, ranks, comparisons, equals)


def _in_words(ranks: tuple[RankInterval, ...], equals: Equals) -> str:
    best = ranks[0]
    if isnan(best.rank):
        return "No query has a value under every system, so there is no order."
    several = [group for group in equals.groups if len(group) > 1]
    sure = "" if isnan(best.first) else f", and does so in {share(best.first)} of the resamples"
    sentence = f"**{md_escape(best.system)}** comes first{sure}."
    if not several:
        return f"{sentence} Every system differs clearly from every other."
    groups = [listed([md_escape(name) for name in group], limit=8) for group in several]
    return f"{sentence} Not clearly different from each other: {'; '.join(groups)}."


def _table(
    context: Context, ranks: tuple[RankInterval, ...], comparisons: tuple[Comparison, ...], equals: Equals
) -> None:
    first = ranks[0]
    left_out = f", {pluralize(first.left_out, 'other')} left out" if first.left_out else ""
    table.declared(
        context,
        ranks_table(ranks, equals, comparisons[0].correction),
        key="rank-table",
        file="ranks",
        note=f"{pluralize(first.n, 'query')} with a value under every system{left_out}; "
        f"{md_escape(first.method)}, {first.n_resamples:,} resamples, seed {first.seed}; equals: "
        f"{over_what(comparisons)}{context.chosen}.",
        alt=f"Table of the ranks of {pluralize(first.k, 'system')}",
    )


def show_mean(context: Context) -> None:
    """Mean ranks over queries, under what to beware of."""
    scores = cache.scores(context.study, context.choice, context.choice.systems)
    ranks = mean_ranks(scores, settings=context.choice.settings)
    st.markdown(f":orange[:material/warning:] {CAVEAT}")
    shown = replace(ranks, metric=context.choice.metric_shown)
    drawn = critical_diagram(shown, systems=context.study.systems, theme=context.theme)
    figure.show(context, drawn, key="mean-ranks", square=True)
    if not ranks.n:
        return
    saved = pd.DataFrame(mean_ranks_table(ranks).saved()).assign(where="; ".join(context.choice.where))
    blocks = f", the means of {pluralize(ranks.n_blocks, 'group')} by {md_escape(ranks.grouped_by)}"
    table.beside(
        f"Friedman {ranks.statistic:.1f}, p {p_value(ranks.p)}; {pluralize(ranks.n, 'query')} with a "
        f"value under every system{blocks if ranks.grouped_by else ''}{context.chosen}.",
        saved,
        context.stem("mean-ranks"),
    )


DIFFERENCES, RANKS, RESULTS, MEAN_RANKS = "differences", "ranks", "results", "mean-ranks"
VIEWS = {
    DIFFERENCES: "Differences",
    RANKS: "Ranks and ties",
    RESULTS: "Same results",
    MEAN_RANKS: "Mean ranks",
}
LEAST = 3
"""Two systems are compared by the rest of the page."""


@state.fragment()
def section(context: Context) -> None:
    """Every chosen system against every other; nothing for fewer than three."""
    if len(context.choice.systems) < LEAST:
        return
    st.header("All systems at once", anchor=False)
    view = select.segments("Show of all systems", VIEWS, keep=pages.AT_ONCE, label_visibility="collapsed")
    if view == RESULTS:
        show_overlaps(context, clicked=_choose)
        return
    if view == MEAN_RANKS:
        show_mean(context)
        return
    pairs = cache.every_pair(context.study, context.choice, context.choice.systems)
    if view == RANKS:
        show_places(context, _ranks(context), pairs)
    else:
        _differences(context, pairs)


def _ranks(context: Context) -> tuple[RankInterval, ...]:
    """The ranks of the chosen systems, from the first on."""
    study, choice = context.study, context.choice

    def work() -> tuple[RankInterval, ...]:
        scores = cache.scores(study, choice, choice.systems)
        ranks = rank_intervals(in_order(scores, scores[0].metric, choice.settings), settings=choice.settings)
        return tuple(sorted(ranks, key=lambda interval: interval.rank))

    return cache.remember(cache.key_of("ranks", study, choice), work, spinner="Ranking the systems…")


def _choose(pair: Sequence[str]) -> None:
    """Callback: the two systems of the square that was clicked become A and B, above."""
    a, b = pair
    state.set_value(pages.SYSTEM_A, a)
    state.set_value(pages.SYSTEM_B, b)
    st.rerun("app")


def _differences(context: Context, pairs: tuple[Comparison, ...]) -> None:
    matrix = matrix_of(pairs)
    st.markdown(_told_apart(matrix, pairs))
    drawn = pair_matrix(matrix, metric=context.choice.metric_shown, theme=context.theme)
    key = f"pairs-{context.study.digest}"
    figure.show(context, drawn, key=key, file="every-pair", clicked=_choose, square=True)
    _everyone_table(context, pairs)


def _told_apart(matrix: Matrix, comparisons: tuple[Comparison, ...]) -> str:
    """How many pairs differ, and which do not."""
    tested = [comparison for comparison in comparisons if not isnan(comparison.p_corrected)]
    if not tested:
        return "No two systems share a query with a value, so none can be compared."
    close = [
        f"{md_escape(comparison.system)} and {md_escape(comparison.baseline)}"
        for comparison in tested
        if comparison.p_corrected >= CLEAR
    ]
    apart = len(tested) - len(close)
    sentence = (
        f"Of the {pluralize(len(tested), 'pair')} of {pluralize(len(matrix.systems), 'system')}, "
        f"**{apart:,}** "
        f"{'differs' if apart == 1 else 'differ'} clearly (corrected p < {CLEAR})."
    )
    return f"{sentence} Not clearly different: {listed(close)}." if close else sentence


def _everyone_table(context: Context, comparisons: tuple[Comparison, ...]) -> None:
    first, scores = comparisons[0], cache.scores(context.study, context.choice, context.choice.systems)
    rows = comparisons_table(
        comparisons, method=method_of_differences(context.choice.settings), grouped_by=scores[0].grouped_by
    )
    floor = "" if context.choice.plain else at_the_floor(comparisons, more=MORE_FLIPS)
    table.declared(
        context,
        rows,
        key="every-pair-table",
        file="every-pair",
        note=f"{over_what(comparisons)}; {md_escape(first.test)}, seed {first.seed}{context.chosen}. {floor}",
        alt=f"Table of {pluralize(len(comparisons), 'pair')} of systems with difference, interval and p",
    )
