"""GraphML: what networkx writes is read back; hostile XML is refused with a report."""

from __future__ import annotations

import io

import networkx as nx
import pytest

from evalcore.study.graphs.edges import Edges
from evalcore.study.graphs.graph_files import parse_graph
from evalcore.study.tables.files import at_most

BOMB = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><graphml><graph><edge source="&c;" target="y"/></graph></graphml>"""
EXTERNAL = """<?xml version="1.0"?><!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<graphml><graph><edge source="&x;" target="y"/></graph></graphml>"""


def rows(edges: Edges) -> list[tuple[str, str, str]]:
    columns = edges.links["child"], edges.links["parent"], edges.labels
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def test_what_networkx_writes_is_read_back() -> None:
    graph = nx.DiGraph()
    graph.add_node("n0", CUI="C0006104")
    graph.add_edge("n0", "C0018670", sab="UBERON", rela="is_a")
    graph.add_edge("C0018670", "root")
    written = io.BytesIO()
    nx.write_graphml(graph, written)
    edges, report = parse_graph(written.getvalue(), file="g.graphml")
    assert rows(edges) == [("C0006104", "C0018670", "UBERON isa"), ("C0018670", "root", "")]
    assert report.problems == ()
    assert edges.format == "GraphML"


@pytest.mark.parametrize("text", [BOMB, EXTERNAL])
def test_entities_are_refused(text: str) -> None:
    edges, report = parse_graph(text.encode(), file="g.graphml")
    assert len(edges.links) == 0
    assert [(p.severity, p.rule) for p in report.problems] == [("error", "unsafe-xml")]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<graphml>",
        b"<graphml><graph></graphml>",
        b"<?xml version='1.0' encoding='nonsense'?><a/>",
        b"\x1f\x8b",
    ],
)
def test_broken_xml_is_reported(data: bytes) -> None:
    edges, report = parse_graph(data, file="g.graphml")
    assert len(edges.links) == 0
    assert report.total("error") == 1


def test_an_edge_without_an_end_is_left_out() -> None:
    edges, report = parse_graph(
        b'<graphml><graph><edge source="a"/><edge source="a" target="b"/></graph></graphml>', file="g"
    )
    assert rows(edges) == [("a", "b", "")]
    assert [str(p) for p in report.problems] == [
        "g:1: The edge has no target; it is left out. Export the graph again."
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<a>" * 200_000, "nested too deeply"),
        (b"<graphml>" + b"".join(b"<n%d/>" % i for i in range(11_000)), "too many different names"),
        (b"<graphml>" + b"".join(b'<n a%d=""/>' % i for i in range(11_000)), "too many different names"),
    ],
    ids=["depth", "elements", "attributes"],
)
def test_what_the_parser_would_never_forget_is_refused(data: bytes, words: str) -> None:
    edges, report = parse_graph(data, file="g")
    assert len(edges.links) == 0
    assert [(p.severity, p.rule) for p in report.problems] == [("error", "broken-xml")]
    assert words in report.problems[0].message


def test_more_edges_than_fit_below_the_cap_are_refused() -> None:
    """A default of the document type gives every short element a long attribute."""
    data = (
        b'<!DOCTYPE graphml [<!ATTLIST edge source CDATA "'
        + b"s" * 20_000
        + b'">]><graphml><graph>'
        + b"".join(b'<edge target="%d"/>' % i for i in range(2_000))
        + b"</graph></graphml>"
    )
    for cap, n in ((1 << 20, 2_000), (100_000, 0)):
        with at_most(cap):
            edges, report = parse_graph(data, file="g")
        assert len(edges.links) == n
        assert [p.rule for p in report.problems] == ([] if n else ["too-large"])


def test_a_document_type_may_name_a_file_which_is_not_loaded() -> None:
    data = (
        b'<!DOCTYPE graphml SYSTEM "http://graphml.graphdrawing.org/dtds/graphml.dtd">'
        b'<g:graphml><g:graph><g:edge source="a" target="b"/></g:graph></g:graphml>'
    )
    edges, report = parse_graph(data, file="g")
    assert (rows(edges), report.problems) == ([("a", "b", "")], ())
