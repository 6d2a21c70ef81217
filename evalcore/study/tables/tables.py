"""Text to rows of cells, each with its line number: what every table reader starts from."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evalcore.study.tables.files import (
    MAX_LINE,
    MemoryBudget,
    decode,
    has_invalid_utf8,
    lines_of,
    report_undecodable,
)
from evalcore.study.tables.problems import Problems, truncate

_SAMPLE = 50
_LINE = re.compile(r"[^\n]+")
_ROW_BYTES, _CELL_BYTES = 120, 64
"""What a row and each of its cells take in memory, beside their text."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one record, spaces around them removed, and the line it starts on (1-based)."""

    line: int
    cells: list[str]


def guess_delimiter(text: str, offered: str = "\t,;") -> str:
    """The first offered delimiter that every line at the top of the text holds, else the one most hold.

    Commas where no line holds any, as in a list of ids: cells may be in quotes then.
    """
    top = [line for line in text[:100_000].split("\n")[:_SAMPLE] if line.strip()]
    if len(top) > 1 and len(text) > 100_000:
        top.pop()  # perhaps cut in the middle
    counts = {d: sum(d in line for line in top) for d in offered}
    best = max(offered, key=lambda d: counts[d])
    return best if counts[best] or "," not in offered else ","


def rows_of(data: bytes, problems: Problems) -> list[Row]:
    """Rows of a TAB, comma or semicolon file, gzipped or not; none, with an error, when there is no text."""
    text = decode(data, problems)
    return [] if text is None else read_rows(text, problems, delimiter=guess_delimiter(text))


def read_rows(text: str, problems: Problems, *, delimiter: str) -> list[Row]:
    """Records of delimited text; ``"`` quotes cells, line breaks inside included, unless TABs delimit.

    Blank lines are skipped and counted as a warning unless they end the file. Undecodable records,
    records with broken quotes and lines beyond ``MAX_LINE`` are errors and left out. No rows, with an
    error, when they would take more memory than ``limits.max_bytes``.
    """
    check = has_invalid_utf8(text)
    rows: list[Row] = []
    blank, room = BlankLineCounter(), MemoryBudget(problems)
    for line, record in _records(text, problems, delimiter, blank):
        cells = [cell.strip() for cell in record]
        if not any(cells):
            blank.lines(line)
        elif check and has_invalid_utf8("".join(cells)):
            report_undecodable(problems, line, delimiter.join(cells))
        elif room.consume(_ROW_BYTES + _CELL_BYTES * len(cells)):
            rows.append(Row(line, cells))
            blank.row()
        else:
            return []
    blank.report(problems)
    return rows


@dataclass(slots=True)
class BlankLineCounter:
    """Counts the blank lines of a file while it is read; those below its last row do not matter."""

    first: int = 0
    inside: int = 0
    since: int = 0

    def lines(self, first: int, n: int = 1) -> None:
        """Some blank lines, one after the other."""
        self.first = self.first or first
        self.since += n

    def row(self) -> None:
        """A row: the blank lines so far stand above one."""
        self.inside += self.since
        self.since = 0

    def report(self, problems: Problems) -> None:
        """Blank lines above the last row, counted."""
        if n := self.inside:
            message = f"{n:,} blank {'lines were' if n > 1 else 'line was'} skipped."
            remedy = "Remove them if no rows were meant to be there."
            problems.warning("blank-line", message, remedy, line=self.first, count=n)


def report_long(problems: Problems, line: int, start: str) -> None:
    """A line that no table holds: most likely the file is something else."""
    message = f"The line is longer than {MAX_LINE:,} characters; it is left out."
    problems.error("long-line", message, "Check that the file is a table.", line=line, value=start)


def is_decodable(record: str, line: int, problems: Problems) -> bool:
    """Whether a row is UTF-8; else an error."""
    if not has_invalid_utf8(record):
        return True
    report_undecodable(problems, line, record)
    return False


def quoted(text: str) -> str:
    """A value as it stands in a message: in quotes, shortened."""
    return repr(truncate(text))


def named(header: Sequence[str], names: Iterable[str]) -> int | None:
    """Position of the first header cell that is one of ``names`` (lower case), None without one."""
    wanted = frozenset(names)
    return next((i for i, cell in enumerate(header) if cell.strip().lower() in wanted), None)


def full_rows(
    rows: Iterable[Row],
    problems: Problems,
    width: int,
    remedy: str = "Give each row as many.",
    *,
    expected: str = "",
) -> Iterator[Row]:
    """The rows with so many cells; every other is an error and left out.

    ``expected`` says of which rows that is the width, those of the header by default.
    """
    for row in rows:
        if len(row.cells) == width:
            yield row
        else:
            report_columns(problems, row, expected or f"The header has {width} cells", remedy)


def rows_of_images(
    rows: Iterable[Row], problems: Problems, width: int, remedy: str, *, image: int = 0, expected: str = ""
) -> Iterator[Row]:
    """The same of rows about one image each, whose id is the cell ``image``: without one, or with one that an
    earlier row has, they are errors too."""
    first: dict[str, int] = {}
    for row in full_rows(rows, problems, width, remedy, expected=expected):
        name = row.cells[image]
        if not name:
            report_missing_id(problems, row)
        elif name in first:
            report_duplicate_id(problems, row.line, name, first[name])
        else:
            first[name] = row.line
            yield row


def report_columns(problems: Problems, row: Row, expected: str, remedy: str) -> None:
    """A row with the wrong number of cells."""
    n = len(row.cells)
    message = f"{expected}, but this row has {n} cell{'s' if n != 1 else ''}; it is left out."
    problems.error("wrong-columns", message, remedy, line=row.line, value=row.cells[0] if row.cells else "")


def report_missing_id(problems: Problems, row: Row) -> None:
    """A row whose id cell is empty."""
    message = "The row has no image id; it is left out."
    problems.error(
        "missing-id",
        message,
        "Write the id in its column, or delete the row.",
        line=row.line,
        value="".join(row.cells),
    )


def report_duplicate_id(problems: Problems, line: int, image: str, first: int) -> None:
    """A second row about the same image."""
    message = f"The image {quoted(image)} is already on line {first}; this row is left out."
    problems.error("duplicate-id", message, "Keep one row per image.", line=line, value=image)


def filled_lines(text: str, problems: Problems, blank: BlankLineCounter) -> Iterator[tuple[int, str]]:
    """The lines of a text that are not empty, with their numbers; the others are counted.

    A line beyond ``MAX_LINE`` is an error and left out.
    """
    line, end = 0, -1  # as if a line ended before the text
    for match in _LINE.finditer(text):
        breaks = match.start() - end
        if breaks > 1:
            blank.lines(line + 1, breaks - 1)
        line += breaks
        end = match.end()
        if end - match.start() > MAX_LINE:
            report_long(problems, line, text[match.start() : match.start() + 100])
        else:
            yield line, match[0]


def _records(
    text: str, problems: Problems, delimiter: str, blank: BlankLineCounter
) -> Iterator[tuple[int, list[str]]]:
    if delimiter == "\t" or '"' not in text:
        for line, record in filled_lines(text, problems, blank):
            yield line, record.split(delimiter)
        return
    # strict: a stray quote is an error of its row instead of swallowing the rows below it
    reader = csv.reader(_short_lines(text, problems), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            lost = reader.line_num - line
            more = f" with the {lost:,} lines after it" if lost > 0 else ""
            message = f"A quoted cell that starts in this row does not end properly; it is left out{more}."
            remedy = 'Close the quote, or write a quote inside a cell twice ("").'
            problems.error("broken-quotes", message, remedy, line=line)
        else:
            yield line, cells


def _short_lines(text: str, problems: Problems) -> Iterator[str]:
    """The lines of a text with their ends, blank in place of one beyond ``MAX_LINE``, which is an error."""
    for line, record in enumerate(lines_of(text), start=1):
        if len(record) > MAX_LINE:
            report_long(problems, line, record[:100])
        yield f"{record}\n" if len(record) <= MAX_LINE else "\n"
