"""May this page change the study? Uploads yes, the sample never, opened folders after a clear yes."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from evalcore.study.workspace import workspace
from evalcore.ui.frame import state
from evalcore.ui.frame.context import StudyEntry
from evalcore.ui.frame.studies import SAMPLE
from evalcore.values.markdown import md_escape

_ALLOWED = "_may_change"


def given(folder: Path) -> bool:
    """Whether the reader said yes to changes of this folder in this session: ``in_place`` of all that changes
    a study."""
    allowed: set[str] = st.session_state.get(_ALLOWED, set())
    return os.path.realpath(folder) in allowed


def may_change(entry: StudyEntry) -> bool:
    """Whether a study may be changed, without asking."""
    return entry.slug != SAMPLE and (workspace.is_uploaded(entry.path) or given(entry.path))


def ask(entry: StudyEntry, *, key: str) -> bool:
    """Whether a study may be changed; asks for it where that is the reader's to say."""
    folder = entry.path
    if entry.slug == SAMPLE:
        st.caption("The sample study is part of the program and stays as it is.")
        return False
    if workspace.is_uploaded(folder):
        return True
    widget = f"allow-{key}-{state.STUDY}-{entry.slug}"
    st.session_state[widget] = given(folder)  # the question can stand on a page twice
    st.checkbox(
        f"Allow changes to the folder {md_escape(workspace.readable(str(folder)), limit=200)}",
        key=widget,
        on_change=_say,
        args=(folder,),
        help="This study is a folder on this computer that was opened where it is. Until you allow it, "
        "nothing in it is changed. The permission lasts until the page is closed.",
    )
    return given(folder)


def _say(folder: Path) -> None:
    """Callback: yes, or no longer."""
    allowed: set[str] = set(st.session_state.get(_ALLOWED, set()))
    state.set_plain(_ALLOWED, allowed ^ {os.path.realpath(folder)})
