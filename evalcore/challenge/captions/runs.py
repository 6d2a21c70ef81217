"""A caption prediction submission: every problem at once, and the repaired file where there is one."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.challenge.checks import rows as row_checks
from evalcore.challenge.checks import strict
from evalcore.challenge.checks.records import (
    SEPARATORS,
    Checked,
    Record,
    byte_order_mark,
    choose_separator,
    is_header,
    mended_id,
    quoted,
    records,
    text_of,
    whole,
)
from evalcore.challenge.checks.repair import MENDED, refusals
from evalcore.challenge.editions import Dialect
from evalcore.challenge.result import Submission, Truth
from evalcore.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.challenge.editions import Edition

_STOPS = frozenset(("encoding", "empty-file", "row-length", "long-cell", "too-many-lines", "no-rows"))


@dataclass(slots=True)
class _Reading:
    """State of one reading: captions as read and as meant, the line of each id.

    ``repairs`` counts what leaves no choice, ``conflicts`` images with two captions.
    """

    checked: Checked
    texts: dict[str, str] = field(default_factory=dict)
    meant: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    repairs: int = 0
    conflicts: int = 0


def read_caption_truth(data: bytes, *, file: str) -> Truth[str]:
    """Read true captions: TAB, vertical bar or comma between id and caption, header or not.

    Raises
    ------
    InputError
        There are no rows, or rows without a caption cell, which every script stops at.
    """
    checked = Checked(file, _STOPS)
    text = text_of(data, checked)
    byte_order_mark(data, checked)
    cell = max("\t|,", key=lambda mark: sum(mark in line for line in text.split("\n", 50)[:50]))
    texts: dict[str, str] = {}
    for at, row in enumerate(records(text, Dialect(cell, cell == ",", "none"), checked)):
        if at == 0 and is_header(row):
            continue
        if len(row.cells) < 2:
            message = f"The row of {quoted(row.cells[0])} has no caption cell."
            checked.note("row-length", message, "Write id, separator, caption.", line=row.line)
            continue
        texts[row.cells[0]] = row.cells[1]
    if not texts:
        checked.note("no-rows", "There are no rows with an id and a caption.", "Check the file.")
    if checked.rejected:
        raise InputError(f"The true captions {file} cannot be used.", checked.found.report())
    return Truth(MappingProxyType(texts), file, checked.found.report(), tuple(texts))


def read_caption_run(
    data: bytes, *, name: str, truth: Mapping[str, str], edition: Edition
) -> Submission[str]:
    """Check a submission against the images of the true captions; nothing is raised."""
    reading = _reading(data, name, truth, edition)
    meant, left, repaired = reading.meant, reading, None
    if meant and (reading.repairs or any(reading.checked.has(rule) for rule in MENDED)):
        repaired, left = _repaired(meant, name, truth, edition, reading)
        if edition.strict and any(left.checked.has(rule) for rule in MENDED):
            meant = {image: strict.on_one_line(text) for image, text in meant.items()}
            repaired, left = _repaired(meant, name, truth, edition, reading)
    unrepaired = refusals(left.checked.found.report(), conflicts=reading.conflicts, edition=edition)
    return Submission(
        name, MappingProxyType(reading.texts), MappingProxyType(meant), not reading.checked.rejected,
        reading.checked.found.report(), None if unrepaired or reading.conflicts else repaired,
        MappingProxyType(unrepaired),
    )  # fmt: skip


def _repaired(
    meant: Mapping[str, str], name: str, truth: Mapping[str, str], edition: Edition, reading: _Reading
) -> tuple[str | None, _Reading]:
    """The mended file and its own reading; None and the reading there was when characters are lost."""
    text = whole(_render(meant, truth, edition))
    return text, reading if text is None else _reading(text.encode(), name, truth, edition)


def _reading(data: bytes, name: str, truth: Mapping[str, str], edition: Edition) -> _Reading:
    """One pass over a file, every problem noted."""
    checked = Checked(name, edition.rejects)
    known = frozenset(truth)
    row_checks.file_name(name, edition.prefix, checked)
    text = text_of(data, checked)
    dialect = choose_separator(text, edition.run, known, checked) if text else edition.run
    reading = _Reading(checked, repairs=int(dialect != edition.run))
    rows = records(text, dialect, checked)
    header = bool(rows) and is_header(rows[0])
    unread = header and edition.run.header == "first" and not edition.id_only and not edition.strict
    reading.repairs += byte_order_mark(data, checked, unread=unread)
    if edition.strict:
        reading.repairs += bool(rows) and rows[0].cells != strict.CAPTION
        header = strict.header(rows, strict.CAPTION, known, checked)
        strict.blank_lines(text, rows, checked)
        strict.split_lines(text, rows, checked)
    elif header and (edition.run.header == "none" or (edition.id_only and rows[0].cells[0].lower() != "id")):
        row_checks.header(rows[0], checked)
        reading.repairs += 1
    for at, row in enumerate(rows[int(header) :]):
        skipped = at == 0 and not header and edition.run.header == "first"
        if skipped and not edition.strict:
            row_checks.missing_header(row, checked)
            reading.repairs += 1
        reading.repairs += _read_row(row, truth, edition, dialect, reading, skipped=skipped)
    row_checks.missing_ids(tuple(truth), reading.lines, checked)
    if "wrong-order" in edition.rejects:
        row_checks.order(tuple(truth), reading.lines, checked)
    return reading


def _read_row(
    row: Record, truth: Mapping[str, str], edition: Edition, dialect: Dialect, reading: _Reading, *,
    skipped: bool,
) -> int:  # fmt: skip
    """One row; returns how many repairs it needed."""
    written, cells, checked = row.cells[0], row.cells, reading.checked
    image = written if written in truth else mended_id(written, truth.keys())
    if image != written:
        row_checks.unknown_id(row, image, checked)
    if len(cells) < 2:
        message = f"The row of {quoted(written)} has no caption."
        checked.note(
            "row-length", message, f"Write {SEPARATORS[edition.run.cell]} and a caption.", line=row.line
        )
        return 0
    if image is None:
        return 0
    if image in reading.lines:
        same = dialect.cell.join(cells[1:]) == reading.meant.get(image)
        row_checks.repeated_id(row, image, reading.lines[image], checked)
        reading.conflicts += not same
        return int(same)
    reading.lines[image] = row.line
    caption = dialect.cell.join(cells[1:])
    repairs = int(image != written) + _check_caption(row, caption, truth[image], edition, dialect, checked)
    reading.meant[image] = caption
    if image == written and not skipped:
        reading.texts[image] = cells[1]
    return repairs


def _check_caption(
    row: Record, caption: str, true: str, edition: Edition, dialect: Dialect, checked: Checked
) -> int:
    """The caption of one row; 1 when the part behind a separator in it would be lost."""
    image = quoted(row.cells[0])
    if not caption.strip():
        checked.note("empty-caption", f"{image} has an empty caption.", "Write one.", line=row.line)
        if not true.strip():
            message = f"{image} has no words in truth and run, where the script of this edition fails."
            checked.note("both-empty", message, "There is no way out but another caption.", line=row.line)
    if any(not c.isprintable() for c in caption.replace("\n", "")):
        message = f"{image} has control characters in its caption."
        checked.note("special-character", message, "Remove them.", line=row.line, value=caption)
    if len(row.cells) <= 2:
        return 0
    message = f"{image}: only the caption's part before {SEPARATORS[dialect.cell]} is read."
    remedy = "Put the caption in double quotes." if dialect.quoted else "Take it out of the caption."
    checked.note(edition.extra_cells, message, remedy, line=row.line, value=caption)
    return 1


def _render(meant: Mapping[str, str], truth: Mapping[str, str], edition: Edition) -> str:
    """The mended file; what separates cells is quoted inside captions, or becomes a space."""
    order = truth if "wrong-order" in edition.rejects else meant
    rows = [(image, meant[image]) for image in order if image in meant]
    if edition.run.header == "first":
        rows.insert(0, ("ID", "Caption"))
    if edition.run.quoted:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(rows)
        return buffer.getvalue()
    mark = edition.run.cell
    return "".join(f"{image}{mark}{' '.join(text.replace(mark, ' ').split())}\n" for image, text in rows)
