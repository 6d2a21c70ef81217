"""Files of a satisfaction study in the workspace: kept, replaced, removed, and never half there."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

import pytest

from evalcore.study.workspace import kept_files as shelves
from evalcore.study.workspace.home import home
from evalcore.values.errors import InputError
from tests.study.faults import Killed, fault


def test_kept_replaced_and_forgotten():
    assert shelves.kept_files() == {}
    shelves.keep_file("relevance", "my ratings/ä.csv", b"one")
    shelves.keep_file("satisfaction", "s.csv", b"two")
    before = shelves.kept_files()
    assert {part: (entry.name, shelves.content(entry)) for part, entry in before.items()} == {
        "relevance": ("my ratings/ä.csv", b"one"),
        "satisfaction": ("s.csv", b"two"),
    }
    shelves.keep_file("relevance", "other.csv", b"three")
    after = shelves.kept_files()
    assert after["relevance"].name == "other.csv" and shelves.content(after["relevance"]) == b"three"
    assert after["relevance"].mark != before["relevance"].mark
    assert after["satisfaction"].mark == before["satisfaction"].mark
    shelves.forget("relevance")
    shelves.forget("relevance")
    assert list(shelves.kept_files()) == ["satisfaction"]


def contents() -> dict[str, tuple[str, bytes]]:
    return {part: (entry.name, shelves.content(entry)) for part, entry in shelves.kept_files().items()}


@pytest.mark.parametrize("dies", [True, False])
@pytest.mark.parametrize("name", ["old.csv", "new.csv"])
def test_stopped_at_any_step_the_old_or_the_new_file_is_there_whole(name: str, dies: bool) -> None:
    stop = Killed if dies else lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    shelves.keep_file("relevance", "old.csv", b"old")
    for step in range(1, 20):
        before = contents()
        with fault(home(), step, stop) as counted, suppress(Killed, InputError):
            shelves.keep_file("relevance", name, b"new %d" % step)
        assert contents() in (before, {"relevance": (name, b"new %d" % step)})
        if counted.seen < step:
            assert contents() != before and step > 3
            return
    pytest.fail("it never ends")
