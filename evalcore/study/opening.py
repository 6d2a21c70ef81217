"""A study while it is opened: its files are read, its ids settled, its parts bound to the images.

`PARTS` names every part of a `Study` that files give, in the order in which they are read, and what reads it.
Each gives None, or nothing, where the study has no such part that can be used, and leaves its files and
problems in the `Opening`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.graph import ConceptGraph, Neighbours
from evalcore.study.concept_kinds import kinds_below, parse_kinds_of_names
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
from evalcore.study.folder.layout import Layout
from evalcore.study.folder.study_toml import StudyToml
from evalcore.study.folder.toml import line_of
from evalcore.study.graphs.edges import Edges, no_edges
from evalcore.study.graphs.graph_files import bind_graph, chosen_edges, graph_of_edges, part_of_graph
from evalcore.study.graphs.rrf import MRSTY
from evalcore.study.parts.judgments import (
    SPLITS,
    are_of_programs,
    joined_shards,
    name_of_judgments,
    shards_of,
)
from evalcore.study.parts.reading import custom_format, parse_once, parse_path
from evalcore.study.parts.registry import KINDS, OF_A_STUDY, Parse, StudyContext, name_of_vectors
from evalcore.study.pictures.image_files import find_images, pictures_in
from evalcore.study.study_ids import Links, NamedIds, StudyIds, settle_ids
from evalcore.study.tables.files import read_bytes, read_plain
from evalcore.study.tables.load import header_of
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.tables.schema import Rows, Schema, no_rows, rows_of
from evalcore.study.vectors.files import VectorRows
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import digest_of
from evalcore.values.concept_scheme import UMLS, WORDNET, own_name
from evalcore.values.concept_values import NAME_RULE, ConceptKinds, ConceptVectors, is_name
from evalcore.values.grouping import groups_of_column, names_groups
from evalcore.values.model import (
    Captions,
    ConceptSets,
    Embeddings,
    Groups,
    ImageFiles,
    LabelColumn,
    Labels,
    Part,
    Qrels,
    Run,
    SystemLook,
)
from evalcore.values.own_queries import OwnQueries
from evalcore.values.settings import Unknown

TOML = "study.toml"


@dataclass(slots=True)
class Opening:
    """A study so far: where its files are, what was read, bound and found.

    ``shards``: where concepts came from, if any; ``judged``: files of judgments by name, and whether programs
    made them; ``own``: the queries of ``queries.csv``, None without such a table; ``matched``: pairs.
    ``scored``: whether there is something to score by besides concepts. ``ontology_names``: what graph files
    call their concepts; ``links``: results of systems. ``values``: parts that are bound.
    """

    layout: Layout
    problems: Problems
    unknown: Unknown = "error"
    parts: list[Part] = field(default_factory=list)
    scheme: str = UMLS
    shards: Shards | None = None
    judged: dict[str, tuple[Rows, bool]] = field(default_factory=dict)
    own: QueryRows | None = None
    matched: Rows | None = None
    scored: bool = False
    ontology_names: list[pa.Table] = field(default_factory=list)
    links: list[Links] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def concepts(self) -> ConceptSets:
        sets: ConceptSets = self.values["concepts"]
        return sets

    @property
    def ids(self) -> StudyIds:
        ids: StudyIds = self.values["ids"]
        return ids

    def context(self, **more: Any) -> StudyContext:
        """The study as files are bound to it."""
        return StudyContext(
            self.concepts,
            self.ids.every_query,
            graph=self.values.get("graph"),
            unknown=self.unknown,
            scheme=self.scheme,
            own=self.own,
            **more,
        )

    def name_of(self, path: Path) -> str:
        """A file as messages name it, whatever bytes its name holds."""
        return readable(self.layout.name_of(path))

    def read(self, kind: str, path: Path, *, parse: Parse | None = None, **options: Any) -> Any:
        """The parsed value of a file; None when it cannot be read. ``parse``: in place of its parser."""
        problems = self.problems.of(self.name_of(path))
        custom = custom_format(kind, problems.file)
        parse = parse or (KINDS[kind].read if custom is None else custom.parse)
        return parse_path(parse, path, problems, open_end=custom is None, **options)

    def file(self, kind: str, path: Path, **options: Any) -> Any:
        """The same, with the file among the parts of the study."""
        value, name = self.read(kind, path, **options), self.name_of(path)
        rows = len(value) if isinstance(value, np.ndarray) else getattr(value, "rows", 0)
        custom = custom_format(kind, name)
        form = getattr(value, "format", "csv") if custom is None else str(custom.plugin)
        self.parts.append(Part(kind, name, form, rows, bool(rows)))
        return value

    def first(self, kind: str, **options: Any) -> Any:
        """The parsed value of the file of a kind; None when the study has no such file."""
        return next((self.file(kind, path, **options) for path in self.layout.files[kind]), None)

    def bind(self, kind: str, value: Any, file: str = "", **more: Any) -> Any:
        """What is left of a parsed value in the study; None where there is none."""
        if value is None:
            return None
        study, name = self.context(**more), file or getattr(value, "file", "")
        bound, report = guarded(name, lambda problems: KINDS[kind].bind(value, problems, study), None)
        self.problems.include(report)
        return bound

    @staticmethod
    def of_files(root: Path, toml: StudyToml | None = None, **files: Sequence[Path]) -> Opening:
        """Files of some kinds alone, which messages call by their paths below ``root``."""
        paths = {kind: tuple(files.get(kind, ())) for kind in OF_A_STUDY}
        return Opening(Layout(root, toml or StudyToml(), paths, {}, {}), Problems(""))

    def apart(self) -> Opening:
        """The same study to look something up in; what is found there is reported where it is bound."""
        return Opening(self.layout, Problems(""))


# What is read before anything is bound, because ids follow from it.


def read_basis(opening: Opening) -> bool:
    """Read the concepts, queries, judgments and pairs of a study, and settle its ids (see `study_ids`).

    Without a file of concepts nobody annotated the images, which is a remark. False where the concepts cannot
    be read, or there are none and nothing else makes a study of the folder.
    """
    rows = _concept_rows(opening)
    opening.judged = _judgment_rows(opening)
    given = bool(opening.layout.files["concepts"])
    if given and not any(rows.sets.values()) and (not rows.sets or opening.problems.report().total("error")):
        return False
    looking = opening.apart()
    shown = {} if given else _shown(looking)
    opening.own = _query_rows(opening, rows.sets if given else dict.fromkeys(shown))
    opening.matched = _pair_rows(looking)
    opening.layout = looking.layout
    lists = {kind: _id_list(looking, kind) for kind in ("queries", "candidates")}
    named = [] if given else _labelled(looking)
    opening.scored = any(of.rows for of, _ in opening.judged.values()) or bool(
        opening.layout.systems and (opening.matched is not None or named)
    )
    if not (given or shown or opening.scored):
        return False
    ids = settle_ids(
        NamedIds(
            concepts=rows.sets if given else None,
            shown=shown,
            documents=() if given else _documents(looking),
            named=named,
            kinds=None if opening.own is None else opening.own.kinds,
            queries=() if lists["queries"] is None else lists["queries"].texts("id"),
            candidates=() if lists["candidates"] is None else lists["candidates"].texts("id"),
            judged=[Links.of_table(of, "query", "result") for of, _ in opening.judged.values()],
            pairs=None if opening.matched is None else Links.of_table(opening.matched, "query", "candidate"),
            systems=lambda: _system_links(looking),
        )
    )
    sets = dict.fromkeys(ids.image_ids) | dict(rows.sets)
    if opening.own is not None:
        sets |= {query: of for query, of in opening.own.sets.items() if query in sets}
    if not given:
        _report_no_concepts(opening, len(ids.images))
    concepts = ConceptSets.of(sets)
    if ids.only is not None:  # queries that are no images count in no frequency
        concepts = replace(concepts, only=ids.only, digest=digest_of(concepts.digest, ids.only))
    opening.values |= {"concepts": concepts, "ids": ids}
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
        name = f"{opening.name_of(paths[0])}{more}"
        opening.parts.append(Part("concepts", name, "huggingface", rows.rows, bool(rows.rows)))
    else:
        rows = opening.first("concepts", scheme=scheme) or ConceptRows({}, 0, scheme or UMLS)
    opening.scheme = scheme or rows.scheme
    return rows


def _judgment_rows(opening: Opening) -> dict[str, tuple[Rows, bool]]:
    """The files of judgments by name, and whether programs made them; of two files of one name the first."""
    files: dict[str, tuple[Rows, bool]] = {}
    for kind in ("judgments", "judges"):
        # "qrels" can be a file; as a folder it is that of the splits.
        paths = [path for path in opening.layout.files[kind] if not (path.is_dir() and path.name == SPLITS)]
        for shards in shards_of(paths):
            parsed = [of for path in shards if (of := opening.file(kind, path)) is not None]
            rows, report = joined_shards(parsed) if parsed else (None, None)
            if report is not None:
                opening.problems.include(report)
            if rows is None:
                continue
            if (name := name_of_judgments(rows.file)) in files:
                message = f"Another file of judgments is called {name!r} too; this one is left out."
                opening.problems.of(rows.file).error("same-name", message, "Rename one of them.", value=name)
            else:
                files[name] = rows, kind == "judges" or are_of_programs(rows)
    return files


def _shown(looking: Opening) -> set[str]:
    """The images that captions and pictures are of."""
    captions = looking.first("captions")
    ids = set(texts_in(captions) if captions is not None else ())
    pictures = (pictures_in(place, Problems("")) for place in looking.layout.files["images"][:1])
    for name in (Path(entry) for entry, _, _ in chain.from_iterable(filter(None, pictures))):
        if ids.isdisjoint((name.name, name.stem, name.with_suffix("").as_posix())):
            ids.add(name.stem)
    return ids


def _documents(looking: Opening) -> list[str]:
    """The ids in a corpus beside judgments."""
    texts = (looking.file("corpus", path) for path in looking.layout.files["corpus"])
    return [name for of in texts if of is not None and not are_queries(of.file) for name in of.texts("id")]


def _labelled(looking: Opening) -> list[str]:
    """The ids that have labels or groups."""
    tables: list[LabelRows | None] = [looking.first(kind) for kind in ("labels", "groups")]
    return [name for of in tables if of is not None for values in of.columns.values() for name in values]


def _system_links(looking: Opening) -> list[Links]:
    """What rankings and vectors link: read at most once, and only if they matter."""
    layout, links = looking.layout, looking.links
    for key, files in layout.systems.items() if not links else ():
        runs = [looking.file("run", path) for path in layout.files_of(key, "run")]
        links += [Links.of_table(run, "query", "candidate") for run in runs if run is not None]
        vectors = _vector_rows(looking, files)
        if vectors is not None:
            queries = vectors.of_queries
            links.append(Links([*vectors.ids, *(queries.ids if queries else ())], vectors.ids, None))
    return links


def _report_no_concepts(opening: Opening, n: int) -> None:
    files = opening.layout.files
    kinds = ("captions", "images", "judgments", "judges", "pairs", "labels", "groups")
    of = next((path for kind in kinds for path in files[kind]), opening.layout.root)
    by = "judgments" if files["judgments"] or files["judges"] else "pairs or labels"
    remedy = "Find them in the captions (annotate), or add concepts.csv."
    if opening.scored:
        remedy = f"The study is scored by its {by}. To score by concepts too, add concepts.csv."
    message = "There is no file of concepts: none of the {n} images has any."
    opening.problems.of(opening.name_of(of)).add_summary("no-concepts-yet", n, message, remedy)


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
    rows: Rows | None = opening.first("pairs")
    return rows if rows is not None and rows.rows else None


def _id_list(opening: Opening, kind: str) -> Rows | None:
    """The ids of ``queries.txt`` or ``candidates.txt``; None without such a list, or with nothing in it."""
    for path in opening.layout.files[kind][:1]:
        if kind == "candidates" or not is_table(_header(path, QUERIES)):
            listed: Rows = opening.file(kind, path, parse=parse_id_list)
            return listed if listed is not None and listed.rows else None
    return None


def _report_list(opening: Opening, kind: str) -> None:
    """What is unknown or repeated in a list, and candidates that are no images."""
    listed, ids = _id_list(opening, kind), opening.ids
    if listed is None:
        return
    problems = opening.problems.of(listed.file)
    places = bind_id_list(listed, problems, ids.image_ids)
    n = 0 if places is None else len(places)
    opening.parts = [replace(of, rows=n, used=n > 0) if of.kind == kind else of for of in opening.parts]
    queries = () if kind == "queries" or places is None or ids.only is None else places[ids.only[places]]
    for query in queries:
        message = f"{ids.image_ids[query]!r} is a query and no image, so it is no candidate."
        problems.error("not-an-image", message, "Remove it.", value=ids.image_ids[query])


# The parts, bound.


def read_captions(opening: Opening) -> Captions | None:
    """Captions from their own file, else from the shards or the corpus; the texts of queries with them."""
    rows: Rows | None = opening.first("captions")
    if rows is None and opening.shards is not None:
        rows = opening.shards.captions
    if rows is None and opening.layout.files["corpus"]:
        rows = _texts(opening)
    if opening.own is not None and rows is None:  # that images have no captions then is nothing to mention
        nothing = no_rows(opening.own.file, CAPTIONS)
        study = opening.context()
        return KINDS["captions"].bind(nothing, Problems(""), study) if opening.own.texts else None
    if rows is None or not (texts_in(rows) or (opening.own is not None and opening.own.texts)):
        return None
    captions: Captions | None = opening.bind("captions", rows)
    return captions


def _texts(opening: Opening) -> Rows:
    """The texts of documents and queries; those of queries that nobody asks play no part."""
    known, texts, file = set(opening.concepts.image_ids), dict[str, str](), ""
    for path in opening.layout.files["corpus"]:
        of: Rows | None = opening.file("corpus", path)
        if of is not None:
            file = file or of.file
            texts |= {name: text for name, text in texts_in(of).items() if name in known}
    return rows_of({"id": list(texts), "caption": list(texts.values())}, file)


def read_labels(opening: Opening) -> Labels | None:
    """Labels of the label file and of queries; those a label map derives are added under names it has not."""
    rows = opening.first("labels")
    if rows is None and opening.own is not None and opening.own.labels:
        rows = LabelRows({}, 0, opening.own.file)
    columns: dict[str, LabelColumn] = opening.bind("labels", rows) or {}
    scheme = None if opening.scheme == UMLS else opening.scheme
    label_map = opening.first("label_map", scheme=scheme)
    if label_map is not None:
        file, one_value = (
            opening.name_of(opening.layout.files["label_map"][0]),
            opening.layout.toml.one_value_labels,
        )
        columns = (opening.bind("label_map", label_map, file, one_value=one_value) or {}) | columns
    return all_labels(columns)


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
        message = f"No column of labels.csv or groups.csv is called {name!r}: no groups."
        remedy = f"Name one of these: {', '.join(columns) or 'none'}."
        problems.error("no-such-group", message, remedy, value=name)
    for proposed, column in columns.items() if not name else ():
        if names_groups(proposed, column):
            message = (
                f"{proposed!r} has {len(column.values):,} values on {int(column.labelled.sum()):,} images: "
                "it looks like a group, such as a patient, whose images count as independent."
            )
            remedy = f'Write group = "{proposed}" in study.toml: results of the own group are then left out.'
            problems.warning("looks-like-groups", message, remedy, value=proposed)
    return groups_of_column(columns[name]) if name in columns else None


def read_graph(opening: Opening) -> ConceptGraph | None:
    """The graph of all graph files together; concepts it does not hold are counted."""
    toml, problems = opening.layout.toml, opening.problems
    chosen, n_errors = list[Edges](), problems.report().total("error")
    for path in opening.layout.files["graph"]:
        edges: Edges = opening.read(
            "graph",
            path,
            sources=toml.graph_sources,
            rela=toml.graph_rela,
            scheme=None if opening.scheme == UMLS else opening.scheme,  # as an upload was parsed
        ) or no_edges("csv")
        file = opening.name_of(path)
        chosen.append(chosen_edges(edges, problems.of(file), toml.graph_sources, toml.graph_rela))
        opening.parts.append(part_of_graph(file, edges, chosen[-1]))
    files = [part.file for part in opening.parts if part.kind == "graph"]
    of_graph = problems.of(files[0] if len(files) == 1 else "graph")
    silent = problems.report().total("error") > n_errors  # then it is known why there is no edge
    graph = None
    if any(edges.links.num_rows for edges in chosen) or (chosen and not silent):
        graph = graph_of_edges(chosen, of_graph, toml.graph_sources, toml.graph_rela)
    opening.ontology_names = [edges.names for edges in chosen if edges.names is not None]
    if graph is None or "concepts" not in opening.values:
        return graph
    of_concepts = problems.of(opening.parts[0].file)
    return bind_graph(graph, of_graph, opening.concepts, of_concepts=of_concepts, scheme=opening.scheme)


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
        rows, file = opening.read("names", path), opening.name_of(path)
        of_file = ({} if rows is None else opening.bind("names", rows, file)) or {}
        n, form = (0, "csv") if rows is None else (len(rows.names), rows.format)
        opening.parts.append(Part("names", file, form, n, bool(of_file)))
        names |= {concept: name for concept, name in of_file.items() if concept not in names}
    for table in opening.ontology_names:
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
            message = f"{name!r} cannot be the name of these vectors: {wrong}."
            problems = opening.problems.of(opening.name_of(path))
            problems.error("bad-name", message, "Rename the file.", value=name)
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
        message = f"There are no vectors called {name!r} in concept_vectors; their metric is ignored."
        remedy = f"Name one of these: {', '.join(files) or 'none'}."
        opening.problems.of(TOML).warning("no-such-vectors", message, remedy, value=name)
    return {name: of for name, of in bound.items() if of is not None}


def read_kinds(opening: Opening) -> ConceptKinds | None:
    """The kind of each concept on the images, from everything the study says; None where nothing says any.

    What is nearer to the user's own hand counts more: ``kinds.csv``, then a column of the names, then the
    roots in ``study.toml``, then MRSTY. So a table of five rows can correct what a terminology says of a
    million.
    """
    vocabulary = opening.concepts.vocabulary
    wanted, graph = frozenset(vocabulary), opening.values["graph"]
    sources: list[tuple[int, str, Mapping[str, str]]] = []
    for path in opening.layout.files["concept_kinds"]:
        rows, file = opening.file("concept_kinds", path, wanted=wanted), opening.name_of(path)
        kinds = opening.bind("concept_kinds", rows, file) or {}
        opening.parts[-1] = replace(opening.parts[-1], used=bool(kinds))
        sources.append((3 if rows is not None and rows.format == MRSTY else 0, file, kinds))
    for path in opening.layout.files["names"]:
        data = None if ".rrf" in path.name.lower() else read_plain(path, Problems(""))
        if data is not None:  # else it was reported when its names were read
            rows, report = parse_once(parse_kinds_of_names, data, file=opening.name_of(path))
            opening.problems.include(report)
            sources.append((1, f"a column of {opening.name_of(path)}", rows.kinds))
    roots = opening.layout.toml.kind_roots
    _report_lost_roots(opening, graph)
    if graph is not None:
        sources.append((2, "roots in study.toml", kinds_below(graph, roots, vocabulary)))
    of_concepts: dict[str, str] = {}
    used: list[str] = []
    for _, source, of_source in sorted(sources, key=lambda item: item[0]):
        new = {cui: kind for cui, kind in of_source.items() if cui in wanted and cui not in of_concepts}
        of_concepts |= new
        used += [source] if new else []
    return ConceptKinds.of_concepts(of_concepts, ", ".join(used)) if of_concepts else None


def _report_lost_roots(opening: Opening, graph: ConceptGraph | None) -> None:
    """Roots of kinds in ``study.toml`` that the graph does not have."""
    problems, text = opening.problems.of(TOML), opening.layout.text
    roots = opening.layout.toml.kind_roots
    if graph is None and roots:
        message = "[kinds] names roots, but there is no concept graph, so nothing is below them."
        remedy = "Add the graph, or give the kinds in kinds.csv."
        problems.warning("roots-without-graph", message, remedy, line=line_of(text, "[kinds]"))
    for kind, cui in ((kind, cui) for kind, concepts in roots.items() for cui in concepts):
        if graph is not None and graph.index(cui) < 0:
            message = f"The graph does not contain the root {cui} of {kind}."
            remedy = "Name a concept of the graph."
            problems.warning("unknown-root", message, remedy, line=line_of(text, cui), value=cui)


def read_qrels(opening: Opening) -> dict[str, Qrels]:
    """The judgments that others made, by name."""
    bound = {
        name: opening.bind("judges" if by_program else "judgments", rows, name=name)
        for name, (rows, by_program) in sorted(opening.judged.items())
    }
    return {name: of for name, of in bound.items() if of is not None}


def read_images(opening: Opening) -> ImageFiles | None:
    """Where the images lie: in a folder, a zip, or the shards. A query may show the picture of another."""
    paths, concepts = opening.layout.files["images"], opening.concepts
    if not paths:
        return None if opening.shards is None else images_in_shards(opening.shards, concepts.image_ids)
    name, shown = opening.name_of(paths[0]), picture_names(opening.own, concepts)
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
    for kind in ("queries", "candidates"):
        _report_list(opening, kind)
    own, graph = opening.own, opening.values["graph"]
    if own is None:
        return None
    known = {*opening.values["names"], *(graph.cuis if graph is not None else ())}
    return bind_queries(own, opening.problems.of(own.file), opening.concepts, known)


def read_systems(opening: Opening) -> Mapping[str, Run]:
    """The runs by system, names ascending; a system may have a run, embeddings, or both.

    A system with runs of several seeds has each of them by its own name (``cnn.2``); ``seeds`` says which are
    whose.
    """
    layout, runs = opening.layout, dict[str, Run]()
    embeddings, seeds = dict[str, Embeddings](), dict[str, tuple[str, ...]]()
    for system, key in sorted((layout.names[key], key) for key in layout.systems):
        files, of_seeds = layout.systems[key], layout.seeds_of(key)
        for name, path in of_seeds.items() or (((system, files["run"]),) if "run" in files else ()):
            run: Run | None = opening.bind("run", opening.file("run", path), system=name)
            runs |= {} if run is None else {name: run}
        if there := tuple(name for name in of_seeds if name in runs):
            seeds[system] = there
        vectors = _vector_rows(opening, files)
        if vectors is not None and "query_vectors" in files:
            of_queries = opening.file("query_vectors", files["query_vectors"])
            vectors = replace(vectors, of_queries=of_queries or vectors.of_queries)
        table: Embeddings | None = opening.bind("embeddings", vectors, system=system)
        embeddings |= {} if table is None else {system: table}
    there_are = {*runs, *embeddings, *seeds}
    looks = {
        name: replace(layout.toml.looks.get(key, SystemLook()), key=key)
        for key, name in layout.names.items()
        if name in there_are
    }
    opening.values |= {"embeddings": embeddings, "seeds": seeds, "looks": looks}
    return runs


def _vector_rows(opening: Opening, files: Mapping[str, Path]) -> VectorRows | None:
    if "embeddings" not in files:
        return None
    ids = None
    if "ids" in files:
        ids = read_bytes(files["ids"], opening.problems.of(opening.name_of(files["ids"])))
    vectors: VectorRows | None = opening.file("embeddings", files["embeddings"], ids=ids)
    return vectors


def read_baseline(opening: Opening) -> str:
    """The system that ``study.toml`` names as the baseline; "" where it names none or an unknown one."""
    wanted, systems = opening.layout.toml.baseline, opening.values["looks"]
    name = opening.layout.names.get(wanted, wanted)
    if not wanted or name in systems or name in opening.values["runs"] or name in ("@iou", "@nn-iou"):
        return name
    message = f"No system is called {wanted!r}, the baseline."
    remedy = f"Name one of these: {', '.join(sorted(systems)) or 'none'}."
    opening.problems.of(TOML).error("no-such-baseline", message, remedy, value=wanted)
    return ""


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
    "pairs": lambda opening: opening.bind("pairs", _pair_rows(opening)),
    "runs": read_systems,
    "baseline": read_baseline,
}
