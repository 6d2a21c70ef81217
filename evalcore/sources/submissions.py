"""Submitted files: a plain file, or the zip with one file in it that the platforms ask for."""

from __future__ import annotations

import tempfile
from pathlib import Path

from evalcore.model import Report
from evalcore.sources.archives import unpack
from evalcore.sources.lines import read_bytes
from evalcore.sources.problems import Problems

MAX_SUBMISSION = 256 << 20
"""Largest submission once unpacked, in bytes: forty times the largest real one."""
_ZIP = b"PK\x03\x04"


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
    if not data.startswith((_ZIP, b"PK\x05\x06")):
        return name, data, Report()
    found = Problems(name)
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "zip"
        report = unpack(data, into, file=name)
        if report.total("error"):
            return name, b"", report
        files = sorted(path for path in into.rglob("*") if path.is_file()) if into.exists() else []
        if len(files) != 1:
            message = f"The zip holds {len(files)} files; the platform takes exactly one."
            found.error("zip", message, "Put only submission.csv into it.", value=len(files))
            return name, b"", found.report()
        if files[0].stat().st_size > MAX_SUBMISSION:
            message = f"Unpacked it has more than {MAX_SUBMISSION >> 20} MB."
            found.error("too-large", message, "Check the file.")
            return name, b"", found.report()
        inside = files[0].relative_to(into).as_posix()
        if inside != "submission.csv":
            message = f"The file in the zip is called {inside!r}; the platform expects submission.csv."
            found.warning("zip-name", message, "Rename it and zip it again.", value=inside)
        return name, files[0].read_bytes(), found.report()
