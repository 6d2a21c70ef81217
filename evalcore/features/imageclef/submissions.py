"""Ground truths and submissions, read as the official scripts read them, with every problem at once."""

from __future__ import annotations

import csv
import io
import re
import tempfile
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from evalcore.features.imageclef import rules
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.rules import SEPARATORS, Findings
from evalcore.study.tables.archives import open_zip, unpack
from evalcore.study.tables.files import at_most, content_of, decode, max_bytes
from evalcore.study.tables.problems import Problems, Rule, guarded, is_whole, try_call
from evalcore.study.tables.schema import IMAGE
from evalcore.values.errors import InputError, Report

Concepts = tuple[str, ...]
MAX_SUBMISSION = 256 << 20
"""Largest submission once unpacked, in bytes: forty times the largest real one."""
MAX_LINES = 1_000_000
"""Most lines that are read: twelve times the images of the largest real data set."""
MAX_CELL = 131_072
"""Longest cell that Python's csv module reads, and so every script, in characters."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_UTF8_MARK = b"\xef\xbb\xbf"
_LONE = re.compile("[\ud800-\udfff]")
_CUI = re.compile(r"C[0-9]{7}\Z")
_GLUED = re.compile(r"C[0-9]{7}[^0-9A-Z]+C[0-9]{7}")
_STRICT_CUI = re.compile(r"C\d+")
"""How the check of 2026 wants a concept; fewer or more digits than seven pass, and never match."""
_STRICT_HEADER = {"concepts": ("ID", "CUIs"), "captions": ("ID", "Caption")}
_TRUTH_STOPS = frozenset(("encoding", "empty-file", "row-length", "long-cell", "too-many-lines", "no-rows"))


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The true concepts or captions by image, in file order.

    ``images`` every id of the file in its order, those that the script skips included.
    """

    content: Mapping[str, Any]
    file: str
    report: Report
    images: tuple[str, ...]


def concepts_in(cell: str | None, edition: Edition) -> Concepts:
    """The concepts that the script of an edition reads from a cell; None is a row without that cell.

    2017 to 2019: a blank cell has no concepts, otherwise items keep their spaces. From 2022 on a blank cell
    has one concept, the empty string.

    >>> from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
    >>> concepts_in("c5, C9", CONCEPT_EDITIONS["2017"]), concepts_in("c5; ", CONCEPT_EDITIONS["2025"])
    (('C5', ' C9'), ('C5', ''))
    >>> concepts_in("", CONCEPT_EDITIONS["2017"]), concepts_in("", CONCEPT_EDITIONS["2025"])
    ((), ('',))
    """
    if cell is None or (edition.early and not cell.strip()):
        return ()
    items = cell.upper().split(edition.separator)
    return tuple(items) if edition.early else tuple(item.strip() for item in items)


def read_truth(data: bytes, *, file: str, edition: Edition) -> Truth:
    """Read a ground truth: TAB, vertical bar or comma between id and content, header or not.

    From 2025 on every row of concepts whose id contains "ID" is skipped, as by the script. Of a repeated id
    the last row counts.

    Raises
    ------
    InputError
        There are no rows, or rows at which the script itself would stop; it carries the report.
    """
    findings = Findings(file, _TRUTH_STOPS)
    text = _text(data, findings)
    _note_byte_order_mark(data, findings)
    cell = max("\t|,", key=lambda mark: sum(mark in line for line in text.split("\n", 50)[:50]))
    content: dict[str, Any] = {}
    images: dict[str, None] = {}
    of_concepts = edition.task == "concepts"
    wanted = SEPARATORS[edition.separator if of_concepts else cell]
    for at, row in enumerate(_rows(text, cell, findings)):
        image, *rest = row.cells
        where: dict[str, Any] = {"line": row.line, "image": image}
        if (at == 0 and row.is_header) or edition.skips(image):
            if at:
                images[image] = None
                findings.note(rules.SKIPPED_ROW, image, **where)
        elif not of_concepts and not rest:
            findings.note(rules.ROW_LENGTH_SHORT, image, **where, wanted=wanted)
        elif of_concepts and len(rest) != 1 and (rest or not edition.early):
            findings.note(rules.ROW_LENGTH, image, **where, n=len(row.cells), wanted=wanted)
        else:
            if image in content:
                findings.note(rules.REPEATED_ID_TRUTH, image, **where)
            images[image] = None
            content[image] = concepts_in(rest[0] if rest else None, edition) if of_concepts else rest[0]
    if not content:
        findings.note(rules.NO_ROWS, what="concepts" if of_concepts else "a caption")
    report = findings.report()
    if report.total("error"):
        title = "ground truth" if of_concepts else "true captions"
        raise InputError(f"The {title} {file} cannot be used.", report)
    return Truth(MappingProxyType(content), file, report, tuple(images))


def read_submission(
    data: bytes, *, name: str, truth: Truth, edition: Edition
) -> tuple[dict[str, Any], Report]:
    """What the script reads of a submission, and every problem of the file.

    Parameters
    ----------
    data : content of the file, or of a zip with one file in it.
    name : how it is called, for messages and for the edition's rule about names.

    Returns
    -------
    content, report : {image: concepts or caption}, and an error for each reason why the official script
        would stop. Nothing is raised, whatever is in the file.
    """
    data, opened = open_submission(data, name=name)
    if opened.total("error"):
        return {}, opened
    of_concepts = edition.task == "concepts"
    wanted = [image for image in truth.images if edition.strict or not edition.skips(image)]
    reading = _Reading(data, name, frozenset(wanted), edition)
    content: dict[str, Any] = {}
    for row, counts in _data_rows(reading):
        written, *rest = row.cells
        image = reading.image_of(row)
        if not of_concepts and not rest:
            reading.note(rules.ROW_LENGTH_SHORT, row, wanted=SEPARATORS[edition.cell])
            continue
        too_many_cells = of_concepts and len(rest) > 1
        if too_many_cells:
            reading.note(rules.ROW_LENGTH, row, n=len(row.cells), wanted=SEPARATORS[edition.separator])
        if image is None:
            continue
        cell = rest[0] if rest else None
        items: Any = concepts_in(cell, edition) if of_concepts else cell
        if reading.repeats(row, image):
            if edition.last_row_counts and image == written:
                content[image] = items
        elif not too_many_cells:
            if image == written and counts:
                content[image] = items
            if of_concepts:
                _check_concepts(row, cell, items, reading)
            else:
                _check_caption(row, truth.content[image], reading)
    reading.note_missing(wanted)
    return content, opened + reading.findings.report()


def within_cap() -> AbstractContextManager[None]:
    """While it lasts, no more than ``MAX_SUBMISSION`` bytes are read of a file, unpacked."""
    return at_most(min(max_bytes(), MAX_SUBMISSION))


def open_submission(data: bytes, *, name: str) -> tuple[bytes, Report]:
    """The submitted table, of a zip the single file in it.

    Returns
    -------
    content, report : b"" with an error when a zip breaks a limit (see ``archives``), holds none or several
        files, or too large a one. Another name than submission.csv inside a zip is a warning.
    """
    if not data.startswith(_ZIP):
        return data, Report()
    findings, content = Findings(name, ("too-large", "zip")), b""
    listed, _ = try_call(lambda: sum(info.file_size for info in open_zip(io.BytesIO(data)).infolist()))
    if (listed or 0) > MAX_SUBMISSION:
        findings.note(rules.TOO_LARGE, most=MAX_SUBMISSION >> 20)
        return b"", findings.report()
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "zip"
        report = guarded(findings.problems, lambda _: unpack(data, into, file=name), None)
        files = [path for path in into.rglob("*") if path.is_file()] if into.exists() else []
        if report is not None and not report.total("error"):
            if len(files) != 1:
                findings.note(rules.ZIP, len(files))
            else:
                inside = files[0].relative_to(into).as_posix()
                content = content_of(files[0], inside)
                if inside != "submission.csv":
                    findings.note(rules.ZIP_NAME, inside)
    return content, (report or Report()) + findings.report()


# From bytes to rows.


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it is written, spaces kept: its first and last line (1-based) and its cells."""

    line: int
    last: int
    cells: tuple[str, ...]

    @property
    def is_header(self) -> bool:
        """Whether it names columns instead of containing data."""
        return self.cells[0].strip().lower() in IMAGE.names


class _Reading:
    """A submission as rows, with the problems of the file as a whole.

    ``known`` images of the ground truth. ``lines``: the line of the first row of each image so far.
    """

    def __init__(self, data: bytes, name: str, known: frozenset[str], edition: Edition) -> None:
        self.edition, self.known, self.lines = edition, known, dict[str, int]()
        self.findings = findings = Findings(name, edition.refuses)
        called = PurePath(name).name
        if edition.prefix and not called.startswith(edition.prefix):
            findings.note(rules.FILE_NAME, called, prefix=edition.prefix)
        self.text = _text(data, findings)
        self.cell = _separator(self.text, edition.cell, known, findings) if self.text else edition.cell
        self.rows = _rows(self.text, self.cell, findings)
        skips_first = False
        if self.rows and not edition.strict:
            named = edition.header == "first" and self.rows[0].is_header and not edition.id_only
            skips_first = named or edition.skips(self.rows[0].cells[0])
        _note_byte_order_mark(data, findings, unread=skips_first)
        if edition.strict:
            _note_blank_lines(self)
            if edition.task == "captions":
                _note_split_lines(self)

    def note(self, rule: Rule, row: Row, value: object = None, **words: Any) -> None:
        """Add a problem of a row; ``value``: what is wrong with it, where that is not the image."""
        image = row.cells[0]
        self.findings.note(rule, image if value is None else value, line=row.line, image=image, **words)

    def image_of(self, row: Row) -> str | None:
        """The image a row is about; None, with a problem, for one that the ground truth does not have.

        A miswritten id (spaces, quotes, folder, file ending) is one too, and means the id it resembles.
        """
        written = row.cells[0]
        if written in self.known:
            return written
        bare = written.strip().strip("\"'").strip()
        name = bare.replace("\\", "/").rsplit("/", 1)[-1]
        candidates = (bare, bare.rsplit(".", 1)[0], name.rsplit(".", 1)[0])
        meant = next((image for image in candidates if image in self.known), None)
        self.note(rules.UNKNOWN_ID if meant is None else rules.UNKNOWN_ID_MEANT, row, meant=meant)
        return meant

    def repeats(self, row: Row, image: str) -> bool:
        """Whether there was a row for the image already, which is a problem."""
        first = self.lines.setdefault(image, row.line)
        if first != row.line:
            self.note(rules.REPEATED_ID, row, image, first=first)
        return first != row.line

    def note_missing(self, wanted: Sequence[str]) -> None:
        """After the last row: images without one, and the first row out of order where that matters."""
        if not any(image in self.lines for image in wanted):
            self.findings.note(rules.MISSING_ID_ALL, n=len(wanted))
            return
        for image in wanted:
            if image not in self.lines:
                self.findings.note(rules.MISSING_ID, image)
        if "wrong-order" not in self.edition.refuses:
            return
        ordered = [image for image in wanted if image in self.lines]
        for image, other in zip(self.lines, ordered, strict=True):
            if image != other:
                self.findings.note(rules.WRONG_ORDER, image, line=self.lines[image], other=other)
                return


def _text(data: bytes, findings: Findings) -> str:
    """The text of a file without byte order mark, "" when it has none; wrong encodings are reported.

    Bytes that are not UTF-8 become U+FFFD.
    """
    if data.startswith(b"\x1f\x8b"):
        findings.note(rules.ENCODING_GZIP, line=1)
    with within_cap():
        problems = Problems(findings.problems.file)
        text = guarded(problems, partial(decode, data), "")
    if not text:
        for problem in problems.report().problems:
            rule = "empty-file" if problem.rule == "empty-file" else "encoding"
            findings.problems.error(rule, problem.message, problem.remedy, line=problem.line or 1)
        return ""
    if (n := text.count("\n")) > MAX_LINES:
        findings.note(rules.TOO_MANY_LINES, n, most=MAX_LINES)
        return ""
    if not is_whole(text):
        for line, content in enumerate(text.split("\n"), start=1):
            if not is_whole(content):
                findings.note(rules.ENCODING, content.encode("utf-8", "replace").decode(), line=line)
        text = _LONE.sub("\ufffd", text)
    return text


def _note_byte_order_mark(data: bytes, findings: Findings, *, unread: bool = False) -> None:
    """Report a byte order mark; that of UTF-8 does no harm in a row that the script skips (``unread``)."""
    if data.startswith((_UTF8_MARK, b"\xff\xfe", b"\xfe\xff")):
        harmless = unread and data.startswith(_UTF8_MARK)
        rule = rules.BYTE_ORDER_MARK_HEADER if harmless else rules.BYTE_ORDER_MARK
        findings.note(rule, line=1, harmless=harmless)


def _rows(text: str, cell: str, findings: Findings) -> list[Row]:
    """Every row; blank lines and cells that no script can read are reported and left out."""
    lines = text.removesuffix("\n").split("\n") if text else []
    rows = []
    for line, last, cells in _cells(lines, cell, quotes=cell == "," and '"' in text):
        if cells is None or any(len(content) > MAX_CELL for content in cells):
            findings.note(rules.LONG_CELL, line=line, most=MAX_CELL)
        elif not any(content.strip() for content in cells):
            findings.note(rules.BLANK_LINE, line=line)
        else:
            if last > line:
                findings.note(rules.BROKEN_QUOTES, cells[0], line=line, n=last - line)
            rows.append(Row(line, last, tuple(cells)))
    return rows


def _cells(lines: Sequence[str], cell: str, *, quotes: bool) -> Iterator[tuple[int, int, list[str] | None]]:
    """First line, last line and cells of every row; no cells where one is longer than the reader's limit."""
    if not quotes:
        for at, line in enumerate(lines, start=1):
            yield at, at, line.split(cell) if line else []
        return
    reader = csv.reader((line + "\n" for line in lines), delimiter=cell)
    while True:
        first, cells = reader.line_num + 1, None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            pass
        yield first, reader.line_num, cells


def _separator(text: str, wanted: str, known: Collection[str], findings: Findings) -> str:
    """The separator the file really uses; another one than the edition's is reported once."""
    lines = [line for line in text.split("\n") if line.strip()]

    def fit(cell: str) -> tuple[int, int]:
        """How many ids are known when lines are cut at this separator, and how many lines have it at all."""
        ids = sum(line.split(cell, 1)[0].strip() in known for line in lines)
        return ids, sum(cell in line for line in lines)

    fits = {cell: fit(cell) for cell in dict.fromkeys((wanted, *SEPARATORS))}
    best = max(fits, key=lambda cell: fits[cell])
    if fits[best] <= fits[wanted]:
        return wanted
    findings.note(rules.WRONG_SEPARATOR, lines[0], line=1, used=SEPARATORS[best], wanted=SEPARATORS[wanted])
    return best


def _data_rows(reading: _Reading) -> Iterator[tuple[Row, bool]]:
    """The rows the script takes for data, each with whether it counts; headers out of place are reported.

    The first row is checked, and does not count, where the script takes it for the header.
    """
    edition = reading.edition
    for at, row in enumerate(reading.rows):
        image = row.cells[0]
        skipped, taken_for_header = edition.skips(image), at == 0 and edition.header == "first"
        if edition.strict:
            if at == 0 and _is_strict_header(row, reading):
                continue
            if skipped and image in reading.known:
                reading.note(rules.SKIPPED_ROW, row)
            yield row, not (skipped or taken_for_header)
        elif at == 0 and row.is_header:
            named = image.lower() == "id" if edition.id_only else taken_for_header
            if not (named or skipped):
                reading.note(rules.HEADER, row)
        elif skipped:
            reading.note(rules.SKIPPED_ROW, row)
        else:
            if taken_for_header:
                reading.note(rules.MISSING_HEADER, row)
            yield row, not taken_for_header


# What the submission check of 2026 asks beyond the script. It compares the header with one spelling, takes
# every character that ends a line for ``splitlines`` as a line end, and compares captions with lines.


def _is_strict_header(row: Row, reading: _Reading) -> bool:
    """Whether the first row is a header, wrong or right; anything but the one spelling is reported."""
    wanted, image = _STRICT_HEADER[reading.edition.task], row.cells[0]
    if row.cells == wanted:
        return True
    header = row.is_header or ("ID" in image and image not in reading.known)
    rule = rules.HEADER_STRICT if header else rules.MISSING_HEADER_STRICT
    reading.note(rule, row, ",".join(row.cells), wanted=",".join(wanted))
    return header


def _note_blank_lines(reading: _Reading) -> None:
    """Blank lines inside quoted cells, and those that VT, FF and their like make at the end of a line."""
    lines = reading.text.split("\n") if reading.rows else []
    for row in reading.rows:
        for at in range(row.line, row.last + 1):
            line = lines[at - 1] + "\n" * (at < len(lines))
            if not all(piece.strip() for piece in line.splitlines()):
                reading.findings.note(rules.BLANK_LINE_WITHIN, line=at)


def _note_split_lines(reading: _Reading) -> None:
    """Lines with a comma in the caption that do not begin and end it with a double quote.

    The check pairs rows with lines in their order, so that a caption with a line break shifts those below.
    """
    for line, row in zip(reading.text.splitlines()[1:], reading.rows[1:], strict=False):
        _, comma, caption = line.partition(",")
        in_quotes = caption.startswith('"') and caption.endswith('"')
        if comma and "," in caption and len(row.cells) == 2 and not in_quotes:
            reading.note(rules.SPLIT_LINE, row, line)


# The content of one row.


def _check_concepts(row: Row, cell: str | None, items: Concepts, reading: _Reading) -> None:
    """Everything that can be wrong with the concepts of one row; ``cell`` None: it has no second cell."""
    edition, note = reading.edition, reading.note
    if edition.strict and cell is not None and cell != cell.strip():
        note(rules.SPACES_CELL, row, cell)
    if cell is None and row is reading.rows[0] and "first-row-bare" in edition.refuses:
        note(rules.FIRST_ROW_BARE, row)
    if cell is None and not edition.early:
        note(rules.NO_CONCEPTS, row)
    if not items or items == ("",):
        return
    if len(items) > edition.max_concepts:
        note(rules.TOO_MANY_CONCEPTS, row, len(items), most=edition.max_concepts)
    written = [item if edition.early else item.strip() for item in (cell or "").split(edition.separator)]
    if len(set(items)) < len(items):
        # The scripts compare concepts as they are written, before upper-casing.
        first_at = {item: at for at, item in reversed([*enumerate(written)])}
        twice = next((item for at, item in enumerate(written) if first_at[item] < at), None)
        note(rules.CASE_REPETITION, row, cell) if twice is None else note(rules.DUPLICATE_CONCEPT, row, twice)
    if "" in items:
        note(rules.EMPTY_CONCEPT, row, cell)
    for item, as_written in zip(items, written, strict=True):
        _check_concept(item, as_written, row, reading)


def _check_concept(item: str, written: str, row: Row, reading: _Reading) -> None:
    """One concept that will never match or that the check of its edition refuses, and why."""
    edition = reading.edition
    passes = not edition.strict or _STRICT_CUI.fullmatch(written) is not None
    valid = _CUI.match(item) is not None
    if not item or (valid and passes):
        return
    if valid:
        rule = rules.LOWER_CASE
    elif item != item.strip():
        rule = rules.SPACES
    elif _GLUED.search(item):
        rule = rules.WRONG_CONCEPT_SEPARATOR
    else:
        rule = rules.NOT_A_CUI
    wanted = SEPARATORS[edition.separator]
    reading.note(rule, row, written, harmless=passes, upper=item, wanted=wanted)


def _check_caption(row: Row, true: str, reading: _Reading) -> None:
    """The caption of one row."""
    edition, caption = reading.edition, reading.cell.join(row.cells[1:])
    if not caption.strip():
        reading.note(rules.EMPTY_CAPTION, row)
        if not true.strip():
            reading.note(rules.BOTH_EMPTY, row)
    if not caption.isprintable() and any(map(_is_invisible, caption.replace("\n", ""))):
        reading.note(rules.SPECIAL_CHARACTER, row, caption)
    elif edition.ascii_only and not caption.isascii():
        some = "".join(dict.fromkeys(sign for sign in caption if not sign.isascii()))[:10]
        reading.note(rules.SPECIAL_CHARACTER_ASCII, row, caption, some=some)
    if len(row.cells) > 2:
        reading.note(rules.CUT_CAPTION, row, caption, separator=SEPARATORS[reading.cell])


def _is_invisible(character: str) -> bool:
    """Whether a character is neither printed nor a space; a no-break space is one.

    >>> [_is_invisible(c) for c in ("\\N{NO-BREAK SPACE}", "\\t", "\\x00", "\\N{ZERO WIDTH SPACE}")]
    [False, True, True, True]
    """
    return not character.isprintable() and unicodedata.category(character) != "Zs"
