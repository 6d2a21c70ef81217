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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.values.arrays import Bools, Floats
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import check_choices, option

UNDEFINED = np.inf
"""A cell: measured, and the image has no such value."""
LARGEST = 1e100
"""No value of a feature and no weight is larger: sums of such numbers would overflow."""
UNIFORM, CHANNELS = "uniform", "channels"
Weights: TypeAlias = Mapping[str, float] | str
"""Of features: "uniform", "channels" or by name (`feature_weights`)."""
METHOD = "percentile bootstrap over images"
BLOCK_CELLS = 1 << 18
"""Pairs compared at once: about what fits a processor's cache."""
FOLDS = 5
"""Parts of the archetypes for held-out scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WsiConfig:
    """Everything that decides a score beside the features and their weights; each field describes itself.

    Parameters
    ----------
    quantiles
        Ends of the tolerance of each feature, as quantiles of the archetypes.
    level, n_resamples, seed
        Of the bootstrap intervals; the seed also draws the folds of held-out scores.
    within
        In place of quantiles: the mean of the archetypes less and more this share of it, above 0, at most 1.

    Raises SettingError for a value that cannot be chosen.
    """

    alpha: float = option(1.0, "Weight of what only the generated image has.", low=0, name="wsi-alpha")
    beta: float = option(1.0, "Weight of what only the real one has.", low=0, name="wsi-beta")
    quantiles: tuple[float, ...] = (0.05, 0.95)
    archetype: Literal["tolerance", "each"] = option(
        "tolerance",
        "tolerance: one archetype with every feature. each: every real image, and the mean over them.",
    )
    level: float = option(0.95, "Level of the intervals.", low=0, high=1, open=True)
    n_resamples: int = option(
        1_000, "Resamples: of the intervals of scores.", low=1, high=100_000, name="resamples"
    )
    seed: int = 0
    within: float | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        if len(self.quantiles) != 2 or not 0 <= self.quantiles[0] < self.quantiles[1] <= 1:
            raise SettingError("quantiles", "two numbers from 0 to 1, the lower first", self.quantiles)
        if self.within is not None and not 0 < self.within <= 1:
            raise SettingError("within", "above 0 and at most 1 (100%)", self.within)


# Which features images have.


Presence: TypeAlias = npt.NDArray[np.int8]
"""Which features images have, shape (images, features): `PRESENT`, `ABSENT` or `UNKNOWN`."""
PRESENT, ABSENT, UNKNOWN = 1, 0, -1


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
        return np.where(known, (bounds[0] <= values) & (values <= bounds[1]), UNKNOWN).astype(np.int8)


def presences(tables: Mapping[str, pd.DataFrame], config: WsiConfig) -> tuple[Floats, dict[str, Presence]]:
    """The tolerances by the first group, and which features the images of every group have."""
    bounds = tolerance_bounds(next(iter(tables.values())), config)
    return bounds, {name: binarise(table, bounds) for name, table in tables.items()}


# Weights of features.


def channels_of(names: pd.Index) -> pd.Index:
    """The channel of each feature: the part of its name before the first dot, the whole name without one."""
    return pd.Index([name.partition(".")[0] for name in names], dtype=object)


def feature_weights(names: pd.Index, weights: Weights = UNIFORM) -> Floats:
    """Weight of each feature, shape (m,): all 1, every channel 1 in all ("channels"), or by name.

    By name, a feature's own weight wins over that of its channel, which each of its features gets; what is
    not named weighs 1. UnknownName for names that are neither; SettingError for weights below 0 or above
    ``LARGEST``, or 0 for all.

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
        if not 0 <= weight <= LARGEST:
            raise SettingError(f"weight of {name}", f"a number from 0 to {LARGEST:g}", weight)
    by_name = [
        weights.get(name, weights.get(channel, 1.0)) for name, channel in zip(names, channels, strict=True)
    ]
    if names.size and not any(by_name):
        raise SettingError("weights", "above 0 for at least one feature", 0.0)
    return np.array(by_name, float)


# The index.


def wsi_matrix(subjects: Presence, archetypes: Presence, weights: Floats, config: WsiConfig) -> Floats:
    """Similarity of every subject to every archetype, shape (n, k); NaN for pairs with nothing to count."""
    other, other_lacks = (np.asarray(state == archetypes.T, float) for state in (PRESENT, ABSENT))
    has, lacks = (np.equal(subjects, state) * weights for state in (PRESENT, ABSENT))
    common = has @ other
    total = common + config.alpha * (has @ other_lacks) + config.beta * (lacks @ other)
    undefined = np.full_like(total, np.nan)
    return np.asarray(np.divide(common, total, out=undefined, where=total > 0))


def image_scores(subjects: Presence, archetypes: Presence, weights: Floats, config: WsiConfig) -> Floats:
    """The score of each image: its mean similarity over the archetypes, shape (n,).

    Undefined pairs are left out of a mean; without any pair it is NaN. Where the subjects are the archetypes
    (the same object), none is compared with itself.
    """
    same = subjects is archetypes and config.archetype == "each"
    if config.archetype == "tolerance":
        archetypes = np.full((1, archetypes.shape[1]), PRESENT, np.int8)
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
    def shares(self) -> Floats:
        """Of each feature, the share of the images that have it, of those where it is known, shape (m,)."""
        known = (self.presence != UNKNOWN).sum(0)
        return np.where(known > 0, (self.presence == PRESENT).sum(0) / np.maximum(known, 1), np.nan)


def mean_of(values: Floats) -> float:
    """The mean of the values that are defined; NaN without any."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def interval_of(values: Floats, *, n_resamples: int, seed: int, level: float) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean of n values, n >= 1, no NaN."""
    rng = np.random.default_rng(seed)
    means = bootstrap_means(values[:, None], n_resamples=n_resamples, rng=rng)
    low, high = percentile_interval(means, level=level)
    return float(low[0]), float(high[0])


def group_score(
    name: str, ids: pd.Index, presence: Presence, values: Floats, config: WsiConfig
) -> GroupScore:
    """The mean of a group's scores with its interval."""
    defined, ends = values[~np.isnan(values)], (math.nan, math.nan)
    if len(defined) > 1:
        how = {"n_resamples": config.n_resamples, "seed": config.seed}
        ends = interval_of(defined, **how, level=config.level)
    return GroupScore(name, pd.Series(values, ids), presence, mean_of(values), *ends)


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
    real, archetypes = next(iter(tables.items()))
    if any(not table.columns.equals(archetypes.columns) for table in tables.values()):
        raise ValueError("all tables must have the features of the archetypes, in their order")
    by_feature, (bounds, has) = feature_weights(archetypes.columns, weights), presences(tables, config)
    values = (image_scores(presence, has[real], by_feature, config) for presence in has.values())
    first, *groups = (
        group_score(name, tables[name].index, has[name], scores, config)
        for name, scores in zip(tables, values, strict=True)
    )
    return Evaluation(
        config,
        tables,
        pd.Series(by_feature, archetypes.columns),
        bounds,
        first,
        tuple(groups),
        held_out(real, archetypes, by_feature, config),
    )


def held_out(name: str, archetypes: pd.DataFrame, weights: Floats, config: WsiConfig) -> GroupScore | None:
    """The archetypes, each scored by tolerances of the other folds: what new real images can be expected to
    score. None with fewer than two images a fold."""
    n = len(archetypes)
    if n < 2 * FOLDS:
        return None
    fold = np.random.default_rng((config.seed, 5)).permutation(n) % FOLDS
    values, presence = np.full(n, np.nan), np.empty(archetypes.shape, np.int8)
    for k in range(FOLDS):
        own = fold == k
        _, has = presences({"others": archetypes[~own], "own": archetypes[own]}, config)
        values[own], presence[own] = image_scores(has["own"], has["others"], weights, config), has["own"]
    return group_score(f"{name}, held out", archetypes.index, presence, values, config)


# What decides a score: settings, single features, whole channels. All are loops with one thing changed.

ALPHAS_BETAS = (0.0, 0.25, 0.5, 1.0, 2.0)
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""As in Brooks & Deshpande 2025: tolerances of 5% to 50% of the value."""
ALPHA_BETA, LEVEL, SHARE, WEIGHTS, WITHOUT = "alpha, beta", "level", "share of the mean", "weights", "without"


def _variants(
    names: pd.Index, given: Weights, config: WsiConfig
) -> Iterator[tuple[str, str, Floats, WsiConfig]]:
    """What is set, to what, and the weights and the configuration with it."""
    weights = feature_weights(names, given)
    for a, b in product(ALPHAS_BETAS, ALPHAS_BETAS):
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
    real, archetypes = next(iter(tables.items()))
    variants = list(_variants(archetypes.columns, weights, config))
    means: dict[tuple[str, str], list[float]] = {}
    tolerated: dict[object, dict[str, Presence]] = {}
    for i, (what, setting, by_feature, variant) in enumerate(variants):
        progress(i / len(variants), what)
        tolerance = variant.quantiles, variant.within
        if tolerance not in tolerated:
            _, tolerated[tolerance] = presences(tables, variant)
        has = tolerated[tolerance]
        scores = (image_scores(presence, has[real], by_feature, variant) for presence in has.values())
        means[what, setting] = list(map(mean_of, scores))
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
    (real, archetypes), *groups = tables.items()
    names, rows, (bounds, has) = archetypes.columns, [], presences(tables, config)
    channels, by_feature = channels_of(names), feature_weights(names, weights)
    dark = binarise(pd.DataFrame([[black[name.partition(".")[2]] for name in names]]), bounds)
    for group, images in groups:
        for removed in (some for n in range(3) for some in combinations(channels.unique(), n)):
            is_removed: Bools = np.asarray(channels.isin(removed))
            presence = np.where(is_removed, dark, has[group])
            values = image_scores(presence, has[real], by_feature, config)
            score = group_score(group, images.index, presence, values, config)
            best = np.where(is_removed, ABSENT, PRESENT)[None].astype(np.int8)
            ideal = image_scores(best, best, by_feature, replace(config, archetype="tolerance"))
            detected = (presence[:, is_removed] == ABSENT).mean() if removed else math.nan
            rows.append(
                {
                    "group": group,
                    "without": removed,
                    "n": int(score.values.count()),
                    "wsi": score.mean,
                    "low": score.low,
                    "high": score.high,
                    "ideal": float(ideal[0]),
                    "detected": float(detected),
                }
            )
    return pd.DataFrame(rows)
