"""What is kept of one's uploads: how much space a study takes, deleting it, and bringing it back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from evalcore.study.workspace import workspace
from evalcore.study.workspace.removed import GRACE, Removed, size_of
from evalcore.ui.components import fold, intake
from evalcore.ui.frame import pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.writing import file_size, md_escape, plain, pluralize

KEPT = Key("kept")


def section(context: Context | None) -> None:
    """Nothing where nothing was ever uploaded."""
    uploaded, deleted = workspace.studies(), workspace.deleted_studies()
    if not uploaded and not deleted:
        return
    ways = [f"Delete an uploaded study ({len(uploaded)})"] if uploaded else []
    ways += [f"{'or r' if ways else 'R'}estore what was deleted ({len(deleted)})"] if deleted else []
    fold.section(", ".join(ways), _kept, context, uploaded, deleted, keep=KEPT, icon=":material/delete:")


def _kept(context: Context | None, uploaded: Sequence[Path], deleted: Sequence[Removed]) -> None:
    if uploaded:
        _delete(context, uploaded)
    if deleted:
        st.caption(
            f"Deleted. It takes its space until it is deleted for good, at the latest after {GRACE} days."
        )
        for one in deleted:
            _deleted(one)


def _delete(context: Context | None, uploaded: Sequence[Path]) -> None:
    """One of the studies, the one on view first, and a button that asks."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        on_view = os.path.realpath(context.entry.path) if context is not None else ""
        at = next((i for i, path in enumerate(uploaded) if os.path.realpath(path) == on_view), 0)
        chosen = st.selectbox(
            "Uploaded study",
            uploaded,
            at,
            key=pages.DELETED_STUDY,
            format_func=lambda path: plain(workspace.readable(path.name), limit=60),
        )
        with st.popover("Delete this study", icon=":material/delete:"):
            name, size = (md_escape(workspace.readable(chosen.name), limit=60), file_size(size_of(chosen)))
            st.markdown(
                f"**{name}** ({size}) will be deleted, with all its files and systems. It can be restored "
                f"here for {GRACE} days."
            )
            st.button(
                f"Delete {name}",
                key="delete-study",
                icon=":material/delete:",
                type="primary",
                on_click=delete,
                args=(chosen, on_view),
            )


def _deleted(one: Removed) -> None:
    name, mark = _named(one), one.aside.name
    left = pluralize(one.days_left, "day")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{name}** :gray[{file_size(one.size)}, {left} left]", width="content")
        st.button(
            f"Restore {name}",
            key=f"restore-{mark}",
            icon=":material/undo:",
            type="tertiary",
            on_click=restore,
            args=(one,),
        )
        with st.popover("Delete for good", type="tertiary"):
            st.markdown(f"**{name}** cannot be restored then.")
            st.button(
                f"Delete {name} for good",
                key=f"discard-{mark}",
                icon=":material/delete_forever:",
                type="primary",
                on_click=discard,
                args=(one,),
            )


def _named(one: Removed) -> str:
    return md_escape(workspace.readable(one.name), limit=60)


@intake.guarded
def delete(study: Path, on_view: str) -> None:
    """Callback: delete an uploaded study; another is on view then, where it was (its real path)."""
    deleted = workspace.delete_study(study)
    if os.path.realpath(study) == on_view:
        others = studies.entries().items()
        state.change_study(next(slug for slug, entry in others if entry.path.is_dir()))
    intake.say("good", f"**{_named(deleted)}** is deleted. It can be restored here for {GRACE} days.")


@intake.guarded
def restore(deleted: Removed) -> None:
    """Callback: bring a study back and put it on view."""
    study = workspace.restore_study(deleted)
    intake.switch(study)
    name = md_escape(workspace.readable(study.name), limit=60)
    intake.say("good", f"**{name}** is restored.")


@intake.guarded
def discard(deleted: Removed) -> None:
    """Callback: delete for good."""
    workspace.discard(deleted)
    intake.say("good", f"**{_named(deleted)}** is deleted for good.")
