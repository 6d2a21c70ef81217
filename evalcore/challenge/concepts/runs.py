"""A concept detection submission: every problem at once, and the repaired file where there is one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.challenge.checks import rows as row_checks
from evalcore.challenge.checks import strict
from evalcore.challenge.checks.records import (
    Checked,
    Record,
    byte_order_mark,
    choose_separator,
    is_header,
    mended_id,
    records,
    text_of,
    whole,
)
from evalcore.challenge.checks.repair import MENDED, refusals
from evalcore.challenge.concepts.truth import official_items
from evalcore.challenge.result import Submission

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.challenge.editions import Edition

_GLUED = re.compile(r"\s*C[0-9]{7}(?:[,;|/ \t]+C[0-9]{7})+[,;|/ \t]*\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;|/ \t]+")


@dataclass(slots=True)
class _Reading:
    """State of one reading: rows as read and as repaired, the line of each id, the id the script skips.

    ``repairs`` counts what leaves no choice, ``conflicts`` images with two rows that differ.
    """

    checked: Checked
    items: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cells: dict[str, str | None] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    repairs: int = 0
    conflicts: int = 0
    unseen: str = ""


def read_concept_run(
    data: bytes, *, name: str, images: Sequence[str], edition: Edition
) -> Submission[tuple[str, ...]]:
    """Check a submission against the images of the ground truth.

    Parameters
    ----------
    data : content of the file.
    name : its name, used in messages and held against the edition's rule for names.
    images : ids of the ground truth, in its order; those that the script skips may be among them.
    edition : whose rules apply.

    Returns
    -------
    Submission, whatever the file holds; nothing is raised.
    """
    reading = _reading(data, name, images, edition)
    changed = reading.repairs or any(reading.checked.has(rule) for rule in MENDED)
    marks = {"\n", '"', edition.run.cell}
    plain = not any(cell and marks & set(cell) for cell in reading.cells.values())
    repaired = whole(_render(reading, images, edition)) if changed and plain and reading.cells else None
    left = reading if repaired is None else _reading(repaired.encode(), name, images, edition)
    unrepaired = refusals(left.checked.found.report(), conflicts=reading.conflicts, edition=edition)
    meant = {image: official_items(cell, edition) for image, cell in reading.cells.items()}
    return Submission(
        name, MappingProxyType(reading.items), MappingProxyType(_without_skipped(meant, edition)),
        not reading.checked.rejected, reading.checked.found.report(),
        None if unrepaired or reading.conflicts else repaired, MappingProxyType(unrepaired),
    )  # fmt: skip


def _reading(data: bytes, name: str, images: Sequence[str], edition: Edition) -> _Reading:
    """One pass over a file, every problem noted."""
    checked = Checked(name, edition.rejects)
    marked = edition.run.header == "marked"
    wanted = [image for image in images if edition.strict or not (marked and "ID" in image)]
    known = frozenset(wanted)
    row_checks.file_name(name, edition.prefix, checked)
    text = text_of(data, checked)
    dialect = choose_separator(text, edition.run, known, checked) if text else edition.run
    reading = _Reading(checked, repairs=int(dialect != edition.run))
    rows = records(text, dialect, checked)
    unread = bool(rows) and not edition.strict and _unread(rows[0], edition)
    reading.repairs += byte_order_mark(data, checked, unread=unread)
    if edition.strict:
        strict.blank_lines(text, rows, checked)
    for row in _data_rows(rows, edition, known, reading):
        _read_row(row, edition, known, checked, reading)
    reading.items.pop(reading.unseen, None)
    reading.items = _without_skipped(reading.items, edition)
    row_checks.missing_ids(wanted, reading.lines, checked)
    if "wrong-order" in edition.rejects:
        row_checks.order(wanted, reading.lines, checked)
    return reading


def _unread(first: Record, edition: Edition) -> bool:
    """Whether the script passes over the first row."""
    marked = edition.run.header == "marked" and "ID" in first.cells[0]
    return marked or (edition.run.header == "first" and is_header(first))


def _without_skipped(items: dict[str, tuple[str, ...]], edition: Edition) -> dict[str, tuple[str, ...]]:
    """The rows that are scored: from 2025 on the script skips every id that holds ID."""
    if edition.run.header != "marked":
        return items
    return {image: cuis for image, cuis in items.items() if "ID" not in image}


def _data_rows(
    rows: Sequence[Record], edition: Edition, known: frozenset[str], reading: _Reading
) -> Iterable[Record]:
    """The rows the script takes for data; a header where none belongs, or none where one does, is told."""
    checked = reading.checked
    if edition.strict:
        reading.repairs += bool(rows) and rows[0].cells != strict.CONCEPTS
        for row in rows[int(strict.header(rows, strict.CONCEPTS, known, checked)) :]:
            if "ID" in row.cells[0] and row.cells[0] in known:
                row_checks.skipped(row, checked)
            yield row
        return
    for at, row in enumerate(rows):
        image = row.cells[0]
        header = at == 0 and is_header(row)
        if edition.run.header == "marked":
            if "ID" not in image and not header:
                yield row
            elif not header:
                row_checks.skipped(row, checked)
            elif "ID" not in image:
                row_checks.header(row, checked)
                reading.repairs += 1
        elif edition.run.header == "first" and at == 0:
            if not header:
                row_checks.missing_header(row, checked)
                reading.repairs += 1
                reading.unseen = image
                yield row
        elif header:
            row_checks.header(row, checked)
            reading.repairs += 1
        else:
            yield row


def _read_row(
    row: Record, edition: Edition, known: frozenset[str], checked: Checked, reading: _Reading
) -> None:
    """One row: its id, its number of cells, its concepts."""
    written, cells = row.cells[0], row.cells
    image: str | None = written
    if written not in known:
        image = mended_id(written, known)
        row_checks.unknown_id(row, image, checked)
    cell = cells[1] if len(cells) > 1 else None
    if len(cells) > 2:
        cell = row_checks.too_many_cells(row, edition, checked)
        reading.repairs += cell is not None
    if image is None:
        return
    reading.repairs += image != written
    if image in reading.lines:
        same = reading.kept.get(image) == edition.separator.join(cells[1:])
        row_checks.repeated_id(row, image, reading.lines[image], checked)
        reading.repairs += same
        reading.conflicts += not same
        if edition.last_row_counts and image == written:
            reading.items[image] = official_items(cell, edition)
        return
    reading.lines[image] = row.line
    reading.kept[image] = edition.separator.join(cells[1:])
    if cell is None and len(cells) > 2:
        return
    items = official_items(cell, edition)
    if image == written:
        reading.items[image] = items
    first = not reading.cells
    row_checks.concepts(row, image, cell, items, edition, checked, first=first)
    mended = _mended(cell, edition, first=first)
    reading.repairs += mended != cell
    reading.cells[image] = mended


def _mended(cell: str | None, edition: Edition, *, first: bool) -> str | None:
    """A concept cell with one separator, no empty items, no repetitions and no spaces."""
    if cell is None:
        bare = edition.ignores_empty_truth and not (first and "first-row-bare" in edition.rejects)
        return None if bare else ""
    parts = [
        piece
        for item in cell.split(edition.separator)
        for piece in (_BETWEEN.split(item.strip()) if _GLUED.match(item) else (item.strip(),))
        if piece
    ]
    kept: dict[str, str] = {}
    for part in parts:
        upper = part.upper()
        kept.setdefault(upper, upper if edition.strict and strict.WRITTEN.fullmatch(upper) else part)
    return edition.separator.join(kept.values())


def _render(reading: _Reading, images: Sequence[str], edition: Edition) -> str:
    """The repaired file: in the order of the ground truth where that matters, else in its own."""
    order = images if "wrong-order" in edition.rejects else list(reading.cells)
    rows = [(image, reading.cells[image]) for image in order if image in reading.cells]
    head = f"ID{edition.run.cell}CUIs\n" if edition.run.header != "none" else ""
    return head + "".join(
        image + ("" if cell is None else edition.run.cell + cell) + "\n" for image, cell in rows
    )
