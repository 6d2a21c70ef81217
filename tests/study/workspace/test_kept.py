"""Files of a satisfaction study in the workspace: kept, replaced, removed, and never half there."""

from __future__ import annotations

import pytest

from evalcore.study.workspace import kept_files as shelves
from evalcore.values.errors import InputError, UnknownName


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
