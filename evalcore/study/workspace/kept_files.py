"""Files that pages keep in the workspace, so that a reload loses nothing: one of each part of `PARTS`.

Each is ``satisfaction/PART``: its name as a line of JSON, then its content, so that both change as one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evalcore.study.tables.files import content_of
from evalcore.study.workspace.home import home, keeping, write_whole
from evalcore.values import events
from evalcore.values.account import check_file
from evalcore.values.arrays import digest_of
from evalcore.values.errors import UnknownName

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "relevance": "relevance of what was shown",
        "satisfaction": "satisfaction",
        "concept_ratings": "ratings of pairs of concepts",
        "label_map": "which concept means which label",
    }
)
"""What a file can be, in words."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept file, by the name it had; ``mark`` changes when the file does, without reading it."""

    part: str
    name: str
    mark: str


def keep_file(part: str, name: str, data: bytes) -> None:
    """Keep a file in place of the one there; InputError when it cannot be written, UnknownName of no part."""
    if part not in PARTS:
        raise UnknownName("part of a satisfaction study", part, PARTS)
    check_file(name, len(data))
    write_whole(_place(part), json.dumps(name).encode() + b"\n" + data, name=name)
    events.record("uploaded", kind=f"satisfaction {part}", file=name, bytes=len(data))


def kept_files() -> dict[str, Kept]:
    """The files kept, by part; what others put there is passed over."""
    result: dict[str, Kept] = {}
    for part in PARTS:
        with suppress(OSError, ValueError), _place(part).open("rb") as file:
            facts = _place(part).stat()
            stamp = (str(_place(part)), facts.st_size, facts.st_mtime_ns, facts.st_ino)
            result[part] = Kept(part, str(json.loads(file.readline(1 << 16))), digest_of(stamp))
    return result


def forget(part: str) -> None:
    """Remove a kept file; InputError when it cannot be removed. One that is gone already does nothing."""
    kept = kept_files().get(part)
    if kept is None:
        return
    with keeping(kept.name, "removed"):
        _place(part).unlink(missing_ok=True)
    events.record("removed", kind=f"satisfaction {part}")


def content(file: Kept) -> bytes:
    """The bytes of a kept file; InputError when it cannot be read."""
    return content_of(_place(file.part), file.name).partition(b"\n")[2]


def _place(part: str) -> Path:
    return home() / "satisfaction" / part
