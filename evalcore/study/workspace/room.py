"""Does more fit into a user's workspace on a server? On one's own computer everything does.

Counted is what is on disk below ``COUNTED`` of a workspace, deleted studies too, each file and folder in
whole blocks. What a writer is about to write counts from the moment it asks (`taking`), so that several at
once cannot pass the limits together. A count is kept in memory and renewed by a walk through the workspace
when it would refuse something, and now and then: files that went are seen then, nothing is ever lost by it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic
from types import MappingProxyType

from evalcore.study.workspace.where import USERS, home, server_home
from evalcore.values.account import current
from evalcore.values.errors import InputError
from evalcore.values.limits import Limits, current_limits
from evalcore.values.writing import file_size, listed

COUNTED: Mapping[str, str] = MappingProxyType(
    {
        "studies": "studies",
        "removed": "deleted studies, files and systems",
        "challenge": "files of Challenge",
        "synthetic": "files of Synthetic images",
        "satisfaction": "files of Satisfaction",
    }
)
"""Folders of a workspace that count, in words; the others are bounded or small."""
BLOCK = 4096
"""A file takes whole blocks of a disk: a million files of one byte are not small."""
SMALL, SPARE = 64 << 10, 1 << 20
"""Files so small fit though nothing else does, up to so many bytes: removing and renaming write them too."""
RENEWED, RENEWED_FULL = 3600.0, 600.0
"""Seconds after which a count is renewed; those of others when the server seems full."""
REMEDY = (
    "Delete studies under “Open or upload” on the page Data, and those already deleted for good, or files "
    "on the pages Challenge and Synthetic images."
)


@dataclass(slots=True)
class _Count:
    """What one workspace holds: as walked, and what was taken since; how much of it is being written."""

    parts: Mapping[str, int] = field(default_factory=dict)
    since: int = 0
    taken: int = 0
    """All that was ever taken; a walk compares it before and after."""
    writing: int = 0
    walked: float | None = None

    @property
    def used(self) -> int:
        return sum(self.parts.values()) + self.since


@dataclass(frozen=True, slots=True)
class Usage:
    """What a user keeps: bytes by folder of ``COUNTED``, in all, and how many they may keep."""

    parts: Mapping[str, int]
    used: int
    allowed: int


_counts: dict[Path, _Count] = {}
_lock = Lock()


def on_disk(size: int) -> int:
    """Bytes of a disk that a file of so many bytes takes.

    >>> on_disk(0), on_disk(1), on_disk(4096), on_disk(4097)
    (4096, 4096, 4096, 8192)
    """
    return max(1, -(-size // BLOCK)) * BLOCK


def measure(folder: Path) -> int:
    """Bytes of a disk that a folder takes with everything in it, links as they are; 0 where there is none."""
    total, folders = 0, [os.fspath(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                total += BLOCK
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += on_disk(entry.stat(follow_symlinks=False).st_size)
        except OSError:
            continue  # it went meanwhile
    return total


def measure_parts(workspace: Path) -> dict[str, int]:
    """Bytes that each folder of ``COUNTED`` in a workspace takes; without those that are not there."""
    return {name: size for name in COUNTED if (size := measure(workspace / name))}


@contextmanager
def taking(path: Path, sizes: Iterable[int]) -> Iterator[None]:
    """Write files of so many bytes to a path, or below it, in the block.

    They count from now on; should the block fail, until the next walk. Nothing is limited on one's own
    computer, nor outside of what counts.

    Raises
    ------
    InputError
        The user, or all together, would keep more than is allowed; with how much is used and what to do.
    """
    workspace, limits = _workspace_of(path), current_limits()
    if workspace is None or limits is None:
        yield
        return
    more = sum(map(on_disk, sizes))
    _take(workspace, more, limits)
    try:
        yield
    finally:
        with _lock:
            _counts[workspace].writing -= more


def check_file(name: str, size: int) -> None:
    """InputError for an uploaded file of so many bytes that is larger than this server takes."""
    limits = current_limits()
    if limits is not None and size > limits.file_bytes:
        most = f"this server takes files of up to {file_size(limits.file_bytes)}"
        raise InputError(f"{name} has {file_size(size)}; {most}. Split it, or ask an administrator.")


def upload_megabytes(usual: int) -> int:
    """Megabytes (of 1,048,576 bytes) of the largest file that the way of bringing in studies takes."""
    limits = current_limits()
    return usual if limits is None else max(1, limits.file_bytes >> 20)


def most_unpacked(usual: int) -> int:
    """Bytes that a packed file may unpack to: as many as usual, or what a server allows if that is less."""
    limits = current_limits()
    return usual if limits is None else min(usual, limits.unpacked_bytes)


def usage() -> Usage | None:
    """What who is at work keeps; None on one's own computer, where nothing is limited."""
    limits = current_limits()
    if limits is None or current() is None:
        return None
    workspace = _real(home())
    count = _count_of(workspace)
    if count.since or _is_old(count, RENEWED):
        _walk(workspace)
    return Usage(dict(count.parts), count.used, limits.user_bytes)


def changed() -> None:
    """Something of the workspace of who is at work went: the next `usage` walks."""
    if current_limits() is not None:
        _count_of(_real(home())).walked = None


def _take(workspace: Path, more: int, limits: Limits) -> None:
    """Count so much more; InputError where it does not fit, also after another look at what is there."""
    for last in (False, True):
        count = _count_of(workspace)
        if last or _is_old(count, RENEWED):
            _walk(workspace)
        of_all = _counts_of_all(workspace.parent, walk_again=last)
        spare = SPARE if more <= SMALL else 0
        with _lock:
            used, used_by_all = count.used, sum(one.used for one in of_all)
            if used + more - spare <= limits.user_bytes and used_by_all + more - spare <= limits.all_bytes:
                count.since += more
                count.taken += more
                count.writing += more
                return
    uses = listed([f"{COUNTED[name]} {file_size(size)}" for name, size in sorted(count.parts.items())])
    beginning = f"This needs {file_size(more)} more"
    if used + more > limits.user_bytes:
        raise InputError(
            f"{beginning}, and you may keep {file_size(limits.user_bytes)}, of which {file_size(used)} are "
            f"used{f' ({uses})' if uses else ''}. {REMEDY}"
        )
    raise InputError(
        f"{beginning}, and the server is full: all users together may keep {file_size(limits.all_bytes)}, of "
        f"which {file_size(used_by_all)} are used; yours are {file_size(used)}. {REMEDY} Or ask an "
        "administrator."
    )


def _walk(workspace: Path) -> None:
    """Count what is there. What is taken or written meanwhile, which the walk may have passed, counts too."""
    count = _count_of(workspace)
    with _lock:
        taken, writing = count.taken, count.writing
    parts = measure_parts(workspace)
    with _lock:
        count.parts, count.since, count.walked = parts, writing + count.taken - taken, monotonic()


def _counts_of_all(users: Path, *, walk_again: bool) -> list[_Count]:
    """The counts of all workspaces; those never made are made, older ones again if so asked."""
    try:
        folders = [Path(entry.path) for entry in os.scandir(users) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        folders = []
    for folder in folders:
        count = _count_of(folder)
        if count.walked is None or (walk_again and _is_old(count, RENEWED_FULL)):
            _walk(folder)
    with _lock:
        for folder in [known for known in _counts if known.parent == users and known not in folders]:
            if not _counts[folder].writing:
                del _counts[folder]
        return [count for folder, count in _counts.items() if folder.parent == users]


def _count_of(workspace: Path) -> _Count:
    with _lock:
        return _counts.setdefault(workspace, _Count())


def _is_old(count: _Count, seconds: float) -> bool:
    return count.walked is None or monotonic() - count.walked > seconds


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _workspace_of(path: Path) -> Path | None:
    """The user's workspace that a path is in, where it counts and this is a server."""
    if current_limits() is None:
        return None
    users, real = _real(server_home() / USERS), _real(path)
    inside = real.relative_to(users).parts if real.is_relative_to(users) else ()
    return users / inside[0] if len(inside) > 2 and inside[1] in COUNTED else None
