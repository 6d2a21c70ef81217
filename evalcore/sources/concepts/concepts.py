"""Concept sets of images: ``ID,CUIs`` and the older ImageCLEF and ROCO forms.

| format   | between id and concepts | between concepts        | used by                         |
|----------|-------------------------|-------------------------|---------------------------------|
| rocov2   | ``,``                   | ``;``                   | ROCOv2, ImageCLEF 2023 and later |
| clef2017 | TAB                     | ``,``                   | ImageCLEF 2017, 2018            |
| roco2018 | TAB                     | ``;`` or several TABs   | ROCO 2018, ImageCLEF 2019       |

A header is optional. A row that is only an id is an image nobody annotated; an id with an empty
concept cell is annotated with nothing.

A CUI is ``C`` and seven digits. A lower-case ``c`` is read as ``C``, as the official ImageCLEF
scripts do, with a warning. Anything else is an error: that value is left out, the image keeps its
other concepts, and an image without any readable one counts as not annotated, because what it
carries is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from evalcore.problems import Report
from evalcore.sources.tables import tables
from evalcore.sources.tables.guard import reader
from evalcore.sources.tables.lines import decode
from evalcore.sources.tables.problems import Problems
from evalcore.sources.tables.tables import Row

ConceptFormat = Literal["rocov2", "clef2017", "roco2018"]
CONCEPT_FORMATS: tuple[str, ...] = get_args(ConceptFormat)
CUI_NAMES = frozenset(("cui", "cuis", "concept", "concepts", "concept_cuis"))
"""Header names of the concept column, lower case."""
CUI = re.compile(r"C[0-9]{7}\Z")
_UNSPLIT = re.compile(r"[^A-Za-z0-9]C[0-9]{7}\b")
_COLUMNS = "A row has two cells, the image id and its concepts"
_WAY_OUT = "A CUI is the letter C and seven digits, such as C0040405."


@dataclass(frozen=True, slots=True, eq=False)
class ConceptRows:
    """Concepts by image id as the file has them: None for "not annotated", () for "nothing"."""

    sets: Mapping[str, tuple[str, ...] | None]
    format: str
    rows: int


@reader(lambda _: ConceptRows({}, "", 0))
def parse_concepts(data: bytes, *, file: str, format: str | None = None) -> tuple[ConceptRows, Report]:
    """Read a concept file of any of the formats above.

    Parameters
    ----------
    data : content of the file, gzipped or not.
    file : its name in messages.
    format : one of ``CONCEPT_FORMATS`` to overrule what the content looks like.

    Returns
    -------
    rows, report : the readable rows (none when nothing is), and every problem.
    """
    found = Problems(file)
    text = decode(data, found)
    if text is None:
        return ConceptRows({}, format or "rocov2", 0), found.report()
    if format is not None and format not in CONCEPT_FORMATS:
        message = f"There is no concept format {tables.quoted(format)}; it was recognised from the content."
        found.error("unknown-format", message, f"Choose one of {', '.join(CONCEPT_FORMATS)}.", value=format)
        format = None
    tabs = tables.guess_delimiter(text, "\t,") == "\t" if format is None else format != "rocov2"
    rows = tables.read_rows(text, found, delimiter="\t" if tabs else ",")
    rows = _select_columns(rows, several=tabs)
    known = format or _recognise(rows, tabs=tabs)
    if known != "roco2018":
        rows = _two_cells(rows, found)
    return ConceptRows(
        _collect(rows, found, "," if known == "clef2017" else ";"), known, len(rows)
    ), found.report()


def clean_cuis(row: Row, values: Iterable[str], found: Problems) -> tuple[str, ...] | None:
    """The well-formed CUIs of one image in order, each once; None when none of several can be read."""
    kept: dict[str, None] = {}
    given = bad = 0
    for value in values:
        cui = value.strip()
        if not cui:
            continue
        given += 1
        if not CUI.match(cui):
            upper = cui.upper()
            if not CUI.match(upper):
                bad += 1
                message = f"{tables.quoted(cui)} is not a CUI; it is left out."
                found.error("malformed-cui", message, _WAY_OUT, line=row.line, value=cui)
                continue
            found.warning(
                "lower-case-cui", f"{cui!r} was read as {upper}.", _WAY_OUT, line=row.line, value=cui
            )
            cui = upper
        if cui in kept:
            message = f"{cui} is given twice for {tables.quoted(row.cells[0])}; it counts once."
            found.warning("repeated-cui", message, "Remove the repetition.", line=row.line, value=cui)
        kept[cui] = None
    return None if given and bad == given else tuple(kept)


def _select_columns(rows: list[Row], *, several: bool) -> list[Row]:
    """Drop the header; in a wider table keep the id and the concept column that it names."""
    if not rows or not _is_header(rows[0].cells):
        return rows
    header = rows[0].cells
    at = tables.named(header[1:], CUI_NAMES)
    if len(header) <= 2 or at is None or several:
        return rows[1:]
    image = tables.named(header, tables.ID_NAMES) or 0
    return [
        Row(row.line, [row.cells[image], row.cells[at + 1]] if len(row.cells) == len(header) else row.cells)
        for row in rows[1:]
    ]


def _is_header(cells: Sequence[str]) -> bool:
    return cells[0].lower() in tables.ID_NAMES or tables.named(cells[1:], CUI_NAMES) is not None


def _recognise(rows: Sequence[Row], *, tabs: bool) -> ConceptFormat:
    """Between the two TAB formats: whichever separator more rows use; files of single concepts fit both."""
    if not tabs:
        return "rocov2"
    several = sum(len(row.cells) > 2 or ";" in row.cells[-1] for row in rows)
    commas = sum("," in row.cells[-1] for row in rows if len(row.cells) == 2)
    return "clef2017" if commas > several else "roco2018"


def _two_cells(rows: Sequence[Row], found: Problems) -> list[Row]:
    kept = []
    for row in rows:
        if len(row.cells) > 2:
            tables.report_columns(
                found,
                row,
                "A row has two cells, the image id and its concepts",
                "Separate the concepts with ';'.",
            )
        else:
            kept.append(row)
    return kept


def _collect(rows: Iterable[Row], found: Problems, separator: str) -> dict[str, tuple[str, ...] | None]:
    sets: dict[str, tuple[str, ...] | None] = {}
    first: dict[str, int] = {}
    for row in rows:
        image = row.cells[0]
        if not image:
            tables.report_missing_id(found, row)
        elif len(row.cells) == 1 and _UNSPLIT.search(image):
            tables.report_columns(
                found, row, _COLUMNS, "Write the id, a comma, then the concepts with ';' between."
            )
        elif image in first:
            tables.report_duplicate_id(found, row.line, image, first[image])
        else:
            first[image] = row.line
            values = [part for cell in row.cells[1:] for part in cell.split(separator)]
            sets[image] = clean_cuis(row, values, found) if len(row.cells) > 1 else None
    return sets
