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
from evalcore.study.tables.ids import explain_id_mismatch, positions, report_unlisted
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import IMAGE, Column, Rows, Schema, no_rows
from evalcore.study.tables.tables import Row
from evalcore.values.arrays import Ints, digest_of, readonly
from evalcore.values.concept_scheme import UMLS, form, in_words, read_as, recognised
from evalcore.values.model import Captions

Concepts = tuple[str, ...]
"""The concepts of an image."""
ConceptsById = Mapping[str, Concepts | None]
"""Concepts by image id; None for "not annotated", () for "nothing"."""
CUI_NAMES = ("cui", "cuis", "concept", "concepts", "concept_cuis")
"""Header names of the concept column, lower case."""
CONCEPTS = Schema(
    (IMAGE, Column(CUI_NAMES, empty=None)),
    remedy="Separate the concepts with ';'.",
    header="any",
    widths=(2,),
    short=True,
    keys=("id",),
    delimiters="\t,",
)
_UNSPLIT = re.compile(r"[^A-Za-z0-9]C[0-9]{7}\b")
_UNSPLIT_OTHERS = re.compile(r"[;| ](?:[A-Za-z][\w.-]*:\w|\S+\.[nvars]\.[0-9]{2})")
_LOOKED_AT = 200_000
"""Most concepts that are looked at to recognise their scheme."""


@dataclass(frozen=True, slots=True, eq=False)
class ConceptRows:
    """Concepts by image id as the file has them."""

    sets: ConceptsById
    rows: int
    scheme: str = UMLS


@reader(lambda _: ConceptRows({}, 0))
def parse_concepts(data: bytes, problems: Problems, *, scheme: str | None = None) -> ConceptRows:
    """Read a concept file.

    Parameters
    ----------
    data : content of the file, gzipped or not.
    file : its name in messages.
    scheme : which identifiers the concepts are; None to recognise them, with a remark unless they are CUIs.

    Returns
    -------
    rows, report : the readable rows (none when nothing is), and every problem.
    """
    rows = read(data, CONCEPTS, problems)
    cells = rows.cells("cui")
    of = scheme or recognise((value for cell in cells for value in (cell or "").split(";")), problems)
    unsplit = _UNSPLIT if of == UMLS else _UNSPLIT_OTHERS
    sets: dict[str, Concepts | None] = {}
    for image, cell, line in zip(rows.texts("id"), cells, rows.lines.tolist(), strict=True):
        row = Row(line, [image])
        if cell is not None:
            sets[image] = clean_concepts(row, cell.split(";"), problems, of)
        elif unsplit.search(image):
            remedy = "Write the id, a comma, then the concepts with ';' between."
            tables.report_columns(problems, row, "A row has two cells, the image id and its concepts", remedy)
        else:
            sets[image] = None
    return ConceptRows(sets, rows.rows, of)


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
    row: Row, values: Iterable[str], problems: Problems, scheme: str = UMLS
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
        concept = read_as(text, scheme)
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


# Lists of image ids, one per line: ``queries.txt`` and ``candidates.txt``.


IDS = Schema((IMAGE,), remedy="Write an id per line.", header="any", ragged=True)


@reader(lambda file: no_rows(file, IDS))
def parse_id_list(data: bytes, problems: Problems) -> Rows:
    """Read a list of ids. A header such as ``ID`` is optional, and so are further columns."""
    return read(data, IDS, problems)


@reader(lambda _: None)
def bind_id_list(rows: Rows, problems: Problems, image_ids: Sequence[str]) -> Ints | None:
    """Image indices of a list of ids, ascending, each once; None when no id is usable.

    Unknown ids are errors and left out, repeated ids a warning.
    """
    ids = rows.texts("id")
    images = positions(ids, image_ids)
    missing = np.flatnonzero(images < 0).tolist()
    if missing:
        remedy = (
            explain_id_mismatch([ids[i] for i in missing], image_ids)
            or "Correct the id, or add the image to the concept file."
        )
        problems.each(
            "error",
            "unknown-id",
            "No concept set contains the image '{value}'; it is left out.",
            remedy,
            lines=rows.lines[missing].tolist(),
            values=[ids[i] for i in missing],
        )
    listed = images[images >= 0]
    indices = np.unique(listed)
    problems.add_summary(
        "repeated-id", len(listed) - len(indices), "{n} ids are repeated; each counts once.", ""
    )
    return readonly(indices) if len(indices) else None


# Captions: ``ID,Caption``, one row per image; cells with commas or line breaks stand in quotes.

CAPTION_NAMES = ("caption", "captions", "text", "description")
"""Header names of the caption column, lower case."""
CAPTIONS = Schema(
    (IMAGE, Column(CAPTION_NAMES, empty=None)),
    remedy='Put a caption that contains commas into double quotes: ID,"one, two".',
    header="any",
    widths=(2,),
    keys=("id",),
)


@dataclass(frozen=True, slots=True, eq=False)
class CaptionRows:
    """Captions by image id as the file has them; empty cells are left out."""

    texts: Mapping[str, str]
    rows: int
    file: str


@reader(lambda file: CaptionRows({}, 0, file))
def parse_captions(data: bytes, problems: Problems) -> CaptionRows:
    """Read a caption file (comma, semicolon or TAB; header optional; a wider table by column name).

    An empty caption cell is an image without caption, not an error.
    """
    rows = read(data, CAPTIONS, problems)
    texts = zip(rows.texts("id"), rows.texts("caption"), strict=True)
    return CaptionRows({image: text for image, text in texts if text}, rows.rows, problems.file)


@reader(lambda _: None)
def bind_captions(
    rows: CaptionRows,
    problems: Problems,
    image_ids: Sequence[str],
    of_queries: Mapping[str, str] = MappingProxyType({}),
) -> Captions | None:
    """Align captions with the images of a study; images without text and unknown ids are counted.

    ``of_queries``: texts of queries, for those without a caption. None, with an error, where no caption is
    about an image of the study and there are no such texts.
    """
    texts = tuple({**of_queries, **rows.texts}.get(image) for image in image_ids)
    if not report_unlisted(problems, rows.texts, image_ids, "captions are about images") and not of_queries:
        return None
    without = [image for image, text in zip(image_ids, texts, strict=True) if text is None]
    message = f"{{n}} of {len(texts):,} images have no caption."
    problems.add_summary("no-caption", without, message, "They are shown by their concepts.")
    return Captions(texts, digest_of([t if t is not None else "\0" for t in texts]))
