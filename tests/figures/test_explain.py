"""The match matrix and the parts of the score: every match once, the parts sum to the score."""

from __future__ import annotations

import pytest

from evalcore.figures.explain import (
    contribution_bars,
    match_matrix,
)
from evalcore.figures.explain.matches import matches_of
from evalcore.figures.theme import DARK, LIGHT
from evalcore.relevance.explain import Explanation

NAMES = {"C1": "Pneumonia", "C2": "Lower respiratory infection", "C3": "Plain x-ray"}


def test_a_match_from_both_sides_is_one(why) -> None:
    matches = matches_of(why)
    assert [(m.query, m.candidate, m.distance) for m in matches] == [
        ("C3", "C3", 0), ("C4", "C4", 0), ("C1", "C2", 1), ("C6", "C7", 2),
    ]  # fmt: skip
    assert [m.adds for m in matches] == pytest.approx([1 / 7, 1 / 7, 1 / 7, 0.5 / 7])


def test_matrix_places(why) -> None:
    fig = match_matrix(why, names=NAMES, theme=LIGHT).figure
    rings, dots = fig.data
    rows = ["Plain x-ray", "C4", "Pneumonia", "C6", f'<span style="color:{LIGHT.muted}">C5</span>']
    assert list(fig.layout.yaxis.ticktext) == rows
    columns = {note.x: note.text for note in fig.layout.annotations}
    assert [columns[x] for x in (0, 1, 3)] == ["Plain x-ray", "C4", "C7"] and len(columns) == 4
    assert columns[2].startswith("Lower respir") and columns[2].endswith("tion")
    assert list(zip(dots.x, dots.y, dots.text, strict=True)) == [
        (0, 0, "="), (1, 1, "="), (2, 2, "1"), (3, 3, "2"),
    ]  # fmt: skip
    assert list(zip(rings.x, rings.y, strict=True)) == [(0, 0), (1, 1)]
    assert [tuple(pair) for pair in dots.customdata][2] == ("C1", "C2")
    assert dots.marker.size[0] > dots.marker.size[2] > dots.marker.size[3]
    assert "1 step apart" in dots.hovertext[2] and "adds 0.143" in dots.hovertext[2]


def test_matrix_cuts_only_what_has_no_match() -> None:
    lone = tuple(f"Q{i:03d}" for i in range(60))
    many = Explanation("q", "c", ("C3",), 0.1, (), {"query": lone, "candidate": ()}, {"nn-iou": 0.1})
    fig = match_matrix(many, names={}, theme=DARK).figure
    assert len(fig.layout.yaxis.ticktext) == 24 and fig.layout.yaxis.ticktext[0] == "C3"
    assert "37 without a match not shown" in fig.layout.title.text


def test_parts_start_where_the_last_ended_and_sum_to_the_score(why) -> None:
    fig = contribution_bars(why, names=NAMES, theme=LIGHT).figure
    parts, total = fig.data
    for i in range(1, len(parts.x)):
        assert parts.base[i] == pytest.approx(parts.base[i - 1] + parts.x[i - 1], abs=1e-12)
    assert sum(parts.x) == pytest.approx(why.values["nn-iou"], abs=1e-12) == total.x[0]
    assert list(parts.marker.pattern.shape) == ["", "", "/", "/"]
    assert fig.layout.annotations[-1].text == "<b>0.500</b>"
    assert fig.layout.yaxis.ticktext[2].startswith("Pneumonia<br>")


def test_in_words(why) -> None:
    assert match_matrix(why, names=NAMES, theme=LIGHT).alt == (
        "Shared: Plain x-ray, C4; near each other: Pneumonia with Lower respiratory infection (1 step), "
        "C6 with C7 (2 steps)."
    )
    assert contribution_bars(why, names=NAMES, theme=LIGHT).alt == (
        "nn-iou 0.500 = Plain x-ray in both adds 0.143; C4 in both adds 0.143; Pneumonia near Lower "
        "respiratory infection (1 step) adds 0.143; C6 near C7 (2 steps) adds 0.0714."
    )


def test_nothing_matches_but_both_have_concepts() -> None:
    apart = Explanation("q", "c", (), 0.5, (), {"query": ("A",), "candidate": ("B",)}, {"nn-iou": 0.0})
    fig = match_matrix(apart, names={}, theme=LIGHT).figure
    assert len(fig.data[1].x) == 0 and len(fig.layout.annotations) == 1
    assert match_matrix(apart, names={}, theme=LIGHT).alt.startswith("No concept of the query matches")
    assert contribution_bars(apart, names={}, theme=LIGHT).alt == "No match adds to the score (nn-iou 0)."


def test_score_that_is_not_defined(why) -> None:
    lost = Explanation("q", "c", (), 0.5, (), {"query": (), "candidate": ()}, {})
    assert "nn-iou –" in contribution_bars(lost, names={}, theme=LIGHT).figure.layout.annotations[0].text
