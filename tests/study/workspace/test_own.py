"""A folder of others that is named as the workspace stays as it is to the last bit; ours are recognised."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from evalcore.features.review.read import database
from evalcore.study.workspace import kept_files as satisfaction
from evalcore.study.workspace.change import tidy
from evalcore.study.workspace.folders import remember, studies
from evalcore.study.workspace.home import MARK, ForeignFolder, is_workspace, make_folder, write_whole
from evalcore.study.workspace.workspace import add_first_part, removed_systems
from evalcore.values.errors import InputError

CONCEPTS = b"ID,CUIs\na,C0000001\n"
HEX = "0a" * 16
FOREIGN = {
    "a thesis": ["thesis.docx"],
    "a project": ["studies/trial/data.csv", f"studies/.{HEX}/notes.txt", "cache/x", "review/me.txt"],
    "a project of our names alone": [f"studies/.{HEX}/notes.txt", "studies/trial/run.sh", "review/paper.tex"],
    "thumbnails of another program": ["index.html", "cache/thumbnails/ab/x.jpg", "studies/a/b"],
    "a study": ["concepts.csv", "graph/edges.csv", "systems/a/run.trec"],
    "a list of something else": ["recent.json", "studies/a/b"],
    "removed things": [f"removed/{HEX}/removed.json", "notes.txt"],
}


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "top"))
    return tmp_path / "top"


def made(top: Path, names: list[str], *, folders: int = 0o755, files: int = 0o644) -> None:
    """Files of long ago, with these permissions."""
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text('["x"]' if name.endswith(".json") else "x")
    for path in (top, *top.rglob("*")):
        path.chmod(folders if path.is_dir() else files)
        os.utime(path, (1e9, 1e9))


def facts(top: Path) -> dict[str, tuple[int, float, bytes]]:
    """Everything below a folder: its permissions, time and content."""
    return {
        path.relative_to(top).as_posix(): (
            path.stat().st_mode,
            path.stat().st_mtime,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in (top, *top.rglob("*"))
    }


@pytest.mark.parametrize("names", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("private", [False, True])
def test_a_foreign_folder_stays_as_it_is_and_is_refused_in_words(
    top: Path, names: list[str], private: bool
) -> None:
    made(top, names, **({"folders": 0o755, "files": 0o600} if private else {}))
    before = facts(top)
    tidy()
    assert studies() == []
    assert not remember(top)
    assert not is_workspace(top)
    assert satisfaction.kept_files() == {}
    assert removed_systems(top) == []
    rule = f"{re.escape(str(top))} contains files that CUIscope did not make, and only a folder of its own"
    for write in (
        lambda: write_whole(top / "cache/x/y", b"x"),
        lambda: satisfaction.keep_file("relevance", "r.csv", b"x"),
        lambda: add_first_part("mine", "concepts", "c.csv", CONCEPTS),
    ):
        with pytest.raises(InputError, match=rf"cannot be kept: {rule}.*\. Set CUISCOPE_HOME to an empty"):
            write()
    with pytest.raises(InputError, match=rule), database.connected(write=True):
        pass
    assert facts(top) == before


@pytest.mark.parametrize("there", [None, [], [".DS_Store"], ["lost+found/x"], ["models/weights.bin"]])
def test_a_new_or_empty_folder_becomes_a_workspace(top: Path, there: list[str] | None) -> None:
    if there is not None:
        top.mkdir()
        made(top, there)
    write_whole(top / "cache/x/y", b"x")
    assert (top / MARK).is_file()
    assert stat.S_IMODE((top / MARK).stat().st_mode) == 0o600
    (top / "notes.txt").write_text("put beside later")
    assert remember(top)
    add_first_part("mine", "concepts", "c.csv", CONCEPTS)
    assert [path.name for path in studies()] == ["mine"]


def test_no_folder_is_made_in_one_of_others(top: Path) -> None:
    made(top, ["thesis.docx"])
    with pytest.raises(ForeignFolder):
        make_folder(top / "studies/x")
    assert [path.name for path in top.iterdir()] == ["thesis.docx"]
