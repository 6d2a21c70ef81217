"""What decides a score: settings, single features, whole channels. All are loops with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from math import nan

import numpy as np
import pandas as pd

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
    scored_images,
    tolerance_bounds,
)
from evalcore.values.arrays import Bools, Floats
from evalcore.values.progress import Progress, silent

SIDES = (0.0, 0.25, 0.5, 1.0, 2.0)
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""As in Brooks & Deshpande 2025: tolerances of 5% to 50% of the value."""
ALPHA_BETA, LEVEL, SHARE, WEIGHTS, WITHOUT = "alpha, beta", "level", "share of the mean", "weights", "without"


def _variants(
    names: pd.Index, weights: Floats, config: WsiConfig
) -> Iterator[tuple[str, str, Floats, WsiConfig]]:
    """What is set, to what, and the weights and the configuration with it."""
    for a, b in product(SIDES, SIDES):
        yield ALPHA_BETA, f"{a:g}, {b:g}", weights, replace(config, alpha=a, beta=b)
    for level in LEVELS:
        tail = round((1 - level) / 2, 12)
        yield LEVEL, f"{level:g}", weights, replace(config, quantiles=(tail, 1 - tail), within=None)
    for share in SHARES:
        yield SHARE, f"{share:g}", weights, replace(config, within=share)
    for how in (UNIFORM, CHANNELS):
        yield WEIGHTS, how, feature_weights(names, how), config
    for name in names:
        yield WITHOUT, name, np.where(names == name, 0.0, weights), config


def sensitivity(
    tables: Mapping[str, pd.DataFrame],
    *,
    weights: Weights = UNIFORM,
    config: WsiConfig = WsiConfig(),
    progress: Progress = silent,
) -> pd.DataFrame:
    """Mean score of each group (a column) under other settings: rows by ``what`` is set and the ``setting``.

    ``tables``: features by group, the archetypes first. What is set: alpha and beta together; the middle
    share of the archetypes that is tolerated (``level``) or a share of their mean; the weights; and each
    feature left out.
    """
    archetypes, *groups = tables.values()
    names, means = archetypes.columns, {}
    variants = list(_variants(names, feature_weights(names, weights), config))
    for i, (what, setting, by_feature, variant) in enumerate(variants):
        progress(i / len(variants), what)
        scored = scored_images(archetypes, groups, by_feature, variant)
        means[what, setting] = [mean_of(values) for _, values in scored]
    progress(1, "")
    index = pd.MultiIndex.from_tuples(means, names=("what", "setting"))
    return pd.DataFrame(list(means.values()), index, list(tables))


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
    ``wsi``, ``low``, ``high``: the mean score of the images; ``ideal``: were everything within tolerance but
    what is removed; ``detected``: share of the features of removed channels that are out of tolerance, NaN
    without any.

    With the archetype that has every feature, equal weights and alpha = beta = 1, an image with k of m
    features, of which c belong to removed channels, goes from k/m to (k - c)/m: 2/3 and 1/3 where everything
    of three equal channels is within tolerance.
    """
    archetypes, *_ = tables.values()
    names, by_feature = archetypes.columns, feature_weights(archetypes.columns, weights)
    channels, real = channels_of(names), binarise(archetypes, tolerance_bounds(archetypes, config))
    dark = np.array([black[name.partition(".")[2]] for name in names])
    rows = []
    for group, images in [*tables.items()][1:]:
        for removed in (some for n in range(3) for some in combinations(channels.unique(), n)):
            gone: Bools = np.asarray(channels.isin(removed))
            cut = pd.DataFrame(np.where(gone, dark, matrix(images)), images.index, names)
            _, scored = scored_images(archetypes, [cut], by_feature, config)
            score = group_score("", images.index, *scored, config)
            best = Presence(~gone[None], np.ones((1, len(gone)), bool))
            ideal = image_scores(best, real, by_feature, replace(config, archetype="tolerance"))
            rows.append(
                {
                    "group": group,
                    "without": removed,
                    "n": len(score.defined),
                    "wsi": score.mean,
                    "low": score.low,
                    "high": score.high,
                    "ideal": float(ideal[0]),
                    "detected": float(score.presence.absent[:, gone].mean()) if gone.any() else nan,
                }
            )
    return pd.DataFrame(rows)
