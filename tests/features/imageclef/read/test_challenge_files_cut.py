"""Uploads and removals that are stopped, or fail, at any step in the file system; two servers at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evalcore.features.imageclef import read as files
from evalcore.values.errors import InputError
from tests.study.cut_short import NEW

ROOT = Path(__file__).resolve().parents[4]


def python(*words: str, home: Path) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "CUISCOPE_HOME": str(home)},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def stopped(action: str, how: str, home: Path) -> list[Path]:
    """Workspaces as they are after the action was stopped at its first, second, ... step; the last: never."""
    said = python("-m", "tests.study.cut_short", how, action, home=home)
    return [Path(line) for line in said.splitlines()]


def contents(part: str) -> dict[str, bytes]:
    return {one.name: files.content(one) for one in files.kept("concepts") if one.part == part}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("CUISCOPE_HOME", str(home))
    files.keep("concepts", "truth", "old.csv", b"old")
    files.keep("concepts", "runs", "run.csv", b"old")
    files.keep("concepts", "scores", "scores.csv", b"scores", run="run.csv")
    return home


@pytest.mark.parametrize("how", ["killed", "failed", "half"])
@pytest.mark.parametrize(
    ("action", "part", "old", "new"),
    [
        ("another truth", "truth", {"old.csv": b"old"}, {"new.csv": NEW}),
        ("the same truth", "truth", {"old.csv": b"old"}, {"old.csv": NEW}),
        ("the same run", "runs", {"run.csv": b"old"}, {"run.csv": NEW}),
        ("another run", "runs", {"run.csv": b"old"}, {"run.csv": b"old", "new.csv": NEW}),
    ],
)
def test_the_old_or_the_new_file_is_there_whole(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, how: str, action: str, part: str, old: dict, new: dict
) -> None:
    homes = stopped(action, how, workspace)
    seen = []
    for home in homes:
        monkeypatch.setenv("CUISCOPE_HOME", str(home))
        seen.append(contents(part))
        assert seen[-1] in (old, new)
        assert contents("scores") == {"scores.csv": b"scores"}
        files.keep("concepts", part, "next.csv", b"next")
        assert contents(part) == (
            {"next.csv": b"next"} if part == "truth" else seen[-1] | {"next.csv": b"next"}
        )
    if how == "half":
        assert seen == [old]
    else:
        assert len(homes) >= 3
        assert old in seen
        assert seen[-1] == new


@pytest.mark.parametrize("how", ["killed", "failed"])
@pytest.mark.parametrize(("action", "left"), [("forget the run", {"truth"}), ("forget all", set())])
def test_what_is_removed_is_gone_or_there(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, how: str, action: str, left: set[str]
) -> None:
    homes = stopped(action, how, workspace)
    for home in homes:
        monkeypatch.setenv("CUISCOPE_HOME", str(home))
        found = {one.part for one in files.kept("concepts")}
        assert found in (left, {"truth", "runs", "scores"})
        # A run of the same name does not inherit what belonged to the removed one.
        files.keep("concepts", "runs", "run.csv", b"again")
        assert contents("scores") == ({} if found == left else {"scores.csv": b"scores"})
    assert found == left


def names_in(home: Path) -> set[str]:
    return {
        path.relative_to(home / "challenge").as_posix()
        for path in (home / "challenge").rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("how", ["killed", "half"])
@pytest.mark.parametrize("action", ["another truth", "the same run", "forget the run", "forget all"])
def test_remnants_are_swept(workspace: Path, monkeypatch: pytest.MonkeyPatch, how: str, action: str) -> None:
    monkeypatch.setattr(files, "ABANDONED", -1)
    for home in stopped(action, how, workspace):
        monkeypatch.setenv("CUISCOPE_HOME", str(home))
        before = [(one.part, files.content(one)) for one in files.kept("concepts")]
        files.sweep()
        assert [(one.part, files.content(one)) for one in files.kept("concepts")] == before
        assert len(names_in(home)) == len(before)


def test_a_sweep_that_is_stopped_loses_nothing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for home in stopped("another truth", "killed", workspace)[:-1]:
        monkeypatch.setenv("CUISCOPE_HOME", str(home))
        before = [(one.part, files.content(one)) for one in files.kept("concepts")]
        for swept in stopped("sweep", "killed", home):
            monkeypatch.setenv("CUISCOPE_HOME", str(swept))
            assert [(one.part, files.content(one)) for one in files.kept("concepts")] == before


def test_a_file_that_is_being_written_is_not_swept(workspace: Path) -> None:
    unfinished = workspace / "challenge" / "concepts" / "truth" / ".0a.tmp"
    unfinished.write_bytes(b"half")
    files.sweep()
    assert unfinished.exists()
    long_ago = time.time() - 2 * files.ABANDONED
    os.utime(unfinished, (long_ago, long_ago))
    files.sweep()
    assert not unfinished.exists()


SERVER = """
import sys
from evalcore.features.imageclef import read as files
me = sys.argv[1]
for n in range(25):
    files.keep("concepts", "truth", f"{me}{n % 3}.csv", f"{me}{n}".encode() * 2000)
    files.keep("concepts", "runs", f"{me}{n}.csv", f"{me}{n}".encode() * 2000)
    files.keep("concepts", "runs", "both.csv", f"{me}{n}".encode() * 2000)
    for one in files.kept("concepts"):
        one.mark, one.size
    files.sweep()
"""


def test_two_servers_on_one_workspace_lose_nothing(workspace: Path) -> None:
    environment = {**os.environ, "CUISCOPE_HOME": str(workspace)}
    both = [subprocess.Popen([sys.executable, "-c", SERVER, me], cwd=ROOT, env=environment) for me in "ab"]
    assert [one.wait(timeout=120) for one in both] == [0, 0]
    runs = contents("runs")
    mine = {f"{me}{n}.csv": f"{me}{n}".encode() * 2000 for me in "ab" for n in range(25)}
    assert {name: runs[name] for name in mine} == mine
    last = [f"{me}24".encode() * 2000 for me in "ab"]
    assert runs["both.csv"] in last
    assert len(runs) == len(mine) + 2
    (truth,) = contents("truth").values()
    assert truth in last


def test_of_two_truths_the_newer_one_counts(workspace: Path) -> None:
    # What a stop between storing the new one and removing the old one leaves.
    folder = workspace / "challenge" / "concepts" / "truth"
    (folder / "0002_a.csv").write_bytes(b"newer")
    assert contents("truth") == {"a.csv": b"newer"}
    (folder / "0002_z.csv").write_bytes(b"of another server, later")
    os.utime(folder / "0002_a.csv", (1, 1))
    assert contents("truth") == {"z.csv": b"of another server, later"}
    (one,) = (one for one in files.kept("concepts") if one.part == "truth")
    files.forget("concepts", one)
    assert contents("truth") == {}


def test_a_file_that_vanishes_while_the_folder_is_read(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = Path.iterdir

    def and_gone(folder: Path):
        for path in listing(folder):
            path.unlink() if path.is_file() else None
            yield path

    monkeypatch.setattr(Path, "iterdir", and_gone)
    assert files.kept("concepts") == ()


def test_a_removal_that_is_refused_is_told(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_given: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    run = next(one for one in files.kept("concepts") if one.part == "runs")
    monkeypatch.setattr(Path, "unlink", refused)
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(InputError, match=r"run\.csv cannot be removed: Permission denied"):
        files.forget("concepts", run)
    with pytest.raises(InputError, match=r"cannot be removed: Permission denied"):
        files.forget_all("concepts")
    assert contents("runs") == {"run.csv": b"old"}


def test_long_names_that_differ_at_their_end_are_two_runs() -> None:
    for end in "ab":
        for content in (b"first", end.encode()):
            files.keep("concepts", "runs", "é" * 300 + end, content)
    assert sorted(contents("runs").values()) == [b"a", b"b"]
