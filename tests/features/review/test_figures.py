"""Measures against readers: where the marks are, which are grey, and what is said."""

from __future__ import annotations

from evalcore.features.review.figures import MeasureRow, measures_against_readers
from evalcore.figures.theme import LIGHT
from tests.features.review.figure_examples import interval


def drawn(*rows: MeasureRow, unit: str = "query"):
    return measures_against_readers(
        rows, statistic="tau", chance=0.5, readers="3 readers", unit=unit, theme=LIGHT
    )


def test_a_mark_on_its_interval_per_measure_and_what_a_click_carries():
    found = drawn(MeasureRow("A", "a", interval(0.6), None), MeasureRow("B", "b", interval(0.4), 0.01))
    first, second = found.figure.data
    assert list(first.x) == [0.5, 0.6, 0.7] and list(second.y) == [1, 1, 1]
    assert set(second.customdata) == {"b"}
    low, high = found.figure.layout.xaxis.range
    assert low < 0.3 and high > 0.7
    assert found.figure.layout.shapes[0].x0 == 0.5


def test_clearly_worse_is_grey_and_the_reference_open():
    rows = [
        MeasureRow("A", "a", interval(0.6), None),
        MeasureRow("B", "b", interval(0.5), 0.3),
        MeasureRow("C", "c", interval(0.1), 0.01),
    ]
    found = drawn(*rows)
    fills = [trace.marker.color for trace in found.figure.data]
    assert fills == [LIGHT.surface, LIGHT.accent, LIGHT.neutral]
    assert found.alt == (
        "tau, 3 measures against 3 readers: A highest with 0.600 (0.500 to 0.700); 1 clearly worse than the "
        "reference."
    )


def test_untested_marks_say_nothing_of_worse():
    found = drawn(MeasureRow("A", "a", interval(0.6), float("nan")), unit="vote")
    assert "worse" not in found.alt and "Grey" not in found.how_to_read.plain
    assert "n = 12 votes, 12 queries" in found.figure.layout.title.text
    assert "p " not in found.figure.data[0].hovertext[0]


def test_a_measure_without_a_value_keeps_its_row():
    found = drawn(
        MeasureRow("A", "a", interval(0.6), None), MeasureRow("B", "b", interval(float("nan")), float("nan"))
    )
    assert len(found.figure.data) == 1
    (said,) = (note.text for note in found.figure.layout.annotations if "no value" in note.text)
    assert "–" not in said  # the words say it
