"""Paths: layers, arrows, and the same path in words."""

from __future__ import annotations

import pytest

from evalcore.figures.graph import layout_of, path_figure
from evalcore.figures.theme import LIGHT
from evalcore.graph import Step, build_graph, shortest_paths, steps

NAMES = {"C1": "Nodule", "C2": "Mass", "C3": "Cyst"}
UP_DOWN = (Step("C1", "C2", "up", "MESH"), Step("C2", "C3", "down", "UBERON isa"))
PATH = ("C1", "C2", "C3")


@pytest.mark.parametrize(
    ("directions", "places"),
    [
        ("", [(0, 0)]),
        ("u", [(0, 0), (0, 1)]),
        ("dd", [(0, 0), (0, -1), (0, -2)]),
        ("ud", [(0, 0), (0.5, 1), (1, 0)]),
        ("uudd", [(0, 0), (0, 1), (0.5, 2), (1, 1), (1, 0)]),
        ("udu", [(0, 0), (0.5, 1), (1.5, 0), (2, 1)]),
    ],
)
def test_layers(directions: str, places: list[tuple[float, int]]) -> None:
    path_steps = [Step("a", "b", "up" if d == "u" else "down", "") for d in directions]
    assert layout_of(path_steps) == places


def test_with_a_real_graph() -> None:
    graph, _ = build_graph(["C1", "C3"], ["C2", "C2"], ["MESH", "UBERON isa"])
    path = shortest_paths(graph, "C1", "C3").paths[0]
    drawn = path_figure(path, steps(graph, path), names=NAMES, theme=LIGHT)
    by_hand = path_figure(PATH, UP_DOWN, names=NAMES, theme=LIGHT)
    assert drawn.figure == by_hand.figure and drawn.alt == by_hand.alt
