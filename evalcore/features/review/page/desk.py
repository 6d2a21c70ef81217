"""The judging desk: a component of our own with the pictures, the question and the keys.

A component because judging goes by keyboard, and the next item must stand there at once. Everything it is
given is text and addresses of pictures; everything it says comes through `heard`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.features.review.page import desk_items
from evalcore.features.review.page.desk_script import JS
from evalcore.features.review.page.desk_style import CSS
from evalcore.features.review.page.heard import Heard, take
from evalcore.features.review.progress import progress
from evalcore.features.review.read.together import judgments_of
from evalcore.ui.components import messages
from evalcore.ui.frame import state
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.features.review.items import Plan
    from evalcore.features.review.progress import Progress
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

SLOT = "desk"
"""Key of the component."""
AHEAD, LISTS_AHEAD = 4, 2
"""Items sent at a time, the one on the screen among them."""
_HEARD = "_heard:"
_HTML = '<div class="room"></div>'


@state.fragment()
def judge(context: Context, study_id: str, plan: Plan, after: Callable[[Progress], None]) -> None:
    """The desk of a reader, and ``after`` it what there is to say of how far the reader is.

    A fragment: an answer draws this part only.
    """
    study, heard = context.study, _heard(study_id, plan)
    try:
        said = judgments_of(context.entry.path, plan.task.name)
    except CuiscopeError as error:
        messages.failed(error, key="desk-failed")
        return
    far = progress(plan, [one for one in said if not one.simulated])
    sent = mount(_data(study, study_id, plan, far, heard), partial(_take, study_id, plan))
    if heard.news(sent):  # a program that was started anew hears it without a callback
        take(study_id, plan, sent, heard)
        st.rerun()
    after(far)


def mount(data: dict[str, Any], on_sent: Callable[[], None]) -> object:
    """Put the desk on the page; what the browser has sent so far and holds until it is confirmed."""
    component = st.components.v2.component("cuiscope_desk", html=_HTML, css=CSS, js=JS)
    return component(data=data, key=SLOT, height="content", on_outbox_change=on_sent).get("outbox")


def _take(study_id: str, plan: Plan) -> None:
    """Callback: store what the browser sent."""
    take(study_id, plan, st.session_state[SLOT].get("outbox"), _heard(study_id, plan))


def _heard(study_id: str, plan: Plan) -> Heard:
    """What this session has heard of this reader in this task."""
    found: Heard = st.session_state.setdefault(_HEARD + _session(study_id, plan), Heard())
    return found


def _session(study_id: str, plan: Plan) -> str:
    return f"{study_id}:{plan.task.name}:{plan.task.seed}:{plan.reader}"


def _data(study: Study, study_id: str, plan: Plan, far: Progress, heard: Heard) -> dict[str, Any]:
    """What the browser is told."""
    place = {item.key: n for n, item in enumerate(plan.items)}
    lists = plan.task.form in ("preference", "panel")
    ahead = far.open[: LISTS_AHEAD if lists else AHEAD]
    items = [desk_items.shown(study, plan.task, item, place[item.key]) for item in ahead]
    failed = None
    if heard.failed:
        words = f"Not saved. {plain(heard.why, limit=400)} Your answer is kept: press Enter to try again."
        failed = {"ids": heard.failed, "words": words}
    return {
        "session": _session(study_id, plan), "items": items, "before": _before(study, plan, far, place),
        "done": far.done, "n": far.n, "stored": heard.stored, "failed": failed,
    }  # fmt: skip


def _before(study: Study, plan: Plan, far: Progress, place: dict[str, int]) -> dict[str, Any] | None:
    """The item that was judged last, with what was said: it can be taken back, also on another day."""
    if not far.said:
        return None
    key = max(far.said, key=lambda one: (far.said[one].at, far.said[one].id))
    last = far.said[key]
    answer = {"id": last.id, "value": last.value, "reasons": list(last.reasons), "comment": last.comment}
    return {"item": desk_items.shown(study, plan.task, plan.item(key), place[key]), "answer": answer}
