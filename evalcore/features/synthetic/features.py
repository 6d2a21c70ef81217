"""Features of images as a table: one row per image, one column per feature.

A feature is called ``channel.name`` ("red.contrast"); the part before the first dot is its channel, and a
name without a dot is a channel of its own. A cell is a number, NaN (not measured) or infinite (measured, and
there is no such value: the mean radius of no objects). The first leaves the feature out of a comparison, the
second is outside every tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.values.arrays import Bools, Floats, digest_of, readonly

UNDEFINED = np.inf
"""In a table: measured, and the image has no such value."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """The same features of several images.

    ids: of the images, unique. names: of the features, unique. values: shape (len(ids), len(names)),
    read-only; NaN where not measured, infinite where undefined. name: of the group. digest: of the content.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    values: Floats
    name: str
    digest: str

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def missing(self) -> Bools:
        """Where a feature was not measured, shape (n, m)."""
        return np.isnan(self.values)

    @property
    def undefined(self) -> Bools:
        """Where a feature was measured and does not exist, shape (n, m)."""
        return np.isinf(self.values)

    @property
    def channels(self) -> tuple[str, ...]:
        """The channel of each feature, shape (m,)."""
        return tuple(map(channel_of, self.names))

    def of(self, names: Sequence[str]) -> FeatureTable:
        """These features only, in this order."""
        if tuple(names) == self.names:
            return self
        at = {name: i for i, name in enumerate(self.names)}
        return table(self.ids, names, self.values[:, [at[name] for name in names]], name=self.name)

    def rows(self, chosen: Bools | Sequence[int]) -> FeatureTable:
        """These images only, by mask or by index."""
        kept = np.arange(len(self.ids))[np.asarray(chosen)]
        return table([self.ids[i] for i in kept], self.names, self.values[kept], name=self.name)


def table(ids: Sequence[str], names: Sequence[str], values: Floats, *, name: str = "") -> FeatureTable:
    """A table of these values, shape (len(ids), len(names)), which are copied.

    >>> table(["a", "b"], ["red.mean", "size"], np.array([[0.5, 3], [0.25, np.nan]])).channels
    ('red', 'size')
    """
    held = np.array(values, np.float64).reshape(len(ids), len(names))
    held[np.isneginf(held)] = UNDEFINED
    for kind, words in (("ids", ids), ("names", names)):
        if len(set(words)) < len(words):
            raise ValueError(f"{kind} of a feature table must differ from each other")
    digest = digest_of(list(ids), list(names), held)
    return FeatureTable(tuple(ids), tuple(names), readonly(held), name, digest)


def channel_of(feature: str) -> str:
    """The part of a feature's name before its first dot, the whole name without one."""
    return feature.partition(".")[0]


def in_common(tables: Sequence[FeatureTable]) -> tuple[str, ...]:
    """The features that all tables have, in the order of the first."""
    shared = set.intersection(*(set(one.names) for one in tables)) if tables else set()
    return tuple(name for name in tables[0].names if name in shared) if tables else ()


def together(tables: Sequence[FeatureTable], *, name: str = "") -> FeatureTable:
    """The images of all tables below each other, with the features they have in common.

    An id that comes twice is written with the name of its group before it.
    """
    names = in_common(tables)
    ids = [i for one in tables for i in one.ids]
    if len(set(ids)) < len(ids):
        ids = [f"{one.name}/{i}" for one in tables for i in one.ids]
    return table(ids, names, np.concatenate([one.of(names).values for one in tables]), name=name)
