"""The sidebar all pages share: pages, study, level of detail, choices, settings as a file."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import evalcore
from evalcore import extensions
from evalcore.extensions import Page
from evalcore.study.folder.settings_toml import settings_text
from evalcore.ui.components import download
from evalcore.ui.frame import choices, state
from evalcore.ui.frame.context import Choice, StudyEntry
from evalcore.ui.frame.pages import BRING, PAGES, page_info
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.writing import md_escape


def draw(
    listed: Mapping[str, StudyEntry],
    entry: StudyEntry | None,
    study: Study | None,
    info: Page,
    also: tuple[str, ...],
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
        params, group = state.link_params(), ""
        for page in PAGES:
            if page.group != group:
                group = page.group
                st.caption(md_escape(group, limit=40))
            st.page_link(page.file, label=page.title, icon=page.icon, width="stretch", query_params=params)
    with new_study:
        params = state.link_params({state.TAB: BRING})
        st.page_link(page_info("data").file, label="New study", icon=":material/add:", query_params=params)
    return choice


def _of_features() -> None:
    for _, show in extensions.additions("sidebar part"):
        show()


def _as_file(study: Study, choice: Choice) -> None:
    """Every choice that decides a number, as a file for the commands."""

    def text() -> bytes:
        view, program = choice.view, evalcore.__version__
        return settings_text(view, study=study.name, digest=study.content, program=program).encode()

    download.file(
        "Save settings.toml",
        text,
        "settings.toml",
        "application/toml",
        key="save-settings",
        type="tertiary",
        help="Every setting here that affects a number, for any command: --settings settings.toml",
    )


def draw_blind(study: Study | None, kept: tuple[Key, ...]) -> Choice | None:
    """While a reader judges: no pickers, no page links, and no system in the address; the usual choices."""
    state.restrict_url((state.STUDY, *kept))
    with st.sidebar:
        st.markdown("**Judging blind**")
        st.caption("The systems are hidden here until you leave the judging.")
        _of_features()
    return None if study is None else choices.default_choice(study)
