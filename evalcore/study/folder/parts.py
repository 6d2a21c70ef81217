"""The parts of a study, read one after the other and bound to its images.

Each function gives the value of one kind of part, or None when the study has none that can be used,
and leaves the file's ``Part`` and its problems in the ``StudyReader``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from evalcore.graph import ConceptGraph
from evalcore.study.concept_kinds import read_kinds
from evalcore.study.concepts.concepts import (
    CaptionRows,
    ConceptRows,
    Concepts,
    ConceptsById,
    bind_captions,
    bind_id_list,
    parse_id_list,
)
from evalcore.study.concepts.huggingface import Shards, bind_images, read_shards
from evalcore.study.concepts.labels import LabelRows, all_labels, bind_labels, derive_labels
from evalcore.study.concepts.own_queries import (
    PAIRS,
    QUERIES,
    QueryRows,
    are_pairs,
    is_table,
    labels_of_queries,
    picture_names,
    texts_of_queries,
    usable_queries,
)
from evalcore.study.custom_formats import custom_format
from evalcore.study.folder.layout import Layout
from evalcore.study.folder.toml_text import line_of
from evalcore.study.graphs.graph_files import bind_graph, read_graph_files
from evalcore.study.names import read_names
from evalcore.study.parts.corpus import CorpusRows
from evalcore.study.parts.judgments import (
    SPLITS,
    are_of_programs,
    bind_judgments,
    joined_shards,
    name_of_judgments,
    shards_of,
)
from evalcore.study.parts.registry import KINDS, Parse, StudyContext, name_of_vectors
from evalcore.study.pictures.image_files import find_images, pictures_in
from evalcore.study.study_ids import Links, NamedIds, StudyIds, settle_ids
from evalcore.study.tables.ids import report_other_concepts
from evalcore.study.tables.lines import read_bytes, read_plain, report_open_end
from evalcore.study.tables.load import header_of
from evalcore.study.tables.parsing import parse_once
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.tables.schema import Rows, Schema
from evalcore.study.vectors.binding import bind_concept_vectors
from evalcore.study.vectors.files import VectorRows
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import digest_of
from evalcore.values.concept_scheme import UMLS, WORDNET, own_name
from evalcore.values.concept_values import NAME_RULE, ConceptKinds, ConceptVectors, is_name
from evalcore.values.errors import Report
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
)

Value = TypeVar("Value")
_TABLES = ("csv", "trec")
"""Formats whose last line should have an end."""


@dataclass(slots=True)
class StudyReader:
    """A study while it is opened: where its files are, what was read and what was found so far."""

    layout: Layout
    reports: list[Report]
    parts: list[Part] = field(default_factory=list)
    scheme: str = UMLS
    labels_of: list[pa.Table] = field(default_factory=list)
    """What the ontologies among the graph files call their concepts."""

    def report(self) -> Report:
        """All problems so far, in reading order."""
        return Report.joined(self.reports)

    def file(self, kind: str, path: Path, *, parse: Parse | None = None, **options: Any) -> Any:
        """The parsed value of one file; None when it cannot be read. ``parse``: in place of its parser."""
        name = self.name_of(path)
        problems = Problems(name)
        plain = read_plain(path, problems)
        value, report = None, Report()
        if plain is not None:
            value, report = parse_once(parse or KINDS[kind].parser_of(name), plain, file=name, **options)
        rows = len(value) if isinstance(value, np.ndarray) else getattr(value, "rows", 0)
        custom = custom_format(kind, name)
        form = getattr(value, "format", "csv") if custom is None else str(custom.plugin)
        if isinstance(plain, bytes) and rows and form in _TABLES:
            report_open_end(problems, plain)
        self.reports += [report, problems.report()]
        self.parts.append(Part(kind, name, form, rows, bool(rows)))
        return value

    def add(self, other: StudyReader) -> None:
        """What was read of the same study apart, in its place among the parts and problems."""
        self.parts += other.parts
        self.reports += other.reports

    def name_of(self, path: Path) -> str:
        """A file as messages name it, whatever bytes its name holds."""
        return readable(self.layout.name_of(path))

    def first(self, kind: str, **options: Any) -> Any:
        """The parsed value of the file of a kind; None when the study has no such file."""
        return next((self.file(kind, path, **options) for path in self.layout.files[kind]), None)

    def bound(self, result: tuple[Value, Report]) -> Value:
        """The value of a binding, its problems kept."""
        self.reports.append(result[1])
        return result[0]

    def bind(self, kind: str, value: Any, study: StudyContext) -> Any:
        """What is left of a parsed value in the study, its problems kept; None where there is none."""
        file = getattr(value, "file", "")
        return None if value is None else self.bound(KINDS[kind].bind(value, file, study))

    def tried(self, file: str, make: Callable[[], Value], nothing: Value) -> Value:
        """What is made of parts read already; ``nothing``, with an error of that file, when it cannot be."""
        return self.bound(guarded(file, lambda _: make(), nothing))


def read_concepts(read: StudyReader) -> tuple[ConceptRows, Shards | None]:
    """Concepts by image id (none when there is no such file), and the shards they came from, if any.

    The scheme of the study is decided here: what ``study.toml`` says, else what the concepts are.
    """
    paths, scheme = read.layout.files["concepts"], read.layout.toml.scheme
    if paths and paths[0].suffix.lower() == ".parquet":
        shards = read.bound(read_shards(paths, root=read.layout.root, scheme=scheme))
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        rows = shards.concepts.rows
        name = f"{read.name_of(paths[0])}{more}"
        read.parts.append(Part("concepts", name, "huggingface", rows, bool(rows)))
        read.scheme = scheme or shards.concepts.scheme
        return shards.concepts, shards
    concepts = read.first("concepts", scheme=scheme) or ConceptRows({}, 0, scheme or UMLS)
    read.scheme = scheme or concepts.scheme
    return concepts, None


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What is read before anything is bound, because ids follow from it, and the ids settled from it.

    ``shards``: where the concepts came from, if any; ``judged``: files of judgments by name, and whether
    programs made them; ``queries``: those of ``queries.csv``, None without such a table. ``scored``: whether
    there is something to score by besides concepts. ``lists``, ``matched``: how lists of ids and pairs were
    read, to be added where their turn is.
    """

    shards: Shards | None
    judged: Mapping[str, tuple[Rows, bool]]
    queries: QueryRows | None
    pairs: Rows | None
    ids: StudyIds
    concepts: ConceptSets
    scored: bool
    lists: StudyReader
    matched: StudyReader


def read_basis(read: StudyReader) -> Basis | None:
    """The concepts, queries, judgments and pairs of a study, and its ids (see `study_ids`).

    Without a file of concepts nobody annotated the images, which is a remark. None where the concepts cannot
    be read, or there are none and nothing else makes a study of the folder.
    """
    files = read.layout.files
    rows, shards = read_concepts(read)
    judged = judgment_rows(read)
    given = bool(files["concepts"])
    if given and not any(rows.sets.values()) and (not rows.sets or read.report().total("error")):
        return None
    shown = {} if given else _shown(read)
    queries = query_rows(read, rows.sets if given else None, shown)
    matched, reading_lists, looking = (StudyReader(read.layout, []) for _ in range(3))
    pairs = pair_rows(matched)
    read.layout = matched.layout
    lists = {kind: _id_list(reading_lists, kind) for kind in ("queries", "candidates")}
    links: list[list[Links]] = []

    def systems() -> list[Links]:
        if not links:  # read at most once, and only if they matter
            links.append(_system_links(looking))
        return links[0]

    named = NamedIds(
        concepts=rows.sets if given else None,
        shown=shown,
        documents=() if given else _documents(looking),
        named=() if given else _labelled(looking),
        kinds=None if queries is None else queries.kinds,
        queries=() if lists["queries"] is None else lists["queries"].texts("id"),
        candidates=() if lists["candidates"] is None else lists["candidates"].texts("id"),
        judged=[Links.of_table(of, "query", "result") for of, _ in judged.values()],
        pairs=None if pairs is None else Links.of_table(pairs, "query", "candidate"),
        systems=systems,
    )
    scored = any(of.rows for of, _ in judged.values()) or bool(
        read.layout.systems and (pairs is not None or named.named)
    )
    if not (given or shown or scored):
        return None
    ids = settle_ids(named)
    sets = dict.fromkeys(ids.image_ids) | dict(rows.sets)
    if queries is not None:
        sets |= {query: of for query, of in queries.sets.items() if query in sets}
    if not given:
        _report_no_concepts(read, len(ids.images), scored=scored)
    for kind, listed in lists.items():
        if listed is not None:
            _report_list(reading_lists, kind, listed, ids)
    concepts = concepts_of(sets, ids)
    return Basis(shards, judged, queries, pairs, ids, concepts, scored, reading_lists, matched)


def _shown(read: StudyReader) -> dict[str, Concepts | None]:
    """The images that captions and pictures are of; none is annotated.

    Both are read again when they are bound; what is wrong with them is reported there.
    """
    looking = StudyReader(read.layout, [])
    captions = looking.first("captions")
    sets: dict[str, Concepts | None] = dict.fromkeys(captions.texts if captions is not None else ())
    pictures = (pictures_in(place, Problems("")) for place in read.layout.files["images"][:1])
    for name in (Path(entry) for entry, _, _ in chain.from_iterable(filter(None, pictures))):
        if sets.keys().isdisjoint((name.name, name.stem, name.with_suffix("").as_posix())):
            sets[name.stem] = None
    return sets


def _documents(looking: StudyReader) -> list[str]:
    """The ids in a corpus beside judgments."""
    texts = (looking.file("corpus", path) for path in looking.layout.files["corpus"])
    return [name for of in texts if of is not None and not of.are_queries for name in of.texts]


def _labelled(looking: StudyReader) -> list[str]:
    """The ids that have labels or groups."""
    tables: list[LabelRows | None] = [looking.first(kind) for kind in ("labels", "groups")]
    return [name for of in tables if of is not None for values in of.columns.values() for name in values]


def _system_links(looking: StudyReader) -> list[Links]:
    """What rankings and vectors link; what is wrong with them is reported when they are bound."""
    layout, links = looking.layout, list[Links]()
    for key, files in layout.systems.items():
        for path in layout.files_of(key, "run"):
            run = looking.file("run", path)
            if run is not None:
                (queries, of_query), (results, of_result) = run.codes("query"), run.codes("candidate")
                links.append(Links(queries, results, (of_query, of_result)))
        vectors = _read_vectors(looking, files) if "embeddings" in files else None
        if vectors is not None:
            queries = vectors.of_queries
            links.append(Links([*vectors.ids, *(queries.ids if queries else ())], vectors.ids, None))
    return links


def _report_no_concepts(read: StudyReader, n: int, *, scored: bool) -> None:
    files = read.layout.files
    kinds = ("captions", "images", "judgments", "judges", "pairs", "labels", "groups")
    of = next((path for kind in kinds for path in files[kind]), read.layout.root)
    problems = Problems(read.name_of(of))
    message = "There is no file of concepts: none of the {n} images has any."
    remedy = "Find them in the captions (annotate), or add concepts.csv."
    if scored:
        by = "judgments" if files["judgments"] or files["judges"] else "pairs or labels"
        remedy = f"The study is scored by its {by}. To score by concepts too, add concepts.csv."
    problems.add_summary("no-concepts-yet", n, message, remedy)
    read.reports.append(problems.report())


def query_rows(read: StudyReader, images: ConceptsById | None, shown: Collection[str]) -> QueryRows | None:
    """The usable queries of ``queries.csv``; None for a list of ids.

    ``images``: those of the concept file; None without one, where ``shown`` are those known by then.
    """
    for path in read.layout.files["queries"]:
        if not is_table(_header(path, QUERIES)):
            continue
        rows = read.file("queries", path, scheme=read.scheme)
        if rows is None or not rows.rows:
            return None
        known = {name: rows.sets.get(name) for name in shown} if images is None else images
        usable = read.bound(usable_queries(rows, known))
        return usable if usable.kinds else None
    return None


def _id_list(read: StudyReader, kind: str) -> Rows | None:
    """The ids of ``queries.txt`` or ``candidates.txt``; None without such a list, or with nothing in it."""
    for path in read.layout.files[kind][:1]:
        if kind == "candidates" or not is_table(_header(path, QUERIES)):
            listed: Rows = read.file(kind, path, parse=parse_id_list)
            return listed if listed is not None and listed.rows else None
    return None


def _report_list(read: StudyReader, kind: str, listed: Rows, ids: StudyIds) -> None:
    """What is unknown or repeated in a list, and candidates that are no images."""
    places = read.bound(bind_id_list(listed, ids.image_ids))
    n = 0 if places is None else len(places)
    read.parts = [replace(of, rows=n, used=n > 0) if of.kind == kind else of for of in read.parts]
    if kind == "queries" or places is None or ids.only is None:
        return
    problems = Problems(listed.file)
    for query in places[ids.only[places]].tolist():
        message = f"{ids.image_ids[query]!r} is a query and no image, so it is no candidate."
        problems.error("not-an-image", message, "Remove it.", value=ids.image_ids[query])
    read.reports.append(problems.report())


def _header(path: Path, schema: Schema) -> tuple[str, ...]:
    """The cells of the first row of a file; problems with it are reported where it is read."""
    return header_of(read_plain(path, Problems("")) or b"", schema)


def concepts_of(sets: ConceptsById, ids: StudyIds) -> ConceptSets:
    """The concept sets of images and queries; those of queries that are no images count in no frequency."""
    concepts = ConceptSets.of(sets)
    if ids.only is None:
        return concepts
    return replace(concepts, only=ids.only, digest=digest_of(concepts.digest, ids.only))


def pair_rows(read: StudyReader) -> Rows | None:
    """What each query was matched with; a file of that name with other columns is none of the study."""
    files = read.layout.files
    kept = tuple(path for path in files["pairs"] if are_pairs(_header(path, PAIRS)))
    if kept != files["pairs"]:
        read.layout = replace(read.layout, files={**files, "pairs": kept})
    rows: Rows | None = read.first("pairs")
    return rows if rows is not None and rows.rows else None


def report_directions(read: StudyReader, ids: StudyIds) -> None:
    """A remark where the queries are asked in several directions: in which of them the study opens."""
    first, *more = ids.directions
    if more:
        problems = Problems("pairs.csv")
        others = ", ".join(f"direction={direction.name}" for direction in more)
        message = (
            f"The queries are asked in several directions. Open is {first.name}, with "
            f"{len(first.queries):,} queries over {len(first.candidates):,} candidates."
        )
        problems.warning("several-directions", message, f"For the others choose the queries by {others}.")
        read.reports.append(problems.report())


def read_captions(
    read: StudyReader, concepts: ConceptSets, shards: Shards | None, queries: QueryRows | None = None
) -> Captions | None:
    """Captions from their own file, else from the shards; the texts of queries with them."""
    rows = read.first("captions")
    if rows is None and shards is not None:
        rows = shards.captions
    if rows is None and read.layout.files["corpus"]:
        rows = _texts(read, concepts)
    own = {} if queries is None else texts_of_queries(queries)
    if queries is not None and rows is None:  # that images have no captions then is nothing to mention
        return bind_captions(CaptionRows({}, 0, queries.file), concepts.image_ids, own)[0] if own else None
    if rows is None or not (rows.texts or own):
        return None
    return read.bound(bind_captions(rows, concepts.image_ids, own))


def _texts(read: StudyReader, concepts: ConceptSets) -> CaptionRows:
    """The texts of documents and queries as captions; those of queries that nobody asks play no part."""
    known, texts, file = set(concepts.image_ids), dict[str, str](), ""
    for path in read.layout.files["corpus"]:
        of: CorpusRows | None = read.file("corpus", path)
        if of is not None:
            file = file or of.file
            texts |= {name: text for name, text in of.texts.items() if text and name in known}
    return CaptionRows(texts, len(texts), file)


def read_labels(read: StudyReader, concepts: ConceptSets, queries: QueryRows | None = None) -> Labels | None:
    """Labels of the label file and of queries; those a label map derives are added under names it has not."""
    columns: dict[str, LabelColumn] = {}
    rows = read.first("labels")
    own = {} if queries is None else labels_of_queries(queries)
    if queries is not None and own:
        rows = rows or LabelRows({}, 0, queries.file)
    if rows is not None:
        columns |= read.bound(bind_labels(rows, concepts.image_ids, own))
    label_map = read.first("label_map", scheme=None if read.scheme == UMLS else read.scheme)
    if label_map is not None:
        one_value = read.layout.toml.one_value_labels
        columns = read.tried(
            read.name_of(read.layout.files["label_map"][0]),
            lambda: derive_labels(label_map, concepts, one_value=one_value) | columns,
            columns,
        )
    return all_labels(columns)


def read_groups(read: StudyReader, concepts: ConceptSets, labels: Labels | None) -> Groups | None:
    """Which images belong together: the column ``study.toml`` names, else that of ``groups.csv``.

    Without either, columns of labels that look like groups are proposed.
    """
    rows, name = read.first("groups"), read.layout.toml.group
    columns = dict(labels.columns) if labels else {}
    if rows is not None:
        own = read.bound(bind_labels(rows, concepts.image_ids))
        columns |= own
        name = name or next(iter(own), "")
    of_labels = next((part.file for part in reversed(read.parts) if part.kind == "labels"), "labels.csv")
    problems = Problems("study.toml" if read.layout.toml.group else of_labels)
    if name and name not in columns:
        known = ", ".join(columns) or "none"
        message = f"No column of labels.csv or groups.csv is called {name!r}: no groups."
        problems.error("no-such-group", message, f"Name one of these: {known}.", value=name)
    for proposed, column in columns.items() if not name else ():
        if names_groups(proposed, column):
            message = (
                f"{proposed!r} has {len(column.values):,} values on {int(column.labelled.sum()):,} images: "
                "it looks like a group, such as a patient, whose images count as independent."
            )
            remedy = f'Write group = "{proposed}" in study.toml: results of the own group are then left out.'
            problems.warning("looks-like-groups", message, remedy, value=proposed)
    read.reports.append(problems.report())
    return groups_of_column(columns[name]) if name in columns else None


def read_baseline(read: StudyReader, systems: Collection[str]) -> str:
    """The system that ``study.toml`` names as the baseline; "" where it names none or an unknown one."""
    wanted = read.layout.toml.baseline
    name = read.layout.names.get(wanted, wanted)
    if not wanted or name in systems or name in ("@iou", "@nn-iou"):
        return name
    problems = Problems("study.toml")
    known = ", ".join(sorted(systems)) or "none"
    message = f"No system is called {wanted!r}, the baseline."
    problems.error("no-such-baseline", message, f"Name one of these: {known}.", value=wanted)
    read.reports.append(problems.report())
    return ""


def read_concept_graph(read: StudyReader, concepts: ConceptSets) -> ConceptGraph | None:
    """The graph of all graph files together; concepts it does not hold are counted."""
    paths, toml = read.layout.files["graph"], read.layout.toml
    if not paths:
        return None
    read_graph = read_graph_files(
        paths, root=read.layout.root, sources=toml.graph_sources, rela=toml.graph_rela, scheme=read.scheme
    )
    read.reports.append(read_graph.report)
    read.parts += read_graph.parts
    read.labels_of += read_graph.names
    if read_graph.graph is None:
        return None
    names = {"file": read_graph.file, "of_concepts": read.parts[0].file}
    return read.bound(bind_graph(read_graph.graph, concepts, **names, scheme=read.scheme))


def read_concept_names(
    read: StudyReader, concepts: ConceptSets, graph: ConceptGraph | None
) -> Mapping[str, str]:
    """Names by concept: of the files of names, then the labels of ontologies, then the words of synsets.

    Where files of names disagree the first one counts. One that names no concept of the images or of the
    graph is an error, and left out.
    """
    names: dict[str, str] = {}
    known = {*concepts.vocabulary, *(graph.cuis if graph is not None else ())}
    for part, of_file, report in read_names(read.layout.files["names"], root=read.layout.root):
        problems = Problems(part.file)
        if of_file and concepts.vocabulary and known.isdisjoint(of_file):
            what = "The file of names"
            report_other_concepts(problems, "unknown-concept", concepts, list(of_file), what, read.scheme)
            part, of_file = replace(part, used=False), {}
        read.reports += [report, problems.report()]
        read.parts.append(part)
        names |= {concept: name for concept, name in of_file.items() if concept not in names}
    for table in read.labels_of:
        labels = table.filter(table["preferred"])
        for concept, text in zip(labels["concept"].to_pylist(), labels["text"].to_pylist(), strict=True):
            names.setdefault(concept, text)
    if read.scheme == WORDNET:
        names |= {concept: name for concept in sorted(known - names.keys()) if (name := own_name(concept))}
    return names


def read_concept_vectors(read: StudyReader, concepts: ConceptSets) -> dict[str, ConceptVectors]:
    """Vectors of concepts by name; a second file of one name, and one without a usable name, is left out."""
    problems = Problems("study.toml")
    metrics = read.layout.toml.vector_metrics
    files: dict[str, Path] = {}
    for path in read.layout.files["concept_vectors"]:
        name = name_of_vectors(path.name)
        wrong = "another file is called so too" if name in files else ""
        wrong = wrong if is_name(name) else f"it must be {NAME_RULE}"
        if wrong:
            file = read.name_of(path)
            named = Problems(file)
            message = f"{name!r} cannot be the name of these vectors: {wrong}."
            named.error("bad-name", message, "Rename the file.", value=name)
            read.reports.append(named.report())
        else:
            files[name] = path
    vectors: dict[str, ConceptVectors] = {}
    for name, path in sorted(files.items()):
        rows = read.file("concept_vectors", path)
        if rows is not None:
            metric = metrics.get(name, "cosine")
            of = read.bound(bind_concept_vectors(rows, name=name, metric=metric, concepts=concepts))
            if of is not None:
                vectors[name] = of
    for name in sorted(metrics.keys() - files.keys()):
        message = f"There are no vectors called {name!r} in concept_vectors; their metric is ignored."
        remedy = f"Name one of these: {', '.join(files) or 'none'}."
        problems.warning("no-such-vectors", message, remedy, value=name)
    read.reports.append(problems.report())
    return vectors


def judgment_rows(read: StudyReader) -> dict[str, tuple[Rows, bool]]:
    """The files of judgments by name, and whether programs made them; of two files of one name the first."""
    files: dict[str, tuple[Rows, bool]] = {}
    for kind in ("judgments", "judges"):
        # "qrels" can be a file; as a folder it is that of the splits.
        paths = [path for path in read.layout.files[kind] if not (path.is_dir() and path.name == SPLITS)]
        for shards in shards_of(paths):
            parsed = [of for path in shards if (of := read.file(kind, path)) is not None]
            rows: Rows | None = read.bound(joined_shards(parsed)) if parsed else None
            if rows is None:
                continue
            if (name := name_of_judgments(rows.file)) in files:
                problems = Problems(rows.file)
                message = f"Another file of judgments is called {name!r} too; this one is left out."
                problems.error("same-name", message, "Rename one of them.", value=name)
                read.reports.append(problems.report())
            else:
                files[name] = rows, kind == "judges" or are_of_programs(rows)
    return files


def read_qrels(
    read: StudyReader, files: Mapping[str, tuple[Rows, bool]], concepts: ConceptSets
) -> dict[str, Qrels]:
    """The judgments that others made, by name."""
    bound = {
        name: read.bound(bind_judgments(rows, image_ids=concepts.image_ids, by_program=by_program))
        for name, (rows, by_program) in sorted(files.items())
    }
    return {name: of for name, of in bound.items() if of is not None}


def read_concept_kinds(
    read: StudyReader, concepts: ConceptSets, graph: ConceptGraph | None
) -> ConceptKinds | None:
    """The kind of each concept on the images; None where nothing says any."""
    files, text = read.layout.files, read.layout.text
    kinds, report, parts = read_kinds(
        files["concept_kinds"],
        files["names"],
        read.layout.toml.kind_roots,
        concepts,
        graph,
        scheme=read.scheme,
        called=read.name_of,
        line_of_root=lambda root: line_of(text, root),
    )
    read.reports.append(report)
    read.parts += parts
    return kinds


def read_images(
    read: StudyReader, concepts: ConceptSets, shards: Shards | None, queries: QueryRows | None = None
) -> ImageFiles | None:
    """Where the images lie: in a folder, a zip, or the shards. A query may show the picture of another."""
    paths = read.layout.files["images"]
    if not paths:
        return None if shards is None else bind_images(shards, concepts.image_ids)
    name = read.name_of(paths[0])
    if queries is None and concepts.only is None:
        images = read.bound(find_images(paths[0], concepts.image_ids, file=name))
    else:
        shown = picture_names(queries, concepts)
        wanted = sorted({picture for picture in shown if picture})
        images = read.bound(find_images(paths[0], wanted, file=name))
        if images is not None:
            entry = dict(zip(wanted, images.entries, strict=True))
            images = replace(images, entries=tuple(entry.get(picture) for picture in shown))
    count = 0 if images is None else images.count
    read.parts.append(Part("images", name, "folder" if paths[0].is_dir() else "zip", count, count > 0))
    return images


def read_systems(
    read: StudyReader, study: StudyContext
) -> tuple[dict[str, Run], dict[str, Embeddings], dict[str, tuple[str, ...]]]:
    """Runs and embeddings by system, names ascending; a system may have one without the other.

    A system with runs of several seeds has each of them by its own name (``cnn.2``); the last value says
    which are whose.
    """
    runs: dict[str, Run] = {}
    embeddings: dict[str, Embeddings] = {}
    seeds: dict[str, tuple[str, ...]] = {}
    layout = read.layout
    for system, key in sorted((layout.names[key], key) for key in layout.systems):
        files, of_seeds = layout.systems[key], layout.seeds_of(key)
        for name, path in of_seeds.items() or (((system, files["run"]),) if "run" in files else ()):
            run: Run | None = read.bind("run", read.file("run", path), replace(study, system=name))
            if run is not None:
                runs[name] = run
        if there := tuple(name for name in of_seeds if name in runs):
            seeds[system] = there
        if "embeddings" in files:
            vectors = _read_vectors(read, files)
            if vectors is not None and "query_vectors" in files:
                of_queries = read.file("query_vectors", files["query_vectors"])
                vectors = replace(vectors, of_queries=of_queries or vectors.of_queries)
            table: Embeddings | None = read.bind("embeddings", vectors, replace(study, system=system))
            if table is not None:
                embeddings[system] = table
    return runs, embeddings, seeds


def _read_vectors(read: StudyReader, files: Mapping[str, Path]) -> VectorRows | None:
    ids = None
    if "ids" in files:
        problems = Problems(read.name_of(files["ids"]))
        ids = read_bytes(files["ids"], problems)
        read.reports.append(problems.report())
    vectors: VectorRows | None = read.file("embeddings", files["embeddings"], ids=ids)
    return vectors
