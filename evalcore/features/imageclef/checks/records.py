"""A submitted file to rows with line numbers, read as the official scripts would read it."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from evalcore.features.imageclef.editions import Dialect
from evalcore.features.imageclef.read import text_in
from evalcore.study.tables.files import has_invalid_utf8
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import IMAGE
from evalcore.study.tables.tables import quoted

SEPARATORS: Mapping[str, str] = {"\t": "a TAB", ",": "a comma", "|": "a vertical bar (|)", ";": "a semicolon"}
"""What stands between the id and the rest, in words."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row as it is written, spaces kept: its first and last line (1-based) and its cells."""

    line: int
    cells: tuple[str, ...]
    last: int


_LONE = re.compile("[\ud800-\udfff]")
_MARK = b"\xef\xbb\xbf"
MAX_LINES = 1_000_000
"""Most lines that are read: twelve times the images of the largest real data set."""
MAX_CELL = 131_072
"""Longest cell that Python's csv module reads, and so every script, in characters."""


class Checked:
    """Problems of one submission, each an error exactly when the official script stops at its rule."""

    def __init__(self, file: str, rejects: Collection[str]) -> None:
        self.problems = Problems(file)
        self._rejects = rejects

    def note(
        self,
        rule: str,
        message: str,
        remedy: str,
        *,
        line: int | None = None,
        value: object = "",
        harmless: bool = False,
    ) -> None:
        """Add a problem under its rule; ``harmless`` where the script goes on although the rule stops it."""
        add = self.problems.error if rule in self._rejects and not harmless else self.problems.warning
        add(rule, message, remedy, line=line, value=value)

    @property
    def rejected(self) -> bool:
        """Whether the official script would refuse the file."""
        return self.problems.n_errors > 0


def text_of(data: bytes, checked: Checked) -> str:
    """The text of a file without byte order mark, "" when it holds none; wrong encodings are reported.

    Bytes that are not UTF-8 become U+FFFD.
    """
    if data.startswith(b"\x1f\x8b"):
        checked.note("encoding", "The file is packed with gzip.", "Submit the plain file, or a zip.", line=1)
    trouble = Problems(checked.problems.file)
    text = text_in(data, trouble)
    if text is None:
        for problem in trouble.report().problems:
            rule = "empty-file" if problem.rule == "empty-file" else "encoding"
            checked.note(rule, problem.message, problem.remedy, line=problem.line or 1)
        return ""
    if (n := text.count("\n")) > MAX_LINES:
        message = f"The file has {n:,} lines; no more than {MAX_LINES:,} are read."
        checked.note("too-many-lines", message, "Check that it is the right file.")
        return ""
    if has_invalid_utf8(text):
        for line, content in enumerate(text.split("\n"), start=1):
            if has_invalid_utf8(content):
                value = content.encode("utf-8", "replace").decode()
                checked.note(
                    "encoding",
                    "The line contains bytes that are not UTF-8.",
                    "Save the file as UTF-8.",
                    line=line,
                    value=value,
                )
        text = _LONE.sub("\ufffd", text)
    return text


def byte_order_mark(data: bytes, checked: Checked, *, unread: bool = False) -> None:
    """Report a byte order mark at the beginning of a file.

    ``unread`` the script reads nothing in the first row, so that the mark of UTF-8 does no harm there.
    """
    if not data.startswith((_MARK, b"\xff\xfe", b"\xfe\xff")):
        return
    harmless = unread and data.startswith(_MARK)
    message, remedy = "The file begins with a byte order mark", "Save it as UTF-8 without byte order mark."
    effect = (
        "; the script skips it with the header." if harmless else ", which becomes part of the first cell."
    )
    checked.note("byte-order-mark", message + effect, remedy, line=1, harmless=harmless)


def records(text: str, dialect: Dialect, checked: Checked) -> list[Record]:
    """Every row; blank lines and cells that no script can read are reported and left out.

    The last line may end the file.
    """
    lines = text.removesuffix("\n").split("\n") if text else []
    if not dialect.quoted or '"' not in text:
        raw: Iterator[tuple[int, int, list[str] | None]] = (
            (at, at, line.split(dialect.cell) if line else []) for at, line in enumerate(lines, start=1)
        )
    else:
        raw = _quoted(lines, dialect.cell)
    rows = []
    for line, last, cells in raw:
        if cells is None or any(len(cell) > MAX_CELL for cell in cells):
            message = f"A cell has more than {MAX_CELL:,} characters, which no script can read."
            checked.note("long-cell", message, "Check where it should end.", line=line)
            continue
        if not any(cell.strip() for cell in cells):
            checked.note("blank-line", "The line is blank.", "Remove it.", line=line)
            continue
        if last > line:
            checked.note(
                "broken-quotes",
                f"A quote that opens here closes {last - line:,} lines further down.",
                'Remove the quote, or write it twice ("") inside a quoted cell.',
                line=line,
                value=cells[0],
            )
        rows.append(Record(line, tuple(cells), last))
    return rows


def choose_separator(text: str, dialect: Dialect, known: Set[str], checked: Checked) -> Dialect:
    """The separator the file really uses; another one than the edition's is reported once."""
    lines = [line for line in text.split("\n") if line.strip()]
    hits = {cell: _fits(lines, cell, known) for cell in dict.fromkeys((dialect.cell, *SEPARATORS))}
    best = max(hits, key=lambda cell: hits[cell])
    if hits[best] <= hits[dialect.cell]:
        return dialect
    wanted = SEPARATORS[dialect.cell]
    message = f"The file has {SEPARATORS[best]} between id and content; this edition needs {wanted}."
    checked.note("wrong-separator", message, f"Write {wanted} after every id.", line=1, value=lines[0])
    return Dialect(best, best == ",", dialect.header)


def _fits(lines: Sequence[str], cell: str, known: Set[str]) -> tuple[int, int]:
    """How many ids are known when lines are cut at this separator, and how many lines hold it at all."""
    return sum(line.split(cell, 1)[0].strip() in known for line in lines), sum(cell in line for line in lines)


def is_header(record: Record) -> bool:
    """Whether a row names columns instead of holding data."""
    return record.cells[0].strip().lower() in IMAGE.names


def intended_id(image: str, known: Set[str]) -> str | None:
    """The known id that a miswritten one stands for (spaces, quotes, file ending), None without one."""
    bare = image.strip().strip("\"'").strip()
    for offered in (
        bare,
        bare.rsplit(".", 1)[0],
        bare.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0],
    ):
        if offered in known:
            return offered
    return None


def _quoted(lines: Sequence[str], cell: str) -> Iterator[tuple[int, int, list[str] | None]]:
    """First line, last line and cells of every row; no cells where one is longer than the reader's limit."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=cell)
    while True:
        line = reader.line_num + 1
        cells: list[str] | None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        yield line, reader.line_num, cells


# What the submission check of 2026 asks beyond the script: header, line ends, quotes, concepts as written.
#
# The check compares the header with one spelling, takes every character that ends a line for Python's
# ``splitlines`` as a line end, and holds captions against lines one by one.

CONCEPTS, CAPTION = ("ID", "CUIs"), ("ID", "Caption")
"""The only headers the check takes."""
WRITTEN = re.compile(r"C\d+")
"""How the check wants a concept; fewer or more digits than seven pass, and never match."""
_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")


def header(rows: Sequence[Record], wanted: tuple[str, str], known: Set[str], checked: Checked) -> bool:
    """Whether the first row is a header, wrong or right; anything but the one spelling is reported."""
    if not rows or rows[0].cells == wanted:
        return bool(rows)
    row, spelled = rows[0], ",".join(wanted)
    image, remedy = row.cells[0], f"Write {spelled} in the first row."
    if is_header(row) or ("ID" in image and image not in known):
        message = f"The header is {quoted(','.join(row.cells))}; this edition takes only {spelled}."
        checked.note("header", message, remedy, line=row.line, value=image)
        return True
    message = f"The first row is no header but the image {quoted(image)}."
    checked.note("missing-header", message, remedy, line=row.line, value=image)
    return False


def blank_lines(text: str, rows: Sequence[Record], checked: Checked) -> None:
    """Blank lines inside quoted cells, and those that VT, FF and their like make at the end of a line."""
    if not _ENDS.search(text) and not any(row.last > row.line for row in rows):
        return
    lines = text.split("\n")
    for row in rows:
        for at in range(row.line, row.last + 1):
            pieces = _ENDS.split(lines[at - 1])
            if at == len(lines) and not pieces[-1]:
                pieces.pop()
            if all(piece.strip() for piece in pieces):
                continue
            hit = _ENDS.search(lines[at - 1])
            message = (
                f"The line contains {hit.group()!a}, which ends a line too, and a blank line follows."
                if hit
                else "There is a blank line inside a quoted cell."
            )
            checked.note("blank-line", message, "Remove it.", line=at)


def split_lines(text: str, rows: Sequence[Record], checked: Checked) -> None:
    """Lines with a comma in the caption that do not begin and end it with a double quote.

    The check pairs rows with lines in their order, so that a caption with a line break shifts those below.
    """
    for line, row in zip(text.splitlines()[1:], rows[1:], strict=False):
        _, comma, caption = line.partition(",")
        in_quotes = caption.startswith('"') and caption.endswith('"')
        if comma and "," in caption and len(row.cells) == 2 and not in_quotes:
            message = f"The caption in the line {quoted(line)} has a comma and no double quotes around it."
            remedy = "Put every caption on one line, in double quotes."
            checked.note("split-line", message, remedy, line=row.line, value=line)
