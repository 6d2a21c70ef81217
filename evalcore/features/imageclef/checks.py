"""A submitted file to rows with line numbers, read as the official scripts read it, and every problem of it.

``RULES`` is the one table of what can be wrong: message and way out of each rule. Whether a rule stops the
official script is a matter of the edition (``Edition.rejects``).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from evalcore.features.imageclef.editions import Dialect, Edition, Task
from evalcore.features.imageclef.read import decode_submission
from evalcore.study.tables.files import has_invalid_utf8
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import IMAGE
from evalcore.study.tables.tables import quoted
from evalcore.values.errors import InputError, Report

SEPARATORS: Mapping[str, str] = {"\t": "a TAB", ",": "a comma", "|": "a vertical bar (|)", ";": "a semicolon"}
"""What is between the id and the rest, in words."""

RULES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        # The file as a whole. What follows a colon tells variants of a rule apart.
        "file-name": ("The name must begin with {prefix}; it is {name}.", "Name it {prefix}_{plain}."),
        "encoding: gzip": ("The file is packed with gzip.", "Submit the plain file, or a zip."),
        "encoding": ("The line contains bytes that are not UTF-8.", "Save the file as UTF-8."),
        "too-many-lines": (
            "The file has {n:,} lines; no more than {most:,} are read.",
            "Check that it is the right file.",
        ),
        "byte-order-mark": (
            "The file begins with a byte order mark, which becomes part of the first cell.",
            "Save it as UTF-8 without byte order mark.",
        ),
        "byte-order-mark: header": (
            "The file begins with a byte order mark; the script skips it with the header.",
            "Save it as UTF-8 without byte order mark.",
        ),
        "wrong-separator": (
            "The file has {used} between id and content; this edition needs {wanted}.",
            "Write {wanted} after every id.",
        ),
        "swapped-columns": (
            "The columns are swapped: the image is in the second one ({n:,} rows).",
            "Write the image first.",
        ),
        "no-rows: concepts": ("The ground truth has no rows with an id.", "Check the file."),
        "no-rows: captions": ("There are no rows with an id and a caption.", "Check the file."),
        # Headers.
        "header": (
            "The first row names columns ({cell}); this edition treats it as an image.",
            "Remove the first row.",
        ),
        "header: strict": (
            "The header is {cell}; this edition takes only {wanted}.",
            "Write {wanted} in the first row.",
        ),
        "missing-header": (
            "The first row is taken for the header, so the image {image} is not counted.",
            "Put a header above it.",
        ),
        "missing-header: strict": (
            "The first row is no header but the image {image}.",
            "Write {wanted} in the first row.",
        ),
        "skipped-row": (
            "The script skips this row, because its id {image} contains the letters ID.",
            "Ids must not contain “ID”.",
        ),
        # Rows and ids.
        "long-cell": (
            "A cell has more than {most:,} characters, which no script can read.",
            "Check where it should end.",
        ),
        "blank-line": ("The line is blank.", "Remove it."),
        "blank-line: quoted": ("There is a blank line inside a quoted cell.", "Remove it."),
        "blank-line: ends": (
            "The line contains {sign!a}, which ends a line too, and a blank line follows.",
            "Remove it.",
        ),
        "broken-quotes": (
            "A quote that opens here closes {n:,} lines further down.",
            'Remove the quote, or write it twice ("") inside a quoted cell.',
        ),
        "split-line": (
            "The caption in the line {cell} has a comma and no double quotes around it.",
            "Put every caption on one line, in double quotes.",
        ),
        "unknown-id": ("The image {image} is not in the ground truth.", "Remove the row."),
        "unknown-id: meant": (
            "The image {image} is not in the ground truth.",
            "Write {meant} (id without spaces and file ending).",
        ),
        "repeated-id": ("The image {image} is already on line {first}.", "Keep one row per image."),
        "repeated-id: truth": ("The image {image} is listed twice; the last row counts.", "Keep one row."),
        "missing-id": (
            "The image {image} has no row; it counts as an empty prediction.",
            "Add a row for it.",
        ),
        "missing-id: all": (
            "None of the {n:,} images of the ground truth has a row.",
            "Check that file and ground truth belong together.",
        ),
        "wrong-order": (
            "The rows are in another order than the ground truth: {image} should be here.",
            "Sort the rows like the ground truth.",
        ),
        "row-length": ("The row has {n} cells; id and concepts make two.", "Separate concepts by {wanted}."),
        "row-length: caption": ("The row of {image} has no caption.", "Write {wanted} and a caption."),
        "row-length: truth": (
            "The row has {n} cells; a ground truth has an id and concepts.",
            "Write id, separator, concepts.",
        ),
        "row-length: true caption": (
            "The row of {image} has no caption cell.",
            "Write id, separator, caption.",
        ),
        # Concepts of a row.
        "spaces: cell": (
            "{image} has blanks before or behind its concepts, which the check refuses.",
            "Remove them.",
        ),
        "too-many-concepts": (
            "{image} has {n} concepts; at most {most} are allowed.",
            "Keep the surest ones.",
        ),
        "duplicate-concept": ("{image} has the concept {item} more than once.", "Name each concept once."),
        "case-repetition": (
            "{image} has the same concept in upper and lower case; it counts once.",
            "Name each concept once.",
        ),
        "empty-concept": (
            "{image} has an empty concept (a separator too many); it counts as a wrong one.",
            "Remove the extra separator.",
        ),
        "first-row-bare": (
            "{image} is the first row and has no second cell, which the script of 2018 stops at.",
            "Put a TAB behind the id.",
        ),
        "no-concepts": (
            "{image} has no separator behind its id; it scores 0 even where the truth is empty.",
            "Write the separator and concepts.",
        ),
        "no-concepts: refused": (
            "{image} has no separator behind its id, which the check refuses.",
            "Write the separator and concepts.",
        ),
        "not-a-cui": ("{item} is not a concept id (C and seven digits).", "Check the concept."),
        "special-character: concept": (
            "{item} is not a concept id (C and seven digits).",
            "Check the concept.",
        ),
        "lower-case": ("The concept {item} is in lower case, which the check refuses.", "Write {upper}."),
        "spaces": (
            "The concept {item} has spaces around it, which this edition keeps: it never matches.",
            "Remove the spaces.",
        ),
        "wrong-concept-separator": (
            "{item} is read as one concept and never matches.",
            "Separate concepts by {wanted}.",
        ),
        # Captions.
        "empty-caption": ("{image} has an empty caption.", "Write one."),
        "both-empty": (
            "{image} has no words in truth and run, where the script of this edition fails.",
            "There is no way out but another caption.",
        ),
        "special-character": ("{image} has control characters in its caption.", "Remove them."),
        "special-character: ascii": (
            "{image} has special characters in its caption ({some}), which the task's page excludes.",
            "Write plain letters.",
        ),
        "cut-caption": ("{image}: only the caption's part before {separator} is read.", "{remedy}"),
        "row-length: cut": ("{image}: only the caption's part before {separator} is read.", "{remedy}"),
    }
)

MAX_LINES = 1_000_000
"""Most lines that are read: twelve times the images of the largest real data set."""
MAX_CELL = 131_072
"""Longest cell that Python's csv module reads, and so every script, in characters."""
_LONE = re.compile("[\ud800-\udfff]")
_MARK = b"\xef\xbb\xbf"
_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line for Python's ``splitlines``, which the check of 2026 uses, beside a line feed."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row as it is written, spaces kept: its first and last line (1-based) and its cells."""

    line: int
    cells: tuple[str, ...]
    last: int

    @property
    def is_header(self) -> bool:
        """Whether it names columns instead of containing data."""
        return self.cells[0].strip().lower() in IMAGE.names


class Findings:
    """Problems of one file, each an error exactly when the official script stops at its rule."""

    def __init__(self, file: str, rejects: Collection[str]) -> None:
        self.problems = Problems(file)
        self._rejects = rejects

    def note(
        self,
        name: str,
        /,
        *,
        line: int | None = None,
        value: object = "",
        harmless: bool = False,
        **facts: Any,
    ) -> None:
        """Add a problem of ``RULES``, its message filled with ``facts``.

        ``harmless`` where the script goes on although the rule stops it.
        """
        message, remedy = RULES[name]
        rule = name.partition(":")[0]
        add = self.problems.error if rule in self._rejects and not harmless else self.problems.warning
        add(rule, message.format(**facts), remedy.format(**facts), line=line, value=value)

    @property
    def rejected(self) -> bool:
        """Whether the official script would refuse the file."""
        return self.problems.n_errors > 0

    def report(self) -> Report:
        """All of them."""
        return self.problems.report()


Content = TypeVar("Content", tuple[str, ...], str)
"""What an image has: concepts in concept detection, a text in caption prediction."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth(Generic[Content]):
    """The true concepts or captions by image, in file order; concepts as the edition's script splits them.

    ``images`` every id of the file in its order, those that the script skips included.
    """

    content: Mapping[str, Content]
    file: str
    report: Report
    images: tuple[str, ...]


def truth_of(
    content: Mapping[str, Content], images: Sequence[str], findings: Findings, *, title: str, task: Task
) -> Truth[Content]:
    """A ground truth as it was read; InputError without rows, or when the script would stop at one."""
    if not content:
        findings.note(f"no-rows: {task}")
    report, file = findings.report(), findings.problems.file
    if findings.rejected:
        raise InputError(f"The {title} {file} cannot be used.", report)
    return Truth(MappingProxyType(content), file, report, tuple(images))


@dataclass(frozen=True, slots=True, eq=False)
class Submission(Generic[Content]):
    """A submission as the edition's script reads it.

    ``accepted`` is False when the official script would stop; ``report`` has an error for each reason.
    """

    name: str
    read: Mapping[str, Content]
    accepted: bool
    report: Report

    @classmethod
    def of(cls, name: str, read: Mapping[str, Content], findings: Findings) -> Submission[Content]:
        """What was read of a file, and its problems."""
        return cls(name, MappingProxyType(read), not findings.rejected, findings.report())


@dataclass(slots=True)
class Reading:
    """A submission while it is read.

    ``rows`` as written; ``known`` images of the ground truth; ``lines`` of the first row of each image.
    """

    edition: Edition
    findings: Findings
    text: str
    dialect: Dialect
    rows: Sequence[Record]
    known: frozenset[str]
    lines: dict[str, int] = field(default_factory=dict)

    def image_of(self, row: Record) -> str | None:
        """The image a row is about; None, with a problem, for one that the ground truth does not have."""
        written = row.cells[0]
        if written in self.known:
            return written
        meant = intended_id(written, self.known)
        name = "unknown-id" if meant is None else "unknown-id: meant"
        self.findings.note(name, line=row.line, value=written, image=quoted(written), meant=meant)
        return meant

    def repeats(self, row: Record, image: str) -> bool:
        """Whether there was a row for the image already."""
        first = self.lines.setdefault(image, row.line)
        if first != row.line:
            self.findings.note("repeated-id", line=row.line, value=image, image=quoted(image), first=first)
        return first != row.line

    def end(self, wanted: Sequence[str]) -> None:
        """After the last row: images without one, and the first row out of order where that matters."""
        note, lines = self.findings.note, self.lines
        if not any(image in lines for image in wanted):
            note("missing-id: all", n=len(wanted))
        else:
            for image in wanted:
                if image not in lines:
                    note("missing-id", value=image, image=quoted(image))
        if "wrong-order" in self.edition.rejects:
            ordered = [image for image in wanted if image in lines]
            for image, other in zip(lines, ordered, strict=True):
                if image != other:
                    note("wrong-order", line=lines[image], value=image, image=quoted(other))
                    return


def read_run(
    data: bytes, name: str, known: frozenset[str], edition: Edition, *, unread: Callable[[Record], bool]
) -> Reading:
    """A file to rows, with what concerns the file as a whole; ``unread`` rows the script passes over."""
    findings = Findings(name, edition.rejects)
    if edition.prefix and not name.startswith(edition.prefix):
        findings.note("file-name", value=name, prefix=edition.prefix, name=quoted(name), plain=name)
    text = text_of(data, findings)
    dialect = choose_separator(text, edition.run, known, findings) if text else edition.run
    rows = with_ids_first(records(text, dialect, findings), known, findings)
    _byte_order_mark(data, findings, unread=bool(rows) and not edition.strict and unread(rows[0]))
    return Reading(edition, findings, text, dialect, rows, known)


_TRUTH_STOPS = frozenset(("encoding", "empty-file", "row-length", "long-cell", "too-many-lines", "no-rows"))


def read_truth(data: bytes, file: str, *, any_separator: bool) -> tuple[Findings, list[Record]]:
    """Rows of a ground truth: TAB, vertical bar or comma behind the id, whatever fits."""
    findings = Findings(file, _TRUTH_STOPS)
    text = text_of(data, findings)
    _byte_order_mark(data, findings, unread=False)
    cell = max("\t|,", key=lambda mark: sum(mark in line for line in text.split("\n", 50)[:50]))
    dialect = Dialect(cell, cell == ",", "none")
    if any_separator:
        dialect = choose_separator(text, dialect, frozenset(), findings)
    return findings, records(text, dialect, findings)


def text_of(data: bytes, findings: Findings) -> str:
    """The text of a file without byte order mark, "" when it holds none; wrong encodings are reported.

    Bytes that are not UTF-8 become U+FFFD.
    """
    if data.startswith(b"\x1f\x8b"):
        findings.note("encoding: gzip", line=1)
    trouble = Problems(findings.problems.file)
    text = decode_submission(data, trouble)
    if text is None:
        for problem in trouble.report().problems:
            rule = "empty-file" if problem.rule == "empty-file" else "encoding"
            findings.problems.error(rule, problem.message, problem.remedy, line=problem.line or 1)
        return ""
    if (n := text.count("\n")) > MAX_LINES:
        findings.note("too-many-lines", n=n, most=MAX_LINES)
        return ""
    if has_invalid_utf8(text):
        for line, content in enumerate(text.split("\n"), start=1):
            if has_invalid_utf8(content):
                findings.note("encoding", line=line, value=content.encode("utf-8", "replace").decode())
        text = _LONE.sub("\ufffd", text)
    return text


def _byte_order_mark(data: bytes, findings: Findings, *, unread: bool) -> None:
    """Report a byte order mark; that of UTF-8 does no harm in a row that the script skips (``unread``)."""
    if data.startswith((_MARK, b"\xff\xfe", b"\xfe\xff")):
        harmless = unread and data.startswith(_MARK)
        findings.note("byte-order-mark: header" if harmless else "byte-order-mark", line=1, harmless=harmless)


def records(text: str, dialect: Dialect, findings: Findings) -> list[Record]:
    """Every row; blank lines and cells that no script can read are reported and left out.

    The last line may end the file.
    """
    lines = text.removesuffix("\n").split("\n") if text else []
    rows = []
    for line, last, cells in _cells(lines, dialect, '"' in text):
        if cells is None or any(len(cell) > MAX_CELL for cell in cells):
            findings.note("long-cell", line=line, most=MAX_CELL)
            continue
        if not any(cell.strip() for cell in cells):
            findings.note("blank-line", line=line)
            continue
        if last > line:
            findings.note("broken-quotes", line=line, value=cells[0], n=last - line)
        rows.append(Record(line, tuple(cells), last))
    return rows


def _cells(
    lines: Sequence[str], dialect: Dialect, quotes: bool
) -> Iterator[tuple[int, int, list[str] | None]]:
    """First line, last line and cells of every row; no cells where one is longer than the reader's limit."""
    if not dialect.quoted or not quotes:
        for at, line in enumerate(lines, start=1):
            yield at, at, line.split(dialect.cell) if line else []
        return
    reader = csv.reader((line + "\n" for line in lines), delimiter=dialect.cell)
    while True:
        first, cells = reader.line_num + 1, None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            pass
        yield first, reader.line_num, cells


def choose_separator(text: str, dialect: Dialect, known: Set[str], findings: Findings) -> Dialect:
    """The separator the file really uses; another one than the edition's is reported once."""
    lines = [line for line in text.split("\n") if line.strip()]

    def fit(cell: str) -> tuple[int, int]:
        """How many ids are known when lines are cut at this separator, and how many lines have it at all."""
        ids = sum(line.split(cell, 1)[0].strip() in known for line in lines)
        return ids, sum(cell in line for line in lines)

    fits = {cell: fit(cell) for cell in dict.fromkeys((dialect.cell, *SEPARATORS))}
    best = max(fits, key=lambda cell: fits[cell])
    if fits[best] <= fits[dialect.cell]:
        return dialect
    used, wanted = SEPARATORS[best], SEPARATORS[dialect.cell]
    findings.note("wrong-separator", line=1, value=lines[0], used=used, wanted=wanted)
    return Dialect(best, best == ",", dialect.header)


def with_ids_first(rows: list[Record], known: Collection[str], findings: Findings) -> list[Record]:
    """The rows, with id and content exchanged where most have the id second."""
    pairs = [row for row in rows if len(row.cells) == 2]
    right = sum(row.cells[0].strip() in known for row in pairs)
    wrong = [row for row in pairs if row.cells[1].strip() in known]
    if len(wrong) <= max(right, len(rows) // 2):
        return rows
    findings.note("swapped-columns", line=wrong[0].line, value=wrong[0].cells[1], n=len(wrong))
    exchanged = {row.line: replace(row, cells=(row.cells[1].strip(), row.cells[0])) for row in pairs}
    return [row if row.is_header else exchanged.get(row.line, row) for row in rows]


def intended_id(image: str, known: Set[str]) -> str | None:
    """The known id that a miswritten one means (spaces, quotes, folder, file ending), None without one."""
    bare = image.strip().strip("\"'").strip()
    name = bare.replace("\\", "/").rsplit("/", 1)[-1]
    return next((id for id in (bare, bare.rsplit(".", 1)[0], name.rsplit(".", 1)[0]) if id in known), None)


# What the submission check of 2026 asks beyond the script. It compares the header with one spelling, takes
# every character that ends a line for ``splitlines`` as a line end, and compares captions with lines.


def strict_header(rows: Sequence[Record], wanted: tuple[str, str], reading: Reading) -> bool:
    """Whether the first row is a header, wrong or right; anything but the one spelling is reported."""
    if not rows or rows[0].cells == wanted:
        return bool(rows)
    row, spelled = rows[0], ",".join(wanted)
    image = row.cells[0]
    header = row.is_header or ("ID" in image and image not in reading.known)
    name = "header: strict" if header else "missing-header: strict"
    cell = quoted(",".join(row.cells))
    reading.findings.note(name, line=row.line, value=image, image=quoted(image), cell=cell, wanted=spelled)
    return header


def strict_blank_lines(reading: Reading) -> None:
    """Blank lines inside quoted cells, and those that VT, FF and their like make at the end of a line."""
    text, rows = reading.text, reading.rows
    if not _ENDS.search(text) and not any(row.last > row.line for row in rows):
        return
    lines = text.split("\n")
    for row in rows:
        for at in range(row.line, row.last + 1):
            pieces = _ENDS.split(lines[at - 1])
            if at == len(lines) and not pieces[-1]:
                pieces.pop()
            if not all(piece.strip() for piece in pieces):
                sign = _ENDS.search(lines[at - 1])
                name = "blank-line: ends" if sign else "blank-line: quoted"
                reading.findings.note(name, line=at, sign=sign and sign.group())


def strict_split_lines(reading: Reading) -> None:
    """Lines with a comma in the caption that do not begin and end it with a double quote.

    The check pairs rows with lines in their order, so that a caption with a line break shifts those below.
    """
    for line, row in zip(reading.text.splitlines()[1:], reading.rows[1:], strict=False):
        _, comma, caption = line.partition(",")
        in_quotes = caption.startswith('"') and caption.endswith('"')
        if comma and "," in caption and len(row.cells) == 2 and not in_quotes:
            reading.findings.note("split-line", line=row.line, value=line, cell=quoted(line))
