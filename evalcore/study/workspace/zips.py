"""Whole studies as one zip: taken in, and given out for a colleague."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from evalcore.study.folder.layout import TOML, find_layout
from evalcore.study.opening import Opening, read_basis
from evalcore.study.tables.archives import MAX_ENTRIES, inner, unpack
from evalcore.study.tables.files import content_of
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.change import staging
from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.folders import unused_study
from evalcore.study.workspace.home import flush, keeping
from evalcore.values.account import check_file, is_served
from evalcore.values.errors import InputError, Report

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
    check_file(file, len(data))
    with keeping(file), staging() as aside:
        unpacked = aside / "zip"
        report = unpack(data, unpacked, file=file)
        if not unpacked.is_dir():
            return None, report
        top = inner(unpacked)
        problems = Problems(file)
        problems.include(report)
        opening = Opening(find_layout(top, problems.of(TOML)), problems)
        if not read_basis(opening) or not (opening.concepts.vocabulary or opening.scored):
            message = "The zip contains no readable concepts; it was not kept."
            remedy = "Zip a study folder with concepts.csv in it, rows such as: image_1,C0040405;C0817096"
            problems.error("no-concepts", message, remedy)
            return None, problems.report()
        flush(top)
        return top.rename(unused_study(name)), problems.report()


def zip_study(study: Path) -> bytes:
    """The files of a study folder as a zip with one folder in it; the same content gives the same bytes.

    Hidden files and links are left out. Raises InputError for a study larger than ``MAX_PACKED``, of more
    files than a zip may hold, or with a file that cannot be read.
    """
    if reason := why_not_packed(study):
        raise InputError(reason)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        paths = {path.relative_to(study).as_posix(): path for files in _folders(study) for path in files}
        for name in sorted(paths):
            # The date is left at its default, so that the zip depends on nothing but the content.
            info = zipfile.ZipInfo(readable(f"{study.name}/{name}"))
            packed = Path(name).suffix.lower() in _STORED
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, _content(paths[name], info.filename))
    return out.getvalue()


def _content(path: Path, name: str) -> bytes:
    try:
        return content_of(path, name)
    except InputError as reason:
        message = "The study cannot be packed while a file in it cannot be read."
        raise InputError(message, reason.report) from reason


def why_not_packed(study: Path) -> str:
    """Why a study cannot be packed, with the way out; "" when it can. Stops looking when it is too large."""
    left, number, remedy = MAX_PACKED, 0, "Ask an administrator for its folder."
    if not is_served():
        remedy = f"Copy its folder instead: {readable(str(study))}"
    for files in _folders(study):
        number += 1 + len(files)
        if number > MAX_ENTRIES:
            return f"The study contains more than {MAX_ENTRIES:,} files: too many for a zip. {remedy}"
        for path in files:
            with suppress(OSError):  # it went meanwhile
                left -= path.stat().st_size
        if left < 0:
            size = f"{MAX_PACKED >> 30} GB" if MAX_PACKED >> 30 else f"{MAX_PACKED:,} bytes"
            return f"The study is larger than {size}: too much for a download. {remedy}"
    return ""


def _folders(study: Path) -> Iterator[list[Path]]:
    """The files in each folder of a study, one folder after the other, but hidden ones and links."""
    for folder, below, names in os.walk(study):
        below[:] = sorted(name for name in below if not name.startswith("."))
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        yield [path for path in paths if path.is_file() and not path.is_symlink()]
