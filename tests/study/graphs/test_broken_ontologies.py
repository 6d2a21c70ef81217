"""Broken and hostile ontologies: each problem with file, line, value, rule and remedy; nothing is fetched."""

from __future__ import annotations

import json
import sys

import pytest

from evalcore.study.graphs.graph_files import parse_graph
from evalcore.study.tables.limits import at_most

OWL_HEAD = (
    '<?xml version="1.0"?>\n<rdf:RDF xmlns:owl="http://www.w3.org/2002/07/owl#"\n'
    ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
)
LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    "<rdf:RDF>&b;</rdf:RDF>\n"
)
REMOTE = '<!DOCTYPE rdf:RDF SYSTEM "http://evil.invalid/x.dtd">\n<rdf:RDF/>'
DEEP = OWL_HEAD + "<owl:Class><owl:complementOf>" * 60 + "</owl:complementOf></owl:Class>" * 60 + "</rdf:RDF>"
LONG = OWL_HEAD + "<owl:Class><owl:unionOf>" + "<owl:Thing/>" * 5_001 + "</owl:unionOf></owl:Class></rdf:RDF>"
SHARED = OWL_HEAD + "".join(f'<owl:Class rdf:nodeID="n{i}"/>' for i in range(1_001)) + "</rdf:RDF>"
TURTLE = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
GRAPH = {
    "graphs": [{"nodes": [{"lbl": "nameless"}, {"id": "X:1"}], "edges": [{"sub": "X:1", "pred": "is_a"}]}]
}
BROKEN = {
    "an entity": ("x.owl", LAUGHS, "unsafe-xml", 2, "<!DOCTYPE rdf:RDF", ".json"),
    "a remote document type": ("x.owl", REMOTE, "unsafe-xml", 1, "<!DOCTYPE rdf:RDF SYSTEM", ".json"),
    "deep XML": ("x.owl", DEEP, "too-deep", 4, "", ".json"),
    "a very long list": ("x.owl", LONG, "too-deep", 4, "", ".json"),
    "many shared nodes": ("x.owl", SHARED, "too-deep", 4, "", ".json"),
    "XML that stops": ("x.owl", OWL_HEAD + "<owl:Class>", "broken-xml", 4, "", "again"),
    "no OWL": ("x.owl", OWL_HEAD + "<owl:Class>text</owl:Class></rdf:RDF>", "bad-owl", None, "", ".json"),
    "broken Turtle": ("x.ttl", TURTLE + "skos:a skos:broader .\n", "bad-turtle", 2, "", ".json"),
    "deep Turtle": ("x.ttl", TURTLE + "skos:a skos:b " + "[ skos:b " * 9_999, "bad-turtle", None, "", ".js"),
    "a context": ("x.json", '{"@context": "http://evil.invalid"}', "not-an-ontology", None, '{"@c', "robot"),
    "JSON that stops": ("x.json", '{"graphs": [\n{"nodes": [', "bad-json", 2, "", "robot"),
    "deep JSON": ("x.json", '{"graphs": ' + "[" * 99_999, "bad-json", None, "", "robot"),
    "a node without id": ("x.json", json.dumps(GRAPH), "broken-node", None, '{"lbl": "nameless"}', "robot"),
    "YAML for JSON": ("x.json", "{graphs: &a [*a]}", "bad-json", 1, "", "robot"),
    "a term without id": ("x.obo", "[Term]\nname: a\n\n[Term]\nid: X:1\n", "missing-id", 1, "", "id:"),
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
    assert len(edges.child) == 0


@pytest.mark.parametrize("suffix", ["obo", "json", "ttl", "owl"])
def test_a_file_beyond_the_cap_is_refused(suffix: str) -> None:
    text = {
        "obo": "[Term]\nid: X:1\n\n" * 300,
        "json": '{"graphs": [' + "{}," * 9_999 + "{}]}",
        "ttl": TURTLE + "skos:a skos:b skos:c .\n" * 999,
        "owl": OWL_HEAD + "<owl:Class/>" * 999 + "</rdf:RDF>",
    }[suffix]
    with at_most(100_000):
        edges, report = parse_graph(text.encode(), file=f"x.{suffix}")
    assert [p.rule for p in report.problems] == ["too-large"]
    assert len(edges.child) == 0


@pytest.mark.parametrize(("name", "text"), [("rdflib", TURTLE), ("pyhornedowl", OWL_HEAD + "</rdf:RDF>")])
def test_without_the_extra_the_way_out_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    _, report = parse_graph(text.encode(), file="x")
    (problem,) = report.problems
    assert problem.rule == "needs-extra"
    assert "ontologies" in problem.remedy and "ROBOT to .json" in problem.remedy
