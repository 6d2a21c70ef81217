"""Parts of several figures: ranges of axes and counts in words, by hand."""

from __future__ import annotations

from math import nan

import pytest

from evalcore.figures.marks import how_many, n_of, reach
from evalcore.figures.theme import ink_on, scale_of


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 3.0], [0.8, 3.2]),
        ([3.0, nan, 1.0], [0.8, 3.2]),
        ([2.0, 2.0], [1.5, 2.5]),
        ([nan], [-0.1, 1.1]),
        ([], [-0.1, 1.1]),
    ],
)
def test_an_axis_holds_what_is_finite_with_some_air(values: list[float], expected: list[float]) -> None:
    assert reach(values, air=0.1, least=0.5) == pytest.approx(expected)


def test_counts_in_words() -> None:
    assert n_of([1]) == "n = 1 query" and n_of([300, 300]) == "n = 300 queries"
    assert how_many([1200, 3], "pair") == "3 to 1,200 pairs"


def test_text_on_a_fill_is_dark_on_light_and_light_on_dark() -> None:
    assert ink_on("#FEE838") == "#10161C" and ink_on("#00224E") == "#FFFFFF"
    assert scale_of("#000000", "#808080", "#FFFFFF") == [[0, "#000000"], [0.5, "#808080"], [1, "#FFFFFF"]]
