"""The cache on disk: what was looked at longest ago makes room, and a cache never stops anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalcore.study.workspace.disk_cache import SHELVES, keep, kept, place


def test_what_was_looked_at_longest_ago_goes_first(tmp_path: Path) -> None:
    shelf, room = tmp_path / "shelf", SHELVES * 250
    for k in range(4):
        keep(shelf / f"{k}.jpg", bytes(100), room=room)
        os.utime(shelf / f"{k}.jpg", (k, k))
    assert {path.name for path in shelf.iterdir()} == {"2.jpg", "3.jpg"}
    assert kept(shelf / "2.jpg") == bytes(100)
    keep(shelf / "4.jpg", bytes(100), room=room)
    assert {path.name for path in shelf.iterdir()} == {"2.jpg", "4.jpg"}


def test_a_place_is_the_content_and_the_ending() -> None:
    first = place("some", b"content", "-1.jpg")
    assert first == place("some", b"content", "-1.jpg")
    others = {
        place("some", b"content", "-2.jpg"),
        place("some", b"else", "-1.jpg"),
        place("x", b"content", "-1.jpg"),
    }
    assert len(others | {first}) == 4


def test_a_cache_nobody_can_write_to_or_read_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "file"))
    there = place("some", b"content", ".bin")
    keep(there, b"data", room=1 << 20)
    assert kept(there) is None
