"""Texts of images and of queries: ``captions.csv``, folders of BEIR, MTEB and ir_datasets, ``queries.csv``.

Captions: ``ID,Caption``, one row per image; cells with commas or line breaks stand in quotes. BEIR and MTEB:
``corpus.jsonl`` and ``queries.jsonl`` with an object per line (``_id``, ``title``, ``text``), and
``qrels/SPLIT.tsv``; on Hugging Face the same in the folders ``corpus`` and ``queries`` as parquet, with the
judgments in ``qrels`` or ``data``. ir_datasets, as its ``export`` writes them: ``docs.tsv`` and
``queries.tsv`` with an id and a text per line, or the same as JSON lines, and ``qrels``.

Queries that are not images: ``queries.csv`` with ``id,kind,text,image,concepts`` and columns of labels.

| column   | holds                                                                                       |
|----------|---------------------------------------------------------------------------------------------|
| id       | an id of its own; that of an image of the concept file means that image, with its concepts  |
| kind     | image, text, report or image+text                                                           |
| text     | what is asked, for every kind but image                                                     |
| image    | the picture shown beside it: the name of a file in ``images``, without ending               |
| concepts | as in the concept file, ``;`` between; no concepts where the cell is empty: nobody annotated it |
| others   | label types, as in ``labels.csv``                                                           |

A file without a column ``kind`` is a list of image ids, as ever. What each query was matched with is in
``pairs.csv``: ``query,candidate``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from evalcore.study.concepts.concepts import CAPTION_NAMES, CUI_NAMES, ConceptsById, clean_concepts, recognise
from evalcore.study.concepts.labels import Values, split_values, type_name
from evalcore.study.tables.files import decode, packed, unpack
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.load import header_of, read, table_reader
from evalcore.study.tables.problems import Problems, quoted, reader
from evalcore.study.tables.schema import (
    IMAGE,
    MISSING_ID,
    NO_ROWS,
    Column,
    Rows,
    Rule,
    Schema,
    check,
    no_rows,
    rows_of,
)
from evalcore.study.tables.tables import records
from evalcore.values.arrays import digest_of, indptr_of, readonly
from evalcore.values.concept_scheme import UMLS
from evalcore.values.model import Captions, ConceptSets
from evalcore.values.own_queries import KINDS, OF_TEXT, OwnQueries, Pairs
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Collection

CAPTIONS = Schema(
    (IMAGE, Column(CAPTION_NAMES, empty=None)),
    remedy='Put a caption that contains commas into double quotes: ID,"one, two".',
    header="any",
    widths=(2,),
    keys=("id",),
)
parse_captions = table_reader(CAPTIONS)


def texts_in(rows: Rows) -> dict[str, str]:
    """{id: text} of captions or documents; an empty cell is no text."""
    pairs = zip(rows.texts("id"), rows.texts("caption"), strict=True)
    return {image: text for image, text in pairs if text}


def bind_captions(
    rows: Rows, problems: Problems, images: KnownIds, of_queries: Mapping[str, str] | None = None
) -> Captions | None:
    """Align captions with the images of a study; images without text and unknown ids are counted.

    ``of_queries``: texts of queries, for those without a caption; where there is nothing but these, images
    without a caption are nothing to mention. None, with an error, where no caption is
    about an image of the study and there are no such texts.
    """
    captions = texts_in(rows)
    texts = tuple({**(of_queries or {}), **captions}.get(image) for image in images.ids)
    if not images.report_unlisted(problems, captions, "captions are about images") and not of_queries:
        return None
    without = [image for image, text in zip(images.ids, texts, strict=True) if text is None and rows.rows]
    message = f"{{n}} of {len(texts):,} images have no caption."
    problems.add_summary("no-caption", without, message, "They are shown by their concepts.")
    return Captions(texts, digest_of([t if t is not None else "\0" for t in texts]))


# Documents and queries beside judgments, as captions.

NAMES = (
    *(f"{name}{e}" for name in ("corpus", "docs", "collection", "queries") for e in packed(".jsonl", ".tsv")),
    *(f"{folder}/*.parquet" for folder in ("corpus", "queries")),
)
"""Files of texts by their names in such a folder."""
_TEXTS = ("title", "text", "body", "abstract", "contents", "query")
NO_ID = Rule("missing-id", "The line has no id; it is left out.", "Write the id under _id.")
CORPUS = Schema(
    (
        Column(words("_id, id, doc_id, docid, docno, query_id, query-id, corpus-id"), empty=NO_ID),
        *(Column((name,), required=False, empty=None) for name in _TEXTS),
    ),
    remedy='Write lines such as {"_id": "d1", "text": "..."}.',
    keys=("_id",),
    row_bytes=300,
)
LINES = replace(
    CORPUS, columns=(Column(("id",), empty=NO_ID), Column(("caption",), empty=None)), keys=("id",)
)
"""Of lines of plain text."""


@reader(lambda file: no_rows(file, CAPTIONS))
def parse_corpus(data: bytes, problems: Problems) -> Rows:
    """Read texts: an object per line, or an id, a TAB and the text; or a row of a parquet file.

    Several texts of one id, as a title and a text, are joined. Lines without an id, ids of an earlier line
    and lines that are no such object are errors and left out.
    """
    plain = unpack(data, problems)
    if plain is None:
        return no_rows(problems.file, CAPTIONS)
    if plain[:4] != b"PAR1" and plain.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        # lines with an id, a TAB and a text, which may hold TABs too
        kept = [*records(decode(plain, problems) or "", "\t", problems)]
        texts = ["\t".join(row.cells[1:]) for row in kept]
        rows = rows_of({"id": [row.cells[0] for row in kept], "caption": texts}, problems.file, "tsv")
        return check(replace(rows, lines=np.array([row.line for row in kept], np.int64)), LINES, problems)
    rows = read(plain, CORPUS, problems)
    columns = [rows.texts(name) for name in _TEXTS if rows.has(name)]
    joined = [". ".join(filter(None, cells)) for cells in zip(*columns, strict=True)] or [""] * rows.rows
    return rows_of({"id": rows.texts("_id"), "caption": joined}, problems.file, rows.format)


def are_queries(file: str) -> bool:
    """Whether a file of texts holds queries, by its name."""
    path = PurePosixPath(file.lower())
    return path.name.startswith("queries") or path.parent.name == "queries"


# Queries that are not images.

KIND = "kind"
QUERY_IDS = ("id", "query", "query_id", "qid")
"""What the column of ids may be called."""
QUERIES = Schema(
    (
        Column(QUERY_IDS, empty=MISSING_ID),
        Column((KIND,), empty=None),
        Column(("text", *CAPTION_NAMES), required=False, empty=None),
        Column(("image",), required=False, empty=None),
        Column(("concepts", *CUI_NAMES), required=False, empty=None),
    ),
    remedy="Give each column of the header one cell; put a text that contains commas into double quotes.",
    others="keep",
    keys=("id",),
    no_rows=Rule("no-rows", "There is no row below the header.", "Add one row per query."),
)


@dataclass(frozen=True, slots=True, eq=False)
class QueryRows:
    """The readable rows of ``queries.csv`` by id, in the order of the file; ``lines``: where each stands."""

    kinds: Mapping[str, str]
    texts: Mapping[str, str]
    pictures: Mapping[str, str]
    sets: ConceptsById
    labels: Mapping[str, Values]
    lines: Mapping[str, int]
    file: str
    rows: int = 0
    format: str = "csv"
    scheme: str = UMLS


def is_table(header: Sequence[str]) -> bool:
    """Whether a file of queries is such a table by its first row, and no list of image ids."""
    names = {cell.strip().strip('"').lower() for cell in header}
    has_id = not names.isdisjoint(QUERY_IDS)
    return has_id and KIND in names and not names.isdisjoint({*CAPTION_NAMES, *CUI_NAMES, "image"})


@reader(lambda _: None)
def parse_queries(data: bytes, problems: Problems, *, scheme: str | None = None) -> QueryRows | None:
    """Read a table of queries; None for a list of image ids, which `parse_id_list` reads.

    ``scheme``: as for `parse_concepts`. Left out with an error are rows of the wrong width, without an id,
    with an id that an earlier row has, of an unknown kind, and queries of text without a text; the whole
    table where two columns have one name.
    """
    header = header_of(data, QUERIES)
    if header and not is_table(header):
        return None
    if twice := [name for place, name in enumerate(header) if name and name in header[:place]]:
        message = f"Two columns are called {quoted(twice[0])}; the table is left out."
        problems.error("duplicate-column", message, "Keep one of them.", line=1, value=twice[0])
        return None
    rows = read(data, QUERIES, problems)
    if not rows.header:
        return None
    columns = zip(rows.lines.tolist(), *map(rows.texts, ("id", "kind", "text")), strict=True)
    rows = rows.where(np.array([_is_usable(problems, *cells) for cells in columns], np.bool_))
    ids, cells, lines = rows.texts("id"), rows.texts("concepts"), rows.lines.tolist()
    scheme = scheme or recognise(cells, problems)
    sets = {
        query: clean_concepts(query, cell if cell.strip(" ;") else None, line, problems, scheme)
        for query, cell, line in zip(ids, cells, lines, strict=True)
    }
    others = {*filter(None, rows.data.column_names)} - {column.name for column in QUERIES.columns}
    return QueryRows(
        kinds=dict(zip(ids, map(str.lower, rows.texts("kind")), strict=True)),
        texts={query: text for query, text in zip(ids, rows.texts("text"), strict=True) if text},
        pictures=dict(zip(ids, rows.texts("image"), strict=True)),
        sets=sets,
        labels={
            type_name(name, problems, line=1): dict(
                zip(ids, map(split_values, rows.texts(name)), strict=True)
            )
            for name in filter(others.__contains__, rows.data.column_names)
        },
        lines=dict(zip(ids, lines, strict=True)),
        file=problems.file,
        rows=rows.rows,
        scheme=scheme,
    )


def _is_usable(problems: Problems, line: int, query: str, kind: str, text: str) -> bool:
    """Whether a row is a query; what it lacks is reported."""
    if kind.lower() not in KINDS:
        message = f"{quoted(kind)} is no kind of query; {quoted(query)} is left out."
        problems.error("unknown-kind", message, f"Write one of {', '.join(KINDS)}.", line=line, value=kind)
        return False
    if kind.lower() != "image" and not text:
        message = f"The query {quoted(query)} is of the kind {kind.lower()} and has no text."
        remedy = "Write its text in the column text, or call it an image; it is left out."
        problems.error("no-text", message, remedy, line=line, value=query)
        return False
    return True


def usable_queries(rows: QueryRows, problems: Problems, images: ConceptsById) -> QueryRows:
    """The queries without those that contradict what is known of ``images``, with the concepts that count.

    A text with the id of an image is an error and left out. The concepts of a query that is an image and has
    others in the concept file are those of that file.
    """
    sets, kinds = dict(rows.sets), dict(rows.kinds)
    for query in [query for query in rows.sets if query in images]:
        concepts, line, sets[query] = rows.sets[query], rows.lines[query], images[query]
        if rows.kinds[query] in OF_TEXT:
            message = f"{quoted(query)} is the id of an image, and this is a {kinds.pop(query)}."
            remedy = "Give it an id of its own, and name the image in pairs.csv; it is left out."
            problems.error("id-of-an-image", message, remedy, line=line, value=query)
        elif concepts is not None and set(concepts) != set(images[query] or ()):
            message = f"The image {quoted(query)} has other concepts in the concept file, which count."
            problems.warning(
                "two-concept-sets", message, "Empty the cell, or correct one of them.", line=line, value=query
            )
    return replace(
        rows,
        kinds=kinds,
        sets=sets,
        texts={query: text for query, text in rows.texts.items() if query in kinds},
        labels={
            name: {query: values for query, values in column.items() if values and query in kinds}
            for name, column in rows.labels.items()
        },
    )


def bind_queries(
    rows: QueryRows, problems: Problems, concepts: ConceptSets, known: Collection[str]
) -> OwnQueries:
    """Queries by image index. ``known``: concepts of the graph, and those with a name.

    A concept that no image carries and nobody knows is a warning: it matches nothing.
    """
    only = np.zeros(len(concepts), np.bool_) if concepts.only is None else concepts.only
    carried = dict(zip(concepts.vocabulary, concepts.images_with.tolist(), strict=True))
    for query in rows.kinds:
        for concept in rows.sets[query] or ():
            if not carried.get(concept, 1) and concept not in known:
                message = f"No image carries {concept}, and neither the graph nor the names know it."
                remedy = "Correct it; it counts as a concept that matches nothing."
                problems.warning("unknown-concept", message, remedy, line=rows.lines[query], value=concept)
    ids = sorted(rows.kinds)
    places = KnownIds(concepts.image_ids).positions(ids)
    kinds, texts = tuple(rows.kinds[query] for query in ids), tuple(rows.texts.get(query) for query in ids)
    digest = digest_of(places, kinds, ["\0" if text is None else text for text in texts], only)
    return OwnQueries(readonly(places), kinds, texts, readonly(only), digest)


def picture_names(rows: QueryRows | None, concepts: ConceptSets) -> list[str]:
    """By image the name of its picture: its id, but for queries that name another; "" for those without."""
    only = [False] * len(concepts) if concepts.only is None else concepts.only.tolist()
    kinds, pictures = ({}, {}) if rows is None else (rows.kinds, rows.pictures)
    names = []
    for image, is_query in zip(concepts.image_ids, only, strict=True):
        kind = kinds.get(image)
        has_none = kind in OF_TEXT or (kind is None and is_query)
        names.append((kind and pictures.get(image)) or ("" if has_none else image))
    return names


# Matched pairs.

PAIRS = Schema(
    (Column(("query",), coded=True), Column(("candidate",), coded=True)),
    remedy="Let the first row be: query,candidate.",
    others="mention",
    no_rows=NO_ROWS,
)
parse_pairs = table_reader(PAIRS)


def are_pairs(header: Sequence[str]) -> bool:
    """Whether a file called ``pairs.csv`` is meant as matched pairs, by its first row."""
    return not {"query", "candidate"}.isdisjoint(cell.strip().strip('"').lower() for cell in header)


def bind_pairs(rows: Rows, problems: Problems, images: KnownIds) -> Pairs | None:
    """Pairs by image index, both ways round; None where there is none, or none is left.

    Unknown ids are errors and left out, pairs listed twice are counted.
    """
    if not rows.rows:
        return None
    sides = rows.texts("query"), rows.texts("candidate")
    places = np.column_stack([images.positions(ids) for ids in sides])
    missing = np.flatnonzero((places < 0).any(axis=1)).tolist()
    unknown = [sides[int(places[i, 0] >= 0)][i] for i in missing]
    images.report_unknown(
        problems,
        unknown,
        rows.lines[missing].tolist(),
        message="Neither the concept file nor queries.csv contains '{value}'; its pair is left out.",
        remedy="Correct the id, or add it to the concept file or to queries.csv.",
    )
    known = places[(places >= 0).all(axis=1)].astype(np.int64)
    once = np.unique(known, axis=0)
    message = "Pairs listed more than once: {n}; each counts once."
    problems.add_summary("repeated-pair", len(known) - len(once), message, "Remove the repetitions.")
    if not len(once):
        return None
    both = np.unique(np.vstack([once, once[:, ::-1]]), axis=0)
    indptr = indptr_of(np.bincount(both[:, 0], minlength=len(images.ids)))
    matched = both[:, 1].astype(np.int32)
    return Pairs(readonly(indptr), readonly(matched), digest_of(indptr, matched))
