"""The report and checklist of a reader study on Review, and the protocol of a task before readers judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from math import nan

import streamlit as st

from evalcore.features.review.judgments import Judgment
from evalcore.features.review.read.registered import hashes_of, keep_protocol
from evalcore.features.review.read.task_files import read_tasks
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.reader_study import kinds_of, outcome_of
from evalcore.features.review.statement.checklist import checklist, markdown_lines
from evalcore.features.review.statement.facts import shown_images, statement_of
from evalcore.features.review.statement.protocol import Intent, digest, protocol_text
from evalcore.features.review.tasks import NAME, Task
from evalcore.study.workspace import workspace
from evalcore.ui.components import download, fold, messages, select
from evalcore.ui.frame import studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape, plain

CLAIM, PLANNED, PILOT = (Key(name, of_study=True) for name in ("claim", "planned_readers", "pilot"))
PROTOCOL = Key("protocol", of_study=True)
NONE = "-"
_OUTCOME = "protocol_kept"
_guarded = messages.guarded(_OUTCOME)


def downloads(context: Context, task: Task, judgments: Sequence[Judgment]) -> None:
    """The report and the checklist, made when they are selected. The task to practise has neither."""
    if task.name == NAME:
        return
    study, said = context.study, tuple(judgments)

    def report() -> bytes:
        from evalcore.features.review.statement.document import report as document

        return document(statement_of(study, task, said), made=f"{date.today():%d %B %Y}").encode()

    def listed() -> bytes:
        entries = checklist(statement_of(study, task, said))
        return "".join(markdown_lines(entries, plain(task.title))).encode()

    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Report of the reader study**", width="content")
        for label, make, ending, mime in (
            ("Report", report, "html", "text/html"),
            ("Checklist", listed, "md", "text/markdown"),
        ):
            name = f"{context.stem(f'{label.lower()}-{task.name}')}.{ending}"
            download.file(label, make, name, mime, key=f"save-{label.lower()}-{task.name}")
    st.caption(
        "One file: who read what, the flow of readings, agreement, the systems compared for other readers "
        "and queries, and a checklist for a paper."
    )


def protocol_section(context: Context, task: Task) -> None:
    """The protocol of a task that nobody has judged, closed at first."""
    if task.name == NAME:
        return
    title = "Protocol to register before readers judge"
    fold.section(title, _protocol, context, task, keep=_opened(task), icon=":material/assignment:")


def _opened(task: Task) -> Key:
    return Key(f"{PROTOCOL}_{task.name}", of_study=True)


def _protocol(context: Context, task: Task) -> None:
    path = context.entry.path
    messages.show(_OUTCOME)
    st.caption(
        "Question, systems, queries, design, analysis and the hashes of all files as text. Register it, for "
        "example on OSF, before the first answer: the report says whether anything changed since."
    )
    said = judgments_of(path)
    judged = {one.task for one in said}
    pilots = {one.name: one.title for one in read_tasks(path)[0] if one.name in judged}
    pilots = {name: title for name, title in pilots.items() if name != task.name}
    claim = select.words("What the study shall show", keep=CLAIM, max_chars=400)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        planned = select.whole("Readers planned", 2, 1_000, keep=PLANNED, first=6, width=180)
        pilot = NONE
        if pilots:
            pilot = select.one("Pilot", {NONE: "None"} | pilots, keep=PILOT, width=340)
    intent = Intent(claim, planned, nan, None)
    try:
        if pilot != NONE:
            other = next(one for one in read_tasks(path)[0] if one.name == pilot)
            intent = replace(intent, pilot=other if set(kinds_of(other)) & set(kinds_of(task)) else None)
            if intent.pilot is None:
                st.info("The pilot asks something else, so it says nothing about the size of this study.")
        files = hashes_of(context.study, task, shown_images(outcome_of(context.study, task, ())))
        text = protocol_text(context.study, task, said, files, intent)
    except CuiscopeError as error:
        messages.failed(error, key=f"protocol-failed-{task.name}")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"{context.stem(f'protocol-{task.name}')}.md"
        download.file("Protocol", text.encode(), name, "text/markdown", key=f"save-protocol-{task.name}")
        st.button(
            "Keep beside the task",
            key=f"keep-protocol-{task.name}",
            icon=":material/save:",
            disabled=not (studies.given(path) or workspace.is_uploaded(path)),
            on_click=_kept,
            args=(context, task, text),
            help="As review/NAME.protocol.md of the study: the report compares it with the files then.",
        )
    st.caption(f"SHA-256 of the protocol: {digest(text)}")


@_guarded
def _kept(context: Context, task: Task, text: str) -> None:
    """Callback."""
    studies.check_manages(context.entry)
    folder = context.entry.path
    in_place = studies.given(folder) and not workspace.is_uploaded(folder)
    file = keep_protocol(folder, task, text, in_place=in_place)
    messages.say(_OUTCOME, "good", f"Kept as {md_escape(file)}.")
