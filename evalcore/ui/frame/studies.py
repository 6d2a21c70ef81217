"""Which studies there are, and opening one of them once."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from pathlib import Path

import streamlit as st
from streamlit.logger import get_logger

from evalcore.study import open_study
from evalcore.study.folder.unread import stamp
from evalcore.study.workspace import workspace
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import StudyEntry
from evalcore.values import bundled
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study

SAMPLE = "sample"


def entries() -> dict[str, StudyEntry]:
    """All studies on offer by name: that of CUISCOPE_STUDY, the sample, the workspace, recent folders."""
    _tidied(os.fsencode(workspace.home()))
    named = os.environ.get("CUISCOPE_STUDY")
    result = [("started with", Path(os.path.expanduser(named)))] if named else []  # noqa: PTH111
    result += [("sample", bundled.SAMPLE)]
    result += [("workspace", path) for path in workspace.studies()]
    result += [("opened folder", path) for path in (*_not_written_down(), *workspace.recent())]
    places = {os.path.realpath(path): (origin, path) for origin, path in reversed(result)}
    order = dict.fromkeys(os.path.realpath(path) for _, path in result)
    names = {where: _name_of(places[where][1], where) for where in order}
    taken = Counter(names.values())
    listed: dict[str, StudyEntry] = {}
    for where, name in names.items():
        origin, path = places[where]
        slug = name if taken[name] == 1 else f"{name} ({_mark(where)})"
        listed[slug] = StudyEntry(slug, path, origin, name)
    return listed


def _name_of(path: Path, where: str) -> str:
    if where == str(bundled.SAMPLE):
        return SAMPLE
    name = workspace.readable(path.name or Path(where).name) or "study"
    return f"{name} folder" if name == SAMPLE else name


def _mark(where: str) -> str:
    """A few signs that tell folders of the same name apart in links, whatever else is on offer."""
    return hashlib.blake2b(os.fsencode(where), digest_size=2).hexdigest()


@st.cache_resource(show_spinner=False)
def _tidied(home: bytes) -> None:  # noqa: ARG001 -- once per workspace
    workspace.tidy()
    if why := workspace.why_nothing_is_kept():
        get_logger(__name__).warning("Nothing can be kept. %s", why)


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


def default_slug(listed: dict[str, StudyEntry]) -> str:
    """What opens when nothing is asked for: the study the program was started with, else the sample."""
    return next(iter(listed))


def find(
    asked: str, listed: dict[str, StudyEntry], *, digest: str = "", before: str = ""
) -> StudyEntry | None:
    """The study of that name, or of that digest (8 digits suffice); those that cannot be read are passed.

    Where several have the name: the one with the digest that a link gives, else the one on view ``before``
    (its folder), else the first on offer; the page says so (`of_the_same_name`).
    """
    if asked in listed:
        return listed[asked]
    if same := of_the_same_name(asked, listed):
        if digest and (meant := [entry for entry in same if _has_digest(entry, digest)]):
            return meant[0]
        return next((entry for entry in same if os.path.realpath(entry.path) == before), same[0])
    if len(asked) < 8 or not all(c in "0123456789abcdef" for c in asked):
        return None
    return next((entry for entry in listed.values() if _has_digest(entry, asked)), None)


def of_the_same_name(asked: str, listed: dict[str, StudyEntry]) -> list[StudyEntry]:
    """The studies that a name alone can mean, where they are several; older links number them: "roco (2)"."""
    name = re.sub(r" \(\d+\)$", "", asked)
    same = [entry for entry in listed.values() if entry.name == name]
    return same if asked not in listed and len(same) > 1 else []


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


# May this page change the study? Uploads yes, the sample never, opened folders after a clear yes.

_ALLOWED = "_may_change"


def given(folder: Path) -> bool:
    """Whether the reader said yes to changes of this folder in this session: ``in_place`` of all that changes
    a study."""
    allowed: set[str] = st.session_state.get(_ALLOWED, set())
    return os.path.realpath(folder) in allowed


def may_change(entry: StudyEntry) -> bool:
    """Whether a study may be changed, without asking."""
    return entry.slug != SAMPLE and (workspace.is_uploaded(entry.path) or given(entry.path))


def ask(entry: StudyEntry, *, key: str) -> bool:
    """Whether a study may be changed; asks for it where that is the reader's to say."""
    folder = entry.path
    if entry.slug == SAMPLE:
        st.caption("The sample study is read-only.")
        return False
    if workspace.is_uploaded(folder):
        return True
    widget = f"allow-{key}-{state.STUDY}-{entry.slug}"
    st.session_state[widget] = given(folder)  # the question can stand on a page twice
    st.checkbox(
        f"Allow changes to the folder {md_escape(workspace.readable(str(folder)), limit=200)}",
        key=widget,
        on_change=_say,
        args=(folder,),
        help="This study is a folder on this computer. Nothing in it changes until you allow it. The "
        "permission lasts until the page is closed.",
    )
    return given(folder)


def _say(folder: Path) -> None:
    """Callback: yes, or no longer."""
    allowed: set[str] = set(st.session_state.get(_ALLOWED, set()))
    state.set_plain(_ALLOWED, allowed ^ {os.path.realpath(folder)})
