"""A study folder becomes a ``Study``: its parts are found, read and bound to the images.

What cannot be used is reported and kept out; only a folder without readable concepts is no study. One that
has captions, pictures, judgments, or systems with pairs or labels, and no file of concepts is a study whose
images nobody annotated yet. Which ids are images, queries and candidates: see `study_ids`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from evalcore.graph import ConceptGraph, Neighbours
from evalcore.study.concepts.concepts import images_in_shards
from evalcore.study.concepts.labels import LabelRows, all_labels, bind_labels
from evalcore.study.concepts.texts import CAPTIONS, bind_queries, picture_names, texts_in
from evalcore.study.folder.layout import TOML, Layout, find_layout
from evalcore.study.given_runs import refusing_runs
from evalcore.study.graphs.edges import Edges, no_edges
from evalcore.study.graphs.graph_files import bind_graph, graph_of_files
from evalcore.study.graphs.rrf import MRSTY
from evalcore.study.opening import Opening, read_basis, report_lists, vector_rows
from evalcore.study.parts.recognise import report_unread
from evalcore.study.parts.registry import name_of_vectors
from evalcore.study.pictures.image_files import find_images
from evalcore.study.saving import save
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import Rows, no_rows, rows_of
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import digest_of
from evalcore.values.concept_scheme import UMLS, WORDNET, own_name
from evalcore.values.concept_values import NAME_RULE, ConceptKinds, ConceptVectors, is_name
from evalcore.values.errors import InputError, SettingError
from evalcore.values.grouping import groups_of_column, names_groups
from evalcore.values.model import (
    Captions,
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
from evalcore.values.own_queries import Direction, OwnQueries
from evalcore.values.settings import Unknown

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
        of: Rows | None = opening.file("corpus", path)
        if of is not None:
            file = file or of.file
            texts |= {name: text for name, text in texts_in(of).items() if name in known}
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
    graph = read_graph_files(opening)
    if graph is None:
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
        edges: Edges = opening.read(
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
        rows, file = opening.read("names", path), opening.layout.name_of(path)
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
