"""A caption prediction submission: every problem at once, and the repaired file where there is one."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.challenge import row_checks
from evalcore.challenge.editions import Dialect
from evalcore.challenge.records import (
    SEPARATORS,
    Checked,
    Record,
    choose_separator,
    has_mark,
    is_header,
    mended_id,
    quoted,
    records,
    text_of,
    whole,
)
from evalcore.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.challenge.editions import CaptionEdition
    from evalcore.model import Report

_STOPS = frozenset(("encoding", "empty-file", "row-length", "no-rows"))


@dataclass(frozen=True, slots=True, eq=False)
class CaptionTruth:
    """True captions by image in file order."""

    texts: Mapping[str, str]
    file: str
    report: Report


@dataclass(frozen=True, slots=True, eq=False)
class CaptionRun:
    """A submission as the edition's script reads it (``texts``), and as it was meant (``meant``).

    ``accepted`` is False when the official script would stop; ``repaired`` is the mended file, None
    when there was nothing to mend without a choice.
    """

    name: str
    texts: Mapping[str, str]
    meant: Mapping[str, str]
    accepted: bool
    report: Report
    repaired: str | None

    @property
    def scored(self) -> Mapping[str, str]:
        """What the score is computed from: the file itself if accepted, else its repaired form."""
        return self.texts if self.accepted else self.meant


def read_caption_truth(data: bytes, *, file: str) -> CaptionTruth:
    """Read true captions: TAB, vertical bar or comma between id and caption, header or not.

    Raises
    ------
    InputError
        There are no rows, or rows without a caption cell, which every script stops at.
    """
    checked = Checked(file, _STOPS)
    text = text_of(data, checked)
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
    return CaptionTruth(MappingProxyType(texts), file, checked.found.report())


def read_caption_run(
    data: bytes, *, name: str, truth: Mapping[str, str], edition: CaptionEdition
) -> CaptionRun:
    """Check a submission against the images of the true captions; nothing is raised."""
    checked = Checked(name, edition.rejects)
    known = frozenset(truth)
    row_checks.file_name(name, edition.prefix, checked)
    text = text_of(data, checked)
    dialect = choose_separator(text, edition.run, known, checked) if text else edition.run
    texts: dict[str, str] = {}
    meant: dict[str, str] = {}
    lines: dict[str, int] = {}
    repairs = int(dialect != edition.run) + int(has_mark(data))
    rows = records(text, dialect, checked)
    for at, row in enumerate(rows):
        if at == 0 and is_header(row):
            if edition.run.header == "none" or (edition.id_only and row.cells[0].lower() != "id"):
                row_checks.header(row, checked)
                repairs += 1
            continue
        skipped = at == 0 and edition.run.header == "first"
        if skipped:
            row_checks.missing_header(row, checked)
            repairs += 1
        repairs += _read_row(row, truth, edition, dialect, checked, texts, meant, lines, skipped=skipped)
    row_checks.missing_ids(tuple(truth), lines, checked)
    if "wrong-order" in edition.rejects:
        row_checks.order(tuple(truth), lines, checked)
    blank = checked.has("blank-line")
    repaired = whole(_render(meant, truth, edition)) if meant and (repairs or blank) else None
    return CaptionRun(
        name, MappingProxyType(texts), MappingProxyType(meant), not checked.rejected,
        checked.found.report(), repaired,
    )  # fmt: skip


def _read_row(
    row: Record, truth: Mapping[str, str], edition: CaptionEdition, dialect: Dialect, checked: Checked,
    texts: dict[str, str], meant: dict[str, str], lines: dict[str, int], *, skipped: bool,
) -> int:  # fmt: skip
    """One row; returns how many repairs it needed."""
    written, cells = row.cells[0], row.cells
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
    if image in lines:
        row_checks.repeated_id(row, image, lines[image], {}, checked)
        return 0
    lines[image] = row.line
    caption = dialect.cell.join(cells[1:])
    repairs = int(image != written) + _check_caption(row, caption, truth[image], edition, dialect, checked)
    meant[image] = caption
    if image == written and not skipped:
        texts[image] = cells[1]
    return repairs


def _check_caption(
    row: Record, caption: str, true: str, edition: CaptionEdition, dialect: Dialect, checked: Checked
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
    rule = "row-length" if edition.key == "2017" else "cut-caption"
    message = f"{image}: only the caption's part before {SEPARATORS[dialect.cell]} is read."
    way_out = "Put the caption in double quotes." if dialect.quoted else "Take it out of the caption."
    checked.note(rule, message, way_out, line=row.line, value=caption)
    return 1


def _render(meant: Mapping[str, str], truth: Mapping[str, str], edition: CaptionEdition) -> str:
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
