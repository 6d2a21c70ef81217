"""The sidebar all pages share: pages, study, comparison, weights, reading level, link."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import evalcore
from evalcore.study.folder.settings_toml import parse_settings, settings_text
from evalcore.ui.components import download
from evalcore.ui.frame import choices as inputs
from evalcore.ui.frame import present as present
from evalcore.ui.frame import state, view
from evalcore.ui.frame.context import Choice, StudyEntry
from evalcore.ui.frame.copylink import copy_link
from evalcore.ui.frame.pages import PAGES
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
                with _panel("Present", ":material/co_present:", plain=plain):
                    present.section(study, entry, choice)
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
