"""Scores of one group: every image, their distribution, and which features the images have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any, Literal, get_args

import numpy as np

from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import (
    LEVEL,
    N_RESAMPLES,
    QUANTILES,
    Missing,
    Tolerances,
    binarise,
    check_quantiles,
    check_within,
)
from evalcore.features.synthetic.tversky import (
    Presence,
    Undefined,
    all_present,
    check_sides,
    count_blocks,
    ratio,
)
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.values.arrays import Floats, Ints, readonly, rows_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import ConceptSets

# What decides a weighted similarity beside the features and their weights.

Archetype = Literal["tolerance", "each"]


@dataclass(frozen=True, slots=True)
class WsiSettings:
    """How subjects are held against archetypes.

    alpha, beta: weight of what only the subject has, and of what only the archetype has. quantiles: of the
    archetypes, the ends of each tolerance. archetype: "tolerance" is one archetype with every feature;
    "each" is every archetype image by itself, and a subject's value the mean over them. undefined: the value
    where there is nothing to count. missing: a feature that was not measured is left out ("skip") or counts
    as absent. level, n_resamples, seed: of the bootstrap intervals. within: tolerances are the mean of the
    archetypes less and more this share of it, in place of quantiles.
    """

    alpha: float = 1.0
    beta: float = 1.0
    quantiles: tuple[float, float] = QUANTILES
    archetype: Archetype = "tolerance"
    undefined: Undefined = "nan"
    missing: Missing = "skip"
    level: float = LEVEL
    n_resamples: int = N_RESAMPLES
    seed: int = 0
    within: float | None = None

    def __post_init__(self) -> None:
        check_sides(self.alpha, self.beta, self.undefined)
        check_quantiles(self.quantiles)
        check_within(self.within)
        if self.archetype not in get_args(Archetype):
            raise SettingError("archetype", "tolerance or each", self.archetype)
        if self.missing not in get_args(Missing):
            raise SettingError("missing", "skip or absent", self.missing)
        if not 0 < self.level < 1:
            raise SettingError("level", "between 0 and 1", self.level)
        if self.n_resamples < 1:
            raise SettingError("n_resamples", "at least 1", self.n_resamples)

    def as_dict(self) -> dict[str, Any]:
        """For JSON output and for keys of caches."""
        return asdict(self)


# Mean similarity of each subject to the archetypes, for several pairs of alpha and beta at once.


def mean_wsi(
    subjects: Presence,
    archetypes: Presence,
    weights: Floats,
    sides: Sequence[tuple[float, float]],
    *,
    undefined: Undefined = "nan",
    same: bool = False,
) -> Floats:
    """Shape (number of sides, n): for each (alpha, beta) the mean over the archetypes.

    Undefined pairs are left out of a mean, unless ``undefined`` gives them a value; without any pair it is
    NaN. same: subjects and archetypes are the same images, and none is held against itself.
    """
    result = np.empty((len(sides), len(subjects)))
    for rows, parts in count_blocks(subjects, archetypes, weights):
        for k, (alpha, beta) in enumerate(sides):
            result[k, rows] = row_means(ratio(*parts, alpha, beta, undefined), rows, same=same)
    return result


def row_means(values: Floats, rows: slice, *, same: bool) -> Floats:
    """Means of rows over what is defined; with ``same`` without the cell of the row itself.

    ``values`` are changed.
    """
    own = np.arange(rows.start, rows.stop)
    if same:
        values[own - rows.start, own] = 0
    n = values.shape[1] - int(same)
    result: Floats = values.sum(1) / n if n else np.full(len(values), np.nan)
    for i in np.flatnonzero(np.isnan(result)) if n else ():
        defined = ~np.isnan(values[i])
        if same:
            defined[own[i]] = False
        result[i] = values[i, defined].mean() if defined.any() else np.nan
    return result


# Which features the images of a group have: by tolerance, or as concepts of a study.

MOST_CELLS = 100_000_000
"""Images times concepts that are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The features that images have. ids, names: of images and features; name: of the group."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    presence: Presence
    name: str

    def __len__(self) -> int:
        return len(self.ids)

    def missing(self, image: int) -> list[str]:
        """The features that an image is known not to have."""
        of = self.presence
        return [self.names[j] for j in np.flatnonzero(of.known[image] & ~of.present[image])]


def by_tolerance(images: FeatureTable, bounds: Tolerances, *, missing: Missing = "skip") -> Tally:
    """The features within tolerance."""
    return Tally(images.ids, images.names, binarise(images, bounds, missing=missing), images.name)


def by_concepts(groups: Sequence[tuple[str, ConceptSets]]) -> tuple[Tally, ...]:
    """The concepts of the images of several (name, sets), over the concepts of all of them.

    An image that nobody annotated has unknown features only; one annotated with nothing has none.
    """
    names = tuple(sorted({cui for _, sets in groups for cui in sets.vocabulary}))
    cells = sum(len(sets) for _, sets in groups) * len(names)
    if cells > MOST_CELLS:
        raise InputError(
            f"{cells:,} cells of images times concepts are too many; at most {MOST_CELLS:,} are compared. "
            "Give fewer images."
        )
    at = {cui: j for j, cui in enumerate(names)}
    return tuple(_tally(name, sets, names, at) for name, sets in groups)


def _tally(name: str, sets: ConceptSets, names: tuple[str, ...], at: dict[str, int]) -> Tally:
    present = np.zeros((len(sets), len(names)), bool)
    columns = np.array([at[cui] for cui in sets.vocabulary], np.int64)
    present[rows_of(sets.indptr), columns[sets.indices]] = True
    known = np.repeat(sets.annotated[:, None], len(names), axis=1)
    return Tally(sets.image_ids, names, Presence(readonly(present), readonly(known)), name)


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
    return GroupScores(group, readonly(values), distribution(values, settings), share, known, readonly(lack))


def shares(group: Tally) -> tuple[Floats, Ints]:
    """Of each feature, the share of the images that have it, and how many are known, both shape (m,)."""
    of = group.presence
    known = of.known.sum(0)
    share = np.where(known > 0, of.present.sum(0) / np.maximum(known, 1), np.nan)
    return readonly(share), readonly(known.astype(np.int32))


def group_values(
    group: Tally, archetypes: Tally, weights: Floats, settings: WsiSettings, *, same: bool = False
) -> Floats:
    """The score of each image under the settings, shape (n,)."""
    against, alone = held_against(archetypes.presence, settings, same=same)
    sides = [(settings.alpha, settings.beta)]
    result: Floats = mean_wsi(
        group.presence, against, weights, sides, undefined=settings.undefined, same=alone
    )[0]
    return result


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
    result: Floats = (lacks @ others.sum(0) - (lacks.sum(1) if same else 0)) / n
    return result
