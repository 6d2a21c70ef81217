"""Channels taken away one by one: the score that is found, and the one that the whole images predict.

A removed channel is out of tolerance in each of its features; all other features are as they were. So with
the archetype that has every feature, equal weights and alpha = beta = 1, an image with k of m features, of
which c belong to the removed channels, goes from k/m to (k - c)/m. Where every feature of the whole images
is within tolerance, that is 2/3 for one channel of three and 1/3 for two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np

from evalcore.features.synthetic.ablation.substitute import substitute_features, substitute_images
from evalcore.features.synthetic.evaluation.means import mean_wsi
from evalcore.features.synthetic.evaluation.scores import distribution, group_values
from evalcore.features.synthetic.evaluation.settings import WsiSettings
from evalcore.features.synthetic.evaluation.tally import Tally, by_tolerance
from evalcore.features.synthetic.features import FeatureTable, table
from evalcore.features.synthetic.images.measured import COLOURS
from evalcore.features.synthetic.tolerance import tolerances
from evalcore.features.synthetic.tversky import Presence, all_present, presence
from evalcore.features.synthetic.weights import uniform
from evalcore.values.arrays import Floats

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
    *, n: int = N_IMAGES, seed: int = SEED, themselves: bool = False, settings: WsiSettings | None = None,
    weights: Floats | None = None,
) -> list[Step]:  # fmt: skip
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


def ablated(
    archetypes: FeatureTable, tables: Sequence[FeatureTable], without: Sequence[tuple[str, ...]], *,
    settings: WsiSettings, weights: Floats | None = None,
) -> list[Step]:  # fmt: skip
    """The same for measured features: ``tables[0]`` are the whole images, ``without[0]`` is ()."""
    bounds = tolerances(archetypes, quantiles=settings.quantiles)
    heavy = uniform(archetypes.names) if weights is None else weights
    first, *tallies = [by_tolerance(one, bounds, missing=settings.missing) for one in (archetypes, *tables)]
    channels = np.array(archetypes.channels)
    found = []
    for one, removed in zip(tallies, without, strict=True):
        gone = np.isin(channels, removed)
        spread = distribution(group_values(one, first, heavy, settings), settings)
        cut = presence(tallies[0].presence.present & ~gone, tallies[0].presence.known | gone)
        predicted = group_values(Tally(one.ids, one.names, cut, one.name), first, heavy, settings)
        absent = one.presence.known & ~one.presence.present
        found.append(Step(
            tuple(removed), spread.n, spread.mean, spread.low, spread.high,
            distribution(predicted, settings).mean, _ideal(gone, heavy, settings),
            float(absent[:, gone].mean()) if gone.any() else nan,
        ))  # fmt: skip
    return found


def _ideal(gone: np.ndarray, weights: Floats, settings: WsiSettings) -> float:
    """The score where everything is within tolerance but what was removed."""
    subject: Presence = presence(~gone[None])
    sides = [(settings.alpha, settings.beta)]
    found = mean_wsi(subject, all_present(len(gone)), weights, sides, undefined=settings.undefined)
    return float(found[0, 0])
