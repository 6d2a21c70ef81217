"""The map of queries: every query a column, groups of them where there are many, and what a click carries."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evalcore.figures.queries import COLUMNS, GROUPED, HOW_TO_READ, columns_of, query_map
from evalcore.figures.theme import LIGHT

SYSTEMS = tuple(f"system-{i}" for i in range(10))


def draw(n: int, m: int = 4, **more):
    values = np.random.default_rng(n).random((n, m))
    values[: n // 10] = np.nan
    hard = np.zeros(n, bool)
    hard[-n // 4 :] = True
    departs = np.zeros((n, m), bool)
    departs[-1, 1] = True
    given = {"hard": hard, "departs": departs, "metric": "P@10", "order": "hardest first", "theme": LIGHT}
    return values, query_map([f"q{i:05}" for i in range(n)], SYSTEMS[:m], values, **given, **more)


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
    hatched = next(trace for trace in drawn.figure.data if trace.type == "bar" and trace.marker.pattern.shape)
    assert set(np.asarray(hatched.x).tolist()) == set(range(6))
    assert drawn.how_to_read == HOW_TO_READ and "each column is one query" in drawn.figure.layout.title.text


def test_a_click_carries_query_and_system() -> None:
    _, drawn = draw(60)
    carried = [
        tuple(one)
        for trace in drawn.figure.data
        for one in (() if trace.customdata is None else trace.customdata)
    ]
    assert {query for query, _ in carried} == {f"q{i:05}" for i in range(60)}
    assert {system for _, system in carried} == {"", *SYSTEMS[:4]}


def test_departing_values_are_framed_where_they_stand() -> None:
    _, drawn = draw(60)
    (frame,) = [trace for trace in drawn.figure.data if trace.type == "scatter" and trace.mode == "lines"]
    x, y = (np.asarray(values, float)[:5] for values in (frame.x, frame.y))
    assert min(x) < 59 < max(x) and min(y) < 2 < max(y), "the last query, the second system"
    assert len(frame.x) == 6, "one frame"


@pytest.mark.parametrize("m", [4, 10])
def test_many_queries_are_drawn_as_means_of_neighbours_and_said_so(m: int) -> None:
    values, drawn = draw(9_927, m)
    cells = cells_of(drawn.figure)
    assert max(j for _, j in cells) == COLUMNS - 1
    begin = {
        int(x): int(one[0])
        for trace in drawn.figure.data
        if trace.customdata is not None
        for x, one in zip(trace.x, trace.customdata, strict=True)
    }
    starts = [begin[j] for j in range(COLUMNS)]
    for j, (start, end) in enumerate(zip(starts, [*starts[1:], len(values)], strict=False)):
        if (1, j) in cells:
            expected = np.nanmean(values[start:end], axis=0)
            assert [cells[i, j] for i in range(1, m + 1)] == pytest.approx(expected.tolist())
    assert "each column is the mean of neighbouring queries" in drawn.figure.layout.title.text.replace(
        "<br>", " "
    )
    assert drawn.how_to_read == GROUPED
    assert "9,927 queries" in drawn.alt and "992 without a value" in drawn.alt
    assert len(json.dumps(drawn.figure.to_plotly_json(), default=lambda one: one.tolist())) < 700_000


def test_as_many_columns_as_can_be_drawn() -> None:
    assert [columns_of(166, m) for m in (1, 8, 9, 40, 5_000)] == [166, 166, 100, 42, 1]
    assert [columns_of(n, 5) for n in (1, 200, 201)] == [1, 200, 100]


def test_a_part_of_the_order_says_which() -> None:
    _, drawn = draw(100, first=200, of=9_927)
    assert "queries 201 to 300 of 9,927" in drawn.figure.layout.title.text.replace("<br>", " ")


def test_no_colour_is_lost_where_all_values_are_equal() -> None:
    drawn = query_map(
        ["q"],
        SYSTEMS[:2],
        np.zeros((1, 2)),
        hard=np.array([True]),
        departs=np.zeros((1, 2), bool),
        metric="P@1",
        order="by id",
        theme=LIGHT,
    )
    cells = drawn.figure.data[0]
    assert (cells.zmin, cells.zmax) == (0, 1)
