"""Edge tables: header names, order of columns, filters, and what is wrong with a row."""

from __future__ import annotations

import pytest

from evalcore.study.graphs.edges import Edges
from evalcore.study.graphs.graph_files import parse_graph


def rows(edges: Edges) -> list[tuple[str, str, str]]:
    columns = edges.links["child"], edges.links["parent"], edges.labels
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("child,parent\nC1,C2\n", ("C1", "C2", "")),
        ("child_cui,parent_cui,source,rela,hops\nC1,C2,MESH,,1\n", ("C1", "C2", "MESH")),
        ("Parent_CUI\tRELA\tChild_CUI\tSAB\nC2\tis_a\tC1\tUBERON\n", ("C1", "C2", "UBERON isa")),
        ("source,target,relation\nC1,C2,part_of\n", ("C1", "C2", "part_of")),
        ("C0000001;C0000002;MSH;isa\n", ("C0000001", "C0000002", "MSH isa")),
        ("subject,predicate,object\nUBERON:1,rdfs:subClassOf,UBERON:2\n", ("UBERON:1", "UBERON:2", "isa")),
    ],
)
def test_columns_by_name_or_by_order(text: str, expected: tuple[str, str, str]) -> None:
    edges, report = parse_graph(text.encode(), file="edges.csv")
    assert rows(edges) == [expected]
    assert not report.problems
    assert (edges.format, edges.rows) == ("csv", 1)


@pytest.mark.parametrize(
    ("text", "rule", "n"),
    [
        ("CUI1,REL,CUI2,RELA\nC0000001,PAR,C0000002,\n", "wrong-header", 0),
        ("cui,name\nC0000001,Heart\n", "wrong-header", 0),
        ("", "empty-file", 0),
    ],
)
def test_headers_that_leave_the_direction_open(text: str, rule: str, n: int) -> None:
    edges, report = parse_graph(text.encode(), file="e.csv")
    assert [p.rule for p in report.problems] == [rule]
    assert len(edges.links) == n
