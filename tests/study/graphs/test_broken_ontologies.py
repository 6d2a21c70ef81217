"""Broken and hostile ontologies: each problem with file, line, value, rule and remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalcore.study.graphs.graph_files import parse_graph
from evalcore.study.names import parse_names
from evalcore.study.naming import names_in
from evalcore.study.tables.files import at_most

if TYPE_CHECKING:
    from pathlib import Path

OWL = '<?xml version="1.0"?>\n<!-- a vocabulary -->\n<rdf:RDF xmlns:owl="http://www.w3.org/2002/07/owl#"/>\n'
LAUGHS = '<!DOCTYPE rdf:RDF [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<rdf:RDF>&b;</rdf:RDF>\n'
TURTLE = "# SKOS\n@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\nskos:a skos:broader skos:b .\n"
TABLE = "child,parent\nC0000001,C0000002\n"
BROKEN = {
    "a term without id": ("x.obo", "[Term]\nname: a\n\n[Term]\nid: X:1\n", "bad-line", 2, "name: a", "id:"),
    "a link without end": ("x.obo", "[Term]\nid: X:1\nis_a: {}\n", "bad-line", 3, "is_a: {}", "OBO 1.4"),
    "bytes": ("x.obo", "[Term]\nid: X:1\nname: \udce9\n", "undecodable", 3, "name: �", "UTF-8"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_named_by_line_and_value(case: str) -> None:
    file, text, rule, line, value, remedy = BROKEN[case]
    edges, report = parse_graph(text.encode("utf-8", "surrogateescape"), file=file)
    problem = next(p for p in report.problems if p.rule == rule)
    assert (problem.severity, problem.file, problem.line) == ("error", file, line)
    assert problem.value.startswith(value)
    assert remedy in problem.remedy
    assert len(edges.links) == 0


def test_a_file_beyond_the_cap_is_refused() -> None:
    with at_most(100_000):
        edges, report = parse_graph(b"[Term]\nid: X:1\n\n" * 300, file="x.obo")
    assert [p.rule for p in report.problems] == ["too-large"]
    assert len(edges.links) == 0


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [
        ("x.owl", OWL, "OWL"),
        ("x.xml", OWL, "RDF or OWL in XML"),
        ("x", LAUGHS, "RDF or OWL in XML"),
        ("x.owx", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "OWL"),
        ("x.rdf", OWL, "RDF or OWL in XML"),
        ("x.ttl", TURTLE, "SKOS"),
        ("X.SKOS.gz", TABLE, "SKOS"),
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
        assert "edges.csv" in problem.remedy
