"""Who judges: a reader's code, of this session or of the address, and the form that asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import streamlit as st

from evalcore.features.review.items import Item
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.read.store import own_reader
from evalcore.features.review.read.task_files import read_tasks
from evalcore.features.review.tasks import MAX_READER, NAME, QUESTIONS, Task, practice_task, tidy
from evalcore.study.workspace.file_names import safe_name
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context, StudyEntry
from evalcore.ui.frame.state import Key
from evalcore.values.errors import Report
from evalcore.values.writing import md_escape

# What of the page Review stands in its address: the task, its seed, the reader's code. Never a system.

TASK = Key("review", of_study=True)
SEED = Key("draw", of_study=True)
READ = Key("read", of_study=True)
"""Whether a reader judges: then nothing on the page names a system."""
READER = Key("reader")
PART = Key("answers", of_study=True)
"""The task whose answers are shown."""

CODE = "reader_code"
_READER = "_reader"


def reader() -> str:
    """The reader's code: of this session, else of the address; "" where nobody said. On a server always who
    is signed in, whatever the address says."""
    own = own_reader()
    if own is not None:
        return own
    given = str(state.get(_READER, "")) or str(state.read_param(READER, "", state.short_text(MAX_READER)))
    code = tidy(given, MAX_READER)
    if code:
        state.put(READER, code if _harmless(code) else "")
    return code


def as_seen(entry: StudyEntry, judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """Judgments as whoever looks may see them.

    On a server the names of other readers are for who manages the study; others see Reader 1, Reader 2.
    """
    given, own = tuple(judgments), own_reader()
    if own is None or studies.manages(entry):
        return given
    others = dict.fromkeys(one.reader for one in given if one.reader != own)
    names = {own: own} | {name: f"Reader {number}" for number, name in enumerate(others, start=1)}
    return tuple(replace(one, reader=names[one.reader]) for one in given)


def _harmless(code: str) -> bool:
    """Whether a code can stand in an address: letters and a number, which is nobody's name."""
    letters = code.rstrip("0123456789")
    return len(letters) <= 3 and letters.isalpha() and len(letters) < len(code) <= 7 and code.isascii()


def ask(label: str, *, icon: str = ":material/play_arrow:", key: str = "who") -> None:
    """The form for the code; ``label``: what its button says."""
    with st.form(key, border=False):
        st.text_input(
            "Your reader code",
            key=CODE,
            max_chars=MAX_READER,
            placeholder="R1",
            help="You received a code with the invitation. Use a code such as R1, not your name: it is kept "
            "with every answer. Each reader needs their own code.",
        )
        st.form_submit_button(label, type="primary", on_click=_named, icon=icon)


def _named() -> None:
    """Callback."""
    state.set_plain(_READER, tidy(str(st.session_state.get(CODE, "")), MAX_READER))


def known(code: str) -> None:
    """Who judges, for a horizontal row, and the way for somebody else to do so."""
    st.caption(f"You judge as **{md_escape(code)}**.", width="content")
    if own_reader() is None:
        st.button("Another reader", key="other-reader", type="tertiary", on_click=forget)


def forget() -> None:
    """Callback: ask for the code again."""
    state.set_plain(_READER, "")
    state.set_value(READER, "")


# The questions readers are asked, and the words of their answers.

STEPS = {
    "graded": ("Not useful", "Slightly useful", "Fairly useful", "Very useful", "Exactly what I need"),
    "panel": ("Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied"),
    "preference": ("Left much better", "Left better", "No difference", "Right better", "Right much better"),
    "rating": ("Very poor", "Poor", "Fair", "Good", "Very good"),
}
ENDS = {"graded": ("Not useful at all", "Exactly what I need"), "rating": ("Very poor", "Very good")}
FORMS = {
    "graded": "One result at a time",
    "preference": "Two lists side by side",
    "panel": "A whole list at a time",
    "ratings": "One result at a time, by several criteria",
    "material": "One explanation at a time, by several criteria",
}
TAKEN = frozenset("cutgixwlnp")
"""Letters that do something else."""


def question(item: Item, task: Task | None = None) -> str:
    """What is asked about an item."""
    what = "explanation" if task is not None and task.form == "material" else "result"
    return f"{item.criterion}: how good is this {what}?" if item.kind == "rating" else QUESTIONS[item.kind]


def steps(task: Task, item: Item) -> list[tuple[str, float]] | None:
    """(words, value) of each answer; None where it is a number from 0 to 100."""
    if task.scale == 100 and item.kind in ENDS:
        return None
    values = (-1.0, -0.5, 0.0, 0.5, 1.0) if item.kind == "preference" else (0.0, 0.25, 0.5, 0.75, 1.0)
    return list(zip(STEPS[item.kind], values, strict=True))


def said(task: Task, item: Item, value: float | None) -> str:
    """An answer in words."""
    if value is None:
        return "Cannot say"
    offered = steps(task, item)
    return f"{value * 100:.0f}" if offered is None else min(offered, key=lambda one: abs(one[1] - value))[0]


def lists(item: Item) -> list[tuple[str, tuple[str, ...]]]:
    """(title, images) of what is judged of an item, in the order of the screen."""
    if item.kind == "preference":
        return [("Left list", item.results), ("Right list", item.others)]
    return [("Result" if item.result else "The list", item.results)]


def letters(reasons: Sequence[str]) -> list[str]:
    """A key for each reason: its first letter that is free, else none.

    >>> letters(["modality", "organ", "finding", "severity", "quality", "again", "contrast"])
    ['m', 'o', 'f', 's', 'q', 'a', 'r']
    """
    free = set("abcdefghijklmnopqrstuvwxyz") - TAKEN
    keys = []
    for reason in reasons:
        key = next((letter for letter in reason.casefold() if letter in free), "")
        free.discard(key)
        keys.append(key)
    return keys


def duration(n: int) -> str:
    """About how long so many items take, at ten seconds each."""
    minutes = max(1, round(n / 6))
    return f"about {minutes} {'minute' if minutes == 1 else 'minutes'}"


# The tasks of a study: those of its files, and the one every study has to practise.


def tasks(context: Context) -> tuple[tuple[Task, ...], Report]:
    """The tasks by name, the one to practise last; and what is wrong with their files."""
    kept, report = read_tasks(context.entry.path)
    practice = practice_task(context.study)
    if practice is not None and all(task.name != NAME for task in kept):
        kept = (*kept, practice)
    return kept, report


def chosen(context: Context) -> Task | None:
    """The task of the address; None, and a word about it, when there is no such task."""
    asked = str(state.read_param(TASK, ""))
    for task in tasks(context)[0]:
        if task.name == asked:
            return task
    if asked:
        st.warning(
            f"This study has no task called **{md_escape(asked, limit=80)}**, or its file has errors.",
            icon=":material/link_off:",
        )
    return None


def free_name(title: str, taken: Sequence[str]) -> str:
    """What the file is called: the title as far as every system can hold it, numbered where it is taken."""
    name, used = safe_name(title or "task"), {one.casefold() for one in taken}
    numbers = (f"{name[:70]}-{n}" for n in range(2, len(used) + 3))
    return (
        name
        if name.casefold() not in used
        else next(number for number in numbers if number.casefold() not in used)
    )
