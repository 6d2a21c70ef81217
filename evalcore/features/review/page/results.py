"""What readers said of a task: how far each is, files to take away, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from evalcore.features.review.page import settle
from evalcore.features.review.page.keys import PART
from evalcore.features.review.page.reading import plan_for
from evalcore.features.review.progress import progress
from evalcore.features.review.qrels import qrels_of
from evalcore.features.review.read.judgment_csv import judgment_lines
from evalcore.features.review.read.judgment_json import json_lines
from evalcore.features.review.read.together import judgments_of
from evalcore.figures.numbers import count, listed
from evalcore.ui.components import download
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.tasks import Task
    from evalcore.ui.frame.context import Context


class Reader(NamedTuple):
    """A reader's code, how many items are judged, how many there are, and whether the program made it up."""

    name: str
    done: int
    n: int
    simulated: bool

    @property
    def words(self) -> str:
        made_up = " (simulated)" if self.simulated else ""
        return f"**{md_escape(self.name)}**{made_up} {count(self.done)} of {count(self.n)}"


def readers_of(context: Context, task: Task, said: Sequence[Judgment]) -> list[Reader]:
    """Everybody with an answer in this task that counts, by code."""
    found = []
    for name in sorted({one.reader for one in said if not one.adjudicated}):
        far = progress(plan_for(context, task, name), said)
        made_up = bool(far.said) and all(one.simulated for one in far.said.values())
        found.append(Reader(name, far.done, far.n, made_up))
    return [one for one in found if one.done]


def said_in(context: Context, task: Task) -> tuple[Judgment, ...]:
    """Everything that was said in a task. Raises CuiscopeError."""
    return judgments_of(context.entry.path, task.name)


def is_open(task: Task) -> bool:
    """Whether the answers of a task were asked for."""
    return str(state.carry(PART, "")) == task.name


def button(task: Task) -> None:
    """Opens and closes the answers: they show what others said, which nobody should see before judging."""
    shown = is_open(task)
    st.button(
        "Hide the answers" if shown else "Show the answers", key=f"answers-{task.name}",
        icon=":material/visibility_off:" if shown else ":material/visibility:", on_click=state.set_value,
        args=(PART, "" if shown else task.name), help="For whoever set up the task, once readers are done.",
    )  # fmt: skip


def section(context: Context, task: Task, said: Sequence[Judgment], readers: Sequence[Reader]) -> None:
    """The answers of a task in files, and where readers differ."""
    left = [one for one in readers if one.done < one.n]
    if left:
        names = listed([f"**{md_escape(one.name)}**" for one in left], limit=8)
        st.caption(f":material/hourglass_top: Not finished yet: {names}. What follows can still change.")
    _files(context, task, said)
    settle.section(context, task, said)


def _files(context: Context, task: Task, said: Sequence[Judgment]) -> None:
    """All judgments as a table and as a document, with everything that was taken back; grades as qrels."""
    stem = context.stem(f"judgments-{task.name}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Take away**", width="content")
        download.file(
            "CSV", lambda: "".join(judgment_lines(said)).encode(), f"{stem}.csv", "text/csv",
            key=f"save-csv-{task.name}",
        )  # fmt: skip
        download.file(
            "JSON", lambda: "".join(json_lines(said)).encode(), f"{stem}.json", "application/json",
            key=f"save-json-{task.name}",
        )  # fmt: skip
        grades = 4 if task.scale == 5 else 100
        qrels = qrels_of(said, grades=grades)
        writable = qrels.rows and qrels.spaced is None
        if writable:
            download.file(
                "Qrels", lambda: "".join(qrels.lines()).encode(), f"{stem}.qrels", "text/plain",
                key=f"save-qrels-{task.name}",
            )  # fmt: skip
    about = (
        f" Qrels hold one grade from 0 to {grades} for each result, the median over readers, for trec_eval "
        "and similar programs; simulated readers are left out of them."
    )
    st.caption(
        "CSV and JSON hold every answer, also those changed or taken back later."
        f"{about if writable else ''} Readers who still judge should see none of these."
    )
