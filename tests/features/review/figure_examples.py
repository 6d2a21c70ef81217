"""Examples of the figures of the page People, built by hand."""

from __future__ import annotations

from evalcore.features.review import figures as people
from evalcore.values.model import Interval


def interval(mean: float, half: float = 0.1) -> Interval:
    return Interval(
        mean, mean - half, mean + half, 0.95, "percentile bootstrap over queries", 12, 2000, 0, 12
    )


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example`` as for all figures."""
    rows = [
        people.MeasureRow(f"nn-iou{text}", "nn-iou", interval(0.6), None),
        people.MeasureRow(f"iou{text}", "iou", interval(0.5), 0.3),
        people.MeasureRow(f"hog{text}", "cosine:hog", interval(0.1), 0.001),
    ]
    nothing = [people.MeasureRow("iou", "iou", interval(float("nan")), None)]
    options = {"statistic": f"tau{text}", "chance": 0.0, "readers": f"3 readers{text}", "unit": "query"}
    draw = people.measures_against_readers
    return {"measures_against_readers": example(draw, rows, empty=[nothing], **options)}
