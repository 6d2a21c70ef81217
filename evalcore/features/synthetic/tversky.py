"""Weighted Tversky similarity of feature tallies (WSI; Brooks & Deshpande 2025, arXiv 2503.22658).

With the weights of the features that both have (C), only the subject has (U) and only the archetype has (V),

    WSI = C / (C + alpha U + beta V)

after Tversky's contrast model (1977, doi:10.1037/0033-295X.84.4.327): alpha weighs what the subject has of
its own, beta what it lacks. Both 1 is Jaccard's index, both 1/2 Dice's. What neither has counts nowhere. A
feature that is not known of one of the two counts nowhere either. Nothing to count at all is undefined.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from evalcore.features.synthetic.features import channel_of
from evalcore.values.arrays import Bools, Floats, readonly
from evalcore.values.errors import SettingError, UnknownName

Undefined = Literal["nan", "zero", "one"]
BLOCK_CELLS = 1 << 18
"""Pairs compared at once: near what fits a processor's cache; changes no result."""
_VALUES = {"nan": math.nan, "zero": 0.0, "one": 1.0}


@dataclass(frozen=True, slots=True, eq=False)
class Presence:
    """Which features images have: both shape (n, m), read-only; ``present`` only where ``known``."""

    present: Bools
    known: Bools

    def __len__(self) -> int:
        return len(self.present)

    def rows(self, chosen: Bools | slice) -> Presence:
        """Some of the images."""
        return Presence(self.present[chosen], self.known[chosen])


def presence(present: Bools, known: Bools | None = None) -> Presence:
    """Features of images, shape (n, m); all known unless said otherwise."""
    has = np.atleast_2d(np.asarray(present, bool))
    sure = np.ones(has.shape, bool) if known is None else np.atleast_2d(np.asarray(known, bool))
    return Presence(readonly(has & sure), readonly(sure.copy()))


def all_present(n_features: int) -> Presence:
    """The archetype that has every feature, as one row."""
    return presence(np.ones((1, n_features), bool))


def wsi(
    subject: Bools,
    archetype: Bools,
    *,
    weights: Floats | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    undefined: Undefined = "nan",
) -> float:
    """Similarity of one subject to one archetype, both shape (m,).

    Parameters
    ----------
    weights
        Of the features, shape (m,), none negative; all 1 without.
    alpha, beta
        Weight of what only the subject has, and of what only the archetype has.
    undefined
        The value where there is nothing to count: NaN, 0 or 1.

    >>> wsi(np.array([1, 1, 0, 1, 0], bool), np.array([1, 0, 1, 1, 0], bool), alpha=0.2, beta=0.8)
    0.6666666666666666
    """
    result = wsi_matrix(
        presence(subject), presence(archetype), weights=weights, alpha=alpha, beta=beta, undefined=undefined
    )
    return float(result[0, 0])


def wsi_matrix(
    subjects: Presence,
    archetypes: Presence,
    *,
    weights: Floats | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    undefined: Undefined = "nan",
) -> Floats:
    """Similarity of every subject to every archetype, shape (n, k), by matrix products."""
    check_sides(alpha, beta, undefined)
    width = subjects.present.shape[1]
    heavy = np.ones(width) if weights is None else check_weights(weights, width)
    result = np.empty((len(subjects), len(archetypes)))
    for rows, parts in count_blocks(subjects, archetypes, heavy):
        result[rows] = ratio(*parts, alpha, beta, undefined)
    return result


def count_blocks(
    subjects: Presence, archetypes: Presence, weights: Floats
) -> Iterator[tuple[slice, tuple[Floats, Floats, Floats]]]:
    """Weights shared, only of the subject, only of the archetype: C, U, V by blocks of subjects.

    >>> one, other = np.array([1, 1, 0], bool), np.array([1, 0, 1], bool)
    >>> _, parts = next(count_blocks(presence(one), presence(other), np.array([1.0, 2.0, 4.0])))
    >>> [float(part[0, 0]) for part in parts]
    [1.0, 2.0, 4.0]
    """
    # Differences of sums would be faster, and end a rounding error beside 0 where nothing is left.
    other = archetypes.present.T.astype(float)
    other_lacks = (archetypes.known & ~archetypes.present).T.astype(float)
    size = max(1, BLOCK_CELLS // max(len(archetypes), 1))
    for first in range(0, len(subjects), size):
        rows = slice(first, min(first + size, len(subjects)))
        some = subjects.rows(rows)
        has, lacks = some.present * weights, (some.known & ~some.present) * weights
        yield rows, (has @ other, has @ other_lacks, lacks @ other)


def ratio(
    shared: Floats, subject: Floats, archetype: Floats, alpha: float, beta: float, undefined: Undefined
) -> Floats:
    """C / (C + alpha U + beta V) of arrays of one shape."""
    return quotient(shared, shared + alpha * subject + beta * archetype, undefined)


def quotient(shared: Floats, all_of: Floats, undefined: Undefined) -> Floats:
    """C of everything that counts, arrays of one shape; nothing that counts is undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = shared / all_of
    if undefined == "nan":
        return result
    result[all_of <= 0] = _VALUES[undefined]
    return result


def check_sides(alpha: float, beta: float, undefined: str = "nan") -> None:
    """Raise SettingError when a setting of the index is outside its range."""
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (math.isfinite(value) and value >= 0):
            raise SettingError(name, "a number of at least 0", value)
    if undefined not in get_args(Undefined):
        raise SettingError("undefined", "nan, zero or one", undefined)


def check_weights(weights: Floats, n_features: int) -> Floats:
    """The weights as floats, shape (m,); SettingError when they are no weights."""
    heavy = np.asarray(weights, float)
    if heavy.shape != (n_features,):
        raise SettingError("weights", f"one number for each of {n_features} features", heavy.shape)
    if not np.isfinite(heavy).all() or (heavy < 0).any():
        bad = heavy[~np.isfinite(heavy) | (heavy < 0)][0]
        raise SettingError("weights", "numbers of at least 0", float(bad))
    if n_features and not heavy.any():
        raise SettingError("weights", "above 0 for at least one feature", 0.0)
    return heavy


# Weights of features: all alike, whole channels alike, or as a file says.

UNIFORM, CHANNELS = "uniform", "channels"


def uniform(names: Sequence[str]) -> Floats:
    """Every feature weighs 1."""
    return np.ones(len(names))


def by_channel(names: Sequence[str]) -> Floats:
    """Every channel weighs 1, shared evenly by its features.

    >>> by_channel(["red.mean", "red.std", "area"])
    array([0.5, 0.5, 1. ])
    """
    sizes = Counter(map(channel_of, names))
    return np.array([1 / sizes[channel_of(name)] for name in names])


def given(names: Sequence[str], wanted: Mapping[str, float]) -> Floats:
    """Weights by feature or by whole channel; what is not named weighs 1.

    A feature's own weight wins over that of its channel, which each of its features gets.

    >>> given(["red.mean", "red.std", "area"], {"red": 2, "red.std": 0})
    array([2., 0., 1.])
    """
    known = {*names, *map(channel_of, names)}
    for name, weight in wanted.items():
        if name not in known:
            raise UnknownName("feature", name, known)
        if not (np.isfinite(weight) and weight >= 0):
            raise SettingError(f"weight of {name}", "a number of at least 0", weight)
    return np.array([float(wanted.get(name, wanted.get(channel_of(name), 1.0))) for name in names])


def named(names: Sequence[str], how: str) -> Floats:
    """The weights called "uniform" or "channels"."""
    if how not in (UNIFORM, CHANNELS):
        raise SettingError("weights", f"{UNIFORM} or {CHANNELS}", how)
    return uniform(names) if how == UNIFORM else by_channel(names)
