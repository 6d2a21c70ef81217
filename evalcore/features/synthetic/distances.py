"""Distances of groups of generated images from the archetypes, by whatever vectors the images have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.features.synthetic.copies import cosines_across, nearest
from evalcore.features.synthetic.features import FeatureTable
from evalcore.stats.correlation import correlations, spearman
from evalcore.values.arrays import Floats, readonly
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

# How far apart are two clouds of image vectors? Distances between Gaussians fitted to them.
#
# With means m and covariances S of k dimensions:
#
#     KL(N0 || N1) = 1/2 [tr(S1^-1 S0) + (m1 - m0)' S1^-1 (m1 - m0) - k + ln det S1 - ln det S0]
#     Frechet^2    = |m0 - m1|^2 + tr(S0 + S1 - 2 (S0 S1)^1/2)       (Dowson & Landau 1982; on Inception
#                                                                     features "FID", Heusel et al. 2017)
#     Mahalanobis  = sqrt((x - m)' S^-1 (x - m))
#
# KL is in nats, from 0, and has a direction. A covariance of n images has rank n - 1 at most, so with no
# more images than dimensions it cannot be inverted: it is then shrunk towards a multiple of the identity
# (Ledoit & Wolf 2004, doi:10.1016/S0047-259X(03)00096-4), and the share says by how much. A shrunk
# covariance compared with a plain one would differ for that reason alone, so Gaussians that are compared
# are shrunk all or none.

YARDSTICK = 20
"""Random halves that say how far apart sets of real images are from each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Gaussian:
    """Mean, shape (k,), and covariance, shape (k, k), of ``n`` vectors.

    ``shrinkage``: share of the multiple of the identity in the covariance, 0 to 1; None for the plain one.
    """

    mean: Floats
    covariance: Floats
    n: int
    shrinkage: float | None = None


@dataclass(frozen=True, slots=True)
class Distances:
    """Between the Gaussian of some images and that of the archetypes.

    forward: KL from the images to the archetypes, KL(images || archetypes); backward: the other way;
    frechet: squared, as in the FID.
    """

    forward: float
    backward: float
    frechet: float

    @property
    def both(self) -> float:
        """The symmetric sum of both directions (Jeffreys)."""
        return self.forward + self.backward


def need_shrinkage(*clouds: Floats) -> bool:
    """Whether a covariance among these clouds, shape (n, k) each, would be singular.

    So it is where there are no more vectors than dimensions, or vectors that lie in fewer dimensions.
    """
    for vectors in clouds:
        n, k = vectors.shape
        if n <= k or not np.ptp(vectors, axis=0).all():
            return True
        if np.linalg.matrix_rank(vectors - vectors.mean(axis=0)) < k:
            return True
    return False


def fit(vectors: Floats, *, shrunk: bool) -> Gaussian:
    """The Gaussian of a cloud of vectors.

    Parameters
    ----------
    vectors
        Shape (n, k), n >= 2, no NaN.
    shrunk
        By Ledoit and Wolf (divisor n); else the sample covariance (divisor n - 1).

    Raises
    ------
    InputError
        Fewer than two vectors, or all of them the same.
    """
    n = len(vectors)
    if n < 2 or not np.ptp(vectors, axis=0).any():
        what = (
            "only one image" if n == 1 else "no image" if n == 0 else "images that all have the same vector"
        )
        raise InputError(f"A spread cannot be estimated from {what}. Give at least two different images.")
    mean = readonly(vectors.mean(axis=0))
    if not shrunk:
        covariance = np.atleast_2d(np.cov(vectors, rowvar=False))
        return Gaussian(mean, readonly(np.asarray(covariance, float)), n)
    from sklearn.covariance import ledoit_wolf  # takes a second to import

    covariance, share = ledoit_wolf(np.asarray(vectors, float))
    return Gaussian(mean, readonly(np.asarray(covariance, float)), n, float(share))


def kl_divergence(of: Gaussian, to: Gaussian) -> float:
    """KL(of || to) in nats, 0 or more; 0 for equal Gaussians.

    Raises InputError when a covariance cannot be inverted: fit it shrunk.
    """
    from scipy.linalg import cho_solve

    factor = _factor(to)
    apart = to.mean - of.mean
    trace = float(np.trace(cho_solve(factor, of.covariance)))
    far = float(apart @ cho_solve(factor, apart))
    value = 0.5 * (trace + far - len(apart) + _log_det(to) - _log_det(of))
    return max(value, 0.0)


def frechet_squared(a: Gaussian, b: Gaussian) -> float:
    """Squared Frechet distance (the form of the FID), 0 or more; singular covariances are no obstacle.

    The eigenvalues of S0 S1 are those of the symmetric S0^1/2 S1 S0^1/2, whose roots add up to the trace.
    """
    apart = a.mean - b.mean
    values, axes = np.linalg.eigh(a.covariance)
    root = (axes * np.sqrt(np.clip(values, 0.0, None))) @ axes.T
    inner = np.linalg.eigvalsh(root @ b.covariance @ root)
    overlap = float(np.sqrt(np.clip(inner, 0.0, None)).sum())
    value = float(apart @ apart) + float(np.trace(a.covariance) + np.trace(b.covariance)) - 2 * overlap
    return max(value, 0.0)


def mahalanobis(vectors: Floats, to: Gaussian) -> Floats:
    """How many spreads each vector, shape (n, k), lies from the middle; shape (n,)."""
    from scipy.linalg import solve_triangular

    factor, _ = _factor(to)
    steps = solve_triangular(factor, (vectors - to.mean).T, lower=True)
    return np.asarray(np.sqrt((steps * steps).sum(axis=0)), float)


def distances(images: Gaussian, archetypes: Gaussian) -> Distances:
    """All three between two Gaussians, both fitted in the same way."""
    return Distances(
        kl_divergence(images, archetypes),
        kl_divergence(archetypes, images),
        frechet_squared(images, archetypes),
    )


def halves(
    vectors: Floats, *, shrunk: bool, rng: np.random.Generator, n_splits: int = YARDSTICK
) -> list[Distances]:
    """How far apart are random halves of the same images? The yardstick for the distance of others.

    Empty with fewer than four images. A half has fewer images than the whole, and estimates of few images
    lie further apart: the yardstick is on the generous side.
    """
    n, result = len(vectors), []
    for _ in range(n_splits if n >= 4 else 0):
        order = rng.permutation(n)
        parts = vectors[order[: n // 2]], vectors[order[n // 2 :]]
        if not all(np.ptp(part, axis=0).any() for part in parts):
            continue
        shrink = shrunk or need_shrinkage(*parts)
        result.append(distances(fit(parts[0], shrunk=shrink), fit(parts[1], shrunk=shrink)))
    return result


def common_scale(archetypes: Floats, others: Sequence[Floats]) -> tuple[Floats, list[Floats]]:
    """Columns of different units (features) in spreads of the archetypes; constant ones are only centred.

    KL and Mahalanobis do not depend on it (unless shrunk); Frechet adds up columns, and so needs it.
    """
    middle, spread = archetypes.mean(axis=0), archetypes.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (archetypes - middle) / spread, [(other - middle) / spread for other in others]


def _factor(of: Gaussian) -> tuple[Floats, bool]:
    """The lower Cholesky factor of a covariance, as ``cho_solve`` takes it."""
    try:
        return np.asarray(np.linalg.cholesky(of.covariance), float), True
    except np.linalg.LinAlgError as reason:
        raise InputError(
            f"The covariance of {of.n:,} images in {len(of.mean):,} dimensions cannot be inverted. "
            "Give more images than dimensions, or let it be shrunk."
        ) from reason


def _log_det(of: Gaussian) -> float:
    sign, value = np.linalg.slogdet(of.covariance)
    return float(value) if sign > 0 else float("-inf")


@dataclass(frozen=True, slots=True, eq=False)
class GroupDistances:
    """A group: its distances, how far each image lies out (shape (n,)), and what they were computed of.

    n: images with a vector. shrinkage: share of the identity in the group's covariance, None for none. why:
    a sentence where there are no distances.
    """

    name: str
    n: int
    distances: Distances | None
    each: Floats
    shrinkage: float | None
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For tables and JSON; None where there is no distance. The Mahalanobis distance is the mean over the
        images that have one."""
        one, known = self.distances, self.each[np.isfinite(self.each)]
        between = (None,) * 4 if one is None else (one.forward, one.backward, one.both, one.frechet)
        names = ("kl_group_real", "kl_real_group", "kl_sum", "frechet_squared")
        return {
            "group": self.name,
            "n": self.n,
            **dict(zip(names, between, strict=True)),
            "mahalanobis_mean": float(known.mean()) if len(known) else None,
            "shrinkage": self.shrinkage,
            "why": self.why or None,
        }


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
        lengths = ", ".join(f"{width:,}" for width in sorted(widths))
        raise InputError(f"Vectors differ in length ({lengths}). Compute all of them with the same model.")
    real = _finite(archetypes)
    clouds = {name: _finite(group) for name, group in groups.items()}
    usable = {name for name, cloud in clouds.items() if len(cloud) >= 2 and np.ptp(cloud, axis=0).any()}
    progress(0, "distances")
    shrunk = need_shrinkage(real, *(clouds[name] for name in sorted(usable)))
    middle = fit(real, shrunk=shrunk)
    result = []
    for i, (name, one) in enumerate(clouds.items()):
        progress((i + 0.5) / (len(clouds) + 1), "distances")
        each = np.full(len(groups[name]), np.nan)
        each[np.isfinite(groups[name]).all(axis=1)] = mahalanobis(one, middle) if len(one) else 0.0
        if name not in usable:
            why = "fewer than two images with different vectors"
            result.append(GroupDistances(name, len(one), None, readonly(each), None, why))
            continue
        own = fit(one, shrunk=shrunk)
        result.append(GroupDistances(name, len(one), distances(own, middle), readonly(each), own.shrinkage))
    parts = halves(real, shrunk=shrunk, rng=np.random.default_rng(seed))
    progress(1, "")
    return AllDistances(
        tuple(result),
        tuple(parts),
        readonly(mahalanobis(real, middle)),
        len(real),
        real.shape[1],
        shrunk,
        middle.shrinkage,
        seed,
    )


def score_columns(
    wsi: Floats, mahalanobis_each: Floats, rows: Floats, archetypes: Floats
) -> dict[str, Floats]:
    """Every score of the images of a group by name, shape (n,) each; more is better: distances with a minus.

    ``rows``, ``archetypes``: vectors of the group and of the archetypes.
    """
    return {
        "wsi": np.asarray(wsi, float),
        "minus_mahalanobis": -mahalanobis_each,
        "nearest_cosine": nearest(cosines_across(rows, archetypes)).value,
    }


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
    real, others = common_scale(archetypes.values[:, kept], [table.values[:, kept] for table in subjects])
    return tuple(name for name, use in zip(archetypes.names, kept, strict=True) if use), real, others


def _finite(vectors: Floats) -> Floats:
    return np.asarray(vectors[np.isfinite(vectors).all(axis=1)], float)


# Do the scores of generated images put them in the same order, and in the order of people?
#
# Every score is turned so that more is better (distances get a minus) and compared by Spearman's rho over
# the images that have all of them, with a percentile bootstrap over images for the agreement with people.

FEWEST = 4
"""Images from which on an order says anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Spearman's rho and Kendall's tau-b of every two scores, shape (m, m), over the same ``n`` images.

    NaN where a score does not vary, everywhere with fewer than ``FEWEST`` images. ``left_out``: images
    without one of the scores.
    """

    names: tuple[str, ...]
    rho: Floats
    tau: Floats
    n: int
    left_out: int


@dataclass(frozen=True, slots=True)
class WithPeople:
    """How far one score agrees with people: rho, its interval, and over how many images."""

    name: str
    rho: float
    low: float
    high: float
    n: int


def agreement(scores: Mapping[str, Floats]) -> Agreement:
    """All scores with each other; each of shape (n,), more is better, NaN for none.

    A score that no image has is left out, or nothing could be compared.
    """
    kept = {name: values for name, values in scores.items() if np.isfinite(values).any()}
    names = tuple(kept)
    total = len(next(iter(scores.values()))) if scores else 0
    if not names:
        return Agreement((), np.zeros((0, 0)), np.zeros((0, 0)), 0, total)
    columns = np.column_stack([np.where(np.isfinite(one), one, np.nan) for one in kept.values()])
    n = int(np.isfinite(columns).all(axis=1).sum())
    if n < FEWEST:
        nothing = np.full((len(names), len(names)), np.nan)
        return Agreement(names, nothing, nothing, n, total - n)
    rho, tau = correlations(columns, method="spearman"), correlations(columns, method="kendall")
    return Agreement(names, rho, tau, n, total - n)


def with_people(
    scores: Mapping[str, Floats],
    people: Floats,
    *,
    n_resamples: int = 999,
    level: float = 0.95,
    seed: int = 0,
) -> list[WithPeople]:
    """Each score against the judgments of people, shape (n,), more is better, NaN where nobody judged."""
    result, tail = [], (1 - level) / 2
    for name, values in scores.items():
        both = np.isfinite(values) & np.isfinite(people)
        x, y = values[both], people[both]
        if len(x) < FEWEST:
            result.append(WithPeople(name, float("nan"), float("nan"), float("nan"), len(x)))
            continue
        rng = np.random.default_rng(seed)
        drawn = [spearman(x[rows], y[rows]) for rows in rng.integers(0, len(x), (n_resamples, len(x)))]
        known = np.array([one for one in drawn if np.isfinite(one)])
        low, high = np.quantile(known, [tail, 1 - tail]) if len(known) else (np.nan, np.nan)
        result.append(WithPeople(name, spearman(x, y), float(low), float(high), len(x)))
    return result


def in_order(ids: Sequence[str], judged: Mapping[str, float]) -> Floats:
    """The judgments of these images, NaN where there is none."""
    return np.array([judged.get(image, np.nan) for image in ids], float)
