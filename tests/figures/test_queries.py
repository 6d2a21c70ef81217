"""The map of queries: every query a column, groups of them where there are many, and what a click carries."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from evalcore.figures.queries import COLUMNS, GROUPED, HOW_TO_READ, query_map
from evalcore.figures.theme import LIGHT

SYSTEMS = tuple(f"system-{i}" for i in range(10))


def draw(n: int, m: int = 4, **more):
    values = np.random.default_rng(n).random((n, m))
    values[: n // 10] = np.nan
    hard = np.zeros(n, bool)
    hard[-n // 4 :] = True
    options = {"hard": hard, "metric": "P@10", "order": "hardest first", "theme": LIGHT}
    return values, query_map([f"q{i:05}" for i in range(n)], SYSTEMS[:m], values, **options, **more)


def cells_of(figure) -> dict[tuple[int, int], float]:
    """{(row, column): value} of the cells with a value."""
    (cells,) = [trace for trace in figure.data if trace.type == "heatmap"]
    return {place: value for place, value in np.ndenumerate(cells.z) if np.isfinite(value)}


def test_every_query_is_a_column_with_its_values() -> None:
    values, drawn = draw(60)
    cells = cells_of(drawn.figure)
    for j, row in enumerate(values):
        if np.isnan(row).any():
            assert not any((i, j) in cells for i in range(5))
        else:
            assert [cells[i, j] for i in range(1, 5)] == row.tolist()
            assert cells[0, j] == pytest.approx(row.mean())
    assert drawn.how_to_read == HOW_TO_READ and "each column is one query" in drawn.figure.layout.title.text


@pytest.mark.parametrize("m", [4, 10])
def test_many_queries_are_drawn_as_means_of_neighbours_and_said_so(m: int) -> None:
    values, drawn = draw(9_927, m)
    cells = cells_of(drawn.figure)
    assert max(j for _, j in cells) == COLUMNS - 1
    ends = np.linspace(0, len(values), COLUMNS + 1).round().astype(int).tolist()
    for j, (start, end) in enumerate(pairwise(ends)):
        if (1, j) in cells:
            expected = np.nanmean(values[start:end], axis=0)
            assert [cells[i, j] for i in range(1, m + 1)] == pytest.approx(expected.tolist())
    assert "each column is the mean of neighbouring queries" in drawn.figure.layout.title.text.replace(
        "<br>", " "
    )
    assert drawn.how_to_read == GROUPED
    assert "9,927 queries" in drawn.alt and "992 without a value" in drawn.alt
    assert len(json.dumps(drawn.figure.to_plotly_json(), default=lambda array: array.tolist())) < 700_000
