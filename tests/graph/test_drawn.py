"""Paths as rows and as DOT."""

from __future__ import annotations

from evalcore.graph import build_graph
from evalcore.graph.drawn import PATH_COLUMNS, path_dot, path_rows

GRAPH = build_graph(["a", "b", "a", "c"], ["top", "top", "mid", "mid"], ["MESH", "X isa", "", ""])[0]
NAMES = {"a": 'Say "ah"', "top": "Top\\level"}


def test_one_row_per_link() -> None:
    rows = path_rows(GRAPH, [("a", "top", "b"), ("a", "mid")], NAMES)
    assert rows == [
        ("1", "1", "a", 'Say "ah"', "up", "top", "Top\\level", "MESH"),
        ("1", "2", "top", "Top\\level", "down", "b", "", "X isa"),
        ("2", "1", "a", 'Say "ah"', "up", "mid", "", ""),
    ]
    assert all(len(row) == len(PATH_COLUMNS) for row in rows)


def test_dot_points_from_child_to_parent_and_quotes_names() -> None:
    lines = path_dot(GRAPH, [("a", "top", "b"), ("b", "top")], NAMES).splitlines()
    assert lines[0] == "digraph path {" and lines[-1] == "}" and "  rankdir=BT;" in lines
    assert r'  "a" [label="Say \"ah\"\na", penwidth=2];' in lines
    assert r'  "top" [label="Top\\level\ntop", penwidth=2];' in lines
    assert [line for line in lines if "->" in line] == [
        '  "a" -> "top" [label="MESH"];',
        '  "b" -> "top" [label="X isa"];',
    ]
