"""What decides a score: settings, single features, whole channels. All are loops with one thing changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product
from math import nan

import numpy as np
import pandas as pd

from evalcore.features.synthetic.measure import NAMES, ImageSettings, measured
from evalcore.features.synthetic.wsi import (
    CHANNELS,
    UNIFORM,
    Presence,
    Weights,
    WsiConfig,
    binarise,
    channels_of,
    feature_weights,
    group_score,
    image_scores,
    matrix,
    mean_of,
    tolerance_bounds,
)
from evalcore.values.arrays import Bools, Floats
from evalcore.values.progress import Progress, silent

SIDES = (0.0, 0.25, 0.5, 1.0, 2.0)
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""As in Brooks & Deshpande 2025: tolerances of 5% to 50% of the value."""
ALPHA_BETA, LEVEL, SHARE, WEIGHTS, WITHOUT = "alpha, beta", "level", "share of the mean", "weights", "without"


def sensitivity(
    tables: Mapping[str, pd.DataFrame],
    *,
    weights: Weights = UNIFORM,
    config: WsiConfig = WsiConfig(),
    progress: Progress = silent,
) -> pd.DataFrame:
    """Mean score of each group under other settings: columns ``group``, ``what``, ``setting``, ``mean``.

    ``tables``: features by group, the archetypes first. What is set: alpha and beta together; the middle
    share of the archetypes that is tolerated (``level``) or a share of their mean; the weights; and each
    feature left out.
    """
    real, *_ = tables.values()
    names, chosen = real.columns, feature_weights(real.columns, weights)
    tails = {level: round((1 - level) / 2, 12) for level in LEVELS}
    kinds: dict[str, dict[str, tuple[WsiConfig, Floats]]] = {
        ALPHA_BETA: {
            f"{a:g}, {b:g}": (replace(config, alpha=a, beta=b), chosen) for a, b in product(SIDES, SIDES)
        },
        LEVEL: {
            f"{level:g}": (replace(config, quantiles=(tail, 1 - tail), within=None), chosen)
            for level, tail in tails.items()
        },
        SHARE: {f"{share:g}": (replace(config, within=share), chosen) for share in SHARES},
        WEIGHTS: {how: (config, feature_weights(names, how)) for how in (UNIFORM, CHANNELS)},
        WITHOUT: {name: (config, np.where(names == name, 0.0, chosen)) for name in names},
    }
    variants = [(what, name, *variant) for what, those in kinds.items() for name, variant in those.items()]
    rows = []
    for i, (what, setting, variant, by_feature) in enumerate(variants):
        progress(i / len(variants), what)
        bounds = tolerance_bounds(real, variant)
        reference = binarise(real, bounds)
        for group, table in tables.items():
            presence = reference if table is real else binarise(table, bounds)
            scores = image_scores(presence, reference, by_feature, variant, same=presence is reference)
            rows.append({"group": group, "what": what, "setting": setting, "mean": mean_of(scores)})
    progress(1, "")
    return pd.DataFrame(rows, columns=["group", "what", "setting", "mean"])


def channel_ablation(
    tables: Mapping[str, pd.DataFrame],
    black: Mapping[str, float],
    *,
    weights: Weights = UNIFORM,
    config: WsiConfig = WsiConfig(),
) -> pd.DataFrame:
    """Score the images of each group whole, without each channel, and without every two channels.

    ``tables``: features by group, the archetypes first. A removed channel has the features of a black one
    (``black``: by their name after the dot). Each row: ``group``; ``without``, the removed channels; ``n``,
    ``wsi``, ``low``, ``high``: the mean score of the images; ``predicted``: mean over the whole images with
    the features of removed channels counted as absent; ``ideal``: were everything within tolerance but those;
    ``detected``: share of these features that are out of tolerance, NaN without any.

    With the archetype that has every feature, equal weights and alpha = beta = 1, an image with k of m
    features, of which c belong to removed channels, goes from k/m to (k - c)/m: 2/3 and 1/3 where everything
    of three equal channels is within tolerance.
    """
    archetypes, *_ = tables.values()
    names, by_feature = archetypes.columns, feature_weights(archetypes.columns, weights)
    channels, bounds = channels_of(names), tolerance_bounds(archetypes, config)
    real, dark = binarise(archetypes, bounds), np.array([black[name.partition(".")[2]] for name in names])
    rows = []
    for group, images in [*tables.items()][1:]:
        whole = binarise(images, bounds)
        for removed in (some for n in range(3) for some in combinations(channels.unique(), n)):
            gone: Bools = np.asarray(channels.isin(removed))
            cut = binarise(pd.DataFrame(np.where(gone, dark, matrix(images)), images.index, names), bounds)
            best = Presence(~gone[None], np.ones((1, len(gone)), bool))
            ideal = image_scores(best, real, by_feature, replace(config, archetype="tolerance"))
            values = image_scores(cut, real, by_feature, config)
            score = group_score("", images.index, values, cut, values, config)
            without = Presence(whole.present & ~gone, whole.known | gone)
            rows.append(
                {
                    "group": group,
                    "without": removed,
                    "n": len(score.defined),
                    "wsi": score.mean,
                    "low": score.low,
                    "high": score.high,
                    "predicted": mean_of(image_scores(without, real, by_feature, config)),
                    "ideal": float(ideal[0]),
                    "detected": float(cut.absent[:, gone].mean()) if gone.any() else nan,
                }
            )
    return pd.DataFrame(rows)


def measured_ablation(
    tables: Mapping[str, pd.DataFrame],
    settings: ImageSettings,
    *,
    weights: Weights = UNIFORM,
    config: WsiConfig = WsiConfig(),
) -> pd.DataFrame | None:
    """The same of images measured by these settings; None where they have one channel."""
    real, *_ = tables.values()
    if len(channels_of(real.columns).unique()) < 2:
        return None
    black = dict(zip(NAMES, measured(np.zeros((64, 64)), settings)[0].tolist(), strict=True))
    return channel_ablation(tables, black, weights=weights, config=config)
