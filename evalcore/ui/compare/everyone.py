"""All systems at once: which differ from which, in which place each stands, and whose results are alike."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.pairs.every_pair import in_order, matrix_of
from evalcore.evaluate.pairs.ranks import rank_intervals
from evalcore.figures.many import pair_matrix
from evalcore.figures.numbers import in_table, listed, p_value, things
from evalcore.stats.correction import CLEAR
from evalcore.ui.compare import keys, overlaps, places
from evalcore.ui.components import figure, select, table
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.pairs.every_pair import Matrix
    from evalcore.evaluate.pairs.ranks import RankInterval
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Comparison

DIFFERENCES, RANKS, RESULTS, MEAN_RANKS = "differences", "ranks", "results", "mean-ranks"
VIEWS = {
    DIFFERENCES: "Differences", RANKS: "Ranks and ties", RESULTS: "Same results", MEAN_RANKS: "Mean ranks",
}  # fmt: skip
LEAST = 3
"""Two systems are compared by the rest of the page."""


@state.fragment()
def section(context: Context) -> None:
    """Every chosen system against every other; nothing for fewer than three."""
    if len(context.choice.systems) < LEAST:
        return
    st.header("All systems at once", anchor=False)
    view = select.segments("Show of all systems", VIEWS, keep=keys.AT_ONCE, label_visibility="collapsed")
    if view == RESULTS:
        overlaps.show(context, clicked=_choose)
        return
    if view == MEAN_RANKS:
        places.show_mean(context)
        return
    pairs = cache.every_pair(context.study, context.choice, context.choice.systems)
    if view == RANKS:
        places.show(context, _ranks(context), pairs)
    else:
        _differences(context, pairs)


def _ranks(context: Context) -> tuple[RankInterval, ...]:
    """The ranks of the chosen systems, from the first on."""
    study, choice = context.study, context.choice

    def work() -> tuple[RankInterval, ...]:
        scores = cache.scores(study, choice, choice.systems)
        ranks = rank_intervals(in_order(scores, scores[0].metric, choice.settings), settings=choice.settings)
        return tuple(sorted(ranks, key=lambda one: one.rank))

    return cache.remember(cache.key_of("ranks", study, choice), work, spinner="Ranking the systems…")


def _choose(pair: Sequence[str]) -> None:
    """Callback: the two systems of the square that was clicked become A and B, above."""
    a, b = pair
    state.set_value(keys.SYSTEM_A, a)
    state.set_value(keys.SYSTEM_B, b)
    st.rerun("app")


def _differences(context: Context, pairs: tuple[Comparison, ...]) -> None:
    matrix = matrix_of(pairs)
    st.markdown(_told_apart(matrix, pairs))
    drawn = pair_matrix(matrix, metric=context.choice.metric_shown, theme=context.theme)
    key = f"pairs-{context.study.digest}"
    figure.show(context, drawn, key=key, file="every-pair", clicked=_choose, square=True)
    _table(context, pairs)


def _told_apart(matrix: Matrix, comparisons: tuple[Comparison, ...]) -> str:
    """How many pairs differ, and which do not."""
    tested = [one for one in comparisons if not isnan(one.p_corrected)]
    if not tested:
        return "No two systems share a query with a value, so none can be compared."
    close = [
        f"{md_escape(one.system)} and {md_escape(one.baseline)}" for one in tested if one.p_corrected >= CLEAR
    ]
    apart = len(tested) - len(close)
    sentence = (
        f"Of the {things(len(tested), 'pair')} of {things(len(matrix.systems), 'system')}, **{apart:,}** "
        f"{'differs' if apart == 1 else 'differ'} clearly (corrected p < {CLEAR})."
    )
    return f"{sentence} Not clearly different: {listed(close)}." if close else sentence


def _table(context: Context, comparisons: tuple[Comparison, ...]) -> None:
    first = comparisons[0]
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
            "Difference": saved["difference"],
            f"{first.level:.0%} interval": [in_table(one.low, one.high, places=3) for one in comparisons],
            "p": [p_value(p) for p in saved["p"]],
            corrected: [p_value(p) for p in saved["p_corrected"]],
            "Queries": saved["n"],
            "Better": saved["better"],
            "Equal": saved["equal"],
            "Worse": saved["worse"],
        }
    )
    over = over_what(comparisons)
    floor = "" if context.choice.plain else at_the_floor(comparisons, more=MORE_FLIPS)
    table.show(
        shown, key="every-pair-table", file=context.stem("every-pair"), saved=saved, placeholder="–",
        note=f"{over}; {md_escape(first.test)}, seed {first.seed}{context.chosen}. {floor}",
        alt=f"Table of {things(len(comparisons), 'pair')} of systems with difference, interval and p",
        columns=table.numbers("%+.3f", "Difference"),
    )  # fmt: skip
