"""How much of one file is read, and who may change it."""

from __future__ import annotations

import pytest

from evalcore.study.tables import files as limits
from evalcore.study.tables.files import MemoryBudget, at_most, max_bytes, size_of, within_memory_limit
from evalcore.study.tables.problems import Problems

KB, MB, GB = 10**3, 10**6, 10**9


@pytest.fixture(autouse=True)
def _no_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(limits.VARIABLE, raising=False)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1GB", GB),
        ("1 gb", GB),
        ("4g", 4 * GB),
        ("500 MB", 500 * MB),
        ("1.5k", 1500),
        ("10", 10),
        ("10B", 10),
        ("2T", 2000 * GB),
        ("", None),
        ("GB", None),
        ("1_000", None),
        ("-1", None),
        ("0", None),
        ("1e9", None),
        ("inf", None),
        ("1 000", None),
        ("٣", None),
        ("9" * 5_000, None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size


def test_the_cap_is_1_gb_unless_the_environment_or_the_caller_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert max_bytes() == GB
    monkeypatch.setenv("CUISCOPE_MAX_BYTES", "2GB")
    assert max_bytes() == 2 * GB
    with at_most(3 * KB):
        assert max_bytes() == 3 * KB
        with at_most(None):
            assert max_bytes() == 3 * KB
    assert max_bytes() == 2 * GB
    monkeypatch.setenv("CUISCOPE_MAX_BYTES", "a lot")
    assert max_bytes() == GB


def test_a_file_beyond_the_cap_is_reported_with_the_way_to_raise_it() -> None:
    found = Problems("big.csv")
    with at_most(1000):
        assert within_memory_limit(found, 10, 100)
        assert not within_memory_limit(found, 11, 100)
        room = MemoryBudget(found)
        assert [room.consume(600), room.consume(400), room.consume(1), room.consume(0)] == [
            True,
            True,
            False,
            False,
        ]
    assert [str(p) for p in found.report().problems] == 2 * [
        "big.csv: What it contains takes more than 1 kB, the most that is read of one file. "
        "Split the file, or raise the cap: --max-bytes 4GB, or CUISCOPE_MAX_BYTES=4GB before the pages start."
    ]
