"""Examples of the figures of the measures page, built by hand."""

from __future__ import annotations

import numpy as np

from evalcore.figures import measures
from evalcore.figures.measures import Marked, Separated

PLACES = np.array([[1, 2], [2, 1], [3, 4], [4, 3]])
MEANS = np.array([[0.6, 0.5], [0.5, 0.7], [0.4, 0.1], [0.1, 0.2]])


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    labels, names = [f"iou{text}", f"nn-iou{text}"], tuple(f"{s}{text}" for s in ("a", "b", "c", "d"))
    matrix, void = np.array([[1.0, 0.8], [0.8, 1.0]]), np.full((2, 2), np.nan)
    x, y = np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.3, 0.5, 1.0])
    marked = [Marked(0.0, 0.3, f"q{text}\tc{text}", f"1: q{text} and c{text}")]
    rows = [
        Separated(labels[0], 2, 3, np.array([0.001, 0.01, 0.4])),
        Separated(labels[1], 3, 3, np.array([0.0005, 0.001, 0.02])),
    ]
    of = {"a": labels[0], "b": labels[1]}
    p = {"measures": labels, "floor": 1 / 10_001}
    rated = [
        measures.RatedRow(labels[0], False, 0.5, 0.3, 0.7, 107),
        measures.RatedRow(labels[1], True, 0.4, 0.2, 0.6, 90),
        measures.RatedRow(f"cs1{text}", False, np.nan, np.nan, np.nan, 107),
    ]
    return {
        "agreement_matrix": example(
            lambda t: measures.agreement_matrix(labels, matrix, matrix, of=f"pairs{text}", theme=t),
            lambda t: measures.agreement_matrix(labels, void, void, of="no pairs", theme=t),
        ),
        "measure_cloud": example(
            lambda t: measures.measure_cloud(
                x, y, theme=t, marked=marked, of=f"4 pairs{text}", rho=0.9, **of
            ),
            lambda t: measures.measure_cloud(x[:0], y[:0], theme=t, **of),
        ),
        "rank_slopes": example(
            lambda t: measures.rank_slopes(
                PLACES, MEANS, names=names, labels=labels, systems=names, theme=t, of="40 queries"
            ),
            lambda t: measures.rank_slopes(
                PLACES[:1], MEANS[:1], names=names[:1], labels=labels, systems=names, theme=t
            ),
        ),
        "rated_concepts": example(
            lambda t: measures.rated_concepts(rated, ratings=f"ratings{text}", level=0.95, theme=t),
            lambda t: measures.rated_concepts(rated[2:], ratings="r.csv", level=0.95, theme=t),
        ),
        "significance_curves": example(
            lambda t: measures.significance_curves(rows, theme=t, **p),
            lambda t: measures.significance_curves([], theme=t, **p),
        ),
    }
