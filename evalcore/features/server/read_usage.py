"""Who uses a server, and how much each keeps."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evalcore.features.server.read import ServerSettings
from evalcore.features.server.read_accounts import accounts
from evalcore.study.workspace.home import readable, server_home
from evalcore.study.workspace.room import COUNTED, measure, measure_parts


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with a workspace: ``id`` is None where nothing says whose it is; ``bytes`` by kind."""

    id: str | None
    name: str
    folder: str
    seen: datetime | None
    may_enter: bool
    administrator: bool
    studies: int
    bytes: dict[str, int]

    @property
    def total(self) -> int:
        """Bytes of everything that counts."""
        return sum(self.bytes.values())


def users(settings: ServerSettings) -> list[User]:
    """Every workspace of a server, by id; those of nobody last."""
    users = []
    for known in accounts():
        account = known.account
        users.append(
            User(
                id=account.id if account else None,
                name=account.name if account else "",
                folder=readable(known.folder.name),
                seen=known.seen,
                may_enter=account is not None and settings.admits(account.id),
                administrator=account is not None and settings.administers(account.id),
                studies=_studies(known.folder),
                bytes=measure_parts(known.folder),
            )
        )
    return sorted(users, key=lambda user: (user.id is None, user.id or "", user.folder))


def _studies(folder: Path) -> int:
    top = folder / "studies"
    below = top.iterdir() if top.is_dir() else ()
    return sum(path.is_dir() and not path.name.startswith(".") for path in below)


def shared_bytes() -> dict[str, int]:
    """Bytes of what is of all users, by folder of the home: caches, weights, judgments, the log."""
    names = ("review", "cache", "models", "environments", "log")
    return {name: size for name in names if (size := measure(server_home() / name))}


KINDS = tuple(COUNTED)


def kept_bytes() -> dict[str, int]:
    """Bytes on the disk of all users together, by what they are, and of what they share."""
    of_all = Counter(shared_bytes())
    for known in accounts():
        of_all.update(measure_parts(known.folder))
    return dict(of_all)


def resident_bytes() -> int | None:
    """Memory of this process; None where the system does not say (it is Linux that does)."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
