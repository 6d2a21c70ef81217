"""What decides a score: settings, single features, whole channels. All are loops over `evaluate` with one
thing changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import nan

import numpy as np
import pandas as pd

from evalcore.features.synthetic.measure import COLOURS, NAMES, ImageSettings, intensity, measured, objects
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
    tolerance_bounds,
)
from evalcore.values.arrays import Bools, Floats
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

SIDES = (0.0, 0.25, 0.5, 1.0, 2.0)
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""As in Brooks & Deshpande 2025: tolerances of 5% to 50% of the value."""
ALPHA_BETA, LEVEL, SHARE, WEIGHTS, WITHOUT = "alpha, beta", "level", "share of the mean", "weights", "without"


def sensitivity(
    archetypes: pd.DataFrame,
    groups: Mapping[str, pd.DataFrame],
    *,
    name: str = "archetypes",
    weights: Weights = UNIFORM,
    config: WsiConfig | None = None,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Mean score of each group, the archetypes first, under other settings: columns ``group``, ``what``,
    ``setting``, ``mean``.

    What is set: alpha and beta together; the middle share of the archetypes that is tolerated (``level``)
    or a share of their mean, unless tolerances are given; the weights; and each feature left out.
    """
    config, names = config or WsiConfig(), archetypes.columns
    heavy = feature_weights(names, weights)
    variants = [
        (ALPHA_BETA, f"{alpha:g}, {beta:g}", replace(config, alpha=alpha, beta=beta), heavy)
        for alpha, beta in product(SIDES, SIDES)
    ]
    if config.bounds is None:
        for level in LEVELS:
            tail = round((1 - level) / 2, 12)
            variants.append(
                (LEVEL, f"{level:g}", replace(config, quantiles=(tail, 1 - tail), within=None), heavy)
            )
        variants += [(SHARE, f"{share:g}", replace(config, within=share), heavy) for share in SHARES]
    variants += [(WEIGHTS, how, config, feature_weights(names, how)) for how in (UNIFORM, CHANNELS)]
    variants += [(WITHOUT, feature, config, np.where(names == feature, 0.0, heavy)) for feature in names]
    tables = {name: archetypes, **groups}
    of_tolerance: dict[object, list[Presence]] = {}
    rows = []
    for i, (what, setting, variant, weighed) in enumerate(variants):
        progress(i / len(variants), what)
        key = variant.quantiles, variant.within
        if key not in of_tolerance:
            bounds = tolerance_bounds(archetypes, variant)
            of_tolerance[key] = [binarise(table, bounds, variant) for table in tables.values()]
        real, *_ = presences = of_tolerance[key]
        for group, presence in zip(tables, presences, strict=True):
            scores = image_scores(presence, real, weighed, variant, same=presence is real)
            mean = scores[~np.isnan(scores)].mean() if np.isfinite(scores).any() else nan
            rows.append({"group": group, "what": what, "setting": setting, "mean": float(mean)})
    progress(1, "")
    return pd.DataFrame(rows, columns=["group", "what", "setting", "mean"])


# Channels taken away: the score that is found, and the one that the whole images predict.


@dataclass(frozen=True, slots=True)
class Step:
    """Images without some channels: their mean score with its interval, the predicted and the ideal one.

    predicted: mean over the whole images with the features of removed channels counted as absent. ideal:
    were everything within tolerance but those. detected: share of the removed channels' features that are
    out of tolerance, NaN without any.
    """

    without: tuple[str, ...]
    n: int
    mean: float
    low: float
    high: float
    predicted: float
    ideal: float
    detected: float


def channel_ablation(
    archetypes: pd.DataFrame,
    images: pd.DataFrame,
    black: Mapping[str, float],
    *,
    weights: Weights = UNIFORM,
    config: WsiConfig | None = None,
    most: int = 2,
) -> list[Step]:
    """Score images whole, without each channel, and without every two channels (``most``).

    A removed channel has the features of a black one, by their name after the dot. With the archetype that
    has every feature, equal weights and alpha = beta = 1, an image with k of m features, of which c belong
    to removed channels, goes from k/m to (k - c)/m: 2/3 and 1/3 where everything of three equal channels is
    within tolerance.
    """
    config, names = config or WsiConfig(), archetypes.columns
    heavy, channels = feature_weights(names, weights), channels_of(names)
    bounds = tolerance_bounds(archetypes, config)
    real, whole = binarise(archetypes, bounds, config), binarise(images, bounds, config)
    dark = np.array([black[name.partition(".")[2]] for name in names])
    steps = []
    for removed in (some for n in range(most + 1) for some in combinations(channels.unique(), n)):
        gone: Bools = np.asarray(channels.isin(removed))
        cut = binarise(
            pd.DataFrame(np.where(gone, dark, matrix(images)), images.index, names), bounds, config
        )
        ideal = image_scores(
            Presence(~gone[None], np.ones_like(gone[None])),
            real,
            heavy,
            replace(config, archetype="tolerance"),
        )
        both = []
        for presence in (cut, Presence(whole.present & ~gone, whole.known | gone)):
            values = image_scores(presence, real, heavy, config)
            both.append(group_score("", images.index, values, presence, values, config))
        found, predicted = both
        detected = float(cut.absent[:, gone].mean()) if gone.any() else nan
        steps.append(
            Step(
                removed,
                len(found.defined),
                found.mean,
                found.low,
                found.high,
                predicted.mean,
                float(ideal[0]),
                detected,
            )
        )
    return steps


def measured_ablation(
    archetypes: pd.DataFrame,
    images: pd.DataFrame,
    *,
    settings: ImageSettings | None = None,
    weights: Weights = UNIFORM,
    config: WsiConfig | None = None,
) -> list[Step]:
    """The same of images measured by these settings.

    Raises InputError when they have one channel only, or features that were not measured here.
    """
    channels = channels_of(archetypes.columns).unique()
    if len(channels) < 2:
        raise InputError(
            f"The images have one channel ({', '.join(channels)}), so none can be removed. "
            "Give images in colour."
        )
    if any(name.partition(".")[2] not in NAMES for name in images.columns):
        raise InputError("Channels are removed from measured images; these are features of your own.")
    black = dict(zip(NAMES, measured(np.zeros((64, 64)), settings=settings)[0].tolist(), strict=True))
    return channel_ablation(archetypes, images, black, weights=weights, config=config)


# Substitute images: drawn objects in three channels, as in fluorescence microscopy.
#  The images of the paper (CoBaLT, WonoST) are not defined in what is published of it. These are a
# substitute, not a copy: discs with soft edges, their number Poisson, radii log-normal, brightness normal,
# in every channel with parameters of its own, from one seed.

OBJECTS = ((14, 5.0, 0.75), (22, 3.5, 0.65), (9, 7.0, 0.85))
"""Of each channel: expected number of objects, their median radius in pixels, brightness."""
_SPREAD, _VARIES = 0.2, 0.05
MEASURED = ("objects", "mean_radius", "mean")
"""What is measured of each channel: number of objects, their mean equivalent radius, mean intensity."""


def substitute_images(n: int, *, seed: int, side: int = 128) -> Floats:
    """Images drawn with a seed, shape (n, side, side, 3), intensities of 8-bit images from 0 to 1."""
    rng = np.random.default_rng(seed)
    images = [[_drawn_channel(*parameters, side, rng) for parameters in OBJECTS] for _ in range(n)]
    return np.rint(np.stack(images).transpose(0, 2, 3, 1) * 255) / 255


def _drawn_channel(
    expected: float, median: float, brightness: float, side: int, rng: np.random.Generator
) -> Floats:
    """One channel: the brightest object at each pixel."""
    canvas = np.zeros((side, side))
    for _ in range(max(1, rng.poisson(expected))):
        radius = median * np.exp(_SPREAD * rng.normal())
        row, column = rng.uniform(0, side, 2)
        level = np.clip(rng.normal(brightness, _VARIES), 0.05, 1)
        rows, columns = (
            np.arange(max(0, int(at - radius - 1)), min(side, int(at + radius + 3))) for at in (row, column)
        )
        # Full brightness inside, an edge of one pixel.
        disc = np.clip(radius + 0.5 - np.hypot(rows[:, None] - row, columns - column), 0, 1)
        here = canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        np.maximum(here, level * disc, out=here)
    return canvas


def substitute_features(images: Floats) -> pd.DataFrame:
    """Nine features: those of ``MEASURED`` in every channel."""
    rows = []
    for image in images:
        channels = [objects(image[..., k]) | intensity(image[..., k]) for k in range(len(COLOURS))]
        rows.append([channel[name] for channel in channels for name in MEASURED])
    return pd.DataFrame(rows, columns=[f"{channel}.{name}" for channel in COLOURS for name in MEASURED])


def substitute_ablation(
    n: int = 200, *, seed: int = 0, themselves: bool = False, config: WsiConfig | None = None
) -> list[Step]:
    """Substitute images with none, each, every two and all of their channels removed.

    The archetypes are drawn with ``seed``, the images that lose channels with ``seed + 1``, or they are the
    archetypes ``themselves``.
    """
    archetypes = substitute_features(substitute_images(n, seed=seed))
    images = archetypes if themselves else substitute_features(substitute_images(n, seed=seed + 1))
    black = substitute_features(np.zeros((1, 8, 8, len(COLOURS)))).iloc[0, : len(MEASURED)]
    return channel_ablation(
        archetypes, images, dict(zip(MEASURED, black, strict=True)), config=config, most=len(COLOURS)
    )
