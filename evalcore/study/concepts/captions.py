"""Captions: ``ID,Caption``, one row per image; cells with commas or line breaks stand in quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalcore.study.tables import tables
from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import report_unlisted
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import Row
from evalcore.values.arrays import digest_of
from evalcore.values.model import Captions
from evalcore.values.problems import Report

CAPTION_NAMES = frozenset(("caption", "captions", "text", "description"))
"""Header names of the caption column, lower case."""


@dataclass(frozen=True, slots=True, eq=False)
class CaptionRows:
    """Captions by image id as the file has them; empty cells are left out."""

    texts: Mapping[str, str]
    rows: int
    file: str


@reader(lambda file: CaptionRows({}, 0, file))
def parse_captions(data: bytes, *, file: str) -> tuple[CaptionRows, Report]:
    """Read a caption file (comma, semicolon or TAB; header optional; a wider table by column name).

    Returns the readable captions and every problem: wrong column counts, duplicate ids, broken
    quotes, undecodable rows. An empty caption cell is an image without caption, not an error.
    """
    found = Problems(file)
    image, caption, width, rows = _columns(tables.rows_of(data, found))
    remedy = 'Put a caption that holds commas into double quotes: ID,"one, two".'
    expected = f"A row has {width} cells"
    usable = tables.rows_of_images(rows, found, width, remedy, image=image, expected=expected)
    texts = {row.cells[image]: row.cells[caption] for row in usable}
    return CaptionRows({i: t for i, t in texts.items() if t}, len(texts), file), found.report()


@reader(lambda _: None)
def bind_captions(rows: CaptionRows, image_ids: Sequence[str]) -> tuple[Captions | None, Report]:
    """Align captions with the images of a study; images without text and unknown ids are counted."""
    found = Problems(rows.file)
    texts = tuple(map(rows.texts.get, image_ids))
    report_unlisted(found, rows.texts, image_ids, "captions are about images")
    without = [image for image, text in zip(image_ids, texts, strict=True) if text is None]
    message = f"{{n}} of {len(texts):,} images have no caption."
    found.counted("no-caption", without, message, "They are shown by their concepts.")
    return Captions(texts, digest_of([t if t is not None else "\0" for t in texts])), found.report()


def _columns(rows: list[Row]) -> tuple[int, int, int, list[Row]]:
    """Positions of id and caption, the number of cells of a row, and the rows below the header."""
    header = rows[0].cells if rows else []
    caption = tables.named(header, CAPTION_NAMES)
    image = tables.named(header, tables.ID_NAMES)
    if caption is None and image != 0:
        return 0, 1, 2, rows
    return image or 0, 1 if caption is None else caption, max(2, len(header)), rows[1:]
