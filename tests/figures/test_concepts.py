"""Figures of the concepts page: what is drawn where, what is left out, what a click carries."""

from __future__ import annotations

from evalcore.figures.graph import layout_of, path_figure, places_beside
from evalcore.figures.theme import LIGHT
from evalcore.graph import Step
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
