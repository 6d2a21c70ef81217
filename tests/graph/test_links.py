"""Parts of a graph: links by source and relation, and a graph less some links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph import build_graph
from evalcore.graph.links import LinkKind, are_linked, edge_named, kinds_of, only_links, without_links
from evalcore.values.errors import InputError

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
    assert only_links(graph) is graph and without_links(graph, []) is graph


EDGES = st.lists(st.tuples(*[st.sampled_from("abcdefgh")] * 2, st.sampled_from(["X", "Y isa"])), min_size=2)


@given(EDGES.filter(lambda rows: sum(a != b for a, b, _ in rows) > 1))
def test_a_graph_less_a_link_is_the_graph_built_without_it(rows) -> None:
    """The same links as if the rows had never been in the file, all arrays included."""
    child, parent, _ = next(row for row in rows if row[0] != row[1])
    less = without_links(built(rows), [(parent, child)])
    kept = [row for row in rows if {row[0], row[1]} != {child, parent} and row[0] != row[1]]
    loops = [(cui, cui, "") for cui in less.cuis]  # a self-loop keeps a concept, and is no link
    again = built([*kept, *loops])
    assert links_of(less) == links_of(again)
    for name in ("up_indptr", "up_indices", "down_indptr", "down_indices", "indptr", "indices"):
        assert getattr(less, name).tolist() == getattr(again, name).tolist(), name
    assert not are_linked(less, child, parent)


def test_what_is_no_link() -> None:
    with pytest.raises(InputError, match="The graph has no link between a and c"):
        without_links(built(ROWS), [("a", "b"), ("a", "c")])
    assert not are_linked(built(ROWS), "a", "unknown")


def test_links_by_name() -> None:
    graph = built([("HP-1", "HP-1-2", ""), ("HP", "1", "")])
    assert edge_named(graph, " HP-1-2-HP-1 ") == ("HP-1-2", "HP-1")
    assert edge_named(graph, "HP-1") == ("HP", "1")
    with pytest.raises(InputError, match="'1-2' names no link"):
        edge_named(graph, "1-2")
