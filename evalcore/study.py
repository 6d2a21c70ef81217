"""A study folder becomes a ``Study``: find the parts, read each, bind them to the images.

What cannot be used is reported and kept out; only a folder without readable concepts is no study.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from evalcore.errors import InputError, SettingError
from evalcore.graph import ConceptGraph
from evalcore.model import (
    Captions,
    ConceptSets,
    Embeddings,
    ImageFiles,
    Ints,
    LabelColumn,
    Labels,
    Part,
    Report,
    Run,
    Study,
    digest_of,
    frozen,
)  # fmt: skip
from evalcore.settings import Unknown
from evalcore.sources.captions import bind_captions, parse_captions
from evalcore.sources.concepts import ConceptRows, parse_concepts
from evalcore.sources.embeddings import bind_embeddings, parse_embeddings
from evalcore.sources.huggingface import Shards, bind_images, read_shards
from evalcore.sources.id_lists import parse_id_list
from evalcore.sources.label_map import derive_labels, parse_label_map
from evalcore.sources.labels import all_labels, bind_labels, parse_labels
from evalcore.sources.layout import Layout, read_layout
from evalcore.sources.lines import read_bytes
from evalcore.sources.problems import Problems
from evalcore.sources.runs import bind_run, parse_run

try:  # until these readers land
    from evalcore.sources.graph_files import read_graph
    from evalcore.sources.images import find_images
    from evalcore.sources.names import read_names
except ModuleNotFoundError:
    from evalcore.graph import build_graph
    from evalcore.sources.edges import parse_edges

    def read_graph(paths: Any, **_: Any) -> Any:
        edges, report = parse_edges(paths[0].read_bytes(), file=paths[0].name)
        return build_graph(edges.child, edges.parent, edges.labels)[0], report, []

    def find_images(*_: Any, **__: Any) -> Any:
        return None, Report()

    def read_names(*_: Any, **__: Any) -> Any:
        return {}, Report(), []


Value = TypeVar("Value")


def open_study(path: str | Path, *, unknown: Unknown = "error") -> Study:
    """Which experiment does this folder hold?

    Parameters
    ----------
    path : the study folder.
    unknown : what to do with ids in runs and embeddings that no concept set knows. "error" reports
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
    layout, report = read_layout(Path(path))
    read = _Reading(layout, [report])
    rows, shards = _concepts(read)
    if not rows.sets:
        way_out = "A study needs a file concepts.csv with rows such as: image_1,C0040405;C0817096"
        raise InputError(f"There are no readable concepts in {layout.root}. {way_out}", read.report())
    concepts = ConceptSets.of(rows.sets)
    everything = frozen(np.arange(len(concepts), dtype=np.int32))
    captions = _captions(read, concepts, shards)
    labels = _labels(read, concepts)
    graph = _graph(read, concepts)
    names = _names(read)
    images = _images(read, concepts, shards)
    queries = read.one("queries", parse_id_list, "id list", image_ids=concepts.image_ids)
    candidates = read.one("candidates", parse_id_list, "id list", image_ids=concepts.image_ids)
    queries = everything if queries is None else queries
    candidates = everything if candidates is None else candidates
    runs, embeddings = _systems(read, concepts, queries, unknown)
    digests = [part.digest for part in (graph, captions, labels, images) if part is not None]
    systems = [f"{key}:{part.digest}" for parts in (runs, embeddings) for key, part in sorted(parts.items())]
    return Study(
        name=layout.toml.name or layout.root.name,
        description=layout.toml.description,
        path=layout.root,
        concepts=concepts, graph=graph, names=names, captions=captions, labels=labels, runs=runs,
        embeddings=embeddings, images=images, queries=queries, candidates=candidates,
        parts=tuple(read.parts), report=read.report(),
        digest=digest_of(concepts.digest, digests, _digest_of_names(names), systems, queries, candidates),
    )  # fmt: skip


@dataclass(slots=True)
class _Reading:
    """The parts and problems gathered while a study is opened."""

    layout: Layout
    reports: list[Report]
    parts: list[Part] = field(default_factory=list)

    def report(self) -> Report:
        return sum(self.reports, Report())

    def one(
        self, kind: str, parse: Callable[..., tuple[Value | None, Report]], form: str, **options: Any
    ) -> Value | None:
        """The value of the single file of a kind; None when there is none or nothing of it is usable."""
        return next((self.file(kind, path, parse, form, **options) for path in self.layout.files[kind]), None)

    def file(
        self,
        kind: str,
        path: Path,
        parse: Callable[..., tuple[Value | None, Report]],
        form: str,
        **options: Any,
    ) -> Value | None:
        name = self.layout.name_of(path)
        found = Problems(name)
        data = read_bytes(path, found)
        value, report = (None, found.report()) if data is None else parse(data, file=name, **options)
        self.reports.append(report)
        rows = len(value) if isinstance(value, np.ndarray) else getattr(value, "rows", 0)
        self.parts.append(Part(kind, name, getattr(value, "format", form), rows, bool(rows)))
        return value

    def bound(self, result: tuple[Value, Report]) -> Value:
        """The value of a binding, its report kept."""
        self.reports.append(result[1])
        return result[0]


def _concepts(read: _Reading) -> tuple[ConceptRows, Shards | None]:
    paths = read.layout.files["concepts"]
    if paths and (paths[0].is_dir() or paths[0].suffix.lower() == ".parquet"):
        shards = read.bound(read_shards(paths, root=read.layout.root))
        file = read.layout.name_of(paths[0]) if len(paths) == 1 else f"{len(paths)} parquet files"
        read.parts.append(
            Part("concepts", file, "huggingface", shards.concepts.rows, bool(shards.concepts.rows))
        )
        return shards.concepts, shards
    rows = read.one("concepts", parse_concepts, "", format=read.layout.toml.concept_format)
    return rows or ConceptRows({}, "", 0), None


def _captions(read: _Reading, concepts: ConceptSets, shards: Shards | None) -> Captions | None:
    rows = read.one("captions", parse_captions, "csv")
    if rows is None and shards is not None:
        rows = shards.captions
    return read.bound(bind_captions(rows, concepts.image_ids)) if rows is not None and rows.texts else None


def _labels(read: _Reading, concepts: ConceptSets) -> Labels | None:
    columns: dict[str, LabelColumn] = {}
    rows = read.one("labels", parse_labels, "csv")
    if rows is not None:
        columns |= read.bound(bind_labels(rows, concepts.image_ids))
    label_map = read.one("label_map", parse_label_map, "csv")
    if label_map is not None:
        derived = derive_labels(label_map, concepts, one_value=read.layout.toml.one_value_labels)
        columns |= {name: column for name, column in derived.items() if name not in columns}
    return all_labels(columns)


def _graph(read: _Reading, concepts: ConceptSets) -> ConceptGraph | None:
    paths, toml = read.layout.files["graph"], read.layout.toml
    if not paths:
        return None
    graph, report, parts = read_graph(
        paths, root=read.layout.root, sources=toml.graph_sources, rela=toml.graph_rela
    )
    read.reports.append(report)
    read.parts += parts
    if graph is not None:
        read.reports.append(_unknown_concepts(read, concepts, graph))
    return graph


def _unknown_concepts(read: _Reading, concepts: ConceptSets, graph: ConceptGraph) -> Report:
    """A count of the concepts of the images that the graph does not hold: they have no neighbours."""
    known = set(graph.cuis)
    missing = np.array([cui not in known for cui in concepts.vocabulary], np.bool_)
    n = int(missing.sum())
    found = Problems(next(part.file for part in read.parts if part.kind == "concepts"))
    if n:
        uses = np.bincount(concepts.indices, minlength=len(missing)) * missing
        found.warning(
            "not-in-graph", f"{n:,} of {len(missing):,} concepts are not in the graph.",
            "They match only themselves.", value=concepts.vocabulary[int(np.argmax(uses))], count=n,
        )  # fmt: skip
    return found.report()


def _names(read: _Reading) -> Mapping[str, str]:
    paths = read.layout.files["names"]
    if not paths:
        return {}
    names, report, parts = read_names(paths, root=read.layout.root)
    read.reports.append(report)
    read.parts += parts
    return names


def _images(read: _Reading, concepts: ConceptSets, shards: Shards | None) -> ImageFiles | None:
    for path in read.layout.files["images"]:
        name = read.layout.name_of(path)
        images = read.bound(find_images(path, concepts.image_ids, file=name))
        count = 0 if images is None else images.count
        read.parts.append(Part("images", name, "folder" if path.is_dir() else "zip", count, count > 0))
        return images
    return None if shards is None else bind_images(shards, concepts.image_ids)


def _systems(
    read: _Reading, concepts: ConceptSets, queries: Ints, unknown: Unknown
) -> tuple[dict[str, Run], dict[str, Embeddings]]:
    runs: dict[str, Run | None] = {}
    vectors: dict[str, Embeddings | None] = {}
    ids = concepts.image_ids
    for system, files in read.layout.systems.items():
        if "run" in files:
            rows = read.file("run", files["run"], parse_run, "")
            if rows is not None:
                bound = bind_run(rows, system=system, image_ids=ids, unknown=unknown, queries=queries)
                runs[system] = read.bound(bound)
        if "embeddings" in files:
            options = {}
            if "ids" in files:
                found = Problems(read.layout.name_of(files["ids"]))
                options = {"ids": read_bytes(files["ids"], found)}
                read.reports.append(found.report())
            table = read.file("embeddings", files["embeddings"], parse_embeddings, "", **options)
            if table is not None:
                vectors[system] = read.bound(
                    bind_embeddings(table, system=system, image_ids=ids, unknown=unknown)
                )
    return (
        {system: run for system, run in runs.items() if run is not None},
        {system: table for system, table in vectors.items() if table is not None},
    )


def _digest_of_names(names: Mapping[str, str]) -> str:
    return digest_of(list(names), list(names.values()))
