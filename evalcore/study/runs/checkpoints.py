"""Runs that are no part of a study: found by a pattern, or one by one as they appear in a folder."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from glob import glob, has_magic
from pathlib import Path

from evalcore.values.errors import InputError

SUFFIXES = (".trec", ".run", ".txt", ".csv", ".tsv", ".json")
"""Endings of run files, before ``.gz`` where they are packed."""
SETTLED = 5.0
"""Seconds since its last change after which a file counts as written to its end at first sight."""


def system_name(path: str | Path) -> str:
    """What a run file without a name of its own is called: its name without ``.gz`` and one ending.

    >>> system_name("ckpts/step_0100.trec.gz"), system_name("lr0.1.trec"), system_name("mine")
    ('step_0100', 'lr0.1', 'mine')
    """
    name = Path(path).name
    stem = name.removesuffix(".gz") or name
    return stem[: -len(ending)] if (ending := Path(stem).suffix).lower() in SUFFIXES else stem


def in_order(path: Path) -> list[tuple[int, str]]:
    """A key that sorts names as people count: ``ckpt2`` before ``ckpt10``."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdecimal() and len(part) < 19 else (-1, part) for part in parts]


def matching(pattern: str) -> dict[str, str]:
    """{system: file} of the files that a pattern such as ``ckpts/*.trec`` matches, or of one file.

    ``**`` matches folders of any depth. Systems are called by `system_name`.

    Raises
    ------
    InputError
        No file matches; or two would be called the same.
    """
    place = os.path.expanduser(pattern)  # noqa: PTH111 -- a pattern is no path
    given = glob(place, recursive=True) if has_magic(place) else [place]  # noqa: PTH207 -- absolute ones too
    files = sorted(path for path in map(Path, given) if path.is_file())
    if not files and not has_magic(place):
        raise InputError(
            f"There is no file {pattern!r}, and it is not written NAME=FILE, as in mine=run.trec."
        )
    if not files:
        raise InputError(
            f"No file matches {pattern!r}, looked for from {Path.cwd()}. Correct the pattern, "
            "or name each run: --run NAME=FILE."
        )
    named: dict[str, str] = {}
    for path in files:
        name = system_name(path)
        if name in named:
            raise InputError(
                f"{named[name]} and {path} would both be called {name!r}. Give each a name of its own: "
                f"--run NAME={path}."
            )
        named[name] = str(path)
    return named


def arrivals(
    folder: Path,
    *,
    every: float,
    once: bool = False,
    sleep: Callable[[float], None] | None = None,
    now: Callable[[], float] = time.time,
) -> Iterator[Path]:
    """Run files of a folder, each when it has stopped growing; again when it was written anew.

    A file has stopped growing when size and time of change are those of the look before, or when nothing
    changed in it for `SETTLED` seconds. Files with other endings than `SUFFIXES`, and hidden ones, are passed
    over. Files of one look come in the order of `in_order`. Never ends, unless ``once``: then when every file
    that is there was given.

    Parameters
    ----------
    every
        Seconds between two looks.
    sleep, now
        What waits (``time.sleep``), and the clock.

    Raises
    ------
    InputError
        The folder does not exist.
    """
    wait = sleep or time.sleep
    given: dict[Path, tuple[int, int]] = {}
    before: dict[Path, tuple[int, int]] = {}
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}. Create it, or correct its name.")
    while True:
        there = _looked_at(folder)
        growing = False
        for path, state in there.items():
            settled = before.get(path) == state or now() - state[1] / 1e9 >= SETTLED
            if given.get(path) == state:
                continue
            if settled:
                given[path] = state
                yield path
            else:
                growing = True
        if once and not growing:
            return
        before = there
        wait(every)


def _looked_at(folder: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of change of the run files that are there; nothing of a folder that went for a moment."""
    files: dict[Path, tuple[int, int]] = {}
    try:
        entries = list(folder.iterdir())
    except OSError:
        return files
    for path in entries:
        ending = Path(path.name.removesuffix(".gz")).suffix.lower()
        if path.name.startswith(".") or ending not in SUFFIXES:
            continue
        try:
            of = path.stat()
        except OSError:  # it went since
            continue
        if path.is_file():
            files[path] = of.st_size, of.st_mtime_ns
    return dict(sorted(files.items(), key=lambda item: in_order(item[0])))
