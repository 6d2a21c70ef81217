"""Does the index notice what is taken away? Images whose channels are removed one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np

from evalcore.features.synthetic.evaluation.scores import (
    Tally,
    WsiSettings,
    by_tolerance,
    distribution,
    group_values,
    mean_wsi,
)
from evalcore.features.synthetic.features import FeatureTable, table
from evalcore.features.synthetic.images import COLOURS, NAMES, ImageSettings, intensity, measured, objects
from evalcore.features.synthetic.tolerance import tolerances
from evalcore.features.synthetic.tversky import Presence, all_present, presence, uniform
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, SettingError

# Substitute images for the ablation: drawn objects in three channels, as in fluorescence microscopy.
#
# The images of the paper (CoBaLT, WonoST) are not defined in what is published of it. These are a
# substitute, not a copy: discs with soft edges, their number Poisson, radii log-normal, brightness normal,
# in every channel with parameters of its own, from one seed.

NAME = "substitute"
FEATURES = ("objects", "mean_radius", "mean")
"""What is measured of each channel: number of objects, their mean equivalent radius, mean intensity."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Objects of one channel: expected number, median radius in pixels, spread of its logarithm,
    brightness."""

    expected: float
    radius: float
    spread: float
    brightness: float
    varies: float


CHANNELS = (
    Channel(14, 5.0, 0.2, 0.75, 0.05),
    Channel(22, 3.5, 0.2, 0.65, 0.05),
    Channel(9, 7.0, 0.2, 0.85, 0.05),
)


def substitute_images(n: int, *, seed: int, side: int = 128, without: tuple[str, ...] = ()) -> Floats:
    """Images drawn with a seed, shape (n, side, side, 3), intensities of 8-bit images from 0 to 1.

    without: channels that are empty in all of them; what the others hold does not depend on it.
    """
    if unknown := [name for name in without if name not in COLOURS]:
        raise SettingError("without", f"some of {', '.join(COLOURS)}", unknown[0])
    rng = np.random.default_rng(seed)
    images = np.stack([[_drawn(channel, side, rng) for channel in CHANNELS] for _ in range(n)]).transpose(
        0, 2, 3, 1
    )
    images[..., [COLOURS.index(name) for name in without]] = 0
    return np.rint(images * 255) / 255


def _drawn(of: Channel, side: int, rng: np.random.Generator) -> Floats:
    """One channel: the brightest object at each pixel."""
    canvas = np.zeros((side, side))
    for _ in range(max(1, rng.poisson(of.expected))):
        radius = of.radius * np.exp(of.spread * rng.normal())
        row, column = rng.uniform(0, side, 2)
        brightness = np.clip(rng.normal(of.brightness, of.varies), 0.05, 1)
        rows, columns = (
            np.arange(max(0, int(at - radius - 1)), min(side, int(at + radius + 3))) for at in (row, column)
        )
        # Full brightness inside, an edge of one pixel.
        disc = np.clip(radius + 0.5 - np.hypot(rows[:, None] - row, columns - column), 0, 1)
        here = canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        np.maximum(here, brightness * disc, out=here)
    return canvas


def substitute_features(images: Floats, *, name: str = NAME) -> FeatureTable:
    """Nine features: those of ``FEATURES`` in every channel."""
    rows = []
    for image in images:
        row: list[float] = []
        for k in range(len(COLOURS)):
            result = objects(image[..., k]) | intensity(image[..., k])
            row += [result[feature] for feature in FEATURES]
        rows.append(row)
    names = [f"{channel}.{feature}" for channel in COLOURS for feature in FEATURES]
    ids = [f"{name}-{i:03d}" for i in range(len(rows))]
    return table(ids, names, np.array(rows).reshape(len(rows), len(names)), name=name)


# Channels taken away one by one: the score that is found, and the one that the whole images predict.
#
# A removed channel is out of tolerance in each of its features; all other features are as they were. So
# with the archetype that has every feature, equal weights and alpha = beta = 1, an image with k of m
# features, of which c belong to the removed channels, goes from k/m to (k - c)/m. Where every feature of
# the whole images is within tolerance, that is 2/3 for one channel of three and 1/3 for two.

N_IMAGES, SEED = 200, 0


@dataclass(frozen=True, slots=True)
class Step:
    """Some channels removed: mean score with its interval, the one predicted, and the one of ideal detection.

    predicted: mean over the same images, whole, with the features of the removed channels counted as absent.
    detected: share of the removed channels' features that are out of tolerance.
    """

    without: tuple[str, ...]
    n: int
    mean: float
    low: float
    high: float
    predicted: float
    ideal: float
    detected: float


def ablation(
    *,
    n: int = N_IMAGES,
    seed: int = SEED,
    themselves: bool = False,
    settings: WsiSettings | None = None,
    weights: Floats | None = None,
) -> list[Step]:
    """Substitute images with none, each, every two and all of their channels removed.

    The archetypes are drawn with ``seed``, the images that lose channels with ``seed + 1``, or they are the
    archetypes ``themselves``.
    """
    archetypes = substitute_features(substitute_images(n, seed=seed), name="archetypes")
    whole = archetypes if themselves else substitute_features(substitute_images(n, seed=seed + 1))
    steps = [chosen for size in range(len(COLOURS) + 1) for chosen in combinations(COLOURS, size)]
    tables = [without_channels(whole, removed) for removed in steps]
    return ablated(archetypes, tables, steps, settings=settings or WsiSettings(), weights=weights)


def without_channels(images: FeatureTable, removed: Sequence[str]) -> FeatureTable:
    """The features of the same images with channels emptied, which then have those of black."""
    black = substitute_features(np.zeros((1, 8, 8, len(COLOURS))))
    gone = np.isin(np.array(images.channels), removed)
    values = np.where(gone, black.values, images.values)
    return table(images.ids, images.names, values, name="-".join(("without", *removed)))


def own_ablation(
    archetypes: FeatureTable,
    images: FeatureTable,
    *,
    images_by: ImageSettings | None = None,
    settings: WsiSettings | None = None,
    weights: Floats | None = None,
) -> list[Step]:
    """The same of one's own images, whole, without each channel, and without every two.

    ``archetypes``, ``images``: measured alike (``images_by``), features of several channels. A removed
    channel has the features of a black one.

    Raises
    ------
    InputError
        The images have one channel only, or the features are not measured ones.
    """
    channels = list(dict.fromkeys(archetypes.channels))
    if len(channels) < 2:
        raise InputError(
            f"The images have one channel ({', '.join(channels)}), so none can be removed. Give images in "
            "colour."
        )
    if any(name.partition(".")[2] not in NAMES for name in images.names):
        raise InputError("Channels are removed from measured images; these are features of your own.")
    of_black = dict(zip(NAMES, measured(np.zeros((64, 64)), settings=images_by)[0].tolist(), strict=True))
    steps = [(), *((name,) for name in channels), *combinations(channels, 2)]
    tables = []
    for removed in steps:
        gone = np.isin(np.array(images.channels), removed)
        black = np.array([of_black[name.partition(".")[2]] for name in images.names])
        values = np.where(gone, black, images.values)
        tables.append(table(images.ids, images.names, values, name="-".join(("without", *removed))))
    return ablated(archetypes, tables, steps, settings=settings or WsiSettings(), weights=weights)


def ablated(
    archetypes: FeatureTable,
    tables: Sequence[FeatureTable],
    without: Sequence[tuple[str, ...]],
    *,
    settings: WsiSettings,
    weights: Floats | None = None,
) -> list[Step]:
    """The same for measured features: ``tables[0]`` are the whole images, ``without[0]`` is ()."""
    bounds = tolerances(archetypes, quantiles=settings.quantiles, within=settings.within)
    heavy = uniform(archetypes.names) if weights is None else weights
    first, *tallies = [by_tolerance(one, bounds, missing=settings.missing) for one in (archetypes, *tables)]
    channels = np.array(archetypes.channels)
    result = []
    for tally, removed in zip(tallies, without, strict=True):
        gone = np.isin(channels, removed)
        spread = distribution(group_values(tally, first, heavy, settings), settings)
        cut = presence(tallies[0].presence.present & ~gone, tallies[0].presence.known | gone)
        predicted = group_values(Tally(tally.ids, tally.names, cut, tally.name), first, heavy, settings)
        absent = tally.presence.known & ~tally.presence.present
        result.append(
            Step(
                tuple(removed),
                spread.n,
                spread.mean,
                spread.low,
                spread.high,
                distribution(predicted, settings).mean,
                _ideal(gone, heavy, settings),
                float(absent[:, gone].mean()) if gone.any() else nan,
            )
        )
    return result


def _ideal(gone: np.ndarray, weights: Floats, settings: WsiSettings) -> float:
    """The score where everything is within tolerance but what was removed."""
    subject: Presence = presence(~gone[None])
    sides = [(settings.alpha, settings.beta)]
    result = mean_wsi(subject, all_present(len(gone)), weights, sides, undefined=settings.undefined)
    return float(result[0, 0])
