"""A study folder becomes a ``Study``: its parts are found, read and bound to the images.

What cannot be used is reported and kept out; only a folder without readable concepts is no study. One that
has captions, pictures, judgments, or systems with pairs or labels, and no file of concepts is a study whose
images nobody annotated yet. Which ids are images, queries and candidates is settled
once, before anything is bound to them (`settle_ids`):

**Images.** With a concept file, its ids and no others. Without one, whatever other parts are about: captions,
pictures, documents, labels, groups, vectors, candidates, judgments, pairs and rankings; but no text or report
of ``queries.csv``, and no other query of it that is only asked. (``queries.txt`` chooses among these.)

**Queries that are no images.** Rows of ``queries.csv`` with an id of their own. Without such a table and with
a concept file: ids that ``queries.txt``, judgments or pairs ask and the concept file does not list, as soon
as a system answers one of them; not where they are ids of images in another spelling.

**Asked** are the queries of ``queries.csv``, else those of ``queries.txt``. Without either, with a concept
file whose images are the only queries, all images; else what judgments, pairs, rankings and vectors that
stand for queries alone ask, or all images where these ask nothing.

**Offered** are the candidates of ``candidates.txt``. Without it, all images; without a concept file all but
those that judgments, pairs, rankings or vectors of queries only ask: what is returned, judged, matched or a
document is offered too.

**Directions.** A query that was matched or judged with texts of ``queries.csv`` looks among all of these; one
matched or judged with an image, or with nothing, among the images offered; it may do both. Where no system
answers any query so, queries look where the systems' results are as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from evalcore.graph import ConceptGraph, Neighbours
from evalcore.study.concepts.concepts import (
    ConceptRows,
    ConceptsById,
    Shards,
    bind_id_list,
    images_in_shards,
    parse_id_list,
    read_shards,
)
from evalcore.study.concepts.labels import LabelRows, all_labels, bind_labels
from evalcore.study.concepts.texts import (
    CAPTIONS,
    PAIRS,
    QUERIES,
    QueryRows,
    are_pairs,
    are_queries,
    bind_queries,
    is_table,
    picture_names,
    texts_in,
    usable_queries,
)
from evalcore.study.folder.layout import TOML, Layout, find_layout
from evalcore.study.given_runs import refusing_runs
from evalcore.study.graphs.edges import Edges, no_edges
from evalcore.study.graphs.graph_files import bind_graph, graph_of_files
from evalcore.study.graphs.rrf import MRSTY
from evalcore.study.parts.judgments import are_of_programs, name_of_judgments
from evalcore.study.parts.recognise import report_unread
from evalcore.study.parts.registry import KINDS, Parse, custom_format, name_of_vectors, parse_path
from evalcore.study.pictures.image_files import find_images, pictures_in
from evalcore.study.saving import save
from evalcore.study.tables.files import read_bytes, read_plain
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.load import header_of
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.tables.schema import Rows, Schema, no_rows, rows_of
from evalcore.study.vectors.files import VectorRows
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import Bools, Ints, digest_of, position, readonly
from evalcore.values.concept_scheme import UMLS, WORDNET, own_name
from evalcore.values.concept_values import NAME_RULE, ConceptKinds, ConceptVectors, is_name
from evalcore.values.errors import InputError, SettingError
from evalcore.values.grouping import groups_of_column, names_groups
from evalcore.values.model import (
    Captions,
    ConceptSets,
    Embeddings,
    Groups,
    ImageFiles,
    Labels,
    Part,
    Qrels,
    Run,
    Study,
    SystemLook,
    provide,
)
from evalcore.values.own_queries import OF_TEXT, Direction, OwnQueries
from evalcore.values.settings import Unknown


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Results that a part names for queries, such as those of a ranking.

    ``rows``: aligned positions in ``queries`` and in ``results``, shape (m,) each; None for vectors, which
    answer every query they have with every image they have.
    """

    queries: Sequence[str]
    results: Sequence[str]
    rows: tuple[Ints, Ints] | None

    @staticmethod
    def of_table(rows: Rows, query: str, result: str) -> Links:
        """Of two columns of a table."""
        (queries, query_codes), (results, result_codes) = rows.codes(query), rows.codes(result)
        return Links(queries, results, (query_codes, result_codes))

    @property
    def turned(self) -> Links:
        """The other way round: queries as results."""
        return Links(self.results, self.queries, None if self.rows is None else self.rows[::-1])

    def queries_among(self, images: Container[str]) -> set[str]:
        """The queries that have a result among these."""
        inside = np.fromiter((result in images for result in self.results), np.bool_, len(self.results))
        if self.rows is None:
            return set(self.queries) if inside.any() else set()
        queries, results = self.rows
        return {self.queries[i] for i in np.unique(queries[inside[results]]).tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class NamedIds:
    """The ids in the parts of a study, as far as they decide.

    ``concepts``: of the concept file, None without one; ``shown``: of captions and pictures; ``documents``:
    of a corpus; ``named``: of labels and groups, which may be those of queries. ``kinds``: the queries of
    ``queries.csv`` with their kinds, None without such a table; ``queries``, ``candidates``: of the lists.
    ``judged``, ``pairs``: their links; ``systems`` reads those of rankings and vectors when they matter.
    """

    concepts: Collection[str] | None
    kinds: Mapping[str, str] | None
    systems: Callable[[], Sequence[Links]]
    shown: Collection[str] = ()
    documents: Collection[str] = ()
    named: Collection[str] = ()
    queries: Collection[str] = ()
    candidates: Collection[str] = ()
    judged: Sequence[Links] = ()
    pairs: Links | None = None

    @property
    def truth(self) -> Sequence[Links]:
        """Judgments and pairs."""
        return self.judged if self.pairs is None else (*self.judged, self.pairs)


@dataclass(frozen=True, slots=True, eq=False)
class StudyIds:
    """The ids of a study, what is asked, and what is offered.

    ``image_ids``: of images and queries, ascending; ``only``: True for queries that are no images, None where
    there are none. ``directions``: at least one; a single one without a name where all look among images.
    """

    image_ids: tuple[str, ...]
    only: Bools | None
    directions: tuple[Direction, ...]


def settle_ids(parts: NamedIds) -> StudyIds:
    """Which ids are images, who is asked, and what is offered? By the rule of this module.

    Ids in lists that no other part knows are passed over; who binds the list reports them.
    """
    images, only = _images(parts)
    known = images | only
    if parts.kinds is not None:
        queries = known & parts.kinds.keys()
    elif listed := known.intersection(parts.queries):
        queries = listed
    elif parts.concepts is not None and not only:
        queries = images
    else:
        queries = known & _sides(*parts.truth, *parts.systems())[0] or images
    offered = images.intersection(parts.candidates) or _offered(parts, images)
    image_ids = tuple(sorted(known))
    is_query = np.array([name in only for name in image_ids], np.bool_)
    index = {name: i for i, name in enumerate(image_ids)}
    directions = list[Direction]()
    for name, *sides in _directions(parts, queries, offered, images, only):
        places = [np.array(sorted(index[image] for image in ids), np.int32) for ids in sides]
        directions.append(Direction(name, *map(readonly, places)))
    return StudyIds(image_ids, readonly(is_query) if only else None, tuple(directions))


def _sides(*links: Links) -> tuple[set[str], set[str]]:
    """The ids that are queries, and those that are results. Of vectors only those that stand for queries
    alone say which they are."""
    queries, results = set[str](), set[str]()
    for part in links:
        if part.rows is None:
            queries |= set(part.queries).difference(part.results)
        else:
            queries.update(part.queries)
            results.update(part.results)
    return queries, results


def _images(parts: NamedIds) -> tuple[set[str], set[str]]:
    """The images, and the queries that are none."""
    table = parts.kinds or {}
    queries, results = _sides(*parts.truth)
    if parts.concepts is not None:
        images = set(parts.concepts)
        if parts.kinds is not None:
            return images, set(table) - images
        foreign = queries.union(parts.queries) - images
        misspelt = not foreign or explain_id_mismatch(sorted(foreign), list(parts.concepts))
        if misspelt or not any(not foreign.isdisjoint(part.queries) for part in parts.systems()):
            foreign = set()
        return images, foreign
    systems = parts.systems()
    asked_of_systems, returned = _sides(*systems)
    vectors = {name for part in systems if part.rows is None for name in (*part.queries, *part.results)}
    certain = results.union(returned, parts.shown, parts.documents, parts.candidates)
    texts = {name for name, kind in table.items() if kind in OF_TEXT}
    only = texts.difference(parts.shown) | (table.keys() - certain)
    return certain.union(queries, asked_of_systems, vectors, parts.named, table) - only, only


def _offered(parts: NamedIds, images: set[str]) -> set[str]:
    """The candidates of a study without a list of them."""
    if parts.concepts is not None:
        return images
    queries, results = _sides(*parts.truth, *parts.systems())
    return images - queries.difference(results, parts.documents)


def _directions(
    parts: NamedIds, queries: set[str], offered: set[str], images: set[str], only: set[str]
) -> list[tuple[str, set[str], set[str]]]:
    """The name of each direction, its queries and its candidates, images before texts."""
    texts = {name for name in only if (parts.kinds or {}).get(name) in OF_TEXT}
    if not texts:
        return [("", queries, offered)]
    truth = parts.truth if parts.pairs is None else (*parts.truth, parts.pairs.turned)
    to_text = queries & {query for part in truth for query in part.queries_among(texts)}
    to_image = queries & {query for part in truth for query in part.queries_among(images)}
    to_image |= queries - to_text
    if not to_text:
        return [("", queries, offered)]
    systems = parts.systems()
    by_image = {query for part in systems for query in part.queries_among(offered)}
    by_text = {query for part in systems for query in part.queries_among(texts)}
    if not (to_image & by_image or to_text & by_text):
        to_image |= queries & by_image
        to_text |= queries & by_text
    result = []
    for to, members, among in (("image", to_image, offered), ("text", to_text, texts)):
        if members:
            sides = {"text" if query in texts else "image" for query in members}
            result.append((f"{'+'.join(sorted(sides))}->{to}", members, among))
    return result


@dataclass(slots=True)
class Opening:
    """A study so far: where its files are, what was read, bound and found.

    ``shards``: where concepts came from, if any; ``judged``: files of judgments by name, and whether programs
    made them; ``own``: the queries of ``queries.csv``, None without such a table; ``pairs``: what was
    matched; ``lists``: the ids of ``queries.txt`` and ``candidates.txt``. ``scored``: whether there is
    something to score by besides concepts. ``graph_names``: what graph files call their concepts.
    ``values``: parts that are bound. ``concepts``, ``ids`` and ``queries`` (of all directions, as image
    indices) are there after `read_basis`.
    """

    layout: Layout
    problems: Problems
    unknown: Unknown = "error"
    parts: list[Part] = field(default_factory=list)
    scheme: str = UMLS
    shards: Shards | None = None
    judged: dict[str, tuple[Rows, bool]] = field(default_factory=dict)
    own: QueryRows | None = None
    pairs: Rows | None = None
    lists: dict[str, Rows | None] = field(default_factory=dict)
    scored: bool = False
    graph_names: list[pa.Table] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    concepts: ConceptSets = field(init=False)
    ids: StudyIds = field(init=False)
    queries: Ints = field(init=False)
    _parsed: dict[tuple[Path, Parse | None], Any] = field(default_factory=dict)

    def parse(self, kind: str, path: Path, *, parse: Parse | None = None, **options: Any) -> Any:
        """The parsed value of a file, None when it cannot be read; its problems are those of the study.
        ``parse``: in place of its parser."""
        if (path, parse) not in self._parsed:
            problems = Problems(self.layout.name_of(path))
            parser = parse or KINDS[kind].parser_of(problems.file)
            self._parsed[path, parse] = parse_path(parser, path, problems, **options)
            self.problems.include(problems.report())
        return self._parsed[path, parse]

    def file(self, kind: str, path: Path, *, parse: Parse | None = None, **options: Any) -> Any:
        """The same, for the last time, with the file among the parts of the study."""
        value, name = self.parse(kind, path, parse=parse, **options), self.layout.name_of(path)
        del self._parsed[path, parse]
        rows = len(value) if isinstance(value, np.ndarray) else getattr(value, "rows", 0)
        custom = custom_format(kind, name)
        form = getattr(value, "format", "csv") if custom is None else str(custom.plugin)
        self.parts.append(Part(kind, name, form, rows, bool(rows)))
        return value

    def first(self, kind: str, **options: Any) -> Any:
        """The parsed value of the file of a kind; None when the study has no such file."""
        return next((self.file(kind, path, **options) for path in self.layout.files[kind]), None)

    def bind(self, kind: str, value: Any, file: str = "", **of_file: Any) -> Any:
        """What is left of a parsed value in the study; None where there is none."""
        if value is None:
            return None
        bind = KINDS[kind].bind
        name = file or getattr(value, "file", "")
        bound, report = guarded(name, lambda problems: bind(value, problems, self, **of_file), None)
        self.problems.include(report)
        return bound

    def knows(self, concept: str) -> bool:
        """Whether an image or the graph has a concept, or may have it as the graph was not read."""
        if position(self.concepts.vocabulary, concept) >= 0:
            return True
        graph: ConceptGraph | None = self.values.get("graph")
        if graph is None:
            return "graph" not in self.values and bool(self.layout.files["graph"])
        return graph.index(concept) >= 0


def read_basis(opening: Opening) -> bool:
    """Read the concepts, queries, judgments and pairs of a study, and settle its ids.

    Without a file of concepts nobody annotated the images, which is a remark. False where the concepts cannot
    be read, or there are none and nothing else makes a study of the folder.
    """
    rows, files = _concept_rows(opening), opening.layout.files
    opening.judged = _judgment_rows(opening)
    has_concepts = bool(files["concepts"])
    if (
        has_concepts
        and not any(rows.sets.values())
        and (not rows.sets or opening.problems.report().total("error"))
    ):
        return False
    shown = set() if has_concepts else _shown(opening)
    opening.own = _query_rows(opening, rows.sets if has_concepts else dict.fromkeys(shown))
    opening.pairs = _pair_rows(opening)
    opening.lists = _id_lists(opening)
    named = [] if has_concepts else _labelled(opening)
    opening.scored = any(table.rows for table, _ in opening.judged.values()) or bool(
        opening.layout.systems and (opening.pairs is not None or named)
    )
    if not (has_concepts or shown or opening.scored):
        return False
    listed = {kind: table.texts("id") for kind, table in opening.lists.items() if table is not None}
    links = list[Links]()
    opening.ids = ids = settle_ids(
        NamedIds(
            concepts=rows.sets if has_concepts else None,
            shown=shown,
            documents=() if has_concepts else _documents(opening),
            named=named,
            kinds=None if opening.own is None else opening.own.kinds,
            queries=listed.get("queries", ()),
            candidates=listed.get("candidates", ()),
            judged=[Links.of_table(table, "query", "result") for table, _ in opening.judged.values()],
            pairs=None if opening.pairs is None else Links.of_table(opening.pairs, "query", "candidate"),
            systems=lambda: links or _system_links(opening, links),
        )
    )
    sets = dict.fromkeys(ids.image_ids) | dict(rows.sets)
    if opening.own is not None:
        sets |= {query: concepts for query, concepts in opening.own.sets.items() if query in sets}
    if not has_concepts:
        _report_no_concepts(opening, len(ids.image_ids) - (0 if ids.only is None else int(ids.only.sum())))
    concepts = ConceptSets.of(sets)
    if ids.only is not None:  # queries that are no images count in no frequency
        concepts = replace(concepts, only=ids.only, digest=digest_of(concepts.digest, ids.only))
    opening.concepts = opening.values["concepts"] = concepts
    opening.queries = readonly(np.unique(np.concatenate([direction.queries for direction in ids.directions])))
    return True


def _concept_rows(opening: Opening) -> ConceptRows:
    """Concepts by image id, none when there is no such file; the scheme of the study is decided here: what
    ``study.toml`` says, else what the concepts are."""
    paths, scheme = opening.layout.files["concepts"], opening.layout.toml.scheme
    if paths and paths[0].suffix.lower() == ".parquet":
        problems = opening.problems
        opening.shards = read_shards(paths, problems, root=opening.layout.root, scheme=scheme)
        rows = opening.shards.concepts
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        name = f"{opening.layout.name_of(paths[0])}{more}"
        opening.parts.append(Part("concepts", name, "huggingface", rows.rows, bool(rows.rows)))
    else:
        rows = opening.first("concepts", scheme=scheme) or ConceptRows({}, 0, scheme or UMLS)
    opening.scheme = scheme or rows.scheme
    return rows


def _judgment_rows(opening: Opening) -> dict[str, tuple[Rows, bool]]:
    """The files of judgments by name, and whether programs made them; of two files of one name the first."""
    files: dict[str, tuple[Rows, bool]] = {}
    paths = [(kind, path) for kind in ("judgments", "judges") for path in opening.layout.files[kind]]
    for kind, path in paths:
        rows = opening.file(kind, path)
        if rows is None:
            continue
        if (name := name_of_judgments(rows.file)) in files:
            message = f"Another file of judgments is called {name!r} too; this one is left out."
            opening.problems.of(rows.file).error(
                "same-name", message, "Rename one of them, or write both into one file.", value=name
            )
        else:
            files[name] = rows, kind == "judges" or are_of_programs(rows)
    return files


def _shown(opening: Opening) -> set[str]:
    """The images that captions and pictures are of."""
    files = opening.layout.files
    captions = [opening.parse("captions", path) for path in files["captions"][:1]]
    ids = {image for rows in captions if rows is not None for image in texts_in(rows)}
    pictures = (pictures_in(place, Problems("")) for place in files["images"][:1])
    for name in (Path(entry) for entry, _, _ in chain.from_iterable(filter(None, pictures))):
        if ids.isdisjoint((name.name, name.stem, name.with_suffix("").as_posix())):
            ids.add(name.stem)
    return ids


def _labelled(opening: Opening) -> list[str]:
    """The ids that have labels or groups."""
    files = opening.layout.files
    tables = [opening.parse(kind, path) for kind in ("labels", "groups") for path in files[kind][:1]]
    return [
        image
        for table in tables
        if table is not None
        for column in table.columns.values()
        for image in column
    ]


def _documents(opening: Opening) -> list[str]:
    """The ids in a corpus beside judgments."""
    texts = (opening.parse("corpus", path) for path in opening.layout.files["corpus"])
    return [
        name
        for corpus in texts
        if corpus is not None and not are_queries(corpus.file)
        for name in corpus.texts("id")
    ]


def _system_links(opening: Opening, links: list[Links]) -> list[Links]:
    """What rankings and vectors link, into this list: parsed at most once, and only if they matter."""
    for files in opening.layout.systems.values():
        run = opening.parse("run", files["run"]) if "run" in files else None
        links += [] if run is None else [Links.of_table(run, "query", "candidate")]
        vectors = vector_rows(opening, files, opening.parse)
        if vectors is not None:
            queries = vectors.of_queries
            links.append(Links([*vectors.ids, *(queries.ids if queries else ())], vectors.ids, None))
    return links


def vector_rows(opening: Opening, files: Mapping[str, Path], read: Callable[..., Any]) -> VectorRows | None:
    """The vectors of a system, as `Opening.parse` or `Opening.file` reads them; None without any."""
    if "embeddings" not in files:
        return None
    ids = None
    if "ids" in files:
        problems = opening.problems.of(opening.layout.name_of(files["ids"]))
        ids = read_bytes(files["ids"], problems if read == opening.file else Problems(""))
    vectors: VectorRows | None = read("embeddings", files["embeddings"], ids=ids)
    return vectors


def _report_no_concepts(opening: Opening, n: int) -> None:
    files = opening.layout.files
    kinds = ("captions", "images", "judgments", "judges", "pairs", "labels", "groups")
    about = next((path for kind in kinds for path in files[kind]), opening.layout.root)
    by = "judgments" if files["judgments"] or files["judges"] else "pairs or labels"
    remedy = "Find them in the captions (annotate), or add concepts.csv."
    if opening.scored:
        remedy = f"The study is scored by its {by}. To score by concepts too, add concepts.csv."
    message = "There is no file of concepts: none of the {n} images has any."
    opening.problems.of(opening.layout.name_of(about)).add_summary("no-concepts-yet", n, message, remedy)


def _query_rows(opening: Opening, known: ConceptsById) -> QueryRows | None:
    """The usable queries of ``queries.csv``, None for a list of ids. ``known``: concepts by image."""
    for path in opening.layout.files["queries"]:
        if not is_table(_header(path, QUERIES)):
            continue
        rows = opening.file("queries", path, scheme=opening.scheme)
        if rows is None or not rows.rows:
            return None
        usable = usable_queries(rows, opening.problems.of(rows.file), known)
        return usable if usable.kinds else None
    return None


def _header(path: Path, schema: Schema) -> tuple[str, ...]:
    """The cells of the first row of a file; problems with it are reported where it is read."""
    return header_of(read_plain(path, Problems("")) or b"", schema)


def _pair_rows(opening: Opening) -> Rows | None:
    """What each query was matched with; a file of that name with other columns is none of the study."""
    files = opening.layout.files
    kept = tuple(path for path in files["pairs"] if are_pairs(_header(path, PAIRS)))
    opening.layout = replace(opening.layout, files={**files, "pairs": kept})
    rows: list[Rows | None] = [opening.parse("pairs", path) for path in kept[:1]]
    return next((table for table in rows if table is not None and table.rows), None)


def _id_lists(opening: Opening) -> dict[str, Rows | None]:
    """The ids of ``queries.txt`` and ``candidates.txt``, as far as there are such files; None for no id."""
    lists: dict[str, Rows | None] = {}
    for kind in ("queries", "candidates"):
        for path in opening.layout.files[kind][:1]:
            if kind == "candidates" or not is_table(_header(path, QUERIES)):
                listed: Rows | None = opening.parse(kind, path, parse=parse_id_list)
                lists[kind] = listed if listed is not None and listed.rows else None
    return lists


def report_lists(opening: Opening) -> None:
    """What is unknown or repeated in the lists of ids, and candidates that are no images."""
    for kind, listed in opening.lists.items():
        opening.file(kind, opening.layout.files[kind][0], parse=parse_id_list)
        if listed is None:
            continue
        ids, problems = opening.ids, opening.problems.of(listed.file)
        places = bind_id_list(listed, problems, ids.image_ids)
        n = 0 if places is None else len(places)
        opening.parts[-1] = replace(opening.parts[-1], rows=n, used=n > 0)
        queries = () if kind == "queries" or places is None or ids.only is None else places[ids.only[places]]
        for query in queries:
            message = f"{ids.image_ids[query]!r} is a query and no image, so it is no candidate."
            problems.error("not-an-image", message, "Remove it.", value=ids.image_ids[query])


RULES: Mapping[str, tuple[str, str]] = {
    "several-directions": (
        "The queries are asked in several directions. Open is {first}, with {queries} queries over "
        "{candidates} candidates.",
        "For the others choose the queries by {others}.",
    ),
    "no-such-group": (
        "No column of labels.csv or groups.csv is called '{value}': no groups.",
        "Name one of these: {known}.",
    ),
    "looks-like-groups": (
        "'{value}' has {n} values on {images} images: it looks like a group, such as a patient, whose images "
        "count as independent.",
        'Write group = "{value}" in study.toml: results of the own group are then left out.',
    ),
    "bad-name": ("'{value}' cannot be the name of these vectors: {wrong}.", "Rename the file."),
    "no-such-vectors": (
        "There are no vectors called '{value}' in concept_vectors; their metric is ignored.",
        "Name one of these: {known}.",
    ),
    "no-such-baseline": ("No system is called '{value}', the baseline.", "Name one of these: {known}."),
}
"""What can be wrong with parts that go together (see `Problems.by_rule`)."""


def open_study(path: str | Path, *, unknown: Unknown = "error") -> Study:
    """Which experiment does this folder hold?

    Parameters
    ----------
    path : the study folder.
    unknown : what to do with ids in runs and embeddings that are in no concept set. "error" reports
        them and leaves their rows out; "drop" leaves them out with a warning; "zero" keeps them in
        runs as results of relevance 0, with a warning.

    Returns
    -------
    The study with every part that could be read; ``report`` holds every problem. Graph, images,
    captions and labels are None, names and systems empty, where the folder has none that can be used.

    Raises
    ------
    InputError
        The folder does not exist or holds no readable concepts; it carries the report.
    SettingError
        ``unknown`` is none of its choices.
    """
    if unknown not in get_args(Unknown):
        raise SettingError("unknown", f"one of {', '.join(get_args(Unknown))}", unknown)
    problems = Problems(TOML)
    layout = find_layout(Path(path), problems)
    return study_of(layout, problems, path=layout.root, unknown=unknown)


def study_of(layout: Layout, problems: Problems, *, path: Path | None, unknown: Unknown) -> Study:
    """The study of these files, what was wrong with finding them in front of its report.

    ``path``: its folder; None where there is none (see `in_memory`). Raises InputError as `open_study`.
    """
    opening = Opening(layout, problems, unknown)
    if not read_basis(opening):
        raise _no_study(opening)
    values, directions = opening.values, opening.ids.directions
    for name, read in PARTS.items():
        values[name] = read(opening)
    first, *more = directions
    if more:
        problems.of("pairs.csv").by_rule(
            RULES,
            "several-directions",
            severity="warning",
            first=first.name,
            queries=len(first.queries),
            candidates=len(first.candidates),
            others=[f"direction={direction.name}" for direction in more],
        )
    if path is not None:
        report_unread(opening.layout, problems)
    return Study(
        name=layout.toml.name or readable(layout.root.name),
        description=layout.toml.description,
        path=path,
        queries=first.queries,
        candidates=first.candidates,
        parts=tuple(opening.parts),
        report=problems.report(),
        digest=_digest(values, directions),
        scheme=opening.scheme,
        directions=tuple(direction for direction in directions if direction.name),
        **values,
    )


def _digest(values: Mapping[str, Any], directions: Sequence[Direction]) -> str:
    """Of everything that the files hold; parts that a study does not have do not count."""
    parts = [
        text
        for part, value in values.items()
        if part not in ("looks", "baseline")
        for name, item in (value.items() if isinstance(value, Mapping) else [("", value)])
        if item is not None
        for text in (part, name, item if isinstance(item, str) else item.digest)
    ]
    sides = [
        item for direction in directions for item in (direction.name, direction.queries, direction.candidates)
    ]
    return digest_of(parts, *sides)


def _no_study(opening: Opening) -> InputError:
    """Why a folder is no study, with what is wrong in it."""
    report, where = opening.problems.report(), readable(str(opening.layout.root))
    remedy = (
        "A study needs a file concepts.csv with rows such as: image_1,C0040405;C0817096 (or, beside "
        "systems, judgments/NAME.qrels, pairs.csv or labels.csv)."
    )
    looked = "Only the folder itself and the folders concepts and data in it were looked through."
    if ("error", "malformed-cui") in {(kind, rule) for kind, _, rule in report.counts}:
        looked += ' If its concepts are ids of another vocabulary, write scheme = "ids" in study.toml.'
    return InputError(f"There are no readable concepts in {where}. {remedy} {looked}", report)


# The parts, bound: each gives None, or nothing, where the study has no such part that can be used.


def read_captions(opening: Opening) -> Captions | None:
    """Captions from their own file, else from the shards or the corpus; the texts of queries with them."""
    own, texts_of_queries = opening.own, opening.own is not None and bool(opening.own.texts)
    rows: Rows | None = opening.first("captions")
    if rows is None and opening.shards is not None:
        rows = opening.shards.captions
    if rows is None and opening.layout.files["corpus"]:
        rows = _texts(opening)
    if rows is None and own is not None:
        rows = no_rows(own.file, CAPTIONS)
    if rows is None or not (texts_of_queries or texts_in(rows)):
        return None
    captions: Captions | None = opening.bind("captions", rows)
    return captions


def _texts(opening: Opening) -> Rows:
    """The texts of documents and queries; those of queries that nobody asks play no part."""
    known, texts, file = set(opening.concepts.image_ids), dict[str, str](), ""
    for path in opening.layout.files["corpus"]:
        rows: Rows | None = opening.file("corpus", path)
        if rows is not None:
            file = file or rows.file
            texts |= {name: text for name, text in texts_in(rows).items() if name in known}
    return rows_of({"id": list(texts), "caption": list(texts.values())}, file)


def read_labels(opening: Opening) -> Labels | None:
    """Labels of the label file and of queries."""
    rows = opening.first("labels")
    if rows is None and opening.own is not None and opening.own.labels:
        rows = LabelRows({}, 0, opening.own.file)
    return all_labels(opening.bind("labels", rows) or {})


def read_groups(opening: Opening) -> Groups | None:
    """Which images belong together: the column ``study.toml`` names, else that of ``groups.csv``.

    Without either, columns of labels that look like groups are proposed.
    """
    rows, name = opening.first("groups"), opening.layout.toml.group
    labels: Labels | None = opening.values["labels"]
    columns = dict(labels.columns) if labels else {}
    if rows is not None:
        own = bind_labels(rows, opening.problems.of(rows.file), opening.concepts.image_ids)
        columns |= own
        name = name or next(iter(own), "")
    of_labels = next((part.file for part in reversed(opening.parts) if part.kind == "labels"), "labels.csv")
    problems = opening.problems.of(TOML if opening.layout.toml.group else of_labels)
    if name and name not in columns:
        problems.by_rule(RULES, "no-such-group", name, known=[*columns] or ["none"])
    for proposed, column in columns.items() if not name else ():
        if names_groups(proposed, column):
            n, images = len(column.values), int(column.labelled.sum())
            problems.by_rule(RULES, "looks-like-groups", proposed, "warning", n=n, images=images)
    return groups_of_column(columns[name]) if name in columns else None


def read_graph(opening: Opening) -> ConceptGraph | None:
    """The graph of all graph files together; concepts it does not hold are counted."""
    if (graph := read_graph_files(opening)) is None:
        return None
    files = opening.layout.files["graph"]
    of_graph = opening.problems.of(opening.layout.name_of(files[0]) if len(files) == 1 else "graph")
    of_concepts = opening.problems.of(opening.parts[0].file)
    return bind_graph(graph, of_graph, opening.concepts, of_concepts=of_concepts, scheme=opening.scheme)


def read_graph_files(opening: Opening) -> ConceptGraph | None:
    """The graph of all graph files together, whatever the concepts of a study are."""
    toml, n_errors = opening.layout.toml, opening.problems.report().total("error")
    scheme = None if opening.scheme == UMLS else opening.scheme  # as an upload was parsed
    files: list[tuple[str, Edges]] = []
    for path in opening.layout.files["graph"]:
        edges: Edges = opening.parse(
            "graph", path, sources=toml.graph_sources, rela=toml.graph_rela, scheme=scheme
        ) or no_edges("csv")
        files.append((opening.layout.name_of(path), edges))
        opening.graph_names += [] if edges.names is None else [edges.names]
    silent = opening.problems.report().total("error") > n_errors  # then it is known why there is no edge
    graph, parts = graph_of_files(files, opening.problems, toml.graph_sources, toml.graph_rela, silent=silent)
    opening.parts += parts
    return graph


def read_neighbours(opening: Opening) -> Neighbours | None:
    """The neighbour dictionary, in place of a graph."""
    if opening.values["graph"] is not None:
        return None
    neighbours: Neighbours | None = opening.bind("neighbours", opening.first("neighbours"))
    return neighbours


def read_names(opening: Opening) -> Mapping[str, str]:
    """Names by concept: of the files of names, then the labels of ontologies, then the words of synsets.

    Where files of names disagree the first one counts. One that names no concept of the images or of the
    graph is an error, and left out.
    """
    names: dict[str, str] = {}
    for path in opening.layout.files["names"]:
        rows, file = opening.parse("names", path), opening.layout.name_of(path)
        of_file = ({} if rows is None else opening.bind("names", rows, file)) or {}
        n, form = (0, "csv") if rows is None else (len(rows.names), rows.format)
        opening.parts.append(Part("names", file, form, n, bool(of_file)))
        names = {**of_file, **names}
    for table in opening.graph_names:
        labels = table.filter(table["preferred"])
        for concept, text in zip(labels["concept"].to_pylist(), labels["text"].to_pylist(), strict=True):
            names.setdefault(concept, text)
    if opening.scheme == WORDNET:
        graph: ConceptGraph | None = opening.values["graph"]
        known = {*opening.concepts.vocabulary, *(graph.cuis if graph is not None else ())}
        names |= {concept: name for concept in sorted(known - names.keys()) if (name := own_name(concept))}
    return names


def read_concept_vectors(opening: Opening) -> dict[str, ConceptVectors]:
    """Vectors of concepts by name; a second file of one name, and one without a usable name, is left out."""
    metrics = opening.layout.toml.vector_metrics
    files: dict[str, Path] = {}
    for path in opening.layout.files["concept_vectors"]:
        name = name_of_vectors(path.name)
        if name in files or not is_name(name):
            wrong = f"it must be {NAME_RULE}" if not is_name(name) else "another file is called so too"
            opening.problems.of(opening.layout.name_of(path)).by_rule(RULES, "bad-name", name, wrong=wrong)
        else:
            files[name] = path
    bound = {
        name: opening.bind(
            "concept_vectors",
            opening.file("concept_vectors", path),
            name=name,
            metric=metrics.get(name, "cosine"),
        )
        for name, path in sorted(files.items())
    }
    for name in sorted(metrics.keys() - files.keys()):
        known = [*files] or ["none"]
        opening.problems.of(TOML).by_rule(RULES, "no-such-vectors", name, "warning", known=known)
    return {name: vectors for name, vectors in bound.items() if vectors is not None}


def read_kinds(opening: Opening) -> ConceptKinds | None:
    """The kind of each concept on the images, from everything the study says; None where nothing says any.

    ``kinds.csv`` counts more than MRSTY: five rows can correct what a terminology says of a million.
    """
    vocabulary = opening.concepts.vocabulary
    wanted = frozenset(vocabulary)
    sources: list[tuple[bool, str, Mapping[str, str]]] = []
    for path in opening.layout.files["concept_kinds"]:
        rows, file = opening.file("concept_kinds", path, wanted=wanted), opening.layout.name_of(path)
        kinds = opening.bind("concept_kinds", rows, file) or {}
        opening.parts[-1] = replace(opening.parts[-1], used=bool(kinds))
        sources.append((rows is not None and rows.format == MRSTY, file, kinds))
    of_concepts: dict[str, str] = {}
    used: list[str] = []
    for _, source, of_source in sorted(sources, key=lambda item: item[0]):
        new = {cui: kind for cui, kind in of_source.items() if cui in wanted and cui not in of_concepts}
        of_concepts |= new
        used += [source] if new else []
    return ConceptKinds.of_concepts(of_concepts, ", ".join(used)) if of_concepts else None


def read_qrels(opening: Opening) -> dict[str, Qrels]:
    """The judgments that others made, by name."""
    bound = {
        name: opening.bind("judges" if by_program else "judgments", rows, name=name)
        for name, (rows, by_program) in sorted(opening.judged.items())
    }
    return {name: qrels for name, qrels in bound.items() if qrels is not None}


def read_images(opening: Opening) -> ImageFiles | None:
    """Where the images lie: in a folder, a zip, or the shards. A query may show the picture of another."""
    paths, concepts = opening.layout.files["images"], opening.concepts
    if not paths:
        return None if opening.shards is None else images_in_shards(opening.shards, concepts.image_ids)
    name, shown = opening.layout.name_of(paths[0]), picture_names(opening.own, concepts)
    wanted = sorted({picture for picture in shown if picture})
    images, report = find_images(paths[0], wanted, file=name)
    opening.problems.include(report)
    if images is not None and wanted != shown:
        entry = dict(zip(wanted, images.entries, strict=True))
        images = replace(images, entries=tuple(entry.get(picture) for picture in shown))
    count = 0 if images is None else images.count
    opening.parts.append(Part("images", name, "folder" if paths[0].is_dir() else "zip", count, count > 0))
    return images


def read_own_queries(opening: Opening) -> OwnQueries | None:
    """What ``queries.csv`` says of the queries; what is wrong with lists of ids is reported with it."""
    report_lists(opening)
    own, graph = opening.own, opening.values["graph"]
    if own is None:
        return None
    known = {*opening.values["names"], *(graph.cuis if graph is not None else ())}
    return bind_queries(own, opening.problems.of(own.file), opening.concepts, known)


def read_systems(opening: Opening) -> Mapping[str, Run]:
    """The runs by system, names ascending; a system may have a run, embeddings, or both."""
    layout, runs, embeddings = opening.layout, dict[str, Run](), dict[str, Embeddings]()
    for system, files in sorted(layout.systems.items()):
        if "run" in files:
            run: Run | None = opening.bind("run", opening.file("run", files["run"]), system=system)
            runs |= {} if run is None else {system: run}
        vectors = vector_rows(opening, files, opening.file)
        table: Embeddings | None = opening.bind("embeddings", vectors, system=system)
        embeddings |= {} if table is None else {system: table}
    there_are = {*runs, *embeddings}
    looks = {name: layout.toml.looks.get(name, SystemLook()) for name in layout.systems if name in there_are}
    opening.values |= {"embeddings": embeddings, "looks": looks}
    return runs


def read_baseline(opening: Opening) -> str:
    """The system that ``study.toml`` names as the baseline; "" where it names none or an unknown one."""
    wanted, systems = opening.layout.toml.baseline, opening.values["looks"]
    if not wanted or wanted in (*systems, "@iou", "@nn-iou"):
        return wanted
    known = sorted(systems) or ["none"]
    opening.problems.of(TOML).by_rule(RULES, "no-such-baseline", wanted, known=known)
    return ""


def _of_one_file(kind: str) -> Callable[[Opening], Any]:
    """A part that takes no more than its file."""
    return lambda opening: opening.bind(kind, opening.first(kind))


PARTS: Mapping[str, Callable[[Opening], Any]] = {
    "captions": read_captions,
    "labels": read_labels,
    "groups": read_groups,
    "graph": read_graph,
    "neighbours": read_neighbours,
    "names": read_names,
    "concept_vectors": read_concept_vectors,
    "kinds": read_kinds,
    "qrels": read_qrels,
    "images": read_images,
    "own_queries": read_own_queries,
    "pairs": _of_one_file("pairs"),
    "runs": read_systems,
    "baseline": read_baseline,
}
"""How the fields of a study are read, each after those that it takes up."""


provide(with_runs=refusing_runs, save=save)
