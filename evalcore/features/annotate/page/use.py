"""From concepts found to concepts of the study: put into it where it may be changed, else saved as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.annotate.page import keys, work
from evalcore.features.annotate.read.written import concept_lines, match_lines
from evalcore.figures.numbers import things
from evalcore.study.workspace import workspace
from evalcore.ui.components import download, outcome
from evalcore.ui.data import intake, permission
from evalcore.ui.frame import state, studies
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcore.features.annotate.values import Annotation
    from evalcore.ui.frame.context import Context


def section(context: Context, made: Annotation) -> None:
    """The button that puts them in, and both files."""
    st.subheader("Use these concepts", anchor=False)
    some = sum(bool(one.concepts) for one in made.captions)
    if not some:
        st.caption("No image got a concept, so there is nothing to use.")
        return
    folder = context.entry.path
    given = workspace.has_part(folder, "concepts")
    may = permission.ask(context.entry, key="annotate")
    sure = True
    if may and given:
        sure = st.checkbox(
            "Replace the concepts this study has", key=f"{keys.SURE}-{context.study.content}",
            help="The file of concepts that is there now is removed. Save it first where you have no other.",
        )  # fmt: skip
    with st.container(horizontal=True):
        if may:
            st.button(
                "Use these concepts", key="use-concepts", icon=":material/check:", type="primary",
                disabled=not sure, on_click=put, args=(context, made),
            )  # fmt: skip
        download.file("concepts.csv", _bytes(lambda: concept_lines(made)), "concepts.csv", "text/csv",
                      key="save-concepts")  # fmt: skip
        download.file("Every term found", _bytes(lambda: match_lines(made)), "matches.csv", "text/csv",
                      key="save-matches")  # fmt: skip
    if not may:
        st.caption(
            "This study is not changed from here. Save concepts.csv and put it into a copy of the folder, or "
            "write it by command:"
        )
        st.code(work.command(folder, made.tool, "--out concepts.csv"), language=None, wrap_lines=True)


def _bytes(lines: Callable[[], Iterator[str]]) -> Callable[[], bytes]:
    return lambda: "".join(lines()).encode("utf-8", "replace")


@intake.guarded
def put(context: Context, made: Annotation) -> None:
    """Callback: these concepts become those of the study, as an upload of them would."""
    folder = context.entry.path
    data = _bytes(lambda: concept_lines(made))()
    report = workspace.add_part(folder, "concepts", "concepts.csv", data, in_place=permission.given(folder))
    if outcome.refused(report):
        intake.say("bad", "The concepts were not kept; nothing was changed.", report)
        return
    study = studies.opened(folder)
    state.change_study(context.entry.slug)
    some = sum(bool(one) for one in made.concepts.values())
    intake.say(
        "good", f"**{md_escape(study.name)}** has concepts now: {things(some, 'image')} of "
        f"{len(study.image_ids):,}.",
    )  # fmt: skip
