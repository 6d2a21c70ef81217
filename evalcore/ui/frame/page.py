"""The one call at the top of every page: title, style, sidebar, banner, and the open study."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from evalcore import extensions
from evalcore.evaluate.conditions import select
from evalcore.extensions import Page
from evalcore.figures.theme import THEMES
from evalcore.ui.components import messages, viewer
from evalcore.ui.frame import cache, choices, guide, pages, shell, sidebar, state, studies
from evalcore.ui.frame.choices import WHERE
from evalcore.ui.frame.context import Choice, Context, StudyEntry
from evalcore.ui.frame.pages import PAGES, page_info
from evalcore.ui.frame.state import Key
from evalcore.values import events, plugins
from evalcore.values.account import NotSignedIn, current, is_restricted, is_served
from evalcore.values.bundled import bundled
from evalcore.values.errors import InputError
from evalcore.values.grouping import with_same_group
from evalcore.values.model import Study
from evalcore.values.writing import listed, md_escape, pluralize

MARK = bundled(__package__, "mark.svg")
"""Two overlapping sets."""
LOGO = bundled(__package__, "logo.svg")
"""The mark with the name."""
LOGO_ON_DARK = LOGO.replace("#0B6E6E", "#2F9C98").replace("#1F8A86", "#63C5C0")

_NOT_LOADED = "_not_loaded"
_OPENED = "_opened"
"""In sessions of a server: digests of the studies they opened."""
_ON_VIEW = "_on_view"
"""The folder of the study this session looked at last."""


def start(
    key: str, *, shows: tuple[Key, ...] = (), blind: Callable[[], tuple[Key, ...]] | None = None
) -> Context:
    """Set the page up and return the open study with the sidebar's choices.

    ``shows``: keys of systems chosen on the page itself; they too decide what can be compared. ``blind``:
    what stays of the address while a reader judges on this page; then nothing around it names a system.
    Stops with a message and the way out when the study of the link is not here or cannot be read.
    """
    context = start_without(key, shows=shows, blind=blind)
    if context is None:
        messages.go_to("data", label="Open or upload a study on the Data page")
        st.stop()
    _without_concepts(context.study, page_info(key))
    return context


def of_feature(key: str) -> None:
    """The page of a feature, whole; where that is not installed, a sentence that says so."""
    info = next((page for page in PAGES if page.key == key), None)
    if info is None:
        st.set_page_config(page_title="CUIscope", page_icon=MARK, layout="wide")
        st.info("This part of CUIscope is not installed. Install the whole package to use this page.")
        return
    extensions.load(info.show)(start(key))


def start_without(
    key: str, *, shows: tuple[Key, ...] = (), blind: Callable[[], tuple[Key, ...]] | None = None
) -> Context | None:
    """Like ``start``, but a page without a study goes on with None (the Data page)."""
    try:
        current()
    except NotSignedIn as reason:
        st.error(str(reason), icon=":material/lock:")
        st.stop()
    info = page_info(key)
    state.begin(key)
    kept = blind() if blind is not None else ()
    st.set_page_config(
        page_title=f"{info.title} · CUIscope",
        page_icon=MARK,
        layout="wide",
        initial_sidebar_state="collapsed" if kept else "auto",
    )
    with same_on_every_page():
        dark = st.context.theme.type == "dark"
        st.logo(LOGO_ON_DARK if dark else LOGO, size="large", icon_image=MARK)
        if not shell.is_sent():
            st.html(shell.STYLE)
        width = viewer.helps(key)

        offered = studies.entries()
        slug = state.read_param(state.STUDY, studies.default_slug(offered))
        entry, others = _found(slug, offered)
        study, error = _open(entry)
        also: tuple[str, ...] = ()
        if study is not None:
            choices.understand_systems(study)
            named = dict.fromkeys(name for param in shows for name in state.requested(param))
            also = tuple(name for name in named if name in choices.systems_on_offer(study))
        choice = sidebar.draw_blind(study, kept) if kept else sidebar.draw(offered, entry, study, info, also)

        messages.banner(_status(study, choice.systems if choice else ()))
        _heading(info, guided=not kept)
        _not_loaded()
        if study is not None and key != "data":
            messages.faults(study)
        state.show_notes(partial(_say_notes, st.empty()))
        _about_the_entry(slug, entry, others, study, error)
    if entry is None or study is None or choice is None:
        return None
    return _context(_chosen(study, choice, info), entry, choice, info, also, width)


@contextmanager
def same_on_every_page() -> Iterator[None]:
    """What is drawn inside has the same identity on every page, so that the browser keeps it from one to the
    next and only replaces what differs. Streamlit does so with what is drawn around ``st.navigation``."""
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    with context.run_with_active_hash(context.pages_manager.main_script_hash):
        yield


def _say_notes(place: DeltaGenerator, notes: list[str]) -> None:
    """What of the address or of typed conditions is not used."""
    if notes:
        place.warning("  \n".join(notes), icon=":material/link_off:")


def _not_loaded() -> None:
    """Features and plugins that could not be loaded, once in a session; on a server for administrators."""
    plugins.ready()
    reported = st.session_state.setdefault(_NOT_LOADED, set())
    for text in () if is_restricted() else plugins.left_out.values():
        if text not in reported:
            reported.add(text)
            st.warning(md_escape(text, limit=600), icon=":material/extension_off:")


# Which study is on view?


def _found(slug: str, offered: dict[str, StudyEntry]) -> tuple[StudyEntry | None, list[StudyEntry]]:
    """The study that is asked for, if it is here, and those of the same name where several have it."""
    entry = studies.find_study(slug, offered, before=str(state.get(_ON_VIEW, "")))
    others = studies.of_the_same_name(slug, offered)
    if entry is not None:
        st.session_state[_ON_VIEW] = os.path.realpath(entry.path)
        if is_served():
            state.while_allowed(partial(studies.is_open, entry.path))
        if others:
            state.set_param(state.STUDY, entry.slug, default=studies.default_slug(offered))
    return entry, others


def _open(entry: StudyEntry | None) -> tuple[Study | None, InputError | None]:
    if entry is None:
        return None, None
    try:
        study = studies.opened(entry.path)
    except InputError as error:
        return None, error
    if is_served():  # for the log: who opened which study, once in a session
        noted = st.session_state.setdefault(_OPENED, set())
        if study.digest not in noted:
            noted.add(study.digest)
            events.record("opened", study=entry.slug, digest=study.digest)
    return study, None


def _about_the_entry(
    requested: str,
    entry: StudyEntry | None,
    others: list[StudyEntry],
    study: Study | None,
    error: InputError | None,
) -> None:
    """That the study is not here, cannot be used, or shares its name with others."""
    if entry is None:
        way = "open its folder or zip file on the Data page."
        if is_restricted():
            way = "ask whose study it is to share it with you."
        st.warning(
            f"This link is to a study called **{md_escape(requested, limit=80)}**, which is not in this "
            f"workspace. Select another study on the left, or {way}",
            icon=":material/link_off:",
        )
        return
    if others:
        where = {other.slug: md_escape(studies.place_of(other), limit=200) for other in others}
        rest = listed([place for slug, place in where.items() if slug != entry.slug])
        st.warning(
            f"{len(others):,} studies are called **{md_escape(entry.name)}**. This is the one in "
            f"{where[entry.slug]}; the other{'s are' if len(others) > 2 else ' is'} in {rest}. To change, "
            "select another under “Study” on the left.",
            icon=":material/folder_copy:",
        )
    if study is None:
        why = f" {md_escape(str(error), limit=600)}" if error is not None else ""
        st.error(
            f"The folder of study **{md_escape(entry.slug)}** cannot be used.{why}", icon=":material/error:"
        )
        if error is not None and error.report is not None:
            messages.problems(error.report, key="unreadable")


def _heading(info: Page, *, guided: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="heading"):
        st.title(info.title, anchor=False, width="content")
        st.caption(info.question, width="content")
        if guided and info.guide:
            guide.button(info.guide)


def _status(study: Study | None, systems: tuple[str, ...]) -> str:
    """`5 systems · 300 common queries · graph 41 k concepts · study 9f3a12c0`."""
    if study is None:
        return "No study is open"
    graph = "neighbour dictionary" if study.knows_neighbours else "no graph"
    shown = choices.not_shown(study, systems) or pluralize(len(systems), "system")
    parts = (
        shown if study.systems else "no systems",
        pluralize(len(cache.common_queries(study, systems)) if systems else 0, "common query"),
        pluralize(study.concepts.n_images, "image"),
        f"graph {study.graph.n_nodes:,} concepts" if study.graph else graph,
        f"study {study.digest[:8]}",
    )
    return " · ".join(parts)


# What does the page work on?


def _context(
    study: Study, entry: StudyEntry, choice: Choice, info: Page, also: tuple[str, ...], width: int
) -> Context:
    """The whole study, or what its systems and those shown ``also`` compare."""
    choice = _answering(study, choice)
    theme = THEMES["dark" if st.context.theme.type == "dark" else "light"]
    theme = replace(theme, reads=study.reads, width=width)
    if not info.compares:
        whole = with_same_group(study, choice.chosen.same_group)
        return Context(whole, entry, choice, theme, len(study.queries))
    limited = cache.limited(study, choice, (*choice.systems, *also))
    if limited.over:
        messages.limits(limited.over, limited)
    return Context(limited, entry, choice, theme, len(study.queries))


def _answering(study: Study, choice: Choice) -> Choice:
    """The choice without systems that do not answer in the direction the filter chooses, named in a line."""
    stored = {*study.runs, *study.embeddings}
    left = tuple(name for name in choice.systems if name not in stored or name in study.systems)
    if not study.directions or len(left) == len(choice.systems) or not left:
        return choice
    names = listed([f"**{md_escape(name)}**" for name in choice.systems if name not in left], limit=8)
    st.caption(f":material/visibility_off: Left out, as they do not answer in this direction: {names}.")
    return choice.among(left)


def _chosen(study: Study, choice: Choice, info: Page) -> Study:
    """The study with the queries that the conditions choose, and a line that says so; stops without any."""
    if not choice.chosen.where:
        return study
    if not info.filtered:
        where = _conditions(choice.chosen.where)
        st.caption(f":material/filter_alt: The filter ({where}) has no effect on this page.")
        return study
    remove = partial(
        st.button, "Remove the filter", key="no-filter", on_click=state.set_value, args=(WHERE, [])
    )
    try:
        chosen = select(study, choice.chosen.where)
    except InputError as error:
        st.info(md_escape(str(error)), icon=":material/filter_alt_off:")
        remove(icon=":material/filter_alt_off:")
        st.stop()
    with st.container(horizontal=True, vertical_alignment="center", key="filter"):
        n = f"{len(chosen.queries):,} of {pluralize(len(study.queries), 'query')}"
        st.markdown(f":material/filter_alt: Only {_conditions(chosen.where)}: **{n}**", width="content")
        remove(type="tertiary")
    return chosen


def _conditions(where: tuple[str, ...]) -> str:
    return listed([f"**{md_escape(text, limit=60)}**" for text in where], limit=8)


def _without_concepts(study: Study, page: Page) -> None:
    """On the pages about concepts: that there are none yet, and the way to them.

    Stops the page where nothing on it has a value without them.
    """
    if page.about_files or study.concepts.annotated.any():
        return
    goes_on = bool(study.systems) and bool(study.labels or study.qrels)
    if page.key == "concepts":
        goes_on = study.knows_neighbours
    elif page.key == "queries" and state.requested(pages.QUERY):
        goes_on = bool(study.systems)
    if study.qrels and goes_on:
        judged = listed([f"“{md_escape(name)}”" for name in study.qrels], limit=4)
        st.caption(f"No image has concepts: systems are scored by the judgments {judged}.")
        return
    texts = study.captions.count if study.captions else 0
    why, label, tab = (
        f"Find them in the {pluralize(texts, 'caption')} on the Data page; then systems can be compared.",
        "Find concepts in the captions",
        pages.FIND_CONCEPTS,
    )
    if not texts:
        why, label, tab = (
            f"{pluralize(study.concepts.n_images, 'image is', 'images are')} there, but no captions to find "
            "them in. Add captions or a table of concepts on the Data page.",
            "Add captions or concepts",
            pages.BRING,
        )
    with st.container(border=True, key="no-concepts-yet"):
        messages.headline(f"**No image has concepts yet.** {why}", key="lead-first")
        with st.container(horizontal=True, vertical_alignment="center"):
            messages.go_to("data", label=label, params={state.TAB: tab})
            if not study.systems:
                messages.go_to("data", label="Make first systems", params={state.TAB: pages.SYSTEMS})
    if not goes_on:
        st.stop()
