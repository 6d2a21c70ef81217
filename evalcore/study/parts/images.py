"""The pictures of a study: which file belongs to which image, its bytes, and small versions of it."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PIL import Image

from evalcore.study.parts.kind import Files, Opening, PartKind
from evalcore.study.pixels import DICOM_ENDINGS, decode
from evalcore.study.tables.archives import MAX_LISTED, open_zip
from evalcore.study.tables.files import max_bytes, open_file
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.problems import Problems, guarded, try_call, whole, why
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, SettingError, Severity
from evalcore.values.model import ImageFiles, Part, Study
from evalcore.values.own_queries import OF_TEXT
from evalcore.values.stores import Store
from evalcore.values.writing import file_size, words

ENDINGS_IMAGE_FILES = words(".jpg, .jpeg, .png, .tif, .tiff, .bmp, .gif, .webp, .jp2, .pgm, .ppm")


def find_images(place: Path, image_ids: Sequence[str], problems: Problems) -> ImageFiles | None:
    """Which file belongs to which image? Looks at names and sizes only.

    Parameters
    ----------
    place : a folder (with folders below it) or a zip.
    image_ids : the images of the study, sorted.

    Returns
    -------
    images : a file belongs to the id that equals its name, its name without ending, or its
        path below the folder without ending; of several the first in that order, then by name. None
        when no file belongs to any image. Counted as warnings: images without a file, files that
        belong to no image, second files of an image. Empty files, pipes and devices, and links that leave
        the folder or lead nowhere are errors and left out. Refused when the place cannot be listed.
    """
    listed = pictures_in(place, problems)
    facts = {name: (size, mark) for name, size, mark in listed}
    ids_of: dict[str, tuple[str, str, str]] = {}
    for name in facts:
        last = name.rpartition("/")[2]
        ids_of[name] = last, last.rpartition(".")[0], name.rpartition(".")[0]
    files: dict[str, str] = {}
    for spelling in range(3):
        for name, ids in ids_of.items():
            files.setdefault(ids[spelling], name)
    entries, known = tuple(files.get(image) for image in image_ids), set(image_ids)
    spare = sorted(facts.keys() - entries)
    second = [name for name in spare if not known.isdisjoint(ids_of[name])]
    unknown = [name for name in spare if known.isdisjoint(ids_of[name])]
    missing = [image for image, entry in zip(image_ids, entries, strict=True) if not entry]
    message = "{n} images have more than one file; the first by name is shown."
    problems.add_summary("second-file", second, message, "Keep one file per image.")
    why_not = explain_id_mismatch([ids_of[name][1] for name in unknown], image_ids)
    remedy = why_not or "Name each file by its image id."
    problems.add_summary("unknown-id", unknown, "{n} image files belong to no image of the study.", remedy)
    if not listed:
        message = "There are no image files here."
        problems.warning("no-images", message, f"Put in {', '.join(ENDINGS_IMAGE_FILES[:6])}.")
        return None
    message = f"{{n}} of {len(image_ids):,} images have no file."
    problems.add_summary("no-image", missing, message, "They are shown as cards.")
    if not any(entries):
        return None
    digest = digest_of([f"{i}:{entry}:{facts[entry]}" for i, entry in enumerate(entries) if entry])
    folder, archive = (place, None) if place.is_dir() else (place.parent, place)
    return ImageFiles(entries, folder, archive, digest)


def pictures_in(place: Path, problems: Problems) -> list[tuple[str, int, int]]:
    """(path, size, checksum or 0) of every picture below a folder or in a zip, by name; nothing is decoded.

    Refused when the place cannot be listed. What cannot be used is reported in ``problems``.
    """
    try:
        listed = sorted(_files_of(place, problems) if place.is_dir() else _members_of(place, problems))
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError) as reason:
        message = f"The images cannot be listed: {reason}."
        problems.refuse("unreadable-container", message, "Give a folder or a zip.")
    for name, size, _ in listed:
        if is_picture(name) and not size:
            problems.error("empty-file", f"{name} is empty; it is left out.", "Copy it again.", value=name)
    return [(name, size, mark) for name, size, mark in listed if size and is_picture(name)]


def is_picture(name: str) -> bool:
    """Whether a file is a picture that can be shown, by its ending."""
    return name.lower().endswith((*ENDINGS_IMAGE_FILES, *DICOM_ENDINGS))


def _files_of(folder: Path, problems: Problems) -> Iterator[tuple[str, int, int]]:
    """(path below the folder, size, 0) of every file; hidden ones and links to the outside left out."""
    root = folder.resolve()
    for here, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for path in (Path(here, name) for name in sorted(names) if not name.startswith(".")):
            try:
                if path.is_symlink() and not (path.is_file() and path.resolve().is_relative_to(root)):
                    leads = "leads out of the folder" if path.exists() else "leads nowhere"
                    rule, what = "path-leaves-study", f"is a link that {leads}"
                    remedy = "Copy the file into the folder."
                elif stat.S_ISREG((fact := path.stat()).st_mode):
                    yield path.relative_to(folder).as_posix(), fact.st_size, 0
                    continue
                else:
                    rule, what, remedy = "not-a-file", "is a pipe or a device, not a file", "Remove it."
            except FileNotFoundError:  # it went while the folder was walked: its image has no picture
                continue
            except (OSError, RuntimeError):  # it may not be looked at, or leads back to itself
                rule, what = "hidden-picture", "cannot be looked at"
                remedy = "Allow reading it, or remove it."
            severity: Severity = "warning" if rule == "hidden-picture" else "error"
            problems.add(severity, rule, f"{path.name} {what}; it is left out.", remedy, value=path.name)


def _members_of(archive: Path, problems: Problems) -> Iterator[tuple[str, int, int]]:
    """(name, size, checksum) of every file in a zip; encrypted ones are errors."""
    with open_file(archive) as stream, open_zip(stream, most=MAX_LISTED) as opened:
        for info in opened.infolist():
            hidden = any(part.startswith((".", "__MACOSX")) for part in info.filename.split("/"))
            if info.flag_bits & 1 and not (info.is_dir() or hidden):
                message = f"{info.filename} is encrypted."
                problems.error("encrypted", message, "Zip without a password.", value=info.filename)
            elif not (info.is_dir() or hidden):
                yield info.filename, info.file_size, info.CRC


# Reading the images of a study: from a folder, a zip or parquet shards.

MAX_FILE = 256 * 10**6
"""Largest image file that is read, in bytes."""
_BATCH = 16
_archives: Store[zipfile.ZipFile] = Store(64 << 20)
"""Open zips; their lists of members take some hundred bytes an image."""


def image_bytes(images: ImageFiles, image: int) -> bytes:
    """Content of the file of an image index; InputError without one, or beyond ``MAX_FILE``."""
    entry = images.entries[image]
    if entry is None:
        raise InputError("The study has no picture of this image.")
    name = whole(entry)
    data, reason = try_call(partial(_content, images, entry))
    if reason is not None:
        remedy = "Check the file, then reopen the study."
        raise InputError(f"{name} cannot be read: {whole(str(reason)) or why(reason)}. {remedy}") from reason
    if data is None:
        raise InputError(f"{name} is larger than {file_size(MAX_FILE)}. Give a smaller version of the image.")
    return data


def _content(images: ImageFiles, entry: str) -> bytes | None:
    """The bytes of an entry, None beyond ``MAX_FILE``; raises whatever its container raises."""
    if images.archive is None:
        with open_file(images.folder / entry) as stream:
            data = stream.read() if os.fstat(stream.fileno()).st_size <= MAX_FILE else None
    elif images.archive.is_dir():
        data = _from_shard(images.archive, entry)
    else:
        fact, archive = images.archive.stat(), images.archive

        def opened() -> zipfile.ZipFile:
            with open_file(archive):  # a regular file
                return zipfile.ZipFile(archive)

        # its list of members is read once; ZipFile may be shared between threads
        shared = _archives.get_or_compute((archive, fact.st_mtime_ns, fact.st_size), opened)
        with shared.open(entry) as member:
            data = member.read(MAX_FILE + 1)
    return None if data is None or len(data) > MAX_FILE else data


def _from_shard(folder: Path, entry: str) -> bytes:
    """Image bytes of "shard.parquet#row", reading the row group only as far as the row."""
    import pyarrow.parquet as pq

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
        packed = max(opened.metadata.row_group(group).total_byte_size, 1)
        if packed > max_bytes():
            raise ValueError(f"row {number} is packed with more than {file_size(max_bytes())}")
        size = min(max(max_bytes() // packed, 1), _BATCH)
        for batch in opened.iter_batches(size, row_groups=[group], columns=["image.bytes"]):
            if row < batch.num_rows:
                value = batch.column(0).field("bytes")[row].as_py()
                if value is None:
                    raise KeyError(f"row {number} contains no image")
                return bytes(value)
            row -= batch.num_rows
    raise KeyError(f"there is no row {number}")


# Small versions of images.


def jpeg(picture: Image.Image, *, quality: int, **options: int) -> bytes:
    """A picture as JPEG, without metadata."""
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality, **options)
    return out.getvalue()


QUALITY, QUALITY_FULL = 88, 95
LARGEST = 2048
"""Longer side of a small version at most."""
LONGEST = 4096
"""Longer side of a picture in pixels at most: no browser refuses a canvas of that size."""


def picture_of(images: ImageFiles, image: int, *, size: int | None = None) -> bytes:
    """The whole image of an image index as JPEG, its longer side at most ``size`` pixels.

    None: at its own size, for the viewer; made smaller only beyond ``LONGEST``. Never cropped, never
    enlarged; more than 8 bits are stretched as in `pixels.decode`. Raises InputError when there is no such
    picture or it cannot be read, SettingError when ``size`` is not 16 to ``LARGEST``.
    """
    if size is not None and not 16 <= size <= LARGEST:
        raise SettingError("size", f"16 to {LARGEST} pixels", size)
    return shrunk(image_bytes(images, image), file=str(images.entries[image]), size=size)


def shrunk(data: bytes, *, file: str, size: int | None) -> bytes:
    """The same of the bytes of a picture; InputError when it is broken."""
    picture = decode(data, file=file, about=LONGEST if size is None else 2 * size)
    picture.thumbnail((size or LONGEST, size or LONGEST), Image.Resampling.LANCZOS)
    if size is None:
        return jpeg(picture, quality=QUALITY_FULL, subsampling=0)
    return jpeg(picture, quality=QUALITY)


# As parts of a study.


def _read(opening: Opening) -> ImageFiles | None:
    """Where the images lie: in a folder, a zip, or the shards. A query may show the picture of another."""
    paths, concepts, own = opening.layout.files["images"], opening.concepts, opening.own
    if not paths:
        if opening.concept_rows.images is None:
            return None
        folder, places, digest = opening.concept_rows.images
        return ImageFiles(tuple(map(places.get, concepts.image_ids)), folder, folder, digest)
    name, shown = opening.layout.name_of(paths[0]), list[str]()
    kinds, pictures = ({}, {}) if own is None else (own.kinds, own.pictures)
    for image, is_query in zip(concepts.image_ids, concepts.only.tolist(), strict=True):
        kind = kinds.get(image)
        has_none = kind in OF_TEXT or (kind is None and is_query)
        shown.append((kind and pictures.get(image)) or ("" if has_none else image))
    wanted = sorted({picture for picture in shown if picture})
    images = guarded(opening.problems.of(name), partial(find_images, paths[0], wanted), None)
    if images is not None and wanted != shown:
        entry = dict(zip(wanted, images.entries, strict=True))
        images = replace(images, entries=tuple(entry.get(picture) for picture in shown))
    count = 0 if images is None else images.count
    form = "folder" if paths[0].is_dir() else "zip"
    opening.parts["images", paths[0]] = Part("images", name, form, count, count > 0)
    return images


def _write(study: Study) -> Files:
    """Pictures that are files of their own; an archive of them is copied whole (see `saving`)."""
    if study.images is not None and study.images.archive is None:
        for i, entry in enumerate(study.images.entries):
            if entry is not None:
                yield f"images/{entry}", image_bytes(study.images, i)


PARTS = (
    PartKind(
        "images",
        "Pictures",
        (("images",), ("images.zip",)),
        study_field="images",
        read=_read,
        write=_write,
        expected="JPEG, PNG or TIFF files named by image id, or a zip of them.",
        adds="pictures beside the scores",
    ),
)
