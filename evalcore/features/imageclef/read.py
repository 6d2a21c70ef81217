"""Submitted files: plain, or the zip with one file in it that the platforms ask for.

And the tables and word lists that come with the program.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from pathlib import Path

from evalcore.study.tables.archives import unpack
from evalcore.study.tables.files import at_most, decode, max_bytes, read_bytes
from evalcore.study.tables.problems import Problems, report_unreadable, try_call
from evalcore.values.errors import InputError, Report

STOP_WORDS = {"2017": "nltk_2016_to_2017_153_words", "later": "nltk_later_with_apostrophes"}
"""English stop words of NLTK: the 153 words of 2016 to 2017, and the later list with apostrophes.

NLTK's stopwords corpus, which took the words from the Snowball project (BSD licence, Porter and Boulton);
kept as ``stopwords.json``, so that nothing is downloaded.
"""


def bundled(name: str) -> bytes:
    """Content of a file such as ``published_2017.csv``."""
    return files("evalcore.features.imageclef").joinpath(name).read_bytes()


@cache
def stop_words(name: str) -> frozenset[str]:
    """One of the lists in ``STOP_WORDS``."""
    return frozenset(json.loads(bundled("stopwords.json"))[STOP_WORDS[name]])


MAX_SUBMISSION = 256 << 20
"""Largest submission once unpacked, in bytes: forty times the largest real one."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def within_cap() -> AbstractContextManager[None]:
    """While it lasts, no more than ``MAX_SUBMISSION`` bytes are read of a file, unpacked."""
    return at_most(min(max_bytes(), MAX_SUBMISSION))


def decode_submission(data: bytes, problems: Problems) -> str | None:
    """`lines.decode` of a file that may be packed with gzip, no larger than ``MAX_SUBMISSION``."""
    with within_cap():
        return decode(data, problems)


def content_at(path: Path) -> bytes:
    """Content of a file as it is; InputError when it cannot be read."""
    problems = Problems(path.name)
    data = read_bytes(path, problems)
    if data is None:
        raise InputError(f"{path} cannot be used.", problems.report())
    return data


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
    problems = Problems(name)
    if (_listed_size(data) or 0) > MAX_SUBMISSION:
        message = f"Unpacked it has more than {MAX_SUBMISSION >> 20} MB."
        problems.error("too-large", message, "Check the file.")
        return name, b"", problems.report()
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "zip"
        report, reason = try_call(lambda: unpack(data, into, file=name))
        if reason is not None:
            report_unreadable(problems, reason)
        if report is None or report.total("error"):
            return name, b"", report or problems.report()
        files = sorted(path for path in into.rglob("*") if path.is_file()) if into.exists() else []
        if len(files) != 1:
            message = f"The zip contains {len(files)} files; the platform takes exactly one."
            problems.error("zip", message, "Put only submission.csv into it.", value=len(files))
            return name, b"", problems.report()
        inside = files[0].relative_to(into).as_posix()
        if inside != "submission.csv":
            message = f"The file in the zip is called {inside!r}; the platform expects submission.csv."
            problems.warning("zip-name", message, "Rename it and zip it again.", value=inside)
        return name, files[0].read_bytes(), problems.report()


def _listed_size(data: bytes) -> int | None:
    """What the files of a zip say they are together; no more than that is ever read of them."""

    def total() -> int:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sum(info.file_size for info in archive.infolist())

    return try_call(total)[0]
