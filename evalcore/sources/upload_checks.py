"""What is an uploaded file good for? It is read, and held against the study it joins, before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evalcore.errors import InputError
from evalcore.model import ConceptSets, Ints, Report
from evalcore.sources import parts
from evalcore.sources.captions import bind_captions, parse_captions
from evalcore.sources.concepts import ConceptRows, parse_concepts
from evalcore.sources.embeddings import bind_embeddings, parse_embeddings
from evalcore.sources.graph_files import parse_graph
from evalcore.sources.home import safe_name, write_new
from evalcore.sources.huggingface import read_shards
from evalcore.sources.ids import hint
from evalcore.sources.label_map import derive_labels, parse_label_map
from evalcore.sources.labels import bind_labels, parse_labels
from evalcore.sources.layout import Layout
from evalcore.sources.names import parse_name_file
from evalcore.sources.problems import Problems
from evalcore.sources.runs import bind_run, parse_run
from evalcore.study import open_study

_RUN_ENDINGS = (".trec", ".txt", ".csv", ".tsv", ".json")
_ENDINGS = (*_RUN_ENDINGS, ".npz", ".npy", ".parquet", ".rrf", ".obo", ".graphml", ".xml")


@dataclass(frozen=True, slots=True)
class Fit:
    """Where in the study folder a file belongs (None when nothing in it is usable), and its problems.

    The place of a run or of embeddings is one in the folder of the system.
    """

    place: str | None
    report: Report


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """What a file must match in the study it joins."""

    layout: Layout
    concepts: ConceptSets
    queries: Ints

    @property
    def ids(self) -> tuple[str, ...]:
        return self.concepts.image_ids


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    data: bytes
    system: str
    study: Joined | None
    aside: Path


def joined(layout: Layout) -> Joined | None:
    """What a study asks of a file that joins it; None while it has no concepts."""
    read = parts.Reading(layout, [])
    rows, _ = parts.read_concepts(read)
    if not any(rows.sets.values()):
        return None
    concepts = ConceptSets.of(rows.sets)
    queries = parts.read_id_list(read, "queries", concepts)
    return Joined(layout, concepts, queries)


def check(kind: str, name: str, data: bytes, *, system: str, study: Joined | None, aside: Path) -> Fit:
    """Where a file belongs and what is wrong with it.

    Parameters
    ----------
    kind : what the file is said to be.
    system : the system of a run or embeddings.
    study : what it must match; None when there is nothing to match yet.
    aside : a folder for files that can only be read from disk.
    """
    return _CHECKS[kind](_File(name, data, system, study, aside))


def stem_of(name: str) -> str:
    """The name of a file without the ending that says its form.

    >>> stem_of("umls.2024.csv.gz"), stem_of("ResNet v1.5"), stem_of(".csv")
    ('umls.2024', 'ResNet v1.5', '.csv')
    """
    plain = name[:-3] if name.lower().endswith(".gz") else name
    ending = Path(plain).suffix
    return plain[: -len(ending)] if ending.lower() in _ENDINGS else plain


def _fit(place: str, report: Report, *, usable: bool) -> Fit:
    return Fit(place if usable else None, report)


def _concepts(file: _File) -> Fit:
    study = file.study
    if file.data[:4] == b"PAR1":
        place = f"data/{safe_name(Path(file.name).stem)}.parquet"
        # Shards are read from a file.
        shard = file.aside / "shard" / safe_name(file.name)
        write_new(shard, file.data)
        shards, report = read_shards([shard], root=shard.parent)
        rows, usable = shards.concepts, bool(shards.concepts.sets)
        joins = study is not None and study.layout.files["concepts"][0].suffix == ".parquet"
    else:
        form = study.layout.toml.concept_format if study else None
        rows, report = parse_concepts(file.data, file=file.name, format=form)
        place, usable, joins = "concepts.csv", any(rows.sets.values()), False
    if usable and study is not None and not joins and rows.sets.keys().isdisjoint(study.ids):
        lost = _hanging_on(study)
        usable, report = not lost, report + (_other_images(file, rows, study) if lost else Report())
    return _fit(place, report, usable=usable)


def _hanging_on(study: Joined) -> bool:
    """Whether anything in the study belongs to its images."""
    try:
        now = open_study(study.layout.root)
    except InputError:
        return False
    captions = now.captions is not None and any(text is not None for text in now.captions.texts)
    labels = now.labels is not None and any(len(one.indices) for one in now.labels.columns.values())
    return bool(now.systems or captions or labels or now.images)


def _other_images(file: _File, rows: ConceptRows, study: Joined) -> Report:
    found = Problems(file.name)
    n, example = len(rows.sets), next(iter(rows.sets))
    message = f"None of its {n:,} images is one of the study, whose other files would belong to no image."
    way_out = hint(list(rows.sets), study.ids) or "Make a new study of it, or mend its ids."
    found.error("other-images", message, way_out, value=example, count=n)
    return found.report()


def _captions(file: _File) -> Fit:
    rows, report = parse_captions(file.data, file=file.name)
    usable = bool(rows.texts)
    if usable and file.study:
        captions, found = bind_captions(rows, file.study.ids)
        usable = captions is not None and any(text is not None for text in captions.texts)
        report += found
    return _fit("captions.csv", report, usable=usable)


def _labels(file: _File) -> Fit:
    rows, report = parse_labels(file.data, file=file.name)
    usable = bool(rows.columns and rows.rows)
    if usable and file.study:
        columns, found = bind_labels(rows, file.study.ids)
        usable, report = any(len(column.indices) for column in columns.values()), report + found
    return _fit("labels.csv", report, usable=usable)


def _label_map(file: _File) -> Fit:
    rows, report = parse_label_map(file.data, file=file.name)
    usable = bool(rows.types)
    if usable and file.study:
        columns = derive_labels(rows, file.study.concepts)
        usable = any(len(column.indices) for column in columns.values())
        report += _no_concept(file, rows.rows, "stands in this map") if not usable else Report()
    return _fit("label_map.csv", report, usable=usable)


def _names(file: _File) -> Fit:
    names, report, form = parse_name_file(file.data, file=file.name)
    usable = bool(names)
    # Of a study with a graph the names may be those of its other concepts.
    if usable and file.study and not file.study.layout.files["graph"]:
        usable = not names.keys().isdisjoint(file.study.concepts.vocabulary)
        report += _no_concept(file, len(names), "is named in it") if not usable else Report()
    return _fit("MRCONSO.RRF" if form == "MRCONSO" else "names.csv", report, usable=usable)


def _no_concept(file: _File, rows: int, verb: str) -> Report:
    found = Problems(file.name)
    way_out = "Add the concept graph first if the file is about its concepts."
    found.error("unknown-concept", f"No concept of the study {verb}.", way_out, count=rows)
    return found.report()


def _graph(file: _File) -> Fit:
    edges, report = parse_graph(file.data, file=file.name)
    ending = {"OBO": ".obo", "GraphML": ".graphml"}.get(edges.format, ".csv")
    own = f"graph/{safe_name(stem_of(file.name))}{ending}"
    place = "graph/MRREL.RRF" if edges.format == "MRREL" else own
    return _fit(place, report, usable=len(edges.child) > 0)


def _run(file: _File) -> Fit:
    rows, report = parse_run(file.data, file=file.name)
    ending = Path(file.name.lower().removesuffix(".gz")).suffix
    usable = len(rows.scores) > 0
    if usable and file.study:
        run, found = bind_run(rows, system=file.system, image_ids=file.study.ids, queries=file.study.queries)
        usable, report = run is not None, report + found
    return _fit(f"run{ending if ending in _RUN_ENDINGS else '.trec'}", report, usable=usable)


def _embeddings(file: _File) -> Fit:
    rows, report = parse_embeddings(file.data, file=file.name)
    usable = rows is not None
    if rows is not None and file.study:
        table, found = bind_embeddings(rows, system=file.system, image_ids=file.study.ids)
        usable, report = table is not None, report + found
    return _fit(f"embeddings{'.parquet' if file.data[:4] == b'PAR1' else '.npz'}", report, usable=usable)


_CHECKS: Mapping[str, Callable[[_File], Fit]] = {
    "concepts": _concepts, "captions": _captions, "labels": _labels, "label_map": _label_map,
    "graph": _graph, "names": _names, "run": _run, "embeddings": _embeddings,
}  # fmt: skip
