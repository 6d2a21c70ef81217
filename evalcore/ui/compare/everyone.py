"""All systems at once: which differ from which, in which place each stands, and whose results are alike."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import streamlit as st

from evalcore.errors import InputError
from evalcore.evaluate.pairs.critical import CAVEAT, mean_ranks
from evalcore.evaluate.pairs.equals import groups_of_equals
from evalcore.evaluate.pairs.every_pair import LEVEL, every_pair, in_order, matrix_of, over_pairs
from evalcore.evaluate.pairs.ranks import rank_intervals
from evalcore.figures.many import critical_diagram, pair_matrix, rank_dots
from evalcore.figures.many.squares import BETWEEN
from evalcore.figures.numbers import listed, p_value, share, signed, signed_span, things
from evalcore.ui.compare import keys, overlaps
from evalcore.ui.components import figure, select, table
from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import cache, state

if TYPE_CHECKING:
    from evalcore.evaluate.pairs.equals import Equals
    from evalcore.evaluate.pairs.every_pair import Matrix
    from evalcore.evaluate.pairs.ranks import RankInterval
    from evalcore.model import Comparison
    from evalcore.ui.frame.context import Context

DIFFERENCES, RANKS, RESULTS, MEAN_RANKS = "differences", "ranks", "results", "mean-ranks"
VIEWS = {
    DIFFERENCES: "Differences", RANKS: "Places and equals", RESULTS: "Same results", MEAN_RANKS: "Mean ranks",
}  # fmt: skip
LEAST = 3
"""Two systems are compared by the rest of the page."""


class Everyone(NamedTuple):
    """Every pair of the chosen systems, corrected together; ranks in the order of the means."""

    comparisons: tuple[Comparison, ...]
    ranks: tuple[RankInterval, ...]


@st.fragment
def section(context: Context) -> None:
    """Every chosen system against every other; nothing for fewer than three."""
    state.go_on()
    if len(context.choice.systems) < LEAST:
        return
    st.subheader("All systems at once", anchor=False)
    view = select.segments("Show of all systems", list(VIEWS), keep=keys.AT_ONCE, first=DIFFERENCES,
                           shown=VIEWS.__getitem__, label_visibility="collapsed")  # fmt: skip
    if view == RESULTS:
        overlaps.show(context, clicked=_choose)
        return
    found = _found(context)
    if view == RANKS:
        _places(context, found)
    elif view == MEAN_RANKS:
        _mean_ranks(context)
    else:
        _differences(context, found)


def _found(context: Context) -> Everyone:
    study, choice = context.study, context.choice

    def work() -> Everyone:
        scores = cache.scores(study, choice, choice.systems)
        ordered = in_order(scores, scores[0].metric, choice.settings)
        pairs = every_pair(scores, settings=choice.settings, correction=choice.correction)
        return Everyone(pairs, rank_intervals(ordered, settings=choice.settings))

    decides = (choice.metric, repr(choice.settings), choice.queries, choice.systems, choice.correction)
    with st.spinner("Comparing every two systems…"):
        return cache.remember(("every pair", study.digest, *decides), work)


def _choose(carried: str) -> None:
    """Callback: the two systems of the square that was clicked become A and B, above."""
    a, b = carried.split(BETWEEN)
    state.set_value(keys.SYSTEM_A, a)
    state.set_value(keys.SYSTEM_B, b)
    st.rerun("app")


def _differences(context: Context, found: Everyone) -> None:
    matrix = matrix_of(found.comparisons)
    st.markdown(_told_apart(matrix, found.comparisons))
    drawn = pair_matrix(matrix, metric=context.choice.metric_shown, theme=context.theme)
    figure.show(context, drawn, key=f"pairs-{context.study.digest}", file="every-pair", clicked=_choose)
    _table(context, found.comparisons)


def _told_apart(matrix: Matrix, comparisons: tuple[Comparison, ...]) -> str:
    """How many pairs differ, and which do not."""
    tested = [one for one in comparisons if not isnan(one.p_corrected)]
    if not tested:
        return "No two systems share a query with a value, so none can be compared."
    close = [
        f"{md_escape(one.system)} and {md_escape(one.baseline)}" for one in tested if one.p_corrected >= LEVEL
    ]
    apart = len(tested) - len(close)
    sentence = (
        f"Of the {things(len(tested), 'pair')} of {things(len(matrix.systems), 'system')}, **{apart:,}** "
        f"{'is' if apart == 1 else 'are'} told apart (corrected p < {LEVEL})."
    )
    return f"{sentence} Not told apart: {listed(close)}." if close else sentence


def _table(context: Context, comparisons: tuple[Comparison, ...]) -> None:
    first = comparisons[0]
    level = f"{first.level:.0%}".replace("%", " %")
    saved = pd.DataFrame(
        [
            {
                "system": one.system, "minus": one.baseline, "metric": one.metric,
                "difference": one.difference, "ci_low": one.low, "ci_high": one.high, "p": one.p,
                "p_corrected": one.p_corrected, "correction": one.correction, "n": one.n_pairs,
                "better": one.wins, "equal": one.ties, "worse": one.losses, "test": one.test,
                "seed": one.seed, "where": "; ".join(context.choice.where),
            }
            for one in comparisons
        ]
    )  # fmt: skip
    corrected = "p, not corrected" if first.correction == "none" else f"p ({first.correction})"
    shown = pd.DataFrame(
        {
            "System": [plain(name, limit=60) for name in saved["system"]],
            "Minus": [plain(name, limit=60) for name in saved["minus"]],
            "Difference": [signed(value) for value in saved["difference"]],
            f"{level} interval": [
                signed_span(*ends) for ends in zip(saved["ci_low"], saved["ci_high"], strict=True)
            ],
            "p": [p_value(p) for p in saved["p"]],
            corrected: [p_value(p) for p in saved["p_corrected"]],
            "Queries": saved["n"],
            "Better": saved["better"],
            "Equal": saved["equal"],
            "Worse": saved["worse"],
        }
    )
    over = over_pairs(comparisons)
    table.show(
        shown, key="every-pair-table", file=context.stem("every-pair"), saved=saved, placeholder="–",
        note=f"{over[0].upper()}{over[1:]}; {md_escape(first.test)}, seed {first.seed}{context.chosen}.",
        alt=f"Table of {things(len(comparisons), 'pair')} of systems with difference, interval and p",
    )  # fmt: skip


def _places(context: Context, found: Everyone) -> None:
    order = [one.system for one in found.ranks]
    try:
        equals = groups_of_equals(order, found.comparisons)
    except InputError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    st.markdown(_in_words(found.ranks, equals))
    drawn = rank_dots(
        found.ranks, equals.letters, metric=context.choice.metric_shown, systems=context.study.systems,
        theme=context.theme,
    )  # fmt: skip
    figure.show(context, drawn, key="places")
    _rank_table(context, found, equals)


def _in_words(ranks: tuple[RankInterval, ...], equals: Equals) -> str:
    best = ranks[0]
    if isnan(best.rank):
        return "No query has a value under every system, so there is no order."
    several = [group for group in equals.groups if len(group) > 1]
    sure = "" if isnan(best.first) else f", and does so in {share(best.first)} of the resamples"
    sentence = f"**{md_escape(best.system)}** comes first{sure}."
    if not several:
        return f"{sentence} Every system is told apart from every other."
    groups = [listed([md_escape(name) for name in group], limit=8) for group in several]
    return f"{sentence} Not told apart from each other: {'; '.join(groups)}."


def _rank_table(context: Context, found: Everyone, equals: Equals) -> None:
    first, pair = found.ranks[0], found.comparisons[0]
    saved = pd.DataFrame(
        [
            {
                "system": one.system, "metric": one.metric, "mean": one.mean, "rank": one.rank,
                "rank_low": one.low, "rank_high": one.high, "rank_expected": one.expected,
                "first": one.first, "letters": letters, "n": one.n, "left_out": one.left_out,
                "method": one.method, "n_resamples": one.n_resamples, "seed": one.seed,
                "correction": pair.correction, "where": "; ".join(context.choice.where),
            }
            for one, letters in zip(found.ranks, equals.letters, strict=True)
        ]
    )  # fmt: skip
    level = f"{first.level:.0%}".replace("%", " %")
    shown = pd.DataFrame(
        {
            "System": [plain(name, limit=60) for name in saved["system"]],
            "Mean ↑": saved["mean"],
            "Rank ↓": saved["rank"],
            f"{level} interval": [_ends(one) for one in found.ranks],
            "Mean rank of resamples": saved["rank_expected"],
            "First": [share(one) if not isnan(one) else "–" for one in saved["first"]],
            "Equals": saved["letters"],
        }
    )
    left_out = f", {things(first.left_out, 'other')} left out" if first.left_out else ""
    table.show(
        shown, key="rank-table", file=context.stem("ranks"), saved=saved, placeholder="–",
        note=f"{things(first.n, 'query', 'queries')} with a value under every system{left_out}; "
        f"{md_escape(first.method)}, {first.n_resamples:,} resamples, seed {first.seed}; equals: "
        f"{over_pairs(found.comparisons)}{context.chosen}.",
        alt=f"Table of the ranks of {things(first.k, 'system')}",
        columns={
            "Mean ↑": st.column_config.NumberColumn(format="%.3f"),
            "Mean rank of resamples": st.column_config.NumberColumn(format="%.2f"),
        },
    )  # fmt: skip


def _ends(one: RankInterval) -> str:
    return "–" if isnan(one.low) else f"{one.low:g} to {one.high:g}"


def _mean_ranks(context: Context) -> None:
    scores = cache.scores(context.study, context.choice, context.choice.systems)
    found = mean_ranks(scores, settings=context.choice.settings)
    st.markdown(f":orange[:material/warning:] {CAVEAT}")
    shown = replace(found, metric=context.choice.metric_shown)
    drawn = critical_diagram(shown, systems=context.study.systems, theme=context.theme)
    figure.show(context, drawn, key="mean-ranks")
    if not found.n:
        return
    saved = pd.DataFrame(
        {
            "system": found.systems, "metric": found.metric, "mean_rank": found.mean_ranks,
            "critical_difference": found.distance, "friedman": found.statistic, "p": found.p, "n": found.n,
            "n_ranked": found.n_blocks, "left_out": found.left_out,
            "where": "; ".join(context.choice.where),
        }
    )  # fmt: skip
    blocks = f", the means of {things(found.n_blocks, 'group')} by {md_escape(found.grouped_by)}"
    table.beside(
        f"Friedman {found.statistic:.1f}, p {p_value(found.p)}; {things(found.n, 'query', 'queries')} with a "
        f"value under every system{blocks if found.grouped_by else ''}{context.chosen}.",
        saved, context.stem("mean-ranks"),
    )  # fmt: skip
