"""Whole studies as one zip: taken in, and given out for a colleague."""

from __future__ import annotations

import io
import shutil
import zipfile
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
    files = sorted(
        path
        for path in study.rglob("*")
        if path.is_file()
        and not path.is_symlink()
        and not any(p.startswith(".") for p in path.relative_to(study).parts)
    )
    if sum(path.stat().st_size for path in files) > MAX_PACKED:
        raise InputError(f"The study is larger than {MAX_PACKED >> 30} GB. Copy its folder instead: {study}")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in files:
            # The date is left at its default, so that the zip depends on nothing but the content.
            info = zipfile.ZipInfo(f"{study.name}/{path.relative_to(study).as_posix()}")
            packed = path.suffix.lower() in _STORED
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, path.read_bytes())
    return out.getvalue()


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
