"""Paths: layers, arrows, and the same path in words."""

from __future__ import annotations

import pytest

from evalcore.figures.graph import layout_of, path_figure
from evalcore.figures.theme import DARK, LIGHT
from evalcore.figures.words import path_sentence
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


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_boxes_and_arrows(theme) -> None:
    fig = path_figure(PATH, UP_DOWN, names=NAMES, theme=theme).figure
    boxes = [note for note in fig.layout.annotations if note.bordercolor]
    assert [(box.x, box.y) for box in boxes] == [(0, 0), (0.5, 1), (1, 0)]
    assert all(
        name in box.text and cui in box.text for box, (cui, name) in zip(boxes, NAMES.items(), strict=True)
    )
    assert [box.bordercolor for box in boxes] == [theme.accent, theme.muted, theme.accent]
    arrows = [note for note in fig.layout.annotations if note.showarrow]
    assert [(arrow.ax, arrow.x) for arrow in arrows] == [(0, 0.5), (0.5, 1)]
    assert arrows[0].ay < arrows[0].y < 1 and 0 < arrows[1].y < arrows[1].ay
    labels = [n.text for n in fig.layout.annotations if n.text and not n.bordercolor]
    assert [label.partition("<br>")[0] for label in labels] == ["is listed under", "lists"]
    assert "MeSH" in labels[0] and "Uberon" in labels[1]
    assert "2 steps apart" in fig.layout.title.text and "From Nodule to Cyst" in fig.layout.title.text


def test_technical_arrows_name_their_source() -> None:
    fig = path_figure(PATH, UP_DOWN, names=NAMES, theme=LIGHT, reading="technical").figure
    labels = [n.text for n in fig.layout.annotations if n.text and not n.bordercolor]
    assert labels[0].startswith("is_a<br>") and "MESH" in labels[0]
    assert labels[1].startswith("is_a⁻¹<br>") and "UBERON isa" in labels[1]


def test_brief_words_where_several_columns_share_the_width() -> None:
    path = ("C1", "C2", "C3", "C2")
    fig = path_figure(path, (*UP_DOWN, Step("C3", "C2", "up", "")), names=NAMES, theme=LIGHT).figure
    assert [n.text for n in fig.layout.annotations if n.text and not n.bordercolor] == [
        "under",
        "lists",
        "under",
    ]


def test_one_concept_alone() -> None:
    drawn = path_figure(("C1",), (), names=NAMES, theme=LIGHT)
    assert len(drawn.figure.layout.annotations) == 1
    assert drawn.alt == "The terminology links nothing to Nodule."


def test_sentences() -> None:
    assert path_sentence(PATH, UP_DOWN, names=NAMES) == (
        "2 steps apart: Nodule → Mass → Cyst. MeSH lists Nodule under Mass; Uberon lists Cyst under Mass."
    )
    unnamed, both = Step("C1", "C2", "up", ""), Step("C1", "C2", "up", "MESH; MONDO isa; MESH")
    assert "The terminology lists Nodule under" in path_sentence(PATH[:2], (unnamed,), names=NAMES)
    assert "MeSH and Mondo list Nodule under Mass." in path_sentence(PATH[:2], (both,), names=NAMES)
    part = Step("C2", "C1", "down", "My Source part_of")
    assert path_sentence(PATH[1::-1], (part,), names=NAMES) == (
        "1 step apart: Mass → Nodule. My Source lists Nodule as part of Mass."
    )
    assert path_sentence(PATH, UP_DOWN, names=NAMES, reading="technical", n_shortest=3) == (
        "2 steps apart: Nodule (C1) —is_a [MESH]→ Mass (C2) ←is_a [UBERON isa]— Cyst (C3). "
        "One of 3 equally short paths."
    )
    assert path_sentence(("C9",), (), names=NAMES) == "C9 is the same concept on both sides."


def test_with_a_real_graph() -> None:
    graph, _ = build_graph(["C1", "C3"], ["C2", "C2"], ["MESH", "UBERON isa"])
    path = shortest_paths(graph, "C1", "C3").paths[0]
    drawn = path_figure(path, steps(graph, path), names=NAMES, theme=LIGHT)
    by_hand = path_figure(PATH, UP_DOWN, names=NAMES, theme=LIGHT)
    assert drawn.figure == by_hand.figure and drawn.alt == by_hand.alt
