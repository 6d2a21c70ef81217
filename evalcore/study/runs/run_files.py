"""Runs that are no part of a study: found by a pattern."""

from __future__ import annotations

import os
from glob import glob, has_magic
from pathlib import Path

from evalcore.values.errors import InputError

SUFFIXES = (".trec", ".run", ".txt", ".csv", ".tsv", ".json")
"""Endings of run files, before ``.gz`` where they are packed."""


def system_name(path: str | Path) -> str:
    """What a run file without a name of its own is called: its name without ``.gz`` and one ending.

    >>> system_name("ckpts/step_0100.trec.gz"), system_name("lr0.1.trec"), system_name("mine")
    ('step_0100', 'lr0.1', 'mine')
    """
    name = Path(path).name
    stem = name.removesuffix(".gz") or name
    return stem[: -len(ending)] if (ending := Path(stem).suffix).lower() in SUFFIXES else stem


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
