"""Has anything in a study folder changed since it was opened? Answered without opening a file."""

from __future__ import annotations

import os
from pathlib import Path

from evalcore.study.folder.layout import TOML, read_layout
from evalcore.values.arrays import digest_of


def stamp(folder: Path) -> str:
    """Changes whenever a file that the study is read from does, even at the same size and time.

    Names, sizes, times of content and of any change, and the file's own number (a file moved over
    another one keeps size and time, not the number). What escapes is a second change of the same size within
    one tick of the file system's clock, some milliseconds. Only the parts of the study are looked at: of its
    pictures the folder alone, and nothing of what else lies below. InputError when there is no such folder.
    """
    layout, report = read_layout(folder)
    paths = [path for kind in sorted(layout.files) for path in layout.files[kind]]
    paths += [path for name in sorted(layout.systems) for path in layout.systems[name].values()]
    parts = [f"{kind}:{len(found)}" for kind, found in sorted(layout.files.items())]
    parts += [f"{name}:{sorted(found)}" for name, found in sorted(layout.systems.items())]
    seen = [f"{path}:{_facts(path)}" for path in (layout.root / TOML, *paths)]
    return digest_of(parts, seen, [str(problem) for problem in report.problems])


def _facts(path: Path) -> str:
    try:
        fact = os.stat(path)  # noqa: PTH116
    except OSError as reason:
        return f"{reason.errno}"
    return f"{fact.st_size}:{fact.st_mtime_ns}:{fact.st_ctime_ns}:{fact.st_ino}"
