"""A study folder becomes a ``Study``: its parts are found, read and bound to the images.

What cannot be used is reported and kept out; only a folder without readable concepts is no study. One that
has captions, pictures, judgments, or systems with pairs or labels, and no file of concepts is a study whose
images nobody annotated yet. Which ids are images, queries and candidates is settled once, before anything is
bound to them (see `ids`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    images_in_shards,
    parse_id_list,
    read_shards,
)
from evalcore.study.concepts.labels import LABELS, all_labels, bind_labels
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
from evalcore.study.graphs.edges import Edges, no_edges
from evalcore.study.graphs.graph_files import bind_graph, graph_of_files
from evalcore.study.graphs.rrf import MRSTY
from evalcore.study.ids import Links, NamedIds, StudyIds, settle_ids
from evalcore.study.parts.judgments import are_of_programs, name_of_judgments
from evalcore.study.parts.recognise import report_unread
from evalcore.study.parts.registry import KINDS, Parse, custom_format, name_of_vectors, parse_path
from evalcore.study.pictures.image_files import find_images, pictures_in
from evalcore.study.tables.files import read_bytes, read_plain
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.load import header_of
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.tables.schema import Rows, Schema, no_rows, rows_of
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import Ints, digest_of, position, readonly
from evalcore.values.concept_scheme import UMLS, WORDNET, own_name
from evalcore.values.concept_values import NAME_RULE, ConceptKinds, ConceptVectors, is_name
from evalcore.values.errors import InputError
from evalcore.values.grouping import groups_of_column, names_groups
from evalcore.values.model import Captions, ConceptSets, Groups, ImageFiles, Labels, Part, Qrels, Study
from evalcore.values.own_queries import Direction, OwnQueries
from evalcore.values.settings import Unknown


@dataclass(slots=True)
class Opening:
    """A study so far: where its files are, what was read, bound and found.

    ``parts``: the files that were read, by kind and path; ``parsed``: those of them that are not bound yet.
    ``shards``: where concepts came from, if any; ``judged``: files of judgments by name, and whether programs
    made them; ``own``: the queries of ``queries.csv``, None without such a table; ``lists``: the ids of
    ``queries.txt`` and ``candidates.txt``. ``scored``: whether there is something to score by besides
    concepts. ``graph_names``: what graph files call their concepts. ``values``: parts that are bound.
    ``concepts``, ``images``, ``ids`` and ``queries`` (of all directions, as image indices) are there after
    `read_basis`.
    """

    layout: Layout
    problems: Problems
    unknown: Unknown = "error"
    parts: dict[tuple[str, Path], Part] = field(default_factory=dict)
    scheme: str = UMLS
    shards: Shards | None = None
    judged: dict[str, tuple[Rows, bool]] = field(default_factory=dict)
    own: QueryRows | None = None
    lists: dict[str, Rows | None] = field(default_factory=dict)
    scored: bool = False
    graph_names: list[pa.Table] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    concepts: ConceptSets = field(init=False)
    images: KnownIds = field(init=False)
    ids: StudyIds = field(init=False)
    queries: Ints = field(init=False)
    parsed: dict[tuple[str, Path | None], Any] = field(default_factory=dict)

    def read(self, kind: str, path: Path, *, parse: Parse | None = None, **options: Any) -> Any:
        """The parsed value of a file, None when it cannot be read; ``parse``: in place of its parser.

        A file is parsed once; it is a part of the study then, and its problems are those of the study.
        """
        if (kind, path) not in self.parsed:
            name = self.layout.name_of(path)
            value = parse_path(parse or KINDS[kind].parser_of(name), path, self.problems.of(name), **options)
            self.parsed[kind, path] = value
            rows, custom = getattr(value, "rows", 0), custom_format(kind, name)
            form = getattr(value, "format", "csv") if custom is None else str(custom.plugin)
            self.parts[kind, path] = Part(kind, name, form, rows, bool(rows))
        self.parts[kind, path] = self.parts.pop((kind, path))  # in the order in which they are used
        return self.parsed[kind, path]

    def first(self, kind: str, **options: Any) -> Any:
        """The parsed value of the file of a kind; None when the study has no such file."""
        return next((self.read(kind, path, **options) for path in self.layout.files[kind]), None)

    def system_file(self, kind: str, files: Mapping[str, Path]) -> Any:
        """The parsed ranking ("run") or vectors ("embeddings") of a system with these files; None without."""
        if kind not in files:
            return None
        options: dict[str, Any] = {}
        if kind == "embeddings" and "ids" in files and (kind, files[kind]) not in self.parsed:
            options["ids"] = read_bytes(files["ids"], self.problems.of(self.layout.name_of(files["ids"])))
        return self.read(kind, files[kind], **options)

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
    rows = _concept_rows(opening)
    opening.judged = _judgment_rows(opening)
    sets = rows.sets if opening.layout.files["concepts"] else None
    has_none = sets is not None and not any(sets.values())
    if has_none and (not sets or opening.problems.report().total("error")):
        return False
    shown = set[str]() if sets is not None else _shown(opening)
    opening.own = _own_queries(opening, dict.fromkeys(shown) if sets is None else sets)
    pairs = _pairs(opening)
    opening.lists = _id_lists(opening)
    named = _labelled(opening) if sets is None else []
    opening.scored = any(table.rows for table, _ in opening.judged.values()) or bool(
        opening.layout.systems and (pairs or named)
    )
    if sets is None and not (shown or opening.scored):
        return False
    listed = {kind: table.texts("id") for kind, table in opening.lists.items() if table is not None}
    judged = [Links.of_table(table, "query", "result") for table, _ in opening.judged.values()]
    links = list[Links]()
    opening.ids = ids = settle_ids(
        NamedIds(
            concepts=sets,
            shown=shown,
            documents=_documents(opening) if sets is None else (),
            named=named,
            kinds=None if opening.own is None else opening.own.kinds,
            queries=listed.get("queries", ()),
            candidates=listed.get("candidates", ()),
            truth=[*judged, *(Links.of_table(table, "query", "candidate") for table in pairs)],
            reversed_pairs=[Links.of_table(table, "candidate", "query") for table in pairs],
            systems=lambda: links or _system_links(opening, links),
        )
    )
    all_sets = dict.fromkeys(ids.image_ids) | dict(rows.sets)
    if opening.own is not None:
        all_sets |= {query: own for query, own in opening.own.sets.items() if query in all_sets}
    if sets is None:
        _report_no_concepts(opening, len(ids.image_ids) - (0 if ids.only is None else int(ids.only.sum())))
    concepts = ConceptSets.of(all_sets)
    if ids.only is not None:  # queries that are no images count in no frequency
        concepts = replace(concepts, only=ids.only, digest=digest_of(concepts.digest, ids.only))
    opening.concepts = opening.values["concepts"] = concepts
    opening.images = KnownIds(concepts.image_ids, opening.unknown)
    opening.queries = readonly(np.unique(np.concatenate([direction.queries for direction in ids.directions])))
    return True


def _concept_rows(opening: Opening) -> ConceptRows:
    """Concepts by image id, none when there is no such file; the scheme of the study is decided here: what
    ``study.toml`` says, else what the concepts are."""
    paths, scheme = opening.layout.files["concepts"], opening.layout.toml.scheme
    if paths and paths[0].suffix.lower() == ".parquet":
        opening.shards = read_shards(paths, opening.problems, root=opening.layout.root, scheme=scheme)
        rows = opening.shards.concepts
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        name = f"{opening.layout.name_of(paths[0])}{more}"
        opening.parts["concepts", paths[0]] = Part(
            "concepts", name, "huggingface", rows.rows, bool(rows.rows)
        )
    else:
        rows = opening.first("concepts", scheme=scheme) or ConceptRows({}, 0, scheme or UMLS)
    opening.scheme = scheme or rows.scheme
    return rows


def _judgment_rows(opening: Opening) -> dict[str, tuple[Rows, bool]]:
    """The files of judgments by name, and whether programs made them; of two files of one name the first."""
    files: dict[str, tuple[Rows, bool]] = {}
    for kind in ("judgments", "judges"):
        for rows in (opening.read(kind, path) for path in opening.layout.files[kind]):
            if rows is None:
                continue
            if (name := name_of_judgments(rows.file)) in files:
                opening.problems.of(rows.file).by_rule(RULES, "same-name", name)
            else:
                files[name] = rows, kind == "judges" or are_of_programs(rows)
    return files


def _shown(opening: Opening) -> set[str]:
    """The images that captions and pictures are of."""
    captions = opening.first("captions")
    ids = set() if captions is None else {*texts_in(captions)}
    pictures = (pictures_in(place, Problems("")) for place in opening.layout.files["images"][:1])
    for name in (Path(entry) for entry, _, _ in chain.from_iterable(filter(None, pictures))):
        if ids.isdisjoint((name.name, name.stem, name.with_suffix("").as_posix())):
            ids.add(name.stem)
    return ids


def _labelled(opening: Opening) -> list[str]:
    """The ids that have labels or groups."""
    tables = [table for kind in ("labels", "groups") if (table := opening.first(kind)) is not None]
    return [image for table in tables if len(table.data.column_names) > 1 for image in table.texts("id")]


def _documents(opening: Opening) -> list[str]:
    """The ids in a corpus beside judgments."""
    texts = (opening.read("corpus", path) for path in opening.layout.files["corpus"])
    corpora = [corpus for corpus in texts if corpus is not None and not are_queries(corpus.file)]
    return [name for corpus in corpora for name in corpus.texts("id")]


def _system_links(opening: Opening, links: list[Links]) -> list[Links]:
    """What rankings and vectors link, into this list: parsed at most once, and only if they matter."""
    for files in opening.layout.systems.values():
        run, vectors = opening.system_file("run", files), opening.system_file("embeddings", files)
        links += [] if run is None else [Links.of_table(run, "query", "candidate")]
        if vectors is not None:
            queries = vectors.of_queries
            links.append(Links([*vectors.ids, *(queries.ids if queries else ())], vectors.ids, None))
    return links


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


def _header(path: Path, schema: Schema) -> tuple[str, ...]:
    """The cells of the first row of a file; problems with it are reported where it is read."""
    return header_of(read_plain(path, Problems("")) or b"", schema)


def _own_queries(opening: Opening, known: ConceptsById) -> QueryRows | None:
    """The usable queries of ``queries.csv``, None for a list of ids. ``known``: concepts by image."""
    for path in opening.layout.files["queries"][:1]:
        if is_table(_header(path, QUERIES)):
            rows = opening.read("queries", path, scheme=opening.scheme)
            if rows is not None and rows.rows:
                usable = usable_queries(rows, opening.problems.of(rows.file), known)
                return usable if usable.kinds else None
    return None


def _pairs(opening: Opening) -> list[Rows]:
    """What each query was matched with; a file of that name with other columns is none of the study."""
    files = opening.layout.files
    kept = tuple(path for path in files["pairs"] if are_pairs(_header(path, PAIRS)))
    opening.layout = replace(opening.layout, files={**files, "pairs": kept})
    rows: Rows | None = opening.first("pairs")
    return [] if rows is None or not rows.rows else [rows]


def _id_lists(opening: Opening) -> dict[str, Rows | None]:
    """The ids of ``queries.txt`` and ``candidates.txt``, as far as there are such files; None for no id."""
    lists: dict[str, Rows | None] = {}
    for kind in ("queries", "candidates"):
        for path in opening.layout.files[kind][:1]:
            if kind == "candidates" or not is_table(_header(path, QUERIES)):
                listed: Rows | None = opening.read(kind, path, parse=parse_id_list)
                lists[kind] = listed if listed is not None and listed.rows else None
    return lists


def report_lists(opening: Opening) -> None:
    """What is unknown or repeated in the lists of ids, and candidates that are no images."""
    ids = opening.ids
    for kind, listed in opening.lists.items():
        key = (kind, opening.layout.files[kind][0])
        part = opening.parts[key] = opening.parts.pop(key)
        if listed is None:
            continue
        problems = opening.problems.of(listed.file)
        places = bind_id_list(listed, problems, opening.images)
        n = 0 if places is None else len(places)
        opening.parts[key] = replace(part, rows=n, used=n > 0)
        queries = () if kind == "queries" or places is None or ids.only is None else places[ids.only[places]]
        for query in queries:
            problems.by_rule(RULES, "not-an-image", ids.image_ids[query])


RULES: Mapping[str, tuple[str, str]] = {
    "same-name": (
        "Another file of judgments is called '{value}' too; this one is left out.",
        "Rename one of them, or write both into one file.",
    ),
    "not-an-image": ("'{value}' is a query and no image, so it is no candidate.", "Remove it."),
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
        parts=tuple(opening.parts.values()),
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
        if part not in ("reads", "baseline")
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
    own, rows = opening.own, opening.first("captions")
    if rows is None and opening.shards is not None:
        rows = opening.shards.captions
    if rows is None and opening.layout.files["corpus"]:
        rows = _texts(opening)
    if rows is None and own is not None:
        rows = no_rows(own.file, CAPTIONS)
    has_texts = rows is not None and ((own is not None and own.texts) or texts_in(rows))
    captions: Captions | None = opening.bind("captions", rows) if has_texts else None
    return captions


def _texts(opening: Opening) -> Rows:
    """The texts of documents and queries; those of queries that nobody asks play no part."""
    known = set(opening.concepts.image_ids)
    parsed = [opening.read("corpus", path) for path in opening.layout.files["corpus"]]
    corpora = [rows for rows in parsed if rows is not None]
    texts = {name: text for rows in corpora for name, text in texts_in(rows).items() if name in known}
    file = next((rows.file for rows in corpora), "")
    return rows_of({"id": list(texts), "caption": list(texts.values())}, file)


def read_labels(opening: Opening) -> Labels | None:
    """Labels of the label file and of queries."""
    rows = opening.first("labels")
    if rows is None and opening.own is not None and opening.own.labels:
        rows = no_rows(opening.own.file, LABELS)
    return all_labels(opening.bind("labels", rows) or {})


def read_groups(opening: Opening) -> Groups | None:
    """Which images belong together: the column ``study.toml`` names, else that of ``groups.csv``.

    Without either, columns of labels that look like groups are proposed.
    """
    rows, name = opening.first("groups"), opening.layout.toml.group
    labels: Labels | None = opening.values["labels"]
    columns = dict(labels.columns) if labels else {}
    if rows is not None:
        own = bind_labels(rows, opening.problems.of(rows.file), opening.images)
        columns |= own
        name = name or next(iter(own), "")
    of_labels = next(
        (part.file for (kind, _), part in opening.parts.items() if kind == "labels"), "labels.csv"
    )
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
    toml, paths = opening.layout.toml, opening.layout.files["graph"]
    n_errors = opening.problems.report().total("error")
    scheme = None if opening.scheme == UMLS else opening.scheme  # as an upload was parsed
    chosen: dict[str, Any] = {"sources": toml.graph_sources, "rela": toml.graph_rela}
    files: list[tuple[str, Edges]] = []
    for path in paths:
        edges: Edges = opening.read("graph", path, scheme=scheme, **chosen) or no_edges("csv")
        files.append((opening.layout.name_of(path), edges))
        opening.graph_names += [] if edges.names is None else [edges.names]
    silent = opening.problems.report().total("error") > n_errors  # then it is known why there is no edge
    graph, parts = graph_of_files(files, opening.problems, silent=silent, **chosen)
    opening.parts |= zip((("graph", path) for path in paths), parts, strict=True)
    if graph is None:
        return None
    of_graph = opening.problems.of(files[0][0] if len(files) == 1 else "graph")
    of_concepts = opening.problems.of(next(iter(opening.parts.values())).file)
    return bind_graph(graph, of_graph, opening.concepts, of_concepts=of_concepts, scheme=opening.scheme)


def read_names(opening: Opening) -> Mapping[str, str]:
    """Names by concept: of the files of names, then the labels of ontologies, then the words of synsets.

    Where files of names disagree the first one counts. One that names no concept of the images or of the
    graph is an error, and left out.
    """
    names: dict[str, str] = {}
    for path in opening.layout.files["names"]:
        rows = opening.read("names", path)
        of_file = opening.bind("names", rows, opening.layout.name_of(path)) or {}
        n = 0 if rows is None else len(rows.names)
        opening.parts["names", path] = replace(opening.parts["names", path], rows=n, used=bool(of_file))
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
            opening.read("concept_vectors", path),
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
        rows, file = opening.read("concept_kinds", path, wanted=wanted), opening.layout.name_of(path)
        kinds = opening.bind("concept_kinds", rows, file) or {}
        key = ("concept_kinds", path)
        opening.parts[key] = replace(opening.parts[key], used=bool(kinds))
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
    form = "folder" if paths[0].is_dir() else "zip"
    opening.parts["images", paths[0]] = Part("images", name, form, count, count > 0)
    return images


def read_own_queries(opening: Opening) -> OwnQueries | None:
    """What ``queries.csv`` says of the queries; what is wrong with lists of ids is reported with it."""
    report_lists(opening)
    own, graph = opening.own, opening.values["graph"]
    if own is None:
        return None
    known = {*opening.values["names"], *(graph.cuis if graph is not None else ())}
    return bind_queries(own, opening.problems.of(own.file), opening.concepts, known)


def read_systems(opening: Opening) -> dict[str, Any]:
    """The runs by system, names ascending; a system may have a run, embeddings, or both."""
    layout, bound = opening.layout, {"run": dict[str, Any](), "embeddings": dict[str, Any]()}
    for system, files in sorted(layout.systems.items()):
        for kind, by_system in bound.items():
            value = opening.bind(kind, opening.system_file(kind, files), system=system)
            by_system |= {} if value is None else {system: value}
            opening.parsed.pop((kind, files.get(kind)), None)  # to free its memory
    reads = {
        name: layout.toml.reads.get(name, ())
        for name in layout.systems
        if any(name in by_system for by_system in bound.values())
    }
    opening.values |= {"embeddings": bound["embeddings"], "reads": reads}
    return bound["run"]


def read_baseline(opening: Opening) -> str:
    """The system that ``study.toml`` names as the baseline; "" where it names none or an unknown one."""
    wanted, systems = opening.layout.toml.baseline, opening.values["reads"]
    if not wanted or wanted in (*systems, "@iou", "@nn-iou"):
        return wanted
    known = sorted(systems) or ["none"]
    opening.problems.of(TOML).by_rule(RULES, "no-such-baseline", wanted, known=known)
    return ""


PARTS: Mapping[str, Callable[[Opening], Any]] = {
    "captions": read_captions,
    "labels": read_labels,
    "groups": read_groups,
    "graph": read_graph,
    "neighbours": lambda opening: (  # in place of a graph
        opening.bind("neighbours", opening.first("neighbours")) if opening.values["graph"] is None else None
    ),
    "names": read_names,
    "concept_vectors": read_concept_vectors,
    "kinds": read_kinds,
    "qrels": read_qrels,
    "images": read_images,
    "own_queries": read_own_queries,
    "pairs": lambda opening: opening.bind("pairs", opening.first("pairs")),
    "runs": read_systems,
    "baseline": read_baseline,
}
"""How the fields of a study are read, each after those that it takes up."""
