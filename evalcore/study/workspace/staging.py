"""Whatever changes the workspace is made ready aside, then moved into place by renames; see ``swap``.

A program that dies in between leaves the study as it was, and a folder aside that the next start removes.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from evalcore.study.workspace.home import (
    BESIDE,
    MARK,
    OURS,
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    claim,
    home,
    is_uploaded,
    is_workspace,
    left_alone,
    locked,
    make_folder,
)

_REMNANT = re.compile(r"\.[0-9a-f]{32}(\.tmp)?")
_OLD = 3600
"""Seconds after which an unfinished file outside the folders aside is nobody's."""


@contextmanager
def staging(study: Path | None = None) -> Iterator[Path]:
    """A new folder aside, on the disk of the studies, gone afterwards; OSError when it cannot be made.

    ``study``: what is to change; a folder opened in place may lie on another disk, so it holds its own.
    """
    inside = study is not None and not is_uploaded(study)
    top = study if study is not None and inside else home() / "studies"
    make_folder(home())
    make_folder(top)
    if inside:
        _sweep_old(top)
    with locked(top, shared=True):
        aside = top / f".{uuid4().hex}"
        make_folder(aside)
        try:
            yield aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def changing() -> Iterator[None]:
    """One program at a time changes what the studies hold."""
    with locked(home()):
        yield


def tidy() -> None:
    """At every start: the workspace is for its owner only, and what was left half-done goes.

    Folders are made 0700, files 0600. What another program is making ready is left to it. The home itself
    is left as it is where it holds other things beside; links are not followed. Nothing happens in a folder
    that is no workspace (CUISCOPE_HOME may name any).
    """
    top = home()
    if not (top.is_dir() and is_workspace(top)):
        return
    with suppress(OSError):
        claim(top)
    with suppress(OSError):
        if {path.name for path in top.iterdir()} <= {*OURS, *BESIDE, MARK}:
            _tighten(top)
    for name in OURS:
        _tighten(top / name)
        for folder, below, files in os.walk(top / name):
            for one in (*below, *files):
                path = Path(folder, one)
                if _REMNANT.fullmatch(one) and not (folder == str(top / "studies") or _is_new(path)):
                    _remove(path)
                else:
                    _tighten(path)
    _sweep(top / "studies")


def _sweep(top: Path) -> None:
    """Remove the folders aside, unless somebody may be at work in one."""
    with suppress(OSError), left_alone(top) as alone:
        for path in list(top.iterdir()) if alone else ():
            if _REMNANT.fullmatch(path.name):
                _remove(path)


def _sweep_old(top: Path) -> None:
    """Remove folders aside that a program which died left in a study opened in place."""
    for path in list(top.iterdir()):
        if _REMNANT.fullmatch(path.name) and not _is_new(path):
            _remove(path)


def _tighten(path: Path) -> None:
    with suppress(OSError):
        mode = path.lstat().st_mode
        wanted = PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE_FILE
        if (stat.S_ISDIR(mode) or stat.S_ISREG(mode)) and stat.S_IMODE(mode) != wanted:
            path.chmod(wanted)


def _is_new(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime < _OLD
    except OSError:
        return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
