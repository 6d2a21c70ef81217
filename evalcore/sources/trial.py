"""What would a file be as part of a study? Read and bound as when the study opens, before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evalcore.model import ConceptSets, Report
from evalcore.sources.captions import bind_captions, parse_captions
from evalcore.sources.concepts import parse_concepts
from evalcore.sources.embeddings import bind_embeddings, parse_embeddings
from evalcore.sources.graph_files import join_edges, parse_graph
from evalcore.sources.guard import guarded
from evalcore.sources.label_map import derive_labels, parse_label_map
from evalcore.sources.labels import bind_labels, parse_labels
from evalcore.sources.layout import Layout
from evalcore.sources.names import parse_name_file
from evalcore.sources.parts import Reading, read_concepts
from evalcore.sources.runs import bind_run, parse_run


@dataclass(frozen=True, slots=True)
class Trial:
    """How a file was read: its form ("trec", "OBO", "csv"), and every problem of reading and binding it.

    ``usable``: something in it can be used. ``bound``: and the study can use it; False for a run or
    embeddings that are about none of its images.
    """

    form: str
    usable: bool
    bound: bool
    report: Report


def try_part(
    kind: str, data: bytes, *, file: str, concepts: ConceptSets | None = None, system: str = ""
) -> Trial:
    """Read a file and bind it to the images of a study. Nothing is written, nothing raised.

    Parameters
    ----------
    kind : one of ``KINDS``.
    data : the file, gzipped or not; of concepts a table, no parquet shard (``read_shards`` takes those).
    file : its name in messages.
    concepts : those of the study (``concepts_of``); None when it has none yet: then nothing is bound.
    system : the system that a run or embeddings belong to.
    """
    way = KINDS[kind]
    value, report, form = way.read(data, file)
    if not way.used(value):
        return Trial(form, usable=False, bound=False, report=report)
    if concepts is None:
        return Trial(form, usable=True, bound=True, report=report)
    made, odd = guarded(file, lambda: way.bind(value, concepts, _Place(file, system)), None)
    broken = any(rule == "unreadable-file" for _, _, rule in odd.counts)
    return Trial(form, usable=not broken, bound=made is not None, report=report + odd)


def concepts_of(layout: Layout) -> ConceptSets | None:
    """The concepts of a study folder; None when it has none that can be read."""
    rows, _ = read_concepts(Reading(layout, []))
    return ConceptSets.of(rows.sets) if rows.sets else None


@dataclass(frozen=True, slots=True)
class _Place:
    """The file in question and the system it belongs to."""

    file: str
    system: str


@dataclass(frozen=True, slots=True)
class _Way:
    """How a kind of part is read, when it holds anything, and what the study makes of it."""

    read: Callable[[bytes, str], tuple[Any, Report, str]]
    used: Callable[[Any], bool]
    bind: Callable[[Any, ConceptSets, _Place], tuple[Any, Report]]


def _by(parse: Callable[..., tuple[Any, Report]]) -> Callable[[bytes, str], tuple[Any, Report, str]]:
    """A reader whose value knows its own form."""

    def read(data: bytes, file: str) -> tuple[Any, Report, str]:
        value, report = parse(data, file=file)
        return value, report, getattr(value, "format", "csv")

    return read


KINDS: Mapping[str, _Way] = {
    "concepts": _Way(
        _by(parse_concepts), lambda rows: any(rows.sets.values()),
        lambda rows, _concepts, _at: (ConceptSets.of(rows.sets), Report()),
    ),
    "captions": _Way(
        _by(parse_captions), lambda rows: bool(rows.texts),
        lambda rows, concepts, _at: bind_captions(rows, concepts.image_ids),
    ),
    "labels": _Way(
        _by(parse_labels), lambda rows: bool(rows.columns and rows.rows),
        lambda rows, concepts, _at: bind_labels(rows, concepts.image_ids),
    ),
    "label_map": _Way(
        _by(parse_label_map), lambda rows: bool(rows.types),
        lambda rows, concepts, _at: (derive_labels(rows, concepts), Report()),
    ),
    "graph": _Way(
        _by(parse_graph), lambda edges: len(edges.child) > 0,
        lambda edges, _concepts, at: join_edges([edges], file=at.file),
    ),
    "names": _Way(
        lambda data, file: parse_name_file(data, file=file), bool,
        lambda names, _concepts, _at: (names, Report()),
    ),
    "run": _Way(
        _by(parse_run), lambda rows: rows.rows > 0,
        lambda rows, concepts, at: bind_run(rows, system=at.system, image_ids=concepts.image_ids),
    ),
    "embeddings": _Way(
        _by(parse_embeddings), lambda rows: rows is not None,
        lambda rows, concepts, at: bind_embeddings(rows, system=at.system, image_ids=concepts.image_ids),
    ),
}  # fmt: skip
