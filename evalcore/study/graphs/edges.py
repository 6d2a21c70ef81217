"""What every reader of a graph file returns, and the readers of tables: ``edges.csv`` and ``MRREL.RRF``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
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
    [*((name, pa.string()) for name in ("concept", "text", "source", "language")), ("rank", pa.int64())]
)
"""A row for each name of a concept, synonyms too: the fields of `names.Name`, and a rank. The one of the
lowest rank is shown, one without a rank never."""
LINKS = pa.schema([(name, pa.string()) for name in ("child", "parent", "source", "rela")])
Chosen = Collection[str] | None
"""Sources or relations that are kept, "" for "not stated"; None for all."""


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Child is_a parent, one row of ``links`` per statement: child, parent, source and rela, the last two ""
    where the file does not say.

    ``rows`` counts the statements of the file, used or not. ``names``: what the file calls its concepts, rows
    of `NAMES`; None where it calls them nothing.
    """

    links: pa.Table
    format: str
    rows: int
    names: pa.Table | None = None

    @property
    def labels(self) -> pa.ChunkedArray:
        """Where each edge comes from: "MESH", "UBERON isa", "isa" or ""."""
        joined = pc.binary_join_element_wise(self.links["source"], self.links["rela"], " ")
        return pc.utf8_trim_whitespace(joined)


def edges_of(
    links: pa.Table, format: str, *, rows: int | None = None, names: pa.Table | None = None
) -> Edges:
    """Edges from rows of `LINKS`, rela spelled one way; ``rows``: by default, how many there are."""
    links = links.set_column(3, "rela", in_other_texts(links["rela"], spelled))
    return Edges(links, format, links.num_rows if rows is None else rows, names)


def no_edges(format: str) -> Edges:
    """The edges of a file that has none."""
    return Edges(LINKS.empty_table(), format, 0)


def table_of(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table."""
    return pa.table([*map(list, zip(*rows, strict=True))] or [[]] * len(schema), schema=schema)


def spelled(rela: str) -> str:
    """A relation name in the one spelling used here: is_a, subClassOf and inverse_isa are "isa".

    An edge file says by its columns which concept is the parent, so the inverse name means the same.
    """
    return "isa" if rela.strip().lower() in _SPELLINGS else rela.strip()


def kept(links: pa.Table, sources: Chosen, rela: Chosen) -> pa.Table:
    """The links of some sources and relations."""
    return _among(links, source=sources, rela=None if rela is None else {spelled(name) for name in rela})


def _among(table: pa.Table, **chosen: Chosen) -> pa.Table:
    """The rows whose cells are among those chosen of their columns."""
    for column, cells in chosen.items():
        if cells is not None:
            table = table.filter(pc.is_in(table[column], pa.array(sorted(cells), pa.string())))
    return table


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
    blank = pa.repeat(pa.scalar("", pa.string()), rows.rows)
    cells = [rows.data[column.name] if rows.has(column.name) else blank for column in schema.columns]
    return edges_of(pa.table(dict(zip(LINKS.names, cells, strict=True)), schema=LINKS), "csv")


# MRREL: REL and RELA say what the second concept is to the first (UMLS Reference Manual, MRREL):
#
#   A|..|PAR|B|..|inverse_isa      B is the parent of A
#   A|..|CHD|B|..|isa              B is a child of A, B isa A
#   A|..|RB|B, A|..|RN|B           B is broader, narrower than A
#   A|..|RO|B|..|part_of           B is part of A
#
# Every statement is in the file twice, once from each side; both give the same edge.

_INVERSE = {"inverse_isa": "isa", "has_part": "part_of"}


def read_mrrel(source: Source, problems: Problems, *, sources: Chosen = None, rela: Chosen = None) -> Edges:
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
    rels = ("PAR", "CHD", *(("RB", "RN", "RO") if rela is not None else ()))
    n, contrary = 0, list[int]()

    def links_of(block: pa.Table) -> pa.Table:
        nonlocal n
        n += block.num_rows
        links, against = _oriented(_among(block, SUPPRESS=("N", ""), REL=rels))
        contrary.extend(against)
        return kept(links, sources, IS_A if rela is None else rela)

    rows = read_rrf(source, MRREL, ("CUI1", "REL", "CUI2", "RELA", "SAB", "SUPPRESS"), problems, links_of)
    message = "In {n} rows REL and RELA point opposite ways; REL was followed."
    problems.add_summary("contrary-relation", len(contrary), message, "", lines=contrary)
    if rows is None:
        return no_edges(MRREL)
    once = rows.group_by(LINKS.names, use_threads=False).aggregate([])
    return edges_of(once.select(LINKS.names), MRREL, rows=n)


def _oriented(block: pa.Table) -> tuple[pa.Table, list[int]]:
    """Rows as links, and the lines of those whose REL and RELA contradict each other."""
    rel, stated = block["REL"], block["RELA"]
    inverse, forward = (pc.is_in(stated, pa.array(list(names))) for names in (_INVERSE, _INVERSE.values()))
    up = pc.if_else(pc.equal(rel, "RO"), inverse, pc.is_in(rel, pa.array(["PAR", "RB"])))
    contrary = pc.if_else(up, forward, inverse)
    ends = block["CUI1"], block["CUI2"]
    child, parent = pc.if_else(up, *ends), pc.if_else(up, *reversed(ends))
    rela = in_other_texts(stated, lambda name: _INVERSE.get(name, name))
    links = pa.table([child, parent, block["SAB"], rela], schema=LINKS)
    return links, block[LINE].filter(contrary).to_pylist()
