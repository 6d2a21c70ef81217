"""What real images score that the tolerances were not taken from: the yardstick of every group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalcore.features.synthetic.evaluation.scores import (
    GroupScores,
    both_lack,
    distribution,
    group_values,
    shares,
)
from evalcore.features.synthetic.evaluation.settings import WsiSettings
from evalcore.features.synthetic.evaluation.tally import Tally, by_tolerance
from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import tolerances
from evalcore.features.synthetic.tversky import Presence
from evalcore.values.arrays import Floats, frozen

FOLDS = 5
FEWEST = 2 * FOLDS
"""Archetype images below which none is held out."""


def held_out(archetypes: FeatureTable, weights: Floats, settings: WsiSettings) -> GroupScores | None:
    """The archetype images, each scored by the tolerances of others.

    ``FOLDS`` parts, drawn with the seed: the images of a part are held against tolerances of, and with
    ``archetype="each"`` against the images of, all other parts. So no image decides with others whether its
    own features are present, as the images of a generator are not. The same order as the archetypes. None
    with fewer than ``FEWEST`` images.
    """
    n = len(archetypes)
    if n < FEWEST:
        return None
    part = np.random.default_rng((settings.seed, 5)).permutation(n) % FOLDS
    values, lack = np.full(n, np.nan), np.full(n, np.nan)
    present, known = np.zeros(archetypes.values.shape, bool), np.zeros(archetypes.values.shape, bool)
    for fold in range(FOLDS):
        out = part == fold
        own, others = archetypes.rows(out), archetypes.rows(~out)
        bounds = tolerances(others, quantiles=settings.quantiles)
        held, rest = (by_tolerance(one, bounds, missing=settings.missing) for one in (own, others))
        values[out] = group_values(held, rest, weights, settings)
        lack[out] = both_lack(held.presence, rest.presence, same=False)
        present[out], known[out] = held.presence.present, held.presence.known
    tally = Tally(archetypes.ids, archetypes.names, Presence(frozen(present), frozen(known)), "")
    tally = replace(tally, name=f"{archetypes.name}, held out")
    share, counts = shares(tally)
    spread = distribution(values, settings)
    return GroupScores(tally, frozen(values), spread, share, counts, frozen(lack))
