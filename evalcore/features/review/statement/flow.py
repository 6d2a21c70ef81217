"""From what readers were asked to what is analysed: counts by reader and by system, as CONSORT draws them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.review.items import plan_of, progress
from evalcore.features.review.reader_study import arms_of
from evalcore.results.rows import Column, Table, also, whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.reader_study import Outcome

MOST_ROWS = 12
"""Readers that have a row each; of more, those with the same numbers share one."""


@dataclass(frozen=True, slots=True)
class OfReader:
    """A reader's answers: ``asked`` of the reader, ``opened`` (answered at least once, also where that was
    taken back), ``answered`` now, and how many of these are *cannot say*. ``days``: on which an answer was
    given; ``first`` and ``last`` of them, None without an answer."""

    reader: str
    asked: int
    opened: int
    answered: int
    cannot_say: int
    days: int
    first: date | None
    last: date | None
    simulated: bool

    @property
    def missing(self) -> int:
        return self.asked - self.answered


@dataclass(frozen=True, slots=True)
class OfArm:
    """The readings of a system, or of another arm: those asked for, and what became of them. ``no_truth``:
    diagnoses that are neither right nor wrong."""

    arm: str
    asked: int
    analysed: int
    cannot_say: int
    no_truth: int = 0

    @property
    def missing(self) -> int:
        return self.asked - self.analysed - self.cannot_say - self.no_truth


class Missing(NamedTuple):
    """Readings of a reader with an arm that are not analysed, of how many."""

    reader: str
    arm: str
    missing: int
    asked: int


@dataclass(frozen=True, slots=True)
class Flow:
    """``changed``: answers on lists that have changed since, which count as not answered."""

    readers: tuple[OfReader, ...]
    arms: tuple[OfArm, ...]
    missing: tuple[Missing, ...]
    changed: int = 0

    def total(self, name: str) -> int:
        """The sum of a count over readers."""
        return sum(int(getattr(one, name)) for one in self.readers)


def flow_of(outcome: Outcome, judgments: Iterable[Judgment]) -> Flow:
    """The flow of a task's answers and readings. ``judgments``: the history of the study."""
    task = outcome.task
    own = [one for one in judgments if one.task == task.name and not one.adjudicated]
    readers = []
    for reader in sorted(outcome.readers, key=_in_order):
        plan = plan_of(task, outcome.plan.lists, reader=reader)
        history = [one for one in own if one.reader == reader]
        far = progress(plan, history)
        opened = len({one.subject[3:] for one in history})
        days = sorted({one.at.date() for one in history})
        readers.append(
            OfReader(
                reader,
                len(plan.items) if task.adaptive is None else max(far.done, opened),
                max(far.done, min(opened, len(plan.items))),
                far.done,
                sum(one.value is None for one in far.said.values()),
                len(days),
                days[0] if days else None,
                days[-1] if days else None,
                any(one.simulated for one in history),
            )
        )
    states = Counter((system, state) for (system, _, _), state in outcome.states.items())
    arms = tuple(
        OfArm(
            system,
            sum(n for (name, _), n in states.items() if name == system),
            states[system, "analysed"],
            states[system, "cannot say"],
            states[system, "no truth"],
        )
        for system in arms_of(task)
    )
    asked = Counter((reader, system) for system, reader, _ in outcome.states)
    read = Counter((reader, system) for system, reader, _ in outcome.values)
    missing = tuple(
        Missing(reader, system, asked[reader, system] - read[reader, system], asked[reader, system])
        for reader in outcome.readers
        for system in arms_of(task)
        if asked[reader, system]
    )
    return Flow(tuple(readers), arms, missing, outcome.changed)


def _in_order(reader: str) -> str:
    """Sorts R2 before R10."""
    return re.sub(r"[0-9]+", lambda number: number[0].zfill(9), reader)


def codes(readers: Iterable[str]) -> list[str]:
    """Codes of readers in their order, three and more that follow each other as a range.

    >>> codes(["R1", "R2", "R3", "R10", "R11", "ann"])
    ['R1 to R3', 'R10', 'R11', 'ann']
    """
    runs: list[list[str]] = []
    for reader in sorted(readers, key=_in_order):
        if runs and reader == _next(runs[-1][-1]):
            runs[-1].append(reader)
        else:
            runs.append([reader])
    return [text for run in runs for text in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"])]


def _next(reader: str) -> str:
    """The code after one that ends in a number; "" for another."""
    name = reader.rstrip("0123456789")
    number = reader.removeprefix(name)
    return f"{name}{int(number) + 1}" if number and not number.startswith("0") else ""


def readers_table(flow: Flow) -> Table:
    """How many answers were asked of each reader, given, and when: a row a reader.

    Of more than `MOST_ROWS` readers, those with the same counts share a row, which names all of them.
    """
    same: dict[object, list[OfReader]] = {}
    for one in flow.readers:
        alike = one.simulated, one.asked, one.answered, one.cannot_say
        same.setdefault(alike if len(flow.readers) > MOST_ROWS else one.reader, []).append(one)

    def names(row: list[OfReader]) -> str:
        return _named([one.reader for one in row])

    def days(row: list[OfReader]) -> str:
        fewest, most = min(one.days for one in row), max(one.days for one in row)
        return f"{fewest}" if fewest == most else f"{fewest} to {most}"

    def dates(row: list[OfReader]) -> str:
        known = [at for one in row for at in (one.first, one.last) if at is not None]
        if not known:
            return "-"
        first, last = min(known), max(known)
        return f"{first}" if first == last else f"{first} to {last}"

    def of(name: str, head: str) -> Column:
        return also(head, lambda row: getattr(row[0], name), whole)

    return Table(
        [*same.values()],
        (
            also("reader", names),
            also("simulated", lambda row: "yes" if row[0].simulated else "no"),
            of("asked", "asked for"),
            of("answered", "answered"),
            of("cannot_say", "cannot say"),
            of("missing", "not answered"),
            also("days", days),
            also("dates", dates),
        ),
    )


def missing_table(flow: Flow) -> Table:
    """Readings that are not analysed: a row a reader with one, a column a system.

    Of more than `MOST_ROWS` such readers, those with the same numbers share a row.
    """
    counts = {(one.reader, one.arm): one for one in flow.missing}
    readers = dict.fromkeys(one.reader for one in flow.missing if one.missing)
    arms = [one.arm for one in flow.arms]

    def text(reader: str, arm: str) -> str:
        one = counts.get((reader, arm))
        return "-" if one is None else f"{one.missing:,} of {one.asked:,}"

    same: dict[object, list[str]] = {}
    for reader in sorted(readers, key=_in_order):
        alike = tuple(text(reader, arm) for arm in arms)
        same.setdefault(alike if len(readers) > MOST_ROWS else reader, []).append(reader)

    def of(arm: str) -> Column:
        return also(arm, lambda row: text(row[0], arm))._replace(title=arm)

    return Table([*same.values()], (also("reader", _named), *map(of, arms)))


def _named(readers: list[str]) -> str:
    """Whom a row is about."""
    text = ", ".join(codes(readers))
    return text if len(readers) == 1 else f"Each of {len(readers)}: {text}"
