"""The part of the data page that brings studies in, and deletes uploaded ones: files, folder, sample."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from evalcore.study.workspace import home
from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.removed import GRACE, delete_study, removals
from evalcore.ui.components import fold, intake, own_data
from evalcore.ui.frame import pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.account import is_restricted
from evalcore.values.writing import md_escape, plain

KEPT = Key("kept")


def section(context: Context | None = None) -> None:
    """The ways to bring a study in; ``context``: the study on view, if one is open."""
    with st.container(border=True, key="own-data"):
        st.markdown(f"**{own_data.TITLE}**")
        own_data.section(context)
    first, second = (st.container(), st.container()) if is_restricted() else st.columns(2, gap="medium")
    if not is_restricted():
        with first.container(border=True), st.form("folder", border=False):
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
    with second.container(border=True):
        st.markdown("**The sample study**")
        st.caption("Synthetic pictures with real concepts and five computed systems. Nothing to install.")
        st.button("Use the sample", key="use-sample", icon=":material/science:", on_click=intake.open_sample)
    n, deleted = len(home.studies()), len(removals())
    ways = [f"Delete an uploaded study ({n})"] if n else []
    ways += [f"{'or r' if n else 'R'}estore what was deleted ({deleted})"] if deleted else []
    if ways:
        fold.section(", ".join(ways), _kept, context, param=KEPT)


def _kept(context: Context | None) -> None:
    """One uploaded study to delete, the one on view first, after a question; those that can be restored."""
    uploaded, deleted = home.studies(), removals()
    if uploaded:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            on_view = os.path.realpath(context.entry.path) if context is not None else ""
            at = next((i for i, path in enumerate(uploaded) if os.path.realpath(path) == on_view), 0)
            chosen = st.selectbox(
                "Uploaded study",
                uploaded,
                at,
                key=pages.DELETED_STUDY,
                format_func=lambda path: plain(readable(path.name), limit=60),
            )
            with st.popover("Delete this study", icon=":material/delete:"):
                name = _named(chosen.name)
                st.markdown(
                    f"**{name}** will be deleted, with all its files and systems. It can be restored here "
                    f"for {GRACE} days."
                )
                st.button(
                    f"Delete {name}",
                    key="delete-study",
                    icon=":material/delete:",
                    type="primary",
                    on_click=_delete,
                    args=(chosen, on_view),
                )
    intake.restorable(deleted)


def _named(name: str) -> str:
    return md_escape(readable(name), limit=60)


@intake.guarded
def _delete(study: Path, on_view: str) -> None:
    """Callback: delete an uploaded study; another is on view then, where it was (its real path)."""
    deleted = delete_study(study)
    if os.path.realpath(study) == on_view:
        others = studies.entries().items()
        state.change_study(next(slug for slug, entry in others if entry.path.is_dir()))
    intake.announce(
        "good", f"**{_named(deleted.name)}** is deleted. It can be restored here for {GRACE} days."
    )
