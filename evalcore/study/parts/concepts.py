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

import io
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from evalcore.study.parts.kind import PartKind, Table, tables_named
from evalcore.study.tables.files import open_file, reader
from evalcore.study.tables.frames import as_pandas, columns_called, is_missing, items
from evalcore.study.tables.load import read
from evalcore.study.tables.parquet import parquet_schema
from evalcore.study.tables.problems import Problems, guarded, quoted, truncate
from evalcore.study.tables.schema import IMAGE, MISSING_ID, Column, Rows, Schema, no_rows, rows_of
from evalcore.study.tables.tables import named
from evalcore.study.workspace.file_names import safe_name
from evalcore.values.arrays import digest_of
from evalcore.values.concept_scheme import UMLS, describe, form, read_as, recognised
from evalcore.values.model import ConceptSets
from evalcore.values.writing import pluralize

Concepts = tuple[str, ...]
"""The concepts of an image."""
ConceptsById = Mapping[str, Concepts | None]
"""Concepts by image id; None for "not annotated", () for "nothing"."""
CUI_NAMES = ("cui", "cuis", "concept", "concepts", "concept_cuis")
CAPTION_NAMES = ("caption", "captions", "text", "description")
"""Header names of the columns of concepts and of captions, lower case."""
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
    """Concepts by image id as the files have them.

    Of shards of parquet also ``captions``; of those read from disk ``images``: the folder of the shards,
    where in it each image lies (its id: "shard.parquet#row", rows counted from 0), and a digest.
    """

    sets: ConceptsById
    rows: int
    scheme: str = UMLS
    captions: Rows | None = None
    images: tuple[Path, Mapping[str, str], str] | None = None


@reader(lambda _: ConceptRows({}, 0))
def parse_concepts(data: bytes, problems: Problems, *, scheme: str | None = None) -> ConceptRows:
    """The readable rows of a concept file; none when nothing is. A file of parquet is a shard.

    ``scheme``: which identifiers they are; None to recognise them, with a remark unless they are CUIs.
    """
    if isinstance(data, bytes) and data[:4] == b"PAR1":
        return read_shards({problems.file: data}, problems, scheme=scheme)
    rows = read(data, CONCEPTS, problems)
    cells = rows.data["cui"].to_pylist()  # None in a row that is only an id
    scheme = scheme or recognise(cells, problems)
    unsplit = _UNSPLIT if scheme == UMLS else _UNSPLIT_OTHERS
    sets: dict[str, Concepts | None] = {}
    for image, cell, line in zip(rows.texts("id"), cells, rows.lines.tolist(), strict=True):
        if cell is not None or not unsplit.search(image):
            sets[image] = clean_concepts(image, cell, line, problems, scheme)
            continue
        message = "A row has two cells, the image id and its concepts; this row is left out."
        remedy = "Write the id, a comma, then the concepts with ';' between."
        problems.error("wrong-columns", message, remedy, line=line, value=image)
    return ConceptRows(sets, rows.rows, scheme)


def recognise(cells: Iterable[str | None], problems: Problems) -> str:
    """The scheme of the concepts in these cells; a remark says which, unless they are CUIs."""
    values = (text for cell in cells for value in (cell or "").split(";") if (text := value.strip()))
    looked_at = list(islice(values, _LOOKED_AT))
    scheme = recognised(looked_at)
    if scheme != UMLS:
        example = next(text for text in looked_at if read_as(text, scheme))
        message = f"The concepts are no CUIs; they are read as {describe(scheme)}s, such as {example}."
        remedy = f'To be sure write scheme = "{scheme}" at the top of study.toml.'
        problems.warning("recognised-scheme", message, remedy, value=example)
    return scheme


def clean_concepts(
    image: str, cell: str | None, line: int, problems: Problems, scheme: str
) -> Concepts | None:
    """The well-formed concepts of a cell in order, each once.

    None where there is no cell, and where none of several concepts can be read.
    """
    values = [text for value in (cell or "").split(";") if (text := value.strip())]
    noun = "cui" if scheme == UMLS else "concept"
    kept: dict[str, None] = {}
    for text in values:
        concept = read_as(text, scheme)
        if concept is None:
            message = f"{quoted(text)} is not a {describe(scheme)}; it is left out."
            problems.error(f"malformed-{noun}", message, form(scheme), line=line, value=text)
            continue
        if concept != text:
            message = f"{text!r} was read as {concept}."
            problems.warning(f"lower-case-{noun}", message, form(scheme), line=line, value=text)
        if concept in kept:
            message = f"{concept} is listed twice for {quoted(image)}; it counts once."
            problems.warning(f"repeated-{noun}", message, "Remove the repetition.", line=line, value=concept)
        kept[concept] = None
    return None if cell is None or (values and not kept) else tuple(kept)


# The Hugging Face form of ROCOv2: parquet shards with image, id, caption and concept list in each row.
#
# ``eltorio/ROCOv2-radiology`` has the columns ``image`` (struct of bytes and path), ``image_id``, ``caption``
# and ``cui`` (list of texts). Shards are read one by one, without the image bytes.

SHARD = Schema(
    (
        Column(("image_id", "id", "imageid"), empty=MISSING_ID),
        Column(CUI_NAMES, empty=None, lists=True),
        Column(CAPTION_NAMES, required=False, empty=None),
    ),
    remedy="Give the shards of ROCOv2 as Hugging Face stores them.",
)


def read_shards(
    shards: Mapping[str, Path | bytes], problems: Problems, *, scheme: str | None = None
) -> ConceptRows:
    """Concepts, captions and image places of parquet shards, one shard at a time.

    Parameters
    ----------
    shards : by what messages call each, its path or its content, in the order in which they are read; at
        least one.
    scheme : see `parse_concepts`; without it the first shard with concepts decides.

    Returns
    -------
    rows : null concepts mean "not annotated", an empty list "nothing". A damaged shard, or one without the
        needed columns, is an error and left out; line numbers count rows from 1.
    """
    paths = {name: shard if isinstance(shard, Path) else Path(name) for name, shard in shards.items()}
    folder = Path(os.path.commonpath([path.parent for path in paths.values()]))
    sets: dict[str, Concepts | None] = {}
    captions: dict[str, str] = {}
    places: dict[str, str] = {}
    first: dict[str, str] = {}
    sizes: list[int] = []
    for called, source in shards.items():
        name, of_shard = paths[called].relative_to(folder).as_posix(), problems.of(called)
        shard, has_images, size = guarded(of_shard, partial(_read_shard, source), _NOTHING)
        sizes.append(size)
        cells = shard.data["cui"].to_pylist()
        scheme = scheme or (recognise(cells, of_shard) if any(cells) else None)
        columns = shard.texts("image_id"), cells, shard.texts(CAPTION_NAMES[0]), shard.lines.tolist()
        for image, cell, text, line in zip(*columns, strict=True):
            if image in first:
                message = f"The image {quoted(image)} is already in {first[image]}; this row is left out."
                of_shard.error("duplicate-id", message, "Keep one row per image.", line=line, value=image)
                continue
            first[image] = f"row {line} of {name}"
            sets[image] = clean_concepts(image, cell, line, of_shard, scheme or UMLS)
            captions |= {image: text} if text else {}
            places |= {image: f"{name}#{line - 1}"} if has_images and isinstance(source, Path) else {}
    texts = rows_of([("id", list(captions)), ("caption", list(captions.values()))], problems.file)
    digest = digest_of(list(places), list(places.values()), sizes)
    images = (folder, places, digest) if places else None
    return ConceptRows(sets, len(sets), scheme or UMLS, texts if captions else None, images)


_NOTHING = no_rows("", SHARD), False, 0


def _read_shard(source: Path | bytes, problems: Problems) -> tuple[Rows, bool, int]:
    """The rows of a shard, whether it holds images, and its size.

    Images are structs with ``bytes`` in a column ``image``, as Hugging Face stores them.
    """
    with open_file(source) if isinstance(source, Path) else io.BytesIO(source) as stream:
        size = stream.seek(0, os.SEEK_END)
        rows = read(stream, SHARD, problems)
        schema = parquet_schema(stream, Problems(problems.file)) if rows.rows else None
    kind = schema.field("image").type if schema is not None and "image" in schema.names else pa.null()
    return rows, bool(pa.types.is_struct(kind)) and kind.get_field_index("bytes") >= 0, size


# Out of memory, and into a file.


def _of_object(value: Any, _problems: Problems) -> Table:
    """{image: concepts}, or a DataFrame: a row per image (``CUIs``), or per image and concept (``CUI``).

    Concepts: texts, or one text with ";" between. None in a dict: nobody annotated the image. An empty list
    or text, and an empty cell of a DataFrame (as of its CSV): annotated with nothing.
    """
    if isinstance(value, ConceptSets):
        return _table_of(value)
    table = as_pandas(value)
    if table is None:
        return ("ID", "CUIs"), items(value)
    ids, concepts = columns_called(table, IMAGE.names), columns_called(table, CUI_NAMES)
    if not (ids and concepts):
        raise ValueError(f"its columns are {truncate(', '.join(map(str, table.columns)))}")
    pairs = zip(table[ids[0]].tolist(), table[concepts[0]].tolist(), strict=True)
    rows: list[tuple[Any, Any]] = [(image, "" if is_missing(cell) else cell) for image, cell in pairs]
    if str(concepts[0]).strip().lower() in ("cui", "concept"):
        sets_of: dict[Any, list[Any]] = {}
        for image, concept in rows:
            sets_of.setdefault(image, []).append(concept)
        rows = list(sets_of.items())
    return ("ID", "CUIs"), rows


def _table_of(sets: ConceptSets) -> Table:
    """The concepts of each image; those of queries that are none are in the table of queries."""
    images = (~sets.only).nonzero()[0].tolist()
    return ("ID", "CUIs"), [
        (sets.image_ids[i], sorted(sets.of_image(i))) if sets.annotated[i] else (sets.image_ids[i],)
        for i in images
    ]


PARTS = (
    PartKind(
        "concepts",
        "Concepts",
        (
            *tables_named("concepts"),
            ("concepts.parquet",),
            *tables_named("*_concepts"),
            ("concepts/*.parquet",),
            ("data/*.parquet",),
            ("*.parquet",),
        ),
        parse=parse_concepts,
        used=lambda rows: any(rows.sets.values()),
        of_object=_of_object,
        accepted="Give {image: [concept, ...]}, or a DataFrame with the columns ID and CUIs.",
        of_frames=True,
        write=lambda study: [("concepts.csv", _table_of(study.concepts))],
        kept_as=lambda name, data, _rows: (
            f"data/{safe_name(Path(name).stem)}.parquet" if data[:4] == b"PAR1" else "concepts.csv"
        ),
        expected="Rows such as image_1,C0040405;C0817096 under the header ID,CUIs; "
        "other ids such as HP:0002088 too.",
        adds="what is in each image; nothing is scored without them",
        schemas=(CONCEPTS,),
        has_content=lambda sample: (  # what begins with concepts is about them, unless ids follow alone
            named(sample.header[1:], CUI_NAMES) is not None or sample.header[1:] == ("id",)
        ),
        has_shape=lambda sample: (
            sample.has_concepts(1)
            if sample.has_ids
            else not sample.has_concepts(0) and any(map(sample.has_concepts, range(1, sample.width)))
        ),
        contents=lambda rows: pluralize(len(rows.sets), "image"),
    ),
)
