"""Views kept with the study: the present one saved under a name, the others listed, opened, deleted."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.study.folder.settings_toml import SettingsFile
from evalcore.study.workspace.views import MAX_NAME, MAX_NOTE, SavedView, delete_view, read_views, save_view
from evalcore.ui.data import permission
from evalcore.ui.frame import state
from evalcore.ui.frame.pages import PAGES, open_view
from evalcore.ui.frame.view import view_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Choice, StudyEntry

NAME, TAGS, NOTE = "view_name", "view_tags", "view_note"
_KNOWN = {page.key for page in PAGES}


def section(entry: StudyEntry, choice: Choice) -> tuple[SavedView, ...]:
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
                "Delete", key=f"delete-view-{number}", icon=":material/delete:", disabled=not may,
                on_click=_delete, args=(entry, one.name),
            )  # fmt: skip


def _form(entry: StudyEntry, choice: Choice) -> None:
    with st.form("save-view", border=False, clear_on_submit=True):
        st.text_input("Name of this view", key=NAME, max_chars=MAX_NAME)
        st.text_input("Tags", key=TAGS, placeholder="paper, figure 2", help="Separated by commas.")
        st.text_area("Note", key=NOTE, max_chars=MAX_NOTE, height=80)
        st.form_submit_button(
            "Save this view", icon=":material/bookmark_add:", width="stretch", on_click=_save,
            args=(entry, choice),
        )  # fmt: skip


def _save(entry: StudyEntry, choice: Choice) -> None:
    """Callback: the address as it is now, under the name that was typed."""
    tags = dict.fromkeys(filter(None, (tag.strip() for tag in str(state.get(TAGS, "")).split(","))))
    view = SavedView(
        str(state.get(NAME, "")).strip(), state.page(), state.address(state.STUDY, state.DIGEST),
        SettingsFile(view_of(choice).as_dict()), tuple(tags), str(state.get(NOTE, "")).strip(),
        date.today().isoformat(),
    )  # fmt: skip
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
