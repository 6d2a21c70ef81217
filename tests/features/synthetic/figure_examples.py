"""Examples of the figures on generated images, built by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evalcore.features.synthetic import figures as synthesis
from evalcore.features.synthetic.wsi import GroupScore

NAN = float("nan")


def scored(name, values, low, high):
    values = pd.Series(values, dtype=float)
    nothing = np.zeros((len(values), 0), np.int8)
    return GroupScore(name, values, nothing, float(values.mean()), low, high)


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example`` as for all figures."""
    groups = [f"real{text}", f"fake{text}"]
    features = [f"red.mean{text}", f"red.std{text}", f"area{text}"]
    scores = [scored(groups[0], [1.0, 0.9, NAN], 0.9, 0.96), scored(groups[1], [0.0, 1.0], 0.45, 0.55)]
    nobody = [scored(groups[0], [NAN], NAN, NAN)]
    shares = pd.DataFrame([[0.9, 0.1], [0.95, NAN], [1.0, 0.0]], features, groups)
    changes = pd.DataFrame([[0.1, -0.02], [NAN, 0.0], [0.0, -0.3]], features, groups)
    means = pd.DataFrame([[0.5, 0.6], [0.7, NAN], [0.8, 0.9]], [0.0, 0.5, 1.0], groups)
    pairs = {groups[0]: np.linspace(0, 0.8, 40), groups[1]: np.linspace(0.4, 1, 30)}
    lines = {"what": f"alpha{text}", "now": 0.5}
    return {
        "score_rows": example(synthesis.score_rows, scores, empty=[nobody]),
        "presence_map": example(synthesis.presence_map, shares, empty=[shares * NAN]),
        "change_map": example(synthesis.change_map, changes, empty=[changes * NAN]),
        "setting_lines": example(synthesis.setting_lines, means, empty=[means * NAN], **lines),
        "pair_lines": example(synthesis.pair_lines, pairs, empty=[{groups[0]: np.empty(0)}]),
    }
