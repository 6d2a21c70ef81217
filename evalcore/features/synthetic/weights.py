"""Weights of features: all alike, whole channels alike, or as a file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from evalcore.features.synthetic.features import channel_of
from evalcore.values.arrays import Floats
from evalcore.values.errors import SettingError, UnknownName

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
