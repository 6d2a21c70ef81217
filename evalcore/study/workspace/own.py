"""Whether a folder is a workspace of this program: no other folder is written into, tidied or emptied.

A workspace has a mark. One that was made before there were marks is recognised by what lies in it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

MARK = "cuiscope-workspace"
"""An empty file in the folder of every workspace."""
OURS = (
    "studies", "challenge", "cache", "removed", "review", "satisfaction", "synthetic", "recent.json",
    "places.json",
)  # fmt: skip
"""What this program makes and tidies in its workspace."""
BESIDE = ("models", "environments")
"""Weights of models and environments of tools: the user's own, which stay as they are."""
_SYSTEMS_OWN = frozenset({".DS_Store", "desktop.ini", "Thumbs.db", "lost+found"})
"""What an operating system puts into folders by itself."""
_REMNANT = re.compile(r"\.[0-9a-f]{32}(\.tmp|\.gone)?")
_BELOW: Mapping[str, str] = MappingProxyType({
    "challenge": r"concepts|captions?", "cache": r"[a-z-]+",
    "removed": r"[0-9a-f]{32}", "review": r"judgments\.db.*|paths\.json",
    "satisfaction": r"relevance|satisfaction|of_study|concept_ratings", "synthetic": r"[0-9a-f]{16}",
})  # fmt: skip
"""What may lie in each folder of a workspace without a mark."""
_SHELF = r"neighbours/.*\.npz|vectors/.*|[a-z-]+/[0-9a-f]{2}"
_PRIVATE = 0o700


REMEDY = "Set CUISCOPE_HOME to an empty folder, or to one that is not there yet."


class ForeignFolder(PermissionError):
    """The folder that was named as the workspace holds things of others."""

    def __init__(self, folder: Path) -> None:
        rule = "holds files that CUIscope did not make, and only a folder of its own becomes its workspace"
        super().__init__(errno.EPERM, f"{folder} {rule}", str(folder))


def claim(top: Path) -> None:
    """Mark a folder that is there as a workspace; OSError when that cannot be.

    Raises
    ------
    ForeignFolder
        The folder holds other things, and nothing says that they are a workspace.
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
    names = {name for name in names if not _REMNANT.fullmatch(name)}
    if names <= {*BESIDE}:
        return True
    if not all(_fits(top / name) for name in names & {*OURS}):
        return False
    proofs: Iterable[Callable[[Path], bool]] = (_has_lists, _has_judgments)
    if names <= {*OURS, *BESIDE}:
        proofs = (*proofs, _has_kept_files, _has_private_studies)
    return any(proof(top) for proof in proofs)


def _fits(path: Path) -> bool:
    """Whether what bears a name of ours holds only what this program puts there."""
    if path.suffix == ".json":
        return True  # nothing of it is used, or changed, before it was read
    if path.is_symlink() or not path.is_dir():
        return False
    below = [one for one in _listed(path) if one.name not in _SYSTEMS_OWN]
    if path.name == "studies":
        return all(one.is_dir() for one in below)
    allowed = re.compile(_BELOW[path.name])
    return all(allowed.fullmatch(one.name) or _REMNANT.fullmatch(one.name) for one in below)


def _has_lists(top: Path) -> bool:
    """Folders opened lately, or the places of systems in the palette."""
    return _is_list(top / "recent.json") or _is_table(top / "places.json")


def _has_judgments(top: Path) -> bool:
    with suppress(OSError), (top / "review" / "judgments.db").open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"
    return False


def _has_kept_files(top: Path) -> bool:
    """Uploads for a challenge, groups of images, systems that were removed, or a cache."""
    shelf = re.compile(_SHELF)
    cached = (f"{cache.name}/{one.name}" for cache in _listed(top / "cache") for one in _listed(cache))
    return (
        any(_listed(top / "challenge"))
        or any(_listed(top / "satisfaction"))
        or any(_listed(top / "synthetic"))
        or any((one / "removed.json").is_file() for one in _listed(top / "removed"))
        or any(map(shelf.fullmatch, cached))
    )


def _has_private_studies(top: Path) -> bool:
    """Studies as this program makes them, which nobody else may enter."""
    studies = _listed(top / "studies")
    with suppress(OSError):
        return bool(studies) and all(
            stat.S_IMODE(one.lstat().st_mode) == _PRIVATE for one in (top / "studies", *studies)
        )
    return False


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _is_list(path: Path) -> bool:
    read = _json(path)
    return (
        isinstance(read, list)
        and bool(read)
        and all(isinstance(one, str) and Path(one).is_absolute() for one in read)
    )


def _is_table(path: Path) -> bool:
    read = _json(path)
    return (
        isinstance(read, dict)
        and bool(read)
        and all(Path(one).is_absolute() and isinstance(of, dict) for one, of in read.items())
    )


def _json(path: Path) -> object:
    try:
        return json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    except (OSError, ValueError, RecursionError):
        return None
