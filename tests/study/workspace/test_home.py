"""Names that fit every system, the list of studies, recently opened folders, files written whole."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study.workspace.file_names import MAX_NAME, folder_name, safe_name
from evalcore.study.workspace.folders import MAX_RECENT, is_uploaded, recent, remember, studies, study_folder
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


NAMES = st.text(max_size=90) | st.text("aAbB/\\_:. -+()", max_size=6)


@given(NAMES, NAMES)
def test_different_systems_get_different_folders_everywhere(entry: str, two: str) -> None:
    """Also on systems where upper and lower case are one, whichever came first."""
    first = folder_name(entry)
    second = folder_name(two, taken=[first])
    assert folder_name(entry) == first and folder_name(two, taken=[first]) == second
    for name in (first, second):
        assert Path(name).name == name and len(name.encode("utf-8", "surrogatepass")) <= 255
        assert name[0] != "." and name[-1] not in ". " and not set(name) & set('/\\:*?"<>|')
    if " ".join(entry.split()) != " ".join(two.split()) and first != two:
        assert first.casefold() != second.casefold()


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
