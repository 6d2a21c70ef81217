"""Two systems side by side: which ones, and their value for every query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import streamlit as st

from evalcore.evaluate.per_query.found import FIXED_AT
from evalcore.evaluate.per_query.good import FIXED, GOOD_BY, limits
from evalcore.report import verdicts
from evalcore.ui.compare import keys, listing
from evalcore.ui.compare.listing import Pair
from evalcore.ui.components import select
from evalcore.ui.frame import cache, measures, state
from evalcore.ui.frame.choices import systems_on_offer
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.evaluate.per_query.found import Found
    from evalcore.ui.frame.context import Context
    from evalcore.values.arrays import Bools, Floats, Ints
    from evalcore.values.model import Scores

LIMITS_WIDTH, VALUE_WIDTH = 220, 140


def choose(context: Context, *, width: int | Literal["stretch"]) -> tuple[str, str]:
    """The pickers of A and B with a swap button between, for a horizontal row. At first the best two."""
    offered = systems_on_offer(context.study)
    ranked = verdicts.ranked_systems(cache.intervals(context.study, context.choice))
    first = (*ranked, *(name for name in offered if name not in ranked))
    a = select.one("System A", offered, keep=keys.SYSTEM_A, first=first[0], width=width)
    st.button("Swap", key="swap", icon=":material/swap_horiz:", help="Exchange A and B", on_click=_swap)
    second = first[min(1, len(first) - 1)]
    b = select.one("System B", offered, keep=keys.SYSTEM_B, first=second, width=width)
    return a, b


def _swap() -> None:
    a, b = state.get(keys.SYSTEM_A), state.get(keys.SYSTEM_B)
    state.set_value(keys.SYSTEM_A, b)
    state.set_value(keys.SYSTEM_B, a)


def values(context: Context, a: str, b: str) -> Pair:
    """The values of both systems under the sidebar's measure, for every query of the study."""
    found = cache.scores(context.study, context.choice, [a, b])
    return _aligned(context, a, b, *found)


def _aligned(context: Context, a: str, b: str, of_a: Scores, of_b: Scores) -> Pair:
    queries = context.study.queries
    values_a, values_b = at(of_a, queries), at(of_b, queries)
    defined = np.concatenate([values_a[np.isfinite(values_a)], values_b[np.isfinite(values_b)]])
    by, fixed = good()
    return Pair(a, b, queries, values_a, values_b, *limits(defined, by=by, fixed=fixed))


def good() -> tuple[str, float]:
    """What makes a query a good one: by what, and the value set for it."""
    by = str(state.carry(keys.GOOD_BY, FIXED, state.one_of(*GOOD_BY)))
    return by, float(state.carry(keys.GOOD_AT, FIXED_AT, state.number(0, 1)))


def at(scores: Scores, queries: Ints) -> Floats:
    """Values aligned with ``queries``; NaN for those the scores do not hold."""
    found, known = np.full(len(queries), np.nan), np.isin(queries, scores.queries)
    found[known] = scores.values[np.searchsorted(scores.queries, queries[known])]
    return found


def kept(context: Context, of: Pair) -> Bools:
    """The filter buttons, and what good and poor mean where that plays a part; which queries they keep,
    aligned with ``of.queries``."""
    show = select.segments(
        "Show", listing.FILTERS, keep=keys.SHOW, label_visibility="collapsed",
        shown=lambda name: "No concepts" if name == listing.NO_CONCEPTS else name,
    )  # fmt: skip
    if show in (listing.BOTH_GOOD, listing.BOTH_POOR):
        ask_limits()
    study = context.study
    differ = (
        measures_differ(context, of.a, of.b) if show == listing.DIFFER and study.knows_neighbours else None
    )
    return listing.kept(of, show, differ=differ, sizes=study.concepts.sizes)


def ask_limits() -> None:
    """The choice of what good means."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = select.one("“Good” means", GOOD_BY, keep=keys.GOOD_BY, width=LIMITS_WIDTH)
        if by == FIXED:
            select.number(
                "Share of the best", 0.0, 1.0, keep=keys.GOOD_AT, first=FIXED_AT, step=0.05, width=VALUE_WIDTH
            )


def limits_in_words(context: Context, of: Pair | Found, *, whose: str = "both systems") -> str:
    """What good and poor mean, and ``whose`` values say so; Markdown."""
    metric = md_escape(context.choice.metric_shown)
    return listing.limits_in_words(of, by=good()[0], metric=metric, of=whose)


def measures_differ(context: Context, a: str, b: str) -> Bools:
    """Queries on which the winner changes when related concepts count beside identical ones."""
    study, choice = context.study, context.choice
    same = cache.scores(study, choice, [a, b], measure=measures.SAME_FIRST)
    related = cache.scores(study, choice, [a, b], measure=measures.RELATED_FIRST)
    strict = _aligned(context, a, b, *same).deltas
    loose = _aligned(context, a, b, *related).deltas
    with np.errstate(invalid="ignore"):
        return np.asarray(strict * loose < 0)
