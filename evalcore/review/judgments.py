"""What a reader said of one thing, as it was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

Kind = Literal["graded", "preference", "panel", "rating", "link", "label"]
Said = Literal["value", "cannot-say", "undone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One thing a reader said. Nothing is ever changed: a later one on the same subject counts instead.

    The subject is ``(task, reader, kind, query, result, systems, criterion)``, of these kinds:

    - graded: the relevance of ``result`` to ``query``, 0 to 1;
    - preference: which of the lists of two ``systems`` (left, right) is better, -1 (left) to 1 (right);
    - panel: satisfaction with the whole list of one system, 0 to 1;
    - rating: ``result`` by a named ``criterion``, 0 to 1;
    - link: whether a link of the terminology makes sense (0 or 1); label: whether a label is right.

    ``value`` is None unless ``said`` is "value", and on this scale whatever scale the task shows. ``id`` is
    made by the page: what is sent twice is stored once. ``at``: UTC, with its time zone.
    """

    id: str
    task: str
    reader: str
    kind: Kind
    query: str
    result: str = ""
    systems: tuple[str, ...] = ()
    criterion: str = ""
    said: Said = "value"
    value: float | None = None
    reasons: tuple[str, ...] = ()
    comment: str = ""
    at: datetime
    simulated: bool = False
