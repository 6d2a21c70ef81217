"""What the study holds: counts that are exactly those given."""

from __future__ import annotations

import numpy as np

from evalcore.figures.counts import concepts_per_image
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
