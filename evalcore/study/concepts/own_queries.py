"""Queries that are not images: ``queries.csv`` with ``id,kind,text,image,concepts`` and columns of labels.

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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.study.concepts.concepts import (
    CAPTION_NAMES,
    CUI_NAMES,
    Concepts,
    ConceptsById,
    clean_concepts,
    recognise,
)
from evalcore.study.concepts.labels import split_values, type_name
from evalcore.study.tables import tables
from evalcore.study.tables.ids import explain_id_mismatch, positions
from evalcore.study.tables.load import header_of, read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import MISSING_ID, NO_ROWS, Column, Rows, Rule, Schema, no_rows
from evalcore.study.tables.tables import Row
from evalcore.values.arrays import Bools, digest_of, indptr_of, readonly
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets
from evalcore.values.own_queries import KINDS, OF_TEXT, OwnQueries, Pairs

if TYPE_CHECKING:
    from collections.abc import Collection

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
PAIRS = Schema(
    (Column(("query",), coded=True), Column(("candidate",), coded=True)),
    remedy="Let the first row be: query,candidate.",
    others="mention",
    no_rows=NO_ROWS,
)


@dataclass(frozen=True, slots=True, eq=False)
class QueryRows:
    """The readable rows of ``queries.csv`` by id, in the order of the file; ``lines``: where each stands."""

    kinds: Mapping[str, str]
    texts: Mapping[str, str]
    pictures: Mapping[str, str]
    sets: ConceptsById
    labels: Mapping[str, Mapping[str, tuple[str, ...]]]
    lines: Mapping[str, int]
    file: str
    rows: int = 0
    format: str = "csv"
    scheme: str = UMLS
    header: tuple[str, ...] = field(default=())


def is_table(header: Sequence[str]) -> bool:
    """Whether a file of queries is such a table by its first row, and no list of image ids."""
    names = {cell.strip().strip('"').lower() for cell in header}
    has_id = not names.isdisjoint(QUERY_IDS)
    return has_id and KIND in names and not names.isdisjoint({*CAPTION_NAMES, *CUI_NAMES, "image"})


@reader(lambda _: None)
def parse_queries(data: bytes, problems: Problems, *, scheme: str | None = None) -> QueryRows | None:
    """Read a table of queries; None for a list of image ids, which `parse_id_list` reads.

    ``scheme``: as for `parse_concepts`. Left out with an error are rows of the wrong width, without
    an id, with an id that an earlier row has, of an unknown kind, and queries of text without a text; the
    whole table where two columns have one name.
    """
    header = header_of(data, QUERIES)
    if header and not is_table(header):
        return None
    if twice := [name for place, name in enumerate(header) if name and name in header[:place]]:
        message = f"Two columns are called {tables.quoted(twice[0])}; the table is left out."
        problems.error("duplicate-column", message, "Keep one of them.", line=1, value=twice[0])
        return None
    rows = read(data, QUERIES, problems)
    if not rows.header:
        return None
    rows = rows.where(_usable(rows, problems))
    ids, lines = rows.texts("id"), rows.lines.tolist()
    concepts = [cell.split(";") for cell in rows.texts("concepts")]
    of = scheme or recognise((value for values in concepts for value in values), problems)
    sets: dict[str, Concepts | None] = {}
    for query, line, values in zip(ids, lines, concepts, strict=True):
        given = any(map(str.strip, values))
        sets[query] = clean_concepts(Row(line, [query]), values, problems, of) if given else None
    own = {column.name for column in QUERIES.columns}
    others = [name for name in rows.data.column_names if name and name not in own]
    return QueryRows(
        dict(zip(ids, map(str.lower, rows.texts("kind")), strict=True)),
        {query: text for query, text in zip(ids, rows.texts("text"), strict=True) if text},
        {query: picture for query, picture in zip(ids, rows.texts("image"), strict=True) if picture},
        sets,
        {
            type_name(name, problems, line=1): dict(
                zip(ids, map(split_values, rows.texts(name)), strict=True)
            )
            for name in others
        },
        dict(zip(ids, lines, strict=True)),
        problems.file,
        rows.rows,
        scheme=of,
        header=rows.header,
    )


def _usable(rows: Rows, problems: Problems) -> Bools:
    """Which rows are queries; what the others lack is reported."""
    usable = np.ones(rows.rows, np.bool_)
    columns = (rows.texts(name) for name in ("id", "kind", "text"))
    for i, (query, kind, text) in enumerate(zip(*columns, strict=True)):
        line = int(rows.lines[i])
        if kind.lower() not in KINDS:
            message = f"{tables.quoted(kind)} is no kind of query; {tables.quoted(query)} is left out."
            problems.error(
                "unknown-kind", message, f"Write one of {', '.join(KINDS)}.", line=line, value=kind
            )
            usable[i] = False
        elif kind.lower() != "image" and not text:
            message = f"The query {tables.quoted(query)} is of the kind {kind.lower()} and has no text."
            remedy = "Write its text in the column text, or call it an image; it is left out."
            problems.error("no-text", message, remedy, line=line, value=query)
            usable[i] = False
    return usable


def usable_queries(rows: QueryRows, images: ConceptsById) -> tuple[QueryRows, Report]:
    """The queries without those that contradict what is known of ``images``, with the concepts that count.

    A text with the id of an image is an error and left out. The concepts of a query that is an image and has
    others in the concept file are those of that file.
    """
    problems = Problems(rows.file)
    sets, gone = dict(rows.sets), set[str]()
    for query, concepts in rows.sets.items():
        if query not in images:
            continue
        line, sets[query] = rows.lines[query], images[query]
        if rows.kinds[query] in OF_TEXT:
            gone.add(query)
            message = f"{tables.quoted(query)} is the id of an image, and this is a {rows.kinds[query]}."
            remedy = "Give it an id of its own, and name the image in pairs.csv; it is left out."
            problems.error("id-of-an-image", message, remedy, line=line, value=query)
        elif concepts is not None and set(concepts) != set(images[query] or ()):
            message = f"The image {tables.quoted(query)} has other concepts in the concept file, which count."
            problems.warning(
                "two-concept-sets", message, "Empty the cell, or correct one of them.", line=line, value=query
            )
    kinds = {query: kind for query, kind in rows.kinds.items() if query not in gone}
    return replace(rows, kinds=kinds, sets=sets), problems.report()


def bind_queries(rows: QueryRows, concepts: ConceptSets, known: Collection[str]) -> tuple[OwnQueries, Report]:
    """Queries by image index. ``known``: concepts of the graph, and those with a name.

    A concept that no image carries and nobody knows is a warning: it matches nothing.
    """
    problems = Problems(rows.file)
    only = np.zeros(len(concepts), np.bool_) if concepts.only is None else concepts.only
    carried = concepts.images_with
    code = {concept: i for i, concept in enumerate(concepts.vocabulary)}
    for query in rows.kinds:
        for concept in rows.sets[query] or ():
            if concept in code and not carried[code[concept]] and concept not in known:
                message = f"No image carries {concept}, and neither the graph nor the names know it."
                remedy = "Correct it; it counts as a concept that matches nothing."
                problems.warning("unknown-concept", message, remedy, line=rows.lines[query], value=concept)
    ids = sorted(rows.kinds)
    places = positions(ids, concepts.image_ids)
    kinds = tuple(rows.kinds[query] for query in ids)
    texts = tuple(rows.texts.get(query) for query in ids)
    digest = digest_of(places, kinds, ["\0" if text is None else text for text in texts], only)
    return OwnQueries(readonly(places), kinds, texts, readonly(only), digest), problems.report()


def labels_of_queries(rows: QueryRows) -> dict[str, dict[str, tuple[str, ...]]]:
    """The labels of the queries that can be used, by label type."""
    return {
        name: {query: of for query, of in values.items() if of and query in rows.kinds}
        for name, values in rows.labels.items()
    }


def texts_of_queries(rows: QueryRows) -> dict[str, str]:
    """The texts of the queries that can be used."""
    return {query: text for query, text in rows.texts.items() if query in rows.kinds}


def picture_names(rows: QueryRows | None, concepts: ConceptSets) -> list[str]:
    """By image the name of its picture: its id, but for queries that name another; "" for those without."""
    only = [False] * len(concepts) if concepts.only is None else concepts.only.tolist()
    names = []
    for image, is_query in zip(concepts.image_ids, only, strict=True):
        kind = None if rows is None else rows.kinds.get(image)
        picture = "" if rows is None or kind is None else rows.pictures.get(image, "")
        has_none = kind in OF_TEXT or (kind is None and is_query)
        names.append(picture or ("" if has_none else image))
    return names


# Matched pairs.


def are_pairs(header: Sequence[str]) -> bool:
    """Whether a file called ``pairs.csv`` is meant as matched pairs, by its first row."""
    return not {"query", "candidate"}.isdisjoint(cell.strip().strip('"').lower() for cell in header)


@reader(lambda file: no_rows(file, PAIRS))
def parse_pairs(data: bytes, problems: Problems) -> Rows:
    """Read ``pairs.csv``: the columns ``query`` and ``candidate``; others are mentioned."""
    return read(data, PAIRS, problems)


@reader(lambda _: None)
def bind_pairs(rows: Rows, problems: Problems, image_ids: Sequence[str]) -> Pairs | None:
    """Pairs by image index, both ways round; None where none is left.

    Unknown ids are errors and left out, pairs listed twice are counted.
    """
    sides = [rows.texts(name) for name in ("query", "candidate")]
    places = np.column_stack([positions(ids, image_ids) for ids in sides])
    missing = np.flatnonzero((places < 0).any(axis=1)).tolist()
    unknown = [sides[0 if places[i, 0] < 0 else 1][i] for i in missing]
    if missing:
        remedy = (
            explain_id_mismatch(unknown, image_ids)
            or "Correct the id, or add it to the concept file or to queries.csv."
        )
        problems.each(
            "error",
            "unknown-id",
            "Neither the concept file nor queries.csv contains '{value}'; its pair is left out.",
            remedy,
            lines=rows.lines[missing].tolist(),
            values=unknown,
        )
    known = places[(places >= 0).all(axis=1)].astype(np.int64)
    once = np.unique(known, axis=0)
    message = "Pairs listed more than once: {n}; each counts once."
    problems.add_summary("repeated-pair", len(known) - len(once), message, "Remove the repetitions.")
    if not len(once):
        return None
    both = np.unique(np.vstack([once, once[:, ::-1]]), axis=0)
    indptr = indptr_of(np.bincount(both[:, 0], minlength=len(image_ids)))
    matched = both[:, 1].astype(np.int32)
    return Pairs(readonly(indptr), readonly(matched), digest_of(indptr, matched))
