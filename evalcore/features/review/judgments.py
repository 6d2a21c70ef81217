"""What a reader said of one thing, as it was said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Kind = Literal["graded", "preference", "panel", "rating", "link", "label"]
Said = Literal["value", "cannot-say", "undone"]
Subject = tuple[str, str, bool, str, str, str, tuple[str, ...], str]


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
    made by the page: what is sent twice is stored once. ``at``: UTC, with its time zone. ``adjudicated``: it
    settles what two readers said differently, beside the reader's own judgment, which stays. ``shown``: a
    fingerprint of the lists that were judged, "" for single results or where it is not known.
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
    adjudicated: bool = False
    shown: str = ""

    @property
    def subject(self) -> Subject:
        """Who judges what. Two lists are the same two whichever of them stood left."""
        systems = tuple(sorted(self.systems)) if self.kind == "preference" else self.systems
        what = (self.kind, self.query, self.result, systems, self.criterion)
        return (self.task, self.reader, self.adjudicated, *what)


def in_order(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """By time, equal times by id: the same order wherever they were stored."""
    return tuple(sorted(judgments, key=lambda one: (one.at, one.id)))


def current(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """What counts of a history: the last on each subject, by time; none where that was undone."""
    last = {one.subject: one for one in in_order(judgments)}
    return in_order(one for one in last.values() if one.said != "undone")


def merged(*histories: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """Several histories as one, each id once (of equal ids the one of the first history), by time."""
    found: dict[str, Judgment] = {}
    for history in histories:
        for one in history:
            found.setdefault(one.id, one)
    return in_order(found.values())


def taken_back(judgment: Judgment, *, id: str, at: datetime) -> Judgment:
    """That a judgment no longer counts: it stays in the history, and its subject is open again."""
    return replace(judgment, id=id, at=at, said="undone", value=None, reasons=(), comment="")
