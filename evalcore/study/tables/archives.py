"""Opening and unpacking a zip that a stranger made: everything is checked before anything is written."""

from __future__ import annotations

import io
import shutil
import stat
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from evalcore.study.tables.files import MAX_RATIO, RATIO_FROM
from evalcore.study.tables.problems import Problems, try_call, why
from evalcore.study.workspace.home import PRIVATE_FILE, PRIVATE_FOLDER, is_full, make_folder
from evalcore.values.account import most_unpacked
from evalcore.values.errors import Report
from evalcore.values.writing import file_size

MAX_ENTRIES = 200_000
MAX_LISTED = 2_000_000
"""Files that a zip of pictures may list, which is read where it is: some 350 bytes each in memory."""
MAX_TOTAL = 8 << 30
"""Largest size of all files together once unpacked, in bytes; a server may allow less."""
MAX_NAME = 240
_FORBIDDEN = frozenset('<>:"|?*')
_BLOCK = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_BEFORE_END = 76
"""Bytes between the list of contents and the end record of a zip with sizes of 64 bits."""
_BY_THE_SYSTEM = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_WAY_OUT = "Nothing was unpacked. Zip the folder again, with plain files only."


def open_zip(stream: BinaryIO, *, most: int = MAX_ENTRIES) -> zipfile.ZipFile:
    """A zip for reading; BadZipFile for one of more than ``most`` files, before its list takes memory."""
    if (n := _count_listed(stream)) > most:
        raise zipfile.BadZipFile(f"it lists {n:,} files; at most {most:,} are read")
    return zipfile.ZipFile(stream)


def _count_listed(stream: BinaryIO) -> int:
    """How many files a zip lists, by the marks of the entries in its list, whatever number it gives itself;
    0 where it has no list."""
    end = zipfile._EndRecData(stream)  # type: ignore[attr-defined]
    if end is None:
        return 0
    at = end[9]
    size = min(end[5] + _BEFORE_END, at)
    stream.seek(at - size)
    return stream.read(size).count(b"PK\x01\x02")


def unpack(data: bytes, into: Path, *, file: str = "zip") -> Report:
    """Unpack a zip into a new folder, all of it or nothing.

    Parameters
    ----------
    data : the zip.
    into : the folder to make; it must not exist yet, and exists afterwards only without errors.
    file : how messages call the zip.

    Returns
    -------
    report : errors for names that leave the folder or no system could hold, links and devices,
        encrypted files, names given twice, more than ``MAX_ENTRIES``, ``MAX_TOTAL`` (or what a server
        allows) or ``MAX_RATIO``, damage. Zips inside are written as the files they are, never opened. What
        systems add on their own (``__MACOSX``, ``Thumbs.db``) is skipped.

    Raises
    ------
    OSError
        The disk is full; what was written so far stays.
    """
    new = not into.exists()
    report = _report_on(data, file, into)
    if report.total("error") and new:
        shutil.rmtree(into, ignore_errors=True)
    return report


def check(data: bytes, *, file: str = "zip") -> Report:
    """What `unpack` would report of a zip, as far as its list of contents tells."""
    return _report_on(data, file, None)


def _report_on(data: bytes, file: str, into: Path | None) -> Report:
    """The problems of a zip, which is written into a folder where it has none."""
    problems = Problems(file)

    def work() -> None:
        stream = io.BytesIO(data)
        if (n := _count_listed(stream)) > MAX_ENTRIES:
            message = f"The zip lists {n:,} files; at most {MAX_ENTRIES:,}."
            problems.error("too-many-files", message, _WAY_OUT)
            return
        archive = zipfile.ZipFile(stream)
        members = _checked(archive, len(data), problems)
        if into is not None and not problems.n_errors:
            _extract(archive, members, into)

    _, reason = try_call(work)
    if isinstance(reason, OSError) and is_full(reason):
        raise reason
    if reason is not None:  # whatever a damaged zip raises
        message = f"The zip cannot be unpacked: {str(reason) or why(reason)}."
        problems.error("unreadable-container", message, "Zip the folder again.")
    return problems.report()


def _checked(
    archive: zipfile.ZipFile, packed: int, problems: Problems
) -> list[tuple[zipfile.ZipInfo, PurePosixPath]]:
    """The files to write and where, as far as the list of contents tells; every problem is reported."""
    infos = archive.infolist()
    total, most = sum(info.file_size for info in infos), most_unpacked(MAX_TOTAL)
    if total > most:
        message = f"It would unpack to {file_size(total)}; at most {file_size(most)} are unpacked here."
        problems.error("zip-bomb", message, "Nothing was unpacked. Add it in several parts.", value=total)
    elif total > RATIO_FROM and total > MAX_RATIO * packed:
        message = f"It would unpack from {packed:,} to {total:,} bytes."
        problems.error("zip-bomb", message, _WAY_OUT, value=total)
    if problems.n_errors:
        return []
    members: dict[str, tuple[zipfile.ZipInfo, PurePosixPath]] = {}
    folders: set[PurePosixPath] = set()
    for info in infos:
        path = PurePosixPath(info.filename.replace("\\", "/"))
        name, fault = path.as_posix().casefold(), _fault(info, path)
        if any(part in _BY_THE_SYSTEM for part in path.parts) or (info.is_dir() and not fault):
            continue
        if not fault and name in members:
            fault = "duplicate-file", "is in the zip twice"
        if fault:
            problems.error(fault[0], f"{info.filename!r} {fault[1]}.", _WAY_OUT, value=info.filename)
        members[name] = info, path
        for parent in path.parents:
            if parent in folders or len(folders) > MAX_ENTRIES:
                break
            folders.add(parent)
    if len(folders) > MAX_ENTRIES:
        problems.error("too-many-files", f"The zip has more than {MAX_ENTRIES:,} folders.", _WAY_OUT)
    return [*members.values()]


def _fault(info: zipfile.ZipInfo, path: PurePosixPath) -> tuple[str, str] | None:
    """What speaks against writing a member: (rule, words), None when nothing does."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        return "unsafe-path", "leads out of the folder"
    text = path.as_posix()
    is_odd = not text.isprintable() or not _FORBIDDEN.isdisjoint(text)
    if is_odd or any(part[-1] in " ." for part in path.parts) or len(text) > MAX_NAME:
        return "unsafe-path", "is a name that some operating systems do not allow"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "not-a-file", "is a link or a device, not a file"
    if info.flag_bits & 1:
        return "encrypted", "is encrypted"
    if info.compress_type not in _METHODS:
        return "unreadable-container", "is compressed by a method that is not read"
    if info.file_size > RATIO_FROM and info.file_size > MAX_RATIO * max(info.compress_size, 1):
        return "zip-bomb", f"unpacks to more than {MAX_RATIO} times its size"
    return None


def _extract(
    archive: zipfile.ZipFile, members: Sequence[tuple[zipfile.ZipInfo, PurePosixPath]], into: Path
) -> None:
    """Write the members, for the user only; one that holds more than the list of contents said fails its
    checksum."""
    make_folder(into.parent)
    into.mkdir(PRIVATE_FOLDER)
    for info, path in members:
        target = into / path
        make_folder(target.parent)
        target.touch(PRIVATE_FILE, exist_ok=False)
        with archive.open(info) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, _BLOCK)


def inner(folder: Path) -> Path:
    """The folder itself, or the single folder in it, however deep."""
    inside = list(folder.iterdir())
    return (
        inner(inside[0]) if len(inside) == 1 and inside[0].is_dir() and inside[0].name != "images" else folder
    )
