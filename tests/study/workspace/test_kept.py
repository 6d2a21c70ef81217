"""Files of a satisfaction study in the workspace: kept, replaced, removed, and never half there."""

from __future__ import annotations

import pytest

from evalcore.study.workspace import kept
from evalcore.values.errors import InputError, UnknownName


def test_kept_replaced_and_forgotten():
    assert kept.kept() == {}
    kept.keep("relevance", "my ratings/ä.csv", b"one")
    kept.keep("satisfaction", "s.csv", b"two")
    before = kept.kept()
    assert {part: (one.name, kept.content(one)) for part, one in before.items()} == {
        "relevance": ("my ratings/ä.csv", b"one"),
        "satisfaction": ("s.csv", b"two"),
    }
    kept.keep("relevance", "other.csv", b"three")
    after = kept.kept()
    assert after["relevance"].name == "other.csv" and kept.content(after["relevance"]) == b"three"
    assert after["relevance"].mark != before["relevance"].mark
    assert after["satisfaction"].mark == before["satisfaction"].mark
    kept.forget("relevance")
    kept.forget("relevance")
    assert list(kept.kept()) == ["satisfaction"]


def test_names_that_are_none():
    kept.keep("satisfaction", "../../.hidden", b"x")
    kept.keep("relevance", "n" * 500, b"y")
    assert (
        kept.content(kept.kept()["satisfaction"]) == b"x" and kept.content(kept.kept()["relevance"]) == b"y"
    )
    with pytest.raises(UnknownName):
        kept.keep("../bin", "x", b"")


def test_a_workspace_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match=r"s\.csv cannot be kept"):
        kept.keep("satisfaction", "s.csv", b"x")
    assert kept.kept() == {}
