"""A concept detection submission: every problem at once, and the repaired file where there is one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from evalcore.features.imageclef.checks import rows as row_checks
from evalcore.features.imageclef.checks import strict
from evalcore.features.imageclef.checks.reading import Reading, begin
from evalcore.features.imageclef.checks.records import Record, is_header, whole
from evalcore.features.imageclef.concepts.truth import official_items
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.result import Submission

Concepts = tuple[str, ...]
Cells = dict[str, str | None]

_GLUED = re.compile(r"\s*C[0-9]{7}(?:[,;|/ \t]+C[0-9]{7})+[,;|/ \t]*\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;|/ \t]+")


def read_concept_run(
    data: bytes, *, name: str, images: Sequence[str], edition: Edition
) -> Submission[Concepts]:
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
    reading, items, cells = _reading(data, name, images, edition)
    marks = {"\n", '"', edition.run.cell}
    plain = not any(cell and marks & set(cell) for cell in cells.values())
    changed = reading.repairs or reading.untidy
    repaired = whole(_render(cells, images, edition)) if changed and plain and cells else None
    left = reading if repaired is None else _reading(repaired.encode(), name, images, edition)[0]
    meant = {image: official_items(cell, edition) for image, cell in cells.items()}
    return reading.submission(name, items, _without_skipped(meant, edition), repaired, left)


def _reading(
    data: bytes, name: str, images: Sequence[str], edition: Edition
) -> tuple[Reading, Mapping[str, Concepts], Cells]:
    """One pass over a file, every problem noted: concepts as read, and their cells as repaired."""
    marked = edition.run.header == "marked"
    wanted = [image for image in images if edition.strict or not (marked and "ID" in image)]
    reading = begin(data, name, frozenset(wanted), edition, unread=lambda row: _unread(row, edition))
    rows = reading.rows
    if edition.strict:
        strict.blank_lines(reading.text, rows, reading.checked)
    items: dict[str, Concepts] = {}
    cells: Cells = {}
    for row in _data_rows(reading):
        _read_row(row, reading, items, cells)
    if edition.run.header == "first" and rows and not _unread(rows[0], edition):
        items.pop(rows[0].cells[0], None)  # taken for the header
    reading.end(wanted)
    return reading, _without_skipped(items, edition), cells


def _unread(first: Record, edition: Edition) -> bool:
    """Whether the script passes over the first row."""
    marked = edition.run.header == "marked" and "ID" in first.cells[0]
    return marked or (edition.run.header == "first" and is_header(first))


def _without_skipped(items: dict[str, Concepts], edition: Edition) -> dict[str, Concepts]:
    """The rows that are scored: from 2025 on the script skips every id that holds ID."""
    if edition.run.header != "marked":
        return items
    return {image: cuis for image, cuis in items.items() if "ID" not in image}


def _data_rows(reading: Reading) -> Iterable[Record]:
    """The rows the script takes for data; a misplaced or missing header is reported."""
    checked, edition, rows, known = reading.checked, reading.edition, reading.rows, reading.known
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
                yield row
        elif header:
            row_checks.header(row, checked)
            reading.repairs += 1
        else:
            yield row


def _read_row(row: Record, reading: Reading, items: dict[str, Concepts], cells: Cells) -> None:
    """One row: its id, its number of cells, its concepts."""
    edition, checked = reading.edition, reading.checked
    written, *rest = row.cells
    image = reading.image_of(row)
    cell = rest[0] if rest else None
    if len(rest) > 1:
        cell = row_checks.too_many_cells(row, edition, checked)
        reading.repairs += cell is not None
    if image is None:
        return
    reading.repairs += image != written
    if reading.repeats(row, image, edition.separator.join(rest)):
        if edition.last_row_counts and image == written:
            items[image] = official_items(cell, edition)
        return
    if cell is None and rest:
        return
    found = official_items(cell, edition)
    if image == written:
        items[image] = found
    first = not cells
    row_checks.concepts(row, image, cell, found, edition, checked, first=first)
    cells[image] = _mended(cell, edition, first=first)
    reading.repairs += cells[image] != cell


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


def _render(cells: Cells, images: Sequence[str], edition: Edition) -> str:
    """The repaired file: in the order of the ground truth where that matters, else in its own."""
    order = images if "wrong-order" in edition.rejects else list(cells)
    rows = [(image, cells[image]) for image in order if image in cells]
    head = f"ID{edition.run.cell}CUIs\n" if edition.run.header != "none" else ""
    return head + "".join(
        image + ("" if cell is None else edition.run.cell + cell) + "\n" for image, cell in rows
    )
