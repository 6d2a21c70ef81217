"""Guests: people without an account who are invited to read one task of one study, by a link with a code.

A code is made by the program, for one person, and is shown once: what is kept is its digest. Whoever has the
code is the guest, until it is revoked.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from evalcore.features.server.identity import GUEST
from evalcore.study.workspace.home import (
    locked,
    make_folder,
    owner_of,
    read_json,
    server_home,
    write_json,
    write_whole,
)
from evalcore.values import events
from evalcore.values.account import Account, current
from evalcore.values.errors import InputError

FILE, MARK = "guests.json", ".cuiscope-share"
"""In the home of the server; in the folder of a study, which no zip holds."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who is invited: ``id`` revokes the invitation, ``by`` has made it, at ``made`` (seconds).

    ``mark``: of the study then; another that is later given its name is not theirs.
    """

    id: str
    name: str
    study: str
    task: str
    by: str
    made: float
    mark: str = ""


def make(study: Path, task: str, name: str) -> str:
    """Invite one person to read a task of a study; the code for their link.

    ``name``: what the pages call them, and their judgments.

    Raises
    ------
    InputError
        The name is empty, or the file cannot be written.
    """
    name = " ".join(name.split())[:80]
    if not name:
        raise InputError("A guest needs a name: give the one that their judgments shall have.")
    code, account = secrets.token_urlsafe(24), current()
    guest = Guest(
        _id(code), name, str(study), task, account.id if account else "", time.time(), marked(study)
    )
    make_folder(server_home())
    with locked(server_home()):
        _write([*guests(), guest])
    events.record("invited", study=study.name, task=task, guest=name)
    return code


def account_of(code: str) -> Account | None:
    """The account of whoever has this code; None for a code that nobody was given, or that is revoked."""
    return account_with(_id(code))


def account_with(guest_id: str) -> Account | None:
    """The account of a guest by its id; None where the invitation is revoked."""
    guest = next((guest for guest in guests() if secrets.compare_digest(guest.id, guest_id)), None)
    if guest is None or marked(Path(guest.study), make=False) != guest.mark:
        return None
    return Account(guest.id, guest.name, guest=True, study=guest.study, task=guest.task)


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


def revoke(guest_id: str) -> None:
    """End an invitation, at once; nothing happens where there is none."""
    make_folder(server_home())
    with locked(server_home()):
        _write([guest for guest in guests() if guest.id != guest_id])


def guests() -> list[Guest]:
    """Everybody who is invited, in the order of invitation."""
    path = server_home() / FILE
    try:
        stat = path.stat()
    except OSError:
        return []
    key = (str(path), stat.st_mtime_ns, stat.st_ino)
    rows = _read.get(key)
    if rows is None:
        read = read_json(path)
        rows = [Guest(**row) for row in read] if isinstance(read, list) else []
        _read.clear()
        _read[key] = rows
    return rows


_read: dict[tuple[str, int, int], list[Guest]] = {}
"""The file as it was last read."""


def _id(code: str) -> str:
    return GUEST + hashlib.blake2b(code.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _write(rows: list[Guest]) -> None:
    write_json(server_home() / FILE, [{name: getattr(row, name) for name in Guest.__slots__} for row in rows])
