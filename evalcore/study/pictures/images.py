"""Reading the images of a study: from a folder, a zip or parquet shards."""

from __future__ import annotations

import os
import zipfile
from functools import partial
from pathlib import Path

from evalcore.study.pictures.image_files import find_images
from evalcore.study.pictures.picture_ends import TAIL, is_cut_off, report_cut
from evalcore.study.tables.guard import attempt, why
from evalcore.study.tables.limits import in_words, max_bytes
from evalcore.study.tables.opening import open_file
from evalcore.study.tables.problems import Problems, whole
from evalcore.values.errors import InputError
from evalcore.values.model import ImageFiles
from evalcore.values.problems import Report
from evalcore.values.stores import Store

MAX_FILE = 256 << 20
"""Largest image file that is read, in bytes."""
_BATCH = 16
_archives: Store[zipfile.ZipFile] = Store(64 << 20)
"""Open zips; their lists of members take some hundred bytes an image."""

__all__ = ["MAX_FILE", "cut_images", "find_images", "image_bytes"]


def image_bytes(images: ImageFiles, image: int) -> bytes:
    """Content of the file of an image index; InputError without one, or beyond ``MAX_FILE``."""
    entry = images.entries[image]
    if entry is None:
        raise InputError("The study has no picture of this image.")
    name = whole(entry)
    data, reason = attempt(partial(_content, images, entry))
    if reason is not None:
        said = whole(str(reason)) or why(reason)
        raise InputError(
            f"{name} cannot be read: {said}. Check the file, then open the study again."
        ) from reason
    if data is None:
        raise InputError(f"{name} is larger than {MAX_FILE >> 20} MB. Give a smaller version of the image.")
    return data


def _content(images: ImageFiles, entry: str) -> bytes | None:
    """The bytes of an entry, None beyond ``MAX_FILE``; raises whatever its container raises."""
    if images.archive is None:
        with open_file(images.folder / entry) as stream:
            data = stream.read() if os.fstat(stream.fileno()).st_size <= MAX_FILE else None
    elif images.archive.is_dir():
        data = _from_shard(images.archive, entry)
    else:
        fact = images.archive.stat()
        with _opened(images.archive, fact.st_mtime_ns, fact.st_size).open(entry) as member:
            data = member.read(MAX_FILE + 1)
    return None if data is None or len(data) > MAX_FILE else data


def cut_images(images: ImageFiles, *, file: str) -> Report:
    """A remark about pictures of a folder whose end is missing, by their first and last bytes; decodes none.

    Pictures in a zip have a checksum, those in shards are not looked at.
    """
    cut: list[str] = []
    for entry in images.entries if images.archive is None else ():
        if entry is not None and attempt(partial(_is_cut, images.folder / entry))[0]:
            cut.append(entry)
    found = Problems(file)
    if cut:
        report_cut(found, cut)
    return found.report()


def _is_cut(path: Path) -> bool:
    with open_file(path) as stream:
        head, size = stream.read(16), os.fstat(stream.fileno()).st_size
        stream.seek(max(0, size - TAIL))
        return is_cut_off(head, stream.read(TAIL), size)


def _opened(archive: Path, changed: int, size: int) -> zipfile.ZipFile:
    """A zip, its list of members read once; ZipFile may be shared between threads."""

    def opened() -> zipfile.ZipFile:
        with open_file(archive):  # a regular file
            return zipfile.ZipFile(archive)

    return _archives.once((archive, changed, size), opened)


def _from_shard(folder: Path, entry: str) -> bytes:
    """Image bytes of "shard.parquet#row", reading the row group only as far as the row."""
    import pyarrow.parquet as pq  # 4 MB, for studies with such files only

    shard, _, number = entry.rpartition("#")
    row = int(number)
    with open_file(folder / shard) as stream, pq.ParquetFile(stream) as opened:
        for group in range(opened.num_row_groups):
            n = opened.metadata.row_group(group).num_rows
            if row < n:
                break
            row -= n
        else:
            raise KeyError(f"there is no row {number}")
        # rows may share their bytes: a batch could hold them as often as it has rows
        held = max(opened.metadata.row_group(group).total_byte_size, 1)
        if held > max_bytes():
            raise ValueError(f"row {number} is packed with more than {in_words(max_bytes())}")
        size = min(max(max_bytes() // held, 1), _BATCH)
        for batch in opened.iter_batches(size, row_groups=[group], columns=["image.bytes"]):
            if row < batch.num_rows:
                value = batch.column(0).field("bytes")[row].as_py()
                if value is None:
                    raise KeyError(f"row {number} holds no image")
                return bytes(value)
            row -= batch.num_rows
    raise KeyError(f"there is no row {number}")
