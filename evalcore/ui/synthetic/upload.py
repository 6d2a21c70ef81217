"""Groups of one's own: added, listed, removed; kept in the workspace, so they survive a reload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.errors import CuiscopeError
from evalcore.figures.numbers import things
from evalcore.sources.synthesis import uploaded
from evalcore.ui.components import messages
from evalcore.ui.components.text import md_escape
from evalcore.ui.frame import state
from evalcore.ui.synthetic import keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcore.problems import Report
    from evalcore.ui.frame.context import Context

MAX_MB = 200
ROLES = {"generated": "Generated images", "real": "Real images"}
FORMS = (
    "A zip of PNG, JPEG or TIFF images (one group each), or a table of features “ID,feature1,feature2,…”. "
    "Vectors of a group that is there: npz with ids and vectors, or parquet."
)


def section(context: Context) -> None:
    """What came of the last upload, the form, and the groups that are there."""
    study, there = context.entry.path, uploaded.groups(context.entry.path)
    messages.outcome(keys.OUTCOME, key="synthetic-outcome")
    with st.expander(
        f"Own images: {things(len(there), 'uploaded group')}", icon=":material/upload:", expanded=False
    ):
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
        "Add group", key="add-group", icon=":material/upload:", type="primary", on_click=_add, args=(study,),
        disabled=state.get(file) is None,
    )  # fmt: skip


def _listed(study: Path, there: tuple[uploaded.UploadedGroup, ...]) -> None:
    if not there:
        st.caption("No group was uploaded for this study yet.")
    for one in there:
        parts = [
            word
            for word, part in (("images", one.pictures), ("features", one.features), ("vectors", one.vectors))
            if part is not None
        ]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{md_escape(one.name, limit=60)}** :gray[{ROLES[one.role].lower()}, "
                f"{' and '.join(parts)}]",
                width="stretch",
            )
            st.button(
                "Remove",
                key=f"remove-{one.role}-{one.name}",
                icon=":material/delete:",
                on_click=_remove,
                args=(study, one.role, one.name),
            )


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
                "Add ranking",
                key="add-people",
                icon=":material/upload:",
                on_click=_add_people,
                args=(study,),
                disabled=state.get(file) is None,
            )
            if uploaded.people(study) is not None:
                st.button(
                    "Remove ranking",
                    key="remove-people",
                    icon=":material/delete:",
                    on_click=guarded,
                    args=(lambda: uploaded.remove_file(study, uploaded.PEOPLE),),
                )


def _add(study: Path) -> None:
    """Callback: keep the file that was chosen."""

    def action() -> None:
        given = state.get(state.emptied(keys.FILE))
        if given is None:
            return
        role: uploaded.Role = "real" if state.get(keys.ROLE) == "real" else "generated"
        name = " ".join(str(state.get(keys.NAME) or "").split()) or "generator"
        report = uploaded.add_group(study, role, name, given.name, given.getvalue())
        say(report, f"{md_escape(given.name)} is now part of the group **{md_escape(name)}**.", given.name)
        if not refused(report):
            state.empty(keys.FILE)
            if role == "generated":
                state.set_value(keys.SUBJECTS, "uploaded")
            else:
                state.set_value(
                    keys.REAL,
                    next(
                        (
                            one.name
                            for one in uploaded.groups(study)
                            if one.role == "real" and one.name == name
                        ),
                        name,
                    ),
                )

    guarded(action)


def _add_people(study: Path) -> None:
    """Callback: keep the ranking that was chosen."""

    def action() -> None:
        given = state.get(state.emptied(keys.PEOPLE))
        if given is None:
            return
        report = uploaded.add_file(study, uploaded.PEOPLE, given.name, given.getvalue())
        say(report, f"{md_escape(given.name)} is used as the ranking by people.", given.name)
        if not refused(report):
            state.empty(keys.PEOPLE)

    guarded(action)


def _remove(study: Path, role: uploaded.Role, name: str) -> None:
    """Callback: forget a group."""

    def action() -> None:
        uploaded.remove_group(study, role, name)
        state.set_plain(keys.OUTCOME, ("good", f"Removed {md_escape(name)}.", None))

    guarded(action)


def refused(report: Report) -> bool:
    return any(rule == uploaded.NOT_KEPT for _, _, rule in report.counts) or (
        report.total("error") > 0 and any(rule in ("unsafe-path", "zip-bomb") for _, _, rule in report.counts)
    )


def say(report: Report, good: str, file: str) -> None:
    kind = "mixed" if report.problems else "good"
    if refused(report):
        kind, good = "bad", f"{md_escape(file)} was not saved; nothing has changed."
    state.set_plain(keys.OUTCOME, (kind, good, report if report.problems else None))


def guarded(action: Callable[[], object]) -> None:
    """Run a callback; what the user can mend becomes a message, and nothing loaded is lost."""
    try:
        action()
    except CuiscopeError as error:
        state.set_plain(keys.OUTCOME, ("bad", md_escape(str(error)), None))
