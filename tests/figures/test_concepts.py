"""Figures of the concepts page: what is drawn where, what is left out, what a click carries."""

from __future__ import annotations

import numpy as np

from evalcore.figures.counts import distance_bars
from evalcore.figures.graph import layout_of, path_figure, places_beside
from evalcore.figures.theme import LIGHT
from evalcore.graph import Step
from evalcore.graph.distances import DistanceCounts
from evalcore.graph.neighbourhood import Near

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


def test_every_box_can_be_selected() -> None:
    around = [near("x", "a", "up"), near("z", "b")]
    fig = path_figure(PATH, UP_DOWN, names={"x": "Ex"}, theme=LIGHT, around=around).figure
    (marks,) = fig.data
    assert list(marks.customdata) == ["a", "top", "b", "x", "z"] and marks.marker.opacity == 0
    assert {"↑ Ex", "↓ z"} <= {note.text for note in fig.layout.annotations}
    low, high = fig.layout.xaxis.range
    assert all(low < x < high for x in marks.x)
    assert any(str(note.text).startswith("has the part<br>") for note in fig.layout.annotations)


# --------------------------------------------------------------------------- distances


def test_bars_are_the_counts_and_neighbours_are_filled() -> None:
    counts = DistanceCounts(
        np.array([0, 3, 2, 5]), np.array([0, 30, 8, 1]), (4, 2), (6, 9), 7, 5, "undirected"
    )
    drawn = distance_bars(counts, weighted=False, theme=LIGHT, threshold=2)
    (steps,) = drawn.figure.data
    assert "50% connected, 20% without a path, 30% with a concept that is not in" in drawn.alt
    assert (list(steps.x), list(steps.y)) == ([1, 2, 3], [3, 2, 5])
    assert list(steps.marker.color) == [LIGHT.accent, LIGHT.accent, LIGHT.raised]
    (steps,) = distance_bars(counts, weighted=True, theme=LIGHT).figure.data
    assert list(steps.y) == [30, 8, 1]
