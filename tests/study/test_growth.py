"""Reading takes time in proportion to a file: a small one that is made to hurt cannot hold a server up.

What is compared are seconds of the processor with each other, never with a number of seconds: a file of four
times the length takes about four times as long, and sixteen times where the time grows with the square.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from evalcore.values.errors import InputError
from tests.study.growing import SHAPED, TEXTS, Grown, Read, patterns

pytestmark = pytest.mark.nightly

BOUND = 8.0
"""Between growth in proportion (4) and with the square (16)."""
LENGTH = 3_000
LONGER = 4
"""A growth beyond the bound is measured again on files so much longer, where noise matters less."""


@pytest.fixture(scope="module", autouse=True)
def _what_earlier_tests_left_is_not_looked_at() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_is_collected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def seconds(read: Read, data: bytes) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        with suppress(InputError):
            read(data, Path(folder))
        return time.process_time() - start


def growth(read: Read, grow: Grown, length: int, tries: int = 1) -> float:
    """How many times as long a file takes that is four times as long, by way of twice; the best of tries."""
    small, middle, large = (
        min(seconds(read, data) for _ in range(tries)) for data in (grow(n * length) for n in (1, 2, 4))
    )
    return min(large / small, (large / middle) ** 2) if small and middle else 0.0


def grows_too_fast(read: Read, grow: Grown, length: int) -> float | None:
    """The growth when it exceeds the bound at this length, at it again, and at longer files; else None."""
    for length_now, tries in ((length, 1), (length, 3), (LONGER * length, 1), (LONGER * length, 2)):
        result = growth(read, grow, length_now, tries)
        if result < BOUND:
            return None
    return result


@pytest.mark.parametrize("name", TEXTS)
def test_a_piece_over_and_over_takes_time_in_proportion(name: str) -> None:
    read, whole = TEXTS[name]
    read_once = seconds(read, whole)  # what is loaded or compiled at the first call
    assert read_once >= 0
    slow = {what: result for what, grow in patterns(whole) if (result := grows_too_fast(read, grow, LENGTH))}
    assert slow == {}


@pytest.mark.parametrize(("name", "what", "grow", "length"), SHAPED, ids=[f"{n}: {w}" for n, w, *_ in SHAPED])
def test_files_of_a_worst_form_take_time_in_proportion(
    name: str, what: str, grow: Grown, length: int
) -> None:
    read = TEXTS[name][0]
    seconds(read, grow(length))
    assert grows_too_fast(read, grow, length) is None
