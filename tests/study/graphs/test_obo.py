"""OBO: terms known by their CUI where there is exactly one, else by their id."""

from __future__ import annotations

from evalcore.study.graphs.edges import Edges
from evalcore.study.graphs.graph_files import parse_graph as parse_obo

OBO = """format-version: 1.2
! a comment

[Term]
id: X:1 ! whole
name: head
xref: UMLS:C0018670 {source="here"}

[Term]
id: X:2
xref: UMLS_CUI:C0006104
xref: MESH:D001921
is_a: X:3 {is_inferred="true"} ! organ
relationship: part_of X:1 ! head

[Term]
id: X:3
is_a: X:9 ! elsewhere

[Term]
id: X:4
xref: UMLS:C0000001
xref: UMLS:C0000002
is_a: X:2

[Term]
id: X:5
is_a: X:2
is_obsolete: true

[Typedef]
id: part_of
is_a: overlaps
"""


def rows(edges: Edges) -> list[tuple[str, str, str]]:
    columns = edges.links["child"], edges.links["parent"], edges.labels
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def test_is_a_lines_become_edges() -> None:
    edges, report = parse_obo(OBO.encode(), file="x.obo")
    assert rows(edges) == [
        ("C0006104", "X:3", "X isa"),
        ("X:3", "X:9", "X isa"),
        ("X:4", "C0006104", "X isa"),
    ]
    assert [str(p) for p in report.problems] == [
        "x.obo:20: 1 terms have several CUIs; they are known by their own ids.",
        "x.obo: 1 parents, such as X:9, are not terms of this file; their ids are kept.",
    ]
    assert edges.rows == 4


def test_relations_and_sources_asked_for() -> None:
    assert rows(parse_obo(OBO.encode(), file="x.obo", rela=["part_of"])[0]) == [
        ("C0006104", "C0018670", "X part_of")
    ]
    assert rows(parse_obo(OBO.encode(), file="x.obo", sources=["UBERON"])[0]) == []


def test_a_term_that_cannot_be_read_is_an_error_of_its_line_and_left_out() -> None:
    text = "[Term]\nid: X:1\nis_a:\n\n[Term]\nid: X:2\nis_a: X:3\n\n[Term]\nid: X 4\n"
    edges, report = parse_obo(text.encode(), file="x.obo")
    assert rows(edges) == [("X:2", "X:3", "X isa")]
    assert [(p.line, p.rule, p.value) for p in report.of_severity("error")] == [
        (3, "bad-line", "is_a:"),
        (10, "bad-line", "id: X 4"),
    ]


def test_a_study_of_curies_knows_terms_by_their_own_ids_or_by_the_one_cross_reference() -> None:
    text = "[Term]\nid: DOID:1\nxref: UMLS_CUI:C0000001\nxref: MESH:D1\nis_a: DOID:2\n\n[Term]\nid: DOID:2\n"
    known = [("umls", "C0000001"), ("DOID", "DOID:1"), ("MESH", "MESH:D1"), ("curie", "DOID:1")]
    for scheme, child in known:
        edges, _ = parse_obo(text.encode(), file="x.obo", scheme=scheme)
        assert rows(edges) == [(child, "DOID:2", "DOID isa")]
