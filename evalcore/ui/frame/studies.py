"""Which studies there are, and opening one of them once."""

from __future__ import annotations

import hashlib
import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from evalcore import extensions
from evalcore.study import open_study
from evalcore.study.folder.layout import stamp
from evalcore.study.workspace import file_names, home
from evalcore.study.workspace.home import is_uploaded, owner_of
from evalcore.study.workspace.removed import tidy
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import StudyEntry
from evalcore.values import bundled
from evalcore.values.account import Account, NotAllowed, NotSignedIn, current, is_restricted, is_served
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.writing import md_escape

SAMPLE = "sample"


def entries() -> dict[str, StudyEntry]:
    """All studies on offer by name.

    On one's own computer that of CUISCOPE_STUDY, the sample, the workspace, recent folders. On a server what
    who is at work may read: studies of the server, the sample, their own, and, for administrators, folders
    they opened.
    """
    account = current()
    _tidied(os.fsencode(home.home()))
    result = _of_this_computer() if account is None else _of_account(account)
    places = {os.path.realpath(entry.path): entry for entry in reversed(result)}
    order = dict.fromkeys(os.path.realpath(entry.path) for entry in result)
    names = {where: _name_of(places[where], where) for where in order}
    taken = Counter(names.values())
    listed: dict[str, StudyEntry] = {}
    for where, name in names.items():
        slug = name if taken[name] == 1 else _marked(name, places[where].path)
        listed[slug] = StudyEntry(slug, places[where].path, places[where].origin, name)
    return listed


class _Offered(NamedTuple):
    """A study on offer; ``name`` is "" where it is that of its folder."""

    origin: str
    path: Path
    name: str = ""


def _of_this_computer() -> list[_Offered]:
    named = os.environ.get("CUISCOPE_STUDY")
    result = [_Offered("started with", Path(os.path.expanduser(named)))] if named else []  # noqa: PTH111
    result += [_Offered("sample", bundled.SAMPLE)]
    result += [_Offered("workspace", path) for path in home.studies()]
    return result + _opened_folders()


def _of_account(account: Account) -> list[_Offered]:
    show = extensions.addition("readable studies")
    of_server = [
        _Offered("shared by the server", path, name) for name, path in (show() if show else {}).items()
    ]
    own = [_Offered("workspace", path) for path in home.studies()]
    opened_so = _opened_folders() if account.administrator else []
    return [*of_server, _Offered("sample", bundled.SAMPLE), *own, *opened_so]


def _opened_folders() -> list[_Offered]:
    return [_Offered("opened folder", path) for path in (*_not_noted[home.home()], *home.recent())]


def check_open(path: Path) -> None:
    """Raise NotAllowed where the current user of a server may not read the study of a folder (any more).

    Asked by whatever was drawn or begun earlier and works only now: callbacks, downloads, parts of a page.
    """
    if not is_served() or is_uploaded(path):
        return
    where = os.path.realpath(path)
    if all(os.path.realpath(entry.path) != where for entry in entries().values()):
        raise NotAllowed("This study is no longer open to you.")


def is_open(path: Path) -> bool:
    """Whether `check_open` lets the current user read a study; False when the user has signed out."""
    try:
        check_open(path)
    except (NotAllowed, NotSignedIn):
        return False
    return True


def manages(entry: StudyEntry) -> bool:
    """Whether the current user decides about the study: on a server its owner, and administrators for studies
    that were not uploaded; on one's own computer everybody."""
    account = current()
    if account is None or is_uploaded(entry.path):
        return True
    return account.administrator and not owner_of(entry.path)


def _name_of(offered: _Offered, where: str) -> str:
    if where == str(bundled.SAMPLE):
        return SAMPLE
    name = file_names.readable(offered.name or offered.path.name or Path(where).name) or "study"
    return f"{name} folder" if name == SAMPLE else name


def place_of(entry: StudyEntry) -> str:
    """Where a study is, for several of one name: its folder; on a server, whose paths are its own business,
    where it is from."""
    if not is_served():
        return file_names.readable(str(entry.path.parent))
    return "your workspace" if entry.origin == "workspace" else f"the studies {entry.origin}"


def link_name(entry: StudyEntry) -> str:
    """The name of a study in a link for others. On a server it has its mark, as others have other studies, of
    which one may have the same name."""
    return _marked(entry.name, entry.path) if is_served() else entry.slug


def _marked(name: str, path: Path) -> str:
    """A name with a few signs that tell folders of one name apart in links, whatever else is on offer."""
    where = os.fsencode(os.path.realpath(path))
    return f"{name} ({hashlib.blake2b(where, digest_size=2).hexdigest()})"


@st.cache_resource(ttl=86_400, show_spinner=False)
def _tidied(home: bytes) -> None:  # noqa: ARG001 -- each workspace once a day
    tidy()


_not_noted: defaultdict[Path, list[Path]] = defaultdict(list)
"""By workspace, folders opened since the start that could not be noted in it: it cannot be written to."""


def check_manages(entry: StudyEntry) -> None:
    """Raise NotAllowed where the current user does not decide about a study (see `manages`)."""
    if not manages(entry):
        raise NotAllowed("Only whose study it is can do that.")


def note_opened(path: Path) -> None:
    """Have a folder among the studies on offer, until the program ends where nothing can be written.

    Not on a server, where only administrators open folders: then nothing happens.
    """
    if is_restricted():
        return
    opened_so = _not_noted[home.home()]
    if not home.add_to_recent(path) and path not in opened_so:
        opened_so.insert(0, path)


def slug_of(path: Path) -> str:
    """The name in links of a study that is on offer."""
    where = os.path.realpath(path)
    return next(entry.slug for entry in entries().values() if os.path.realpath(entry.path) == where)


def default_slug(listed: dict[str, StudyEntry]) -> str:
    """What opens when nothing is asked for: the study the program was started with, else the sample."""
    return next(iter(listed), "")


def find_study(slug: str, listed: dict[str, StudyEntry], *, before: str) -> StudyEntry | None:
    """The study of that name, None where there is none.

    Where several have the name: the one on view ``before`` (its folder), else the first on offer; the page
    says so (`of_the_same_name`).
    """
    if slug in listed:
        return listed[slug]
    for entry in listed.values():
        if slug == _marked(entry.name, entry.path):
            return entry
    same = of_the_same_name(slug, listed)
    return next(
        (entry for entry in same if os.path.realpath(entry.path) == before), same[0] if same else None
    )


def of_the_same_name(slug: str, listed: dict[str, StudyEntry]) -> list[StudyEntry]:
    """The studies that a name alone can mean, where they are several."""
    same = [entry for entry in listed.values() if entry.name == slug]
    return same if slug not in listed and len(same) > 1 else []


def opened(path: Path) -> Study:
    """The study in a folder, read again only when a file in it has changed.

    Raises
    ------
    InputError
        When nothing in the folder is usable.
    """
    try:
        key = ("study", os.fsencode(path), stamp(path))
        return cache.cached(key, lambda: open_study(path), spinner="Opening the study…")
    except OSError as reason:  # a file that went, or was locked, while it was read
        raise InputError(f"The folder cannot be read: {reason.strerror or reason}. Try again.") from reason


# May this page change the study? Uploads yes, the sample never, opened folders after a clear yes.

_ALLOWED = "_may_change"


def is_allowed(folder: Path) -> bool:
    """Whether the reader said yes to changes of this folder in this session: ``in_place`` of all that changes
    a study. On a server never for what others uploaded, and for administrators only."""
    if is_served() and (is_restricted() or owner_of(folder)):
        return False
    allowed: set[str] = st.session_state.get(_ALLOWED, set())
    return os.path.realpath(folder) in allowed


def why_read_only(entry: StudyEntry) -> str:
    """Why a study cannot be changed, whatever the reader says; "" where it can."""
    if entry.slug == SAMPLE:
        return "The sample study is read-only."
    if not is_uploaded(entry.path) and is_served() and (is_restricted() or owner_of(entry.path)):
        return "This study is shared with you: you can read and judge it, and not change it."
    return ""


def ask(entry: StudyEntry, *, key: str) -> bool:
    """Whether a study may be changed; asks for it where that is the reader's to say."""
    folder = entry.path
    if why := why_read_only(entry):
        st.caption(why)
        return False
    if is_uploaded(folder):
        return True
    widget = f"allow-{key}-{state.STUDY}-{entry.slug}"
    st.session_state[widget] = is_allowed(folder)  # a page can ask twice
    st.checkbox(
        f"Allow changes to the folder {md_escape(file_names.readable(str(folder)), limit=200)}",
        key=widget,
        on_change=_say,
        args=(folder,),
        help="This study is a folder on this computer. Nothing in it changes until you allow it. The "
        "permission lasts until the page is closed.",
    )
    return is_allowed(folder)


def _say(folder: Path) -> None:
    """Callback: yes, or no longer."""
    allowed: set[str] = set(st.session_state.get(_ALLOWED, set()))
    state.set_plain(_ALLOWED, allowed ^ {os.path.realpath(folder)})
