"""Files of graphs: which edges each format holds, and which rule and line each damage gets."""

import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import networkx as nx
import pytest

from evalcore import make_study, open_study
from evalcore.study.naming import names_in
from evalcore.study.parts.graph import parse_graph
from evalcore.study.parts.names import parse_names
from evalcore.study.tables.files import at_most
from evalcore.values.errors import InputError

Triple = tuple[str, str, str]


def edges_in(data: str | bytes, file: str = "file", **options: object) -> tuple[list[Triple], list, str]:
    """Child, parent and label of each edge; severity, rule, line and value of each problem; the format."""
    data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    edges, report = parse_graph(data, file=file, **options)
    columns = edges.links["child"], edges.links["parent"], edges.labels
    triples = list(zip(*(column.to_pylist() for column in columns), strict=True))
    assert all(p.file == file and (p.remedy or p.severity == "warning") for p in report.problems)
    return triples, [(p.severity, p.rule, p.line, p.value) for p in report.problems], edges.format


def mrrel(cui1: str, rel: str, cui2: str, rela: str = "", sab: str = "MSH", suppress: str = "N") -> str:
    return f"{cui1}|A1|AUI|{rel}|{cui2}|A2|AUI|{rela}|R1||{sab}|{sab}|||{suppress}||\n"


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
CURIES = "[Term]\nid: DOID:1\nxref: UMLS_CUI:C0000001\nxref: MESH:D1\nis_a: DOID:2\n\n[Term]\nid: DOID:2\n"
DOCTYPE = (
    '<!DOCTYPE graphml SYSTEM "http://graphml.graphdrawing.org/dtds/graphml.dtd">'
    '<g:graphml><g:graph><g:edge source="a" target="b"/></g:graph></g:graphml>'
)
WHOLE = [
    ("csv", "child,parent\nC1,C2\n", {}, ("C1", "C2", "")),
    ("csv", "child_cui,parent_cui,source,rela,hops\nC1,C2,MESH,,1\n", {}, ("C1", "C2", "MESH")),
    ("csv", "Parent_CUI\tRELA\tChild_CUI\tSAB\nC2\tis_a\tC1\tUBERON\n", {}, ("C1", "C2", "UBERON isa")),
    ("csv", "source,target,relation\nC1,C2,part_of\n", {}, ("C1", "C2", "part_of")),
    ("csv", "C0000001;C0000002;MSH;isa\n", {}, ("C0000001", "C0000002", "MSH isa")),
    ("csv", "subject,predicate,object\nU:1,rdfs:subClassOf,U:2\n", {}, ("U:1", "U:2", "isa")),
    ("OBO", CURIES, {"scheme": "umls"}, ("C0000001", "DOID:2", "DOID isa")),
    ("OBO", CURIES, {"scheme": "DOID"}, ("DOID:1", "DOID:2", "DOID isa")),
    ("OBO", CURIES, {"scheme": "MESH"}, ("MESH:D1", "DOID:2", "DOID isa")),
    ("OBO", CURIES, {"scheme": "curie"}, ("DOID:1", "DOID:2", "DOID isa")),
    ("GraphML", DOCTYPE, {}, ("a", "b", "")),
    ("MRREL", mrrel("C1", "PAR", "C2"), {}, ("C1", "C2", "MSH")),
    ("MRREL", mrrel("C1", "CHD", "C2"), {}, ("C2", "C1", "MSH")),
    ("MRREL", mrrel("C1", "PAR", "C2", "inverse_isa"), {}, ("C1", "C2", "MSH isa")),
    ("MRREL", mrrel("C1", "CHD", "C2", "isa"), {}, ("C2", "C1", "MSH isa")),
    ("MRREL", mrrel("C1", "RB", "C2"), {}, None),
    ("MRREL", mrrel("C1", "RN", "C2", "isa"), {"rela": ["isa"]}, ("C2", "C1", "MSH isa")),
    ("MRREL", mrrel("C1", "CHD", "C2", "part_of"), {}, None),
    ("MRREL", mrrel("C1", "RO", "C2", "part_of"), {"rela": ["part_of"]}, ("C2", "C1", "MSH part_of")),
    ("MRREL", mrrel("C1", "RO", "C2", "has_part"), {"rela": ["part_of"]}, ("C1", "C2", "MSH part_of")),
    ("MRREL", mrrel("C1", "RO", "C2"), {}, None),
    ("MRREL", mrrel("C1", "SIB", "C2"), {}, None),
    ("MRREL", mrrel("C1", "PAR", "C2"), {"sources": ["NCI"]}, None),
    ("MRREL", mrrel("C1", "PAR", "C2"), {"rela": ["isa"]}, None),
    ("MRREL", mrrel("C1", "PAR", "C2", suppress="O"), {}, None),
    ("MRREL", mrrel("C1", "PAR", "C2", suppress="Y"), {}, None),
    ("MRREL", mrrel("C1", "PAR", "C1"), {}, ("C1", "C1", "MSH")),
]


@pytest.mark.parametrize(("format", "text", "options", "edge"), WHOLE)
def test_which_concept_is_the_parent(format: str, text: str, options: dict, edge: Triple | None) -> None:
    assert edges_in(text, **options) == ([edge] if edge else [], [], format)


def test_is_a_lines_of_obo_become_edges_of_cuis() -> None:
    triples, problems, _ = edges_in(OBO)
    assert triples == [("C0006104", "X:3", "X isa"), ("X:3", "X:9", "X isa"), ("X:4", "C0006104", "X isa")]
    assert problems == [("warning", "several-cuis", 20, "X:4"), ("warning", "unknown-parent", None, "X:9")]
    assert edges_in(OBO, rela=["part_of"])[0] == [("C0006104", "C0018670", "X part_of")]
    assert edges_in(OBO, sources=["UBERON"])[0] == []


def test_what_networkx_writes_is_read_back() -> None:
    graph = nx.DiGraph()
    graph.add_node("n0", CUI="C0006104")
    graph.add_edge("n0", "C0018670", sab="UBERON", rela="is_a")
    graph.add_edge("C0018670", "root")
    written = io.BytesIO()
    nx.write_graphml(graph, written)
    triples = [("C0006104", "C0018670", "UBERON isa"), ("C0018670", "root", "")]
    assert edges_in(written.getvalue()) == (triples, [], "GraphML")


def test_an_unreadable_term_or_row_loses_no_other() -> None:
    text = "[Term]\nid: X:1\nis_a:\n\n[Term]\nid: X:2\nis_a: X:3\n\n[Term]\nid: X 4\n"
    assert edges_in(text)[0] == [("X:2", "X:3", "X isa")]
    rows = mrrel("C1", "PAR", "C2", "isa") + "C1|broken\n\n" + mrrel("C\u00e4", "PAR", "C2")
    triples, problems, _ = edges_in(rows)
    assert triples == [("C1", "C2", "MSH isa"), ("C\u00e4", "C2", "MSH")]
    assert {problem[:3] for problem in problems} == {
        ("error", "wrong-columns", 2),
        ("warning", "contrary-relation", 1),
    }


OWL = '<?xml version="1.0"?>\n<!-- a vocabulary -->\n<rdf:RDF xmlns:owl="http://www.w3.org/2002/07/owl#"/>\n'
LAUGHS = '<!DOCTYPE rdf:RDF [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<rdf:RDF>&b;</rdf:RDF>\n'
TURTLE = "# SKOS\n@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\nskos:a skos:broader skos:b .\n"


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [
        ("x.owl", OWL, "OWL"),
        ("x", LAUGHS, "RDF or OWL in XML"),
        ("x.owx", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "OWL"),
        ("x.ttl", TURTLE, "SKOS"),
        ("x.json", '{\n  "meta": {},\n  "graphs" : [ {\n    "nodes" : []}]}', "OBO Graphs JSON"),
        ("X.SKOS.gz", "child,parent\nC0000001,C0000002\n", "SKOS"),
    ],
)
def test_other_forms_are_refused_with_the_way_out(tmp_path: Path, file: str, text: str, what: str) -> None:
    (tmp_path / file).write_text(text)
    edges, of_graph = parse_graph(text.encode(), file=file)
    names, of_names = parse_names(text.encode(), file=file)
    table, of_files = names_in([tmp_path / file])
    assert len(edges.links) == len(names.names) == len(table) == 0
    for report in (of_graph, of_names, of_files):
        (problem,) = report.problems
        assert (problem.severity, problem.file, problem.rule) == ("error", file, "not-obo")
        assert what in problem.message
        assert "robot convert --input X.owl --output X.obo" in problem.remedy


LONG_DEFAULT = (
    f'<!DOCTYPE graphml [<!ATTLIST edge source CDATA "{"s" * 20_000}">]><graphml><graph>'
    + "".join(f'<edge target="{i}"/>' for i in range(2_000))
)


@pytest.mark.parametrize("text", ["[Term]\nid: X:1\n\n" * 300, f"{LONG_DEFAULT}</graph></graphml>"])
def test_more_than_the_cap_is_refused(text: str) -> None:
    """A default of the document type gives every short element a long attribute."""
    with at_most(100_000):
        triples, problems, _ = edges_in(text)
    assert not triples and [problem[1] for problem in problems] == ["too-large"]


def test_a_large_file_is_read_across_its_blocks() -> None:
    pairs = [(f"C{k:07d}", f"C{k // 2:07d}") for k in range(1, 120_000)]  # more than 4 MB, a block
    data = io.BytesIO("".join(mrrel(child, "PAR", parent) for child, parent in pairs).encode())
    edges, report = parse_graph(data, file="M")
    links = sorted(zip(*(edges.links[side].to_pylist() for side in ("child", "parent")), strict=True))
    assert links == pairs and (edges.rows, report.problems) == (len(pairs), ())


# In a study: filters, and a graph of other concepts.

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000001\n"


def study_with(folder: Path, edges: str | bytes, *, name: str = "edges.csv", toml: str = "") -> Path:
    (folder / "concepts.csv").write_text(CONCEPTS)
    (folder / name).write_bytes(edges if isinstance(edges, bytes) else edges.encode())
    (folder / "study.toml").write_text(toml)
    return folder


@pytest.mark.parametrize(
    ("toml", "cuis"),
    [
        ('rela = "part_of"', ("C0000001", "C0000003")),
        ('sources = ["A"]', ("C0000001", "C0000002")),
        ('sources = ["Z"]\nrela = "isa"', None),
    ],
)
def test_filters(tmp_path: Path, toml: str, cuis: Sequence[str] | None) -> None:
    edges = "child,parent,source,rela\nC0000002,C0000001,A,isa\nC0000003,C0000001,B,part_of\n"
    study = open_study(study_with(tmp_path, edges, toml=f"[graph]\n{toml}\n"))
    assert (study.graph and study.graph.cuis) == cuis
    of_graph = [str(problem) for problem in study.report.problems if problem.rule == "no-edges"]
    assert len(of_graph) == (cuis is None)
    assert all(
        "the source Z and the relation isa" in text and "[graph] in study.toml" in text for text in of_graph
    )
    assert [part.used for part in study.parts if part.kind == "graph"] == [cuis is not None]


@pytest.mark.parametrize(
    ("edges", "example", "remedy"),
    [
        ("HP:0000002,HP:0000001\n", "HP:0000001", "another vocabulary"),
        ("C0000009,C0000008\n", "C0000008", "about other concepts"),
        ("c0000001,c0000002\n", "c0000001", "upper and lower case"),
    ],
)
def test_a_graph_of_other_concepts_is_an_error_with_an_id_of_each_side(tmp_path, edges, example, remedy):
    study = open_study(study_with(tmp_path, f"child,parent\n{edges}"))
    assert study.graph is None
    (problem,) = study.report.of_severity("error")
    assert (problem.file, problem.rule, problem.value) == ("edges.csv", "not-in-graph", example)
    assert "C0000001" in problem.message and example in problem.message and remedy in problem.remedy
    with pytest.raises(InputError, match="has none of the 2 concepts of the study"):
        make_study(
            concepts={"a": ["C0000001", "C0000002"], "b": ["C0000001"]}, graph=[edges.strip().split(",")]
        )


def test_a_gzipped_file_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(mrrel("C0000001", "PAR", "C0000002").encode() * 500_000)
    study = open_study(study_with(tmp_path, packed, name="MRREL.RRF.gz"))
    (problem,) = study.report.of_file("MRREL.RRF.gz").of_severity("error")
    assert study.graph is None and problem.rule == "unreadable-container" and "200 times" in problem.message


def test_the_real_file_gives_the_edges_of_the_real_tables(real_dir: Path) -> None:
    tables = [edges_in((real_dir / f"kg/{name}.csv").read_bytes())[0] for name in ("edges", "edges_part_of")]
    data = (real_dir / "kg/MRREL.RRF").read_bytes()
    umls, problems, _ = edges_in(data)
    assert not problems and parse_graph(data, file="M")[0].rows == 140_188
    assert {edge[:2] for edge in umls} == {edge[:2] for edge in tables[0]}
    assert sorted(edges_in(data, rela=["part_of"])[0]) == sorted(tables[1])
