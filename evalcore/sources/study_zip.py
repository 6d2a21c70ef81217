"""Whole studies as one zip: taken in, and given out for a colleague."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from evalcore.errors import InputError
from evalcore.model import Report
from evalcore.sources import parts
from evalcore.sources.archives import unpack
from evalcore.sources.home import home, study_folder
from evalcore.sources.layout import read_layout
from evalcore.sources.problems import Problems

MAX_PACKED = 1 << 30
"""Largest study that is packed in memory, in bytes of its files."""
_STORED = (".jpg", ".jpeg", ".png", ".gz", ".npz", ".parquet", ".zip", ".webp")


def add_study_zip(name: str, data: bytes) -> tuple[Path | None, Report]:
    """Unpack a zipped study into the workspace, under ``name`` or ``name_2`` and so on when that is taken.

    Returns its folder and the problems of the zip and of its concepts. None, and nothing is kept,
    when the zip is unsafe or damaged or holds no readable concepts. A single folder around the study
    is taken off.
    """
    file = f"{name}.zip"
    aside = home() / "studies" / f".{uuid4().hex}"
    try:
        report = unpack(data, aside, file=file)
        if not aside.is_dir():
            return None, report
        inner = _inner(aside)
        layout, found = read_layout(inner)
        read = parts.Reading(layout, [report, found])
        rows, _ = parts.read_concepts(read)
        if not any(rows.sets.values()):
            problems = Problems(file)
            problems.error(
                "no-concepts", "The zip holds no readable concepts; it was not kept.",
                "Zip a study folder with concepts.csv in it, rows such as: image_1,C0040405;C0817096",
            )  # fmt: skip
            return None, read.report() + problems.report()
        folder = _unused(name)
        inner.rename(folder)
        return folder, read.report()
    except OSError as reason:
        raise InputError(f"{file} cannot be kept: {reason.strerror or reason}.") from reason
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def zip_study(study: Path) -> bytes:
    """The files of a study folder as a zip with one folder in it; the same content gives the same bytes.

    Hidden files and links are left out. Raises InputError for a study larger than ``MAX_PACKED``.
    """
    if reason := why_not_packed(study):
        raise InputError(reason)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(_packed(study)):
            # The date is left at its default, so that the zip depends on nothing but the content.
            info = zipfile.ZipInfo(f"{study.name}/{path.relative_to(study).as_posix()}")
            packed = path.suffix.lower() in _STORED
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, path.read_bytes())
    return out.getvalue()


def why_not_packed(study: Path) -> str:
    """Why a study cannot be packed, with the way out; "" when it can. Stops looking when it is too large."""
    left = MAX_PACKED
    for path in _packed(study):
        left -= path.stat().st_size
        if left < 0:
            size = f"{MAX_PACKED >> 30} GB" if MAX_PACKED >> 30 else f"{MAX_PACKED:,} bytes"
            return (
                f"The study is larger than {size}: too much for a download. Copy its folder instead: {study}"
            )
    return ""


def _packed(study: Path) -> Iterator[Path]:
    """The files of a study folder but hidden ones and links."""
    for path in study.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(study).parts)
        if not hidden and path.is_file() and not path.is_symlink():
            yield path


def _inner(folder: Path) -> Path:
    """The folder itself, or the single folder in it, however deep."""
    inside = list(folder.iterdir())
    return (
        _inner(inside[0])
        if len(inside) == 1 and inside[0].is_dir() and inside[0].name != "images"
        else folder
    )


def _unused(name: str) -> Path:
    numbers = iter(range(2, 1_000_000))
    folder = study_folder(name)
    while folder.exists():
        folder = study_folder(f"{name}_{next(numbers)}")
    return folder
