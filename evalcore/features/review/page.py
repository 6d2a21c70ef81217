"""Judging on the page Readers: the tasks of a study, how far readers are, closing a task, making one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from evalcore.features.review import page_desk as desk
from evalcore.features.review import records, store
from evalcore.features.review.exchange import csv_of, json_of
from evalcore.features.review.files import COLUMNS, close_task, is_closed, new_material, save_task
from evalcore.features.review.items import PRACTICE, Item, Progress, check_items, progress, systems_to_judge
from evalcore.features.review.page_desk import READ, SEED, TASK, YES
from evalcore.features.review.records import Judgment, Material, Task
from evalcore.study.workspace.file_names import safe_name
from evalcore.study.workspace.home import is_uploaded
from evalcore.ui.components import download, fold, messages
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.writing import listed, md_escape, plain, pluralize

HOW = (
    "Readers judge the results of all systems together, shuffled and without system names. Every answer is "
    "saved at once, so they can continue another day."
)
NEWS = "_review_news"
"""What the last change of the study came to (see `messages.show`)."""


Readers = dict[str, Progress]
"""How far each reader is, by code: those with an answer that counts."""


def show(context: Context) -> None:
    """The reader at work, or the tasks."""
    if desk.is_judging():
        desk.show(context)
        return
    tasks, report = desk.tasks_of(context)
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
    messages.show(NEWS)
    of_tasks = [task for task in tasks if task.name != PRACTICE]
    first = next((task for task in of_tasks if not is_closed(context.entry.path, task)), tasks[-1])
    readers = {task.name: _task(context, task, primary=task is first) for task in tasks}
    with lead:
        messages.headline(_so_far([readers[task.name] for task in of_tasks]))
        st.caption(HOW)
    if studies.manages(context.entry):
        _make_section(context, tasks)


def _so_far(of_tasks: Sequence[Readers]) -> str:
    """How many readers gave how many answers to real tasks."""
    names = {name for readers in of_tasks for name in readers}
    if not names:
        return "No readers yet. Make a task and send its link, or select “Start judging” to try it."
    answers = pluralize(sum(far.done for readers in of_tasks for far in readers.values()), "answer")
    if names == {store.own_reader()}:
        return f"You gave **{answers}** so far."
    return f"**{pluralize(len(names), 'reader')}** gave **{answers}** so far."


def _task(context: Context, task: Task, *, primary: bool) -> Readers:
    """A task: what it asks, how far its readers are, and what can be done with it; those readers."""
    folder, decides = context.entry.path, studies.manages(context.entry)
    closed = is_closed(folder, task)
    with st.container(border=True, key=f"task-{task.name}"):
        st.header(md_escape(task.title, limit=120), anchor=False)
        try:
            st.markdown(_in_words(context, task, desk.cached_items(context, task, "")))
            history = store.judgments_of(folder, task=task.name)
            names_of = desk.visible_names(context.entry, [judgment.reader for judgment in history])
            judgments = [replace(judgment, reader=names_of[judgment.reader]) for judgment in history]
            readers = _readers(context, task, judgments)
        except CuiscopeError as error:
            messages.failed(error, key=f"failed-{task.name}")
            return {}
        own = store.own_reader()
        visible = {name: far for name, far in readers.items() if own in (None, name) or decides}
        each = [f"**{md_escape(name)}** {far.done:,} of {far.n:,}" for name, far in visible.items()]
        names = listed(each, limit=12)
        st.caption(f"Readers so far: {names}" if visible else "No answers yet.")
        with st.container(horizontal=True, vertical_alignment="center"):
            if closed:
                st.markdown(":material/lock: Closed", width="content")
                messages.go_to(
                    "readers",
                    label="See what readers say",
                    icon=":material/groups:",
                    params={state.TAB: "review"},
                )
            else:
                st.button(
                    "Start judging",
                    key=f"judge-{task.name}",
                    type="primary" if primary else "secondary",
                    icon=":material/play_arrow:",
                    on_click=desk.begin,
                    args=(task,),
                )
                link: dict[str, str] = {
                    state.STUDY: studies.link_name(context.entry),
                    TASK: task.name,
                    SEED: str(task.seed),
                    READ: YES,
                }
                st.page_link(
                    "pages/4_Readers.py", label="Link for readers", icon=":material/link:", query_params=link
                )
        if visible and decides:
            fold.section(
                "Close or export",
                *(_answers, context, task, judgments, readers, closed),
                param=Key(f"answers_{task.name}", of_study=True),
            )
    return visible


def _readers(context: Context, task: Task, judgments: Sequence[Judgment]) -> Readers:
    so_far = {
        name: progress(desk.cached_items(context, task, name), task.name, name, judgments)
        for name in sorted({judgment.reader for judgment in judgments})
    }
    return {name: far for name, far in so_far.items() if far.done}


def _in_words(context: Context, task: Task, items: Sequence[Item]) -> str:
    """What a task asks for; ``items``: those of any reader."""
    scale = "5 steps" if task.scale == 5 or task.form in ("preference", "panel") else "0 to 100"
    n = len({item.query for item in items})
    what = [
        pluralize(n, "query"),
        f"first {pluralize(task.depth, 'result')} of {pluralize(len(task.systems), 'system')}",
    ]
    if task.form == "material":
        what = [pluralize(n, "image"), pluralize(len(task.systems), "team")]
    parts = [
        f"**{records.TITLES[task.form]}**",
        *what,
        *(() if context.choice.plain else (scale, f"seed {task.seed}")),
        f"{pluralize(len(items), 'item')} per reader, {desk.duration(len(items))}",
    ]
    return " · ".join(parts)


# The answers to a task, for its organiser.


def _answers(
    context: Context, task: Task, judgments: Sequence[Judgment], readers: Readers, closed: bool
) -> None:
    """Closing; once it is closed, files with every answer and the systems."""
    left = [f"**{md_escape(name)}**" for name, far in readers.items() if far.open]
    if left:
        names = listed(left, limit=8)
        st.caption(f":material/hourglass_top: Not finished yet: {names}. The results can still change.")
    if task.name == PRACTICE:
        st.caption("Practice answers are not exported and not analysed.")
        return
    if not closed:
        _close(context, task)
        return
    stem = context.stem(f"judgments-{task.name}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Every answer, with the systems**", width="content")
        for label, lines, kind in (("CSV", csv_of, "text/csv"), ("JSON", json_of, "application/json")):
            ending = label.lower()

            data = partial(_file, lines, judgments)
            download.file(label, data, f"{stem}.{ending}", kind, key=f"save-{ending}-{task.name}")
    st.caption(
        f"The answers are in the study: judgments/{md_escape(task.name)}.csv. To collect more, remove that "
        "file; the answers stay."
    )


def _file(lines: Callable[[Iterable[Judgment]], Iterator[str]], judgments: Sequence[Judgment]) -> bytes:
    return "".join(lines(judgments)).encode()


def _close(context: Context, task: Task) -> None:
    st.caption(
        "Closing a task ends the judging and adds the answers to the study, with the names of the systems: "
        f"judgments/{md_escape(task.name)}.csv."
    )
    if studies.ask(context.entry, key="close"):
        st.button(
            "Close the task",
            key=f"close-{task.name}",
            icon=":material/lock:",
            on_click=_on_close,
            args=(context, task),
        )


@messages.guarded(NEWS)
def _on_close(context: Context, task: Task) -> None:
    """Callback."""
    folder = context.entry.path
    studies.check_manages(context.entry)
    in_place = studies.is_allowed(folder) and not is_uploaded(folder)
    n = close_task(folder, task, store.judgments_of(folder, task=task.name), in_place=in_place)
    done = f"**{md_escape(task.title)}** is closed: {pluralize(n, 'answer')} added."
    messages.announce(NEWS, "good", done)
    state.redraw_page()


# A form that makes a task: a file beside the other files of the study.

TITLE, FORM, SYSTEMS, QUERIES, DRAW, DEPTH, SCALE, SEED_MADE, TEXT, CRITERIA, PANEL, FILES = (
    f"task_{name}"
    for name in (
        *("title", "form", "systems", "queries", "draw", "depth"),
        *("scale", "seed", "text", "criteria", "panel", "material"),
    )
)
LARGEST_SEED = 10**9
LONGEST_IDS = 40_000
"""Characters of typed query ids."""
MAX_MB = 20


def _make_section(context: Context, tasks: Sequence[Task]) -> None:
    """The form, where the study may be changed."""
    with st.expander("Make a task", icon=":material/add_circle:", expanded=bool(state.get(TITLE, ""))):
        st.caption(
            "A task says which queries and systems are judged, how far down their lists, and what is asked. "
            "It is a small file in the study’s folder; judgments are kept separately."
        )
        if studies.ask(context.entry, key="review"):
            _form(context, [task.name for task in tasks])


def _form(context: Context, taken: Sequence[str]) -> None:
    offered = systems_to_judge(context.study)
    with st.form("make-task", border=False):
        st.text_input(
            "Title", key=TITLE, max_chars=records.MAX_TITLE, placeholder="Chest radiographs, first round"
        )
        left, right = st.columns(2)
        with left:
            st.selectbox("What readers see", records.FORMS, key=FORM, format_func=records.TITLES.__getitem__)
            st.number_input("Queries to draw", 1, records.MAX_QUERIES, 10, key=DRAW)
            st.number_input("Results of each list", 1, records.MAX_DEPTH, 5, key=DEPTH)
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
                max_chars=LONGEST_IDS,
                placeholder="ID, ID, …",
                help="Image ids, separated by commas. None are drawn then.",
            )
            st.number_input(
                "Seed",
                0,
                LARGEST_SEED,
                1,
                key=SEED_MADE,
                help="Draws the queries, and shuffles what readers see.",
            )
        st.multiselect(
            "Systems",
            offered,
            key=SYSTEMS,
            default=offered[:6],
            max_selections=records.MAX_SYSTEMS,
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
        st.text_area("Instructions for readers", key=TEXT, max_chars=records.MAX_INSTRUCTIONS, height=110)
        st.checkbox("Also ask how satisfied they are with each list", key=PANEL)
        with st.expander("Explanations to rate"):
            st.caption(
                "For “One explanation at a time”: a table with the columns image and team, and caption, "
                "explanation or heat_map, the name of a picture that you upload with it. Images are drawn "
                "from the table. Readers never see the team."
            )
            st.file_uploader(
                "Table and heat maps",
                type=["csv", "png", "jpg", "jpeg"],
                accept_multiple_files=True,
                key=FILES,
                max_upload_size=MAX_MB,
            )
        st.form_submit_button(
            "Make the task", icon=":material/add:", on_click=_on_make, args=(context, taken)
        )


@messages.guarded(NEWS)
def _on_make(context: Context, taken: Sequence[str]) -> None:
    """Callback: write the task; what was typed stays where it cannot be."""
    folder = context.entry.path
    studies.check_manages(context.entry)
    task, beside = _typed(taken), dict[str, Path | bytes]()
    complete = task
    if task.form == "material":
        material, beside = _uploaded_material(task.name)
        task = replace(task, systems=tuple(dict.fromkeys(each.team for each in material)), panel=False)
        complete = replace(task, material=material)
    records.checked(f"review/{task.name}.toml", [task], "Nothing was written.")
    check_items(context.study, complete)
    in_place = studies.is_allowed(folder) and not is_uploaded(folder)
    save_task(folder, task, in_place=in_place, beside=beside)
    for key in (TITLE, QUERIES, CRITERIA, TEXT):
        state.drop(key)
    done = f"Task **{md_escape(task.title)}** created. Send its link to the readers."
    messages.announce(NEWS, "good", done)


def _uploaded_material(task: str) -> tuple[tuple[Material, ...], dict[str, Path | bytes]]:
    """What was uploaded: one table, and its heat maps."""
    files = {file.name: file.getvalue() for file in st.session_state.get(FILES) or ()}
    names = [name for name in files if name.lower().endswith(".csv")]
    if len(names) != 1:
        raise InputError(f"Give one table (CSV) of explanations, with the columns {', '.join(COLUMNS)}.")
    return new_material(files.pop(names[0]), files, file=names[0], task=task)


def _typed(taken: Sequence[str]) -> Task:
    typed = st.session_state
    title = records.tidy(str(typed[TITLE]), records.MAX_TITLE)
    queries = tuple(dict.fromkeys(filter(None, map(str.strip, re.split(r"[,;\n]", typed[QUERIES])))))
    criteria = tuple(dict.fromkeys(filter(None, map(str.strip, typed[CRITERIA].split(",")))))
    return Task(
        name=_free_name(title, taken),
        title=title,
        form=typed[FORM],
        systems=tuple(typed[SYSTEMS]),
        queries=queries or int(typed[DRAW]),
        depth=int(typed[DEPTH]),
        scale=typed[SCALE],
        seed=int(typed[SEED_MADE]),
        instructions=typed[TEXT].strip(),
        criteria=criteria if typed[FORM] == "material" else (),
        panel=bool(typed[PANEL]),
    )


def _free_name(title: str, taken: Sequence[str]) -> str:
    """What the file is called: the title as far as every system can hold it, numbered where it is taken."""
    name, used = safe_name(title or "task"), {each.casefold() for each in (*taken, PRACTICE)}
    numbers = (f"{name[:70]}-{n}" for n in range(2, len(used) + 3))
    return next(each for each in (name, *numbers) if each.casefold() not in used)
