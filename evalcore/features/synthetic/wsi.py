"""Weighted Tversky similarity of feature tallies (WSI; Brooks & Deshpande 2025, arXiv 2503.22658).

With the weights of the features that both images have (C), only the subject has (U) and only the archetype
has (V),

    WSI = C / (C + alpha U + beta V)

after Tversky's contrast model (1977, doi:10.1037/0033-295X.84.4.327). Both weights 1 is Jaccard's index,
both 1/2 Dice's. A feature that neither has, or that is unknown of one of the two, does not count; without
anything to count the value is undefined.

Features are a DataFrame: a row per image, a column per feature. A feature is called ``channel.name``
("red.contrast"); a name without a dot is a channel of its own. A cell is a number, NaN (not measured: it
does not count) or infinite (measured, and there is no such value: out of tolerance). An image has a feature
when its value is within the tolerance of the archetypes, ends included: an interval between two of their
quantiles (linear between neighbours, as NumPy's), or their mean less and more a share of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.values.arrays import Bools, Floats
from evalcore.values.errors import SettingError, UnknownName

UNDEFINED = np.inf
"""A cell: measured, and the image has no such value."""
UNIFORM, CHANNELS = "uniform", "channels"
Weights: TypeAlias = Mapping[str, float] | str
"""Of features: "uniform", "channels" or by name (`feature_weights`)."""
METHOD = "percentile bootstrap over images"
BLOCK_CELLS = 1 << 18
"""Pairs compared at once: about what fits a processor's cache."""
FOLDS = 5
"""Parts of the archetypes for held-out scores; fewer than two images a part are not held out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WsiConfig:
    """Everything that decides a score beside the features and their weights.

    Parameters
    ----------
    alpha, beta
        Weight of what only the subject has, and of what only the archetype has; at least 0.
    quantiles
        Ends of the tolerance of each feature, as quantiles of the archetypes.
    archetype
        "tolerance": one archetype with every feature. "each": every archetype image, and the mean over them.
    level, n_resamples, seed
        Of the bootstrap intervals; the seed also draws the folds of held-out scores.
    within
        In place of quantiles: the mean of the archetypes less and more this share of it, above 0, at most 1.

    Raises SettingError for values outside these ranges.
    """

    alpha: float = 1.0
    beta: float = 1.0
    quantiles: tuple[float, ...] = (0.05, 0.95)
    archetype: Literal["tolerance", "each"] = "tolerance"
    level: float = 0.95
    n_resamples: int = 1_000
    seed: int = 0
    within: float | None = None

    def __post_init__(self) -> None:
        ordered = len(self.quantiles) == 2 and 0 <= self.quantiles[0] < self.quantiles[1] <= 1
        checks = {
            "alpha": (0 <= self.alpha < math.inf, "a number of at least 0"),
            "beta": (0 <= self.beta < math.inf, "a number of at least 0"),
            "quantiles": (ordered, "two numbers from 0 to 1, the lower first"),
            "within": (self.within is None or 0 < self.within <= 1, "above 0 and at most 1 (100%)"),
            "archetype": (self.archetype in ("tolerance", "each"), "tolerance or each"),
            "level": (0 < self.level < 1, "between 0 and 1"),
            "n_resamples": (self.n_resamples >= 1, "at least 1"),
        }
        for name, (valid, rule) in checks.items():
            if not valid:
                raise SettingError(name, rule, getattr(self, name))


# Which features images have.


@dataclass(frozen=True, slots=True, eq=False)
class Presence:
    """Which features images have, both shape (images, features); ``present`` only where ``known``."""

    present: Bools
    known: Bools

    @property
    def absent(self) -> Bools:
        return self.known & ~self.present

    def __len__(self) -> int:
        return len(self.present)

    def __getitem__(self, rows: Any) -> Presence:
        return Presence(self.present[rows], self.known[rows])


def matrix(features: pd.DataFrame) -> Floats:
    """The values of a table, image by image in memory: the order there decides how sums are rounded."""
    return np.ascontiguousarray(features.to_numpy())


def finite(features: pd.DataFrame) -> Floats:
    """The values of a table with NaN wherever there is none."""
    values = matrix(features)
    return np.where(np.isfinite(values), values, np.nan)


def tolerance_bounds(archetypes: pd.DataFrame, config: WsiConfig) -> Floats:
    """Lower and upper end of each feature over the archetypes with a value, shape (2, features); NaN
    without any."""
    values = finite(archetypes)
    bounds = np.full((2, values.shape[1]), np.nan)
    usable = np.isfinite(values).any(0)
    if config.within is not None:
        mean = np.nanmean(values[:, usable], axis=0)
        bounds[:, usable] = mean - config.within * np.abs(mean), mean + config.within * np.abs(mean)
    elif usable.any():
        bounds[:, usable] = np.nanquantile(values[:, usable], config.quantiles, axis=0)
    return bounds


def binarise(images: pd.DataFrame, bounds: Floats) -> Presence:
    """The features within tolerance; unknown where not measured, and of every image without a tolerance."""
    values = matrix(images)
    known = np.isfinite(bounds[0]) & ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return Presence((bounds[0] <= values) & (values <= bounds[1]) & known, known)


# Weights of features.


def channels_of(names: pd.Index) -> pd.Index:
    """The channel of each feature: the part of its name before the first dot, the whole name without one."""
    return pd.Index([name.partition(".")[0] for name in names], dtype=object)


def feature_weights(names: pd.Index, weights: Weights = UNIFORM) -> Floats:
    """Weight of each feature, shape (m,): all 1, every channel 1 in all ("channels"), or by name.

    By name, a feature's own weight wins over that of its channel, which each of its features gets; what is
    not named weighs 1. UnknownName for names that are neither; SettingError for weights below 0, or 0 for
    all.

    >>> feature_weights(pd.Index(["red.mean", "red.std", "area"]), "channels").tolist()
    [0.5, 0.5, 1.0]
    >>> feature_weights(pd.Index(["red.mean", "red.std", "area"]), {"red": 2, "red.std": 0}).tolist()
    [2.0, 0.0, 1.0]
    """
    channels = channels_of(names)
    if isinstance(weights, str):
        if weights not in (UNIFORM, CHANNELS):
            raise SettingError("weights", f"{UNIFORM} or {CHANNELS}", weights)
        sizes = channels.value_counts()[channels].to_numpy(float)
        return 1 / sizes if weights == CHANNELS else np.ones(len(names))
    for name, weight in weights.items():
        if name not in names and name not in channels:
            raise UnknownName("feature", name, {*names, *channels})
        if not 0 <= weight < math.inf:
            raise SettingError(f"weight of {name}", "a number of at least 0", weight)
    by_name = [
        weights.get(name, weights.get(channel, 1.0)) for name, channel in zip(names, channels, strict=True)
    ]
    if names.size and not any(by_name):
        raise SettingError("weights", "above 0 for at least one feature", 0.0)
    return np.array(by_name, float)


# The index.


def wsi_matrix(subjects: Presence, archetypes: Presence, weights: Floats, config: WsiConfig) -> Floats:
    """Similarity of every subject to every archetype, shape (n, k); NaN for pairs with nothing to count."""
    other, other_lacks = archetypes.present.T.astype(float), archetypes.absent.T.astype(float)
    has, lacks = subjects.present * weights, subjects.absent * weights
    common = has @ other
    total = common + config.alpha * (has @ other_lacks) + config.beta * (lacks @ other)
    undefined = np.full_like(total, np.nan)
    return np.asarray(np.divide(common, total, out=undefined, where=total > 0))


def image_scores(
    subjects: Presence, archetypes: Presence, weights: Floats, config: WsiConfig, *, same: bool = False
) -> Floats:
    """The score of each image: its mean similarity over the archetypes, shape (n,).

    Undefined pairs are left out of a mean; without any pair it is NaN. ``same``: the subjects are the
    archetypes, and none is compared with itself.
    """
    if config.archetype == "tolerance":
        everything = np.ones((1, archetypes.present.shape[1]), bool)
        archetypes, same = Presence(everything, everything), False
    scores, n = np.full(len(subjects), np.nan), len(archetypes) - same
    size = max(1, BLOCK_CELLS // max(len(archetypes), 1))
    for first in range(0, len(subjects), size) if n else ():
        block = wsi_matrix(subjects[first : first + size], archetypes, weights, config)
        counted, rows = ~np.isnan(block), np.arange(len(block))
        if same:
            block[rows, first + rows], counted[rows, first + rows] = 0, False
        scores[first + rows] = block.sum(1) / n
        for row in np.flatnonzero(np.isnan(scores[first + rows]) & counted.any(1)):
            scores[first + row] = block[row, counted[row]].mean()
    return scores


# Groups of images.


@dataclass(frozen=True, slots=True, eq=False)
class GroupScore:
    """One group against the archetypes.

    values: of each image by its id, NaN where undefined. mean, low, high: of the defined ones, with the
    percentile bootstrap interval over images; NaN without one, no interval with one.
    """

    name: str
    values: pd.Series
    presence: Presence
    mean: float
    low: float
    high: float

    @property
    def defined(self) -> Floats:
        """The scores that are defined."""
        return np.asarray(self.values.dropna(), float)

    @property
    def sd(self) -> float:
        """Their standard deviation (n - 1), NaN with one."""
        return float(self.defined.std(ddof=1)) if len(self.defined) > 1 else math.nan

    @property
    def median(self) -> float:
        """Their median, NaN without a score."""
        return float(np.median(self.defined)) if len(self.defined) else math.nan

    @property
    def shares(self) -> Floats:
        """Of each feature, the share of the images that have it, of those where it is known, shape (m,)."""
        known = self.presence.known.sum(0)
        return np.where(known > 0, self.presence.present.sum(0) / np.maximum(known, 1), np.nan)


def mean_of(values: Floats) -> float:
    """The mean of the values that are defined; NaN without any."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def group_score(
    name: str, ids: pd.Index, presence: Presence, values: Floats, config: WsiConfig
) -> GroupScore:
    """The mean of a group's scores with its interval."""
    defined, low, high = values[~np.isnan(values)], math.nan, math.nan
    if len(defined) > 1:
        rng = np.random.default_rng(config.seed)
        means = bootstrap_means(defined[:, None], n_resamples=config.n_resamples, rng=rng)
        low, high = (float(end[0]) for end in percentile_interval(means, level=config.level))
    return GroupScore(name, pd.Series(values, ids), presence, mean_of(values), low, high)


def scored_images(
    archetypes: pd.DataFrame, groups: Sequence[pd.DataFrame], weights: Floats, config: WsiConfig
) -> list[tuple[Presence, Floats]]:
    """The features and the score of each image: of the archetypes, then of every group."""
    bounds = tolerance_bounds(archetypes, config)
    reference = binarise(archetypes, bounds)
    scored = [(reference, image_scores(reference, reference, weights, config, same=True))]
    for table in groups:
        presence = binarise(table, bounds)
        scored.append((presence, image_scores(presence, reference, weights, config)))
    return scored


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Groups of subjects against archetypes.

    tables: the features by group, the archetypes first. weights: by feature. bounds: of the tolerances, shape
    (2, m). held_out: the archetypes scored by tolerances of the others, None where there are fewer than
    ``2 * FOLDS``.
    """

    config: WsiConfig
    tables: Mapping[str, pd.DataFrame]
    weights: pd.Series
    bounds: Floats
    archetypes: GroupScore
    groups: tuple[GroupScore, ...]
    held_out: GroupScore | None

    @property
    def names(self) -> pd.Index:
        """The features."""
        return self.weights.index

    @property
    def baseline(self) -> GroupScore:
        """The score that groups are compared with: that of held-out real images where there are enough."""
        return self.held_out or self.archetypes

    @property
    def everyone(self) -> tuple[GroupScore, ...]:
        """The archetypes, then the groups."""
        return (self.archetypes, *self.groups)

    @property
    def rows(self) -> tuple[GroupScore, ...]:
        """The archetypes, the same held out where they are, then the groups."""
        return (self.archetypes, *filter(None, [self.held_out]), *self.groups)


def evaluate(
    tables: Mapping[str, pd.DataFrame], *, weights: Weights = UNIFORM, config: WsiConfig = WsiConfig()
) -> Evaluation:
    """Score groups of images against archetype images, all with the same features in the same order.

    ``tables``: features by group, the archetypes first.

    >>> real = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [5.0, 5.0, 6.0]})
    >>> made = pd.DataFrame({"a": [2.0, 9.0], "b": [5.0, 5.0]})
    >>> evaluate({"real": real, "made": made}).groups[0].values.tolist()
    [1.0, 0.5]
    """
    archetypes, *groups = tables.values()
    if any(not table.columns.equals(archetypes.columns) for table in groups):
        raise ValueError("all tables must have the features of the archetypes, in their order")
    by_feature = feature_weights(archetypes.columns, weights)
    scored = scored_images(archetypes, groups, by_feature, config)
    real, *others = (
        group_score(name, table.index, *images, config)
        for (name, table), images in zip(tables.items(), scored, strict=True)
    )
    return Evaluation(
        config,
        tables,
        pd.Series(by_feature, archetypes.columns),
        tolerance_bounds(archetypes, config),
        real,
        tuple(others),
        held_out(real.name, archetypes, by_feature, config),
    )


def held_out(name: str, archetypes: pd.DataFrame, weights: Floats, config: WsiConfig) -> GroupScore | None:
    """The archetypes, each scored by tolerances of the other folds: what new real images can be expected to
    score."""
    n = len(archetypes)
    if n < 2 * FOLDS:
        return None
    fold = np.random.default_rng((config.seed, 5)).permutation(n) % FOLDS
    values, (present, known) = np.full(n, np.nan), np.zeros((2, *archetypes.shape), bool)
    for k in range(FOLDS):
        own = fold == k
        _, (presence, values[own]) = scored_images(archetypes[~own], [archetypes[own]], weights, config)
        present[own], known[own] = presence.present, presence.known
    return group_score(f"{name}, held out", archetypes.index, Presence(present, known), values, config)
