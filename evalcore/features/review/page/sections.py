"""The page Review: the tasks of a study, and a reader at work on one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.review.page import found, make, reading, results, verdict_list, words
from evalcore.features.review.page.keys import READ, SEED, TASK
from evalcore.figures.numbers import listed, things
from evalcore.ui.components import messages
from evalcore.ui.frame import state
from evalcore.ui.frame.copylink import copy_link
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.features.review.tasks import Task
    from evalcore.ui.frame.context import Context

HOW = (
    "Readers judge the results of all systems together, shuffled, without knowing which system found what. "
    "An answer is saved at once; readers stop when they like and go on another day."
)


def show(context: Context) -> None:
    """The reader at work, or the tasks."""
    if reading.on():
        reading.show(context)
        return
    tasks, report = found.tasks(context)
    if not tasks:
        messages.empty(
            "Here readers judge results.", "This study has no system with a list of results.",
            label="Add a run on the Data page", key="review",
        )  # fmt: skip
        return
    messages.lead(HOW)
    if report.problems:
        messages.problems(report, key="task-problems")
    for task in tasks:
        _one(context, task)
    make.section(context, tasks)
    verdict_list.section(context)


def _one(context: Context, task: Task) -> None:
    """A task: what it asks, how far its readers are, and what can be done with it."""
    with st.container(border=True, key=f"task-{task.name}"):
        st.header(md_escape(task.title, limit=120), anchor=False)
        try:
            st.markdown(_in_words(context, task, len(reading.plan_for(context, task, "").items)))
            said = results.said_in(context, task)
            readers = results.readers_of(context, task, said)
        except CuiscopeError as error:
            messages.failed(error, key=f"failed-{task.name}")
            return
        names = listed([one.words for one in readers], limit=12)
        st.caption(f"Readers so far: {names}" if readers else "Nobody has judged anything yet.")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Start judging", key=f"judge-{task.name}", type="primary", icon=":material/play_arrow:",
                on_click=reading.begin, args=(task,),
            )  # fmt: skip
            link: dict[str, str] = {
                state.STUDY: context.entry.slug, TASK: task.name, SEED: str(task.seed), READ: reading.YES
            }  # fmt: skip
            copy_link(
                also=link, alone=True, label="Copy link for readers", key=f"link-{task.name}", width=220
            )
            if readers:
                results.button(task)
        if readers and results.is_open(task):
            results.section(context, task, said, readers)


def _in_words(context: Context, task: Task, n: int) -> str:
    queries = len(task.queries) or min(task.draw, len(context.study.queries))
    parts = [
        f"**{words.FORMS[task.form]}**", things(queries, "query"),
        f"first {things(task.depth, 'result')} of {things(len(task.systems), 'system')}",
        "5 steps" if task.scale == 5 or task.form in ("preference", "panel") else "0 to 100",
        f"seed {task.seed}", f"{things(n, 'item')} a reader, {words.duration(n)}",
    ]  # fmt: skip
    return " · ".join(parts)
