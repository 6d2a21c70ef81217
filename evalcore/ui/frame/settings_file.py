"""The view as a settings file: saved from the sidebar, and opened there again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

import evalcore
from evalcore.study.folder.settings_toml import parse_settings, settings_text
from evalcore.ui.components import download
from evalcore.ui.frame import state, view

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Choice
    from evalcore.values.model import Study

_UPLOAD = "settings-file"
MOST = 1 << 18
"""Bytes of a settings file."""


def section(study: Study, choice: Choice) -> None:
    """A small panel: save, open."""
    text = settings_text(
        view.view_of(choice), study=study.name, digest=study.content, program=evalcore.__version__
    )
    download.file(
        "Save settings.toml", text, "settings.toml", "application/toml", key="save-settings",
        width="stretch",
        help="Every setting here that affects a number. Opens on the pages, and with any command: "
        "--settings settings.toml",
    )  # fmt: skip
    widget = state.emptied(_UPLOAD)
    st.file_uploader(
        "Open a settings file", type="toml", key=widget, max_upload_size=1,
        on_change=_opened, args=(study, widget),
    )  # fmt: skip


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
