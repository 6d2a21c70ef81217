"""Whose each workspace of a server is: ``account.json`` in it, written when they come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evalcore.study.workspace.home import USERS, make_folder, read_json, server_home, write_json
from evalcore.values.account import Account

FILE = "account.json"


@dataclass(frozen=True, slots=True)
class Known:
    """A workspace in ``users``: its folder, whose it is, and when they last came; None where nothing says."""

    folder: Path
    account: Account | None
    seen: datetime | None


def seen(account: Account, at: datetime) -> None:
    """Note that an account is at work now; OSError or InputError where that cannot be written."""
    folder = server_home() / USERS / account.folder
    make_folder(folder)
    write_json(
        folder / FILE,
        {"id": account.id, "name": account.name, "seen": at.astimezone(UTC).isoformat(timespec="seconds")},
    )


def accounts() -> list[Known]:
    """Every workspace in ``users``, by folder."""
    top = server_home() / USERS
    return [_known(folder) for folder in sorted(top.iterdir())] if top.is_dir() else []


def _known(folder: Path) -> Known:
    """A file that names another account than its folder is nobody's."""
    read = read_json(folder / FILE)
    if not isinstance(read, dict) or not isinstance(read.get("id"), str):
        return Known(folder, None, None)
    account = Account(read["id"], str(read.get("name") or read["id"]))
    try:
        at = datetime.fromisoformat(str(read.get("seen")))
    except ValueError:
        at = None
    return Known(folder, account if account.folder == folder.name else None, at)
