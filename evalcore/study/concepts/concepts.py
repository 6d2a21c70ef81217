"""Concept sets of images: ``ID,CUIs`` and the older ImageCLEF and ROCO forms.

| format   | between id and concepts | between concepts        | used by                         |
|----------|-------------------------|-------------------------|---------------------------------|
| rocov2   | ``,``                   | ``;``                   | ROCOv2, ImageCLEF 2023 and later |
| clef2017 | TAB                     | ``,``                   | ImageCLEF 2017, 2018            |
| roco2018 | TAB                     | ``;`` or several TABs   | ROCO 2018, ImageCLEF 2019       |

A header is optional. A row that is only an id is an image nobody annotated; an id with an empty
concept cell is annotated with nothing.

Concepts are identifiers of one scheme (see `concept_scheme`), CUIs unless ``study.toml`` says otherwise
or most of them are plainly of another. A CUI is ``C`` and seven digits. A lower-case ``c`` is read as
``C``, as the official ImageCLEF scripts do, with a warning; so is another case of a prefix. Anything else
is an error: that value is left out, the image keeps its other concepts, and an image without any readable
one counts as not annotated, because what it carries is not known.

A concept may have an amount behind a colon, ``C0040405:0.4``: see ``amounts``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

import numpy as np

from evalcore.study.concepts.amounts import (
    REMEDY,
    Concepts,
    amount_in,
    divided,
    keep_larger,
    report_without,
    without_amount,
)
from evalcore.study.tables import tables
from evalcore.study.tables.ids import hint, report_unlisted
from evalcore.study.tables.lines import decode
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.tables import Row
from evalcore.values.arrays import Ints, digest_of, frozen
from evalcore.values.concept_scheme import UMLS, belongs, form, in_words, read_as, recognised
from evalcore.values.errors import Report
from evalcore.values.model import Captions

ConceptFormat = Literal["rocov2", "clef2017", "roco2018"]
CONCEPT_FORMATS: tuple[str, ...] = get_args(ConceptFormat)
CUI_NAMES = frozenset(("cui", "cuis", "concept", "concepts", "concept_cuis"))
"""Header names of the concept column, lower case."""
_UNSPLIT = re.compile(r"[^A-Za-z0-9]C[0-9]{7}\b")
_UNSPLIT_OTHERS = re.compile(r"[;| ](?:[A-Za-z][\w.-]*:\w|\S+\.[nvars]\.[0-9]{2})")
_COLUMNS = "A row has two cells, the image id and its concepts"
_LOOKED_AT = 200_000
"""Most concepts that are looked at to recognise their scheme."""


@dataclass(frozen=True, slots=True, eq=False)
class ConceptRows:
    """Concepts by image id as the file has them: None for "not annotated", () for "nothing"."""

    sets: Mapping[str, Concepts | None]
    format: str
    rows: int
    scheme: str = UMLS


@reader(lambda _: ConceptRows({}, "", 0))
def parse_concepts(
    data: bytes, *, file: str, format: str | None = None, scheme: str | None = None, also: str | None = None
) -> tuple[ConceptRows, Report]:
    """Read a concept file of any of the formats above.

    Parameters
    ----------
    data : content of the file, gzipped or not.
    file : its name in messages.
    format : one of ``CONCEPT_FORMATS`` to overrule what the content looks like.
    scheme : which identifiers the concepts are; None to recognise them, with a remark unless they are CUIs.
    also : a second scheme that some of them may be of, because a mapping translates the others into it.

    Returns
    -------
    rows, report : the readable rows (none when nothing is), and every problem.
    """
    problems = Problems(file)
    text = decode(data, problems)
    if text is None:
        return ConceptRows({}, format or "rocov2", 0), problems.report()
    if format is not None and format not in CONCEPT_FORMATS:
        message = f"There is no concept format {tables.quoted(format)}; it was recognised from the content."
        problems.error(
            "unknown-format", message, f"Choose one of {', '.join(CONCEPT_FORMATS)}.", value=format
        )
        format = None
    tabs = tables.guess_delimiter(text, "\t,") == "\t" if format is None else format != "rocov2"
    rows = tables.read_rows(text, problems, delimiter="\t" if tabs else ",")
    rows = _select_columns(rows, several=tabs)
    known = format or _recognise(rows, tabs=tabs)
    if known != "roco2018":
        rows = _two_cells(rows, problems)
    separator = "," if known == "clef2017" else ";"
    of = scheme or recognise(_values(rows, separator), problems)
    return ConceptRows(_collect(rows, problems, separator, of, also), known, len(rows), of), problems.report()


def recognise(values: Iterable[str], problems: Problems) -> str:
    """The scheme of these concepts; a remark says which, unless they are CUIs."""
    given = (text for value in values if (text := value.strip()))
    looked_at = [without_amount(text) if ":" in text else text for text in islice(given, _LOOKED_AT)]
    scheme = recognised(looked_at)
    if scheme != UMLS:
        example = next(text for text in looked_at if read_as(text, scheme))
        message = f"The concepts are no CUIs; they are read as {in_words(scheme)}s, such as {example}."
        remedy = f'To be sure write scheme = "{scheme}" at the top of study.toml.'
        problems.warning("recognised-scheme", message, remedy, value=example)
    return scheme


def clean_concepts(
    row: Row, values: Iterable[str], problems: Problems, scheme: str = UMLS, also: str | None = None
) -> Concepts | None:
    """The well-formed concepts of one image in order, each once; None when none of several can be read.

    With their amounts where at least one has an amount; of a concept that is listed twice the larger counts.
    """
    kept: dict[str, float | None] = {}
    given = bad = measured = 0
    noun = "cui" if scheme == UMLS else "concept"
    for value in values:
        text = value.strip()
        if not text:
            continue
        given += 1
        concept = text if also is not None and belongs(text, also) else read_as(text, scheme)
        amount = None
        if concept is None and (parts := divided(text, scheme, also)) is not None:
            concept, written = parts
            amount = amount_in(written)
            if amount is None:
                bad += 1
                message = f"{tables.quoted(written)} is not an amount of {concept}, which is left out."
                problems.error("malformed-amount", message, REMEDY, line=row.line, value=text)
                continue
            measured += 1
            text = text[: text.rindex(":")].strip()
        if concept is None:
            bad += 1
            message = f"{tables.quoted(text)} is not a {in_words(scheme)}; it is left out."
            problems.error(f"malformed-{noun}", message, form(scheme), line=row.line, value=text)
            continue
        if concept != text:
            message = f"{text!r} was read as {concept}."
            problems.warning(f"lower-case-{noun}", message, form(scheme), line=row.line, value=text)
        if concept in kept:
            message = f"{concept} is listed twice for {tables.quoted(row.cells[0])}; it counts once."
            problems.warning(
                f"repeated-{noun}", message, "Remove the repetition.", line=row.line, value=concept
            )
        keep_larger(kept, concept, amount)
    if given and bad == given:
        return None
    return kept if measured else tuple(kept)


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


def _two_cells(rows: Sequence[Row], problems: Problems) -> list[Row]:
    kept = []
    for row in rows:
        if len(row.cells) > 2:
            tables.report_columns(problems, row, _COLUMNS, "Separate the concepts with ';'.")
        else:
            kept.append(row)
    return kept


def _values(rows: Iterable[Row], separator: str) -> Iterable[str]:
    return (part for row in rows for cell in row.cells[1:] for part in cell.split(separator))


def _collect(
    rows: Iterable[Row], problems: Problems, separator: str, scheme: str, also: str | None
) -> dict[str, Concepts | None]:
    unsplit = _UNSPLIT if scheme == UMLS else _UNSPLIT_OTHERS
    sets: dict[str, Concepts | None] = {}
    first: dict[str, int] = {}
    for row in rows:
        image = row.cells[0]
        if not image:
            tables.report_missing_id(problems, row)
        elif len(row.cells) == 1 and unsplit.search(image):
            tables.report_columns(
                problems, row, _COLUMNS, "Write the id, a comma, then the concepts with ';' between."
            )
        elif image in first:
            tables.report_duplicate_id(problems, row.line, image, first[image])
        else:
            first[image] = row.line
            values = _values([row], separator)
            sets[image] = clean_concepts(row, values, problems, scheme, also) if len(row.cells) > 1 else None
    report_without(sets.values(), problems)
    return sets


# Lists of image ids, one per line: ``queries.txt`` and ``candidates.txt``.


@reader(lambda _: None)
def parse_id_list(data: bytes, *, file: str, image_ids: Sequence[str]) -> tuple[Ints | None, Report]:
    """Image indices of a list of ids, ascending, each once; None when no id is usable.

    A header such as ``ID`` is optional, and so are further columns. Unknown ids are errors and left
    out, repeated ids a warning.
    """
    problems = Problems(file)
    rows = tables.rows_of(data, problems)
    position = {image: i for i, image in enumerate(image_ids)}
    if rows and rows[0].cells[0].lower() in tables.ID_NAMES and rows[0].cells[0] not in position:
        rows = rows[1:]
    missing = [row for row in rows if row.cells[0] not in position]
    if missing:
        remedy = hint([row.cells[0] for row in missing], image_ids) or "Use the ids of the concept file."
        problems.each(
            "error",
            "unknown-id",
            "No concept set contains the image '{value}'; it is left out.",
            remedy,
            lines=[row.line for row in missing],
            values=[row.cells[0] for row in missing],
        )
    listed = [position[row.cells[0]] for row in rows if row.cells[0] in position]
    indices = np.unique(np.asarray(listed, np.int32))
    repeated = len(listed) - len(indices)
    problems.counted("repeated-id", repeated, "{n} ids are repeated; each counts once.", "")
    return (frozen(indices) if len(indices) else None), problems.report()


# Captions: ``ID,Caption``, one row per image; cells with commas or line breaks stand in quotes.

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
    problems = Problems(file)
    image, caption, width, rows = _columns(tables.rows_of(data, problems))
    remedy = 'Put a caption that contains commas into double quotes: ID,"one, two".'
    expected = f"A row has {width} cells"
    usable = tables.rows_of_images(rows, problems, width, remedy, image=image, expected=expected)
    texts = {row.cells[image]: row.cells[caption] for row in usable}
    return CaptionRows({i: t for i, t in texts.items() if t}, len(texts), file), problems.report()


@reader(lambda _: None)
def bind_captions(rows: CaptionRows, image_ids: Sequence[str]) -> tuple[Captions | None, Report]:
    """Align captions with the images of a study; images without text and unknown ids are counted."""
    problems = Problems(rows.file)
    texts = tuple(map(rows.texts.get, image_ids))
    report_unlisted(problems, rows.texts, image_ids, "captions are about images")
    without = [image for image, text in zip(image_ids, texts, strict=True) if text is None]
    message = f"{{n}} of {len(texts):,} images have no caption."
    problems.counted("no-caption", without, message, "They are shown by their concepts.")
    return Captions(texts, digest_of([t if t is not None else "\0" for t in texts])), problems.report()


def _columns(rows: list[Row]) -> tuple[int, int, int, list[Row]]:
    """Positions of id and caption, the number of cells of a row, and the rows below the header."""
    header = rows[0].cells if rows else []
    caption = tables.named(header, CAPTION_NAMES)
    image = tables.named(header, tables.ID_NAMES)
    if caption is None and image != 0:
        return 0, 1, 2, rows
    return image or 0, 1 if caption is None else caption, max(2, len(header)), rows[1:]
