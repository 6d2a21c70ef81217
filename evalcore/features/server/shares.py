"""Which studies the users of a server may read besides their own: those of ``server.toml``, and shared ones.

Whose study it is says with whom it is shared, in ``shares.json`` of their workspace. A mark in the study's
folder, which no zip holds, tells it from another one that is later given the same name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from evalcore.features.server.read import read_settings
from evalcore.study.workspace.home import (
    USERS,
    home,
    is_uploaded,
    is_workspace,
    locked,
    make_folder,
    owner_of,
    read_json,
    server_home,
    write_json,
    write_whole,
)
from evalcore.values import events
from evalcore.values.account import Account, NotAllowed, NotSignedIn, current
from evalcore.values.errors import InputError

VARIABLE = "CUISCOPE_SERVER"
"""The environment variable with the path of ``server.toml``."""
FILE, MARK = "shares.json", ".cuiscope-share"
MOST, LONGEST = 200, 200
"""Colleagues of one study, and characters of an id."""


class Readable(NamedTuple):
    """A study that is not one's own: its folder, what it is called, and where it is from, in words."""

    path: Path
    name: str
    origin: str


def readable_studies() -> list[Readable]:
    """The studies that who is at work may read and not change.

    First those of ``[shared]``, in their order, then what colleagues shared, by name. None on one's own
    computer.
    """
    account = current()
    if account is None:
        return []
    named = [Readable(path, name, "shared by the server") for name, path in _named().items()]
    return [*named, *sorted(_from_colleagues(account), key=lambda one: (one.name, str(one.path)))]


def _named() -> dict[str, Path]:
    """``[shared]`` as the file says now; nothing where it cannot be read."""
    path = os.environ.get(VARIABLE)
    if not path:
        return {}
    try:
        fact = os.stat(path)  # noqa: PTH116
        key = (path, fact.st_mtime_ns, fact.st_size, fact.st_ino)
        if key not in _settings:
            shared = dict(read_settings(Path(path)).shared)
            _settings.clear()
            _settings[key] = shared
        return _settings[key]
    except (InputError, OSError):
        return {}


_settings: dict[tuple[str, int, int, int], dict[str, Path]] = {}
"""What the file said when it was last read."""


def _from_colleagues(account: Account) -> list[Readable]:
    result = []
    users = server_home() / USERS
    for folder in users.iterdir() if users.is_dir() else ():
        shared = _read(folder)
        if folder.name == account.folder or Account(shared["id"], "").folder != folder.name:
            continue
        for name, share in shared["studies"].items():
            path = folder / "studies" / name
            if account.id in share["with"] and path.name == name and mark_of(path) == share["mark"]:
                result.append(Readable(path, name, f"shared by {shared['name']}"))
    return result


def colleagues(study: Path) -> tuple[str, ...]:
    """The ids of those with whom one's own study is shared, in the order it was shared with them."""
    if not is_uploaded(study):
        return ()
    share = _read(home())["studies"].get(study.name)
    return () if share is None or share["mark"] != mark_of(study) else tuple(share["with"])


def share(study: Path, user: str) -> str:
    """Let another user read a study of one's own, and judge its results; the id they have on this server.

    Raises
    ------
    NotAllowed
        It is the study of somebody else.
    InputError
        This is nobody's id, or one's own; or it cannot be written.
    """
    owner = _owner(study)
    user = user.strip()
    user = user.casefold() if "@" in user else user  # as of accounts
    if not user or len(user) > LONGEST or not user.isprintable():
        raise InputError("Type the name that your colleague signs in with, such as ada@example.org.")
    if user == owner.id:
        raise InputError("This study is yours already. Type the name of a colleague.")
    with_whom = colleagues(study)
    if len(with_whom) >= MOST:
        raise InputError(f"A study is shared with {MOST} colleagues at most. Stop sharing it with one first.")
    _write(owner, study, (*(one for one in with_whom if one != user), user))
    events.record("shared", study=study.name, with_user=user)
    return user


def unshare(study: Path, user: str) -> None:
    """Take it back: from their next click on, the colleague has the study no more. Raises as `share`."""
    _write(_owner(study), study, tuple(one for one in colleagues(study) if one != user))
    events.record("unshared", study=study.name, with_user=user)


def has_come(user: str) -> bool:
    """Whether somebody of this id has ever signed in here."""
    return is_workspace(folder := server_home() / USERS / Account(user, "").folder) and folder.is_dir()


def mark_of(study: Path) -> str:
    """The mark of a study's folder; "" where it has none, and for a link."""
    if study.is_symlink():
        return ""
    mark = read_json(study / MARK)
    return mark if isinstance(mark, str) else ""


def marked(study: Path, *, make: bool = True) -> str:
    """The mark of an uploaded study, made where it has none; "" for a folder that nobody uploaded."""
    if not owner_of(study):
        return ""
    if make and not mark_of(study):
        write_whole(study / MARK, f'"{uuid4().hex}"'.encode())
    return mark_of(study)


def _owner(study: Path) -> Account:
    account = current()
    if account is None:
        raise NotSignedIn
    if not is_uploaded(study) or not study.is_dir():
        raise NotAllowed("Only whose study it is can share it.")
    return account


def _write(owner: Account, study: Path, users: tuple[str, ...]) -> None:
    make_folder(home())
    with locked(home()):
        studies = _read(home())["studies"]
        there = {name: share for name, share in studies.items() if (home() / "studies" / name).is_dir()}
        there.pop(study.name, None)
        if users:
            there[study.name] = {"mark": marked(study), "with": list(users)}
        write_json(home() / FILE, {"id": owner.id, "name": owner.name, "studies": there})


def _read(folder: Path) -> dict[str, Any]:
    """What is written in a workspace; nothing where there is nothing, or what this program never wrote."""
    read = read_json(folder / FILE)
    nothing: dict[str, Any] = {"id": "", "name": "", "studies": {}}
    if not isinstance(read, dict) or not isinstance(read.get("studies"), dict):
        return nothing
    studies = {
        name: share
        for name, share in read["studies"].items()
        if isinstance(share, dict) and isinstance(share.get("mark"), str) and share["mark"]
        if isinstance(share.get("with"), list)
    }
    return {"id": str(read.get("id")), "name": str(read.get("name")), "studies": studies}
