"""The judging desk of the page Readers: a reader at work, and how answers reach the database.

The browser gets items without systems: pictures, a question, and what can be answered. It sends an answer
again until its id is confirmed, so that one that was stored just before the program stopped is not stored
twice, and one that was not is not lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import streamlit as st

from evalcore.features.review import records, store
from evalcore.features.review.files import heat_map_names, is_closed, read_tasks
from evalcore.features.review.items import (
    PRACTICE,
    Item,
    Progress,
    items_for,
    lists_of,
    material_by_key,
    practice_task,
    progress,
)
from evalcore.features.review.records import Judgment, Task
from evalcore.ui.components import messages
from evalcore.ui.components.viewer import Picture, picture, served
from evalcore.ui.frame import cache, state, studies
from evalcore.ui.frame.context import Context, StudyEntry
from evalcore.ui.frame.state import Key
from evalcore.values.bundled import bundled
from evalcore.values.errors import CuiscopeError, InputError, Report
from evalcore.values.grouping import with_same_group
from evalcore.values.model import Study
from evalcore.values.settings import DROP
from evalcore.values.writing import md_escape, plain, pluralize, upper_first

# Items as the browser gets them.

LONGEST_TEXT = 4_000
"""Characters of a caption with its explanation."""
SLOTS = 12
"""Items whose pictures are served at a time: those on the screen, ahead and just behind."""
LIST_PICTURE = 768
"""Pixels of the longer side of a picture in a list, which are many."""
TAKEN = frozenset("cutgixwlnp")
"""Letters that do something else than tick a reason."""


def item_with_pictures(study: Study, task: Task, item: Item, place: int) -> dict[str, Any]:
    """An item with its pictures; ``place``: which of the reader's order it is."""
    slot = f"review-{place % SLOTS}"
    offered = records.steps(task, item.kind)
    reasons = zip(task.reasons, letters(task.reasons), strict=True)
    image = "Image" if task.form == "material" else "Query"
    result: dict[str, Any] = {
        "key": item.key,
        "question": plain(records.question(item.kind, item.criterion), limit=200),
        "steps": None if offered is None else [{"words": words, "value": value} for words, value in offered],
        "ends": list(records.ENDS.get(item.kind, ("", ""))),
        "reasons": [
            {"name": name, "words": plain(upper_first(name), limit=40), "key": key} for name, key in reasons
        ],
        "query": _picture(study, item.query, title=image, slot=f"{slot}-query"),
    }
    if task.form == "material":
        return result | {"result": _explanation(task, item, f"{slot}-result")}
    if item.result:
        return result | {"result": _picture(study, item.result, title="Result", slot=f"{slot}-result")}
    return result | {
        "lists": [
            {
                "title": title,
                "tiles": [
                    _picture(
                        study, name, title=f"{title}, result {n}", slot=f"{slot}-{row}-{n}", size=LIST_PICTURE
                    )
                    for n, name in enumerate(images, start=1)
                ],
            }
            for row, (title, images) in enumerate(item.lists)
        ]
    }


def _explanation(task: Task, item: Item, slot: str) -> Picture:
    """What a team says of an image: its heat map with the text beside the title, or the text in its place."""
    material = material_by_key(task)[item.result]
    text, src = plain(material.text, limit=LONGEST_TEXT), ""
    if material.heat_map and task.heat_maps is not None:
        place = heat_map_names(task.material).index(material.heat_map)
        src, none = served(task.heat_maps, place, slot, None)
        text = text or none
    words = text if src else ""
    alt = plain(f"Explanation. {text}", limit=240)
    return {"title": "Explanation", "src": src, "alt": alt, "words": words, "none": "" if src else text}


def _picture(study: Study, name: str, *, title: str, slot: str, size: int | None = None) -> Picture:
    image = study.concepts.index(name)
    result = picture(study, image, title=title, slot=slot, named=False, size=size)
    if not result["src"]:
        concepts = ", ".join(sorted(map(study.name_of, study.concepts.of_image(image))))
        texts = filter(None, (result["none"], study.caption_of(image), concepts))
        result["none"] = plain(" ".join(texts), limit=600)
    return result


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


# Answers as the browser sends them: checked, stored, and only then confirmed.

MOST = 400
"""Confirmed ids that are remembered, and answers that are taken at a time."""
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(slots=True)
class Delivery:
    """``stored``: ids of answers that are on the disk, the last ones. ``failed``: ids of those that are not,
    with ``why``, until the reader answers again."""

    stored: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    why: str = ""

    def new(self, sent: object) -> list[Mapping[str, Any]]:
        """The answers among what was sent that were neither stored nor refused."""
        known = {*self.stored, *self.failed}
        return [answer for answer in _answers(sent) if answer["id"] not in known]


@dataclass(frozen=True, slots=True)
class Work:
    """A reader's task: the id of the study, and the items in the reader's order."""

    study: str
    task: Task
    reader: str
    items: tuple[Item, ...]

    @property
    def session(self) -> str:
        return f"{self.study}:{self.task.name}:{self.task.seed}:{self.reader}"


def receive(work: Work, sent: object, delivery: Delivery) -> None:
    """Store what is new, in its order; at the first that fails the rest waits for another try."""
    new = delivery.new(sent)
    if not new:
        return
    now = datetime.now(UTC)
    delivery.failed, delivery.why = [], ""
    for n, answer in enumerate(new):
        try:
            store.add(work.study, *_judgments(work, answer, at=now + timedelta(microseconds=n)))
        except CuiscopeError as error:
            delivery.failed, delivery.why = [each["id"] for each in new[n:]], str(error)
            return
        delivery.stored = [*delivery.stored, answer["id"]][-MOST:]


def _answers(sent: object) -> Iterator[Mapping[str, Any]]:
    """The answers of an outbox that have an id; a browser may send anything."""
    answers = sent.get("answers") if isinstance(sent, dict) else None
    for answer in answers[:MOST] if isinstance(answers, list) else ():
        if isinstance(answer, dict) and _ID.fullmatch(_text(answer.get("id"))):
            yield answer


def _judgments(work: Work, answer: Mapping[str, Any], *, at: datetime) -> list[Judgment]:
    """An answer as it is stored, where it can be; only what a text or a list is for is looked at here."""
    key = _text(answer.get("item"))
    item = next((item for item in work.items if item.key == key), None)
    if item is None:
        message = f"The browser sent an answer to no item of this task, {key[:40]!r}."
        raise InputError(f"{message} Reload the page and answer again.")
    status, reasons = answer.get("status"), answer.get("reasons")
    return item.judgments(
        work.task.name,
        work.reader,
        id=_text(answer["id"]),
        at=at,
        status=status,
        value=answer.get("value") if status == "value" else None,
        reasons=tuple(each for each in work.task.reasons if isinstance(reasons, list) and each in reasons),
        comment=records.tidy(_text(answer.get("comment")), records.MAX_COMMENT, lines=True),
    )


def _text(sent: object) -> str:
    """A text that was sent; "" where anything else was sent."""
    return sent if isinstance(sent, str) else ""


# The component.

SLOT = "desk"
"""Its key."""
AHEAD, LISTS_AHEAD = 4, 2
"""Items sent at a time, the one on the screen among them."""
VIEWER = "evalcore.ui.components"
"""Where the panes of the desk come from."""
_DELIVERY = "_delivery:"


@state.fragment()
def desk(context: Context, work: Work, after: Callable[[Progress], None]) -> None:
    """The desk of a reader; ``after``: draws what follows below it, by how far the reader is.

    A fragment: an answer draws this part only, or the whole page once the task is closed.
    """
    if is_closed(context.entry.path, work.task):
        st.rerun()
    try:
        judgments = store.history(work.study, task=work.task.name, reader=work.reader)
    except CuiscopeError as error:
        messages.failed(error, key="desk-failed")
        return
    delivery = _delivery(work)
    so_far = progress(work.items, work.task.name, work.reader, judgments)
    sent = mount(data_of(context.study, work, so_far, delivery), partial(_on_sent, context.entry, work))
    if delivery.new(sent):  # a program that was started anew gets it without a callback
        receive(work, sent, delivery)
        st.rerun()
    after(so_far)


def mount(data: dict[str, Any], on_sent: Callable[[], None]) -> object:
    """Put the desk on the page; what the browser has sent so far and keeps until it is confirmed."""
    css = bundled(VIEWER, "stage.css") + bundled(__package__, "desk.css")
    js = bundled(VIEWER, "stage.js") + bundled(__package__, "desk.js")
    component = st.components.v2.component("cuiscope_desk", html='<div class="room"></div>', css=css, js=js)
    return component(data=data, key=SLOT, height="content", on_outbox_change=on_sent).get("outbox")


def _on_sent(entry: StudyEntry, work: Work) -> None:
    """Callback: store what the browser sent, as long as the study is open to the reader."""
    if studies.is_open(entry.path):
        receive(work, st.session_state[SLOT].get("outbox"), _delivery(work))


def _delivery(work: Work) -> Delivery:
    """What this session has received of this reader in this task."""
    delivery: Delivery = st.session_state.setdefault(_DELIVERY + work.session, Delivery())
    return delivery


def data_of(study: Study, work: Work, so_far: Progress, delivery: Delivery) -> dict[str, Any]:
    """What is sent to the browser: nothing in it names a system."""
    task, place = work.task, {item.key: n for n, item in enumerate(work.items)}

    def sent(item: Item) -> dict[str, Any]:
        return item_with_pictures(study, task, item, place[item.key])

    n_ahead = LISTS_AHEAD if task.form in ("preference", "panel") else AHEAD
    failed = before = None
    if delivery.failed:
        words = f"Not saved. {plain(delivery.why, limit=400)} Your answer is kept: press Enter to try again."
        failed = {"ids": delivery.failed, "words": words}
    if so_far.answers:  # the last one can be taken back, also on another day
        key = max(so_far.answers, key=lambda key: (so_far.answers[key].at, so_far.answers[key].id))
        last = so_far.answers[key]
        answer = {"id": last.id, "value": last.value, "reasons": list(last.reasons), "comment": last.comment}
        before = {"item": sent(work.items[place[key]]), "answer": answer}
    return {
        "session": work.session,
        "items": [sent(item) for item in so_far.open[:n_ahead]],
        "before": before,
        "done": so_far.done,
        "n": so_far.n,
        "stored": delivery.stored,
        "failed": failed,
    }


# Who judges what: the address has the task, its seed and the reader's code, never a system.

TASK = Key("review", of_study=True)
SEED = Key("draw", of_study=True)
READ = Key("read", of_study=True)
"""Whether a reader judges: then nothing on the page names a system."""
READER = Key("reader")
CODE, YES = "reader_code", "yes"
_READER = "_reader"


def is_judging() -> bool:
    """Whether a reader judges now, by the address or after “Start judging”."""
    return bool(state.read_param(READ, "", state.one_of("", YES)) == YES)


def blind() -> tuple[Key, ...]:
    """The parameters of the address that stay while a reader judges; none while nobody does."""
    coded = () if store.own_reader() is not None else (READER,)
    return (TASK, SEED, READ, *coded) if is_judging() else ()


def begin(task: Task) -> None:
    """Callback: judge this task, blind."""
    state.set_value(TASK, task.name)
    state.set_value(SEED, str(task.seed))
    state.set_value(READ, YES)


def reader() -> str:
    """The reader's code: of this session, else of the address; "" where there is none. On a server always the
    person who is signed in, whatever the address contains."""
    own = store.own_reader()
    if own is not None:
        return own
    short = state.short_text(records.MAX_READER)
    typed = str(state.get(_READER, "")) or str(state.read_param(READER, "", short))
    code = records.tidy(typed, records.MAX_READER)
    if code:
        state.set_param(READER, code if _is_nobodys_name(code) else "")
    return code


def _is_nobodys_name(code: str) -> bool:
    """Whether a code can be in an address: letters and a number."""
    front = code.rstrip("0123456789")
    return len(front) <= 3 and front.isalpha() and len(front) < len(code) <= 7 and code.isascii()


def visible_names(entry: StudyEntry, readers: Iterable[str]) -> dict[str, str]:
    """What readers are called for whoever looks.

    On a server the names of other readers are for who manages the study; others see Reader 1, Reader 2.
    """
    names, own = dict.fromkeys(readers), store.own_reader()
    if own is None or studies.manages(entry):
        return {name: name for name in names}
    others = (name for name in names if name != own)
    return {own: own} | {name: f"Reader {number}" for number, name in enumerate(others, start=1)}


def tasks_of(context: Context) -> tuple[tuple[Task, ...], Report]:
    """The tasks by name, the one for practice last; and what is wrong with their files."""
    tasks, report = read_tasks(context.entry.path)
    practice = practice_task(context.study)
    if practice is not None and all(task.name != PRACTICE for task in tasks):
        tasks = (*tasks, practice)
    return tasks, report


def cached_items(context: Context, task: Task, reader: str) -> tuple[Item, ...]:
    """The items of a reader, made once. CuiscopeError where the study lacks what the task asks for."""
    whole = with_same_group(context.study, DROP)
    lists = cache.cached(("review-lists", whole.content, repr(task)), lambda: lists_of(whole, task))
    key = ("review-items", whole.content, repr(task), str(context.entry.path), reader)  # it has heat maps
    return cache.cached(key, lambda: items_for(task, lists, reader))


def show(context: Context) -> None:
    """Everything a reader sees."""
    name = str(state.read_param(TASK, ""))
    task = next((task for task in tasks_of(context)[0] if task.name == name), None)
    seed = state.read_param(SEED, "")
    refusal = ""
    if task is None:
        named = f" called **{md_escape(name, limit=80)}**" if name else ""
        refusal = f"This study has no task{named}, or its file has errors."
    elif seed and str(seed) != str(task.seed):
        refusal = (
            "This link belongs to a different version of the task. Ask the task’s organiser for a new one."
        )
    elif is_closed(context.entry.path, task):
        refusal = f"The task **{md_escape(task.title)}** is closed: its answers are with the organiser."
    code = reader()
    items: tuple[Item, ...] = ()
    if task is not None and not refusal:
        try:
            items = cached_items(context, task, code)
        except CuiscopeError:  # whose message may name a system
            refusal = (
                f"The task **{md_escape(task.title)}** cannot be judged now. Its organiser sees why under "
                "“Judge results”."
            )
    if task is None or refusal:
        st.warning(refusal, icon=":material/link_off:")
        _leave()
        return
    try:
        study = store.study_id(context.entry.path)
    except CuiscopeError as error:
        messages.failed(error, key="task-failed")
        _leave()
        return
    if not code:
        _introduce(task, len(items))
        return
    desk(context, Work(study, task, code, items), partial(_after, task))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"You judge as **{md_escape(code)}**.", width="content")
        if store.own_reader() is None:
            st.button("Another reader", key="other-reader", type="tertiary", on_click=_forget)
        _leave("Leave the judging")
    if task.instructions:
        with st.expander(f"{md_escape(task.title)}: what you are asked", icon=":material/info:"):
            _lines(task)


def _introduce(task: Task, n: int) -> None:
    with st.container(border=True):
        st.header(md_escape(task.title), anchor=False)
        st.markdown(
            f"{md_escape(records.TITLES[task.form])}: {pluralize(n, 'item')}, {duration(n)}. You will not "
            "see which system returned a result. Every answer is saved at once, so you can stop at any time "
            "and go on another day with the same code. The keyboard is enough: press ? for the keys."
        )
        _lines(task)
        with st.form("who", border=False):
            st.text_input(
                "Your reader code",
                key=CODE,
                max_chars=records.MAX_READER,
                placeholder="R1",
                help="You received a code with the invitation. Use a code such as R1, not your name: it is "
                "kept with every answer. Each reader needs their own code.",
            )
            st.form_submit_button("Start", type="primary", on_click=_named, icon=":material/play_arrow:")
    _leave()


def _named() -> None:
    """Callback."""
    state.set_plain(_READER, records.tidy(str(st.session_state.get(CODE, "")), records.MAX_READER))


def _forget() -> None:
    """Callback: ask for the code again."""
    state.set_plain(_READER, "")
    state.set_value(READER, "")


def _lines(task: Task) -> None:
    for text in filter(None, task.instructions.splitlines()):
        st.markdown(md_escape(text))


def _after(task: Task, so_far: Progress) -> None:
    """The thanks below the desk; nothing while there is something to judge."""
    if so_far.open:
        return
    unsure = sum(judgment.status == "cannot-say" for judgment in so_far.answers.values())
    some = f", {unsure:,} of them with “cannot say”" if unsure else ""
    st.success(
        f"All done, thank you: {pluralize(so_far.n, 'answer')} saved{some}. Nothing else is needed from you. "
        f"Your answers go to the organiser of **{md_escape(task.title)}**, under your code only.",
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


def duration(n: int) -> str:
    """About how long so many items take, at ten seconds each."""
    return f"about {pluralize(max(1, round(n / 6)), 'minute')}"
