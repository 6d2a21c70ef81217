"""What every reader of a graph file returns, and the readers of tables: ``edges.csv`` and ``MRREL.RRF``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.graphs.rrf import LINE, MRREL, Source, read_rrf
from evalcore.study.tables.load import header_of, read
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import Column, Schema
from evalcore.values.writing import words

IS_A = ("isa", "")
"""Relations of the default graph: isa, and hierarchies that name none (MeSH)."""
_SPELLINGS = ("is_a", "is a", "is-a", "isa", "inverse_isa", "subclassof", "rdfs:subclassof", "subclass_of")
NAMES = pa.schema(
    [(name, pa.string()) for name in ("concept", "text", "source", "language")]
    + [("preferred", pa.bool_()), ("rank", pa.int64())]
)
"""A row for each name of a concept, synonyms too: the fields of `names.Name`, and a rank. ``preferred``:
the name that its source puts first. The one of the lowest ``rank`` is shown, one without a rank never."""
_LINKS = pa.schema([(name, pa.string()) for name in ("child", "parent", "source", "rela")])


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Child is_a parent, one row of ``links`` per statement: child, parent, source and rela, the last two ""
    where the file does not say.

    ``rows`` counts the statements of the file, used or not, ``relations`` those of each relation type.
    ``names``: what the file calls its concepts, rows of `NAMES`; None where it calls them nothing.
    """

    links: pa.Table
    format: str
    rows: int
    relations: Mapping[str, int] = field(default_factory=dict)
    names: pa.Table | None = None

    @property
    def labels(self) -> pa.ChunkedArray:
        """Where each edge comes from: "MESH", "UBERON isa", "isa" or ""."""
        joined = pc.binary_join_element_wise(self.links["source"], self.links["rela"], " ")
        return pc.utf8_trim_whitespace(joined)

    def kept(self, *, sources: Collection[str] | None, rela: Collection[str] | None) -> Edges:
        """The edges of some sources and relations only; None keeps all, "" stands for "not stated"."""
        names = {"source": sources, "rela": None if rela is None else [spelled(name) for name in rela]}
        return replace(self, links=_kept(self.links, names))


def edges_of(
    columns: Mapping[str, Any],
    *,
    format: str,
    rows: int | None = None,
    relations: Mapping[str, int] | None = None,
    names: pa.Table | None = None,
) -> Edges:
    """Edges from columns of texts, without source or rela where a file states none; rela is spelled one way.

    ``rows`` and ``relations`` are counted where they are not given.
    """
    blank = pa.repeat(pa.scalar("", pa.string()), len(columns["child"]))
    links = pa.table({name: columns.get(name, blank) for name in _LINKS.names}, schema=_LINKS)
    rela = in_other_texts(links["rela"], spelled)
    if relations is None:
        relations = counts_of(rela)
    n = links.num_rows if rows is None else rows
    return Edges(links.set_column(3, "rela", rela), format, n, dict(relations), names)


def counts_of(column: pa.ChunkedArray) -> dict[str, int]:
    """How often each text is in a column."""
    return {count["values"]: count["counts"] for count in pc.value_counts(column).to_pylist()}


def no_edges(format: str) -> Edges:
    """The edges of a file that has none."""
    return edges_of({"child": [], "parent": []}, format=format)


def spelled(rela: str) -> str:
    """A relation name in the one spelling used here: is_a, subClassOf and inverse_isa are "isa".

    An edge file says by its columns which concept is the parent, so the inverse name means the same.
    """
    return "isa" if rela.strip().lower() in _SPELLINGS else rela.strip()


def _kept(table: pa.Table, names: Mapping[str, Collection[str] | None]) -> pa.Table:
    """The rows whose cells are among the names of their columns; None for all."""
    chosen = {
        column: pa.array(sorted(wanted), pa.string())
        for column, wanted in names.items()
        if wanted is not None
    }
    masks = [pc.is_in(table[column], wanted) for column, wanted in chosen.items()]
    return table.filter(reduce(pc.and_, masks)) if masks else table


def in_other_texts(column: pa.ChunkedArray, change: Callable[[str], str]) -> pa.ChunkedArray:
    """A column of texts, each different one changed once."""
    texts = pc.unique(column)
    changed = pa.array(map(change, texts.to_pylist()), pa.string())
    return changed.take(pc.index_in(column, texts))


# Tables: ``edges.csv``.

_CHILD = words("child, child_cui, child_id, subclass, narrower, subject")
_PARENT = words("parent, parent_cui, parent_id, superclass, broader, object")
_SOURCE = words("source, sab, vocabulary, ontology")
_RELA = words("rela, relation, relationship, predicate, rel")
_ID = re.compile(r"(?=\D*\d)[\w.:/#-]+\Z")


def is_id(cell: str) -> bool:
    """Whether the cell of a first row is an id, and no name of a column: it has a digit, and no spaces."""
    return _ID.match(cell) is not None


EDGES = Schema(
    (
        Column(_CHILD),
        Column(_PARENT),
        Column(_SOURCE, required=False, empty=None),
        Column(_RELA, required=False, empty=None),
    ),
    remedy="Let the first row be: child,parent.",
    header="optional",
    positional=lambda cells: is_id(cells[0]) and is_id(cells[1]),
)

_BY_ENDS = replace(
    EDGES,
    columns=(
        Column(("source",)),
        Column(("target",)),
        replace(EDGES.columns[2], names=_SOURCE[1:]),
        EDGES.columns[3],
    ),
)
"""Of a file with the columns source and target."""


def read_edges(data: bytes | pa.Table, problems: Problems) -> Edges:
    """Read an edge file; rows without child or parent and rows of the wrong width are errors, left out.

    Self-loops, repeated rows and cycles stay in: they are counted when the graph is built. A file
    without a header needs ids (with a digit in them) in its first two columns.
    """
    schema = _BY_ENDS if {"source", "target"} <= {*header_of(data, EDGES)} else EDGES
    rows = read(data, schema, problems)
    there = zip(_LINKS.names, (column.name for column in schema.columns), strict=True)
    return edges_of({own: rows.data[name] for own, name in there if rows.has(name)}, format="csv")


# MRREL: REL and RELA say what the second concept is to the first (UMLS Reference Manual, MRREL):
#
#   A|..|PAR|B|..|inverse_isa      B is the parent of A
#   A|..|CHD|B|..|isa              B is a child of A, B isa A
#   A|..|RB|B, A|..|RN|B           B is broader, narrower than A
#   A|..|RO|B|..|part_of           B is part of A
#
# Every statement is in the file twice, once from each side; both give the same edge.

_INVERSE = {"inverse_isa": "isa", "has_part": "part_of"}
_HIERARCHY, _WIDER = ("PAR", "CHD"), ("RB", "RN")


def read_mrrel(
    source: Source,
    problems: Problems,
    *,
    sources: Collection[str] | None = None,
    rela: Collection[str] | None = None,
) -> Edges:
    """Read the hierarchy of an MRREL file as child -> parent edges.

    Parameters
    ----------
    source : the file, or a stream of it (then it is never held whole).
    sources : keep these source vocabularies (SAB) only.
    rela : keep these relations only, "" for rows that name none; default `IS_A`. With names given,
        RB, RN and RO rows of that relation count too.

    Returns
    -------
    edges, report : suppressed and obsolete rows are left out; rows of the wrong width are errors,
        rows whose REL and RELA contradict each other warnings (REL decides). Statements repeated
        from the other side, or for other atoms of the same concepts, count once.
    """
    rels = (*_HIERARCHY, *((*_WIDER, "RO") if rela is not None else ()))
    wanted = {"rela": {spelled(name) for name in (IS_A if rela is None else rela)}, "source": sources}
    sides: Counter[str] = Counter()
    rows, contrary = 0, list[pa.ChunkedArray]()

    def oriented(block: pa.Table) -> pa.Table:
        nonlocal rows
        rows += block.num_rows
        block = _kept(block, {"SUPPRESS": ("N", ""), "REL": (*_HIERARCHY, *_WIDER, "RO")})
        # Rows other than PAR and CHD that name no relation are never links.
        linked = pc.or_(pc.is_in(block["REL"], pa.array(_HIERARCHY)), pc.not_equal(block["RELA"], ""))
        rela = in_other_texts(block["RELA"].filter(linked), lambda name: _INVERSE.get(name, name))
        sides.update(counts_of(rela))
        links, against = _oriented(_kept(block, {"REL": rels}))
        contrary.append(against)
        return _kept(links, wanted)

    columns = ("CUI1", "REL", "CUI2", "RELA", "SAB", "SUPPRESS")
    blocks = read_rrf(source, MRREL, columns, problems, oriented)
    message = "In {n} rows REL and RELA point opposite ways; REL was followed."
    lines = [line for against in contrary for line in against[:1].to_pylist()]
    problems.add_summary("contrary-relation", sum(map(len, contrary)), message, "", lines=lines)
    if not blocks:
        return no_edges(MRREL)
    once = pa.concat_tables(blocks).group_by(_LINKS.names, use_threads=False).aggregate([])
    edges = edges_of({name: once[name] for name in _LINKS.names}, format=MRREL, rows=rows)
    # Each statement is there twice: half the rows of relations whose links are not made.
    every = {name: (n + 1) // 2 for name, n in sides.items()} | dict(edges.relations)
    return replace(edges, relations=every)


def _oriented(block: pa.Table) -> tuple[pa.Table, pa.ChunkedArray]:
    """Rows as links, and the lines of those whose REL and RELA contradict each other."""
    rel, stated = block["REL"], block["RELA"]
    inverse, forward = (pc.is_in(stated, pa.array(list(names))) for names in (_INVERSE, _INVERSE.values()))
    up = pc.if_else(pc.equal(rel, "RO"), inverse, pc.is_in(rel, pa.array(["PAR", "RB"])))
    contrary = pc.if_else(up, forward, inverse)
    ends = block["CUI1"], block["CUI2"]
    child, parent = pc.if_else(up, *ends), pc.if_else(up, *reversed(ends))
    rela = in_other_texts(stated, lambda name: _INVERSE.get(name, name))
    links = pa.table([child, parent, block["SAB"], rela], schema=_LINKS)
    return links, block[LINE].filter(contrary)
