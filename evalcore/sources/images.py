"""Reading the images of a study: from a folder, a zip or parquet shards."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from evalcore.errors import InputError
from evalcore.model import ImageFiles, Report
from evalcore.sources.image_files import find_images
from evalcore.sources.pixels import decode
from evalcore.sources.problems import Problems
from evalcore.stores import Store

if TYPE_CHECKING:
    from PIL import Image

MAX_FILE = 256 << 20
"""Largest image file that is read, in bytes."""
_BATCH = 16
_archives: Store[zipfile.ZipFile] = Store(64 << 20)
"""Open zips; their lists of members take some hundred bytes an image."""

__all__ = ["MAX_FILE", "check_images", "find_images", "image_bytes", "read_image"]


def read_image(images: ImageFiles, image: int, *, about: int | None = None) -> Image.Image:
    """The picture of an image index: mode L or RGB, upright, without metadata (see ``pixels.decode``).

    ``about``: a JPEG may come smaller, no side shorter than this. Raises InputError when the image
    has no file, or one that cannot be read.
    """
    return decode(image_bytes(images, image), file=_name_of(images, image), about=about)


def image_bytes(images: ImageFiles, image: int) -> bytes:
    """Content of the file of an image index; InputError without one, or beyond ``MAX_FILE``."""
    name = _name_of(images, image)
    entry = str(images.entries[image])
    try:
        if images.archive is None:
            with (images.folder / entry).open("rb") as stream:
                data = stream.read(MAX_FILE + 1)
        elif images.archive.is_dir():
            data = _from_shard(images.archive, entry)
        else:
            fact = images.archive.stat()
            with _opened(images.archive, fact.st_mtime_ns, fact.st_size).open(entry) as member:
                data = member.read(MAX_FILE + 1)
    except (
        OSError,
        EOFError,
        KeyError,
        RuntimeError,
        zipfile.BadZipFile,
        zlib.error,
        pa.ArrowException,
    ) as reason:
        raise InputError(
            f"{name} cannot be read: {reason}. Check the file, then open the study again."
        ) from reason
    if len(data) > MAX_FILE:
        raise InputError(f"{name} is larger than {MAX_FILE >> 20} MB. Give a smaller version of the image.")
    return data


def check_images(images: ImageFiles, *, file: str) -> Report:
    """Decode every image and report those that cannot be shown; takes some milliseconds an image."""
    found = Problems(file)
    for image, entry in enumerate(images.entries):
        if entry is not None:
            try:
                read_image(images, image)
            except InputError as reason:
                found.error("broken-image", str(reason), "", value=entry)
    return found.report()


def _name_of(images: ImageFiles, image: int) -> str:
    entry = images.entries[image]
    if entry is None:
        raise InputError("The study has no picture of this image.")
    return entry


def _opened(archive: Path, changed: int, size: int) -> zipfile.ZipFile:
    """A zip, its list of members read once; ZipFile may be shared between threads."""
    return _archives.once((archive, changed, size), lambda: zipfile.ZipFile(archive))


def _from_shard(folder: Path, entry: str) -> bytes:
    """Image bytes of "shard.parquet#row", reading the row group only as far as the row."""
    shard, _, number = entry.rpartition("#")
    row = int(number)
    with pq.ParquetFile(folder / shard) as opened:
        for group in range(opened.num_row_groups):
            n = opened.metadata.row_group(group).num_rows
            if row < n:
                break
            row -= n
        batches = opened.iter_batches(_BATCH, row_groups=[group], columns=["image.bytes"])
        for batch in batches:
            if row < batch.num_rows:
                value = batch.column(0).field("bytes")[row].as_py()
                if value is None:
                    raise KeyError(f"row {number} holds no image")
                return bytes(value)
            row -= batch.num_rows
    raise KeyError(f"there is no row {number}")
