"""The sidebar all pages share: pages, study, comparison, weights, reading level, link."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

import evalcore
from evalcore.study.folder.settings_toml import SettingsFile, parse_settings, settings_text
from evalcore.study.workspace.views import MAX_NAME, MAX_NOTE, SavedView, delete_view, read_views, save_view
from evalcore.ui.components import download
from evalcore.ui.frame import choices as inputs
from evalcore.ui.frame import permission, state, view
from evalcore.ui.frame import present as present
from evalcore.ui.frame.copylink import copy_link
from evalcore.ui.frame.pages import PAGES, open_view
from evalcore.ui.frame.view import view_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamlit.delta_generator import DeltaGenerator

    from evalcore.ui.frame.context import Choice, StudyEntry
    from evalcore.ui.frame.state import Key
    from evalcore.values.model import Study

# The view as a settings file: saved from the sidebar, and opened there again.

_UPLOAD = "settings-file"
MOST = 1 << 18
"""Bytes of a settings file."""


def settings_file_section(study: Study, choice: Choice) -> None:
    """A small panel: save, open."""
    text = settings_text(
        view.view_of(choice), study=study.name, digest=study.content, program=evalcore.__version__
    )
    download.file(
        "Save settings.toml",
        text,
        "settings.toml",
        "application/toml",
        key="save-settings",
        width="stretch",
        help="Every setting here that affects a number. Opens on the pages, and with any command: "
        "--settings settings.toml",
    )
    widget = state.emptied(_UPLOAD)
    st.file_uploader(
        "Open a settings file",
        type="toml",
        key=widget,
        max_upload_size=1,
        on_change=_opened,
        args=(study, widget),
    )


def _opened(study: Study, widget: str) -> None:
    """Callback: show what the file says, or say what is wrong with it."""
    given = st.session_state.get(widget)
    if given is not None:
        take(study, given.getvalue()[: MOST + 1])
        state.empty(_UPLOAD)


def take(study: Study, data: bytes) -> None:
    """Let the sidebar say what a settings file says; what cannot be is noted below the title."""
    found, report = parse_settings(data, file="settings.toml")
    problems = report.of_severity("error")
    for problem in problems[:10]:
        state.note(str(problem))
    if problems:
        state.note("The settings file is not used.")
        return
    for note in view.show(found, study):
        state.note(note)
    if found.digest and found.digest != study.content:
        other = "another version of this study" if found.study == study.name else f"the study {found.study}"
        state.note(
            f"The settings were saved for {other} ({found.digest[:8]}; here it is {study.content[:8]})."
        )


# Views kept with the study: the present one saved under a name, the others listed, opened, deleted.

NAME, TAGS, NOTE = "view_name", "view_tags", "view_note"
_KNOWN = {page.key for page in PAGES}


def saved_views_section(entry: StudyEntry, choice: Choice) -> tuple[SavedView, ...]:
    """A small panel in the sidebar; returns the views it lists."""
    found, report = read_views(entry.path)
    for problem in report.problems[:5]:
        st.caption(f":red[{md_escape(str(problem), limit=300)}]")
    may = permission.ask(entry, key="views")
    for number, one in enumerate(found):
        _one(entry, one, number, may)
    if may:
        _form(entry, choice)
    return found


def _one(entry: StudyEntry, one: SavedView, number: int, may: bool) -> None:
    tags = " ".join(f":gray-badge[{md_escape(tag)}]" for tag in one.tags)
    note = md_escape(one.note, limit=200)
    with st.container(border=True, key=f"view-{number}", gap="xxsmall"):
        st.markdown(f"**{md_escape(one.name)}** {tags}")
        if note:
            st.caption(note)
        with st.container(horizontal=True):
            if one.page in _KNOWN and st.button(
                "Open", key=f"open-view-{number}", icon=":material/open_in_new:"
            ):
                open_view(one, {state.STUDY: entry.slug})
            st.button(
                "Delete",
                key=f"delete-view-{number}",
                icon=":material/delete:",
                disabled=not may,
                on_click=_delete,
                args=(entry, one.name),
            )


def _form(entry: StudyEntry, choice: Choice) -> None:
    with st.form("save-view", border=False, clear_on_submit=True):
        st.text_input("Name of this view", key=NAME, max_chars=MAX_NAME)
        st.text_input("Tags", key=TAGS, placeholder="paper, figure 2", help="Separated by commas.")
        st.text_area("Note", key=NOTE, max_chars=MAX_NOTE, height=80)
        st.form_submit_button(
            "Save this view",
            icon=":material/bookmark_add:",
            width="stretch",
            on_click=_save,
            args=(entry, choice),
        )


def _save(entry: StudyEntry, choice: Choice) -> None:
    """Callback: the address as it is now, under the name that was typed."""
    tags = dict.fromkeys(filter(None, (tag.strip() for tag in str(state.get(TAGS, "")).split(","))))
    view = SavedView(
        str(state.get(NAME, "")).strip(),
        state.page(),
        state.address(state.STUDY, state.DIGEST),
        SettingsFile(view_of(choice).as_dict()),
        tuple(tags),
        str(state.get(NOTE, "")).strip(),
        date.today().isoformat(),
    )
    try:
        save_view(entry.path, view, in_place=permission.given(entry.path))
    except CuiscopeError as error:
        state.note(str(error))


def _delete(entry: StudyEntry, name: str) -> None:
    """Callback."""
    try:
        delete_view(entry.path, name, in_place=permission.given(entry.path))
    except CuiscopeError as error:
        state.note(str(error))


def draw(
    listed: Mapping[str, StudyEntry],
    entry: StudyEntry | None,
    study: Study | None,
    also: tuple[str, ...] = (),
) -> Choice | None:
    """Draw everything; the choices when a study is open, None otherwise.

    ``also``: systems the page shows beside those chosen here.
    The page links stand on top but are drawn last, so that they carry what the widgets say now.
    """
    with st.sidebar:
        links = st.container(key="pages", gap="xxsmall")
        inputs.study_picker(listed, entry.slug if entry else None)
        plain = inputs.reading()
        choice = None
        if study is not None and entry is not None:
            choice, rest = inputs.choose(study, plain=plain, also=also)
            with rest:
                also_said = {state.STUDY: entry.slug, state.DIGEST: study.digest[:8]}
                copy_link(also=also_said)
                with _panel("Settings as a file", ":material/tune:", plain=plain):
                    settings_file_section(study, choice)
                with _panel("Saved views", ":material/bookmark:", plain=plain):
                    views = saved_views_section(entry, choice)
                with _panel("Present", ":material/co_present:", plain=plain):
                    present.section(study, entry, choice, views)
    with links:
        for page in PAGES:
            st.page_link(
                page.file, label=page.title, icon=page.icon, width="stretch", query_params=state.link_params()
            )
    return choice


def _panel(title: str, icon: str, *, plain: bool) -> DeltaGenerator:
    """A panel of its own; under Simple, where one holds them all, a part of that with its name above."""
    if not plain:
        return st.expander(title, icon=icon)
    st.divider()
    st.markdown(f"**{title}**")
    return st.container()


def draw_blind(study: Study | None, kept: tuple[Key, ...]) -> Choice | None:
    """While a reader judges: no pickers, no page links, and no system in the address; the usual choices."""
    state.say_only((state.STUDY, state.DIGEST, *kept))
    with st.sidebar:
        st.markdown("**Judging blind**")
        st.caption("The systems are hidden here until you leave the judging.")
    return None if study is None else inputs.at_first(study)
