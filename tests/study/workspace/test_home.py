"""Names that fit every system, the list of studies, recently opened folders, files written whole."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study.workspace.file_names import MAX_NAME, folder_name, readable, safe_name
from evalcore.study.workspace.folders import (
    MAX_RECENT,
    is_uploaded,
    recent,
    remember,
    studies,
    study_folder,
    unused_study,
)
from evalcore.study.workspace.home import home, write_whole
from evalcore.values.errors import InputError
from tests.study.faults import fault


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
        ("𠀀" * 64, "𠀀" * 50),  # four bytes each; a file system takes 255 at most, we 200
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


NAMES = st.text(max_size=90) | st.text("aAbB/\\_:. -+()", max_size=6)


@given(NAMES, NAMES)
def test_different_systems_get_different_folders_everywhere(one: str, two: str) -> None:
    """Also on systems where upper and lower case are one, whichever came first."""
    first = folder_name(one)
    second = folder_name(two, taken=[first])
    assert folder_name(one) == first and folder_name(two, taken=[first]) == second
    for name in (first, second):
        assert Path(name).name == name and len(name.encode("utf-8", "surrogatepass")) <= 255
        assert name[0] != "." and name[-1] not in ". " and not set(name) & set('/\\:*?"<>|')
    if " ".join(one.split()) != " ".join(two.split()) and first != two:
        assert first.casefold() != second.casefold()


@pytest.mark.parametrize("name", ["hog", "ResNet 50 (v2)", "A_B", "clip-vit.b+", "日本語", "my_system"])
def test_names_that_fit_stay_as_they_are(name: str) -> None:
    assert folder_name(name) == name


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"plain", "plain"), (b"caf\xe9", "caf%E9"), ("Pässe".encode(), "Pässe"), (b"\xff", "%FF")],
)
def test_names_that_are_not_utf8_can_be_read_all_the_same(raw: bytes, text: str) -> None:
    assert readable(os.fsdecode(raw)) == text


def test_studies_whose_names_are_not_utf8_are_listed() -> None:
    folder = home() / "studies" / os.fsdecode(b"caf\xe9")
    folder.mkdir(parents=True)
    assert studies() == [folder]
    assert is_uploaded(folder)
    assert remember(folder)
    assert recent() == [folder]


def test_studies_that_may_not_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(path: object = ".") -> object:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    (home() / "studies/a").mkdir(parents=True)
    monkeypatch.setattr(os, "scandir", locked)
    assert studies() == []


def test_a_new_study_never_gets_a_folder_that_is_there() -> None:
    assert unused_study("My study").name == "My_study"
    for expected in ("My_study", "My_study_2", "My_study_3"):
        folder = unused_study("My study")
        assert folder.name == expected
        folder.mkdir(parents=True)
    long = unused_study("x" * 100)
    long.mkdir()
    assert unused_study("x" * 100) != long


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_where_nothing_can_be_written_nothing_is_remembered_and_nothing_breaks(
    tmp_path: Path, code: int
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert remember(tmp_path / "one")
    with fault(home(), 1, lambda: OSError(code, os.strerror(code))):
        assert not remember(tmp_path / "two")
    assert recent() == [tmp_path / "one"]


@pytest.mark.parametrize("listed", ['["a\\u0000b", "/tmp"]', '["' + "x" * 5000 + '", "/tmp"]', "[" * 10_000])
def test_a_list_of_folders_that_cannot_be(listed: str) -> None:
    home().mkdir(parents=True, exist_ok=True)
    (home() / "recent.json").write_text(listed)
    assert recent() == ([] if listed.startswith("[[") else [Path("/tmp")])


def test_a_home_that_no_user_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUISCOPE_HOME", "~nobody-there/x")
    assert home() == Path("~nobody-there/x")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "x cannot be kept: the disk is full. Free some space, or set CUISCOPE_HOME to"),
        (errno.EDQUOT, "x cannot be kept: the disk is full."),
        (errno.EROFS, "x cannot be kept: Read-only file system. Try again, or set CUISCOPE_HOME to"),
    ],
)
def test_a_disk_that_takes_nothing_is_reported_in_words(tmp_path: Path, code: int, words: str) -> None:
    write_whole(tmp_path / "x", b"old")
    for step in (1, 2, 3):
        with (
            fault(tmp_path, step, lambda: OSError(code, os.strerror(code)), forever=False),
            pytest.raises(InputError, match=words),
        ):
            write_whole(tmp_path / "x", b"new")
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"old")]
