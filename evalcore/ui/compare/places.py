"""In which place does each system stand? Ranks with groups of equals, and mean ranks over queries."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.comparison import over_what
from evalcore.evaluate.pairs.critical import CAVEAT, mean_ranks
from evalcore.evaluate.pairs.equals import groups_of_equals
from evalcore.figures.many import critical_diagram, rank_dots
from evalcore.figures.numbers import listed, p_value, share, things
from evalcore.ui.components import figure, table
from evalcore.ui.frame import cache
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.evaluate.pairs.equals import Equals
    from evalcore.evaluate.pairs.ranks import RankInterval
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Comparison


def show(context: Context, ranks: tuple[RankInterval, ...], comparisons: tuple[Comparison, ...]) -> None:
    """Ranks from the first on, groups of equals by the comparisons of every pair."""
    order = [one.system for one in ranks]
    try:
        equals = groups_of_equals(order, comparisons)
    except InputError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    st.markdown(_in_words(ranks, equals))
    drawn = rank_dots(
        ranks, equals.letters, metric=context.choice.metric_shown, systems=context.study.systems,
        theme=context.theme,
    )  # fmt: skip
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
    first, pair = ranks[0], comparisons[0]
    saved = pd.DataFrame(
        [
            {
                "system": one.system, "metric": one.metric, "mean": one.mean, "rank": one.rank,
                "rank_low": one.low, "rank_high": one.high, "rank_expected": one.expected,
                "first": one.first, "letters": letters, "n": one.n, "left_out": one.left_out,
                "method": one.method, "n_resamples": one.n_resamples, "seed": one.seed,
                "correction": pair.correction, "where": "; ".join(context.choice.where),
            }
            for one, letters in zip(ranks, equals.letters, strict=True)
        ]
    )  # fmt: skip
    shown = pd.DataFrame(
        {
            "System": [plain(name, limit=60) for name in saved["system"]],
            "Mean ↑": saved["mean"],
            "Rank ↓": saved["rank"],
            f"{first.level:.0%} interval": [_ends(one) for one in ranks],
            "Mean rank of resamples": saved["rank_expected"],
            "First": [share(one) if not isnan(one) else "–" for one in saved["first"]],
            "Equals": saved["letters"],
        }
    )
    left_out = f", {things(first.left_out, 'other')} left out" if first.left_out else ""
    table.show(
        shown, key="rank-table", file=context.stem("ranks"), saved=saved, placeholder="–",
        note=f"{things(first.n, 'query')} with a value under every system{left_out}; "
        f"{md_escape(first.method)}, {first.n_resamples:,} resamples, seed {first.seed}; equals: "
        f"{over_what(comparisons)}{context.chosen}.",
        alt=f"Table of the ranks of {things(first.k, 'system')}",
        columns=table.numbers("%.3f", "Mean ↑") | table.numbers("%.2f", "Mean rank of resamples"),
    )  # fmt: skip


def _ends(one: RankInterval) -> str:
    return "–" if isnan(one.low) else f"{one.low:g} to {one.high:g}"


def show_mean(context: Context) -> None:
    """Mean ranks over queries, under what to beware of."""
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
        f"Friedman {found.statistic:.1f}, p {p_value(found.p)}; {things(found.n, 'query')} with a "
        f"value under every system{blocks if found.grouped_by else ''}{context.chosen}.",
        saved, context.stem("mean-ranks"),
    )  # fmt: skip
