"""Copies of a home while the program runs, verified by a manifest, and put back.

A backup is a folder of plain files: those of the home, each database as one file, and ``backup.json`` with
the size and digest of each, written last. Left out is what can be made or installed again (`LEFT_OUT`).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from evalcore import extensions
from evalcore.features.server.read_accounts import FILE as ACCOUNT
from evalcore.features.server.read_accounts import accounts
from evalcore.study.workspace.home import (
    BESIDE,
    MARK,
    PRIVATE_FILE,
    USERS,
    cannot_keep,
    claim,
    is_workspace,
    locked,
    make_folder,
    read_json,
    readable,
    server_home,
    write_json,
)
from evalcore.values.account import Account
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.version import __version__
from evalcore.values.writing import pluralize

MANIFEST, FORMAT = "backup.json", 1
LEFT_OUT = ("cache", *BESIDE)
"""Folders of a home that no backup has: caches fill again, weights and environments are installed again."""
REMNANT = re.compile(r"\.[0-9a-f]{32}(\.tmp|\.gone)?")
"""What the program is making ready, or removing."""
_SQLITE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")
"""Endings of what SQLite keeps beside a database; its copy has it all."""
_BLOCK = 1 << 20
_PATHS = ("recent.json", "places.json", "paths.json", "removed.json")
"""Files that name folders by their path."""
DATABASE = "CUISCOPE_DATABASE"
JUDGMENTS, STUDIES = "review/judgments.db", "studies"


@dataclass(frozen=True, slots=True)
class Copied:
    """What is in a backup, or was put back: files and bytes; ``left`` out of it, links and files that went or
    cannot be read; ``remarks`` for whoever runs the server."""

    files: int
    bytes: int
    left: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def backup(target: Path) -> Copied:
    """Copy the home into a new folder, for its owner only; the program may run meanwhile.

    No study changes while its files are copied: who wants to change one in that workspace waits. Judgments
    are copied by SQLite, with everything that was committed when the copy began.

    Raises
    ------
    InputError
        There is no home, the target is not a new or empty folder or is in the home, or cannot be written.
    """
    home = server_home()
    if not (home.is_dir() and is_workspace(home)):
        raise InputError(
            f"There is nothing to back up: {home} is no home of this program. Set CUISCOPE_HOME."
        )
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(home)):
        raise InputError(f"A backup in the home would contain itself: {target}. Name a folder elsewhere.")
    _check_empty(target)
    files: dict[str, dict[str, Any]] = {}
    left: list[str] = []
    try:
        make_folder(target)
        for workspace, folder in ((top, folder) for top in _workspaces(home) for folder in _folders(top)):
            with locked(workspace):
                for path in _files(folder, left, home=home, deep=_is_whole(folder, workspace)):
                    name = path.relative_to(home).as_posix()
                    try:
                        files[name] = _copy(path, target, name)
                    except FileNotFoundError:
                        left.append(readable(name))
        write_json(
            target / MANIFEST,
            {
                "format": FORMAT,
                "program": __version__,
                "made": datetime.now(UTC).isoformat(timespec="seconds"),
                "home": os.path.realpath(home),
                "files": files,
            },
        )
    except OSError as reason:
        raise cannot_keep("The backup", reason) from reason
    return Copied(len(files), _bytes_of(files), tuple(left), _remarks(home))


def _remarks(home: Path) -> tuple[str, ...]:
    """Where judgments are that are not in the backup."""
    if not os.environ.get(DATABASE, "").strip():
        return ()
    more = f"Judgments are in the database that {DATABASE} names, not in this backup: copy them with pg_dump."
    n = judgments_in(home / JUDGMENTS)
    if not n:
        return (more,)
    before = f"{JUDGMENTS} has {pluralize(n, 'judgment')} from before; they are in this backup, but"
    return more, f"{before} no page reads them while {DATABASE} is set."


def judgments_in(path: Path) -> int:
    """How many judgments a file holds; 0 where there is none, or none can be read."""
    try:
        with closing(opened(path)) as database:
            return int(database.execute("SELECT count(*) FROM cuiscope_judgments").fetchone()[0])
    except (OSError, sqlite3.Error):
        return 0


def _workspaces(home: Path) -> Iterator[Path]:
    """The home, and the workspace of each user in it."""
    yield home
    yield from sorted(path for path in (home / USERS).glob("*") if path.is_dir() and not path.is_symlink())


def _folders(top: Path) -> Iterator[Path]:
    """The folders of a workspace that are copied at a time, each study by itself."""
    yield top
    for folder in _below(top, out={*LEFT_OUT, USERS}):
        yield folder
        if folder.name == STUDIES:
            yield from _below(folder)


def _below(folder: Path, out: Collection[str] = ()) -> list[Path]:
    paths = (Path(entry.path) for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    return sorted(path for path in paths if path.name not in out and not REMNANT.fullmatch(path.name))


def _is_whole(folder: Path, top: Path) -> bool:
    """Whether a folder is copied with all folders in it: others in it come by themselves."""
    return folder not in (top, top / STUDIES)


def _files(folder: Path, left: list[str], *, home: Path, deep: bool) -> Iterator[Path]:
    """The files of a folder that a backup has; ``left`` gets the names of links and devices."""
    for here, below, names in os.walk(folder):
        links = [name for name in below if Path(here, name).is_symlink()]
        below[:] = sorted(name for name in below if deep and not REMNANT.fullmatch(name))
        for name in sorted((*links, *names)):
            path = Path(here, name)
            if path.is_symlink() or not path.is_file():
                left.append(readable(path.relative_to(home).as_posix()))
            elif not (REMNANT.fullmatch(name) or path in (home / f"{JUDGMENTS}{end}" for end in _BESIDE)):
                yield path


def _copy(path: Path, target: Path, name: str) -> dict[str, Any]:
    """Copy a file to where its name says, judgments by SQLite; its size and digest in the copy."""
    to = target / name
    if not to.parent.is_dir():
        make_folder(to.parent)
    if name == JUDGMENTS and is_database(path):
        to.touch(PRIVATE_FILE)
        try:
            with closing(opened(path)) as database, closing(sqlite3.connect(to)) as copy:
                database.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error as reason:
            see = "See: cuiscope admin check"
            raise InputError(f"The database {path} cannot be copied: {reason}. {see}") from reason
        return digest(to)
    return _copied(path, to)


def _copied(path: Path, to: Path) -> dict[str, Any]:
    """Copy a file as it is, for its owner only; its size and digest as they were read."""
    digest, size = hashlib.sha256(), 0
    to.touch(PRIVATE_FILE, exist_ok=False)
    with path.open("rb") as source, to.open("wb") as copy:
        while block := source.read(_BLOCK):
            digest.update(block)
            size += len(block)
            copy.write(block)
    return {"bytes": size, "sha256": digest.hexdigest()}


def digest(path: Path) -> dict[str, Any]:
    """Size and digest of a file."""
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def is_database(path: Path) -> bool:
    """Whether a file is one of SQLite; OSError where it cannot be read."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def opened(path: Path) -> sqlite3.Connection:
    """A database to read; it is not made where there is none."""
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=30)


def _bytes_of(files: Mapping[str, Mapping[str, Any]]) -> int:
    return sum(int(file["bytes"]) for file in files.values())


def _check_empty(folder: Path) -> None:
    try:
        if not any(folder.iterdir()):
            return
    except FileNotFoundError:
        return
    except OSError as reason:
        raise InputError(
            f"{folder} cannot be used: {reason.strerror or reason}. Name a new folder."
        ) from reason
    raise InputError(f"{folder} is not empty. Name a new folder; nothing is ever written over.")


# Put back: into an empty home, or as the workspace of one user of a server.


def restore(source: Path, *, user: str = "") -> Copied:
    """Put a backup into an empty home; with ``user``, one person's into the empty workspace of that user.

    Every file is compared with the manifest before anything is moved into place. Paths in lists of this
    program that led into the old home lead into the new one. With ``user`` judgments join those of the
    server, with the readers' names they had, and folders outside of the old home are forgotten.

    ``user``: their id; email addresses are the same in upper and lower case.

    Raises
    ------
    InputError
        The backup is not complete or not as it was written; the home is not empty; something cannot be
        written; or, with ``user``, the backup is that of a server, or has judgments in the name of somebody
        else who has an account here. Nothing was put back then.
    """
    manifest = _read_manifest(source)
    home, user = server_home(), user.casefold() if "@" in user else user
    folder = home / USERS / Account(user, user).folder if user else home
    files = manifest["files"]
    if user:
        _check_of_one(source, files, user)
    _check_room(folder)
    try:
        make_folder(folder)
        for top in dict.fromkeys((home, folder)):
            claim(top)
        aside = folder / f".{uuid4().hex}"
        make_folder(aside)
        try:
            _verified_into(aside, source, files)
            _lead_home(aside, str(manifest["home"]), folder, keep_others=not user)
            moved = [p for p in aside.iterdir() if p.name != MARK and not (user and p.name == "review")]
            for path in moved:
                path.rename(folder / path.name)
            try:
                remarks = _join(aside / "review", folder / "studies") if user else ()
            except BaseException:
                for path in moved:
                    (folder / path.name).rename(path)
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        if user and not (folder / ACCOUNT).exists():
            write_json(folder / ACCOUNT, {"id": user, "name": user, "seen": None})
    except OSError as reason:
        raise cannot_keep("The backup", reason) from reason
    return Copied(len(files), _bytes_of(files), (), remarks)


def _read_manifest(source: Path) -> Mapping[str, Any]:
    read = read_json(source / MANIFEST)
    if not isinstance(read, dict):
        raise InputError(
            f"{source} is no complete backup: it has no {MANIFEST} that can be read, which comes last."
        )
    if read.get("format") != FORMAT:
        raise InputError(
            f"{source} was made by another version of CUIscope ({read.get('program')}). Restore it with that."
        )
    files = read.get("files")
    fits = isinstance(files, dict) and all(
        _is_inside(name) and isinstance(of, dict) and isinstance(of.get("bytes"), int) and "sha256" in of
        for name, of in files.items()
    )
    if not fits or not isinstance(read.get("home"), str):
        raise InputError(f"{source / MANIFEST} is not as this program writes it. Nothing was put back.")
    return read


def _is_inside(name: str) -> bool:
    """Whether a name in a manifest is that of a file in the backup."""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _check_of_one(source: Path, files: Mapping[str, Any], user: str) -> None:
    if any(PurePosixPath(name).parts[0] == USERS for name in files):
        raise InputError(f"{source} is the backup of a server, not of one person. Restore it without --as.")
    others = {known.account.id for known in accounts() if known.account} - {user}
    try:
        with closing(opened(source / JUDGMENTS)) as database:
            readers = {row[0] for row in database.execute("SELECT DISTINCT reader FROM cuiscope_judgments")}
    except sqlite3.Error as reason:
        if JUDGMENTS not in files:
            return
        raise InputError(f"{source / JUDGMENTS} cannot be read: {reason}. Nothing was put back.") from reason
    if taken := sorted(others & readers):
        raise InputError(
            f"{source} has judgments of people with accounts here: {', '.join(taken)}. Nothing was put back."
        )


def _check_room(folder: Path) -> None:
    """InputError where a home, or a workspace, holds anything but its mark."""
    known = {MARK, *LEFT_OUT, ACCOUNT}
    try:
        others = sorted(path.name for path in folder.iterdir() if path.name not in known)
    except FileNotFoundError:
        return
    except OSError as reason:
        raise InputError(f"{folder} cannot be used: {reason.strerror or reason}.") from reason
    if others:
        raise InputError(
            f"{folder} is not empty: {', '.join(map(readable, others[:5]))}. Nothing is ever written over; "
            "move it away, or set CUISCOPE_HOME to a new folder."
        )


def _verified_into(aside: Path, source: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    """Copy every file of a manifest; InputError, naming all, where one is missing or is another now."""
    wrong = []
    for name, of in files.items():
        path = source / name
        if not (aside / name).parent.is_dir():
            make_folder((aside / name).parent)
        try:
            if not path.resolve().is_relative_to(source.resolve()) or _copied(path, aside / name) != dict(of):
                wrong.append(f"{readable(name)} is not as it was written")
        except FileNotFoundError:
            wrong.append(f"{readable(name)} is missing")
    if wrong:
        more = f" and {len(wrong) - 10:,} more" if len(wrong) > 10 else ""
        raise InputError(f"Nothing was put back: {'; '.join(wrong[:10])}{more}. Use another backup.")


def _lead_home(aside: Path, old: str, new: Path, *, keep_others: bool) -> None:
    """Let lists of paths lead to where their folders are now; others stay, or are forgotten."""
    there = os.path.realpath(new)

    def led(text: str) -> str | None:
        if text == old or text.startswith(old + os.sep):
            return there + text[len(old) :]
        return text if keep_others or not Path(text).is_absolute() else None

    for path in sorted(path for name in _PATHS for path in aside.rglob(name)):
        if path.parent == aside / "studies" or "studies" in path.relative_to(aside).parts:
            continue  # a file of a study is never changed
        write_json(path, _led(read_json(path), led))
    # Groups of images are kept under a digest of the path of their study.
    for top in _workspaces(aside):
        below = top.relative_to(aside)
        for study in (path.name for path in (top / "studies").glob("*")):
            places = (str(Path(root, below, "studies", study)) for root in (old, there))
            before, after = (top / "synthetic" / digest_of(place) for place in places)
            if before.is_dir() and before != after:
                before.rename(after)


def _led(value: Any, led: Callable[[str], str | None]) -> Any:
    """A value of JSON with each path in it changed; what leads nowhere is left out."""
    if isinstance(value, str):
        return led(value)
    if isinstance(value, list):
        return [one for one in (_led(each, led) for each in value) if one is not None]
    if isinstance(value, dict):
        pairs = ((led(key), _led(each, led)) for key, each in value.items())
        return {key: each for key, each in pairs if key is not None}
    return value


def _join(review: Path, studies: Path) -> tuple[str, ...]:
    """Judgments of one person's home into those of the server."""
    take_over = extensions.addition("judgments of a home")
    if take_over is None or not review.is_dir():
        return ()
    added, left = take_over(review, studies)
    remarks = [f"{pluralize(added, 'judgment')} joined those of the server, by the readers' names they had."]
    if left:
        remarks.append(f"{pluralize(left, 'judgment')} of folders outside of that home stayed behind.")
    return tuple(remarks)
