"""The widgets every page shares. Each owns its key, shows its value in the address, returns a plain value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evalcore.evaluate.common_pool import usual
from evalcore.evaluate.conditions import readable, together
from evalcore.evaluate.slices import values_by_use
from evalcore.extensions import Page
from evalcore.ranking.metrics import lower_is_better
from evalcore.ui.components import select
from evalcore.ui.frame import cache, fusing, state, studies
from evalcore.ui.frame.context import Choice, StudyEntry
from evalcore.ui.frame.measures import MeasureChoice, choices, examples, typed
from evalcore.ui.frame.pages import AGAINST, ALSO, SYSTEM_A, SYSTEM_B
from evalcore.ui.frame.state import Key
from evalcore.ui.frame.studies import SAMPLE
from evalcore.values.errors import CuiscopeError
from evalcore.values.model import Study
from evalcore.values.settings import FLIPS, MAX_THRESHOLD, OPTIONS, USUAL, Settings, View, view_of
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
LEADER = "@leader"
"""In the address: no baseline, so that systems are compared with the best of them."""
_BASELINES = "_baselines"

_OF_SYSTEMS = (SYSTEMS, BASELINE, SYSTEM_A, SYSTEM_B, ALSO, AGAINST)
MAX_K, LONGEST_LABEL = 100, 200
K_LABEL = "Top results counted (k)"
DEFAULT_K = 10
MORE_FLIPS = "More flips (*More settings*)"
FLIPS_OFFERED = (FLIPS, 100_000, 1_000_000)
POLICIES = ("count_rule", "direction", "ties", "undefined", "gain", "interval")
"""Decisions that a researcher may take otherwise."""
_JUDGING = ("smallest_difference", "correction", "flips")
"""How differences are judged."""
MAX_CONDITIONS = 20
ITSELF = ("@iou", "@nn-iou")
"""Relevance measures as systems: what a perfect system would return."""
SIMPLE, EXPERT = "Simple", "Expert"
"""The levels of detail, on screen and in the address."""
OPENED, MORE = "_opened_", "more"
"""Begins the names in the session of what says whether a panel is open; the one of all that Simple folds."""


def study_picker(listed: Mapping[str, StudyEntry], chosen: str | None) -> None:
    """The study on view; another choice opens it and drops what belonged to the old one."""
    st.selectbox(
        "Study",
        list(listed),
        key=state.bind_widget(state.STUDY, chosen),
        placeholder="Select a study",
        format_func=lambda slug: _study_name(listed, slug),
        on_change=_switch_study,
        help="Open or upload more on the Data page.",
    )


def _study_name(listed: Mapping[str, StudyEntry], slug: str) -> str:
    if slug == SAMPLE:
        return "Sample study (synthetic)"
    entry = listed.get(slug)
    if entry is None or entry.name == slug:
        return plain(slug, limit=40)
    return f"{plain(entry.name, limit=24)} (in {plain(studies.place_of(entry))[-28:]})"


def _switch_study() -> None:
    state.change_study(str(st.session_state[state.STUDY]))


def reading() -> bool:
    """True at Simple: words for a reader who knows images, not statistics."""
    chosen = select.segments(
        "Level of detail",
        (SIMPLE, EXPERT),
        keep=state.READING,
        width="stretch",
        help="Simple explains in everyday words. Expert adds labels, formulas and statistics.",
    )
    return chosen == SIMPLE


def read(study: Study, *, plain: bool, also: Sequence[str] = ()) -> Choice:
    """What the sidebar says, of the address and the session: before any widget is drawn, and also where the
    page shows none. ``also``: systems that are shown beside those chosen here."""
    offered = systems_on_offer(study)
    state.follow_default(SYSTEMS)  # a study without systems shows references until it has its first
    first = list(study.systems or offered)
    systems: list[str] = list(state.read_param(SYSTEMS, first, state.some_of(*offered)))
    state.follow_default(BASELINE)
    baseline = state.read_param(BASELINE, _first_baseline(study, systems), state.one_of(LEADER, *systems))
    baseline = "" if baseline == LEADER else baseline
    named = {choice.family: choice for choice in choices(study)}
    family = state.read_param(state.MEASURE, next(iter(named)), state.one_of(*named))
    state.follow_default(KEYS["queries"])
    chosen = view_of(
        {
            **{name: _read(name) for name in (*POLICIES, *_JUDGING)},
            "systems": (baseline, *(name for name in systems if name != baseline)) if baseline else systems,
            "baseline": baseline,
            "queries": _read("queries", _first_pool(study, (*systems, *also))),
            "same_group": _read("same_group") if study.groups is not None else None,
            "where": state.read_param(WHERE, [], partial(_understood, study)),
            "alpha": round(float(_read("alpha")), 4),
            "threshold": int(_read("threshold", high=study.largest_threshold)),
        }
    )
    own, fixed, wrong = _typed(study, chosen.settings)
    if wrong and not state.acting():
        state.refuse(state.METRIC, str(state.get(state.METRIC)))
    k = int(state.read_param(K, DEFAULT_K, state.whole(1, MAX_K)))
    return Choice(chosen, own or named[family], fixed or k, plain)


def _read(name: str, default: Any = None, *, high: float = inf) -> Any:
    """What the address or the session says of a choice; ``high``: a lower bound than the declared one."""
    option, default = OPTIONS[name], USUAL[name] if default is None else default
    high = min(high, option.high)
    if option.shown:
        return state.read_param(KEYS[name], default, state.one_of(*option.shown))
    parse = state.whole(int(option.low), int(high)) if option.kind is int else state.number(option.low, high)
    return state.read_param(KEYS[name], default, parse)


def draw(study: Study, choice: Choice, page: Page, *, also: Sequence[str] = ()) -> DeltaGenerator | None:
    """The widgets of the choices that the page uses.

    Returns the place for what else the sidebar has: under Simple the panel that holds all but the systems,
    the measure and k; None while that is closed.
    """
    plain, among = choice.plain, (*choice.systems, *also)
    if page.varied:
        _weights(study)
    varied = plain and page.varied
    if page.compares:
        if not varied:
            _systems(study)
        if not plain:
            _baseline(study, choice.systems)
        _measure(study, choice)
        if not varied:
            _cutoff(study, choice)
    rest = _panel_of_the_rest(study, page) if plain else st.container()
    if rest is None:
        return None
    with rest:
        if page.compares and varied:  # the sliders take their place
            _systems(study)
            _cutoff(study, choice)
        if page.compares and plain:
            _baseline(study, choice.systems)
        if page.related and not page.varied:
            _weights(study)
        if page.compares:
            _queries(study, among)
        if page.filtered:
            _same_group(study)
            _where(study)
        if page.related:
            _more_settings(choice)
    return rest


def _panel_of_the_rest(study: Study, page: Page) -> DeltaGenerator | None:
    """The panel, and below it how much in it differs from the usual; None while it is closed."""
    within: list[Key] = []
    if page.compares:
        within += [BASELINE, KEYS["queries"]]
    if page.related:
        within += [KEYS[name] for name in (*_JUDGING, *POLICIES)]
        within += [SYSTEMS, K] if page.varied else [KEYS["alpha"], KEYS["threshold"]]
    if page.filtered:
        within += [WHERE, *([] if study.groups is None else [KEYS["same_group"]])]
    n = state.changed(within)
    place = panel("More", key=MORE)
    if n:
        st.caption(f"{n} changed under “More”")
    return place


def weights_shown(choice: Choice) -> bool:
    """Whether the sidebar shows alpha and maximum distance on a page that counts related concepts."""
    return not choice.plain or bool(st.session_state.get(OPENED + MORE))


def panel(title: str, *, key: str) -> DeltaGenerator | None:
    """A panel of the sidebar; None while it is closed: what it holds is then neither sent nor drawn.

    Its title must stay the same, as with another one Streamlit takes it for another panel, which is closed.
    """
    opened = bool(st.session_state.get(OPENED + key))
    widget = state.bind_widget(key, opened)
    place = st.expander(title, icon=":material/tune:", key=widget, on_change=_toggled, args=(widget,))
    return place if opened else None


def _toggled(widget: str) -> None:
    state.set_plain(OPENED + widget, bool(st.session_state[widget]))


def at_first(study: Study) -> Choice:
    """What the sidebar says at first, without drawing it."""
    offered = systems_on_offer(study)
    systems = tuple(study.systems) or offered
    baseline = study.baseline if study.baseline in systems else ""
    return Choice(View(systems=systems, baseline=baseline, queries="all"), choices(study)[0], DEFAULT_K, True)


def rename(old: str, new: str) -> None:
    """Callback: a system has another name from now on, also where it is chosen."""
    state.rename(_OF_SYSTEMS, {old: new})


def by_key(study: Study) -> None:
    """Addresses may name a system by its key, as before it was renamed, and fused systems in any order. Call
    before any choice is read."""
    named = {look.key: name for name, look in study.looks.items() if look.key != name}
    if named:
        state.rename(_OF_SYSTEMS, named)
    fusing.understood(study, _OF_SYSTEMS)


def systems_on_offer(study: Study) -> tuple[str, ...]:
    """The study's systems, those fused of them, the relevance measures as systems, then single seeds."""
    seeds = (seed for seeds in study.seeds.values() for seed in seeds)
    return (*study.systems, *fusing.on_offer(), *(ITSELF if study.knows_neighbours else ITSELF[:1]), *seeds)


def _systems(study: Study) -> None:
    offered = systems_on_offer(study)
    first = study.systems or offered
    chosen = state.read_param(SYSTEMS, list(first), state.some_of(*offered))
    n, total = len(set(chosen) & set(first)), len(first)
    with st.popover(f"{n:,} of {pluralize(total, 'system')}", icon=":material/checklist:", width="stretch"):
        select.some(
            "Systems",
            offered,
            keep=SYSTEMS,
            first=first,
            placeholder="Select systems to compare",
            help="@iou and @nn-iou are not real systems; they use the labels and show the best possible "
            "ranking.",
        )


def not_shown(study: Study, chosen: Sequence[str]) -> str:
    """How many of the study's systems are shown, where these are not all: "8 of 9 systems shown"; else ""."""
    n, total = len(set(chosen) & set(study.systems)), len(study.systems)
    return f"{n:,} of {total:,} systems shown" if n < total else ""


def _baseline(study: Study, systems: Sequence[str]) -> None:
    chosen = select.one(
        "Baseline",
        {LEADER: "None: compare with the leader", **{name: name for name in systems}},
        keep=BASELINE,
        first=_first_baseline(study, systems),
        help=OPTIONS["baseline"].help,
    )
    kept: dict[str, str] = st.session_state.setdefault(_BASELINES, {})
    kept[_place(study)] = chosen


def _first_baseline(study: Study, systems: Sequence[str]) -> str:
    """What was chosen for this study before, else what its study.toml says."""
    kept: dict[str, str] = st.session_state.get(_BASELINES, {})
    wanted = kept.get(_place(study), study.baseline)
    return wanted if wanted in systems else LEADER


def _place(study: Study) -> str:
    return str((study.unfiltered or study).path)


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
    select.one(
        f"Measure {arrow(lower_is_better(choice.metric))}",
        {one.family: one.shown(plain=choice.plain) for one in choices(study)},
        keep=state.MEASURE,
        disabled=own is not None,
        help=f"{md_escape(choice.measure.plain if choice.plain else choice.measure.technical)}{instead}",
    )
    if not choice.plain or own or wrong:
        such = ", ".join(examples(study))
        select.words(
            "Any other measure",
            keep=state.METRIC,
            placeholder=examples(study)[0],
            max_chars=LONGEST_LABEL,
            help=f"Its label, as on the command line: {md_escape(such)}. Leave empty to use the list.",
        )
        if wrong:
            st.caption(
                f":red[:material/error: {md_escape(wrong, limit=300)}] The measure selected in the list is "
                f"used. Examples: {md_escape(such)}."
            )


def _cutoff(study: Study, choice: Choice) -> None:
    _, fixed, _ = _typed(study, choice.settings)
    if fixed:
        explained = "Set by the measure you typed."
        st.number_input(K_LABEL, value=fixed, disabled=True, key=f"k_of_metric_{fixed}", help=explained)
        return
    counted = choice.measure.cut
    explained = "How far down the list results count." if counted else "This measure counts the whole list."
    select.whole(K_LABEL, 1, MAX_K, keep=K, first=DEFAULT_K, disabled=not counted, help=explained)


def _weights(study: Study) -> None:
    """How much related concepts count, and which ones do."""
    none = not study.knows_neighbours
    why_not = " This study has no concept graph, so it has no effect." if none else ""
    n = study.largest_threshold
    reach = f" The neighbour dictionary of this study ends at {n}." if n < MAX_THRESHOLD else ""
    alpha, threshold = OPTIONS["alpha"], OPTIONS["threshold"]
    select.share(
        alpha.label, keep=KEYS["alpha"], first=USUAL["alpha"], disabled=none, help=alpha.help + why_not
    )
    select.steps(
        threshold.label,
        0,
        n,
        keep=KEYS["threshold"],
        first=USUAL["threshold"],
        disabled=none,
        help=threshold.help + why_not + reach,
    )


def _more_settings(choice: Choice) -> None:
    """The widgets of the policies, and how differences are judged; under Simple shown only where set."""
    if choice.plain and not state.changed([KEYS[name] for name in (*_JUDGING, *POLICIES)]):
        return
    with st.container() if choice.plain else st.expander("More settings", icon=":material/tune:"):
        matters, flips = OPTIONS["smallest_difference"], OPTIONS["flips"]
        key = KEYS["smallest_difference"]
        look: Any = {"step": 0.005, "format": "%.3f", "help": matters.help}
        select.number(matters.label, 0.0, 1.0, keep=key, first=0.0, **look)
        _one_of("correction")
        select.amount(
            flips.label,
            FLIPS_OFFERED,
            1,
            FLIPS_OFFERED[-1],
            keep=KEYS["flips"],
            first=USUAL["flips"],
            shown=lambda n: f"{n:,}",
            help=flips.help,
        )
        for name in POLICIES:
            _one_of(name)


def _one_of(name: str) -> None:
    """The widget of a choice among a few."""
    option = OPTIONS[name]
    select.one(option.label, option.shown, keep=KEYS[name], first=USUAL[name], help=option.help)


def _same_group(study: Study) -> None:
    """What becomes of candidates of the query's own group; asked only where the study names groups."""
    if study.groups is None:
        return
    name = plain(study.groups.name, limit=24)
    select.segments(
        f"Results of the query’s own {name}",
        OPTIONS["same_group"].shown,
        keep=KEYS["same_group"],
        width="stretch",
        help="Images from the same group are similar for trivial reasons. Select “Left out” to exclude them "
        "everywhere.",
    )


def _queries(study: Study, systems: Sequence[str]) -> None:
    option, key = OPTIONS["queries"], KEYS["queries"]
    first = _first_pool(study, systems)
    select.segments(option.label, option.shown, keep=key, first=first, width="stretch", help=option.help)


def _first_pool(study: Study, systems: Sequence[str]) -> str:
    """At first all queries, or the common pool where the systems search different images."""
    return "common-pool" if usual(cache.searched_pools(study, systems)) == "common-pool" else "all"


def _understood(study: Study, texts: list[str]) -> list[str]:
    """The conditions that can be used here; others are said and dropped."""
    good, wrong = readable(study, texts[:MAX_CONDITIONS])
    for why in wrong:
        state.note(f"{why} This condition is not used.")
    if len(texts) > MAX_CONDITIONS:
        state.note(f"Only the first {MAX_CONDITIONS} of {len(texts):,} conditions are used.")
    return good


def only_where(*conditions: str) -> None:
    """Callback: the queries must meet these conditions too, on every page."""
    state.set_value(WHERE, list(dict.fromkeys([*(state.get(WHERE) or ()), *conditions])))
    st.rerun("app")


def _where(study: Study) -> None:
    """Conditions that choose the queries."""
    select.typed(
        OPTIONS["where"].label,
        values_by_use(study),
        keep=WHERE,
        understood=partial(_understood, study),
        joined=partial(together, study),
        placeholder="organ=chest, concepts>=5, …" if study.labels else "concepts>=5, …",
        help="Choose a label or type a condition. Two labels of which an image has only one, such as two "
        "modalities, are alternatives. " + OPTIONS["where"].help,
    )
