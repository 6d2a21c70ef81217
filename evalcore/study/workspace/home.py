"""Where this program keeps its user's things: uploaded studies, recent folders, caches. For the user only."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import time
import unicodedata
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from evalcore.values.account import current
from evalcore.values.bundled import SAMPLE
from evalcore.values.errors import InputError
from evalcore.values.writing import words

USERS = "users"
"""The folder of a server's home with a workspace for each account."""


def server_home() -> Path:
    """``CUISCOPE_HOME``, or ``~/.cuiscope``: on a server, where everything of all its users is.

    What every user may use is directly in it: weights of models, caches by content, judgments of studies
    that several people share. Not made until something is kept there.
    """
    return Path(os.path.expanduser(os.environ.get("CUISCOPE_HOME") or "~/.cuiscope"))  # noqa: PTH111


def home() -> Path:
    """The workspace of who is at work: `server_home` on one's own computer, a folder in it on a server.

    Raises
    ------
    NotSignedIn
        This is a server, and nobody is signed in.
    """
    account = current()
    return server_home() if account is None else server_home() / USERS / account.folder


# Whether a folder is a workspace of this program, by its mark: no other folder is written into, tidied or
# emptied.

MARK = "cuiscope-workspace"
"""An empty file in the folder of every workspace."""
OURS = words(
    """
    studies, cache, removed, review, satisfaction, synthetic, recent.json, places.json
    """
)
"""What this program makes and tidies in its workspace."""
BESIDE = ("models",)
"""Weights of models: the user's own, which stay as they are."""
_SYSTEMS_OWN = frozenset({".DS_Store", "desktop.ini", "Thumbs.db", "lost+found"})
"""What an operating system puts into folders by itself."""
_REMNANT = re.compile(r"\.[0-9a-f]{32}(\.tmp|\.gone)?")
REMEDY = "Set CUISCOPE_HOME to an empty folder, or to one that is not there yet."


class ForeignFolder(PermissionError):
    """The folder that was named as the workspace holds things of others."""

    def __init__(self, folder: Path) -> None:
        rule = "contains files that CUIscope did not make, and only a folder of its own becomes its workspace"
        super().__init__(errno.EPERM, f"{folder} {rule}", str(folder))


def claim(top: Path) -> None:
    """Mark a folder that is there as a workspace; OSError when that cannot be.

    Raises
    ------
    ForeignFolder
        The folder holds other things and no mark.
    """
    if (top / MARK).is_file():
        return
    if not top.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(top))
    if not is_workspace(top):
        raise ForeignFolder(top)
    (top / MARK).touch(0o600)


def is_workspace(top: Path) -> bool:
    """Whether a folder is a workspace, or can become one: it is not there yet, or empty."""
    if (top / MARK).is_file():
        return True
    try:
        names = {path.name for path in top.iterdir()} - _SYSTEMS_OWN
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return {name for name in names if not _REMNANT.fullmatch(name)} <= {*BESIDE}


# Several programs on one workspace: who changes something waits for its turn.
#
# Folders themselves are locked, so that no lock files lie about, and a lock ends with its program, however
# that ends. Where a system or a file system knows no such locks, changes rely on unused names and whole
# renames alone.

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120.0
"""Seconds to wait for another program."""
_PAUSE = 0.02


@contextmanager
def locked(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a folder: alone, or together with others that share it. InputError after ``PATIENCE``."""
    deadline = time.monotonic() + PATIENCE
    with _opened(folder) as handle:
        while not _taken(handle, shared=shared, without=True):
            if time.monotonic() > deadline:
                remedy = "Wait until it is done, or end it, and try again."
                raise InputError(f"Another program is changing {folder}. {remedy}")
            time.sleep(_PAUSE)
        yield


@contextmanager
def left_alone(folder: Path) -> Iterator[bool]:
    """Whether nobody else holds the folder now; if so, nobody can until the end of the block.

    False where there are no locks: then nobody can know.
    """
    with _opened(folder) as handle:
        yield _taken(handle, shared=False, without=False)


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    if fcntl is None:
        yield None
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)  # which gives the lock back


def _taken(handle: int | None, *, shared: bool, without: bool) -> bool:
    """Whether the lock was free and is held now; ``without`` where there are no locks."""
    if handle is None:
        return without
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without
    return True


MAX_NAME = 64
MAX_RECENT = 12
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
_MAX_BYTES = 200
_RESERVED = {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))}
_IN_A_FOLDER_NAME = frozenset("-._+() ")
_FULL = (errno.ENOSPC, errno.EDQUOT)


def owner_of(study: Path) -> str:
    """The `Account.folder` of whom an uploaded study of a server belongs to; "" for any other folder."""
    where, users = Path(os.path.realpath(study)), Path(os.path.realpath(server_home() / USERS))
    return where.relative_to(users).parts[0] if users in where.parents else ""


def why_nothing_is_kept() -> str:
    """Why the folder that is named as the workspace cannot be it, and the way out; empty where it can."""
    return "" if is_workspace(home()) else f"{ForeignFolder(home()).strerror}. {REMEDY}"


def studies() -> list[Path]:
    """Folders of the uploaded studies, by name; a study may still lack its concepts."""
    if not is_workspace(home()):
        return []
    try:
        folders = [Path(entry.path) for entry in os.scandir(home() / "studies") if entry.is_dir()]
    except OSError:
        return []  # there are none yet, or none that may be listed
    return sorted(path for path in folders if not path.name.startswith("."))


def study_folder(name: str) -> Path:
    """The folder of an uploaded study; it need not exist yet."""
    return home() / "studies" / safe_name(name)


def unused_study(name: str) -> Path:
    """The first of ``name``, ``name_2`` and so on that no uploaded study has."""
    folder, number = study_folder(name), 2
    while os.path.lexists(folder):
        folder, number = study_folder(f"{safe_name(name)[: MAX_NAME - 8]}_{number}"), number + 1
    return folder


def is_uploaded(study: Path) -> bool:
    """Whether a folder is one of the uploaded studies, the only ones that are ever changed."""
    return study.resolve().parent == (home() / "studies").resolve()


def check_may_change(study: Path, *, in_place: bool) -> None:
    """InputError for a folder that is not to be changed: one opened in place, unless the user said so."""
    if not (in_place or is_uploaded(study)):
        raise InputError(
            f"{readable(str(study))} is not an uploaded study; folders opened in place are never changed "
            "unless you allow it."
        )
    if in_place and os.path.realpath(study) == str(SAMPLE):
        raise InputError("The sample study is part of the program; it is never changed.")


def safe_name(text: str) -> str:
    """A text as the name of one file or folder on every system; "study" when nothing is left.

    >>> safe_name("../../etc/Pässwörd: 2024")
    'etc_Pässwörd_2024'
    >>> safe_name("...")
    'study'
    """
    plain = unicodedata.normalize("NFKC", text)
    kept = "".join(c if c.isalnum() or c in "-." else "_" for c in plain)
    while "__" in kept or ".." in kept:
        kept = kept.replace("__", "_").replace("..", ".")
    kept = _cut(kept.strip("._- ")[:MAX_NAME]).rstrip("._- ")
    if kept.partition(".")[0].casefold() in _RESERVED:
        kept = f"study_{kept}"
    return kept or "study"


def folder_name(text: str, taken: Collection[str] = ()) -> str:
    """A name as that of a folder: as it is wherever every system can hold it, else a safe one with a mark.

    Different names give different folders, also where upper and lower case are one: a name that only so
    differs from one of ``taken`` gets a mark too. The same name always gives the same folder.

    >>> folder_name("ResNet 50 (v2)"), folder_name("A_B"), folder_name("A/B")
    ('ResNet 50 (v2)', 'A_B', 'A_B_2584d5')
    """
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    fits = (
        name == _cut(name[:MAX_NAME])
        and not name.startswith(".")
        and not name.endswith(".")
        and all(c.isalnum() or c in _IN_A_FOLDER_NAME for c in name)
        and name.partition(".")[0].casefold().strip() not in _RESERVED
        and ".." not in name
    )
    others = {other.casefold() for other in taken if other != name}
    if fits and name and name.casefold() not in others:
        return name
    mark = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    return f"{safe_name(name)}_{mark}"


def readable(name: str) -> str:
    """The name of a file or folder as text: bytes that are not UTF-8 are written as %E9.

    >>> readable("caf" + chr(0xDCE9))
    'caf%E9'
    """
    return "".join(f"%{ord(c) - 0xDC00:02X}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in name)


def named_below(path: Path, root: Path) -> str:
    """A file as messages name it: by its path below a folder, whole where it lies elsewhere.

    >>> named_below(Path("/study/graph/a.csv"), Path("/study")), named_below(Path("a.csv"), Path("/study"))
    ('graph/a.csv', 'a.csv')
    """
    return readable((path.relative_to(root) if path.is_relative_to(root) else path).as_posix())


def _cut(text: str) -> str:
    """The beginning of a text that a file system can hold as a name."""
    while len(text.encode("utf-8", "surrogatepass")) > _MAX_BYTES:
        text = text[:-1]
    return text


# ------------------------------------------------------------------------------- recent folders


def remember(study: Path) -> bool:
    """Put a folder first among the recently opened ones; False where nothing can be kept."""
    where = Path(os.path.realpath(study))
    try:
        make_folder(home())
        with locked(home()):
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


# ------------------------------------------------------------------------------- writing


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, for the user only; OSError when it cannot be.

    In a workspace only where that is a folder of this program (see `claim`); a new one is marked as such.
    """
    users = server_home() / USERS
    of_user = folder.relative_to(users).parts[:1] if folder.is_relative_to(users) else ()
    for top in (server_home(), *(users / name for name in of_user)):
        if folder == top or any(top / name in (folder, *folder.parents) for name in (*OURS, *BESIDE, USERS)):
            _make(top)
            claim(top)
    _make(folder)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def _make(folder: Path) -> None:
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        with suppress(FileExistsError):
            missing.mkdir(PRIVATE_FOLDER)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, for the user only; OSError when it cannot be."""
    make_folder(path.parent)
    path.touch(PRIVATE_FILE, exist_ok=False)
    path.write_bytes(data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees half of it; InputError when it cannot be written there."""
    try:
        with replacing(path) as unfinished:
            write_new(unfinished, data)
    except OSError as reason:
        raise cannot_keep(path.name, reason) from reason


@contextmanager
def replacing(path: Path, *, put: Callable[[Path, Path], object] = Path.replace) -> Iterator[Path]:
    """A file beside another, which it replaces at the end of the block; it is gone when that fails.

    put: moves the one over the other.
    """
    unfinished = path.with_name(f".{uuid4().hex}.tmp")
    try:
        yield unfinished
        put(unfinished, path)
    finally:
        with suppress(OSError):
            unfinished.unlink()


def write_json(path: Path, value: Any) -> None:
    """The same of a value that JSON can hold; names that are not UTF-8 stay what they are."""
    write_whole(path, json.dumps(value, indent=1).encode())


def read_json(path: Path) -> Any:
    """What `write_json` wrote; None where there is nothing, or somebody else wrote what cannot be read."""
    try:
        return json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    except (OSError, ValueError, RecursionError):
        return None


def is_full(reason: OSError) -> bool:
    """Whether writing failed because the disk, or the user's share of it, is full."""
    return reason.errno in _FULL


def cannot_keep(name: str, reason: OSError) -> InputError:
    """What to say when a file cannot be kept in the workspace, and the way out."""
    if is_full(reason):
        remedy = "Free some space, or set CUISCOPE_HOME to a folder on another disk."
        return InputError(f"{name} cannot be kept: the disk is full. {remedy}")
    if isinstance(reason, ForeignFolder):
        return InputError(f"{name} cannot be kept: {reason.strerror}. {REMEDY}")
    remedy = "Try again, or set CUISCOPE_HOME to a folder you may write to."
    return InputError(f"{name} cannot be kept: {reason.strerror or reason}. {remedy}")
