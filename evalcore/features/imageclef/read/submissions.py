"""Submitted files: a plain file, or the zip with one file in it that the platforms ask for."""

from __future__ import annotations

import io
import tempfile
import zipfile
from contextlib import AbstractContextManager
from pathlib import Path

from evalcore.study.tables.archives import unpack
from evalcore.study.tables.guard import attempt, report_unreadable
from evalcore.study.tables.limits import at_most, max_bytes
from evalcore.study.tables.lines import decode, read_bytes
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import Row, guess_delimiter, read_rows
from evalcore.values.problems import Report

MAX_SUBMISSION = 256 << 20
"""Largest submission once unpacked, in bytes: forty times the largest real one."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def within_cap() -> AbstractContextManager[None]:
    """While it lasts, no more than ``MAX_SUBMISSION`` bytes are read of a file, unpacked."""
    return at_most(min(max_bytes(), MAX_SUBMISSION))


def text_in(data: bytes, found: Problems) -> str | None:
    """`lines.decode` of a file that may be packed with gzip, no larger than ``MAX_SUBMISSION``."""
    with within_cap():
        return decode(data, found)


def rows_in(data: bytes, found: Problems) -> list[Row]:
    """Rows of a table whose cells end at TABs, commas or semicolons; [] with an error without text."""
    text = text_in(data, found)
    return read_rows(text, found, delimiter=guess_delimiter(text)) if text else []


def content_of(path: Path) -> tuple[bytes, Report]:
    """Content of any other file of a challenge as it is; b"" with an error when it cannot be read."""
    found = Problems(path.name)
    return read_bytes(path, found) or b"", found.report()


def read_submission(path: Path) -> tuple[str, bytes, Report]:
    """Name and content of a submission on disk; see `open_submission`."""
    found = Problems(path.name)
    data = read_bytes(path, found)
    return (path.name, b"", found.report()) if data is None else open_submission(data, name=path.name)


def open_submission(data: bytes, *, name: str) -> tuple[str, bytes, Report]:
    """The submitted table.

    Parameters
    ----------
    data : the file, or a zip that holds a single one.
    name : how the file is called.

    Returns
    -------
    name, content, report : those of the file inside a zip; content b"" with an error when the zip
        breaks a limit (see ``archives``), holds none or several files, or too large a one. Another name
        than submission.csv inside a zip is a warning.
    """
    if not data.startswith(_ZIP):
        return name, data, Report()
    found = Problems(name)
    if (_listed_size(data) or 0) > MAX_SUBMISSION:
        message = f"Unpacked it has more than {MAX_SUBMISSION >> 20} MB."
        found.error("too-large", message, "Check the file.")
        return name, b"", found.report()
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "zip"
        report, reason = attempt(lambda: unpack(data, into, file=name))
        if reason is not None:
            report_unreadable(found, reason)
        if report is None or report.total("error"):
            return name, b"", report or found.report()
        files = sorted(path for path in into.rglob("*") if path.is_file()) if into.exists() else []
        if len(files) != 1:
            message = f"The zip holds {len(files)} files; the platform takes exactly one."
            found.error("zip", message, "Put only submission.csv into it.", value=len(files))
            return name, b"", found.report()
        inside = files[0].relative_to(into).as_posix()
        if inside != "submission.csv":
            message = f"The file in the zip is called {inside!r}; the platform expects submission.csv."
            found.warning("zip-name", message, "Rename it and zip it again.", value=inside)
        return name, files[0].read_bytes(), found.report()


def _listed_size(data: bytes) -> int | None:
    """What the files of a zip say they are together; no more than that is ever read of them."""

    def total() -> int:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sum(info.file_size for info in archive.infolist())

    return attempt(total)[0]
