"""Scores of one group: every image, their distribution, and which features the images have."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from evalcore.features.synthetic.evaluation.means import mean_wsi
from evalcore.features.synthetic.evaluation.settings import WsiSettings
from evalcore.features.synthetic.evaluation.tally import Tally
from evalcore.features.synthetic.tversky import Presence, all_present
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.values.arrays import Floats, Ints, frozen

METHOD = "percentile bootstrap over images"


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of the defined scores: all NaN without one, standard deviation (n - 1) and interval NaN with one."""

    n: int
    mean: float
    low: float
    high: float
    sd: float
    minimum: float
    quarter: float
    median: float
    three_quarters: float
    maximum: float


@dataclass(frozen=True, slots=True, eq=False)
class GroupScores:
    """A group against the archetypes.

    values: of each image, shape (n,), NaN where undefined. share: of each feature, the images that have it,
    of the ``known`` ones, both shape (m,); NaN where it is known of none. both_lack: features that an image
    and an archetype image both lack, mean over the archetype images, shape (n,); they count nowhere in the
    score.
    """

    tally: Tally
    values: Floats
    distribution: Distribution
    share: Floats
    known: Ints
    both_lack: Floats

    @property
    def name(self) -> str:
        return self.tally.name


def score_group(
    group: Tally, archetypes: Tally, weights: Floats, settings: WsiSettings, *, same: bool = False
) -> GroupScores:
    """The scores of a group; ``same``: it is the archetypes themselves, each held against the others."""
    values = group_values(group, archetypes, weights, settings, same=same)
    share, known = shares(group)
    lack = both_lack(group.presence, archetypes.presence, same=same)
    return GroupScores(group, frozen(values), distribution(values, settings), share, known, frozen(lack))


def shares(group: Tally) -> tuple[Floats, Ints]:
    """Of each feature, the share of the images that have it, and how many are known, both shape (m,)."""
    of = group.presence
    known = of.known.sum(0)
    share = np.where(known > 0, of.present.sum(0) / np.maximum(known, 1), np.nan)
    return frozen(share), frozen(known.astype(np.int32))


def group_values(
    group: Tally, archetypes: Tally, weights: Floats, settings: WsiSettings, *, same: bool = False
) -> Floats:
    """The score of each image under the settings, shape (n,)."""
    against, alone = held_against(archetypes.presence, settings, same=same)
    sides = [(settings.alpha, settings.beta)]
    found: Floats = mean_wsi(
        group.presence, against, weights, sides, undefined=settings.undefined, same=alone
    )[0]
    return found


def held_against(archetypes: Presence, settings: WsiSettings, *, same: bool) -> tuple[Presence, bool]:
    """The archetypes as the settings read them, and whether an image would meet itself among them."""
    if settings.archetype == "tolerance":
        return all_present(archetypes.present.shape[1]), False
    return archetypes, same


def distribution(values: Floats, settings: WsiSettings) -> Distribution:
    """Mean with its interval, and spread, of the values that are defined."""
    some = values[~np.isnan(values)]
    n = len(some)
    if not n:
        return Distribution(0, *[nan] * 9)
    low = high = sd = nan
    if n > 1:
        rng = np.random.default_rng(settings.seed)
        means = bootstrap_means(some[:, None], n_resamples=settings.n_resamples, rng=rng)
        ends = percentile_interval(means, level=settings.level)
        low, high, sd = float(ends[0][0]), float(ends[1][0]), float(some.std(ddof=1))
    quarters = [float(one) for one in np.quantile(some, [0, 0.25, 0.5, 0.75, 1])]
    return Distribution(n, float(some.mean()), low, high, sd, *quarters)


def both_lack(group: Presence, archetypes: Presence, *, same: bool) -> Floats:
    """Mean number of features that an image and an archetype image are both known to lack."""
    lacks = (group.known & ~group.present).astype(float)
    others = (archetypes.known & ~archetypes.present).astype(float)
    n = len(others) - int(same)
    if not n:
        return np.full(len(lacks), nan)
    found: Floats = (lacks @ others.sum(0) - (lacks.sum(1) if same else 0)) / n
    return found
