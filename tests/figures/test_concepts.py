"""Figures of the concepts page: what is drawn where, what is left out, what a click carries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from evalcore.figures.concepts import distance_bars, distance_map, neighbourhood_tree
from evalcore.figures.concepts.around import MOST, spots_of
from evalcore.figures.concepts.around import MOST_MAP as MOST_ROWS
from evalcore.figures.concepts.kinds import half_within
from evalcore.figures.concepts.routes import path_chain, route_places, routes_figure
from evalcore.figures.paths import layout_of, path_figure, places_beside
from evalcore.figures.theme import DARK, LIGHT
from evalcore.graph import Step
from evalcore.graph.distances import NO_PATH, NOT_IN_GRAPH, DistanceCounts
from evalcore.graph.neighbourhood import Near, Neighbourhood

UP_DOWN = (Step("a", "top", "up", "MESH"), Step("top", "b", "down", "X part_of"))
PATH = ("a", "top", "b")


def near(cui: str, via: str, way: str = "down", steps: int = 1, used: int = 0) -> Near:
    return Near(cui, via, way, steps, used)


# --------------------------------------------------------------------------- around a path


def test_neighbours_stand_outside_the_path_the_more_general_higher() -> None:
    around = [near("x", "a", "up"), near("y", "a"), near("z", "b"), near("u", "top", "up"), near("v", "top")]
    spots = {one.cui: spot for one, spot in places_beside(PATH, layout_of(UP_DOWN), around)}
    assert spots["x"][0] == spots["y"][0] < 0 and spots["x"][1] > 0 > spots["y"][1]
    assert spots["z"][0] > 1 and spots["z"][1] < 0
    assert spots["u"][1] > 1
    assert "v" not in spots  # it would stand between the two halves


def test_a_straight_path_has_neighbours_on_both_sides() -> None:
    steps = (Step("a", "b", "up", ""),)
    around = [near("x", "a"), near("y", "a"), near("z", "a")]
    spots = [spot for _, spot in places_beside(("a", "b"), layout_of(steps), around)]
    assert len(spots) == 2 and spots[0][0] < 0 < spots[1][0]


def test_every_box_can_be_selected() -> None:
    around = [near("x", "a", "up"), near("z", "b")]
    fig = path_figure(PATH, UP_DOWN, names={"x": "Ex"}, theme=LIGHT, around=around).figure
    (marks,) = fig.data
    assert list(marks.customdata) == ["a", "top", "b", "x", "z"] and marks.marker.opacity == 0
    assert {"↑ Ex", "↓ z"} <= {note.text for note in fig.layout.annotations}
    low, high = fig.layout.xaxis.range
    assert all(low < x < high for x in marks.x)
    assert any(str(note.text).startswith("has the part<br>") for note in fig.layout.annotations)


def test_chains() -> None:
    names = {"a": "Nodule", "top": "Mass", "b": "Cyst"}
    assert path_chain(PATH, UP_DOWN, names=names) == (
        "Nodule ↑ is listed under Mass [MESH] ↓ has the part Cyst [X part_of]"
    )
    assert path_chain(PATH, UP_DOWN, names=names, reading="technical") == (
        "Nodule (a) —is_a [MESH]→ Mass (top) ←is_a [X part_of]— Cyst (b)"
    )


def test_equally_short_paths_share_what_they_share() -> None:
    paths = [("a", "b", "c", "z"), ("a", "b", "d", "z"), ("a", "e", "d", "z")]
    places = route_places(paths)
    assert {cui: x for cui, (x, _) in places.items()} == {"a": 0, "b": 1, "e": 1, "c": 2, "d": 2, "z": 3}
    assert places["a"][1] == places["z"][1] == pytest.approx(0)
    assert places["b"][1] - places["e"][1] == pytest.approx(1), "the first path stands on top"
    assert places["c"][1] - places["d"][1] == pytest.approx(1)
    along = [[Step(*pair, "up", "") for pair in pairwise(path)] for path in paths]
    drawn = routes_figure(paths, along, names={"z": "End"}, theme=DARK)
    fig = drawn.figure
    assert sorted(fig.data[0].customdata) == ["a", "b", "c", "d", "e", "z"]
    assert sum(note.text == "↑" for note in fig.layout.annotations) == 7  # a-b and d-z are in two paths each
    assert "3 paths, 3 steps each" in fig.layout.title.text
    assert drawn.alt == "3 paths from a to End, 3 steps each, over b, c; b, d; e, d."


# --------------------------------------------------------------------------- around a concept


def test_a_tree_never_crosses_and_a_name_follows_what_leads_to_it() -> None:
    found = (
        near("p", "c", "up", used=1),
        near("k", "c", used=3),
        near("q", "p", "up", 2),
        near("r", "p", used=2, steps=2),
    )
    spots = spots_of(Neighbourhood("c", 2, found, (2, 2), (2, 1)), 5)
    assert [(s.cui, s.column, s.row) for s in spots] == [
        ("c", 0, 1.25),
        ("p", 1, 0.5),
        ("q", 2, 0),
        ("r", 2, 1),
        ("k", 1, 2),
    ]


def test_the_most_used_are_drawn_with_what_leads_to_them() -> None:
    ring = [near(f"n{k:02d}", "c", used=k // 2) for k in range(60)]
    far = near("far", "n00", "up", 2, used=99)
    around = Neighbourhood("c", 2, (*ring, far), (60, 1), (58, 1))
    drawn = {spot.cui for spot in spots_of(around, 1)}
    assert len(drawn) == MOST and {"c", "far", "n00", "n59"} <= drawn and "n01" not in drawn
    fig = neighbourhood_tree(around, used=1, names={}, theme=DARK).figure
    assert "22 more concepts not drawn" in fig.layout.title.text
    (marks,) = fig.data
    fills = dict(zip(marks.customdata, marks.marker.color, strict=True))
    assert fills["far"] == DARK.accent and fills["n00"] == DARK.surface
    assert max(marks.marker.size) == dict(zip(marks.customdata, marks.marker.size, strict=True))["far"]


# --------------------------------------------------------------------------- distances


def test_half_of_the_connected_pairs() -> None:
    """2 + 3 of 10 pairs lie within 2 steps: exactly half; with one pair more it takes 3."""
    assert half_within(np.array([0, 2, 3, 5])) == 2
    assert half_within(np.array([0, 2, 3, 6])) == 3


def test_bars_are_the_counts_and_neighbours_are_filled() -> None:
    counts = DistanceCounts(
        np.array([0, 3, 2, 5]), np.array([0, 30, 8, 1]), (4, 2), (6, 9), 7, 5, "undirected"
    )
    *_, part, steps = distance_bars(counts, weighted=False, theme=LIGHT, threshold=2).figure.data
    assert list(part.x) == pytest.approx([10 / 20, 4 / 20, 6 / 20])
    assert (list(steps.x), list(steps.y)) == ([1, 2, 3], [3, 2, 5])
    assert list(steps.marker.color) == [LIGHT.accent, LIGHT.accent, LIGHT.raised]
    *_, steps = distance_bars(counts, weighted=True, theme=LIGHT).figure.data
    assert list(steps.y) == [30, 8, 1]


def test_nearest_concepts_come_first_and_a_click_carries_both() -> None:
    table = np.array([[NO_PATH, 3], [0, NOT_IN_GRAPH]], np.uint8)
    drawn = distance_map(table, ["a", "b"], ["b", "c"], titles=("i", "j"), names={}, theme=LIGHT)
    heat, marks = drawn.figure.data
    assert [list(pair) for pair in marks.customdata] == [["b", "b"], ["b", "c"], ["a", "b"], ["a", "c"]]
    assert np.array(heat.z).tolist() == [[0, 7], [7, 3]]
    assert [note.text for note in drawn.figure.layout.annotations][:4] == ["<b>=</b>", "?", "–", "3"]
    assert drawn.alt == "2 concepts by 2 concepts, 1 shared; nearest: a and c (3 steps)."


def test_of_many_concepts_the_farthest_are_left_out() -> None:
    n = MOST_ROWS + 6
    table = np.arange(n * 2, dtype=np.uint8).reshape(n, 2) + 1
    rows = [f"n{k:02d}" for k in range(n)]
    fig = distance_map(table, rows, ["x", "y"], titles=("i", "j"), names={}, theme=LIGHT).figure
    assert "6 concepts left out" in fig.layout.title.text.replace("<br>", " ")
    assert {pair[0] for pair in fig.data[1].customdata} == set(rows[:MOST_ROWS])
