"""The single rules a submission can break, each as one function that says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from evalcore.features.imageclef.checks.records import (
    SEPARATORS,
    WRITTEN,
    Checked,
    Record,
    byte_order_mark,
    choose_separator,
    intended_id,
    is_header,
    records,
    text_of,
)
from evalcore.features.imageclef.editions import Dialect, Edition
from evalcore.features.imageclef.result import Content, Submission, Truth
from evalcore.study.tables.tables import quoted
from evalcore.values.errors import InputError

_CUI = re.compile(r"C[0-9]{7}\Z")
_GLUED = re.compile(r"C[0-9]{7}[^0-9A-Z]+C[0-9]{7}")


def file_name(name: str, prefix: str, checked: Checked) -> None:
    """The task's page of 2017 asks for names that begin with DET or PRED; the script never looks."""
    if prefix and not name.startswith(prefix):
        checked.note(
            "file-name",
            f"The name must begin with {prefix}; it is {quoted(name)}.",
            f"Name it {prefix}_{name}.",
            value=name,
        )


def header(row: Record, checked: Checked) -> None:
    """A row with column names in a file that has none."""
    message = f"The first row names columns ({quoted(row.cells[0])}); this edition treats it as an image."
    checked.note("header", message, "Remove the first row.", line=row.line, value=row.cells[0])


def missing_header(row: Record, checked: Checked) -> None:
    """Data in the row that is never read."""
    message = f"The first row is taken for the header, so the image {quoted(row.cells[0])} is not counted."
    checked.note("missing-header", message, "Put a header above it.", line=row.line, value=row.cells[0])


def skipped(row: Record, checked: Checked) -> None:
    """A row whose id makes the script take it for a header."""
    message = f"The script skips this row, because its id {quoted(row.cells[0])} contains the letters ID."
    checked.note("skipped-row", message, "Ids must not contain “ID”.", line=row.line, value=row.cells[0])


def swapped_columns(rows: Sequence[Record], known: Collection[str], checked: Checked) -> list[Record] | None:
    """The rows with id and content exchanged, where most have the id second; None otherwise."""
    pairs = [row for row in rows if len(row.cells) == 2]
    right = sum(row.cells[0].strip() in known for row in pairs)
    wrong = [row for row in pairs if row.cells[1].strip() in known]
    if len(wrong) <= max(right, len(rows) // 2):
        return None
    message = f"The columns are swapped: the image is in the second one ({len(wrong):,} rows)."
    checked.note(
        "swapped-columns", message, "Write the image first.", line=wrong[0].line, value=wrong[0].cells[1]
    )
    exchanged = {row.line: replace(row, cells=(row.cells[1].strip(), row.cells[0])) for row in pairs}
    return [row if is_header(row) else exchanged.get(row.line, row) for row in rows]


def unknown_id(row: Record, meant: str | None, checked: Checked) -> None:
    """An id that the ground truth does not have."""
    written = row.cells[0]
    remedy = "Remove the row." if meant is None else f"Write {meant} (id without spaces and file ending)."
    checked.note(
        "unknown-id",
        f"The image {quoted(written)} is not in the ground truth.",
        remedy,
        line=row.line,
        value=written,
    )


def too_many_cells(row: Record, edition: Edition, checked: Checked) -> str | None:
    """More cells than two; the joined concepts when the further cells are concepts too, None otherwise."""
    message = f"The row has {len(row.cells)} cells; id and concepts make two."
    rest = [cell.strip() for cell in row.cells[1:] if cell.strip()]
    meant = all(_CUI.match(part.strip().upper()) for cell in rest for part in cell.split(edition.separator))
    remedy = f"Separate concepts by {SEPARATORS[edition.separator]}."
    checked.note("row-length", message, remedy, line=row.line, value=row.cells[0])
    return edition.separator.join(rest) if meant else None


def repeated_id(row: Record, image: str, first: int, checked: Checked) -> None:
    """A second row for an image."""
    message = f"The image {quoted(image)} is already on line {first}."
    checked.note("repeated-id", message, "Keep one row per image.", line=row.line, value=image)


def missing_ids(images: Sequence[str], given: Collection[str], checked: Checked) -> None:
    """Images of the ground truth without a row, each named unless there is no other."""
    if not any(image in given for image in images):
        message = f"None of the {len(images):,} images of the ground truth has a row."
        checked.note("missing-id", message, "Check that file and ground truth belong together.")
        return
    for image in images:
        if image not in given:
            checked.note(
                "missing-id",
                f"The image {quoted(image)} has no row; it counts as an empty prediction.",
                "Add a row for it.",
                value=image,
            )


def order(images: Sequence[str], lines: Mapping[str, int], checked: Checked) -> None:
    """The first row that does not stand where the ground truth has it."""
    wanted = [image for image in images if image in lines]
    for image, other in zip(lines, wanted, strict=True):
        if image != other:
            message = f"The rows are in another order than the ground truth: {quoted(other)} should be here."
            remedy = "Sort the rows like the ground truth."
            checked.note("wrong-order", message, remedy, line=lines[image], value=image)
            return


def concepts(
    row: Record,
    image: str,
    cell: str | None,
    items: Sequence[str],
    edition: Edition,
    checked: Checked,
    *,
    first: bool,
) -> None:
    """Everything that can be wrong with the concepts of one row."""
    line, who = row.line, quoted(image)
    if edition.strict and cell is not None and cell != cell.strip():
        message = f"{who} has blanks before or behind its concepts, which the check refuses."
        checked.note("spaces", message, "Remove them.", line=line, value=cell)
    if not items or items == ("",):
        _nothing(cell, who, line, edition, checked, first=first)
        return
    if len(items) > edition.max_concepts:
        message = f"{who} has {len(items)} concepts; at most {edition.max_concepts} are allowed."
        checked.note("too-many-concepts", message, "Keep the surest ones.", line=line, value=len(items))
    written = [item.strip() if edition.strips else item for item in (cell or "").split(edition.separator)]
    _repetitions(cell or "", written, items, who, line, checked)
    if "" in items:
        message = f"{who} has an empty concept (a separator too many); it counts as a wrong one."
        checked.note("empty-concept", message, "Remove the extra separator.", line=line, value=cell)
    for item, as_written in zip(items, written, strict=True):
        _item(item, as_written, line, edition, checked)


def _repetitions(
    cell: str, written: Sequence[str], items: Sequence[str], who: str, line: int, checked: Checked
) -> None:
    """Concepts twice in one row; the scripts compare them as written, before upper-casing."""
    if len(set(items)) == len(items):
        return
    seen: set[str] = set()
    twice = next((item for item in written if item in seen or seen.add(item)), None)  # type: ignore[func-returns-value]
    if twice is not None:
        message = f"{who} has the concept {quoted(twice)} more than once."
        checked.note("duplicate-concept", message, "Name each concept once.", line=line, value=twice)
        return
    message = f"{who} has the same concept in upper and lower case; it counts once."
    checked.note("case-repetition", message, "Name each concept once.", line=line, value=cell)


def _nothing(
    cell: str | None, who: str, line: int, edition: Edition, checked: Checked, *, first: bool
) -> None:
    """A row without the cell for concepts: what the script makes of it differs from edition to edition."""
    if cell is not None:
        return
    if "first-row-bare" in edition.rejects and first:
        message = f"{who} is the first row and has no second cell, which the script of 2018 stops at."
        checked.note("first-row-bare", message, "Put a TAB behind the id.", line=line)
    if edition.ignores_empty_truth:
        return
    refused = "no-concepts" in edition.rejects
    what = "which the check refuses" if refused else "it scores 0 even where the truth is empty"
    message = f"{who} has no separator behind its id{',' if refused else ';'} {what}."
    checked.note("no-concepts", message, "Write the separator and concepts.", line=line)


def _item(item: str, written: str, line: int, edition: Edition, checked: Checked) -> None:
    """One concept that will never match or that the check of its edition refuses, and why."""
    passes = not edition.strict or WRITTEN.fullmatch(written) is not None
    if not item or (_CUI.match(item) and passes):
        return
    rule, remedy = "not-a-cui", "Check the concept."
    message = f"{quoted(written)} is not a concept id (C and seven digits)."
    if _CUI.match(item):
        rule, remedy = "lower-case", f"Write {item}."
        message = f"The concept {quoted(written)} is in lower case, which the check refuses."
    elif item != item.strip():
        rule, remedy = "spaces", "Remove the spaces."
        message = (
            f"The concept {quoted(written)} has spaces around it, which this edition keeps: it never matches."
        )
    elif _GLUED.search(item):
        rule, remedy = "wrong-concept-separator", f"Separate concepts by {SEPARATORS[edition.separator]}."
        message = f"{quoted(written)} is read as one concept and never matches."
    elif not item.isascii() or not item.isprintable():
        rule = "special-character"
    checked.note(rule, message, remedy, line=line, value=written, harmless=passes)


# One reading of a submission or ground truth: what both tasks do with its rows and ids.

_STOPS = frozenset(("encoding", "empty-file", "row-length", "long-cell", "too-many-lines", "no-rows"))


@dataclass(slots=True)
class Reading:
    """A submission while it is read: ``rows`` as written, ``known`` images of the ground truth.

    ``lines`` the line of the first row of each image.
    """

    edition: Edition
    checked: Checked
    text: str
    dialect: Dialect
    rows: Sequence[Record]
    known: frozenset[str]
    lines: dict[str, int] = field(default_factory=dict)

    def image_of(self, row: Record) -> str | None:
        """The image a row stands for; None, with a problem, for one that the ground truth does not have."""
        written = row.cells[0]
        image = written if written in self.known else intended_id(written, self.known)
        if image != written:
            unknown_id(row, image, self.checked)
        return image

    def repeats(self, row: Record, image: str) -> bool:
        """Whether there was a row for the image already."""
        if image not in self.lines:
            self.lines[image] = row.line
            return False
        repeated_id(row, image, self.lines[image], self.checked)
        return True

    def end(self, wanted: Sequence[str]) -> None:
        """After the last row: images without one, and the order of the rows where that matters."""
        missing_ids(wanted, self.lines, self.checked)
        if "wrong-order" in self.edition.rejects:
            order(wanted, self.lines, self.checked)

    def submission(self, name: str, read: Mapping[str, Content]) -> Submission[Content]:
        """The value of a reading."""
        return Submission(
            name, MappingProxyType(read), not self.checked.rejected, self.checked.problems.report()
        )


def begin(
    data: bytes, name: str, known: frozenset[str], edition: Edition, *, unread: Callable[[Record], bool]
) -> Reading:
    """A file to rows, with what concerns the file as a whole; ``unread`` rows the script passes over."""
    checked = Checked(name, edition.rejects)
    file_name(name, edition.prefix, checked)
    text = text_of(data, checked)
    dialect = choose_separator(text, edition.run, known, checked) if text else edition.run
    rows = records(text, dialect, checked)
    swapped = swapped_columns(rows, known, checked)
    rows = rows if swapped is None else swapped
    harmless = bool(rows) and not edition.strict and unread(rows[0])
    byte_order_mark(data, checked, unread=harmless)
    return Reading(edition, checked, text, dialect, rows, known)


def truth_rows(data: bytes, file: str, *, any_separator: bool = False) -> tuple[Checked, list[Record]]:
    """Rows of a ground truth: TAB, vertical bar or comma behind the id, whatever fits."""
    checked = Checked(file, _STOPS)
    text = text_of(data, checked)
    byte_order_mark(data, checked)
    cell = max("\t|,", key=lambda mark: sum(mark in line for line in text.split("\n", 50)[:50]))
    dialect = Dialect(cell, cell == ",", "none")
    if any_separator:
        dialect = choose_separator(text, dialect, frozenset(), checked)
    return checked, records(text, dialect, checked)


def truth_of(
    content: Mapping[str, Content], images: Sequence[str], checked: Checked, *, title: str, needed: str
) -> Truth[Content]:
    """The value of a reading; InputError without rows (``needed``), or when the script would stop at one."""
    if not content:
        checked.note("no-rows", needed, "Check the file.")
    report, file = checked.problems.report(), checked.problems.file
    if checked.rejected:
        raise InputError(f"The {title} {file} cannot be used.", report)
    return Truth(MappingProxyType(content), file, report, tuple(images))
