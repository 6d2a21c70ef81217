"""What is written is for the user only, swept at every start, and shared by several programs."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evalcore.study.workspace import home as locks
from evalcore.study.workspace import kept_files
from evalcore.study.workspace.change import tidy
from evalcore.study.workspace.folders import remember, study_folder
from evalcore.study.workspace.home import home, write_whole
from evalcore.study.workspace.uploads import add_part, add_study_zip
from evalcore.values.errors import InputError
from tests.study.empty_study import empty_study
from tests.study.made import png, zipped

CONCEPTS = b"ID,CUIs\na,C0000001\n"


def modes(top: Path) -> dict[str, int]:
    """{path below: permissions} of everything, the top included."""
    paths = (top, *top.rglob("*"))
    return {path.relative_to(top).as_posix(): stat.S_IMODE(path.lstat().st_mode) for path in paths}


def wrong(top: Path) -> dict[str, str]:
    """Everything that others could read or enter."""
    private = {name: 0o700 if (top / name).is_dir() else 0o600 for name in modes(top)}
    return {name: oct(mode) for name, mode in modes(top).items() if mode != private[name]}


@pytest.fixture
def new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "deep/home"))
    return tmp_path / "deep/home"


def test_nothing_that_is_made_can_be_read_by_others(new_home: Path) -> None:
    old = os.umask(0)  # whatever the user's own habit is
    try:
        study = empty_study()
        add_part(study, "concepts", "c.csv", CONCEPTS)
        add_part(study, "run", "r.csv", b"query,candidate,score\na,a,1\n", system="s")
        add_part(study, "images", "a.png", png())
        (study / "edges.csv").write_bytes(b"child,parent\nC0000001,C0000002\n")
        (study / "edges.csv").chmod(0o600)
        add_part(study, "graph", "e.csv", b"child,parent\nC0000001,C0000003\n")
        add_study_zip("zip", zipped(**{"concepts.csv": CONCEPTS, "images/a.png": png()}))
        remember(study)
        kept_files.keep_file("label_map", "m.csv", b"x")
        write_whole(home() / "cache/x/y", b"x")
    finally:
        os.umask(old)
    assert wrong(new_home) == {}
    assert {"studies/mine/study.toml", "studies/zip/images/a.png", "recent.json"} <= set(modes(new_home))


def test_what_was_left_half_done_goes(new_home: Path) -> None:
    write_whole(new_home / "studies/s/concepts.csv", CONCEPTS)
    write_whole(new_home / f"studies/.{'0a' * 16}/zip/images/a.png", b"x")
    hours_ago = time.time() - 4000
    for name in (f"removed/.{'1b' * 16}/a.csv", f"cache/thumbnails/ab/.{'2c' * 16}.tmp"):
        write_whole(new_home / name, b"x")
        for path in (new_home / name, (new_home / name).parent):
            os.utime(path, (hours_ago, hours_ago))
    for kept in ("studies/s/.DS_Store", f"cache/.{'3d' * 16}.tmp"):  # a user's, and one written right now
        write_whole(new_home / kept, b"x")
    tidy()
    assert sorted(path.name for path in new_home.rglob("*") if path.is_file()) == sorted(
        [".DS_Store", f".{'3d' * 16}.tmp", "concepts.csv", "studies.lock"]
    )


HOLDER = """
import sys, time
from evalcore.study.workspace.change import staging
with staging() as aside:
    (aside / "half").write_text("x")
    print(aside, flush=True)
    time.sleep(60)
"""


def test_a_program_that_holds_the_workspace_is_waited_for_and_its_death_ends_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
