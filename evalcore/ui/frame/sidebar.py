"""The sidebar all pages share: pages, study, comparison, weights, reading level, link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.review.page.keys import READ, READER, SEED, TASK
from evalcore.ui.frame import choices as inputs
from evalcore.ui.frame import saved_views, settings_file, state
from evalcore.ui.frame.copylink import copy_link
from evalcore.ui.frame.pages import PAGES
from evalcore.ui.present import panel as present

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamlit.delta_generator import DeltaGenerator

    from evalcore.ui.frame.context import Choice, StudyEntry
    from evalcore.values.model import Study


def draw(
    listed: Mapping[str, StudyEntry], entry: StudyEntry | None, study: Study | None,
    also: tuple[str, ...] = (),
) -> Choice | None:  # fmt: skip
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
                    settings_file.section(study, choice)
                with _panel("Saved views", ":material/bookmark:", plain=plain):
                    views = saved_views.section(entry, choice)
                with _panel("Present", ":material/co_present:", plain=plain):
                    present.section(study, entry, choice, views)
    with links:
        for page in PAGES:
            st.page_link(
                page.file, label=page.title, icon=page.icon, width="stretch",
                query_params=state.link_params(),
            )  # fmt: skip
    return choice


def _panel(title: str, icon: str, *, plain: bool) -> DeltaGenerator:
    """A panel of its own; under Simple, where one holds them all, a part of that with its name above."""
    if not plain:
        return st.expander(title, icon=icon)
    st.divider()
    st.markdown(f"**{title}**")
    return st.container()


def draw_blind(study: Study | None) -> Choice | None:
    """While a reader judges: no pickers, no page links, and no system in the address; the usual choices."""
    state.say_only((state.STUDY, state.DIGEST, TASK, SEED, READ, READER))
    with st.sidebar:
        st.markdown("**Judging blind**")
        st.caption("The systems are hidden here until you leave the judging.")
    return None if study is None else inputs.at_first(study)
