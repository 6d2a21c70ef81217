"""Which studies there are, and opening one of them once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.model import digest_of
from evalcore.sources import workspace
from evalcore.study import open_study
from evalcore.ui.shared import shared

if TYPE_CHECKING:
    from evalcore.model import Study

SAMPLE_FOLDER = Path(__file__).resolve().parents[2] / "data"
SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """A study folder the sidebar offers: its name in links, where it is, where it came from."""

    slug: str
    path: Path
    origin: str


def entries() -> dict[str, StudyEntry]:
    """All studies on offer by name: that of CUISCOPE_STUDY, the sample, the workspace, recent folders."""
    named = os.environ.get("CUISCOPE_STUDY")
    found = [("started with", Path(named).expanduser())] if named else []
    found += [("sample", SAMPLE_FOLDER)]
    found += [("workspace", path) for path in workspace.studies()]
    found += [("opened folder", path) for path in workspace.recent()]
    listed: dict[str, StudyEntry] = {}
    known: set[Path] = set()
    for origin, path in found:
        where = path.resolve()
        if where in known:
            continue
        known.add(where)
        slug = SAMPLE if where == SAMPLE_FOLDER else _unused(path.name, listed)
        listed[slug] = StudyEntry(slug, path, origin)
    return listed


def _unused(name: str, taken: dict[str, StudyEntry]) -> str:
    names = [name, *(f"{name} ({i})" for i in range(2, 1000))]
    return next(candidate for candidate in names if candidate not in taken and candidate != SAMPLE)


def default_slug(listed: dict[str, StudyEntry]) -> str:
    """What opens when nothing is asked for: the study the program was started with, else the sample."""
    return next(iter(listed))


def find(asked: str, listed: dict[str, StudyEntry]) -> StudyEntry | None:
    """The study of that name, or of that digest (8 digits suffice)."""
    if asked in listed:
        return listed[asked]
    if len(asked) < 8 or not all(c in "0123456789abcdef" for c in asked):
        return None
    with_digest = (e for e in listed.values() if e.path.is_dir() and opened(e.path).digest.startswith(asked))
    return next(with_digest, None)


def opened(path: Path) -> Study:
    """The study in a folder, read again only when a file in it has changed.

    Raises
    ------
    InputError
        When nothing in the folder is usable.
    """
    return _open(str(path), stamp(path))


@shared(spinner="Opening the study…")
def _open(path: str, stamp: str) -> Study:  # noqa: ARG001 -- part of the cache key
    return open_study(path)


def stamp(path: Path) -> str:
    """Changes whenever a file of the folder does: names, sizes and times, without opening any.

    Pictures are not looked at one by one, only their folder: there can be many thousands.
    """
    seen: list[str] = []
    for folder, below, files in os.walk(path):
        seen.append(f"{folder}:{Path(folder).stat().st_mtime_ns}")
        below[:] = sorted(name for name in below if name != "images")
        if (Path(folder) / "images").is_dir():
            seen.append(f"images:{(Path(folder) / 'images').stat().st_mtime_ns}")
        for name in sorted(files):
            fact = (Path(folder) / name).stat()
            seen.append(f"{name}:{fact.st_size}:{fact.st_mtime_ns}")
    return digest_of(seen)
