"""The systems of the study: what each returned; removed, and brought back."""

from __future__ import annotations

import streamlit as st

from evalcore import extensions
from evalcore.results.study import returned_table
from evalcore.study.workspace.home import is_uploaded
from evalcore.study.workspace.removed import GRACE, removals, remove_system
from evalcore.ui.components import intake, table
from evalcore.ui.data import sections
from evalcore.ui.frame import studies
from evalcore.ui.frame.context import Context
from evalcore.values.writing import md_escape, plain, pluralize


def section(context: Context) -> None:
    """The table, and below it what can be changed; features add encoders that make more of them."""
    study = context.study
    known = sections.facts(study).systems
    if known:
        table.results_table(
            context,
            returned_table(study, known),
            key="system-facts",
            alt=f"{pluralize(len(known), 'system')} and what each returned",
        )
        st.caption(
            f"Of {pluralize(len(study.queries), 'query', 'queries')}. A query returned as its own result "
            "is removed and counted. Equal scores are put in the order of image ids. Images searched: those "
            "with a vector or in some result; all candidates where a run alone does not show that some were "
            "left out."
        )
    else:
        st.info(
            "This study has no systems yet: @iou and @nn-iou rank the images by the concepts themselves. "
            "Create baseline systems below, or add a ranking or vectors under “New study”."
        )
    if len({system.searched for system in known}) > 1:
        st.info(
            "The systems search different images. They are compared over the images that all of them search, "
            "unless “Queries counted” says otherwise.",
            icon=":material/balance:",
        )
    may = studies.ask(context.entry, key="systems")
    for _, show in extensions.additions("data systems"):
        show(context, may)
    if is_uploaded(context.entry.path):
        _removal(context)


def _removal(context: Context) -> None:
    """One system to take out, and those that were, which can be restored for some time."""
    if names := context.study.systems:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox("System", names, key="system_to_remove", format_func=plain, width=260)
            st.button(
                f"Remove {md_escape(str(chosen), limit=40)} from the study",
                key="remove-system",
                icon=":material/delete:",
                on_click=_remove,
                args=(context, chosen),
                help=f"Its files are removed from the study and can be restored for {GRACE} days.",
            )
    intake.restorable(removals(context.entry.path))


@intake.guarded
def _remove(context: Context, system: str) -> None:
    """Callback: take a system out of the study."""
    name = md_escape(remove_system(context.entry.path, system).name)
    intake.announce("good", f"**{name}** is removed. It can be restored here for {GRACE} days.")
