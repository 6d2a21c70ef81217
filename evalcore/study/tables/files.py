"""Files of the user, from a path to text: size caps, unpacking, encodings, line ends; parsed once.

What a file takes in memory is estimated from what its reader keeps, so the cap holds for a small file of
very many tiny rows as well as for a large one.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, TypeVar

from evalcore.study.tables.problems import Problems, Refused, guarded, is_whole, meanwhile, whole
from evalcore.values.account import most_unpacked
from evalcore.values.errors import InputError, Report
from evalcore.values.writing import file_size

# How much of one file is read.

VARIABLE = "CUISCOPE_MAX_BYTES"
DEFAULT = 10**9
"""The cap where nobody sets another: 1 GB."""
MAX_RATIO = 200
"""Largest unpacked to packed size beyond ``RATIO_FROM`` bytes; text reaches 50."""
RATIO_FROM = 16 << 20
MAX_LINE = 1 << 20
"""Longest line of a table, in characters."""
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgt]?)b?\Z", re.IGNORECASE)
_WAY_OUT = f"Split the file, or raise the cap: --max-bytes 4GB, or {VARIABLE}=4GB before the pages start."

_raised: ContextVar[int | None] = ContextVar("max_bytes", default=None)


def max_bytes(packed: int | None = None) -> int:
    """The most that is read of one file, in bytes: of ``at_most``, else of ``CUISCOPE_MAX_BYTES``, else 1 GB.

    A variable that is no size counts as not set; the command line refuses it. A server reads no more than it
    unpacks. ``packed``: the most that so many packed bytes may unpack to.
    """
    most = most_unpacked(_raised.get() or size_of(os.environ.get(VARIABLE, "")) or DEFAULT)
    return most if packed is None else min(most, max(RATIO_FROM, MAX_RATIO * packed))


def at_most(size: int | None) -> AbstractContextManager[None]:
    """Another cap for what is read in the block; None changes nothing."""
    return meanwhile(_raised, _raised.get() if size is None else size)


def size_of(text: str) -> int | None:
    """A size in bytes, None for a text that is none. Units are powers of 1,000.

    >>> size_of("4GB"), size_of("1.5 m"), size_of("1000"), size_of("1_000"), size_of("0")
    (4000000000, 1500000, 1000, None, None)
    """
    match = _SIZE.match(text.strip())
    return (int(float(match[1]) * _UNITS[match[2].lower()]) or None) if match else None


def check_size(
    problems: Problems, size: int, holds: str = "It contains", *, packed: int | None = None
) -> None:
    """Refuse a file of more bytes than may be read, or unpacked from so many packed ones."""
    most = max_bytes(packed)
    if size <= most:
        return
    if packed is not None and most < max_bytes():
        message = f"It unpacks to more than {MAX_RATIO} times its {file_size(packed)}."
        problems.refuse("too-large", message, "If that is meant, give the file unpacked.", value=packed)
    holds = holds if packed is None else "Unpacked, it contains"
    message = f"{holds} more than {file_size(most)}, the most that is read of one file."
    problems.refuse("too-large", message, _WAY_OUT, value=most)


def check_memory(problems: Problems, rows: int, each: int) -> None:
    """The same of that many rows, that many bytes each in memory."""
    check_size(problems, rows * each, "What it contains takes")


def packed(*endings: str) -> tuple[str, ...]:
    """These endings of files, and each with ``.gz`` behind it."""
    return tuple(f"{ending}{gzipped}" for ending in endings for gzipped in ("", ".gz"))


# Opening a file of the user: regular files only, as reading a pipe or a device may never end.

# Without waiting for whoever might write into a pipe; bytes as they are on every system.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_file(path: Path) -> BinaryIO:
    """A regular file, opened for reading.

    Raises
    ------
    OSError
        It cannot be opened, or is a folder, a pipe, a socket or a device.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        handle = os.open(path, _FLAGS)
        mode = os.fstat(handle).st_mode  # it may have been exchanged since
        if stat.S_ISREG(mode):
            return os.fdopen(handle, "rb")
        os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "it is a pipe or a device, not a regular file")


Value = TypeVar("Value")
_PIECE = 1 << 16
_in_memory: ContextVar[Mapping[Path, Any]] = ContextVar("files in memory", default=MappingProxyType({}))


def virtual_files(content: Mapping[Path, Any]) -> AbstractContextManager[None]:
    """In the block this is under these paths, where no files are: contents of files, or tables in memory.

    `read_plain` gives them as they are.
    """
    return meanwhile(_in_memory, content)


def read_bytes(path: Path, problems: Problems) -> bytes:
    """Content of a regular file; refused when it is too large or unreadable."""
    try:
        with open_file(path) as stream:
            check_size(problems, os.fstat(stream.fileno()).st_size)
            return stream.read()
    except OSError as reason:
        report_unopened(problems, reason)
        raise Refused from reason


def read_plain(path: Path, problems: Problems) -> Any:
    """The same, gunzipped when it is a gzip stream; what is in memory under this path as it is."""
    source = _in_memory.get().get(path)
    return unpack(read_bytes(path, problems), problems) if source is None else source


def content_of(path: Path, name: str) -> bytes:
    """Content of a file that messages call ``name``; InputError, with the error, when it cannot be read."""
    problems = Problems(name)
    try:
        return read_bytes(path, problems)
    except Refused as reason:
        raise InputError(f"{name} cannot be read.", problems.report()) from reason


def reader(
    nothing: Callable[[str], Any],
) -> Callable[[Callable[..., Value]], Callable[..., tuple[Value, Report]]]:
    """Decorate a function ``(source, problems, ...)`` that reads one file, so that it never raises.

    It is called without problems, as ``(source, ..., file="captions.csv")``, and gives its value with the
    report of what it found; of a path as the source it is given the content. ``file`` is by default the name
    of the path; ``nothing(file)`` is the value when it cannot be read.
    """

    def decorate(read: Callable[..., Value]) -> Callable[..., tuple[Value, Report]]:
        @wraps(read)
        def careful(source: Any, *, file: str = "", **options: Any) -> tuple[Value, Report]:
            def call(problems: Problems) -> Value:
                data = read_bytes(source, problems) if isinstance(source, Path) else source
                return read(data, problems, **options)

            problems = Problems(file or (source.name if isinstance(source, Path) else ""))
            return guarded(problems, call, nothing(problems.file)), problems.report()

        return careful

    return decorate


def report_unopened(problems: Problems, reason: OSError) -> None:
    """A file the system does not let us read."""
    message = f"The file cannot be read: {reason.strerror or reason}."
    problems.error("unreadable-file", message, "Check that it exists and that you may read it.")


def unpack(data: Value, problems: Problems) -> Value | bytes:
    """The same bytes, gunzipped when they are a gzip stream; anything else as it is.

    Refused when it is broken, or unpacks to more than it may.
    """
    if not isinstance(data, bytes) or not data.startswith(b"\x1f\x8b"):
        return data
    most, plain = max_bytes(len(data)), io.BytesIO()
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            while plain.tell() <= most and (piece := stream.read(_PIECE)):
                plain.write(piece)
    except (OSError, EOFError, zlib.error) as reason:
        message = f"The gzip file is damaged: {reason}."
        problems.refuse("unreadable-container", message, "Compress the file again.")
    check_size(problems, plain.tell(), packed=len(data))
    return plain.getvalue()


def decode(data: bytes, problems: Problems) -> str:
    """Text of a file with every line end as ``\\n``; refused when there is no text at all.

    UTF-8 with or without byte order mark. Bytes that are not UTF-8 come back as lone surrogates, so that
    `is_decodable` finds the rows that hold them.
    """
    plain = unpack(data, problems)
    if b"\0" in plain:
        message = "The file is not text in UTF-8: it contains zero bytes."
        remedy = "Give a text file, saved as UTF-8."
        problems.refuse("not-text", message, remedy, line=plain.count(b"\n", 0, plain.index(b"\0")) + 1)
    text = plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    if not text or text.isspace():
        problems.refuse("empty-file", "The file is empty.", "Check that it was saved or copied completely.")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text without their ends, cut piece by piece, so that they are never all in memory.

    >>> list(lines_of("a\\n\\nb\\n")), list(lines_of("a\\nb"))
    (['a', '', 'b'], ['a', 'b'])
    """
    at = 0
    while (end := text.find("\n", at + _PIECE)) >= 0:
        yield from text[at:end].split("\n")
        at = end + 1
    *lines, last = text[at:].split("\n")
    yield from lines
    if last:
        yield last


def is_decodable(text: str, line: int, problems: Problems) -> bool:
    """Whether a row is text; where it has a byte that is not UTF-8, or half of a character, an error."""
    if is_whole(text):
        return True
    code = next(ord(c) for c in text if "\ud800" <= c <= "\udfff")
    what = f"0x{code - 0xDC00:02X}" if 0xDC80 <= code <= 0xDCFF else f"half of a character (\\u{code:x})"
    message = f"The row contains {what}, which is not UTF-8; it is left out."
    remedy = "Save the file as UTF-8 (in Excel: CSV UTF-8)."
    problems.error("undecodable", message, remedy, line=line, value=whole(text))
    return False


def decode_whole(data: bytes, problems: Problems) -> str:
    """`decode` for a file that is no table: refused also where a single byte is not UTF-8."""
    text = decode(data, problems)
    if not is_whole(text):
        problems.refuse("undecodable", "The file contains bytes that are not UTF-8.", "Save it as UTF-8.")
    return text


# Numbers as files write them: nothing is taken for one that other programs would read as another.


def parse_float(word: str) -> float | None:
    """The number a cell holds, as C's ``strtod`` reads decimal numbers to the end of the cell; None for none.

    >>> [parse_float(text) for text in ("-1.5e3", "inf", "1_000", "١", "1 ")]
    [-1500.0, inf, None, None, None]
    """
    # what Python's float() takes beyond that: underscores, digits of other scripts, white space around
    if "_" in word or not word.isascii() or word[:1] <= " " or word[-1] <= " ":
        return None
    try:
        return float(word)
    except ValueError:
        return None
