"""The user's own folder: names that fit every system, files written whole, for the user only, and swept."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study.workspace import home as locks
from evalcore.study.workspace import kept_files as kept
from evalcore.study.workspace.file_names import MAX_NAME, folder_name, safe_name
from evalcore.study.workspace.home import (
    MAX_RECENT,
    add_to_recent,
    home,
    is_uploaded,
    recent,
    server_home,
    studies,
    study_folder,
    write_whole,
)
from evalcore.study.workspace.removed import tidy
from evalcore.study.workspace.uploads import add_part
from evalcore.values import account
from evalcore.values.account import Account, NotSignedIn
from evalcore.values.errors import InputError
from tests.study.faults import fault
from tests.study.made import add_zip, empty_study, png, zipped

CONCEPTS = b"ID,CUIs\na,C0000001\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My study", "My_study"),
        ("../../etc/passwd", "etc_passwd"),
        ("a\\b/c:d", "a_b_c_d"),
        (".hidden", "hidden"),
        ("CON", "study_CON"),
        ("nul.txt", "study_nul.txt"),
        ("\x00\n", "study"),
        ("ﬁle．．／x", "file._x"),
        ("x" * 500, "x" * MAX_NAME),
        ("𠀀" * 64, "𠀀" * 50),  # four bytes each; a file system takes 255 at most, we 200
    ],
)
def test_safe_names(text: str, name: str) -> None:
    assert safe_name(text) == name


NAMES = st.text(max_size=90) | st.text("aAbB/\\_:. -+()", max_size=6)


@given(NAMES, NAMES)
def test_different_systems_get_different_folders_everywhere(name: str, other: str) -> None:
    """Also on systems where upper and lower case are one, whichever came first."""
    first = folder_name(name)
    second = folder_name(other, taken=[first])
    assert folder_name(name) == first and folder_name(other, taken=[first]) == second
    for folder in (first, second):
        assert Path(folder).name == folder and len(folder.encode("utf-8", "surrogatepass")) <= 255
        assert folder[0] != "." and folder[-1] not in ". " and not set(folder) & set('/\\:*?"<>|')
    if " ".join(name.split()) != " ".join(other.split()) and first != other:
        assert first.casefold() != second.casefold()


def test_uploaded_studies_are_listed_by_name() -> None:
    assert not account.is_restricted()
    assert home() == server_home() and studies() == []
    for name in ("b", "a"):
        study_folder(name).mkdir(parents=True)
    (home() / "studies" / ".unfinished").mkdir()
    (home() / "studies" / "file").touch()
    assert [path.name for path in studies()] == ["a", "b"]
    assert is_uploaded(study_folder("a"))
    assert not any(map(is_uploaded, (home(), study_folder("a") / "..", Path("/tmp"))))


def test_recent_folders_the_last_first(tmp_path: Path) -> None:
    assert recent() == []
    folders = [tmp_path / f"s{k}" for k in range(MAX_RECENT + 3)]
    for folder in folders:
        folder.mkdir()
        add_to_recent(folder)
    assert recent() == folders[: -MAX_RECENT - 1 : -1]
    add_to_recent(folders[5])
    assert recent()[0] == folders[5] and recent().count(folders[5]) == 1
    folders[5].rmdir()
    assert folders[5] not in recent()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "x cannot be kept: the disk is full. Free some space, or set CUISCOPE_HOME to"),
        (errno.EDQUOT, "x cannot be kept: the disk is full."),
        (errno.EROFS, "x cannot be kept: Read-only file system. Try again, or set CUISCOPE_HOME to"),
    ],
)
def test_a_full_or_read_only_disk_is_reported(tmp_path: Path, code: int, words: str) -> None:
    write_whole(tmp_path / "x", b"old")
    for step in (1, 2, 3):
        with (
            fault(tmp_path, step, lambda: OSError(code, os.strerror(code)), forever=False),
            pytest.raises(InputError, match=words),
        ):
            write_whole(tmp_path / "x", b"new")
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"old")]


# Files of a satisfaction study.


def contents() -> dict[str, tuple[str, bytes]]:
    return {part: (file.name, file.content()) for part, file in kept.kept_files().items()}


def test_files_are_kept_replaced_and_forgotten() -> None:
    assert kept.kept_files() == {}
    kept.keep_file("relevance", "my ratings/ä.csv", b"one")
    kept.keep_file("satisfaction", "s.csv", b"two")
    before = kept.kept_files()
    assert contents() == {"relevance": ("my ratings/ä.csv", b"one"), "satisfaction": ("s.csv", b"two")}
    kept.keep_file("relevance", "other.csv", b"three")
    assert contents()["relevance"] == ("other.csv", b"three")
    after = kept.kept_files()
    assert [part for part in after if after[part].mark == before[part].mark] == ["satisfaction"]
    kept.forget("relevance")
    kept.forget("relevance")
    assert list(kept.kept_files()) == ["satisfaction"]


# Who may read it, what is left over, and who else is at work.


@pytest.fixture
def new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "deep/home"))
    return tmp_path / "deep/home"


def test_no_file_can_be_read_by_others(new_home: Path) -> None:
    old = os.umask(0)  # whatever the user's own habit is
    try:
        study = empty_study()
        add_part(study, "concepts", "c.csv", CONCEPTS)
        add_part(study, "images", "a.png", png())
        (study / "edges.csv").write_bytes(b"child,parent\nC0000001,C0000002\n")
        (study / "edges.csv").chmod(0o600)
        add_part(study, "graph", "e.csv", b"child,parent\nC0000001,C0000003\n")
        add_zip("zip", zipped(**{"concepts.csv": CONCEPTS, "images/a.png": png()}))
        add_to_recent(study)
        kept.keep_file("label_map", "m.csv", b"x")
        write_whole(home() / "cache/x/y", b"x")
    finally:
        os.umask(old)
    paths = [new_home, *new_home.rglob("*")]
    modes = {path.relative_to(new_home).as_posix(): stat.S_IMODE(path.lstat().st_mode) for path in paths}
    private = {name: 0o700 if (new_home / name).is_dir() else 0o600 for name in modes}
    assert modes == private
    assert {"studies/mine/study.toml", "studies/zip/images/a.png", "recent.json"} <= set(modes)


def test_unfinished_files_are_removed(new_home: Path) -> None:
    tidy()
    assert not new_home.exists(), "there is nothing to remove yet"
    write_whole(new_home / "studies/s/concepts.csv", CONCEPTS)
    write_whole(new_home / f"studies/.{'0a' * 16}/zip/images/a.png", b"x")
    hours_ago = time.time() - 4000
    for name in (f"removed/.{'1b' * 16}/a.csv", f"cache/thumbnails/ab/.{'2c' * 16}.tmp"):
        write_whole(new_home / name, b"x")
        for path in (new_home / name, (new_home / name).parent):
            os.utime(path, (hours_ago, hours_ago))
    for name in ("studies/s/.DS_Store", f"cache/.{'3d' * 16}.tmp"):  # a user's, and one written right now
        write_whole(new_home / name, b"x")
    tidy()
    left = sorted(path.name for path in new_home.rglob("*") if path.is_file())
    assert left == sorted([".DS_Store", f".{'3d' * 16}.tmp", "concepts.csv", "studies.lock"])


HOLDER = """
import time
from evalcore.study.workspace.change import staging
with staging() as aside:
    (aside / "half").write_text("x")
    print(aside, flush=True)
    time.sleep(60)
"""


def test_another_program_locks_the_workspace_until_it_ends(monkeypatch):
    with subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True) as holder:
        aside = Path(holder.stdout.readline().strip())
        monkeypatch.setattr(locks, "PATIENCE", 0.2)
        with pytest.raises(InputError, match=r"Another page or program is changing .*Wait until it is done"):
            add_part(empty_study(), "concepts", "c.csv", CONCEPTS)
        tidy()
        assert (aside / "half").exists()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        add_part(empty_study(), "concepts", "c.csv", CONCEPTS)
        assert study_folder("mine").is_dir()
        tidy()
        assert not aside.exists()


ADA, EVE = Account("ada@example.org", "Ada", administrator=True), Account("eve@example.org", "Eve")


def test_each_account_of_a_server_has_its_own_home(server: None) -> None:
    with pytest.raises(NotSignedIn):
        home()
    with account.acting_as(ADA), ThreadPoolExecutor(1) as threads:
        of_ada = home()
        assert not account.is_restricted()
        with pytest.raises(NotSignedIn):
            threads.submit(home).result()
    with account.acting_as(EVE):
        assert of_ada != home() and home().parent == of_ada.parent == server_home() / "users"
        assert account.is_restricted()
    assert not of_ada.exists()
