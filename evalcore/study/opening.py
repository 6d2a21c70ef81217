"""A study while it is opened: files are parsed and ids settled before any part is bound to the images.

What concerns all parts is read here: concepts, judgments, queries and pairs. The other parts follow in
`study`, each from the `Opening`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.graph import ConceptGraph
from evalcore.study.concepts.concepts import (
    ConceptRows,
    ConceptsById,
    Shards,
    bind_id_list,
    parse_id_list,
    read_shards,
)
from evalcore.study.concepts.texts import (
    PAIRS,
    QUERIES,
    QueryRows,
    are_pairs,
    are_queries,
    is_table,
    texts_in,
    usable_queries,
)
from evalcore.study.folder.layout import Layout
from evalcore.study.parts.judgments import SPLITS, are_of_programs, name_of_judgments
from evalcore.study.parts.reading import custom_format, parse_path
from evalcore.study.parts.registry import KINDS, Parse
from evalcore.study.pictures.image_files import pictures_in
from evalcore.study.study_ids import Links, NamedIds, StudyIds, settle_ids
from evalcore.study.tables.files import read_bytes, read_plain
from evalcore.study.tables.load import header_of
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.tables.schema import Rows, Schema
from evalcore.study.vectors.files import VectorRows
from evalcore.values.arrays import Ints, digest_of, position, readonly
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets, Part
from evalcore.values.settings import Unknown


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
    _parsed: dict[tuple[Path, Parse | None], tuple[Any, Report]] = field(default_factory=dict)

    def parse(self, kind: str, path: Path, *, parse: Parse | None = None, **options: Any) -> Any:
        """The parsed value of a file, None when it cannot be read; what is wrong with it is reported by
        `read`. ``parse``: in place of its parser."""
        if (path, parse) not in self._parsed:
            problems = Problems(self.layout.name_of(path))
            custom = custom_format(kind, problems.file)
            parser = parse or (KINDS[kind].parse if custom is None else custom.parse)
            value = parse_path(parser, path, problems, **options)
            self._parsed[path, parse] = value, problems.report()
        return self._parsed[path, parse][0]

    def read(self, kind: str, path: Path, *, parse: Parse | None = None, **options: Any) -> Any:
        """The same, and its problems are those of the study."""
        self.parse(kind, path, parse=parse, **options)
        value, report = self._parsed.pop((path, parse))
        self.problems.include(report)
        return value

    def file(self, kind: str, path: Path, **options: Any) -> Any:
        """The same, with the file among the parts of the study."""
        value, name = self.read(kind, path, **options), self.layout.name_of(path)
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
    """Read the concepts, queries, judgments and pairs of a study, and settle its ids (see `study_ids`).

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
        # "qrels" can be a file; as a folder it is that of the splits.
        rows = None if path.is_dir() and path.name == SPLITS else opening.file(kind, path)
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
