"""What is wrong in the home of a server, or of one person: everything at once, and nothing is changed."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evalcore.features.server.read import ServerSettings
from evalcore.features.server.read_accounts import FILE as ACCOUNT
from evalcore.features.server.read_accounts import Known, accounts
from evalcore.features.server.read_backup import JUDGMENTS, REMNANT, is_database, opened
from evalcore.features.server.read_log import FOLDER as LOG
from evalcore.study.workspace.home import (
    BESIDE,
    MARK,
    OURS,
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    USERS,
    read_json,
    readable,
    server_home,
)
from evalcore.study.workspace.room import measure_parts
from evalcore.values.writing import file_size

LEFT_OVER = 3600
"""Seconds after which what is unfinished is nobody's."""
OF_A_SERVER = (USERS, LOG, "server.toml", "secrets.toml")
SHARES = "shares.json"
OF_A_USER = (ACCOUNT, SHARES)
NEWEST = 1
"""Version of the tables of judgments."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong: where in the home, what, and the way out."""

    path: str
    problem: str
    remedy: str


def check(settings: ServerSettings) -> list[Finding]:
    """Everything that is wrong in the home, by its place; none where there is no home yet.

    Permissions and owners, folders without their mark, files of others, links, databases that are damaged or
    of a newer program, workspaces of nobody or of somebody who may no longer enter, shares to nobody, who
    keeps more than allowed, and what was left unfinished.
    """
    home = server_home()
    if not home.is_dir():
        return []
    known = accounts()
    problems = [*_of_folder(home, {*OURS, *BESIDE, MARK, *OF_A_SERVER})]
    for user in known:
        if user.folder.is_dir() and not user.folder.is_symlink():
            problems += _of_folder(user.folder, {*OURS, MARK, *OF_A_USER})
        problems += _of_user(user, settings)
    problems += _of_all(known, settings)
    if (home / JUDGMENTS).is_file():
        problems += _of_database(home / JUDGMENTS)
    return [
        Finding(readable(os.path.relpath(path, home)), problem, remedy)
        for path, problem, remedy in sorted(_together(problems, home), key=lambda one: str(one[0]))
    ]


Fault = tuple[Path, str, str]


def _together(problems: list[Fault], home: Path) -> Iterator[Fault]:
    """The same problem of many files in a folder of a home is one: it names the first of them."""
    same: dict[tuple[str, str, tuple[str, ...]], list[Path]] = {}
    for path, problem, remedy in problems:
        parts = path.relative_to(home).parts
        part = parts[:3] if parts[:1] == (USERS,) else parts[:1]
        same.setdefault((problem, remedy, part), []).append(path)
    for (problem, remedy, _), paths in same.items():
        more = f", and so are {len(paths) - 1:,} more there" if len(paths) > 1 else ""
        yield min(paths), problem + more, remedy


def _of_folder(top: Path, ours: set[str]) -> Iterator[Fault]:
    """What is wrong with the files of a home or of a workspace, but the workspaces in a home."""
    if not (top / MARK).is_file():
        yield top, f"it has no file {MARK}", "It is marked when the program next writes there."
    yield from _of_entry(top)
    for folder, below, names in os.walk(top):
        if Path(folder) == top:
            for name in sorted({*below, *names} - ours):
                if not REMNANT.fullmatch(name):
                    yield top / name, "the program did not make it", "Move it away."
            # Weights and environments are those of whoever installed them, and users come one by one.
            below[:] = [name for name in below if name in ours - {USERS, *BESIDE}]
            names = [name for name in names if name in ours]
        for name in (*below, *names):
            yield from _of_entry(Path(folder, name))


def _of_entry(path: Path) -> Iterator[Fault]:
    try:
        fact = path.lstat()
    except OSError:
        return  # it went meanwhile
    mode, is_folder = stat.S_IMODE(fact.st_mode), stat.S_ISDIR(fact.st_mode)
    if REMNANT.fullmatch(path.name) and time.time() - fact.st_mtime > LEFT_OVER:
        yield path, "it was left unfinished", "Remove it."
    if not (is_folder or stat.S_ISREG(fact.st_mode)):
        yield path, "it is a link or a device, which the program does not follow", "Remove it."
        return
    if mode & ~(PRIVATE_FOLDER if is_folder else PRIVATE_FILE):
        yield path, "it is open to other accounts of this machine", "In the home: chmod -R go= ."
    if hasattr(os, "getuid") and fact.st_uid != os.getuid():
        owner = f"its owner is user {fact.st_uid}, and this command runs as {os.getuid()}"
        yield path, owner, "Run the command as the account of the program, or change the owner."


def _of_database(path: Path) -> Iterator[Fault]:
    remedy = "Keep it as it is and restore a backup."
    try:
        if not path.stat().st_size:
            return  # begun as the disk became full
        if not is_database(path):
            yield path, "it is no database", remedy
            return
        with closing(opened(path)) as database:
            result = database.execute("PRAGMA integrity_check").fetchone()[0]
            if result != "ok":
                yield path, f"it is damaged: {str(result)[:200]}", remedy
            tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
            if "cuiscope_schema" in tables:
                version = database.execute("SELECT max(version) FROM cuiscope_schema").fetchone()[0]
                if version is not None and version > NEWEST:
                    newer = f"a newer CUIscope made it (version {version}, this one supports {NEWEST})"
                    yield path, newer, "Use the newer program."
    except (OSError, sqlite3.Error) as reason:
        yield path, f"it cannot be read: {reason}", remedy


def _of_user(user: Known, settings: ServerSettings) -> Iterator[Fault]:
    if user.account is None:
        yield user.folder, "nothing says whose it is", f"Its {ACCOUNT} comes back when its user signs in."
    elif not settings.admits(user.account.id):
        remedy = "Add them to `allowed` of server.toml, or back up and remove the folder."
        yield user.folder, f"{user.account.id} may no longer enter", remedy
    read = read_json(user.folder / SHARES)
    shares = read.get("studies") if isinstance(read, dict) else {}
    for name, share in shares.items() if isinstance(shares, dict) else ():
        if not (user.folder / "studies" / str(name)).is_dir():
            yield user.folder / SHARES, f"{name!r} is shared, and is not there", "Its owner ends the sharing."
        for reader in share.get("with", ()) if isinstance(share, dict) else ():
            if not settings.admits(str(reader)):
                nobody = f"{name!r} is shared with {reader}, who may not enter"
                yield user.folder / SHARES, nobody, "Its owner ends the sharing."


def _of_all(known: list[Known], settings: ServerSettings) -> Iterator[Fault]:
    kept = {user.folder: sum(measure_parts(user.folder).values()) for user in known}
    limits = settings.limits
    for folder, size in kept.items():
        if size > limits.user_bytes:
            over = f"{file_size(size)} are kept, and a user may keep {file_size(limits.user_bytes)}"
            yield folder, over, "Ask the user to delete studies, or raise `user_bytes` in server.toml."
    if sum(kept.values()) > limits.all_bytes:
        over = f"all users keep {file_size(sum(kept.values()))} of {file_size(limits.all_bytes)}"
        yield server_home() / USERS, over, "Ask users to delete studies, or raise `all_bytes` in server.toml."
