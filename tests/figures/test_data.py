"""What the study holds: counts that are exactly those given."""

from __future__ import annotations

import numpy as np

from evalcore.figures.counts import LAST_BAR, Coverage, concepts_per_image, coverage_bars, unknown_concepts
from evalcore.figures.theme import LIGHT


def test_concepts_per_image() -> None:
    sizes, known = np.array([0, 1, 1, 3, 0, 0]), np.array([True] * 4 + [False] * 2)
    fig = concepts_per_image(sizes, known, theme=LIGHT).figure
    assert list(fig.data[0].x) == [0, 1, 2, 3] and list(fig.data[0].y) == [1, 2, 0, 1]
    assert "n = 4 annotated images · 2 not annotated" in fig.layout.title.text
    assert fig.layout.annotations[0].text == "median 1" and fig.layout.shapes[0].x0 == 1
    assert concepts_per_image(sizes, known, theme=LIGHT).alt == (
        "4 annotated images with 0 to 3 concepts, median 1; 1 annotated with nothing, 2 not annotated."
    )


def test_long_tails_share_the_last_bar() -> None:
    sizes = np.array([1, LAST_BAR, 80, 200])
    fig = concepts_per_image(sizes, np.ones(4, bool), theme=LIGHT).figure
    assert len(fig.data[0].x) == LAST_BAR + 1 and fig.data[0].y[-1] == 3
    assert fig.data[0].hovertext[-1] == f"3 images with {LAST_BAR} or more concepts"
    assert fig.layout.xaxis.ticktext[-1] == f"{LAST_BAR}+"


def test_coverage() -> None:
    rows = [Coverage("Captions", 5, 5), Coverage("Labels", 1, 4), Coverage("Nothing to count", 0, 0)]
    fig = coverage_bars(rows, theme=LIGHT).figure
    assert list(fig.data[1].x) == [1.0, 0.25] and list(fig.layout.yaxis.ticktext) == ["Captions", "Labels"]
    assert "<b>25%</b>" in fig.layout.annotations[1].text and "1 of 4" in fig.layout.annotations[1].text
    assert coverage_bars(rows, theme=LIGHT).alt == "Captions: 5 of 5; Labels: 1 of 4."


def test_unknown_concepts() -> None:
    counts = {"C3": 2, "C1": 9, "C2": 2, "C4": 1}
    fig = unknown_concepts(counts, names={"C1": "Heart"}, theme=LIGHT, top=3).figure
    assert list(fig.data[0].customdata) == ["C1", "C2", "C3"] and list(fig.data[0].x) == [9, 2, 2]
    assert list(fig.layout.yaxis.ticktext) == ["Heart", "C2", "C3"]
    assert "4 concepts by number of images · 1 rarer not shown" in fig.layout.title.text
    assert unknown_concepts(counts, names={"C1": "Heart"}, theme=LIGHT).alt == (
        "4 concepts not in the graph; most frequent in images: Heart (9), C2 (2), C3 (2)."
    )
