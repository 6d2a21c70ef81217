"""Which studies there are, and opening one of them once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.errors import InputError
from evalcore.sources.folder.stamp import stamp
from evalcore.sources.workspace import workspace
from evalcore.study import open_study
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import StudyEntry

if TYPE_CHECKING:
    from evalcore.model import Study

SAMPLE_FOLDER = Path(__file__).resolve().parents[3] / "data"
SAMPLE = "sample"


def entries() -> dict[str, StudyEntry]:
    """All studies on offer by name: that of CUISCOPE_STUDY, the sample, the workspace, recent folders."""
    _tidied(os.fsencode(workspace.home()))
    named = os.environ.get("CUISCOPE_STUDY")
    found = [("started with", Path(os.path.expanduser(named)))] if named else []  # noqa: PTH111
    found += [("sample", SAMPLE_FOLDER)]
    found += [("workspace", path) for path in workspace.studies()]
    found += [("opened folder", path) for path in (*_not_written_down(), *workspace.recent())]
    listed: dict[str, StudyEntry] = {}
    known: set[str] = set()
    for origin, path in found:
        where = os.path.realpath(path)
        if where in known:
            continue
        known.add(where)
        own = where == str(SAMPLE_FOLDER)
        name = workspace.readable(path.name or Path(where).name) or "study"
        slug = SAMPLE if own else _unused(name, listed)
        listed[slug] = StudyEntry(slug, path, origin)
    return listed


@st.cache_resource(show_spinner=False)
def _tidied(home: bytes) -> None:  # noqa: ARG001 -- once per workspace
    workspace.tidy()


@st.cache_resource(show_spinner=False)
def _not_written_down() -> list[Path]:
    """Folders opened since the start that could not be noted in the workspace: it cannot be written to."""
    return []


def remember(path: Path) -> None:
    """Have a folder among the studies on offer, until the program ends where nothing can be written."""
    opened_so = _not_written_down()
    if not workspace.remember(path) and path not in opened_so:
        opened_so.insert(0, path)


def slug_of(path: Path) -> str:
    """The name in links of a study that is on offer."""
    where = os.path.realpath(path)
    return next(entry.slug for entry in entries().values() if os.path.realpath(entry.path) == where)


def _unused(name: str, taken: dict[str, StudyEntry]) -> str:
    names = (name, *(f"{name} ({i})" for i in range(2, 1000)))
    return next(candidate for candidate in names if candidate not in taken and candidate != SAMPLE)


def default_slug(listed: dict[str, StudyEntry]) -> str:
    """What opens when nothing is asked for: the study the program was started with, else the sample."""
    return next(iter(listed))


def find(asked: str, listed: dict[str, StudyEntry]) -> StudyEntry | None:
    """The study of that name, or of that digest (8 digits suffice); those that cannot be read are passed."""
    if asked in listed:
        return listed[asked]
    if len(asked) < 8 or not all(c in "0123456789abcdef" for c in asked):
        return None
    return next((entry for entry in listed.values() if _has_digest(entry, asked)), None)


def _has_digest(entry: StudyEntry, asked: str) -> bool:
    try:
        return opened(entry.path).digest.startswith(asked)
    except InputError:
        return False


def opened(path: Path) -> Study:
    """The study in a folder, read again only when a file in it has changed.

    Raises
    ------
    InputError
        When nothing in the folder is usable.
    """
    try:
        key = ("study", os.fsencode(path), stamp(path))
        return cache.share(key, lambda: open_study(path), spinner="Opening the study…")
    except OSError as reason:  # a file that went, or was locked, while it was read
        raise InputError(f"The folder cannot be read: {reason.strerror or reason}. Try again.") from reason
