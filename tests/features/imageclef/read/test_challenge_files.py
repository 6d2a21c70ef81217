"""Files of a challenge in the workspace: kept in order, replaced by name, removed with all that is theirs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.features.imageclef import read as files
from evalcore.values.errors import InputError, UnknownName


def names(task: str, part: str) -> list[str]:
    return [one.name for one in files.kept(task) if one.part == part]


def test_runs_stay_in_the_order_they_came() -> None:
    for name in ("b.csv", "a.csv", "b.csv"):
        files.keep("concepts", "runs", name, name.encode())
    files.keep("captions", "runs", "other.csv", b"x")
    assert names("concepts", "runs") == ["b.csv", "a.csv"]
    assert [files.content(one) for one in files.kept("concepts")] == [b"b.csv", b"a.csv"]


def test_other_parts_hold_one_file() -> None:
    files.keep("concepts", "truth", "old.csv", b"1")
    before = files.kept("concepts")[0].mark
    files.keep("concepts", "truth", "new.csv", b"22")
    (only,) = files.kept("concepts")
    assert (only.name, only.size, files.content(only)) == ("new.csv", 2, b"22")
    assert only.mark != before


def test_with_a_run_goes_what_belongs_to_it() -> None:
    for run in ("a.csv", ".."):
        files.keep("captions", "runs", run, b"")
        files.keep("captions", "scores", "s.csv", b"", run=run)
    gone = next(one for one in files.kept("captions") if one.name == "..")
    files.forget("captions", gone)
    assert [(one.part, one.run) for one in files.kept("captions")] == [("runs", ""), ("scores", "a.csv")]
    files.forget_all("captions")
    assert files.kept("captions") == ()
    files.forget("captions", gone)


@settings(max_examples=40)
@given(st.text(max_size=14))
def test_any_name_comes_back(name: str) -> None:
    files.forget_all("any")
    files.keep("any", "runs", name, b"x")
    (only,) = files.kept("any")
    assert only.name == name.encode("utf-8", "replace").decode()
    assert only.path.parent.name == "runs"


def test_a_very_long_name_is_cut() -> None:
    files.keep("concepts", "runs", "é" * 300 + ".csv", b"x")
    (only,) = files.kept("concepts")
    assert len(only.path.name) < 200


def test_what_cannot_be_kept_or_read(tmp_path) -> None:
    with pytest.raises(UnknownName, match="part of a challenge"):
        files.keep("concepts", "nonsense", "a", b"")
    files.keep("concepts", "truth", "a", b"x")
    (one,) = files.kept("concepts")
    one.path.unlink()
    with pytest.raises(InputError, match=r"a cannot be read\."):
        files.content(one)
