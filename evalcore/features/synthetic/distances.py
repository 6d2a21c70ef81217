"""Distances of groups of generated images from the archetypes, by whatever vectors the images have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.gaussian import (
    Distances,
    common_scale,
    distances,
    fit,
    halves,
    mahalanobis,
    need_shrinkage,
)
from evalcore.features.synthetic.nearest import cosines_across, nearest
from evalcore.values.arrays import Floats, frozen
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent


@dataclass(frozen=True, slots=True, eq=False)
class GroupDistances:
    """A group: its distances, how far each image lies out (shape (n,)), and what they were computed of.

    n: images with a vector. shrinkage: share of the identity in the group's covariance, None for none. why:
    a sentence where there are no distances.
    """

    name: str
    n: int
    found: Distances | None
    each: Floats
    shrinkage: float | None
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For tables and JSON; None where there is no distance. The Mahalanobis distance is the mean over the
        images that have one."""
        one, known = self.found, self.each[np.isfinite(self.each)]
        between = (None,) * 4 if one is None else (one.forward, one.backward, one.both, one.frechet)
        names = ("kl_group_real", "kl_real_group", "kl_sum", "frechet_squared")
        return {
            "group": self.name, "n": self.n, **dict(zip(names, between, strict=True)),
            "mahalanobis_mean": float(known.mean()) if len(known) else None, "shrinkage": self.shrinkage,
            "why": self.why or None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class AllDistances:
    """Groups against archetypes of ``n`` images with vectors of ``dimensions`` numbers.

    shrunk: whether all covariances are, because one of them could not be inverted; shrinkage: of the
    archetypes' own. halves: distances of random halves of the archetypes. own: Mahalanobis of the archetypes.
    """

    groups: tuple[GroupDistances, ...]
    halves: tuple[Distances, ...]
    own: Floats
    n: int
    dimensions: int
    shrunk: bool
    shrinkage: float | None
    seed: int


def all_distances(
    archetypes: Floats, groups: Mapping[str, Floats], *, seed: int = 0, progress: Progress = silent
) -> AllDistances:
    """KL both ways, Frechet and Mahalanobis of every group against the archetypes.

    Parameters
    ----------
    archetypes, groups
        Vectors, shape (n, k) each; rows with NaN or infinity are left out.

    Raises
    ------
    InputError
        Vectors of different lengths, or archetypes without any spread.
    """
    widths = {one.shape[1] for one in (archetypes, *groups.values())}
    if len(widths) > 1:
        said = ", ".join(f"{one:,}" for one in sorted(widths))
        raise InputError(f"Vectors differ in length ({said}). Compute all of them with the same model.")
    real = _finite(archetypes)
    clouds = {name: _finite(one) for name, one in groups.items()}
    usable = {name for name, one in clouds.items() if len(one) >= 2 and np.ptp(one, axis=0).any()}
    progress(0, "distances")
    shrunk = need_shrinkage(real, *(clouds[name] for name in sorted(usable)))
    middle = fit(real, shrunk=shrunk)
    found = []
    for i, (name, one) in enumerate(clouds.items()):
        progress((i + 0.5) / (len(clouds) + 1), "distances")
        each = np.full(len(groups[name]), np.nan)
        each[np.isfinite(groups[name]).all(axis=1)] = mahalanobis(one, middle) if len(one) else 0.0
        if name not in usable:
            why = "fewer than two images with different vectors"
            found.append(GroupDistances(name, len(one), None, frozen(each), None, why))
            continue
        own = fit(one, shrunk=shrunk)
        found.append(GroupDistances(name, len(one), distances(own, middle), frozen(each), own.shrinkage))
    parts = halves(real, shrunk=shrunk, rng=np.random.default_rng(seed))
    progress(1, "")
    return AllDistances(
        tuple(found), tuple(parts), frozen(mahalanobis(real, middle)), len(real), real.shape[1], shrunk,
        middle.shrinkage, seed,
    )  # fmt: skip


def score_columns(
    wsi: Floats, mahalanobis_each: Floats, rows: Floats, archetypes: Floats
) -> dict[str, Floats]:
    """Every score of the images of a group by name, shape (n,) each; more is better: distances with a minus.

    ``rows``, ``archetypes``: vectors of the group and of the archetypes.
    """
    return {
        "wsi": np.asarray(wsi, float), "minus_mahalanobis": -mahalanobis_each,
        "nearest_cosine": nearest(cosines_across(rows, archetypes)).value,
    }  # fmt: skip


def feature_vectors(
    archetypes: FeatureTable, subjects: Sequence[FeatureTable]
) -> tuple[tuple[str, ...], Floats, list[Floats]]:
    """Features as vectors, in spreads of the archetypes: those that all images have and that vary.

    Returns the names of the features, the vectors of the archetypes, and those of each group. All tables have
    the same features. None of them may do: then the vectors have no dimension, and InputError says so.
    """
    whole = np.vstack([one.values for one in (archetypes, *subjects)])
    kept = np.isfinite(whole).all(axis=0) & (np.ptp(np.nan_to_num(archetypes.values), axis=0) > 0)
    if not kept.any():
        raise InputError(
            "No feature has a value in every image and varies among the real images, so images have no "
            "vectors. Upload vectors of the groups, or give ResNet-18 weights."
        )
    real, others = common_scale(archetypes.values[:, kept], [one.values[:, kept] for one in subjects])
    return tuple(name for name, use in zip(archetypes.names, kept, strict=True) if use), real, others


def _finite(vectors: Floats) -> Floats:
    return np.asarray(vectors[np.isfinite(vectors).all(axis=1)], float)
