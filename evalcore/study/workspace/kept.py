"""The files of a satisfaction study kept in the workspace, so that a reload of the page loses nothing.

One of each part, in ``satisfaction/<part>/``; a new one takes the place of the older when it is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, unquote

from evalcore.study.tables.lines import content_of
from evalcore.study.workspace.home import home, is_workspace, safe_name, write_whole
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, UnknownName

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "relevance": "relevance of what was shown",
        "satisfaction": "satisfaction",
        "of_study": "satisfaction with systems of a study",
        "concept_ratings": "ratings of pairs of concepts",
    }
)
"""What a file can be, in words. Ratings of a study's systems name images as queries: a file of their own."""
MAX_NAME = 120


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept file, by the name it had; ``mark`` changes when the file does, without reading it."""

    part: str
    name: str
    path: Path
    size: int
    mark: str


def keep(part: str, name: str, data: bytes) -> None:
    """Keep a file in place of the one there; InputError when it cannot be written, UnknownName of no part."""
    if part not in PARTS:
        raise UnknownName("part of a satisfaction study", part, PARTS)
    folder = _folder(part)
    new = folder / _written(name)
    write_whole(new, data)
    for path in _listed(folder):
        if path != new:
            with suppress(OSError):
                path.unlink()


def kept() -> dict[str, Kept]:
    """The files kept, by part."""
    found: dict[str, Kept] = {}
    for part in PARTS if is_workspace(home()) else ():
        # An older file that could not be removed stands behind the newer one.
        for path in _listed(_folder(part))[-1:]:
            with suppress(FileNotFoundError):
                facts = path.stat()
                stamp = (facts.st_size, facts.st_mtime_ns, facts.st_ino)
                name = unquote(path.name)
                found[part] = Kept(part, name, path, facts.st_size, digest_of(str(path), stamp))
    return found


def forget(part: str) -> None:
    """Remove a kept file; InputError when it cannot be removed. One that is gone already does nothing."""
    for path in _listed(_folder(part)):
        try:
            path.unlink(missing_ok=True)
        except OSError as reason:
            message = f"{unquote(path.name)} cannot be removed: {reason.strerror or reason}."
            raise InputError(f"{message} Check that you may write there.") from reason


def content(file: Kept) -> bytes:
    """The bytes of a kept file; InputError when it cannot be read."""
    return content_of(file.path, file.name)


def _folder(part: str) -> Path:
    return home() / "satisfaction" / part


def _listed(folder: Path) -> list[Path]:
    """Complete files, the oldest first."""
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            if not path.name.startswith(".") and path.is_file():
                found.append((path.stat().st_mtime_ns, path.name, path))
    return [path for *_, path in sorted(found)]


def _written(name: str) -> str:
    """A name as that of a file, from which it can be read back unless it is very long."""
    written = quote(name.encode("utf-8", "replace").decode(), safe=" ")
    if len(written) > MAX_NAME or written.startswith("."):
        return f"{safe_name(name)}_{digest_of(name)[:8]}"
    return written
