"""A case to diagnose, as the desk shows it, and what of an answer the browser sent can be stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.features.review.diagnosis.details import (
    MAX_ANSWER,
    Details,
    details_text,
    region_of,
    seconds_of,
)
from evalcore.features.review.diagnosis.plan import opens
from evalcore.features.review.diagnosis.truth import values_of
from evalcore.features.review.items import progress
from evalcore.features.review.page import who
from evalcore.features.review.read import store
from evalcore.features.review.tasks import tidy
from evalcore.ui.components import vocabulary
from evalcore.ui.components.viewer import Picture, picture
from evalcore.ui.frame import cache
from evalcore.values.errors import InputError
from evalcore.values.markdown import plain
from evalcore.values.writing import count

if TYPE_CHECKING:
    from evalcore.features.review.diagnosis.setup import Setup
    from evalcore.features.review.items import Item, Plan, Progress
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study

AHEAD = 3
"""Steps sent at a time, so that the results are there as soon as the answer alone is given."""
_LONGEST = 4_000
"""Characters of a caption."""
_SHORT = 48
"""Characters of a label on a small picture."""
_AGAIN = "Reload the page and answer again."
_KEYS = [*"123456789", *sorted(set("abcdefghijklmnopqrstuvwxyz") - who.TAKEN - {"d", "m"})]


def now() -> datetime:
    """The time; tests set another."""
    return datetime.now(UTC)


def shown(study: Study, plan: Plan, item: Item, slot: str, *, size: int) -> dict[str, Any]:
    """What the desk shows of an item beside the question: the case, and the results with what is said of
    them. Of the case nothing is said, and neither of a result that is a case itself."""
    task, setup = plan.task, plan.task.diagnosis
    assert setup is not None, "an item of such a task"
    case = _picture(study, item.query, title="Case", slot=f"{slot}-query")
    alone = not plan.subjects(item)[0]
    follows = next((one.key for one in plan.items if one.final and one.query == item.query), "")
    asks = {
        "ask": "What is the diagnosis?",
        "free": not setup.choices,
        "choices": _choices(setup),
        "region": setup.region,
        "step": "The case alone" if alone else "With similar cases beside it",
        "session": f"Session {item.session} of {setup.sessions}" if setup.sessions > 1 else "",
        "follows": "" if alone else follows,
    }
    result = {"query": case, "diagnosis": asks, "final": item.final}
    if not alone:
        labels = _labels(study, task, setup)
        tiles = [
            _result(study, plan, setup, image, labels, number, f"{slot}-{number}", size)
            for number, image in enumerate(item.results, start=1)
        ]
        result["lists"] = [{"title": "Similar cases", "tiles": tiles}]
    return result


def _choices(setup: Setup) -> list[dict[str, str]]:
    keys = [*_KEYS, *[""] * len(setup.choices)]
    return [
        {"name": name, "words": plain(name), "key": key}
        for name, key in zip(setup.choices, keys, strict=False)
    ]


def _labels(study: Study, task: Task, setup: Setup) -> Mapping[str, str]:
    """{image: its label in words}, made once."""
    return cache.share(("truths", study.content, repr(task)), lambda: values_of(study, setup))


def _picture(study: Study, name: str, *, title: str, slot: str, size: int | None = None) -> Picture:
    """A picture of which nothing is said, as a caption may name the diagnosis."""
    result = picture(study, study.concepts.index(name), title=title, slot=slot, named=False, size=size)
    return {**result, "alt": title, "words": ""}


def _result(
    study: Study,
    plan: Plan,
    setup: Setup,
    name: str,
    labels: Mapping[str, str],
    number: int,
    slot: str,
    size: int,
) -> dict[str, Any]:
    tile: dict[str, Any] = {**_picture(study, name, title=f"Similar case {number}", slot=slot, size=size)}
    if name in plan.lists:
        return tile
    label = labels.get(name, "") if "label" in setup.show else ""
    caption = study.caption_of(study.concepts.index(name)) if "caption" in setup.show else None
    label = study.names.get(label, label)
    alt = plain(": ".join(filter(None, (f"{tile['title']}. {label}", caption))), limit=400)
    words = {"words": plain(label, limit=240), "label": plain(label, limit=_SHORT)}
    return tile | words | {"caption": plain(caption or "", limit=_LONGEST), "alt": alt}


# What the browser sent of an answer.


def details(plan: Plan, item: Item, sent: Mapping[str, Any]) -> str:
    """The details of an answer as they are stored; InputError where the browser sent what cannot be."""
    setup = plan.task.diagnosis
    assert setup is not None, "an item of such a task"
    more = sent.get("more")
    more = more if isinstance(more, dict) else {}
    answer, concept = (tidy(text, MAX_ANSWER) if isinstance(text, str) else "" for text in _texts(more))
    if sent.get("said") != "value":
        answer = concept = ""
    elif not answer or (setup.choices and answer not in setup.choices):
        raise InputError(f"The browser sent a diagnosis that is no choice of the task. {_AGAIN}")
    return details_text(
        Details(
            answer=answer,
            concept="" if setup.choices else concept,
            session=item.session,
            order=item.order,
            seconds=seconds_of(more.get("seconds")),
            region=region_of(more.get("region")) if setup.region else None,
        )
    )


def _texts(more: Mapping[str, Any]) -> tuple[object, object]:
    return more.get("answer"), more.get("concept")


def check(study_id: str, plan: Plan, item: Item, said: object) -> None:
    """InputError where an answer comes out of turn: of a session that is not open, or to change what is
    final as the results were shown since."""
    history = store.history(study_id, task=plan.task.name, reader=plan.reader)
    far = progress(plan, history)
    at = waits_until(plan, far, item.session)
    if at is not None:
        raise InputError(f"Session {item.session} opens on {day(at)}.")
    if item.final and (said == "undone" or item.key in far.said):
        raise InputError("The answer without results is final once the results were shown.")
    if not item.final and any(one.final and one.query == item.query for one in far.open):
        raise InputError("This case is answered alone first.")


def waits_until(plan: Plan, far: Progress, session: int) -> datetime | None:
    """When a session opens; None where it is open. Sessions before it that are not done count as now."""
    setup = plan.task.diagnosis
    assert setup is not None, "a plan of such a task"
    if session <= 1:
        return None
    session_of = {item.key: item.session for item in plan.items}
    answered = [(session_of[key], one.at) for key, one in far.said.items()]
    if any(item.session < session for item in far.open):
        answered.append((session - 1, now()))
    at = opens(setup, answered, session)
    return at if at > now() else None


def open_items(plan: Plan, far: Progress) -> tuple[Item, ...]:
    """The next items of the session that is open; none while the reader waits for it."""
    if far.next is None or waits_until(plan, far, far.next.session) is not None:
        return ()
    return tuple(item for item in far.open[:AHEAD] if item.session == far.next.session)


def day(at: datetime) -> str:
    """A day and time for readers.

    >>> day(datetime(2026, 5, 3, 16, 20, tzinfo=UTC))
    '3 May 2026 at 16:20 UTC'
    """
    return f"{at.day} {at:%B %Y} at {at:%H:%M} UTC"


def matches(study: Study, sent: object) -> dict[str, Any] | None:
    """The concepts that typed words may mean, for the desk; None where nothing was typed."""
    if not isinstance(sent, str) or not sent.strip():
        return None
    text = sent[:100].strip()
    concepts = vocabulary.matches(study, text)[:8]
    options = [
        {"cui": one.cui, "name": plain(one.preferred or one.name, limit=MAX_ANSWER), "words": _words(one)}
        for one in concepts
    ]
    return {"text": text, "options": options}


def _words(one: Any) -> str:
    also = f", also called {one.name}" if one.preferred and one.name != one.preferred else ""
    return plain(f"{one.preferred or one.name} ({one.cui}{also})", limit=160)


def waiting(plan: Plan, far: Progress) -> bool:
    """Say when the next session opens, where the reader waits for it."""
    if far.next is None or (at := waits_until(plan, far, far.next.session)) is None:
        return False
    number = far.next.session
    st.info(
        f"Session {number - 1} is complete, thank you: {count(far.done)} of {count(far.n)} readings are "
        f"saved. **Session {number} opens on {day(at)}.** Come back then with the same code and link.",
        icon=":material/event:",
    )
    return True
