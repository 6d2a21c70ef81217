"""Who reads which case in which arm, in which session and place: balanced by reader and by case."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from evalcore.features.review.diagnosis.reading import ALONE
from evalcore.features.review.drawing import drawn, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.features.review.diagnosis.setup import Setup

_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Planned:
    """A reading that is to be made: as `Diagnosis` has them. ``order`` counts within the session, from 1."""

    case: str
    arm: str
    session: int
    order: int


def readings_of(
    setup: Setup, cases: Iterable[str], *, task: str, seed: int, reader: str
) -> tuple[Planned, ...]:
    """All readings of a reader, in their order; from the task's name, its seed and the reader alone.

    The cases are dealt into as many blocks as there are arms. In session s the arm of a block is entry s of
    a row of a Latin square balanced for what comes before (Williams 1949); the next reader takes the next
    row. A reader's number is the last number of the code: of R1, R2, ... each case is in each arm equally
    often in every session, up to 1, and exactly where the readers are a multiple of the rows. Codes without
    a number are dealt by chance. Of `Setup.per_reader` cases each k readers, one a row, have the same ones,
    and the next k the following. Within a session the arms alternate in groups of one case of each.
    """
    arms = setup.systems if setup.design == "sequential" and setup.systems else setup.arms
    dealt = drawn(cases, "blocks", task, seed)
    number, k = reader_number(task, seed, reader), len(arms)
    rows = [_row(k, number, block) for block in range(k)]
    own = [_window(dealt[block::k], setup.per_reader, k, number, block) for block in range(k)]
    result = []
    for session in range(1, setup.sessions + 1):
        of_arm = {
            rows[block][session - 1]: drawn(own[block], "cases", task, seed, reader, session)
            for block in range(k)
        }
        order = 0
        for case, arm in _alternating(of_arm, task, seed, session, number):
            twice = setup.design == "sequential" and arms is not setup.arms
            for shown in (ALONE, arms[arm]) if twice else (arms[arm],):
                order += 1
                result.append(Planned(case, shown, session, order))
    return tuple(result)


def reader_number(task: str, seed: int, reader: str) -> int:
    """The row of a reader, from 0: the last number of the code less 1, else drawn from the code.

    >>> reader_number("t", 0, "R12"), reader_number("t", 0, "R7 (guest)")
    (11, 6)
    """
    numbers = _NUMBER.findall(reader)
    return max(int(numbers[-1]) - 1, 0) if numbers else int(fingerprint("row", task, seed, reader), 16)


def _row(k: int, number: int, block: int) -> tuple[int, ...]:
    """The arms of a block in session 1, 2, ...: a row of Williams' square, or of its mirror image.

    An even number of arms needs one square of k rows, an odd one also its mirror image.

    >>> [_row(2, 0, block) for block in range(2)], [_row(3, 0, block) for block in range(3)]
    ([(0, 1), (1, 0)], [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
    """
    first = [(j + 1) // 2 if j % 2 else -(j // 2) for j in range(k)]
    if k % 2 and number // k % 2:
        first = first[::-1]
    return tuple((number + block + step) % k for step in first)


def _window(cases: list[str], per_reader: int, k: int, number: int, block: int) -> list[str]:
    """The cases of a block that a reader has: so many on from those of the readers before."""
    if not per_reader or not cases:
        return cases
    turn = number // k
    n = min(per_reader // k + ((block - turn) % k < per_reader % k), len(cases))
    start = turn * per_reader // k
    return [cases[(start + i) % len(cases)] for i in range(n)]


def _alternating(
    of_arm: dict[int, list[str]], task: str, seed: int, session: int, number: int
) -> Iterable[tuple[str, int]]:
    """Cases with their arms: one case of each arm after the other, in an order drawn for each group of
    places and turned by one from reader to reader, so that each place has each arm equally often."""
    k = len(of_arm)
    for place in range(max(map(len, of_arm.values()), default=0)):
        names = drawn(map(str, range(k)), "places", task, seed, session, place)
        turn = number % k
        for arm in map(int, (*names[turn:], *names[:turn])):
            if place < len(of_arm[arm]):
                yield of_arm[arm][place], arm


def opens(setup: Setup, answered: Sequence[tuple[int, datetime]], session: int) -> datetime:
    """When a session opens: so many days after the last answer of the sessions before; at once for the first.

    ``answered``: (session, time) of the answers of one reader, times in UTC.
    """
    before = [at for of, at in answered if of < session]
    return max(before) + timedelta(days=setup.washout) if before else datetime.min
