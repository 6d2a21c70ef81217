"""Parts of a graph: links by source and relation."""

from __future__ import annotations

import pytest

from evalcore.graph import build_graph
from evalcore.graph.links import LinkKind, kinds_of, only_links

ROWS = [
    ("a", "b", "MESH"),
    ("a", "b", "UBERON isa"),
    ("b", "c", "UBERON isa"),
    ("c", "d", "UBERON part_of"),
    ("d", "a", ""),
    ("e", "d", "part_of"),
]


def built(rows):
    return build_graph(*(list(column) for column in zip(*rows, strict=True)))[0]


def links_of(graph):
    """{(child, parent): label}"""
    return {
        (cui, graph.cuis[parent]): graph.label(node, parent)
        for node, cui in enumerate(graph.cuis)
        for parent in graph.parents(node).tolist()
    }


def test_kinds_of_links() -> None:
    assert kinds_of(built(ROWS)) == (
        LinkKind("UBERON", "isa", 2),
        LinkKind("", "", 1),
        LinkKind("", "part_of", 1),
        LinkKind("MESH", "", 1),
        LinkKind("UBERON", "part_of", 1),
    )


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"sources": ["MESH"]}, {("a", "b"): "MESH"}),
        ({"sources": ["UBERON"], "relations": ["isa"]}, {("a", "b"): "UBERON isa", ("b", "c"): "UBERON isa"}),
        ({"relations": ["part_of"]}, {("c", "d"): "UBERON part_of", ("e", "d"): "part_of"}),
        ({"sources": [""], "relations": [""]}, {("d", "a"): ""}),
        ({"sources": ["ELSE"]}, {}),
    ],
)
def test_links_of_some_sources_and_relations(asked, expected) -> None:
    graph = only_links(built(ROWS), **asked)
    assert links_of(graph) == expected
    assert graph.cuis == ("a", "b", "c", "d", "e")
    assert graph.digest != built(ROWS).digest


def test_without_a_filter_the_graph_is_the_same() -> None:
    graph = built(ROWS)
    assert only_links(graph) is graph
