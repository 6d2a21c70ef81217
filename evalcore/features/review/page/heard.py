"""What the browser says a reader said: checked, stored, and only then confirmed.

The browser sends an answer again until its id is confirmed, so one that was stored just before the program
stopped is not stored twice, and one that was not is not lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from evalcore.features.review.limits import MAX_COMMENT, SAID, tidy
from evalcore.features.review.read import store
from evalcore.values.errors import CuiscopeError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcore.features.review.items import Plan
    from evalcore.features.review.judgments import Judgment

MOST = 400
"""Confirmed ids that are remembered, and answers that are taken at a time."""
_LONGEST = 64
"""Bits of a whole number; a value is from -1 to 1."""
_AGAIN = "Reload the page and answer again."
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(slots=True)
class Heard:
    """``stored``: ids of answers that are on the disk, the last ones. ``failed``: ids of those that are not,
    with ``why``, until the reader says something again."""

    stored: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    why: str = ""

    def news(self, sent: object) -> list[Mapping[str, Any]]:
        """The answers among what was sent that were neither stored nor refused."""
        known = {*self.stored, *self.failed}
        return [answer for answer in _answers(sent) if answer["id"] not in known]


def take(study: str, plan: Plan, sent: object, heard: Heard) -> None:
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
        item, id=_text(answer["id"]), at=at, said=said,
        value=_number(answer.get("value")) if said == "value" else None,
        reasons=[one for one in plan.task.reasons if isinstance(reasons, list) and one in reasons],
        comment=tidy(comment, MAX_COMMENT, lines=True) if isinstance(comment, str) else "",
    )  # fmt: skip


def _text(sent: object) -> str:
    """A text that was sent; empty where something else was."""
    return sent if isinstance(sent, str) else ""


def _number(sent: object) -> float:
    """The value of an answer; InputError where it is no number, or has too many digits for one."""
    if isinstance(sent, float) or (type(sent) is int and sent.bit_length() <= _LONGEST):
        return float(sent)
    message = "The browser sent an answer whose value is not a number from -1 to 1"
    raise InputError(f"{message}. {_AGAIN}")
