"""The widgets every page shares. Each owns its key, shows its value in the address, returns a plain value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import streamlit as st

from evalcore.settings import MAX_THRESHOLD, CountRule, Direction, Gain, Settings, Ties, Undefined
from evalcore.ui import state
from evalcore.ui.context import ALL_QUERIES, COMMON_QUERIES, Choice
from evalcore.ui.measures import MeasureChoice, choices
from evalcore.ui.studies import SAMPLE
from evalcore.ui.text import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.model import Study
    from evalcore.ui.studies import StudyEntry

MAX_K = 100
DEFAULT_K = 10
MAX_SYSTEMS_AT_FIRST = 8
ITSELF = ("@iou", "@nn-iou")
"""Relevance measures as systems: what a perfect system would return."""
PLAIN, TECHNICAL = "Plain", "Technical"


def study_picker(listed: Mapping[str, StudyEntry], chosen: str | None) -> None:
    """The study on view; another choice opens it and drops what belonged to the old one."""
    st.selectbox(
        "Study", list(listed), key=state.seed(state.STUDY, chosen), placeholder="Choose a study",
        format_func=lambda slug: "Sample study (synthetic)" if slug == SAMPLE else plain(slug, limit=40),
        on_change=_switch_study, help="Open or upload more on the Data page.",
    )  # fmt: skip


def _switch_study() -> None:
    state.change_study(str(st.session_state[state.STUDY]))


def reading() -> bool:
    """True for Plain: words for a reader who knows images, not statistics."""
    chosen = state.carry(state.READING, PLAIN, state.one_of(PLAIN, TECHNICAL))
    _segments(
        "Reading level", (PLAIN, TECHNICAL), state.READING, chosen,
        help="Plain explains in everyday words. Technical adds labels, formulas and statistics.",
    )  # fmt: skip
    return bool(chosen == PLAIN)


def _segments(label: str, options: Sequence[str], key: str, chosen: str, *, help: str) -> None:
    st.segmented_control(
        label, options, required=True, key=state.seed(key, chosen), on_change=state.take_widget, args=(key,),
        width="stretch", help=help,
    )  # fmt: skip


def choose(study: Study, *, plain: bool) -> Choice:
    """The comparison: systems, baseline, measure, k, weights of related findings."""
    systems = _systems(study)
    baseline = _baseline(systems)
    measure = _measure(study, plain=plain)
    k = _cutoff(disabled=not measure.cut)
    settings = _settings(study)
    queries = _queries()
    settings = replace(settings, **_policies(shown=not plain))
    ordered = (baseline, *(name for name in systems if name != baseline))
    return Choice(ordered, baseline, measure, k, queries, settings, plain)


def systems_on_offer(study: Study) -> tuple[str, ...]:
    """The study's systems, then the relevance measures as systems."""
    return (*study.systems, *(ITSELF if study.knows_neighbours else ITSELF[:1]))


def _systems(study: Study) -> list[str]:
    offered = systems_on_offer(study)
    first = list(study.systems[:MAX_SYSTEMS_AT_FIRST] or offered)
    chosen: list[str] = state.carry(state.SYSTEMS, first, state.some_of(*offered))
    st.multiselect(
        "Systems", offered, key=state.seed(state.SYSTEMS, chosen), on_change=state.take_widget,
        args=(state.SYSTEMS,), placeholder="Choose systems to compare",
        help="@iou and @nn-iou are not real systems: they rank every image by the findings themselves, "
        "and show what the best possible list looks like.",
    )  # fmt: skip
    return chosen


def _baseline(systems: Sequence[str]) -> str:
    chosen = str(state.carry(state.BASELINE, systems[0], state.one_of(*systems)))
    st.selectbox(
        "Baseline", systems, key=state.seed(state.BASELINE, chosen), on_change=state.take_widget,
        args=(state.BASELINE,), help="Every difference is measured against this system.",
    )  # fmt: skip
    return chosen


def _measure(study: Study, *, plain: bool) -> MeasureChoice:
    offered = {choice.family: choice for choice in choices(study)}
    family = state.carry(state.MEASURE, next(iter(offered)), state.one_of(*offered))
    st.selectbox(
        "Measure ↑", list(offered), key=state.seed(state.MEASURE, family),
        format_func=lambda name: offered[name].shown(plain=plain),
        on_change=state.take_widget, args=(state.MEASURE,),
        help="How good a list of results is. Higher is better for all of them.",
    )  # fmt: skip
    chosen = offered[family]
    st.caption(md_escape(chosen.plain if plain else chosen.technical))
    return chosen


def _cutoff(*, disabled: bool) -> int:
    value = int(state.carry(state.K, DEFAULT_K, state.whole(1, MAX_K)))
    st.number_input(
        "Results looked at (k)", 1, MAX_K, key=state.seed(state.K, value), on_change=state.take_widget,
        args=(state.K,), disabled=disabled,
        help="This measure looks at the whole list." if disabled else "How far down the list it looks.",
    )  # fmt: skip
    return value


def _settings(study: Study) -> Settings:
    none = not study.knows_neighbours
    why_not = " This study has no concept graph, so it has no effect." if none else ""
    alpha = round(float(state.carry(state.ALPHA, 0.5, state.number(0, 1))), 4)
    st.slider(
        "Credit for related findings (α)", 0.0, 1.0, step=0.05, key=state.seed(state.ALPHA, alpha),
        on_change=state.take_widget, args=(state.ALPHA,), disabled=none,
        help="0: only identical findings count. 1: a close relative counts like the same finding." + why_not,
    )  # fmt: skip
    threshold = int(state.carry(state.THRESHOLD, 1, state.whole(0, MAX_THRESHOLD)))
    st.slider(
        "How far “related” reaches (steps)", 0, MAX_THRESHOLD, key=state.seed(state.THRESHOLD, threshold),
        on_change=state.take_widget, args=(state.THRESHOLD,), disabled=none,
        help="Steps in the medical dictionary between two findings that still count as related." + why_not,
    )  # fmt: skip
    return Settings(alpha=alpha, threshold=threshold)


POLICIES: tuple[tuple[str, str, str, Any, str], ...] = (
    (state.COUNT_RULE, "Count rule of nn-IoU", "count_rule", CountRule,
     "How neighbour matches are counted: readings of the paper's Algorithm 1."),
    (state.DIRECTION, "Direction of steps", "direction", Direction,
     "Directed: one concept must be an ancestor of the other. Differs from 2 steps on."),
    (state.TIES, "Equal scores", "ties", Ties,
     "id: in the order of image ids. expected: the exact average over all orders."),
    (state.UNDEFINED, "Queries without a value", "undefined", Undefined,
     "skip: left out of the mean and counted. zero: counted as 0."),
    (state.GAIN, "Gain", "gain", Gain, "linear: the relevance itself. exp: 2^relevance - 1."),
    (state.INTERVAL, "Intervals", "interval", Literal["percentile", "bca"],
     "Bootstrap over the queries, by percentiles or corrected for bias and skew (BCa). The command line also "
     "has Wilson's interval, for values of 0 and 1 such as precision of the first result."),
)  # fmt: skip
"""Key, label, field of Settings, its choices, help: decisions that a researcher may take otherwise."""


def _policies(*, shown: bool) -> dict[str, Any]:
    """What the researcher decided otherwise; under Plain shown only where something is."""
    defaults, chosen = Settings(), {}
    for key, _, field, options, _ in POLICIES:
        allowed = get_args(options)
        chosen[field] = state.carry(key, getattr(defaults, field), state.one_of(*allowed))
    if shown or any(value != getattr(defaults, field) for field, value in chosen.items()):
        with st.expander("More settings", icon=":material/tune:"):
            for key, label, field, options, told in POLICIES:
                st.selectbox(
                    label, get_args(options), key=state.seed(key, chosen[field]),
                    on_change=state.take_widget, args=(key,), help=told,
                )  # fmt: skip
    return chosen


def _queries() -> str:
    chosen = str(state.carry(state.POOL, ALL_QUERIES, state.one_of(ALL_QUERIES, COMMON_QUERIES)))
    _segments(
        "Queries counted", (ALL_QUERIES, COMMON_QUERIES), state.POOL, chosen,
        help="All: a query a system does not answer counts as 0. Common: only queries that every chosen "
        "system answers.",
    )  # fmt: skip
    return chosen
