"""The choices of the sidebar: each is declared once, read before all else, and drawn where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evalcore.evaluate.common_pool import shared_by
from evalcore.evaluate.conditions import merge_alternatives, parse_condition
from evalcore.evaluate.slices import values_by_use
from evalcore.evaluate.systems import is_fused, resolve_systems
from evalcore.extensions import Page
from evalcore.ranking.metrics import lower_is_better
from evalcore.ui.components import fold, select
from evalcore.ui.frame import cache, state, studies
from evalcore.ui.frame.context import Choice, StudyEntry
from evalcore.ui.frame.measures import MeasureChoice, choices, examples, typed
from evalcore.ui.frame.pages import ALSO, SYSTEM_A, SYSTEM_B
from evalcore.ui.frame.state import Key
from evalcore.ui.frame.studies import SAMPLE
from evalcore.values.errors import CuiscopeError
from evalcore.values.model import Study
from evalcore.values.settings import FLIPS, MAX_THRESHOLD, OPTIONS, Settings, View, view_of
from evalcore.values.writing import arrow, md_escape, plain, pluralize

_OF_STUDY = ("systems", "baseline", "queries", "where", "same_group")
KEYS: dict[str, Key] = {
    name: Key(name, of_study=name in _OF_STUDY, in_links=True)
    for name, choice in OPTIONS.items()
    if choice.label and name != "metrics"
}
"""The choices that the sidebar offers, by the names of their fields, which their addresses have too; the
measure has keys of its own."""
BASELINE, SYSTEMS, WHERE = KEYS["baseline"], KEYS["systems"], KEYS["where"]
K = Key("k", in_links=True)
FUSED = Key("fused", of_study=True, in_links=True)
"""The fused systems on offer, by name (``rrf:A+B``): they stay so when they are not chosen."""
_OF_SYSTEMS = (SYSTEMS, BASELINE, SYSTEM_A, SYSTEM_B, ALSO)
LEADER = "@leader"
"""In the address: no baseline, so that systems are compared with the best of them."""

MAX_K, DEFAULT_K, LONGEST_LABEL = 100, 10, 200
MOST_FUSED, LONGEST_FUSED, MAX_CONDITIONS = 12, 400, 20
MORE_FLIPS = "More flips (“More settings” on the left)"
FLIPS_OFFERED = (FLIPS, 100_000, 1_000_000)
MORE_SETTINGS = (
    *("smallest_difference", "correction", "flips"),
    *("count_rule", "direction", "ties", "undefined", "gain", "interval"),
)
"""How differences are judged, and decisions that a researcher may take otherwise."""
ITSELF = ("@iou", "@nn-iou")
"""Relevance measures as systems: what a perfect system would return."""
SIMPLE, EXPERT = "Simple", "Expert"
"""The levels of detail, on screen and in the address."""
MORE = "more"
"""The panel of all that Simple folds."""


def study_picker(listed: Mapping[str, StudyEntry], chosen: str | None) -> None:
    """The study on view; another choice opens it and drops what belonged to the old one."""

    def named(slug: str) -> str:
        entry = listed.get(slug)
        if slug == SAMPLE:
            return "Sample study (synthetic)"
        if entry is None or entry.name == slug:
            return plain(slug, limit=40)
        return f"{plain(entry.name, limit=24)} (in {plain(studies.place_of(entry))[-28:]})"

    st.selectbox(
        "Study",
        list(listed),
        key=state.bind_widget(state.STUDY, chosen),
        placeholder="Select a study",
        format_func=named,
        on_change=lambda: state.change_study(str(st.session_state[state.STUDY])),
        help="Open or upload more on the Data page.",
    )


def reading() -> bool:
    """True at Simple: words for a reader who knows images, not statistics."""
    chosen = select.segments(
        "Level of detail",
        (SIMPLE, EXPERT),
        param=state.READING,
        width="stretch",
        help="Simple explains in everyday words. Expert adds labels, formulas and statistics.",
    )
    return chosen == SIMPLE


# Each choice: what is read of it, and how it is drawn.


def _option(name: str, first: Any = None, **look: Any) -> Any:
    """The widget of a declared choice, by its kind, and its value."""
    option = OPTIONS[name]
    about: dict[str, Any] = {"param": KEYS[name], "first": option.default if first is None else first}
    about |= {"help": option.help} | look
    if name in ("queries", "same_group"):
        return select.segments(option.label, option.shown, width="stretch", **about)
    if option.shown:
        return select.selectbox(option.label, option.shown, **about)
    if name == "flips":
        shown = "{:,}".format
        return select.amount(option.label, FLIPS_OFFERED, 1, FLIPS_OFFERED[-1], shown=shown, **about)
    if name == "alpha":
        return select.fraction(option.label, **about)
    return select.number(option.label, 0.0, 1.0, step=0.005, format="%.3f", **about)


def _threshold(study: Study, **look: Any) -> int:
    n, option = study.largest_threshold, OPTIONS["threshold"]
    ends = f" The neighbour dictionary of this study ends at {n}." if n < MAX_THRESHOLD else ""
    look = {"help": f"{option.help}{ends}"} | look
    return select.steps(option.label, 0, n, param=KEYS["threshold"], first=option.default, **look)


def _queries(study: Study, systems: Sequence[str]) -> str:
    """At first all queries, or the common pool where the systems search different images."""
    state.follow_default(KEYS["queries"])
    return str(_option("queries", shared_by(cache.searched_pools(study, systems)).usual))


def _same_group(study: Study) -> str | None:
    """What becomes of candidates of the query's own group; asked only where the study names groups."""
    if study.groups is None:
        return None
    label = f"Results of the query’s own {plain(study.groups.name, limit=24)}"
    return select.segments(
        label,
        OPTIONS["same_group"].shown,
        param=KEYS["same_group"],
        first=OPTIONS["same_group"].default,
        width="stretch",
        help="Images from the same group are similar for trivial reasons. Select “Left out” to exclude them "
        "everywhere.",
    )


def _where(study: Study) -> list[str]:
    """Conditions that choose the queries."""
    return select.typed(
        OPTIONS["where"].label,
        cache.cached(("values by use", study.digest), partial(values_by_use, study)),
        param=WHERE,
        understood=partial(_understood, study),
        joined=partial(merge_alternatives, study),
        placeholder="organ=chest, …",
        help="Choose a label or type a condition. Two labels of which an image has only one, such as two "
        "modalities, are alternatives. " + OPTIONS["where"].help,
    )


def _understood(study: Study, texts: list[str]) -> list[str]:
    """The conditions that can be used here; others are dropped with a note."""
    good: dict[str, None] = {}
    for text in texts[:MAX_CONDITIONS]:
        try:
            good[parse_condition(study, text).text] = None
        except CuiscopeError as problem:
            state.note(f"{md_escape(str(problem), limit=400)} This condition is not used.")
    if len(texts) > MAX_CONDITIONS:
        state.note(f"Only the first {MAX_CONDITIONS} of {len(texts):,} conditions are used.")
    return list(good)


def _systems(study: Study) -> list[str]:
    state.follow_default(SYSTEMS)  # a study without systems shows references until it has its first
    offered = systems_on_offer(study)
    return select.multiselect(
        "Systems",
        offered,
        param=SYSTEMS,
        first=study.systems or offered,
        placeholder="Select systems to compare",
        help="@iou and @nn-iou are not real systems; they use the labels and show the best possible ranking.",
    )


def _baseline(study: Study, systems: Sequence[str]) -> str:
    """At first what study.toml says; "" for the leader."""
    state.follow_default(BASELINE)
    chosen = select.selectbox(
        "Baseline",
        {LEADER: "None: compare with the leader", **{name: name for name in systems}},
        param=BASELINE,
        first=study.baseline if study.baseline in systems else LEADER,
        help=OPTIONS["baseline"].help,
    )
    return "" if chosen == LEADER else chosen


def _typed(study: Study, settings: Settings) -> tuple[MeasureChoice | None, int | None, str]:
    """The measure typed, the number of results it counts where its label says so, and what is wrong with it;
    (None, None, "") where none is typed."""
    text = str(state.read_param(state.METRIC, "", state.short_text(LONGEST_LABEL))).strip()
    if not text:
        return None, None, ""
    try:
        return *typed(study, text, settings), ""
    except CuiscopeError as error:
        return None, None, str(error)


def _measure(study: Study, choice: Choice) -> None:
    own, _, wrong = _typed(study, choice.settings)
    instead = " The measure typed below counts; clear that field to select one here." if own else ""
    select.selectbox(
        f"Measure {arrow(lower_is_better(choice.metric))}",
        {measure.family: measure.shown(plain=choice.plain) for measure in choices(study)},
        param=state.MEASURE,
        disabled=own is not None,
        help=f"{md_escape(choice.measure.plain if choice.plain else choice.measure.technical)}{instead}",
    )
    if not choice.plain or own or wrong:
        such = md_escape(", ".join(examples(study)))
        select.text(
            "Any other measure",
            param=state.METRIC,
            placeholder=examples(study)[0],
            max_chars=LONGEST_LABEL,
            help=f"Its label, as on the command line: {such}. Leave empty to use the list.",
        )
        if wrong:
            st.caption(
                f":red[:material/error: {md_escape(wrong, limit=300)}] The measure selected in the list is "
                f"used. Examples: {such}."
            )


def _cutoff(study: Study, choice: Choice) -> None:
    label, fixed = "Top results counted (k)", _typed(study, choice.settings)[1]
    if fixed:
        explained = "Set by the measure you typed."
        st.number_input(label, value=fixed, disabled=True, key=f"k_of_metric_{fixed}", help=explained)
        return
    counted = choice.measure.cut
    explained = "How far down the list results count." if counted else "This measure counts the whole list."
    select.integer(label, 1, MAX_K, param=K, first=DEFAULT_K, disabled=not counted, help=explained)


def _weights(study: Study, _choice: Choice) -> None:
    """How much related concepts count, and which ones do."""
    look: dict[str, Any] = {}
    if not study.knows_neighbours:
        look = {"disabled": True, "help": "This study has no concept graph, so it has no effect."}
    _option("alpha", **look)
    _threshold(study, **look)


def _more_settings(_study: Study, choice: Choice) -> None:
    """At Simple shown only where one is set."""
    if choice.plain and not state.changed(KEYS[name] for name in MORE_SETTINGS):
        return
    with st.container() if choice.plain else st.expander("More settings"):
        for name in MORE_SETTINGS:
            _option(name)


def _which_systems(study: Study, _choice: Choice) -> None:
    first = study.systems or systems_on_offer(study)
    with select.hidden():
        n = len({*_systems(study)} & {*first})
    label = f"{n:,} of {pluralize(len(first), 'system')}"
    with st.popover(label, icon=":material/checklist:", width="stretch"):
        _systems(study)


def read(study: Study, *, plain: bool, also: Sequence[str]) -> Choice:
    """What the sidebar says, of the address and the session: before any widget is drawn, and also where the
    page shows none. ``also``: systems that are shown beside those chosen here."""
    with select.hidden():
        systems = _systems(study)
        baseline = _baseline(study, systems)
        named = {choice.family: choice for choice in choices(study)}
        family = state.read_param(state.MEASURE, next(iter(named)), state.one_of(*named))
        chosen = view_of(
            {
                **{name: _option(name) for name in (*MORE_SETTINGS, "alpha")},
                "systems": (baseline, *(name for name in systems if name != baseline))
                if baseline
                else systems,
                "baseline": baseline,
                "queries": _queries(study, (*systems, *also)),
                "same_group": _same_group(study),
                "where": state.read_param(WHERE, [], partial(_understood, study), notes_itself=True),
                "threshold": _threshold(study),
            }
        )
    own, fixed, wrong = _typed(study, chosen.settings)
    if wrong and not state.in_callback():
        state.refuse(state.METRIC, str(state.get(state.METRIC)))
    k = int(state.read_param(K, DEFAULT_K, state.whole(1, MAX_K)))
    return Choice(chosen, own or named[family], fixed or k, plain)


Draw = Callable[[Study, Choice], object]


def draw(study: Study, choice: Choice, page: Page, *, also: Sequence[str]) -> DeltaGenerator | None:
    """The widgets of the choices that the page uses.

    Returns the place for what else the sidebar has: at Simple the panel that holds all but the systems, the
    measure and k, or what the page varies and the measure; None while that is closed.
    """
    among = (*choice.systems, *also)
    widgets: dict[str, tuple[bool, tuple[Key, ...], Draw]] = {
        "systems": (page.compares, (SYSTEMS,), _which_systems),
        "measure": (page.compares, (), _measure),
        "k": (page.compares, (K,), _cutoff),
        "weights": (page.related, (KEYS["alpha"], KEYS["threshold"]), _weights),
        "baseline": (page.compares, (BASELINE,), lambda study, choice: _baseline(study, choice.systems)),
        "queries": (page.compares, (KEYS["queries"],), lambda study, _: _queries(study, among)),
        "same_group": (
            page.filtered and study.groups is not None,
            (KEYS["same_group"],),
            lambda study, _: _same_group(study),
        ),
        "where": (page.filtered, (WHERE,), lambda study, _: _where(study)),
        "more": (page.related, tuple(KEYS[name] for name in MORE_SETTINGS), _more_settings),
    }
    used = {name: (keys, show) for name, (here, keys, show) in widgets.items() if here}
    first = ("weights", "measure") if page.varied else ("systems", "measure", "k")
    first = first if choice.plain else (*(("weights",) if page.varied else ()), *used)
    for name in dict.fromkeys(first):
        if name in used:
            used.pop(name)[1](study, choice)
    if not choice.plain:
        return st.container()
    place, n = fold.panel("More", key=MORE), state.changed(key for keys, _ in used.values() for key in keys)
    if n:
        st.caption(f"{n} changed under “More”")
    if place is not None:
        with place:
            for _, show in used.values():
                show(study, choice)
    return place


def default_choice(study: Study) -> Choice:
    """What the sidebar says at first, without drawing it."""
    systems = tuple(study.systems) or systems_on_offer(study)
    baseline = study.baseline if study.baseline in systems else ""
    return Choice(View(systems=systems, baseline=baseline, queries="all"), choices(study)[0], DEFAULT_K, True)


def understand_systems(study: Study) -> None:
    """Call before any choice is read: systems that the address names by their keys, or fused ones with their
    members in any order, get the names they are shown with; fused ones are on offer from then on.

    One that cannot be read is left to its widget, which says so.
    """
    fused: dict[str, str] = {}
    for key in (FUSED, *_OF_SYSTEMS):
        texts = st.query_params.get_all(key)
        for text in dict.fromkeys([*texts, *state.requested(key)]):
            if len(text) <= LONGEST_FUSED and is_fused(study, text):
                try:
                    fused[text] = resolve_systems(study, [text])[0].name
                except CuiscopeError as error:
                    state.note(f"{md_escape(str(error), limit=400)} This system is left out.")
        names = [fused.get(text) or text for text in texts]
        if names != texts:
            st.query_params[key] = names
    state.set_param(FUSED, list(dict.fromkeys(fused.values()))[:MOST_FUSED], default=[])


def systems_on_offer(study: Study) -> tuple[str, ...]:
    """The study's systems, those fused of them, the relevance measures as systems."""
    itself = ITSELF if study.knows_neighbours else ITSELF[:1]
    return (*study.systems, *state.get(FUSED, []), *itself)


def not_shown(study: Study, chosen: Sequence[str]) -> str:
    """How many of the study's systems are shown, where these are not all: "8 of 9 systems shown"; else ""."""
    n, total = len(set(chosen) & set(study.systems)), len(study.systems)
    return f"{n:,} of {total:,} systems shown" if n < total else ""


def only_where(*conditions: str) -> None:
    """Callback: the queries must meet these conditions too, on every page."""
    state.set_value(WHERE, list(dict.fromkeys([*(state.get(WHERE) or ()), *conditions])))
    st.rerun("app")
