"""Where this program keeps its user's things: uploaded studies, recent folders, caches."""

from __future__ import annotations

import json
import os
import unicodedata
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from evalcore.errors import InputError

MAX_NAME = 64
MAX_RECENT = 12
_RESERVED = {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))}


def home() -> Path:
    """``CUISCOPE_HOME``, or ``~/.cuiscope``. Not made until something is kept there."""
    return Path(os.environ.get("CUISCOPE_HOME") or "~/.cuiscope").expanduser()


def studies() -> list[Path]:
    """Folders of the uploaded studies, by name; a study may still lack its concepts."""
    folder = home() / "studies"
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def study_folder(name: str) -> Path:
    """The folder of an uploaded study; it need not exist yet."""
    return home() / "studies" / safe_name(name)


def is_uploaded(study: Path) -> bool:
    """Whether a folder is one of the uploaded studies, the only ones that are ever changed."""
    return study.resolve().parent == (home() / "studies").resolve()


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
    kept = kept.strip("._- ")[:MAX_NAME].rstrip("._- ")
    if kept.partition(".")[0].casefold() in _RESERVED:
        kept = f"study_{kept}"
    return kept or "study"


def remember(study: Path) -> None:
    """Put a folder first among the recently opened ones."""
    paths = [study.resolve(), *(path for path in recent() if path != study.resolve())]
    text = json.dumps([str(path) for path in paths[:MAX_RECENT]], indent=1)
    write_whole(home() / "recent.json", text.encode("utf-8", "surrogatepass"))


def recent() -> list[Path]:
    """Recently opened folders that are still there, the last one first."""
    try:
        listed = json.loads((home() / "recent.json").read_bytes().decode("utf-8", "surrogatepass"))
    except (OSError, ValueError):
        return []  # none yet, or a file somebody else wrote there
    paths = [Path(item) for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
    return [path for path in paths if path.is_dir()][:MAX_RECENT]


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees half of it; InputError when it cannot be written there."""
    unfinished = path.with_name(f".{uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError as reason:
        with suppress(OSError):
            unfinished.unlink()
        way_out = "Free some space, or set CUISCOPE_HOME to a folder you may write to."
        raise InputError(f"{path.name} cannot be kept: {reason.strerror or reason}. {way_out}") from reason
