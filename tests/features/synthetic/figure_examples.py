"""Examples of the figures on generated images, built by hand."""

from __future__ import annotations

import numpy as np

from evalcore.features.synthetic import figures as synthesis
from evalcore.features.synthetic.figures.scores import ScoredGroup, ToleranceRow

NAN = float("nan")
NONE = np.empty(0)


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    groups = [f"real{text}", f"fake{text}"]
    features = [f"red.mean{text}", f"red.std{text}", f"area{text}"]
    scored = [
        ScoredGroup(groups[0], np.array([1.0, 0.9, 0.9, NAN]), 0.9, 0.96),
        ScoredGroup(groups[1], np.linspace(0, 1, 1500), 0.45, 0.55),
    ]
    rows = [
        ToleranceRow(features[0], 0.2, 0.6, (0.18, 0.22), (0.55, 0.66), (0.4, 0.9)),
        ToleranceRow(features[1], 10.0, 12.0, (NAN, NAN), (NAN, NAN), (NAN, -900.0)),
        ToleranceRow(features[2], 1.0, 1.0, (1.0, 1.0), (1.0, 1.0), (1.0, 2.0)),
    ]
    shares = np.array([[0.9, 0.1], [0.95, NAN], [1.0, 0.0]])
    grid = np.array([[0.5, 0.6], [0.7, NAN]])
    square = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, NAN]])
    ids = [f"a{text}", f"b{text}", f"c{text}"]
    near = np.array([0.5, 1.0, NAN]), np.array([0.99, 0.7, 0.2])
    real = np.array([0.4, 0.6]), np.array([0.6, 0.8])
    own = np.array([True, False, True])
    return {
        "score_rows": example(
            lambda t: synthesis.score_rows(scored, score="WSI", theme=t),
            lambda t: synthesis.score_rows(
                [scored[0]._replace(values=np.array([NAN]))], score="WSI", theme=t
            ),
        ),
        "tolerance_rows": example(
            lambda t: synthesis.tolerance_rows(rows, groups, of="5% to 95%", theme=t),
            lambda t: synthesis.tolerance_rows(rows[2:], groups, of="5% to 95%", theme=t),
        ),
        "presence_map": example(
            lambda t: synthesis.presence_map(features, groups, shares, theme=t),
            lambda t: synthesis.presence_map(features, groups, np.full((3, 2), NAN), theme=t),
        ),
        "settings_map": example(
            lambda t: synthesis.settings_map(
                ["0", "1"], ["0", "2"], grid, axes=("alpha", "beta"), group=groups[1], now=(1, 0), theme=t
            ),
            lambda t: synthesis.settings_map(
                ["0"], ["0"], np.array([[NAN]]), axes=("a", "b"), group=groups[1], now=None, theme=t
            ),
        ),
        "dropped_bars": example(
            lambda t: synthesis.dropped_bars(features, np.array([0.1, -0.02, NAN]), group=groups[1], theme=t),
            lambda t: synthesis.dropped_bars(features[:1], np.array([NAN]), group=groups[1], theme=t),
        ),
        "pair_lines": example(
            lambda t: synthesis.pair_lines(
                np.linspace(0, 0.8, 40),
                np.linspace(0.4, 1, 30),
                names=(groups[0], groups[1]),
                of="WSI",
                theme=t,
            ),
            lambda t: synthesis.pair_lines(NONE, np.ones(3), names=(groups[0], groups[1]), of="WSI", theme=t),
        ),
        "nearest_cloud": example(
            lambda t: synthesis.nearest_cloud(ids, *near, training=real, group=groups[1], theme=t),
            lambda t: synthesis.nearest_cloud(
                ids, near[0], np.full(3, NAN), training=real, group=groups[1], theme=t
            ),
        ),
        "likeness_square": example(
            lambda t: synthesis.likeness_square(square, np.array([2, 0, 1]), own, of="WSI", theme=t),
            lambda t: synthesis.likeness_square(square[:2, :2], np.arange(2), own[:2], of="WSI", theme=t),
        ),
        "distance_rows": example(
            lambda t: synthesis.distance_rows(
                groups, [0.5, 90.0], [0.4, 0.9], distance="KL divergence", theme=t
            ),
            lambda t: synthesis.distance_rows(groups, [NAN, NAN], [], distance="KL divergence", theme=t),
        ),
    }
