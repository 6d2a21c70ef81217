"""The true concepts of an edition's images, read as that edition's script reads them."""

from __future__ import annotations

from evalcore.features.imageclef.checks.reading import truth_of, truth_rows
from evalcore.features.imageclef.checks.records import is_header
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.result import Truth


def official_items(cell: str | None, edition: Edition) -> tuple[str, ...]:
    """The concepts that the script of an edition sees in a cell; None is a row without that cell.

    2017 to 2019: a blank cell holds nothing, otherwise items keep their spaces. From 2022 on a blank
    cell holds one concept, the empty string.

    >>> from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
    >>> official_items("c5, C9", CONCEPT_EDITIONS["2017"]), official_items("c5; ", CONCEPT_EDITIONS["2025"])
    (('C5', ' C9'), ('C5', ''))
    >>> official_items("", CONCEPT_EDITIONS["2017"]), official_items("", CONCEPT_EDITIONS["2025"])
    ((), ('',))
    """
    if cell is None:
        return ()
    upper = cell.upper()
    if edition.ignores_empty_truth and not upper.strip():
        return ()
    items = upper.split(edition.separator)
    return tuple(item.strip() for item in items) if edition.strips else tuple(items)


def read_concept_truth(data: bytes, *, file: str, edition: Edition) -> Truth[tuple[str, ...]]:
    """Read a ground truth: TAB, vertical bar or comma between id and concepts, whatever fits.

    A first row that names columns is skipped, and from 2025 on every row whose id holds "ID", as the
    script does. A repeated id: the last row counts.

    Raises
    ------
    InputError
        There are no rows, or rows the script itself would stop at; it carries the report.
    """
    checked, rows = truth_rows(data, file, any_separator=True)
    items: dict[str, tuple[str, ...]] = {}
    images: dict[str, None] = {}
    for at, row in enumerate(rows):
        image = row.cells[0]
        if (at == 0 and is_header(row)) or (edition.run.header == "marked" and "ID" in image):
            if at:
                images[image] = None
                message = f"The script skips this row, because its id {image!r} holds the letters ID."
                checked.note("skipped-row", message, "Use another id.", line=row.line, value=image)
            continue
        if len(row.cells) > 2 or (len(row.cells) < 2 and not edition.ignores_empty_truth):
            message = f"The row has {len(row.cells)} cells; a ground truth has an id and concepts."
            checked.note("row-length", message, "Write id, separator, concepts.", line=row.line, value=image)
            continue
        if image in items:
            checked.note(
                "repeated-id", f"The image {image!r} is listed twice; the last row counts.",
                "Keep one row.", line=row.line, value=image,
            )  # fmt: skip
        images[image] = None
        items[image] = official_items(row.cells[1] if len(row.cells) > 1 else None, edition)
    needed = "The ground truth has no rows with an id."
    return truth_of(items, list(images), checked, title="ground truth", needed=needed)
