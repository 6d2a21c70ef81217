"""Concept sets of images: ``ID,CUIs``, a comma or a TAB after the id and ``;`` between concepts.

A header is optional. A row that is only an id is an image nobody annotated; an id with an empty
concept cell is annotated with nothing.

Concepts are identifiers of one scheme (see `concept_scheme`), CUIs unless ``study.toml`` says otherwise
or most of them are plainly of another. A CUI is ``C`` and seven digits. A lower-case ``c`` is read as
``C``, as the official ImageCLEF scripts do, with a warning; so is another case of a prefix. Anything else
is an error: that value is left out, the image keeps its other concepts, and an image without any readable
one counts as not annotated, because what it carries is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

import numpy as np

from evalcore.study.tables import tables
from evalcore.study.tables.ids import hint, positions, report_unlisted
from evalcore.study.tables.lines import decode
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.tables import Row
from evalcore.values.arrays import Ints, digest_of, frozen
from evalcore.values.concept_scheme import UMLS, belongs, form, in_words, read_as, recognised
from evalcore.values.errors import Report
from evalcore.values.model import Captions

Concepts = tuple[str, ...]
"""The concepts of an image."""
Sets = Mapping[str, Concepts | None]
"""Concepts by image id; None for "not annotated", () for "nothing"."""
CUI_NAMES = frozenset(("cui", "cuis", "concept", "concepts", "concept_cuis"))
"""Header names of the concept column, lower case."""
_UNSPLIT = re.compile(r"[^A-Za-z0-9]C[0-9]{7}\b")
_UNSPLIT_OTHERS = re.compile(r"[;| ](?:[A-Za-z][\w.-]*:\w|\S+\.[nvars]\.[0-9]{2})")
_COLUMNS = "A row has two cells, the image id and its concepts"
_LOOKED_AT = 200_000
"""Most concepts that are looked at to recognise their scheme."""


@dataclass(frozen=True, slots=True, eq=False)
class ConceptRows:
    """Concepts by image id as the file has them."""

    sets: Sets
    rows: int
    scheme: str = UMLS


@reader(lambda _: ConceptRows({}, 0))
def parse_concepts(
    data: bytes, *, file: str, scheme: str | None = None, also: str | None = None
) -> tuple[ConceptRows, Report]:
    """Read a concept file.

    Parameters
    ----------
    data : content of the file, gzipped or not.
    file : its name in messages.
    scheme : which identifiers the concepts are; None to recognise them, with a remark unless they are CUIs.
    also : a second scheme that some of them may be of, because a mapping translates the others into it.

    Returns
    -------
    rows, report : the readable rows (none when nothing is), and every problem.
    """
    problems = Problems(file)
    text = decode(data, problems)
    if text is None:
        return ConceptRows({}, 0), problems.report()
    rows = tables.read_rows(text, problems, delimiter=tables.guess_delimiter(text, "\t,"))
    rows = _two_cells(_select_columns(rows), problems)
    of = scheme or recognise(_values(rows), problems)
    return ConceptRows(_collect(rows, problems, of, also), len(rows), of), problems.report()


def recognise(values: Iterable[str], problems: Problems) -> str:
    """The scheme of these concepts; a remark says which, unless they are CUIs."""
    given = (text for value in values if (text := value.strip()))
    looked_at = list(islice(given, _LOOKED_AT))
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
    """The well-formed concepts of one image in order, each once; None when none of several can be read."""
    kept: dict[str, None] = {}
    given = bad = 0
    noun = "cui" if scheme == UMLS else "concept"
    for value in values:
        text = value.strip()
        if not text:
            continue
        given += 1
        concept = text if also is not None and belongs(text, also) else read_as(text, scheme)
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
        kept[concept] = None
    return None if given and bad == given else tuple(kept)


def _select_columns(rows: list[Row]) -> list[Row]:
    """Drop the header; in a wider table keep the id and the concept column that it names."""
    if not rows or not _is_header(rows[0].cells):
        return rows
    header = rows[0].cells
    at = tables.named(header[1:], CUI_NAMES)
    if len(header) <= 2 or at is None:
        return rows[1:]
    image = tables.named(header, tables.ID_NAMES) or 0
    return [
        Row(row.line, [row.cells[image], row.cells[at + 1]] if len(row.cells) == len(header) else row.cells)
        for row in rows[1:]
    ]


def _is_header(cells: Sequence[str]) -> bool:
    return cells[0].lower() in tables.ID_NAMES or tables.named(cells[1:], CUI_NAMES) is not None


def _two_cells(rows: Sequence[Row], problems: Problems) -> list[Row]:
    kept = []
    for row in rows:
        if len(row.cells) > 2:
            tables.report_columns(problems, row, _COLUMNS, "Separate the concepts with ';'.")
        else:
            kept.append(row)
    return kept


def _values(rows: Iterable[Row]) -> Iterable[str]:
    return (part for row in rows for cell in row.cells[1:] for part in cell.split(";"))


def _collect(
    rows: Iterable[Row], problems: Problems, scheme: str, also: str | None
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
            values = _values([row])
            sets[image] = clean_concepts(row, values, problems, scheme, also) if len(row.cells) > 1 else None
    return sets


# Lists of image ids, one per line: ``queries.txt`` and ``candidates.txt``.


@dataclass(frozen=True, slots=True, eq=False)
class IdRows:
    """Ids in file order with the line of each; ``header``: what the first row is, if it may be a header."""

    ids: tuple[str, ...]
    lines: tuple[int, ...]
    header: str
    file: str

    @property
    def rows(self) -> int:
        return len(self.ids)


@reader(lambda file: IdRows((), (), "", file))
def parse_id_list(data: bytes, *, file: str) -> tuple[IdRows, Report]:
    """Read a list of ids. A header such as ``ID`` is optional, and so are further columns."""
    problems = Problems(file)
    rows = tables.rows_of(data, problems)
    header = rows[0].cells[0] if rows and rows[0].cells[0].lower() in tables.ID_NAMES else ""
    rows = rows[1:] if header else rows
    ids, lines = tuple(row.cells[0] for row in rows), tuple(row.line for row in rows)
    return IdRows(ids, lines, header, file), problems.report()


@reader(lambda _: None)
def bind_id_list(rows: IdRows, image_ids: Sequence[str]) -> tuple[Ints | None, Report]:
    """Image indices of a list of ids, ascending, each once; None when no id is usable.

    Unknown ids are errors and left out, repeated ids a warning. What may be a header is an id where an image
    is called so.
    """
    problems = Problems(rows.file)
    places = positions((rows.header, *rows.ids), image_ids)
    missing = np.flatnonzero(places[1:] < 0).tolist()
    if missing:
        unknown = [rows.ids[i] for i in missing]
        problems.each(
            "error",
            "unknown-id",
            "No concept set contains the image '{value}'; it is left out.",
            hint(unknown, image_ids) or "Use the ids of the concept file.",
            lines=[rows.lines[i] for i in missing],
            values=unknown,
        )
    listed = places[places >= 0]
    indices = np.unique(listed)
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
def bind_captions(
    rows: CaptionRows, image_ids: Sequence[str], of_queries: Mapping[str, str] = MappingProxyType({})
) -> tuple[Captions | None, Report]:
    """Align captions with the images of a study; images without text and unknown ids are counted.

    ``of_queries``: texts of queries, for those without a caption. None, with an error, where no caption is
    about an image of the study and there are no such texts.
    """
    problems = Problems(rows.file)
    texts = tuple({**of_queries, **rows.texts}.get(image) for image in image_ids)
    if not report_unlisted(problems, rows.texts, image_ids, "captions are about images") and not of_queries:
        return None, problems.report()
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
