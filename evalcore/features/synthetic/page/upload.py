"""Groups of one's own: added, listed, removed; kept in the workspace, so they survive a reload."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.synthetic.page import keys
from evalcore.features.synthetic.read import uploaded
from evalcore.figures.numbers import things
from evalcore.ui.components import outcome
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcore.ui.frame.context import Context
    from evalcore.values.problems import Report

MAX_MB = 200
ROLES = {"generated": "Generated images", "real": "Real images"}
FORMS = (
    "A zip of PNG, JPEG or TIFF images (one group each), or a table of features “ID,feature1,feature2,…”. "
    "Vectors of a group that is there: npz with ids and vectors, or parquet."
)
PEOPLE_ADDED = "is used as the ranking by people."
guarded = outcome.guarded(keys.OUTCOME)


def section(context: Context) -> None:
    """What came of the last upload, the form, and the groups that are there."""
    study, there = context.entry.path, uploaded.groups(context.entry.path)
    outcome.show(keys.OUTCOME)
    with st.expander(f"Own images: {things(len(there), 'uploaded group')}", icon=":material/upload:"):
        form, listed = st.columns([3, 2], gap="medium")
        with form:
            _form(study)
        with listed:
            _listed(study, there)


def _form(study: Path) -> None:
    st.caption(f"{FORMS} Files are checked before they are kept, in the workspace and not in the study.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Type of images", list(ROLES), key=keys.ROLE, format_func=ROLES.__getitem__, width=180,
            persist_state="session",
        )  # fmt: skip
        st.text_input("Name of the group", "generator", key=keys.NAME, max_chars=60, persist_state="session")
    file = state.emptied(keys.FILE)
    st.file_uploader("Images, features or vectors", key=file, max_upload_size=MAX_MB)
    st.button(
        "Add group", key="add-group", icon=":material/upload:", type="primary",
        on_click=_add_group, args=(study,), disabled=state.get(file) is None,
    )  # fmt: skip


def _listed(study: Path, there: tuple[uploaded.UploadedGroup, ...]) -> None:
    if not there:
        st.caption("No group has been uploaded for this study yet.")
    for one in there:
        parts = {"images": one.pictures, "features": one.features, "vectors": one.vectors}
        has = " and ".join(word for word, part in parts.items() if part is not None)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{md_escape(one.name, limit=60)}** :gray[{ROLES[one.role].lower()}, {has}]",
                width="stretch",
            )
            st.button(
                "Remove", key=f"remove-{one.role}-{one.name}", icon=":material/delete:", on_click=_remove,
                args=(study, one.role, one.name),
            )  # fmt: skip


def people_section(context: Context) -> None:
    """Rankings by people: the file, and what is there."""
    study = context.entry.path
    with st.container(border=True):
        st.markdown("**Rankings by people**")
        st.caption(
            "A table ID,rank (1 is the best) or ID,score (more is better) of the images of this group."
        )
        file = state.emptied(keys.PEOPLE)
        st.file_uploader("Ranking", key=file, max_upload_size=10)
        with st.container(horizontal=True):
            st.button(
                "Add ranking", key="add-people", icon=":material/upload:", disabled=state.get(file) is None,
                on_click=add,
                args=(keys.PEOPLE, partial(uploaded.add_file, study, uploaded.PEOPLE), PEOPLE_ADDED),
            )  # fmt: skip
            if uploaded.people(study) is not None:
                st.button(
                    "Remove ranking", key="remove-people", icon=":material/delete:",
                    on_click=guarded(uploaded.remove_file), args=(study, uploaded.PEOPLE),
                )  # fmt: skip


def _add_group(study: Path) -> None:
    """Callback: keep the file that was chosen, and look at its group."""
    role: uploaded.Role = "real" if state.get(keys.ROLE) == "real" else "generated"
    name = " ".join(str(state.get(keys.NAME) or "").split()) or "generator"
    add(
        keys.FILE, partial(uploaded.add_group, study, role, name),
        f"is now part of the group **{md_escape(name)}**.",
        (keys.REAL, name) if role == "real" else (keys.SUBJECTS, "uploaded"),
    )  # fmt: skip


@guarded
def add(
    widget: str, keep: Callable[[str, bytes], Report], done: str, use: tuple[state.Key, str] | None = None
) -> None:  # fmt: skip
    """Callback: keep the file of a widget, which is emptied; or say why it was refused.

    ``keep`` takes its name and content. ``done``: what the file does now, Markdown, after its name. ``use``:
    what is chosen from then on.
    """
    file = state.given(widget)
    if file is None:
        return
    report, name = keep(file.name, file.getvalue()), md_escape(file.name)
    if outcome.refused(report):
        outcome.say(keys.OUTCOME, "bad", f"{name} was not saved; nothing has changed.", report)
        return
    outcome.say(keys.OUTCOME, "mixed" if report.problems else "good", f"{name} {done}", report)
    state.empty(widget)
    if use is not None:
        state.set_value(*use)


@guarded
def _remove(study: Path, role: uploaded.Role, name: str) -> None:
    """Callback: forget a group."""
    uploaded.remove_group(study, role, name)
    outcome.say(keys.OUTCOME, "good", f"Removed {md_escape(name)}.")
