"""The queries: ``queries.csv`` of queries that are not images, lists of ids, and matched pairs.

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
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.study.parts.concepts import CAPTION_NAMES, CUI_NAMES, ConceptsById, clean_concepts, recognise
from evalcore.study.parts.kind import Files, Opening, PartKind, Table
from evalcore.study.parts.labels import Cells, by_column, type_name
from evalcore.study.tables.files import reader
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.load import header_of, read, table_reader
from evalcore.study.tables.problems import Problems, Rule, quoted
from evalcore.study.tables.schema import IMAGE, MISSING_ID, NO_ROWS, Column, Rows, Schema
from evalcore.values.arrays import Ints, digest_of, indptr_of, readonly, rows_of
from evalcore.values.model import ConceptSets, Study
from evalcore.values.own_queries import KINDS, OF_TEXT, OwnQueries, Pairs
from evalcore.values.settings import as_list
from evalcore.values.writing import pluralize

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


@dataclass(frozen=True, slots=True, eq=False)
class QueryRows:
    """The readable rows of ``queries.csv`` by id, in the order of the file; ``lines``: where each stands."""

    kinds: Mapping[str, str]
    texts: Mapping[str, str]
    pictures: Mapping[str, str]
    sets: ConceptsById
    labels: Mapping[str, Cells]
    lines: Mapping[str, int]
    file: str
    rows: int


def is_table(header: Sequence[str]) -> bool:
    """Whether a file of queries is such a table by its first row, and no list of image ids."""
    names = {cell.strip().strip('"').lower() for cell in header}
    has_id = not names.isdisjoint(QUERY_IDS)
    return has_id and KIND in names and not names.isdisjoint({*CAPTION_NAMES, *CUI_NAMES, "image"})


@reader(lambda _: None)
def parse_queries(data: bytes, problems: Problems, *, scheme: str | None = None) -> QueryRows | Rows | None:
    """Read a table of queries, or a list of image ids as `parse_id_list` does.

    ``scheme``: as for `parse_concepts`. Left out with an error are rows of the wrong width, without an id,
    with an id that an earlier row has, of an unknown kind, and queries of text without a text; the whole
    table where two columns have one name.
    """
    header = header_of(data, QUERIES)
    if not is_table(header):
        return read(data, IDS, problems)
    if twice := [name for place, name in enumerate(header) if name and name in header[:place]]:
        message = f"Two columns are called {quoted(twice[0])}; the table is left out."
        problems.refuse("duplicate-column", message, "Keep one of them.", line=1, value=twice[0])
    rows = read(data, QUERIES, problems)
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
            type_name(name, problems, line=1): dict(zip(ids, rows.texts(name), strict=True))
            for name in filter(others.__contains__, rows.data.column_names)
        },
        lines=dict(zip(ids, lines, strict=True)),
        file=problems.file,
        rows=rows.rows,
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
            name: {query: cell for query, cell in column.items() if query in kinds}
            for name, column in rows.labels.items()
        },
    )


def bind_queries(
    rows: QueryRows, problems: Problems, concepts: ConceptSets, known: Collection[str]
) -> OwnQueries:
    """Queries by image index. ``known``: concepts of the graph, and those with a name.

    A concept that no image carries and nobody knows is a warning: it matches nothing.
    """
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
    digest = digest_of(places, kinds, ["\0" if text is None else text for text in texts], concepts.only)
    return OwnQueries(readonly(places), kinds, texts, digest)


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


def bind_pairs(rows: Rows, problems: Problems, opening: Opening) -> Pairs | None:
    """Pairs by image index, both ways round; None without pairs, or when all were left out.

    Unknown ids are errors and left out, pairs listed twice are counted.
    """
    if not rows.rows:
        return None
    images, sides = opening.images, (rows.texts("query"), rows.texts("candidate"))
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


# Lists of image ids, one per line: ``queries.txt`` and ``candidates.txt``. A header and further columns are
# optional.

IDS = Schema((IMAGE,), remedy="Write an id per line.", header="any", ragged=True)
parse_id_list = table_reader(IDS)


def bind_id_list(rows: Rows, problems: Problems, images: KnownIds) -> Ints | None:
    """Image indices of a list of ids, ascending, each once; None when no id is usable.

    Unknown ids are errors and left out, repeated ids a warning.
    """
    ids = rows.texts("id")
    places = images.positions(ids)
    missing = np.flatnonzero(places < 0).tolist()
    images.report_unknown(problems, [ids[i] for i in missing], rows.lines[missing].tolist())
    listed = places[places >= 0]
    indices = np.unique(listed)
    message = "Repeated ids: {n}; each counts once."
    problems.add_summary("repeated-id", len(listed) - len(indices), message, "")
    return readonly(indices) if len(indices) else None


# As parts of a study.


def _read_queries(opening: Opening) -> OwnQueries | None:
    """What ``queries.csv`` says of the queries.

    With it is reported what is unknown or repeated in the lists of ids, and candidates that are no images.
    """
    ids = opening.ids
    for kind, rows in opening.lists.items():
        path, problems = opening.layout.files[kind][0], opening.problems.of(rows.file)
        places = bind_id_list(rows, problems, opening.images)
        n = 0 if places is None else len(places)
        opening.parts[kind, path] = replace(opening.parts.pop((kind, path)), rows=n, used=n > 0)
        queries = () if kind == "queries" or places is None or ids.only is None else places[ids.only[places]]
        for query in queries:
            message = f"{quoted(ids.image_ids[query])} is a query and no image, so it is no candidate."
            problems.error("not-an-image", message, "Remove it.", value=ids.image_ids[query])
    own, graph = opening.own, opening.values["graph"]
    if own is None:
        return None
    known = {*opening.values["names"], *(graph.cuis if graph is not None else ())}
    return bind_queries(own, opening.problems.of(own.file), opening.concepts, known)


def _ids_of_object(value: Any, problems: Problems) -> Table:
    """Ids in a list, or {id: {column: value}}."""
    return (
        by_column(value, problems) if isinstance(value, Mapping) else (("ID",), ((name,) for name in value))
    )


def _pairs_of_object(value: Any, _problems: Problems) -> Table:
    """Pairs (query, candidate), or {query: candidates}."""
    if isinstance(value, Mapping):
        value = [(query, candidate) for query, matched in value.items() for candidate in as_list(matched)]
    return ("query", "candidate"), value


def _write_queries(study: Study) -> Files:
    """The table of queries, without the concepts of those that are images; or the list of their ids."""
    own, ids = study.own_queries, study.image_ids
    if own is None:
        yield from _write_ids(study, "queries", study.queries)
        return
    annotated, rows = study.concepts.only & study.concepts.annotated, list[Sequence[Any]]()
    for i, kind, text in zip(own.rows.tolist(), own.kinds, own.texts, strict=True):
        concepts = sorted(study.concepts.of_image(i)) if annotated[i] else None
        rows.append((ids[i], kind, text, concepts))
    yield "queries.csv", (("id", "kind", "text", "concepts"), rows)


def _write_candidates(study: Study) -> Files:
    of_images = (d.candidates for d in study.directions if d.name.endswith("->image"))
    offered = next(of_images, None) if study.directions else study.candidates
    if offered is not None:
        yield from _write_ids(study, "candidates", offered)


def _write_ids(study: Study, kind: str, listed: Ints) -> Files:
    """The list of these images, unless they are all that there are."""
    ids = study.image_ids
    if not np.array_equal(listed, np.flatnonzero(~study.concepts.only)):
        yield f"{kind}.txt", (("ID",), [(ids[i],) for i in listed.tolist()])


def _write_pairs(study: Study) -> Files:
    """Each pair once, a query that is no image before an image."""
    pairs, ids, only = study.pairs, study.image_ids, study.concepts.only
    if pairs is None:
        return
    queries = rows_of(pairs.indptr)
    same = only[queries] == only[pairs.matched]
    first = np.where(same, queries <= pairs.matched, only[queries])
    both = zip(queries[first].tolist(), pairs.matched[first].tolist(), strict=True)
    rows = ((ids[query], ids[candidate]) for query, candidate in both)
    yield "pairs.csv", (("query", "candidate"), rows)


PARTS = (
    PartKind(
        "queries",
        "Queries",
        (("queries.txt", "queries.csv"),),
        parse=parse_queries,
        used=lambda rows: isinstance(rows, QueryRows) and rows.rows > 0,
        study_field="own_queries",
        read=_read_queries,
        of_object=_ids_of_object,
        accepted="Give the ids in a list, or a DataFrame with the columns id, kind, text and concepts.",
        write=_write_queries,
        kept_as="queries.csv",
        expected="Rows id,kind,text,image,concepts: queries that are texts, reports or pictures of their "
        "own.",
        schemas=(QUERIES,),
        has_content=lambda sample: is_table(sample.header),
        contents=lambda rows: pluralize(rows.rows, "query"),
        ids=("id",),
    ),
    PartKind(
        "pairs",
        "Matched pairs",
        (("pairs.csv", "pairs.tsv"),),
        parse=parse_pairs,
        bind=bind_pairs,
        study_field="pairs",
        of_object=_pairs_of_object,
        accepted="Give pairs (query, candidate), or a DataFrame with these columns.",
        write=_write_pairs,
        kept_as="pairs.csv",
        expected="Rows query,candidate: which candidate each query was matched with.",
        schemas=(PAIRS,),
        contents=lambda rows: pluralize(rows.rows, "pair"),
        ids=("query", "candidate"),
    ),
    PartKind(
        "candidates",
        "Candidates",
        (("candidates.txt", "candidates.csv"),),
        parse=parse_id_list,
        of_object=_ids_of_object,
        accepted="Give the ids in a list.",
        write=_write_candidates,
        ids=("id",),
    ),
)
