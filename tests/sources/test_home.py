"""Names that fit every system, the list of studies, recently opened folders, files written whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.errors import InputError
from evalcore.sources.home import (
    MAX_NAME,
    MAX_RECENT,
    home,
    is_uploaded,
    recent,
    remember,
    safe_name,
    studies,
    study_folder,
    write_whole,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My study", "My_study"),
        ("../../etc/passwd", "etc_passwd"),
        ("a\\b/c:d", "a_b_c_d"),
        (".hidden", "hidden"),
        ("CON", "study_CON"),
        ("nul.txt", "study_nul.txt"),
        ("", "study"),
        ("\x00\n", "study"),
        ("ﬁle．．／x", "file._x"),
        ("x" * 500, "x" * MAX_NAME),
    ],
)
def test_safe_names(text: str, name: str) -> None:
    assert safe_name(text) == name


@given(st.text(max_size=100))
def test_a_safe_name_is_one_plain_name_and_stays_as_it_is(text: str) -> None:
    name = safe_name(text)
    assert name and len(name) <= MAX_NAME + 6
    assert Path(name).name == name
    assert not name.startswith(".") and not name.endswith(".")
    assert safe_name(name) == name


def test_the_home_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "here"))
    assert home() == tmp_path / "here"
    assert study_folder("../x y") == tmp_path / "here/studies/x_y"
    monkeypatch.delenv("CUISCOPE_HOME")
    assert home() == Path("~/.cuiscope").expanduser()


def test_uploaded_studies_are_listed_by_name() -> None:
    assert studies() == []
    for name in ("b", "a"):
        study_folder(name).mkdir(parents=True)
    (home() / "studies" / ".unfinished").mkdir()
    (home() / "studies" / "file").touch()
    assert [path.name for path in studies()] == ["a", "b"]
    assert is_uploaded(study_folder("a"))
    assert not is_uploaded(home())
    assert not is_uploaded(study_folder("a") / "..")
    assert not is_uploaded(Path("/tmp"))


def test_recent_folders_the_last_one_first(tmp_path: Path) -> None:
    assert recent() == []
    folders = [tmp_path / f"s{k}" for k in range(MAX_RECENT + 3)]
    for folder in folders:
        folder.mkdir()
        remember(folder)
    assert recent() == folders[: -MAX_RECENT - 1 : -1]
    remember(folders[5])
    assert recent()[0] == folders[5]
    assert recent().count(folders[5]) == 1
    folders[5].rmdir()
    assert folders[5] not in recent()


@pytest.mark.parametrize("text", [b"no json", b"{}", b"[1, null]", b"\xff\xfe"])
def test_a_list_of_folders_somebody_broke(text: bytes) -> None:
    home().mkdir(parents=True, exist_ok=True)
    (home() / "recent.json").write_bytes(text)
    assert recent() == []


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_whole(tmp_path / "deep/file", b"one")
    write_whole(tmp_path / "deep/file", b"two")
    assert (tmp_path / "deep/file").read_bytes() == b"two"
    with pytest.raises(InputError, match="x cannot be kept"):
        write_whole(tmp_path / "deep/file/x", b"three")
    assert [path.name for path in tmp_path.rglob("*")] == ["deep", "file"]
