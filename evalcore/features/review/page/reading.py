"""A reader at work: who it is, what is asked, the desk, and what comes after the last item."""

from __future__ import annotations

from functools import partial

import streamlit as st

from evalcore.features.review.items import Plan, Progress, plan_of
from evalcore.features.review.page import desk, found, who
from evalcore.features.review.page.who import READ, READER, SEED, TASK
from evalcore.features.review.pools import lists_of
from evalcore.features.review.read.store import study_id
from evalcore.features.review.tasks import Task
from evalcore.ui.components import messages
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError
from evalcore.values.grouping import with_same_group
from evalcore.values.markdown import md_escape
from evalcore.values.settings import DROP
from evalcore.values.writing import count, things

YES = "yes"


def on() -> bool:
    """Whether a reader judges now, by the address or because it was chosen here."""
    return bool(state.carry(READ, "", state.one_of("", YES)) == YES)


def show(context: Context) -> None:
    """Everything a reader sees."""
    task = found.chosen(context)
    if task is None:
        _leave()
        return
    asked = state.carry(SEED, "")
    if asked and str(asked) != str(task.seed):
        st.warning(
            "This link was made for another draw of this task. Ask whoever sent it for a new one.",
            icon=":material/link_off:",
        )
        _leave()
        return
    reader = who.reader()
    try:
        plan = plan_for(context, task, reader)
        study = study_id(context.entry.path)
    except CuiscopeError as error:
        messages.failed(error, key="task-failed")
        _leave()
        return
    if not reader:
        _ask(task, len(plan.items))
        return
    desk.judge(context, study, plan, partial(_after, task))
    with st.container(horizontal=True, vertical_alignment="center"):
        who.known(reader)
        _leave("Leave the judging")
    if task.instructions:
        with st.expander(f"{md_escape(task.title)}: what you are asked", icon=":material/info:"):
            _lines(task)


def plan_for(context: Context, task: Task, reader: str) -> Plan:
    """The items of a reader, made once. CuiscopeError where the study has not what the task asks for."""
    whole = with_same_group(context.study, DROP)
    lists = cache.share(("review-lists", whole.content, repr(task)), lambda: lists_of(whole, task))
    return cache.share(
        ("review-plan", whole.content, repr(task), reader), lambda: plan_of(task, lists, reader=reader)
    )


def blind() -> tuple[Key, ...]:
    """What of the address stays while a reader judges; nothing where none does."""
    return (TASK, SEED, READ, READER) if on() else ()


def begin(task: Task) -> None:
    """Callback: judge this task, blind."""
    state.set_value(TASK, task.name)
    state.set_value(SEED, str(task.seed))
    state.set_value(READ, YES)


def _ask(task: Task, n: int) -> None:
    with st.container(border=True):
        st.header(md_escape(task.title), anchor=False)
        st.markdown(
            f"{md_escape(who.FORMS[task.form])}: {things(n, 'item')}, {who.duration(n)}. You will not "
            "see which system found what. Every answer is saved at once, so you can stop at any time and "
            "go on another day with the same code. The keyboard is enough: press ? for the keys."
        )
        _lines(task)
        who.ask("Start")
    _leave()


def _lines(task: Task) -> None:
    for line in filter(None, task.instructions.splitlines()):
        st.markdown(md_escape(line))


def _after(task: Task, far: Progress) -> None:
    """What there is to say below the desk: nothing while there is something to judge."""
    if far.open:
        return
    cannot = sum(one.said == "cannot-say" for one in far.said.values())
    said = f", {count(cannot)} of them with “cannot say”" if cannot else ""
    st.success(
        f"All done, thank you: {things(far.n, 'answer')} saved{said}. Nothing else is needed from you. "
        f"Your answers go to whoever set up **{md_escape(task.title)}**, under your code only.",
        icon=":material/task_alt:",
    )
    st.caption("To change the last answer, press U or Undo. Then you can close this page.")


def _leave(label: str = "Back to the tasks") -> None:
    st.button(
        label,
        key="leave",
        type="tertiary",
        icon=":material/logout:",
        on_click=state.set_value,
        args=(READ, ""),
    )
