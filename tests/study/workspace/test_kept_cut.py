"""Uploads and removals that are stopped, or fail, at any step in the file system; two servers at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evalcore.study.workspace import kept_files as files
from evalcore.values.errors import InputError
from tests.study.cut_short import NEW

ROOT = Path(__file__).resolve().parents[3]


def stopped(action: str, how: str, home: Path) -> list[Path]:
    """Workspaces as they are after the action was stopped at its first, second, ... step; the last: never."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.study.cut_short", how, action],
        cwd=ROOT,
        env={**os.environ, "CUISCOPE_HOME": str(home)},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [Path(line) for line in done.stdout.splitlines()]


def contents() -> dict[str, dict[str, bytes]]:
    return {part: {one.name: files.content(one)} for part, one in files.kept_files().items()}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("CUISCOPE_HOME", str(home))
    files.keep_file("relevance", "old.csv", b"old")
    files.keep_file("satisfaction", "s.csv", b"s")
    return home


@pytest.mark.parametrize("how", ["killed", "failed", "half"])
@pytest.mark.parametrize(("action", "name"), [("another file", "new.csv"), ("the same file", "old.csv")])
def test_the_old_or_the_new_file_is_there_whole(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, how: str, action: str, name: str
) -> None:
    other = {"satisfaction": {"s.csv": b"s"}}
    old, new = {"relevance": {"old.csv": b"old"}} | other, {"relevance": {name: NEW}} | other
    homes, seen = stopped(action, how, workspace), []
    for home in homes:
        monkeypatch.setenv("CUISCOPE_HOME", str(home))
        seen.append(contents())
        assert seen[-1] in (old, new)
        files.keep_file("relevance", "next.csv", b"next")
        assert contents() == {"relevance": {"next.csv": b"next"}} | other
    if how == "half":
        assert seen == [old]
    else:
        assert len(homes) >= 3
        assert old in seen
        assert seen[-1] == new


@pytest.mark.parametrize("how", ["killed", "failed"])
def test_what_is_removed_is_gone_or_there(workspace: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    for home in stopped("forget", how, workspace):
        monkeypatch.setenv("CUISCOPE_HOME", str(home))
        found = contents()
        assert found.pop("satisfaction") == {"s.csv": b"s"}
        assert found in ({}, {"relevance": {"old.csv": b"old"}})
    assert found == {}


SERVER = """
import sys
from evalcore.study.workspace import kept_files as files
me = sys.argv[1]
for n in range(25):
    files.keep_file("relevance", f"{me}{n % 3}.csv", f"{me}{n}".encode() * 2000)
    for one in files.kept_files().values():
        files.content(one)
"""


def test_two_servers_on_one_workspace_keep_a_whole_file(workspace: Path) -> None:
    environment = {**os.environ, "CUISCOPE_HOME": str(workspace)}
    both = [subprocess.Popen([sys.executable, "-c", SERVER, me], cwd=ROOT, env=environment) for me in "ab"]
    assert [one.wait(timeout=120) for one in both] == [0, 0]
    (kept,) = contents()["relevance"].values()
    assert kept in [f"{me}{n}".encode() * 2000 for me in "ab" for n in range(25)]


def test_a_removal_that_is_refused_is_told(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_given: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.raises(InputError, match=r"old\.csv cannot be removed: Permission denied"):
        files.forget("relevance")
    assert contents()["relevance"] == {"old.csv": b"old"}
