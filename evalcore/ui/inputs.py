"""The widgets every page shares. Each owns its key, shows its value in the address, returns a plain value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.settings import MAX_THRESHOLD, Settings
from evalcore.ui import state
from evalcore.ui.context import ALL_QUERIES, COMMON_QUERIES, Choice
from evalcore.ui.measures import MeasureChoice, choices
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
    names = list(listed)
    st.session_state[state.widget_key(state.STUDY)] = chosen
    st.selectbox(
        "Study", names, key=state.widget_key(state.STUDY), placeholder="Choose a study",
        format_func=lambda slug: "Sample study (synthetic)" if slug == "sample" else plain(slug, limit=40),
        on_change=_switch_study, persist_state=None,
        help="Open or upload more on the Data page.",
    )  # fmt: skip


def _switch_study() -> None:
    state.change_study(str(state.get(state.widget_key(state.STUDY))))


def reading() -> bool:
    """True for Plain: words for a reader who knows images, not statistics."""
    options = (PLAIN, TECHNICAL)
    state.ready(state.READING, PLAIN)
    chosen = st.segmented_control(
        "Reading level", options, default=PLAIN, required=True, key=state.READING, bind="query-params",
        persist_state="session", width="stretch",
        help="Plain explains in everyday words. Technical adds labels, formulas and statistics.",
    )  # fmt: skip
    return chosen != TECHNICAL


def choose(study: Study, *, plain: bool) -> Choice:
    """The comparison: systems, baseline, measure, k, weights of related findings."""
    systems = _systems(study)
    baseline = _baseline(systems)
    measure = _measure(study, plain=plain)
    k = _cutoff(disabled=not measure.cut)
    settings = _settings(study)
    queries = _queries(plain=plain)
    ordered = (baseline, *(name for name in systems if name != baseline))
    return Choice(ordered, baseline, measure, k, queries, settings, plain)


def systems_on_offer(study: Study) -> tuple[str, ...]:
    """The study's systems, then the relevance measures as systems."""
    return (*study.systems, *(ITSELF if study.graph is not None else ITSELF[:1]))


def _systems(study: Study) -> tuple[str, ...]:
    offered = systems_on_offer(study)
    first = study.systems[:MAX_SYSTEMS_AT_FIRST] or offered
    state.ready(state.SYSTEMS, list(first), offered=offered)
    chosen = st.multiselect(
        "Systems", offered, default=first, key=state.SYSTEMS, bind="query-params", persist_state="session",
        format_func=str, placeholder="Choose systems to compare",
        help="@iou and @nn-iou are not real systems: they rank every image by the findings themselves, "
        "and show what the best possible list looks like.",
    )  # fmt: skip
    return tuple(chosen) or first


def _baseline(systems: Sequence[str]) -> str:
    state.ready(state.BASELINE, systems[0], offered=systems)
    chosen = st.selectbox(
        "Baseline", systems, key=state.BASELINE, bind="query-params", persist_state="session",
        help="Every difference is measured against this system.",
    )  # fmt: skip
    return str(chosen or systems[0])


def _measure(study: Study, *, plain: bool) -> MeasureChoice:
    offered = {choice.family: choice for choice in choices(study)}
    first = next(iter(offered))
    family = state.carry(state.MEASURE, first, allowed=offered)
    st.session_state[state.widget_key(state.MEASURE)] = family
    st.selectbox(
        "Measure ↑", list(offered), key=state.widget_key(state.MEASURE),
        format_func=lambda name: offered[name].shown(plain=plain),
        on_change=state.take_widget, args=(state.MEASURE,),
        help="How good a list of results is. Higher is better for all of them.",
    )  # fmt: skip
    chosen = offered[family]
    st.caption(md_escape(chosen.plain if plain else chosen.technical))
    return chosen


def _cutoff(*, disabled: bool) -> int:
    state.ready(state.K, DEFAULT_K)
    value = st.number_input(
        "Results looked at (k)", 1, MAX_K, DEFAULT_K, key=state.K, bind="query-params",
        persist_state="session", disabled=disabled,
        help="How far down the list the measure looks."
        if not disabled
        else "This measure looks at the whole list.",
    )  # fmt: skip
    return int(value or DEFAULT_K)


def _settings(study: Study) -> Settings:
    none = study.graph is None
    why_not = " This study has no concept graph, so it has no effect." if none else ""
    state.ready(state.ALPHA, 0.5)
    state.ready(state.THRESHOLD, 1)
    alpha = st.slider(
        "Credit for related findings (α)", 0.0, 1.0, 0.5, 0.05, key=state.ALPHA, bind="query-params",
        persist_state="session", disabled=none,
        help="0: only identical findings count. 1: a close relative counts like the same finding." + why_not,
    )  # fmt: skip
    threshold = st.slider(
        "How far “related” reaches (steps)", 0, MAX_THRESHOLD, 1, key=state.THRESHOLD, bind="query-params",
        persist_state="session", disabled=none,
        help="Steps in the medical dictionary between two findings that still count as related." + why_not,
    )  # fmt: skip
    return Settings(alpha=round(float(alpha), 4), threshold=int(threshold))


def _queries(*, plain: bool) -> str:
    state.ready(state.POOL, ALL_QUERIES)
    chosen = st.segmented_control(
        "Queries counted", (ALL_QUERIES, COMMON_QUERIES), default=ALL_QUERIES, required=True, key=state.POOL,
        bind="query-params", persist_state="session", width="stretch",
        help="All: a query a system does not answer counts as 0. Common: only queries that every chosen "
        "system answers." + ("" if plain else " The number is shown with every result."),
    )  # fmt: skip
    return str(chosen or ALL_QUERIES)
