"""The widgets every page shares. Each owns its key, shows its value in the address, returns a plain value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import streamlit as st

from evalcore.evaluate.common_pool import pools_differ
from evalcore.settings import DROP, KEEP, MAX_THRESHOLD, CountRule, Direction, Gain, Settings, Ties, Undefined
from evalcore.ui.components import select
from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import ALL_QUERIES, COMMON_POOL, COMMON_QUERIES, Choice
from evalcore.ui.frame.measures import MeasureChoice, choices
from evalcore.ui.frame.state import Key
from evalcore.ui.frame.studies import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.model import Study
    from evalcore.ui.frame.context import StudyEntry

BASELINE = Key("baseline", of_study=True, in_links=True)
SYSTEMS = Key("systems", of_study=True, in_links=True)
K = Key("k", in_links=True)
ALPHA = Key("alpha", in_links=True)
THRESHOLD = Key("threshold", in_links=True)
POOL = Key("queries", of_study=True, in_links=True)
COUNT_RULE = Key("rule", in_links=True)
DIRECTION = Key("direction", in_links=True)
TIES = Key("ties", in_links=True)
UNDEFINED = Key("undefined", in_links=True)
GAIN = Key("gain", in_links=True)
INTERVAL = Key("interval", in_links=True)
SAME_GROUP = Key("same_group", of_study=True, in_links=True)

MAX_K = 100
DEFAULT_K = 10
MAX_SYSTEMS_AT_FIRST = 8
ITSELF = ("@iou", "@nn-iou")
"""Relevance measures as systems: what a perfect system would return."""
PLAIN, TECHNICAL = "Plain", "Technical"
LEVELS = {PLAIN: "Simple", TECHNICAL: "Expert"}
"""Names on screen of the levels of detail; the address keeps the older ones."""


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
    chosen = select.segments(
        "Level of detail", (PLAIN, TECHNICAL), keep=state.READING, first=PLAIN, width="stretch",
        shown=LEVELS.__getitem__,
        help="Simple explains in everyday words. Expert adds labels, formulas and statistics.",
    )  # fmt: skip
    return chosen == PLAIN


def choose(study: Study, *, plain: bool, also: Sequence[str] = ()) -> Choice:
    """The comparison: systems, baseline, measure, k, weights of related concepts."""
    systems = _systems(study)
    baseline = _baseline(systems)
    measure = _measure(study, plain=plain)
    k = _cutoff(disabled=not measure.cut)
    settings = _settings(study)
    queries = _queries(study, (*systems, *also))
    same_group = _same_group(study)
    settings = replace(settings, **_policies(shown=not plain))
    ordered = (baseline, *(name for name in systems if name != baseline))
    return Choice(ordered, baseline, measure, k, queries, settings, plain, same_group)


def systems_on_offer(study: Study) -> tuple[str, ...]:
    """The study's systems, then the relevance measures as systems."""
    return (*study.systems, *(ITSELF if study.knows_neighbours else ITSELF[:1]))


def _systems(study: Study) -> list[str]:
    offered = systems_on_offer(study)
    return select.some(
        "Systems", offered, keep=SYSTEMS, first=study.systems[:MAX_SYSTEMS_AT_FIRST] or offered,
        placeholder="Choose systems to compare",
        help="@iou and @nn-iou are not real systems: they rank every image by the concepts themselves, "
        "and show what the best possible list looks like.",
    )  # fmt: skip


def _baseline(systems: Sequence[str]) -> str:
    return select.one(
        "Baseline", systems, keep=BASELINE, first=systems[0],
        help="Every difference is measured against this system.",
    )  # fmt: skip


def _measure(study: Study, *, plain: bool) -> MeasureChoice:
    offered = {choice.family: choice for choice in choices(study)}
    family = select.one(
        "Measure ↑", list(offered), keep=state.MEASURE, first=next(iter(offered)),
        shown=lambda name: offered[name].shown(plain=plain),
    )  # fmt: skip
    chosen = offered[family]
    st.caption(md_escape(chosen.plain if plain else chosen.technical))
    return chosen


def _cutoff(*, disabled: bool) -> int:
    return select.whole(
        "Top results counted (k)", 1, MAX_K, keep=K, first=DEFAULT_K, disabled=disabled,
        help="This measure counts the whole list." if disabled else "How far down the list results count.",
    )  # fmt: skip


def _settings(study: Study) -> Settings:
    none = not study.knows_neighbours
    why_not = " This study has no concept graph, so it has no effect." if none else ""
    alpha = select.share(
        "Credit for related concepts (α)", keep=ALPHA, first=0.5, disabled=none,
        help="0: only identical concepts count. 1: a close relative counts like the same concept." + why_not,
    )  # fmt: skip
    threshold = select.steps(
        "Maximum distance for “related” (steps)", 0, MAX_THRESHOLD, keep=THRESHOLD, first=1, disabled=none,
        help="Links in the terminology between two concepts that still count as related." + why_not,
    )  # fmt: skip
    return Settings(alpha=alpha, threshold=threshold)


POLICIES: tuple[tuple[Key, str, str, Any, str], ...] = (
    (COUNT_RULE, "Count rule of nn-IoU", "count_rule", CountRule,
     "How neighbour matches are counted: readings of the paper's Algorithm 1."),
    (DIRECTION, "Direction of steps", "direction", Direction,
     "Directed: one concept must be an ancestor of the other. Differs from 2 steps on."),
    (TIES, "Equal scores", "ties", Ties,
     "id: in the order of image ids. expected: the exact average over all orders."),
    (UNDEFINED, "Queries without a value", "undefined", Undefined,
     "skip: left out of the mean and counted. zero: counted as 0."),
    (GAIN, "Gain", "gain", Gain, "linear: the relevance itself. exp: 2^relevance - 1."),
    (INTERVAL, "Intervals", "interval", Literal["percentile", "bca"],
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
                select.one(label, get_args(options), keep=key, first=getattr(defaults, field), help=told)
    return chosen


SAME_GROUP_SHOWN: dict[str, str] = {DROP: "Left out", KEEP: "Counted"}


def _same_group(study: Study) -> str:
    """What becomes of candidates of the query's own group; asked only where the study names groups."""
    if study.groups is None:
        return str(DROP)
    name = plain(study.groups.name, limit=24)
    return select.segments(
        f"Results of the query’s own {name}", (DROP, KEEP), keep=SAME_GROUP, first=DROP, width="stretch",
        shown=SAME_GROUP_SHOWN.__getitem__,
        help="Images of the same group are alike for the wrong reason. Left out, they are no candidates, and "
        "the best possible list does without them.",
    )  # fmt: skip


def _queries(study: Study, systems: Sequence[str]) -> str:
    """At first all queries, or the common pool where the systems search different images."""
    differ = pools_differ(cache.searched_pools(study, systems))
    first = COMMON_POOL if differ else ALL_QUERIES
    state.follow_default(POOL)
    return select.segments(
        "Queries counted", (ALL_QUERIES, COMMON_QUERIES, COMMON_POOL), keep=POOL, first=first,
        width="stretch",
        help="All: a query a system does not answer counts as 0. Common: only queries that every chosen "
        "system answers. Pool: these queries, and as results only images that every chosen system "
        "searches; the only fair choice where systems search different images.",
    )  # fmt: skip
