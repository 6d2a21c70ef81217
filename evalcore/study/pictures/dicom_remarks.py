"""What is said of the DICOM files among pictures: identifying tags, frames, what cannot be shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from functools import partial

from evalcore.study.pictures.dicom import ENDINGS, check_dicom, identifying, installed
from evalcore.study.pictures.images import image_bytes
from evalcore.study.tables.guard import attempt
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError
from evalcore.values.model import ImageFiles
from evalcore.values.problems import Report


def dicom_remarks(images: ImageFiles, *, file: str) -> Report:
    """Of the DICOM files that belong to images; reads each of them. Nothing where pydicom is missing."""
    found = Problems(file)
    if installed():
        report_dicom(found, _files(images))
    return found.report()


def report_dicom(found: Problems, files: Iterable[tuple[str, bytes]]) -> None:
    """The same of files by name and content: counted, never with the value of a tag."""
    named: dict[str, tuple[str, ...]] = {}
    frames: list[str] = []
    for name, data in files:
        _, reason = attempt(partial(check_dicom, data, file=name))
        if reason is not None:
            said = reason if isinstance(reason, InputError) else f"{name} is damaged. Export it again."
            found.warning("broken-image", f"{said}", "It is not shown.", value=name)
            continue
        tags, n = attempt(partial(identifying, data, file=name))[0] or ((), 1)
        if tags:
            named[name] = tags
        if n > 1:
            frames.append(name)
    if named:
        tags = tuple(dict.fromkeys(tag for of in named.values() for tag in of))
        message = (
            f"{{n}} DICOM {_have(named)} tags that can identify somebody ({', '.join(tags)}). They are never "
            "shown, but they are in the files."
        )
        found.counted("identified", list(named), message, "De-identify the files.")
    message = f"{{n}} DICOM {_have(frames)} several frames; the first is shown."
    found.counted("several-frames", frames, message, "Give one file per image.")


def _have(files: Sized) -> str:
    return "file has" if len(files) == 1 else "files have"


def _files(images: ImageFiles) -> Iterator[tuple[str, bytes]]:
    for image, entry in enumerate(images.entries):
        if entry is not None and entry.lower().endswith(ENDINGS):
            data = attempt(partial(image_bytes, images, image))[0]
            if data is not None:
                yield entry, data
