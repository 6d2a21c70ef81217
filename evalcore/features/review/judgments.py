"""What a reader said of one thing, as it was said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median_low
from typing import TYPE_CHECKING, Literal

from evalcore.values.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

Kind = Literal["graded", "preference", "panel", "rating"]
Answer = Literal["value", "cannot-say", "undone"]
Subject = tuple[str, str, str, str, str, tuple[str, ...], str]


Place = tuple[str, str, str, tuple[str, ...], str]
"""Kind, query, result, systems by name, and criterion: the subject of a judgment without task and reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One thing a reader said. Nothing is ever changed: a later one on the same subject counts instead.

    The subject is ``(task, reader, kind, query, result, systems, criterion)``, of these kinds:

    - graded: the relevance of ``result`` to ``query``, 0 to 1;
    - preference: which of the lists of two ``systems`` (left, right) is better, -1 (left) to 1 (right);
    - panel: satisfaction with the whole list of one system, 0 to 1;
    - rating: ``result`` by a named ``criterion``, 0 to 1.

    ``value`` is None unless ``said`` is "value", and on this scale whatever scale the task shows. ``id`` is
    made by the page: what is sent twice is stored once. ``at``: UTC, with its time zone. ``shown``: a
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
    said: Answer = "value"
    value: float | None = None
    reasons: tuple[str, ...] = ()
    comment: str = ""
    at: datetime
    simulated: bool = False
    shown: str = ""

    @property
    def subject(self) -> Subject:
        """Who judges what. Two lists are the same two whichever of them stood left."""
        systems = tuple(sorted(self.systems)) if self.kind == "preference" else self.systems
        return (self.task, self.reader, self.kind, self.query, self.result, systems, self.criterion)


def in_order(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """By time, equal times by id: the same order wherever they were stored."""
    return tuple(sorted(judgments, key=lambda judgment: (judgment.at, judgment.id)))


def current(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """What counts of a history: the last on each subject, by time; none where that was undone."""
    last = {one.subject: one for one in in_order(judgments)}
    return in_order(one for one in last.values() if one.said != "undone")


def merged(*histories: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """Several histories as one, each id once (of equal ids the one of the first history), by time."""
    judgments: dict[str, Judgment] = {}
    for history in histories:
        for one in history:
            judgments.setdefault(one.id, one)
    return in_order(judgments.values())


def taken_back(judgment: Judgment, *, id: str, at: datetime) -> Judgment:
    """That a judgment no longer counts: it stays in the history, and its subject is open again."""
    return replace(judgment, id=id, at=at, said="undone", value=None, reasons=(), comment="")


# Judgments as relevance judgments of trec_eval: one whole grade for each query and image.


@dataclass(frozen=True, slots=True)
class Qrels:
    """``rows``: (query, image, grade), by query and image; the others are counted.

    ``cannot_say``: judgments without a value; ``simulated``: made by the program, never written.
    ``several``: rows that rest on more than one reader.
    """

    rows: tuple[tuple[str, str, int], ...]
    readers: tuple[str, ...]
    several: int
    cannot_say: int
    simulated: int

    @property
    def spaced(self) -> str | None:
        """The first image id that holds a space, which qrels cannot; None where none does."""
        return next((one for row in self.rows for one in row[:2] if len(one.split()) != 1), None)

    def lines(self) -> Iterator[str]:
        """As trec_eval reads them; InputError for an id with a space."""
        if self.spaced is not None:
            message = f"The image id {self.spaced!r} contains a space, which qrels cannot."
            raise InputError(f"{message} Write a .csv file instead.")
        for query, image, grade in self.rows:
            yield f"{query} 0 {image} {grade}\n"


def qrels_of(judgments: Iterable[Judgment], *, grades: int, reader: str | None = None) -> Qrels:
    """The grades 0 to ``grades`` of single results.

    Of several readers the median counts, between two grades the lower one: no image is more relevant than
    half of its readers say at least. With ``reader`` it is what this one said, and nothing else. UnknownName
    when that reader judged no result.
    """
    graded = [one for one in current(judgments) if one.kind == "graded"]
    given = [one for one in graded if not one.simulated]
    if reader is not None:
        known = {one.reader for one in given}
        if reader not in known:
            raise UnknownName("reader who judged single results", reader, known)
        given = [one for one in given if one.reader == reader]
    values: dict[tuple[str, str], list[float]] = {}
    for one in given:
        if one.value is not None:
            values.setdefault((one.query, one.result), []).append(one.value)
    final = {of: median_low(value) for of, value in values.items()}
    return Qrels(
        rows=tuple((*of, int(value * grades + 0.5)) for of, value in sorted(final.items())),
        readers=tuple(sorted({one.reader for one in given})),
        several=sum(len(value) > 1 for value in values.values()),
        cannot_say=sum(one.value is None for one in given),
        simulated=sum(one.simulated for one in graded),
    )
