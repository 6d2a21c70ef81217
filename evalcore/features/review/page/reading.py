"""A reader at work: who it is, what is asked, the desk, and what comes after the last item."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import streamlit as st

from evalcore.features.review.items import Item, Plan, Progress, by_key, lists_of, plan_of, progress
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.page import who
from evalcore.features.review.page import who as found
from evalcore.features.review.page.who import READ, READER, SEED, TASK
from evalcore.features.review.read import store
from evalcore.features.review.read.material_files import heat_map_names
from evalcore.features.review.read.store import study_id
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.tasks import MAX_COMMENT, SAID, Task, tidy
from evalcore.ui.components import messages
from evalcore.ui.components.viewer import Picture, picture, served
from evalcore.ui.frame import cache, state, studies
from evalcore.ui.frame.context import Context, StudyEntry
from evalcore.ui.frame.state import Key
from evalcore.values.bundled import bundled
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.grouping import with_same_group
from evalcore.values.model import Study
from evalcore.values.settings import DROP
from evalcore.values.writing import count, md_escape, plain, pluralize, upper_first

# The judging desk: a component of our own with the pictures, the question and the keys.
#
# A component because judging goes by keyboard, and the next item must stand there at once. Everything it is
# given is text and addresses of pictures; everything it says comes through `heard`.

# Items as the desk shows them: pictures, question and answers. Nothing here knows a system.

_LONGEST_TEXT = 4_000
"""Characters of a caption with its explanation."""
SLOTS = 12
"""Items whose pictures are served at a time: those on the screen, ahead and just behind."""
OF_A_LIST = 768
"""Pixels of the longer side of a picture in a list, which are many."""


def shown(study: Study, plan: Plan, item: Item, place: int) -> dict[str, Any]:
    """An item with its pictures; ``place`` is where it stands in the reader's order."""
    task = plan.task
    slot = f"review-{place % SLOTS}"
    steps = who.steps(task, item)
    reasons = zip(task.reasons, who.letters(task.reasons), strict=True)
    asked: dict[str, Any] = {
        "key": item.key,
        "question": plain(who.question(item, task), limit=200),
        "steps": None if steps is None else [{"words": said, "value": value} for said, value in steps],
        "ends": list(who.ENDS.get(item.kind, ("", ""))),
        "reasons": [
            {"name": name, "words": plain(upper_first(name), limit=40), "key": key} for name, key in reasons
        ],
    }
    asked["query"] = _side(study, item.query, title="Query", slot=f"{slot}-query")
    if task.form == "material":
        own = {"query": _side(study, item.query, title="Image", slot=f"{slot}-query")}
        return asked | own | {"result": _explanation(task, item, f"{slot}-result")}
    if item.result:
        return asked | {"result": _side(study, item.result, title="Result", slot=f"{slot}-result")}
    return asked | {
        "lists": [
            {
                "title": title,
                "tiles": [
                    _side(
                        study, image, title=f"{title}, result {n}", slot=f"{slot}-{row}-{n}", size=OF_A_LIST
                    )
                    for n, image in enumerate(images, start=1)
                ],
            }
            for row, (title, images) in enumerate(who.lists(item))
        ]
    }


def _explanation(task: Task, item: Item, slot: str) -> Picture:
    """What a team says of an image: its heat map with the text beside the title, or the text in its place."""
    one = by_key(task)[item.result]
    text, src = plain(one.text, limit=_LONGEST_TEXT), ""
    if one.heat_map and task.heat_maps is not None:
        place = heat_map_names(task.material).index(one.heat_map)
        src, none = served(task.heat_maps, place, slot, None)
        text = text or none
    words = text if src else ""
    alt = plain(f"Explanation. {text}", limit=240)
    return {"title": "Explanation", "src": src, "alt": alt, "words": words, "none": "" if src else text}


def _side(study: Study, name: str, *, title: str, slot: str, size: int | None = None) -> Picture:
    image = study.concepts.index(name)
    result = picture(study, image, title=title, slot=slot, named=False, size=size)
    if not result["src"]:
        caption = study.caption_of(image)
        concepts = ", ".join(sorted(map(study.name_of, study.concepts.of_image(image))))
        result["none"] = plain(" ".join(filter(None, (result["none"], caption, concepts))), limit=600)
    return result


# What the browser says a reader said: checked, stored, and only then confirmed.
#
# The browser sends an answer again until its id is confirmed, so one that was stored just before the
# program stopped is not stored twice, and one that was not is not lost.

MOST = 400
"""Confirmed ids that are remembered, and answers that are taken at a time."""
_LONGEST = 64
"""Bits of a whole number; a value is from -1 to 1."""
_AGAIN = "Reload the page and answer again."
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(slots=True)
class BrowserState:
    """``stored``: ids of answers that are on the disk, the last ones. ``failed``: ids of those that are not,
    with ``why``, until the reader says something again."""

    stored: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    why: str = ""

    def news(self, sent: object) -> list[Mapping[str, Any]]:
        """The answers among what was sent that were neither stored nor refused."""
        known = {*self.stored, *self.failed}
        return [answer for answer in _answers(sent) if answer["id"] not in known]


def take(study: str, plan: Plan, sent: object, heard: BrowserState) -> None:
    """Store what is new, in the order it was said; at the first that fails the rest waits for another try."""
    new = heard.news(sent)
    if not new:
        return
    now = datetime.now(UTC)
    heard.failed, heard.why = [], ""
    for n, answer in enumerate(new):
        try:
            store.add(study, *_judgments(plan, answer, at=now + timedelta(microseconds=n)))
        except CuiscopeError as error:
            heard.failed, heard.why = [one["id"] for one in new[n:]], str(error)
            return
        heard.stored = [*heard.stored, answer["id"]][-MOST:]


def _answers(sent: object) -> Iterator[Mapping[str, Any]]:
    """The answers of an outbox that have an id; a browser may send anything."""
    given = sent.get("answers") if isinstance(sent, dict) else None
    for answer in given[:MOST] if isinstance(given, list) else ():
        if isinstance(answer, dict) and _ID.fullmatch(_text(answer.get("id"))):
            yield answer


def _judgments(plan: Plan, answer: Mapping[str, Any], *, at: datetime) -> tuple[Judgment, ...]:
    item = plan.item(_text(answer.get("item")))
    said, reasons, comment = answer.get("said"), answer.get("reasons"), answer.get("comment")
    if said not in SAID:
        message = f"The browser sent an answer of an unknown kind, {_text(said)[:40]!r}"
        raise InputError(f"{message}; it must be one of {', '.join(SAID)}. {_AGAIN}")
    return plan.judgments(
        item,
        id=_text(answer["id"]),
        at=at,
        said=said,
        value=_number(answer.get("value")) if said == "value" else None,
        reasons=[reason for reason in plan.task.reasons if isinstance(reasons, list) and reason in reasons],
        comment=tidy(comment, MAX_COMMENT, lines=True) if isinstance(comment, str) else "",
    )


def _text(sent: object) -> str:
    """A text that was sent; empty where something else was."""
    return sent if isinstance(sent, str) else ""


def _number(sent: object) -> float:
    """The value of an answer; InputError where it is no number, or has too many digits for one."""
    if isinstance(sent, float) or (type(sent) is int and sent.bit_length() <= _LONGEST):
        return float(sent)
    message = "The browser sent an answer whose value is not a number from -1 to 1"
    raise InputError(f"{message}. {_AGAIN}")


SLOT = "desk"
"""Key of the component."""
AHEAD, LISTS_AHEAD = 4, 2
"""Items sent at a time, the one on the screen among them."""
_HEARD = "_heard:"
_HTML = '<div class="room"></div>'
VIEWER = "evalcore.ui.components"
"""Where the panes of the desk come from."""


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
    far = progress(plan, [judgment for judgment in said if not judgment.simulated])
    sent = mount(_data(study, study_id, plan, far, heard), partial(_take, context.entry, study_id, plan))
    if heard.news(sent):  # a program that was started anew hears it without a callback
        take(study_id, plan, sent, heard)
        st.rerun()
    after(far)


def mount(data: dict[str, Any], on_sent: Callable[[], None]) -> object:
    """Put the desk on the page; what the browser has sent so far and holds until it is confirmed."""
    css = bundled(VIEWER, "stage.css") + bundled(__package__, "desk.css")
    js = bundled(VIEWER, "stage.js") + bundled(__package__, "desk.js")
    component = st.components.v2.component("cuiscope_desk", html=_HTML, css=css, js=js)
    return component(data=data, key=SLOT, height="content", on_outbox_change=on_sent).get("outbox")


def _take(entry: StudyEntry, study_id: str, plan: Plan) -> None:
    """Callback: store what the browser sent, as long as the study is open to the reader."""
    if studies.is_open(entry.path):
        take(study_id, plan, st.session_state[SLOT].get("outbox"), _heard(study_id, plan))


def _heard(study_id: str, plan: Plan) -> BrowserState:
    """What this session has heard of this reader in this task."""
    heard: BrowserState = st.session_state.setdefault(_HEARD + _session(study_id, plan), BrowserState())
    return heard


def _session(study_id: str, plan: Plan) -> str:
    return f"{study_id}:{plan.task.name}:{plan.task.seed}:{plan.reader}"


def _data(study: Study, study_id: str, plan: Plan, far: Progress, heard: BrowserState) -> dict[str, Any]:
    """What the browser is told."""
    place = {item.key: n for n, item in enumerate(plan.items)}
    lists = plan.task.form in ("preference", "panel")
    ahead = far.open[: LISTS_AHEAD if lists else AHEAD]
    items = [shown(study, plan, item, place[item.key]) for item in ahead]
    failed = None
    if heard.failed:
        words = f"Not saved. {plain(heard.why, limit=400)} Your answer is kept: press Enter to try again."
        failed = {"ids": heard.failed, "words": words}
    return {
        "session": _session(study_id, plan),
        "items": items,
        "before": _before(study, plan, far, place),
        "done": far.done,
        "n": far.n,
        "stored": heard.stored,
        "failed": failed,
    }


def _before(study: Study, plan: Plan, far: Progress, place: dict[str, int]) -> dict[str, Any] | None:
    """The item that was judged last, with what was said: it can be taken back, also on another day."""
    if not far.said:
        return None
    key = max(far.said, key=lambda one: (far.said[one].at, far.said[one].id))
    last = far.said[key]
    answer: dict[str, Any] = {
        "id": last.id,
        "value": last.value,
        "reasons": list(last.reasons),
        "comment": last.comment,
    }
    return {"item": shown(study, plan, plan.item(key), place[key]), "answer": answer}


YES = "yes"


def on() -> bool:
    """Whether a reader judges now, by the address or because it was chosen here."""
    return bool(state.read_param(READ, "", state.one_of("", YES)) == YES)


def show(context: Context) -> None:
    """Everything a reader sees."""
    task = found.chosen(context)
    if task is None:
        _leave()
        return
    asked = state.read_param(SEED, "")
    if asked and str(asked) != str(task.seed):
        st.warning(
            "This link belongs to a different version of the task. Ask the task’s organiser for a new one.",
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
    judge(context, study, plan, partial(_after, plan))
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
    key = ("review-plan", whole.content, repr(task), str(context.entry.path), reader)  # it has heat maps
    return cache.share(key, lambda: plan_of(task, lists, reader=reader))


def blind() -> tuple[Key, ...]:
    """What of the address stays while a reader judges; nothing where none does."""
    coded = () if store.own_reader() is not None else (READER,)
    return (TASK, SEED, READ, *coded) if on() else ()


def begin(task: Task) -> None:
    """Callback: judge this task, blind."""
    state.set_value(TASK, task.name)
    state.set_value(SEED, str(task.seed))
    state.set_value(READ, YES)


def _ask(task: Task, n: int) -> None:
    with st.container(border=True):
        st.header(md_escape(task.title), anchor=False)
        st.markdown(
            f"{md_escape(who.FORMS[task.form])}: {pluralize(n, 'item')}, {who.duration(n)}. You will "
            "not see which system found what. Every answer is saved at once, so you can stop at any time and "
            "go on another day with the same code. The keyboard is enough: press ? for the keys."
        )
        _lines(task)
        who.ask("Start")
    _leave()


def _lines(task: Task) -> None:
    for line in filter(None, task.instructions.splitlines()):
        st.markdown(md_escape(line))


def _after(plan: Plan, far: Progress) -> None:
    """What there is to say below the desk: nothing while there is something to judge."""
    if far.open:
        return
    cannot = sum(one.said == "cannot-say" for one in far.said.values())
    said = f", {count(cannot)} of them with “cannot say”" if cannot else ""
    st.success(
        f"All done, thank you: {pluralize(far.n, 'answer')} saved{said}. Nothing else is needed from you. "
        f"Your answers go to the organiser of **{md_escape(plan.task.title)}**, under your code only.",
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
