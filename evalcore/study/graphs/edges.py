"""Edges from ``edges.csv`` (``child,parent[,source,rela]``), and what every edge reader returns.

| column | header names understood, in any case                                                      |
|--------|-------------------------------------------------------------------------------------------|
| child  | child, child_cui, child_id, subclass, narrower, subject, cui1; source when there is a target |
| parent | parent, parent_cui, parent_id, superclass, broader, object, target, cui2                   |
| source | source, sab, vocabulary, ontology                                                         |
| rela   | rela, relation, relationship, predicate, rel                                              |

Comma, TAB or semicolon; other columns are ignored. Without a header the columns stand in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.tables.columns import Column, read_columns
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.concept_values import NameTable
from evalcore.values.errors import Report

SYNONYMS: Mapping[str, frozenset[str]] = {
    "child": frozenset(("child", "child_cui", "child_id", "subclass", "narrower", "subject", "cui1")),
    "parent": frozenset(
        ("parent", "parent_cui", "parent_id", "superclass", "broader", "object", "target", "cui2")
    ),
    "source": frozenset(("source", "sab", "vocabulary", "ontology")),
    "rela": frozenset(("rela", "relation", "relationship", "predicate", "rel")),
}
_ISA = ("is_a", "is a", "is-a", "isa", "inverse_isa", "subclassof", "rdfs:subclassof", "subclass_of")


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Child is_a parent, one row per statement: aligned pyarrow texts; source and rela may be "".

    ``rows`` counts the statements of the file, used or not, ``relations`` those of each relation type.
    ``names``: what the file calls its concepts, None where it calls them nothing.
    """

    child: Column
    parent: Column
    source: Column
    rela: Column
    format: str
    rows: int
    relations: Mapping[str, int] = field(default_factory=dict)
    names: NameTable | None = None

    @property
    def labels(self) -> Column:
        """Where each edge comes from: "MESH", "UBERON isa", "isa" or ""."""
        return pc.utf8_trim_whitespace(pc.binary_join_element_wise(self.source, self.rela, " "))


@reader(lambda _: no_edges("csv"))
def parse_edges(data: bytes, *, file: str) -> tuple[Edges, Report]:
    """Read an edge file; rows without child or parent and rows of the wrong width are errors, left out.

    Self-loops, repeated rows and cycles stay in: they are counted when the graph is built. A file
    without a header needs ids (with a digit in them) in its first two columns.
    """
    problems = Problems(file)
    plain = unpack(data, problems)
    if plain is None:
        return no_edges("csv"), problems.report()
    header = _header(plain)
    if {"cui1", "cui2", "rel"} <= header:
        message = "These are the columns of MRREL, where REL decides which concept is the parent."
        remedy = "Give MRREL.RRF itself, or columns called child and parent."
        problems.error("mrrel-columns", message, remedy, line=1)
        return no_edges("csv"), problems.report()
    if {"cui1", "cui2"} <= header:
        message = "CUI1 is taken for the child and CUI2 for its parent."
        problems.warning(
            "assumed-direction", message, "Call the columns child and parent to be sure.", line=1
        )
    synonyms = dict(SYNONYMS)
    if {"source", "target"} <= header:
        synonyms |= {"child": frozenset(("source",)), "source": SYNONYMS["source"] - {"source"}}
    columns = read_columns(
        plain, problems, synonyms=synonyms, required=("child", "parent"), ids=("child", "parent")
    )
    if columns is None:
        return no_edges("csv"), problems.report()
    return edges_of(columns, format="csv"), problems.report()


def edges_of(
    columns: Mapping[str, Any],
    *,
    format: str,
    rows: int | None = None,
    relations: Mapping[str, int] | None = None,
    names: NameTable | None = None,
) -> Edges:
    """Edges from columns of texts; missing source or rela means "" for all, and rela is spelled one way.

    ``relations`` are counted where they are not given.
    """
    child, parent = (_texts(columns[name]) for name in ("child", "parent"))
    blank = pa.repeat(pa.scalar("", pa.string()), len(child))
    source, rela = (_texts(columns[name]) if name in columns else blank for name in ("source", "rela"))
    rela = _one_spelling(rela)
    if relations is None:
        relations = {item["values"]: item["counts"] for item in pc.value_counts(rela).to_pylist()}
    n = len(child) if rows is None else rows
    return Edges(child, parent, source, rela, format, n, dict(relations), names)


def with_ids(edges: Edges, of: Mapping[str, str]) -> Edges:
    """The same edges and names with other ids for some concepts."""

    def renamed(column: Column) -> Column:
        coded = column.dictionary_encode()
        ids = [of.get(concept, concept) for concept in coded.dictionary.to_pylist()]
        return pa.array(ids, pa.string()).take(coded.indices)

    names = edges.names
    if names is not None:
        names = replace(names, concepts=tuple(of.get(concept, concept) for concept in names.concepts))
    return replace(edges, child=renamed(edges.child), parent=renamed(edges.parent), names=names)


def no_edges(format: str) -> Edges:
    """The edges of a file that has none."""
    return edges_of({"child": [], "parent": []}, format=format)


def spelled(rela: str) -> str:
    """A relation name in the one spelling used here: is_a, subClassOf and inverse_isa are "isa".

    An edge file says by its columns which concept is the parent, so the inverse name means the same.
    """
    return "isa" if rela.strip().lower() in _ISA else rela.strip()


def kept_edges(edges: Edges, *, sources: Iterable[str] | None, rela: Iterable[str] | None) -> Edges:
    """The edges of some sources and relations only; None keeps all, "" stands for "not stated"."""
    mask: Any = pa.repeat(pa.scalar(True), len(edges.child))
    if sources is not None:
        mask = pc.and_(mask, pc.is_in(edges.source, pa.array(list(sources), pa.string())))
    if rela is not None:
        mask = pc.and_(mask, pc.is_in(edges.rela, pa.array([spelled(name) for name in rela], pa.string())))
    columns = {name: getattr(edges, name).filter(mask) for name in SYNONYMS}
    return edges_of(
        columns, format=edges.format, rows=edges.rows, relations=edges.relations, names=edges.names
    )


def _texts(column: Any) -> Column:
    """One plain Arrow string array."""
    array = column if isinstance(column, (pa.Array, pa.ChunkedArray)) else pa.array(column, pa.string())
    array = array if array.type == pa.string() else array.cast(pa.string())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _one_spelling(rela: Column) -> Column:
    coded = rela.dictionary_encode()
    names = pa.array([spelled(name) for name in coded.dictionary.to_pylist()], pa.string())
    return names.take(coded.indices)


def _header(plain: bytes) -> set[str]:
    """Cells of the first line, lower case."""
    first = plain[:10_000].removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    for delimiter in ";\t":
        first = first.replace(delimiter, ",")
    return {cell.strip().strip('"').lower() for cell in first.split(",")}
