"""Ground truths and submissions, read as the official scripts read them, with every problem at once."""

from __future__ import annotations

import csv
import io
import re
import tempfile
import unicodedata
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.rules import SEPARATORS, Findings
from evalcore.study.tables.archives import unpack
from evalcore.study.tables.files import at_most, content_of, decode, max_bytes
from evalcore.study.tables.problems import Problems, is_whole, report_unreadable, try_call
from evalcore.study.tables.schema import IMAGE
from evalcore.study.tables.tables import quoted
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
_LINE_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line for Python's ``splitlines``, which the check of 2026 uses, beside a line feed."""
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
    if cell is None or (edition.ignores_empty_truth and not cell.strip()):
        return ()
    items = cell.upper().split(edition.separator)
    return tuple(item.strip() for item in items) if edition.strips else tuple(items)


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
    for at, row in enumerate(_rows(text, cell, findings)):
        image, *rest = row.cells
        where: dict[str, Any] = {"line": row.line, "value": image, "image": quoted(image)}
        if (at == 0 and row.is_header) or (edition.header == "marked" and "ID" in image):
            if at:
                images[image] = None
                findings.note("skipped-row", **where)
        elif not of_concepts and not rest:
            findings.note("row-length: true caption", **where)
        elif of_concepts and len(rest) != 1 and (rest or not edition.ignores_empty_truth):
            findings.note("row-length: truth", **where, n=len(row.cells))
        else:
            if image in content:
                findings.note("repeated-id: truth", **where)
            images[image] = None
            content[image] = concepts_in(rest[0] if rest else None, edition) if of_concepts else rest[0]
    if not content:
        findings.note(f"no-rows: {edition.task}")
    report = findings.problems.report()
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
    marked, of_concepts = edition.header == "marked", edition.task == "concepts"
    wanted = [image for image in truth.images if edition.strict or not (marked and "ID" in image)]
    reading = _reading(data, name, frozenset(wanted), edition)
    content: dict[str, Any] = {}
    checked = False
    for row, counts in _data_rows(reading):
        written, *rest = row.cells
        image = reading.image_of(row)
        if not of_concepts and not rest:
            facts = {"image": quoted(written), "wanted": SEPARATORS[edition.cell]}
            reading.note("row-length: caption", line=row.line, **facts)
            continue
        cell = _concept_cell(row, reading) if of_concepts else rest[0]
        if image is None:
            continue
        items: Any = concepts_in(cell, edition) if of_concepts else cell
        if reading.repeats(row, image):
            if edition.last_row_counts and image == written:
                content[image] = items
            continue
        if cell is None and rest:
            continue
        if image == written and counts:
            content[image] = items
        if of_concepts:
            _check_concepts(row.line, quoted(image), cell, items, reading, first=not checked)
            checked = True
        else:
            _check_caption(row, reading.cell.join(rest), truth.content[image], reading)
    reading.note_absent(wanted)
    return content, opened + reading.findings.problems.report()


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
    problems = Problems(name)
    if (try_call(lambda: _listed_size(data))[0] or 0) > MAX_SUBMISSION:
        message = f"Unpacked it has more than {MAX_SUBMISSION >> 20} MB."
        problems.error("too-large", message, "Check the file.")
        return b"", problems.report()
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "zip"
        report, reason = try_call(lambda: unpack(data, into, file=name))
        if reason is not None:
            report_unreadable(problems, reason)
        if report is None or report.total("error"):
            return b"", report or problems.report()
        files = sorted(path for path in into.rglob("*") if path.is_file()) if into.exists() else []
        if len(files) != 1:
            message = f"The zip contains {len(files)} files; the platform takes exactly one."
            problems.error("zip", message, "Put only submission.csv into it.", value=len(files))
            return b"", problems.report()
        inside = files[0].relative_to(into).as_posix()
        if inside != "submission.csv":
            message = f"The file in the zip is called {inside!r}; the platform expects submission.csv."
            problems.warning("zip-name", message, "Rename it and zip it again.", value=inside)
        return content_of(files[0], inside), problems.report()


def _listed_size(data: bytes) -> int:
    """The total size a zip claims for its files; no more than that is ever read of them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(info.file_size for info in archive.infolist())


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


@dataclass(slots=True)
class _Reading:
    """A submission while it is read: its separator, its rows, and the line of the first row of each image.

    ``known`` images of the ground truth.
    """

    edition: Edition
    findings: Findings
    text: str
    cell: str
    rows: Sequence[Row]
    known: frozenset[str]
    lines: dict[str, int] = field(default_factory=dict)

    def note(self, rule: str, /, **facts: Any) -> None:
        """Add a problem."""
        self.findings.note(rule, **facts)

    def note_row(self, rule: str, row: Row, **facts: Any) -> None:
        """Add a problem with the id of a row."""
        image = quoted(row.cells[0])
        self.note(rule, line=row.line, value=row.cells[0], **{"image": image, "cell": image, **facts})

    def image_of(self, row: Row) -> str | None:
        """The image a row is about; None, with a problem, for one that the ground truth does not have."""
        written = row.cells[0]
        if written in self.known:
            return written
        meant = _intended_id(written, self.known)
        self.note_row("unknown-id" if meant is None else "unknown-id: meant", row, meant=meant)
        return meant

    def repeats(self, row: Row, image: str) -> bool:
        """Whether there was a row for the image already, which is a problem."""
        first = self.lines.setdefault(image, row.line)
        if first != row.line:
            self.note("repeated-id", line=row.line, value=image, image=quoted(image), first=first)
        return first != row.line

    def note_absent(self, wanted: Sequence[str]) -> None:
        """After the last row: images without one, and the first row out of order where that matters."""
        if not any(image in self.lines for image in wanted):
            self.note("missing-id: all", n=len(wanted))
            return
        for image in wanted:
            if image not in self.lines:
                self.note("missing-id", value=image, image=quoted(image))
        if "wrong-order" not in self.edition.refuses:
            return
        ordered = [image for image in wanted if image in self.lines]
        for image, other in zip(self.lines, ordered, strict=True):
            if image != other:
                self.note("wrong-order", line=self.lines[image], value=image, image=quoted(other))
                return


def _reading(data: bytes, name: str, known: frozenset[str], edition: Edition) -> _Reading:
    """A file to rows, with the problems of the file as a whole."""
    findings = Findings(name, edition.refuses)
    if edition.prefix and not name.startswith(edition.prefix):
        findings.note("file-name", value=name, prefix=edition.prefix, name=quoted(name), plain=name)
    text = _text(data, findings)
    cell = _separator(text, edition.cell, known, findings) if text else edition.cell
    rows = _with_ids_first(_rows(text, cell, findings), known, findings)
    skips_first = False
    if rows and not edition.strict:
        named = edition.header == "first" and rows[0].is_header and not edition.id_only
        skips_first = named or (edition.header == "marked" and "ID" in rows[0].cells[0])
    _note_byte_order_mark(data, findings, unread=skips_first)
    reading = _Reading(edition, findings, text, cell, rows, known)
    if edition.strict:
        _note_blank_lines(reading)
        if edition.task == "captions":
            _note_split_lines(reading)
    return reading


def _text(data: bytes, findings: Findings) -> str:
    """The text of a file without byte order mark, "" when it holds none; wrong encodings are reported.

    Bytes that are not UTF-8 become U+FFFD.
    """
    if data.startswith(b"\x1f\x8b"):
        findings.note("encoding: gzip", line=1)
    trouble = Problems(findings.problems.file)
    with within_cap():
        text = decode(data, trouble)
    if text is None:
        for problem in trouble.report().problems:
            rule = "empty-file" if problem.rule == "empty-file" else "encoding"
            findings.problems.error(rule, problem.message, problem.remedy, line=problem.line or 1)
        return ""
    if (n := text.count("\n")) > MAX_LINES:
        findings.note("too-many-lines", n=n, most=MAX_LINES)
        return ""
    if not is_whole(text):
        for line, content in enumerate(text.split("\n"), start=1):
            if not is_whole(content):
                findings.note("encoding", line=line, value=content.encode("utf-8", "replace").decode())
        text = _LONE.sub("\ufffd", text)
    return text


def _note_byte_order_mark(data: bytes, findings: Findings, *, unread: bool = False) -> None:
    """Report a byte order mark; that of UTF-8 does no harm in a row that the script skips (``unread``)."""
    if data.startswith((_UTF8_MARK, b"\xff\xfe", b"\xfe\xff")):
        harmless = unread and data.startswith(_UTF8_MARK)
        findings.note("byte-order-mark: header" if harmless else "byte-order-mark", line=1, harmless=harmless)


def _rows(text: str, cell: str, findings: Findings) -> list[Row]:
    """Every row; blank lines and cells that no script can read are reported and left out."""
    lines = text.removesuffix("\n").split("\n") if text else []
    rows = []
    for line, last, cells in _cells(lines, cell, quotes=cell == "," and '"' in text):
        if cells is None or any(len(content) > MAX_CELL for content in cells):
            findings.note("long-cell", line=line, most=MAX_CELL)
        elif not any(content.strip() for content in cells):
            findings.note("blank-line", line=line)
        else:
            if last > line:
                findings.note("broken-quotes", line=line, value=cells[0], n=last - line)
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


def _separator(text: str, wanted: str, known: Set[str], findings: Findings) -> str:
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
    used, meant = SEPARATORS[best], SEPARATORS[wanted]
    findings.note("wrong-separator", line=1, value=lines[0], used=used, wanted=meant)
    return best


def _with_ids_first(rows: list[Row], known: Collection[str], findings: Findings) -> list[Row]:
    """The rows, with id and content exchanged where most have the id second."""
    pairs = [row for row in rows if len(row.cells) == 2]
    right = sum(row.cells[0].strip() in known for row in pairs)
    wrong = [row for row in pairs if row.cells[1].strip() in known]
    if len(wrong) <= max(right, len(rows) // 2):
        return rows
    findings.note("swapped-columns", line=wrong[0].line, value=wrong[0].cells[1], n=len(wrong))
    exchanged = {row.line: replace(row, cells=(row.cells[1].strip(), row.cells[0])) for row in pairs}
    return [row if row.is_header else exchanged.get(row.line, row) for row in rows]


def _intended_id(image: str, known: Set[str]) -> str | None:
    """The known id that a miswritten one means (spaces, quotes, folder, file ending), None without one."""
    bare = image.strip().strip("\"'").strip()
    name = bare.replace("\\", "/").rsplit("/", 1)[-1]
    return next((id for id in (bare, bare.rsplit(".", 1)[0], name.rsplit(".", 1)[0]) if id in known), None)


def _data_rows(reading: _Reading) -> Iterator[tuple[Row, bool]]:
    """The rows the script takes for data, each with whether it counts; headers out of place are reported.

    The first row is checked, and does not count, where the script takes it for the header.
    """
    edition = reading.edition
    for at, row in enumerate(reading.rows):
        image, header = row.cells[0], at == 0 and row.is_header
        marked = edition.header == "marked" and "ID" in image
        taken_for_header = at == 0 and edition.header == "first"
        if edition.strict:
            if at == 0 and _is_strict_header(row, reading):
                continue
            if marked and image in reading.known:
                reading.note_row("skipped-row", row)
            yield row, not (marked or taken_for_header)
        elif header:
            named = image.lower() == "id" if edition.id_only else edition.header == "first"
            if not (named or marked):
                reading.note_row("header", row)
        elif marked:
            reading.note_row("skipped-row", row)
        else:
            if taken_for_header:
                reading.note_row("missing-header", row)
            yield row, not taken_for_header


# What the submission check of 2026 asks beyond the script. It compares the header with one spelling, takes
# every character that ends a line for ``splitlines`` as a line end, and compares captions with lines.


def _is_strict_header(row: Row, reading: _Reading) -> bool:
    """Whether the first row is a header, wrong or right; anything but the one spelling is reported."""
    wanted = _STRICT_HEADER[reading.edition.task]
    if row.cells == wanted:
        return True
    image = row.cells[0]
    header = row.is_header or ("ID" in image and image not in reading.known)
    facts = {"cell": quoted(",".join(row.cells)), "wanted": ",".join(wanted)}
    reading.note_row("header: strict" if header else "missing-header: strict", row, **facts)
    return header


def _note_blank_lines(reading: _Reading) -> None:
    """Blank lines inside quoted cells, and those that VT, FF and their like make at the end of a line."""
    text, rows = reading.text, reading.rows
    if not _LINE_ENDS.search(text) and not any(row.last > row.line for row in rows):
        return
    lines = text.split("\n")
    for row in rows:
        for at in range(row.line, row.last + 1):
            pieces = _LINE_ENDS.split(lines[at - 1])
            if at == len(lines) and not pieces[-1]:
                pieces.pop()
            if not all(piece.strip() for piece in pieces):
                sign = _LINE_ENDS.search(lines[at - 1])
                name = "blank-line: ends" if sign else "blank-line: quoted"
                reading.note(name, line=at, sign=sign and sign.group())


def _note_split_lines(reading: _Reading) -> None:
    """Lines with a comma in the caption that do not begin and end it with a double quote.

    The check pairs rows with lines in their order, so that a caption with a line break shifts those below.
    """
    for line, row in zip(reading.text.splitlines()[1:], reading.rows[1:], strict=False):
        _, comma, caption = line.partition(",")
        in_quotes = caption.startswith('"') and caption.endswith('"')
        if comma and "," in caption and len(row.cells) == 2 and not in_quotes:
            reading.note("split-line", line=row.line, value=line, cell=quoted(line))


# The content of one row.


def _concept_cell(row: Row, reading: _Reading) -> str | None:
    """The cell of concepts; None, with a problem, of a row with other cells behind its id, or without any."""
    rest, edition = row.cells[1:], reading.edition
    if len(rest) < 2:
        return rest[0] if rest else None
    parts = [part.strip() for part in rest if part.strip()]
    items = [item.strip().upper() for part in parts for item in part.split(edition.separator)]
    facts = {"n": len(row.cells), "wanted": SEPARATORS[edition.separator]}
    reading.note("row-length", line=row.line, value=row.cells[0], **facts)
    return edition.separator.join(parts) if all(map(_CUI.match, items)) else None


def _check_concepts(
    line: int, image: str, cell: str | None, items: Concepts, reading: _Reading, *, first: bool
) -> None:
    """Everything that can be wrong with the concepts of one row; ``cell`` None: it has no second cell."""
    edition, refuses, note = reading.edition, reading.edition.refuses, reading.note
    where: dict[str, Any] = {"line": line, "value": cell, "image": image}
    if edition.strict and cell is not None and cell != cell.strip():
        note("spaces: cell", **where)
    if not items or items == ("",):
        if cell is None and first and "first-row-bare" in refuses:
            note("first-row-bare", line=line, image=image)
        if cell is None and not edition.ignores_empty_truth:
            refused = "no-concepts" in refuses
            note("no-concepts: refused" if refused else "no-concepts", line=line, image=image)
        return
    n = len(items)
    if n > edition.max_concepts:
        note("too-many-concepts", line=line, value=n, image=image, n=n, most=edition.max_concepts)
    written = [item.strip() if edition.strips else item for item in (cell or "").split(edition.separator)]
    if len(set(items)) < n:
        # The scripts compare concepts as they are written, before upper-casing.
        first_at = {item: at for at, item in reversed([*enumerate(written)])}
        twice = next((item for at, item in enumerate(written) if first_at[item] < at), None)
        name, value = ("case-repetition", cell) if twice is None else ("duplicate-concept", twice)
        note(name, line=line, value=value, image=image, item=quoted(value or ""))
    if "" in items:
        note("empty-concept", **where)
    for item, as_written in zip(items, written, strict=True):
        _check_concept(item, as_written, line, reading)


def _check_concept(item: str, written: str, line: int, reading: _Reading) -> None:
    """One concept that will never match or that the check of its edition refuses, and why."""
    edition = reading.edition
    passes = not edition.strict or _STRICT_CUI.fullmatch(written) is not None
    valid = _CUI.match(item) is not None
    if not item or (valid and passes):
        return
    if valid:
        name = "lower-case"
    elif item != item.strip():
        name = "spaces"
    elif _GLUED.search(item):
        name = "wrong-concept-separator"
    else:
        name = "not-a-cui" if item.isascii() and item.isprintable() else "special-character: concept"
    facts = {"item": quoted(written), "upper": item, "wanted": SEPARATORS[edition.separator]}
    reading.note(name, line=line, value=written, harmless=passes, **facts)


def _check_caption(row: Row, caption: str, true: str, reading: _Reading) -> None:
    """The caption of one row."""
    edition, note = reading.edition, reading.note
    image = quoted(row.cells[0])
    where: dict[str, Any] = {"line": row.line, "value": caption, "image": image}
    if not caption.strip():
        note("empty-caption", line=row.line, image=image)
        if not true.strip():
            note("both-empty", line=row.line, image=image)
    if not caption.isprintable() and any(map(_is_invisible, caption.replace("\n", ""))):
        note("special-character", **where)
    elif edition.ascii_only and not caption.isascii():
        some = "".join(dict.fromkeys(sign for sign in caption if not sign.isascii()))[:10]
        note("special-character: ascii", **where, some=some)
    if len(row.cells) > 2:
        quotes = "Put the caption in double quotes."
        remedy = quotes if reading.cell == "," else "Remove it from the caption."
        note(edition.extra_cells, **where, separator=SEPARATORS[reading.cell], remedy=remedy)


def _is_invisible(character: str) -> bool:
    """Whether a character is neither printed nor a space; a no-break space is one.

    >>> [_is_invisible(c) for c in ("\\N{NO-BREAK SPACE}", "\\t", "\\x00", "\\N{ZERO WIDTH SPACE}")]
    [False, True, True, True]
    """
    return not character.isprintable() and unicodedata.category(character) != "Zs"
