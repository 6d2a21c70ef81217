"""The parts of the data page that bring studies in: files, folder, sample."""

from __future__ import annotations

import streamlit as st

from evalcore.ui.components import intake, own_data
from evalcore.ui.data import kept
from evalcore.ui.frame import pages
from evalcore.ui.frame.context import Context
from evalcore.values.account import is_restricted


def section(context: Context | None = None) -> None:
    """The ways to bring a study in; ``context``: the study on view, if one is open."""
    with st.container(border=True, key="own-data"):
        st.markdown(f"**{own_data.TITLE}**")
        own_data.section(context)
    if is_restricted():
        _sample()
        kept.section(context)
        return
    first, second = st.columns(2, gap="medium")
    with first:
        _folder()
    with second:
        _sample()
    kept.section(context)


def _sample() -> None:
    with st.container(border=True):
        st.markdown("**The sample study**")
        st.caption("Synthetic pictures with real concepts and five computed systems. Nothing to install.")
        st.button("Use the sample", key="use-sample", icon=":material/science:", on_click=intake.open_sample)


def _folder() -> None:
    with st.container(border=True), st.form("folder", border=False):
        st.markdown("**A study folder on this computer**")
        st.text_input(
            "Path of the folder",
            key=pages.FOLDER,
            placeholder="/home/me/my_study",
            help="The folder with concepts.csv. It is read in place and changes only if you allow it.",
        )
        st.form_submit_button(
            "Open folder", icon=":material/folder_open:", key="open-folder", on_click=intake.open_folder
        )
