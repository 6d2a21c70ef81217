"""Examples of the figures of the page People, built by hand."""

from __future__ import annotations

import numpy as np

from evalcore.features.review import figures as people
from evalcore.features.review.diagnosis import figures as dx
from evalcore.features.review.statement import figures as statement
from evalcore.features.review.statement.flow import Flow, OfArm, OfReader
from evalcore.stats.mrmc.analysis import mrmc
from evalcore.stats.mrmc.readings import Readings
from evalcore.values.model import Interval


def interval(mean: float, half: float = 0.1) -> Interval:
    return Interval(
        mean, mean - half, mean + half, 0.95, "percentile bootstrap over queries", 12, 2000, 0, 12
    )


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    rows = [
        people.MeasureRow(f"nn-iou{text}", "nn-iou", interval(0.6), None),
        people.MeasureRow(f"iou{text}", "iou", interval(0.5), 0.3),
        people.MeasureRow(f"hog{text}", "cosine:hog", interval(0.1), 0.001),
    ]
    nothing = [people.MeasureRow("iou", "iou", interval(float("nan")), None)]
    planned = {"what": f"hog{text} minus texture", "design": f"two groups{text}", "target": 0.1}
    asked = {"statistic": f"tau{text}", "chance": 0.0, "readers": f"3 readers{text}", "unit": "query"}
    arms = [
        dx.ArmRow(f"Alone{text}", 0.56, 0.5, 0.62, {"r1": 0.5, "r2": 0.6}, 96),
        dx.ArmRow(f"with hog{text}", 0.71, float("nan"), float("nan"), {"r1": 0.7}, 48),
    ]
    unknown = [dx.ArmRow("Alone", float("nan"), float("nan"), float("nan"), {}, 0)]
    names = (f"hog{text}", f"texture{text}")
    ratings = np.array([[[0.25, 0.5, 0.75], [0.5, 0.5, 1.0]], [[0.0, 0.25, np.nan], [0.5, 0.25, 0.5]]])
    study = mrmc(Readings(names, (f"r1{text}", "r2"), ("q1", "q2", "q3"), ratings))
    of_readers = tuple(OfReader(f"r{n}{text}", 20, 19, 18, 2, 1, None, None, n == 2) for n in (1, 2))
    flow = Flow(of_readers, (OfArm(names[0], 6, 6, 0), OfArm(names[1], 6, 4, 1, 1)), (), 3)
    called = {"name": f"mean grade{text}", "systems": names}
    return {
        "flow_diagram": example(
            lambda t: statement.flow_diagram(flow, theme=t),
            lambda t: statement.flow_diagram(Flow((), (), ()), theme=t),
        ),
        "by_reader": example(
            lambda t: statement.by_reader(study, theme=t, **called),
            lambda t: statement.by_reader(None, theme=t, **called),
        ),
        "arms_and_readers": example(
            lambda t: dx.arms_and_readers(arms, readers=f"2 readers{text}", theme=t),
            lambda t: dx.arms_and_readers(unknown, readers="2 readers", theme=t),
        ),
        "measures_against_readers": example(
            lambda t: people.measures_against_readers(rows, theme=t, **asked),
            lambda t: people.measures_against_readers(nothing, theme=t, **asked),
        ),
        "interval_widths": example(
            lambda t: people.interval_widths(
                {3: [0.3, 0.2, 0.15], 10: [0.2, 0.1, 0.05]}, [10, 50, 200], theme=t, **planned
            ),
            lambda t: people.interval_widths({3: [float("nan")] * 2}, [10, 50], theme=t, **planned),
        ),
    }
