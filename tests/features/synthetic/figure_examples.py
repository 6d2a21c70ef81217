"""Examples of the figures on generated images, built by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evalcore.features.synthetic import figures as synthesis
from evalcore.features.synthetic.wsi import GroupScore, Presence

NAN = float("nan")
NONE = np.empty(0)


def scored(name, values, low, high):
    values = pd.Series(values, dtype=float)
    nothing = np.zeros((len(values), 0), bool)
    mean = float(values.mean())
    return GroupScore(name, values, Presence(nothing, nothing), mean, low, high, np.zeros(len(values)))


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    groups = [f"real{text}", f"fake{text}"]
    features = [f"red.mean{text}", f"red.std{text}", f"area{text}"]
    of = [
        scored(groups[0], [1.0, 0.9, 0.9, NAN], 0.9, 0.96),
        scored(groups[1], np.linspace(0, 1, 1500), 0.45, 0.55),
    ]
    bounds = np.array([[0.2, 10.0, 1.0], [0.6, 12.0, 1.0]])
    ends = np.array([[[0.18, NAN, 1.0], [0.22, NAN, 1.0]], [[0.55, NAN, 1.0], [0.66, NAN, 1.0]]])
    medians = pd.DataFrame([[0.4, 0.9], [NAN, -900.0], [1.0, 2.0]], columns=groups)
    shares = np.array([[0.9, 0.1], [0.95, NAN], [1.0, 0.0]])
    grid = pd.DataFrame([[0.5, 0.6], [0.7, NAN]], ["0", "2"], ["0", "1"])
    look = {"axes": ("alpha", "beta"), "group": groups[1], "what": "what the settings change"}
    return {
        "score_rows": example(
            lambda t: synthesis.score_rows(of, score="WSI", theme=t),
            lambda t: synthesis.score_rows([scored(groups[0], [NAN], NAN, NAN)], score="WSI", theme=t),
        ),
        "tolerance_rows": example(
            lambda t: synthesis.tolerance_rows(features, bounds, ends, medians, of="5% to 95%", theme=t),
            lambda t: synthesis.tolerance_rows(
                features[2:], bounds[:, 2:], ends[:, :, 2:], medians[2:], of="5% to 95%", theme=t
            ),
        ),
        "presence_map": example(
            lambda t: synthesis.presence_map(features, groups, shares, theme=t),
            lambda t: synthesis.presence_map(features, groups, np.full((3, 2), NAN), theme=t),
        ),
        "settings_map": example(
            lambda t: synthesis.settings_map(grid, now=("2", "0"), theme=t, **look),
            lambda t: synthesis.settings_map(grid * NAN, now=None, theme=t, **look),
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
        "distance_rows": example(
            lambda t: synthesis.distance_rows(
                groups, [0.5, 90.0], [0.4, 0.9], distance="KL divergence", theme=t
            ),
            lambda t: synthesis.distance_rows(groups, [NAN, NAN], [], distance="KL divergence", theme=t),
        ),
    }
