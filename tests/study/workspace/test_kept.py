"""Files of a satisfaction study in the workspace: kept, replaced, removed, and never half there."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

import pytest

from evalcore.study.workspace import kept_files as shelves
from evalcore.study.workspace.home import home
from evalcore.values.errors import InputError, UnknownName
from tests.study.faults import Killed, fault


def test_kept_replaced_and_forgotten():
    assert shelves.kept_files() == {}
    shelves.keep_file("relevance", "my ratings/ä.csv", b"one")
    shelves.keep_file("satisfaction", "s.csv", b"two")
    before = shelves.kept_files()
    assert {part: (one.name, shelves.content(one)) for part, one in before.items()} == {
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


def test_names_that_are_none():
    shelves.keep_file("satisfaction", "../../.hidden", b"x")
    shelves.keep_file("relevance", "n" * 500, b"y")
    assert (
        shelves.content(shelves.kept_files()["satisfaction"]) == b"x"
        and shelves.content(shelves.kept_files()["relevance"]) == b"y"
    )
    with pytest.raises(UnknownName):
        shelves.keep_file("../bin", "x", b"")


def test_a_workspace_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match=r"s\.csv cannot be kept"):
        shelves.keep_file("satisfaction", "s.csv", b"x")
    assert shelves.kept_files() == {}


def contents() -> dict[str, tuple[str, bytes]]:
    return {part: (one.name, shelves.content(one)) for part, one in shelves.kept_files().items()}


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


def test_a_removal_that_is_refused_is_told() -> None:
    shelves.keep_file("relevance", "old.csv", b"old")
    refused = lambda: PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # noqa: E731
    with (
        fault(home(), 1, refused),
        pytest.raises(InputError, match=r"old\.csv cannot be removed: Permission"),
    ):
        shelves.forget("relevance")
    assert contents() == {"relevance": ("old.csv", b"old")}
