"""Where this program keeps its user's things, and how it writes there: privately, whole or not at all; which
studies there are, and folders that were recently opened.

Below ``CUISCOPE_HOME``, or where the system keeps the data of programs; on a server each user has such a
folder in it (``users/NAME``), and what all of them may use (weights, caches by content, judgments of studies
that several people share) is directly in it. A workspace has ``studies/`` that were uploaded, ``removed/``,
the bin, files of features, and lists.

- One lock for what is changed together (`locked`): a file ``NAME.lock`` that ends with its program, however
  that ends.
- One way to write a file (`write_whole`): a new file beside it, on the disk, put over the old one.
- One pattern of names (`REMNANT`) for whatever is not finished: what a program that died left is recognised
  by it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from platformdirs import user_data_path

from evalcore.study.workspace.file_names import place_in_words, readable, safe_name
from evalcore.values.account import current, is_served
from evalcore.values.bundled import SAMPLE
from evalcore.values.errors import InputError

USERS = "users"
"""The folder of a server's home with a workspace for each account."""
MAX_RECENT = 12
"""Folders that are listed as recent."""


def server_home() -> Path:
    """``CUISCOPE_HOME``, or the folder of the user for data of this program: on a server, where everything of
    all its users is.

    Not made until something is kept there.
    """
    chosen = os.environ.get("CUISCOPE_HOME")
    return Path(chosen).expanduser() if chosen else user_data_path("cuiscope", appauthor=False)


def models_folder() -> Path:
    """Where weights belong unless another folder is named."""
    return server_home() / "models"


def without_home(text: str) -> str:
    """A message as pages show it: on a server without the path of its home, which a deeper room may name."""
    return text.replace(f"{server_home()}/", "") if is_served() else text


def home() -> Path:
    """The workspace of who is at work: `server_home` on one's own computer, a folder in it on a server.

    Raises
    ------
    NotSignedIn
        This is a server, and nobody is signed in.
    """
    account = current()
    return server_home() if account is None else server_home() / USERS / account.folder


def owner_of(path: Path) -> str:
    """The `Account.folder` of whom something in a workspace of a server belongs to; "" for anything else."""
    where, users = Path(os.path.realpath(path)), Path(os.path.realpath(server_home() / USERS))
    return where.relative_to(users).parts[0] if users in where.parents else ""


REMNANT = re.compile(r"\.[0-9a-f]{32}(\.tmp)?")
"""Names of files and folders that are not finished, or no longer needed."""
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, for the user only; OSError when it cannot be."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        with suppress(FileExistsError):
            missing.mkdir(PRIVATE_FOLDER)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


# One program, and one page, at a time.

PATIENCE = 120.0
"""Seconds to wait for another program."""


_BUSY = "Another page or program is changing the workspace. Wait until it is done, or end it, and try again."


@contextmanager
def locked(place: Path | None = None, *, wait: float | None = None, busy: str = _BUSY) -> Iterator[None]:
    """Hold a file or folder of a home, by default the studies of who is at work; nobody else can meanwhile.

    The lock is the file ``place.lock`` beside it, which stays. Where a file system has no locks, a file that
    is there marks that it is held.

    Raises
    ------
    InputError
        Somebody else holds it longer than ``wait`` seconds (by default ``PATIENCE``); ``busy`` says so.
    OSError
        Nothing can be written there.
    """
    from filelock import FileLock, Timeout  # not needed to ask for help

    place = home() / "studies" if place is None else place
    make_folder(place.parent)
    lock = FileLock(f"{place}.lock", mode=PRIVATE_FILE)
    try:
        lock.acquire(PATIENCE if wait is None else wait)
    except Timeout as reason:
        raise InputError(busy) from reason
    try:
        yield
    finally:
        lock.release()


@contextmanager
def only_server() -> Iterator[None]:
    """Let no second server for several people use the same home as long as the block runs.

    Two of them would each allow what is allowed once: jobs, open pages, uploads in memory. Dashboards of one
    person (``open``), commands and a server may share a home: for them the locks of what is changed suffice.

    Raises
    ------
    InputError
        Another server runs, or nothing can be written there.
    """
    message = f"Another server is running with the workspaces in {server_home()}."
    remedy = "End it first, or set CUISCOPE_HOME to a folder for this one."
    with keeping("The workspaces"), locked(server_home() / "server", wait=0, busy=f"{message} {remedy}"):
        yield


# Writing.


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet onto the disk, for the user only; OSError when it cannot be."""
    make_folder(path.parent)
    path.touch(PRIVATE_FILE, exist_ok=False)
    path.write_bytes(data)
    flush(path)


def flush(path: Path) -> None:
    """Have what was written to a file, or to any file in a folder, on the disk before it counts."""
    if path.is_dir():
        getattr(os, "sync", int)()  # one call for a hundred thousand pictures; Windows has none
        return
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, data: bytes, *, name: str = "") -> None:
    """Write a file so that nobody ever sees half of it; InputError, about ``name``, when it cannot be."""
    with keeping(name or path.name), replacing(path) as unfinished:
        write_new(unfinished, data)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside another, which it replaces at the end of the block; it is gone when that fails."""
    unfinished = path.with_name(f".{uuid4().hex}.tmp")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        remove_tree(unfinished)


def remove_tree(path: Path) -> None:
    """Remove a file, or a folder with all in it, links as they are; what cannot be removed stays."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def write_json(path: Path, value: Any) -> None:
    """`write_whole` of a value that JSON can hold; names that are not UTF-8 stay what they are."""
    write_whole(path, json.dumps(value, indent=1).encode())


def read_json(path: Path) -> Any:
    """What `write_json` wrote; None where there is nothing, or somebody else wrote what cannot be read."""
    try:
        return json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    except (OSError, ValueError, RecursionError):
        return None


def is_full(reason: OSError) -> bool:
    """Whether writing failed because the disk, or the user's share of it, is full."""
    return reason.errno in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def keeping(name: str, what: str = "kept") -> Iterator[None]:
    """Say in words why something cannot be kept in the workspace, or removed, and the way out: make an
    OSError of the block an InputError."""
    try:
        yield
    except OSError as reason:
        why = reason.strerror or type(reason).__name__
        remedy = "Try again, or set CUISCOPE_HOME to a folder you may write to."
        if is_full(reason):
            why = "the disk is full"
            remedy = "Free some space, or set CUISCOPE_HOME to a folder on another disk."
        if is_served():
            remedy = "Ask an administrator of this server."
        raise InputError(f"{name} cannot be {what}: {why}. {remedy}") from reason


# Which studies there are, which of them may be changed, and what was recently opened.


def studies() -> list[Path]:
    """Folders of the uploaded studies, by name; a study may still lack its concepts."""
    try:
        folders = [Path(entry.path) for entry in os.scandir(home() / "studies") if entry.is_dir()]
    except OSError:
        return []  # there are none yet, or none that may be listed
    return sorted(path for path in folders if not path.name.startswith("."))


def study_folder(name: str) -> Path:
    """The folder of an uploaded study; it need not exist yet."""
    return home() / "studies" / safe_name(name)


def unused(path: Path, ending: str | None = None) -> Path:
    """The path, or the first of name_2, name_3 and so on where nothing is yet; ``ending``: what stays behind
    the number, by default the suffix.

    >>> unused(Path("/no/such/folder/umls.2024.csv")).name
    'umls.2024.csv'
    """
    ending = path.suffix if ending is None else ending
    numbered = (path.with_name(f"{path.name.removesuffix(ending)}_{n}{ending}") for n in count(2))
    return path if not os.path.lexists(path) else next(p for p in numbered if not os.path.lexists(p))


def is_uploaded(study: Path) -> bool:
    """Whether a folder is one of the uploaded studies, the only ones that are ever changed."""
    return study.resolve().parent == (home() / "studies").resolve()


def changes_in_place(study: Path, *, allowed: bool) -> bool:
    """Whether a study is a folder opened in place, and no uploaded one, when it changes; InputError for one
    that is not to be changed, as the user has not ``allowed`` it, or it is the sample study."""
    if is_uploaded(study):
        return False
    if not allowed:
        raise InputError(
            f"{place_in_words(study)} is not an uploaded study; folders opened in place are never changed "
            "unless you allow it."
        )
    if os.path.realpath(study) == str(SAMPLE):
        raise InputError("The sample study is part of the program; it is never changed.")
    return True


def check_is_there(study: Path) -> None:
    """InputError for a study that was deleted, by another page or program, before it was to be changed.

    Without it, what was meant for that study would become a new one of its name.
    """
    if not study.is_dir():
        remedy = "Nothing was added or changed. Restore the study first, or choose another."
        raise InputError(f"The study {readable(study.name)} is no longer there. {remedy}")


def add_to_recent(study: Path) -> bool:
    """Put a folder first among the recently opened ones; False where nothing can be kept."""
    where = Path(os.path.realpath(study))
    try:
        with locked(home() / "recent"):
            paths = [where, *(path for path in recent() if path != where)]
            write_json(home() / "recent.json", [str(path) for path in paths[:MAX_RECENT]])
    except (InputError, OSError):
        return False
    return True


def recent() -> list[Path]:
    """Recently opened folders that are still there, the last one first."""
    listed = read_json(home() / "recent.json")
    paths = [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
    return [Path(path) for path in paths if os.path.isdir(path)][:MAX_RECENT]  # noqa: PTH112 -- never raises
