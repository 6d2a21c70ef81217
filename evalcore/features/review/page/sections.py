"""Judging on the page Readers: the tasks of a study, and a reader at work on one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from evalcore.features.review.page import new_material, reading, results, who
from evalcore.features.review.page import who as found
from evalcore.features.review.page.who import READ, SEED, TASK
from evalcore.features.review.read.store import own_reader
from evalcore.features.review.read.task_files import MAX_INSTRUCTIONS, MAX_TITLE, save_task
from evalcore.features.review.tasks import (
    BY_CRITERIA,
    FORMS,
    MAX_DEPTH,
    MAX_QUERIES,
    MAX_SYSTEMS,
    SYSTEMS,
    Task,
    systems_to_judge,
    tidy,
)
from evalcore.study.workspace import workspace
from evalcore.ui.components import messages
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.writing import listed, md_escape, plain, pluralize

# A form that makes a task: a file beside the other files of the study.

TITLE, FORM, OF, QUERIES, DRAW, DEPTH, SCALE, SEED_MAKE, TEXT, CRITERIA, PANEL = (
    f"task_{name}"
    for name in (
        "title",
        "form",
        "systems",
        "queries",
        "draw",
        "depth",
        "scale",
        "seed",
        "text",
        "criteria",
        "panel",
    )
)
_SAID = "_task_made"
LARGEST_SEED = 10**9
LONGEST = 40_000
"""Seeds that can be typed, and characters of typed query ids."""


def section(context: Context, tasks: Sequence[Task]) -> None:
    """The form, where the study may be changed."""
    wrong, made = state.get(_SAID, ("", ""))
    state.drop(_SAID)
    if made:
        st.success(f"Task **{md_escape(made)}** created. Send its link to the readers.")
    with st.expander("Make a task", icon=":material/add_circle:", expanded=bool(wrong)):
        st.caption(
            "A task says which queries and systems are judged, how far down their lists, and what is asked. "
            "It is a small file in the study’s folder; judgments are kept separately."
        )
        if not studies.ask(context.entry, key="review"):
            return
        _form(context, [task.name for task in tasks])
        if wrong:
            st.error(md_escape(wrong, limit=600), icon=":material/error:")


def _form(context: Context, taken: Sequence[str]) -> None:
    offered = systems_to_judge(context.study)
    with st.form("make-task", border=False):
        st.text_input("Title", key=TITLE, max_chars=MAX_TITLE, placeholder="Chest radiographs, first round")
        left, right = st.columns(2)
        with left:
            st.selectbox("What readers see", FORMS, key=FORM, format_func=who.FORMS.__getitem__)
            st.number_input("Queries to draw", 1, MAX_QUERIES, 10, key=DRAW)
            st.number_input("Results of each list", 1, MAX_DEPTH, 5, key=DEPTH)
        with right:
            st.segmented_control(
                "Scale",
                (5, 100),
                key=SCALE,
                default=5,
                required=True,
                format_func=lambda n: "5 steps" if n == 5 else "0 to 100",
            )
            st.text_input(
                "Or these queries",
                key=QUERIES,
                max_chars=LONGEST,
                placeholder="ID, ID, …",
                help="Image ids, separated by commas. None are drawn then.",
            )
            st.number_input(
                "Seed",
                0,
                LARGEST_SEED,
                1,
                key=SEED_MAKE,
                help="Draws the queries, and shuffles what readers see.",
            )
        st.multiselect(
            "Systems",
            offered,
            key=OF,
            default=offered[:SYSTEMS],
            max_selections=MAX_SYSTEMS,
            format_func=plain,
            help="Readers never see these names.",
        )
        st.text_input(
            "Criteria",
            key=CRITERIA,
            max_chars=1_000,
            placeholder="same finding, same severity",
            help="Only for “by several criteria”: separated by commas.",
        )
        st.text_area("Instructions for readers", key=TEXT, max_chars=MAX_INSTRUCTIONS, height=110)
        st.checkbox("Also ask how satisfied they are with each list", key=PANEL)
        new_material.field()
        st.form_submit_button(
            "Make the task", type="primary", icon=":material/add:", on_click=_make, args=(context, taken)
        )


def _make(context: Context, taken: Sequence[str]) -> None:
    """Callback: write the task; what was typed stays where it cannot be."""
    folder = context.entry.path
    try:
        studies.check_manages(context.entry)
        task, beside = _typed(taken), dict[str, bytes]()
        if task.form == "material":
            task, beside = new_material.completed(context.study, task)
        in_place = studies.given(folder) and not workspace.is_uploaded(folder)
        save_task(folder, task, in_place=in_place, beside=beside)
    except CuiscopeError as error:
        report = error.report if isinstance(error, InputError) else None
        why = " ".join(map(str, report.problems)) if report is not None else ""
        state.set_plain(_SAID, (f"{error} {why}".strip(), ""))
        return
    for key in (TITLE, QUERIES, CRITERIA, TEXT):
        state.drop(key)
    state.set_plain(_SAID, ("", task.title))


def _typed(taken: Sequence[str]) -> Task:
    typed = st.session_state
    title = tidy(str(typed[TITLE]), MAX_TITLE)
    queries = tuple(
        dict.fromkeys(filter(None, (part.strip() for part in re.split(r"[,;\n]", typed[QUERIES]))))
    )
    criteria = tuple(dict.fromkeys(filter(None, (part.strip() for part in typed[CRITERIA].split(",")))))
    return Task(
        name=who.free_name(title, taken),
        title=title,
        form=typed[FORM],
        systems=tuple(typed[OF]),
        queries=queries,
        draw=0 if queries else int(typed[DRAW]),
        depth=int(typed[DEPTH]),
        scale=typed[SCALE],
        seed=int(typed[SEED_MAKE]),
        instructions=typed[TEXT].strip(),
        criteria=criteria if typed[FORM] in BY_CRITERIA else (),
        panel=bool(typed[PANEL]),
    )


HOW = (
    "Readers judge the results of all systems together, shuffled and without system names. Every answer is "
    "saved at once, so they can continue another day."
)


def show(context: Context) -> None:
    """The reader at work, or the tasks."""
    if reading.on():
        reading.show(context)
        return
    tasks, report = found.tasks(context)
    if not tasks:
        messages.empty(
            "Readers judge results here.",
            "This study has no system with a list of results.",
            label="Add a run on the Data page",
            key="review",
        )
        return
    lead = st.container()
    if report.problems:
        messages.problems(report, key="task-problems")
    readers = [reader for task in tasks for reader in _one(context, task)]
    with lead:
        messages.lead(_so_far(readers))
        st.caption(HOW)
        if readers:
            messages.go_to(
                "readers",
                label="Which measure agrees with the readers?",
                icon=":material/groups:",
                params={state.TAB: "review"},
            )
    if studies.manages(context.entry):
        section(context, tasks)


def _so_far(readers: Sequence[results.Reader]) -> str:
    """How many readers gave how many answers, and whether anybody is behind them."""
    if not readers:
        return "No reader has judged anything here yet. Select “Start judging”, or send a task’s link."
    names = {reader.name for reader in readers}
    answers = pluralize(sum(reader.done for reader in readers), "answer")
    if names == {own_reader()}:
        return f"You gave **{answers}** so far."
    people = names - {reader.name for reader in readers if reader.simulated}
    kind = "" if people == names else " (simulated)" if not people else " (some of them simulated)"
    return f"**{pluralize(len(names), 'reader')}**{kind} gave **{answers}** so far."


def _one(context: Context, task: Task) -> list[results.Reader]:
    """A task: what it asks, how far its readers are, and what can be done with it; those readers."""
    with st.container(border=True, key=f"task-{task.name}"):
        st.header(md_escape(task.title, limit=120), anchor=False)
        try:
            st.markdown(_in_words(context, task, len(reading.plan_for(context, task, "").items)))
            said = results.said_in(context, task)
            readers = _shown(context, results.readers_of(context, task, said))
        except CuiscopeError as error:
            messages.failed(error, key=f"failed-{task.name}")
            return []
        names = listed([reader.words for reader in readers], limit=12)
        st.caption(f"Readers so far: {names}" if readers else "No answers yet.")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Start judging",
                key=f"judge-{task.name}",
                type="primary",
                icon=":material/play_arrow:",
                on_click=reading.begin,
                args=(task,),
            )
            link: dict[str, str] = {
                state.STUDY: studies.link_name(context.entry),
                TASK: task.name,
                SEED: str(task.seed),
                READ: reading.YES,
            }
            st.page_link(
                "pages/4_Readers.py", label="Link for readers", icon=":material/link:", query_params=link
            )
            decides = studies.manages(context.entry)
            if readers and decides:
                results.button(task)
        if readers and decides and results.is_open(task):
            results.section(context, task, said, readers)
    return readers


def _shown(context: Context, readers: list[results.Reader]) -> list[results.Reader]:
    """Whom of the readers whoever looks may know: on a server only who manages the study knows others."""
    own = own_reader()
    return [one for one in readers if own in (None, one.name) or studies.manages(context.entry)]


def _in_words(context: Context, task: Task, n: int) -> str:
    queries = len(task.queries) or min(task.draw, len(context.study.queries))
    scale = "5 steps" if task.scale == 5 or task.form in ("preference", "panel") else "0 to 100"
    first = f"first {pluralize(task.depth, 'result')} of {pluralize(len(task.systems), 'system')}"
    images = len(dict.fromkeys(one.image for one in task.material))
    of = [pluralize(queries, "query"), first]
    if task.form == "material":
        some = len(task.queries) or min(task.draw, images)
        of = [pluralize(some, "image"), pluralize(len(task.systems), "team")]
    parts = [
        f"**{who.FORMS[task.form]}**",
        *of,
        *(() if context.choice.plain else (scale, f"seed {task.seed}")),
        f"{pluralize(n, 'item')} per reader, {who.duration(n)}",
    ]
    return " · ".join(parts)
