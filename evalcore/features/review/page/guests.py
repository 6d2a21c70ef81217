"""Readers without an account on a server, invited to one task: each by a code of their own, shown once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from evalcore import extensions
from evalcore.features.review.read.store import guest_reader
from evalcore.features.review.tasks import NAME, Task
from evalcore.ui.components import messages
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context, StudyEntry
from evalcore.values.account import is_served
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape
from evalcore.values.writing import pluralize

MOST, LONGEST = 100, 30
"""Guests of one task, and characters of a name."""
_OUTCOME, _CODE = "guests_outcome", "_guest_code"
_guarded = messages.guarded(_OUTCOME)


def section(context: Context, task: Task) -> None:
    """Who is invited to a task, a form for one more, and the link for them, once. Nothing on one's own
    computer, where codes are agreed upon, nor for the task to practise, which no file holds."""
    if not is_served() or task.name == NAME or not extensions.offers("guests"):
        return
    invited = _invited(context.entry.path, task)
    made: tuple[str, str, str] = state.get(_CODE) or ("", "", "")
    mine = made[0] == _key(context.entry.path, task)
    title = f"Invited readers without an account: {pluralize(len(invited), 'guest') if invited else 'none'}"
    with st.expander(title, icon=":material/mail:", expanded=mine):
        if mine:
            _link(*made[1:])
        messages.show(_OUTCOME)
        st.caption(
            "A guest sees this task of this study, and nothing else. Each guest needs a link of their own: "
            "whoever has it judges as this guest."
        )
        with st.form(f"invite-{task.name}", border=False):
            name = f"guest-name-{task.name}"
            st.text_input("Name or code of the guest", key=name, max_chars=LONGEST, placeholder="R1")
            st.form_submit_button(
                "Make a link", icon=":material/link:", on_click=_invite, args=(context.entry, task, name)
            )
        for guest in invited:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{md_escape(guest.name, limit=LONGEST)}**", width="stretch")
                st.button(
                    "Revoke",
                    key=f"revoke-{guest.id}",
                    icon=":material/link_off:",
                    on_click=_revoke,
                    args=(context.entry, task, guest.id),
                    help="The link no longer works. Judgments that were made are kept.",
                )


def _link(name: str, code: str) -> None:
    """The link of somebody who was just invited; it is not kept, so it cannot be shown again."""
    state.drop(_CODE)
    page = (st.context.url or "").partition("?")[0]
    st.success(f"This is the link for **{md_escape(name, limit=LONGEST)}**. Copy it now: it is shown once.")
    st.code(f"{page.rpartition('/')[0]}/guest?code={code}", language=None)


def _key(study: Path, task: Task) -> str:
    return f"{study} {task.name}"


def _guests() -> Any:
    return extensions.addition("guests")


def _invited(study: Path, task: Task) -> list[Any]:
    return [one for one in _guests().guests() if (one.study, one.task) == (str(study), task.name)]


@_guarded
def _invite(entry: StudyEntry, task: Task, widget: str) -> None:
    """Callback: a code for whom was typed."""
    studies.check_manages(entry)
    name = " ".join(str(st.session_state.get(widget) or "").split())[:LONGEST]
    there = _invited(entry.path, task)
    if guest_reader(name) in {guest_reader(one.name) for one in there}:
        raise InputError(
            f"There is a guest called {name} already. Revoke that link first, or take another name."
        )
    if len(there) >= MOST:
        raise InputError(f"A task has {MOST} guests at most. Revoke a link first.")
    code = _guests().make(entry.path, task.name, name)
    state.set_plain(widget, "")
    state.set_plain(_CODE, (_key(entry.path, task), name, code))


@_guarded
def _revoke(entry: StudyEntry, task: Task, guest: str) -> None:
    """Callback: a link works no longer."""
    studies.check_manages(entry)
    if any(one.id == guest for one in _invited(entry.path, task)):
        _guests().revoke(guest)
        messages.say(_OUTCOME, "good", "The link no longer works.")
