"""Two systems side by side: which ones, and their value for every query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import streamlit as st

from evalcore.stats.levels import difference
from evalcore.ui import cache, findings, listing, measures, state
from evalcore.ui.inputs import systems_on_offer

if TYPE_CHECKING:
    from evalcore.model import Bools, Floats, Ints, Scores
    from evalcore.ui.context import Context


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two systems and, aligned with ``queries`` (image indices), their values; NaN where undefined.

    ``good_at`` is the middle of all defined values of both: from there on a result list counts as good.
    """

    a: str
    b: str
    queries: Ints
    values_a: Floats
    values_b: Floats
    good_at: float

    @property
    def deltas(self) -> Floats:
        return difference(self.values_a, self.values_b)


def choose(context: Context, *, width: int | Literal["stretch"]) -> tuple[str, str]:
    """The pickers of A and B with a swap button between, for a horizontal row. At first the best two."""
    offered = systems_on_offer(context.study)
    ranked = findings.ranked_systems(cache.intervals(context.study, context.choice))
    first = (*ranked, *(name for name in offered if name not in ranked))
    a = _picker("System A", state.SYSTEM_A, offered, first[0], width)
    st.button("Swap", key="swap", icon=":material/swap_horiz:", help="Exchange A and B", on_click=_swap)
    b = _picker("System B", state.SYSTEM_B, offered, first[min(1, len(first) - 1)], width)
    return a, b


def _picker(
    label: str, key: str, offered: tuple[str, ...], first: str, width: int | Literal["stretch"]
) -> str:
    chosen = str(state.carry(key, first, state.one_of(*offered)))
    st.selectbox(
        label, offered, key=state.seed(key, chosen), on_change=state.take_widget, args=(key,), width=width
    )
    return chosen


def _swap() -> None:
    a, b = state.get(state.SYSTEM_A), state.get(state.SYSTEM_B)
    state.set_value(state.SYSTEM_A, b)
    state.set_value(state.SYSTEM_B, a)


def values(context: Context, a: str, b: str) -> Pair:
    """The values of both systems under the sidebar's measure, for every query of the study."""
    found = cache.scores(context.study, context.choice, [a, b])
    return _aligned(context, a, b, *found)


def _aligned(context: Context, a: str, b: str, of_a: Scores, of_b: Scores) -> Pair:
    queries = context.study.queries
    values_a, values_b = _at(of_a, queries), _at(of_b, queries)
    defined = np.concatenate([values_a[np.isfinite(values_a)], values_b[np.isfinite(values_b)]])
    return Pair(a, b, queries, values_a, values_b, float(np.median(defined)) if len(defined) else 0.0)


def _at(scores: Scores, queries: Ints) -> Floats:
    """Values aligned with ``queries``; NaN for those the scores do not hold."""
    found = np.full(len(queries), np.nan)
    place = np.searchsorted(scores.queries, queries)
    place[place == len(scores.queries)] = 0
    known = scores.queries[place] == queries if len(scores.queries) else np.zeros(len(queries), bool)
    found[known] = scores.values[place[known]]
    return found


def kept(context: Context, of: Pair) -> Bools:
    """The filter buttons; which queries they keep, aligned with ``of.queries``."""
    show = str(state.carry(state.SHOW, listing.ALL, state.one_of(*listing.FILTERS)))
    st.segmented_control(
        "Show", listing.FILTERS, required=True, key=state.seed(state.SHOW, show),
        on_change=state.take_widget, args=(state.SHOW,), label_visibility="collapsed",
    )  # fmt: skip
    study = context.study
    differ = (
        measures_differ(context, of.a, of.b) if show == listing.DIFFER and study.knows_neighbours else None
    )
    return listing.kept(of, show, differ=differ, sizes=study.concepts.sizes)


def measures_differ(context: Context, a: str, b: str) -> Bools:
    """Queries on which the winner changes when related findings count beside identical ones."""
    study, choice = context.study, context.choice
    same = cache.scores(study, choice, [a, b], measure=measures.SAME_FIRST)
    related = cache.scores(study, choice, [a, b], measure=measures.RELATED_FIRST)
    strict = _aligned(context, a, b, *same).deltas
    loose = _aligned(context, a, b, *related).deltas
    with np.errstate(invalid="ignore"):
        return np.asarray(strict * loose < 0)
