"""Which file belongs to which image: by its name, in a folder or a zip; nothing is decoded here."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from evalcore.study.pictures import dicom
from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import hint
from evalcore.study.tables.opening import open_file
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import digest_of
from evalcore.values.model import ImageFiles
from evalcore.values.problems import Report

ENDINGS = (
    ".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".jp2", ".pgm", ".ppm",
)  # fmt: skip
NOT_SHOWN = (".nii", ".nii.gz", ".nrrd", ".mha")


@reader(lambda _: None)
def find_images(place: Path, image_ids: Sequence[str], *, file: str) -> tuple[ImageFiles | None, Report]:
    """Which file belongs to which image? Looks at names and sizes only.

    Parameters
    ----------
    place : a folder (with folders below it) or a zip.
    image_ids : the images of the study, sorted.
    file : how messages call the place.

    Returns
    -------
    images, report : a file belongs to the id that equals its name, its name without ending, or its
        path below the folder without ending; of several the first in that order, then by name. None
        when no file belongs to any image. Counted as warnings: images without a file, files that
        belong to no image, second files of an image, volumes (not shown; DICOM without pydicom), files
        that are gone before they were looked at. Empty files, pipes and devices, and links that leave the
        folder or lead nowhere are errors and left out.
    """
    found = Problems(file)
    usable = pictures_in(place, found)
    if usable is None:
        return None, found.report()
    entries = _assign([name for name, _, _ in usable], image_ids, found)
    if not any(entries):
        return None, found.report()
    facts = {name: (size, mark) for name, size, mark in usable}
    digest = digest_of([f"{i}:{entry}:{facts[entry]}" for i, entry in enumerate(entries) if entry])
    folder = place if place.is_dir() else place.parent
    return ImageFiles(entries, folder, None if place.is_dir() else place, digest), found.report()


def pictures_in(place: Path, found: Problems) -> list[tuple[str, int, int]] | None:
    """(path, size, checksum or 0) of every picture below a folder or in a zip, by name; nothing is decoded.

    None, with an error, when the place cannot be listed. What cannot be used is reported in ``found``.
    """
    try:
        listed = sorted(_files_of(place, found) if place.is_dir() else _members_of(place, found))
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError) as reason:
        found.error(
            "unreadable-container", f"The images cannot be listed: {reason}.", "Give a folder or a zip."
        )
        return None
    return [entry for entry in listed if _usable(entry, found)]


def _files_of(folder: Path, found: Problems) -> Iterator[tuple[str, int, int]]:
    """(path below the folder, size, 0) of every file; hidden ones and links to the outside left out."""
    root = folder.resolve()
    for here, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            path = Path(here, name)
            if name.startswith("."):
                continue
            try:
                size = _size_of(path, root, found)
            except FileNotFoundError:  # it went while the folder was walked: its image has no picture
                continue
            except (OSError, RuntimeError):  # it may not be looked at, or leads back to itself
                message = f"{name} cannot be looked at; it is left out."
                found.warning("hidden-picture", message, "Allow reading it, or remove it.", value=name)
                continue
            if size is not None:
                yield path.relative_to(folder).as_posix(), size, 0


def _size_of(path: Path, root: Path, found: Problems) -> int | None:
    """The size of a file; None with an error when it is none, or a link to elsewhere or nowhere."""
    if path.is_symlink() and not (path.is_file() and path.resolve().is_relative_to(root)):
        leads = "leads out of the folder" if path.exists() else "leads nowhere"
        message = f"{path.name} is a link that {leads}; it is left out."
        found.error("path-leaves-study", message, "Copy the file into the folder.", value=path.name)
        return None
    fact = path.stat()
    if stat.S_ISREG(fact.st_mode):
        return fact.st_size
    message = f"{path.name} is a pipe or a device, not a file; it is left out."
    found.error("not-a-file", message, "Remove it.", value=path.name)
    return None


def _members_of(archive: Path, found: Problems) -> Iterator[tuple[str, int, int]]:
    """(name, size, checksum) of every file in a zip; encrypted ones are errors."""
    with open_file(archive) as stream, zipfile.ZipFile(stream) as opened:
        for info in opened.infolist():
            hidden = any(part.startswith((".", "__MACOSX")) for part in info.filename.split("/"))
            if info.is_dir() or hidden:
                continue
            if info.flag_bits & 1:
                found.error(
                    "encrypted",
                    f"{info.filename} is encrypted.",
                    "Zip without a password.",
                    value=info.filename,
                )
                continue
            yield info.filename, info.file_size, info.CRC


def is_picture(name: str) -> bool:
    """Whether a file is a picture that can be shown, by its ending."""
    return name.lower().endswith((*ENDINGS, *dicom.ENDINGS) if dicom.installed() else ENDINGS)


def _usable(entry: tuple[str, int, int], found: Problems) -> bool:
    name, size, _ = entry
    if name.lower().endswith(dicom.ENDINGS) and not dicom.installed():
        message = "DICOM files cannot be shown without pydicom, which is not installed."
        found.warning("not-shown", message, dicom.INSTALL, value=name)
        return False
    if name.lower().endswith(NOT_SHOWN):
        message = "Files in volume formats cannot be shown."
        found.warning("not-shown", message, "Export the images as PNG or JPEG, de-identified.", value=name)
        return False
    if not is_picture(name):
        return False
    if not size:
        found.error("empty-file", f"{name} is empty; it is left out.", "Copy it again.", value=name)
    return size > 0


def _assign(names: Sequence[str], image_ids: Sequence[str], found: Problems) -> tuple[str | None, ...]:
    """The file of each image, None without one."""
    files: dict[str, str] = {}
    for spell in (_whole_name, _stem, _path_stem):
        for name in names:
            files.setdefault(spell(name), name)
    entries = tuple(files.get(image) for image in image_ids)
    used = {entry for entry in entries if entry}
    known = set(image_ids)
    spare = [name for name in names if name not in used]
    second = [name for name in spare if {_whole_name(name), _stem(name), _path_stem(name)} & known]
    unknown = sorted(set(spare) - set(second))
    missing = [image for image, entry in zip(image_ids, entries, strict=True) if not entry]
    message = "{n} images have more than one file; the first by name is shown."
    found.counted("second-file", second, message, "Keep one file per image.")
    remedy = hint([_stem(name) for name in unknown], image_ids) or "Name each file by its image id."
    found.counted("unknown-id", unknown, "{n} image files belong to no image of the study.", remedy)
    if names:
        message = f"{{n}} of {len(image_ids):,} images have no file."
        found.counted("no-image", missing, message, "They are shown as cards.")
    else:
        found.warning("no-images", "There are no image files here.", f"Put in {', '.join(ENDINGS[:6])}.")
    return entries


def _whole_name(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _stem(name: str) -> str:
    return _whole_name(name).rpartition(".")[0]


def _path_stem(name: str) -> str:
    return name.rpartition(".")[0]
