"""Small versions of images, kept on disk by content: the same picture is made small once per machine."""

from __future__ import annotations

import hashlib
import io
import os
from contextlib import suppress
from pathlib import Path

from PIL import Image

from evalcore.errors import InputError, SettingError
from evalcore.model import ImageFiles
from evalcore.sources.pictures.images import image_bytes
from evalcore.sources.pictures.pixels import decode
from evalcore.sources.workspace.home import home, write_whole

QUALITY = 88
LARGEST = 2048
KEPT = 512 << 20
"""Size of the disk cache in bytes; beyond it the thumbnails looked at longest ago go."""
_SHELVES = 256


def thumbnail(images: ImageFiles, image: int, *, size: int = 256) -> bytes:
    """The whole image of an image index as JPEG, its longer side at most ``size`` pixels.

    Never cropped, never enlarged. Raises InputError when there is no such picture or it cannot be
    read, SettingError when ``size`` is not 16 to ``LARGEST``.
    """
    if not 16 <= size <= LARGEST:
        raise SettingError("size", f"16 to {LARGEST} pixels", size)
    in_shard = images.archive is not None and images.archive.is_dir()
    # A shard is read up to the row for every image: there the place stands for the content.
    data = b"" if in_shard else image_bytes(images, image)
    content = f"{images.digest}:{images.entries[image]}".encode() if in_shard else data
    key = hashlib.blake2b(content, digest_size=16).hexdigest()
    kept = home() / "cache" / "thumbnails" / key[:2] / f"{key}-{size}.jpg"
    small = _kept(kept)
    if small is None:
        small = shrunk(data or image_bytes(images, image), file=str(images.entries[image]), size=size)
        _keep(kept, small)
    return small


def shrunk(data: bytes, *, file: str, size: int) -> bytes:
    """JPEG bytes of a picture with its longer side at most ``size``; InputError when it is broken."""
    picture = decode(data, file=file, about=2 * size)
    picture.thumbnail((size, size), Image.Resampling.LANCZOS, reducing_gap=2.0)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def _kept(path: Path) -> bytes | None:
    """The thumbnail in the cache; None when it is not there or cannot be read."""
    try:
        small = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # looked at now: the last to go
    return small


def _keep(path: Path, small: bytes) -> None:
    """Put a thumbnail into the cache, whole or not at all, and make room on its shelf."""
    # Only a cache: a full or read-only disk makes thumbnails slower, not wrong.
    with suppress(InputError, OSError):
        write_whole(path, small)
        _make_room(path.parent)


def _make_room(shelf: Path) -> None:
    """Each of the ``_SHELVES`` folders may hold its share of ``KEPT``; the oldest files go first."""
    facts = sorted((fact.stat().st_mtime_ns, fact.stat().st_size, fact.path) for fact in os.scandir(shelf))
    total = sum(size for _, size, _ in facts)
    for _, size, path in facts[:-1]:
        if total <= KEPT // _SHELVES:
            return
        Path(path).unlink(missing_ok=True)
        total -= size
