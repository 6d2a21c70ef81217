"""From what readers were asked to what is analysed: counts by reader and by system, as CONSORT draws them."""

from __future__ import annotations

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
    for reader in outcome.readers:
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


def readers_table(flow: Flow) -> Table:
    """One row a reader: how many answers were asked for, given, and when."""

    def dates(row: OfReader) -> str:
        return "-" if row.first is None else f"{row.first}" if row.days == 1 else f"{row.first} to {row.last}"

    return Table(
        flow.readers,
        (
            Column("reader", head="reader"),
            Column("simulated", head="simulated", text=lambda made: "yes" if made else "no"),
            Column("asked", head="asked for", text=whole),
            Column("answered", head="answered", text=whole),
            Column("cannot_say", head="cannot say", text=whole),
            Column("missing", head="not answered", text=whole),
            Column("days", head="days", text=whole),
            also("dates", dates),
        ),
    )


def missing_table(flow: Flow) -> Table:
    """Readings that are not analysed: a row a reader with one, a column a system."""
    counts = {(one.reader, one.arm): one for one in flow.missing}
    readers = dict.fromkeys(one.reader for one in flow.missing if one.missing)

    def of(arm: str) -> Column:
        def text(reader: str) -> str:
            one = counts.get((reader, arm))
            return "-" if one is None else f"{one.missing:,} of {one.asked:,}"

        return also(arm, text)._replace(title=arm)

    return Table([*readers], (also("reader", str), *(of(one.arm) for one in flow.arms)))
