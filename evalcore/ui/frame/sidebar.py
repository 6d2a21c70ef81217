"""The sidebar all pages share: pages, study, comparison, weights, reading level, settings as a file."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import evalcore
from evalcore import extensions
from evalcore.extensions import Page
from evalcore.study.folder.settings_toml import parse_settings, settings_text
from evalcore.ui.components import download
from evalcore.ui.frame import choices, state, view
from evalcore.ui.frame.context import Choice, StudyEntry
from evalcore.ui.frame.pages import BRING, PAGES, page_info
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.writing import md_escape

# The view as a settings file: saved from the sidebar, and opened there again.

_UPLOAD = "settings-file"
MOST = 1 << 18
"""Bytes of a settings file."""


def settings_file_section(study: Study, choice: Choice) -> None:
    """A small panel: save, open."""
    text = settings_text(choice.view, study=study.name, digest=study.content, program=evalcore.__version__)
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
    result, report = parse_settings(data, file="settings.toml")
    problems = report.of_severity("error")
    for problem in problems[:10]:
        state.note(str(problem))
    if problems:
        state.note("The settings file is not used.")
        return
    for note in view.show(result, study):
        state.note(note)
    if result.digest and result.digest != study.content:
        other = "another version of this study" if result.study == study.name else f"the study {result.study}"
        state.note(
            f"The settings were saved for {other} ({result.digest[:8]}; here it is {study.content[:8]})."
        )


def draw(
    listed: Mapping[str, StudyEntry],
    entry: StudyEntry | None,
    study: Study | None,
    info: Page,
    also: tuple[str, ...] = (),
) -> Choice | None:
    """Draw what the page uses; the choices when a study is open, None otherwise.

    ``also``: systems the page shows beside those chosen here.
    The page links come first but are drawn last, so that they carry what the widgets say now.
    """
    with st.sidebar:
        links = st.container(key="pages", gap=None)
        choices.study_picker(listed, entry.slug if entry else None)
        new_study = st.container(key="new-study")
        plain = choices.reading()
        choice = None
        if study is not None and entry is not None:
            choice = choices.read(study, plain=plain, also=also)
            rest = choices.draw(study, choice, info, also=also)
            if rest is not None:
                with rest:
                    _as_file(study, choice)
        _of_features()
    with links:
        _links()
    with new_study:
        params = state.link_params({state.TAB: BRING})
        st.page_link(page_info("data").file, label="New study", icon=":material/add:", query_params=params)
    return choice


def _of_features() -> None:
    for _, show in extensions.additions("sidebar part"):
        show()


def _as_file(study: Study, choice: Choice) -> None:
    """The panel of the settings as a file; its contents without a panel of their own in the plain reading."""
    title = "Settings as a file"
    if choice.plain:
        st.divider()
        st.markdown(f"**{title}**")
        settings_file_section(study, choice)
    elif place := choices.panel(title, key="as-file"):
        with place:
            settings_file_section(study, choice)


def _links() -> None:
    """The pages under their headings."""
    params, group = state.link_params(), ""
    for page in PAGES:
        if page.group != group:
            group = page.group
            st.caption(md_escape(group, limit=40))
        st.page_link(page.file, label=page.title, icon=page.icon, width="stretch", query_params=params)


def draw_blind(study: Study | None, kept: tuple[Key, ...]) -> Choice | None:
    """While a reader judges: no pickers, no page links, and no system in the address; the usual choices."""
    state.say_only((state.STUDY, *kept))
    with st.sidebar:
        st.markdown("**Judging blind**")
        st.caption("The systems are hidden here until you leave the judging.")
        _of_features()
    return None if study is None else choices.at_first(study)
