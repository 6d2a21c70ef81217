"""Names of files and folders: such as every system can hold, readable ones, and as messages write them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterable
from pathlib import Path

from evalcore.values.account import is_served

MAX_NAME = 64
_MAX_BYTES = 200
_RESERVED = {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))}
_IN_A_FOLDER_NAME = frozenset("-._+() ")


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


def picture_name(path: str) -> str:
    """The path of a picture as it is kept: an id may hold any character, so only what no file system can
    hold is replaced; never hidden, never above its folder.

    >>> picture_name("../ct:1/Größe 2.png"), picture_name("..")
    ('ct_1/Größe 2.png', 'image')
    """
    parts = (part.lstrip(".").rstrip(" .")[:200] for part in path.replace("\\", "/").split("/"))
    plain = ("".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in part) for part in parts)
    return "/".join(filter(None, plain)) or "image"


def _cut(text: str) -> str:
    """The beginning of a text that a file system can hold as a name."""
    while len(text.encode("utf-8", "surrogatepass")) > _MAX_BYTES:
        text = text[:-1]
    return text


def without_ending(name: str, endings: Iterable[str]) -> str:
    """The name of a file without the longest of these endings (lower case), whatever its own case; whole
    where it has none of them, or is nothing else.

    >>> endings = (".txt", ".txt.gz")
    >>> without_ending("cui2vec.500.TXT.gz", endings), without_ending("a.csv", endings)
    ('cui2vec.500', 'a.csv')
    """
    own = (ending for ending in endings if name.lower().endswith(ending) and name.lower() != ending)
    return name[: len(name) - len(max(own, key=len, default=""))]


def readable(name: str) -> str:
    """The name of a file or folder as text: bytes that are not UTF-8 are written as %E9.

    >>> readable("caf" + chr(0xDCE9))
    'caf%E9'
    """
    return "".join(f"%{ord(c) - 0xDC00:02X}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in name)


def place_in_words(path: Path) -> str:
    """A file or folder as messages name it: its path on one's own computer, its name alone on a server.

    >>> place_in_words(Path("/data/study"))
    '/data/study'
    """
    return readable(path.name if is_served() else path.as_posix())
