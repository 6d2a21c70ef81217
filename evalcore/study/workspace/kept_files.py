"""Files that pages keep in the workspace, so that a reload loses nothing: one for each of `PARTS`.

Each is ``satisfaction/PART``: its name as a line of JSON, then its content, so that both change as one.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evalcore.study.tables.files import content_of
from evalcore.study.workspace.home import home, keeping, write_whole
from evalcore.values import events
from evalcore.values.account import check_file
from evalcore.values.arrays import digest_of

PARTS = ("relevance", "satisfaction", "concept_ratings", "label_map")
"""What a file can be: relevance of what was shown, satisfaction, ratings of pairs of concepts, which concept
means which label."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept file, by the name it had; ``mark`` changes when the file does, without reading it."""

    path: Path
    name: str
    mark: str

    def content(self) -> bytes:
        """Its bytes; InputError when it cannot be read."""
        return content_of(self.path, self.name).partition(b"\n")[2]


def keep_file(part: str, name: str, data: bytes) -> None:
    """Keep a file in place of the one there; InputError when it cannot be written."""
    check_file(name, len(data))
    write_whole(home() / "satisfaction" / part, json.dumps(name).encode() + b"\n" + data, name=name)
    events.record("uploaded", kind=f"satisfaction {part}", file=name, bytes=len(data))


def kept_files() -> dict[str, Kept]:
    """The files kept, by part; what others put there is passed over."""
    result: dict[str, Kept] = {}
    for part in PARTS:
        path = home() / "satisfaction" / part
        with suppress(OSError, ValueError), path.open("rb") as file:
            facts = path.stat()
            mark = digest_of((str(path), facts.st_size, facts.st_mtime_ns, facts.st_ino))
            result[part] = Kept(path, str(json.loads(file.readline(1 << 16))), mark)
    return result


def forget(part: str) -> None:
    """Remove a kept file; InputError when it cannot be removed. One that is gone already does nothing."""
    if kept := kept_files().get(part):
        with keeping(kept.name, "removed"):
            kept.path.unlink(missing_ok=True)
        events.record("removed", kind=f"satisfaction {part}")
