"""How far is a group of generated images from the real ones, by vectors of the images?

Gaussians with means m and covariances S of k dimensions, fitted to the vectors:

    KL(N0 || N1) = 1/2 [tr(S1^-1 S0) + (m1 - m0)' S1^-1 (m1 - m0) - k + ln det S1 - ln det S0]
    Frechet^2    = |m0 - m1|^2 + tr(S0 + S1 - 2 (S0 S1)^1/2)       (Dowson & Landau 1982; on Inception
                                                                    features "FID", Heusel et al. 2017)
    Mahalanobis  = sqrt((x - m)' S^-1 (x - m))

KL is in nats, from 0, and has a direction. A covariance of n images has rank n - 1 at most, so with no more
images than dimensions it cannot be inverted: it is then shrunk towards a multiple of the identity (Ledoit &
Wolf 2004, doi:10.1016/S0047-259X(03)00096-4), and the share says by how much. A shrunk covariance compared
with a plain one would differ for that reason alone, so Gaussians that are compared are shrunk all or none.

Neighbours and kernels:

========= ====================================================================== ===========================
precision share of generated images within reach of a real one                   Kynkäänniemi et al. 2019
recall    share of real images within reach of a generated one                   (arXiv 1904.06991)
density   real images within whose reach a generated one is, over k: 1 for the   Naeem et al. 2020
          same distribution, above where generated images crowd                  (arXiv 2002.09797)
coverage  share of real images with a generated one within their reach
kid       MMD² of the kernel (x·y / dimensions + 1)³, unbiased, so it can be      Bińkowski et al. 2018
          below 0                                                                (arXiv 1801.01401)
========= ====================================================================== ===========================

The reach of an image is its distance to its k-th nearest neighbour among its own kind. Intervals resample
images: of the kind that a share is a mean over (reaches stay as they are, since an image drawn twice would
have itself as neighbour), of both kinds for KID, without pairs of an image with itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from evalcore.features.synthetic.wsi import finite, matrix
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

DISTANCES = ("kl_group_real", "kl_real_group", "kl_sum", "frechet_squared", "mahalanobis_mean")


class Gaussian(NamedTuple):
    """Mean, shape (k,), and covariance, shape (k, k), of ``n`` vectors.

    shrinkage: share of the multiple of the identity in the covariance, 0 to 1; None for the plain one.
    """

    mean: Floats
    covariance: Floats
    n: int
    shrinkage: float | None = None


def need_shrinkage(*clouds: Floats) -> bool:
    """Whether a covariance among these clouds, shape (n, k) each, would be singular: no more vectors than
    dimensions, or vectors in fewer dimensions."""
    return any(
        len(vectors) <= vectors.shape[1]
        or not np.ptp(vectors, axis=0).all()
        or bool(np.linalg.matrix_rank(vectors - vectors.mean(axis=0)) < vectors.shape[1])
        for vectors in clouds
    )


def fit(vectors: Floats, *, shrunk: bool) -> Gaussian:
    """The Gaussian of a cloud of vectors.

    Parameters
    ----------
    vectors
        Shape (n, k), n >= 2, no NaN.
    shrunk
        By Ledoit and Wolf (divisor n); else the sample covariance (divisor n - 1).

    Raises InputError for fewer than two vectors, or all of them the same.
    """
    n = len(vectors)
    if not varies(vectors):
        what = {0: "no image", 1: "only one image"}.get(n, "images that all have the same vector")
        raise InputError(f"A spread cannot be estimated from {what}. Give at least two different images.")
    mean = vectors.mean(axis=0)
    if not shrunk:
        return Gaussian(mean, np.atleast_2d(np.cov(vectors, rowvar=False)), n)
    from sklearn.covariance import ledoit_wolf  # takes a second to import

    covariance, share = ledoit_wolf(np.asarray(vectors, float))
    return Gaussian(mean, covariance, n, float(share))


def varies(vectors: Floats) -> bool:
    """Whether there are two different vectors."""
    return len(vectors) > 1 and bool(np.ptp(vectors, axis=0).any())


def kl_divergence(gaussian: Gaussian, to: Gaussian) -> float:
    """KL(of || to) in nats, 0 or more. Raises InputError when a covariance cannot be inverted: fit it
    shrunk."""
    from scipy.linalg import cho_solve

    factor, apart = (_factor(to), True), to.mean - gaussian.mean
    trace = float(np.trace(cho_solve(factor, gaussian.covariance)))
    log_to, log_of = (float(np.linalg.slogdet(each.covariance).logabsdet) for each in (to, gaussian))
    value = 0.5 * (trace + float(apart @ cho_solve(factor, apart)) - len(apart) + log_to - log_of)
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
    """How many spreads each vector, shape (n, k), is from the middle; shape (n,)."""
    from scipy.linalg import solve_triangular

    steps = solve_triangular(_factor(to), (vectors - to.mean).T, lower=True)
    return np.asarray(np.sqrt((steps * steps).sum(axis=0)), float)


def _factor(gaussian: Gaussian) -> Floats:
    """The lower Cholesky factor of a covariance."""
    try:
        return np.asarray(np.linalg.cholesky(gaussian.covariance), float)
    except np.linalg.LinAlgError as reason:
        raise InputError(
            f"The covariance of {gaussian.n:,} images in {len(gaussian.mean):,} dimensions cannot be "
            "inverted. Give more images than dimensions, or let it be shrunk."
        ) from reason


def distances(images: Gaussian, archetypes: Gaussian) -> dict[str, float]:
    """Between two Gaussians fitted in the same way: KL from the images and to them, the sum of both
    directions (Jeffreys), and Frechet squared."""
    forward, backward = kl_divergence(images, archetypes), kl_divergence(archetypes, images)
    values = forward, backward, forward + backward, frechet_squared(images, archetypes)
    return dict(zip(DISTANCES, values, strict=False))


def feature_vectors(archetypes: pd.DataFrame, *groups: pd.DataFrame) -> list[Floats]:
    """Features as vectors, in spreads of the archetypes: those that all images have and that vary.

    Frechet adds up columns, so these need a common unit; KL and Mahalanobis do not depend on it (unless
    shrunk). Returns the vectors of the archetypes, then those of each group. InputError where there is no
    such feature.
    """
    real, *others = map(matrix, (archetypes, *groups))
    varied = np.ptp(np.nan_to_num(finite(archetypes)), axis=0) > 0
    kept = np.isfinite(np.vstack([real, *others])).all(axis=0) & varied
    if not kept.any():
        raise InputError(
            "No feature has a value in every image and varies among the real images, so images have no "
            "vectors. Give ResNet-18 weights, or other features."
        )
    middle, spread = real[:, kept].mean(axis=0), real[:, kept].std(axis=0)
    return [(values[:, kept] - middle) / np.where(spread > 0, spread, 1.0) for values in (real, *others)]


# Fidelity and variety by neighbours, and KID.

K = 5
MOST = 2_000
"""Images of a group that are compared with each other, drawn with the seed: every two of them are."""
N_RESAMPLES, LEVELS = 500, ((1 - 0.95) / 2, (1 + 0.95) / 2)
FIDELITY = {
    "precision": "Precision",
    "recall": "Recall",
    "density": "Density",
    "coverage": "Coverage",
    "kid": "KID",
}
"""What measures are called; more is better but of KID."""


def neighbourhoods(real: Floats, other: Floats, k: int = K) -> dict[str, Floats]:
    """What each image adds to the measures by neighbours: precision and density shape (m,), the others (n,).

    ``real``, ``other``: vectors, shape (n, d) and (m, d), more than ``k`` images each.
    """

    def reach(images: Floats) -> Floats:
        apart = cdist(images, images)
        np.fill_diagonal(apart, np.inf)
        return np.asarray(np.partition(apart, k - 1, axis=1)[:, k - 1])

    apart = cdist(real, other)
    inside = apart <= reach(real)[:, np.newaxis]
    return {
        "precision": inside.any(axis=0).astype(float),
        "recall": (apart <= reach(other)).any(axis=1).astype(float),
        "density": inside.sum(axis=0) / k,
        "coverage": inside.any(axis=1).astype(float),
    }


def kid(real: Floats, other: Floats) -> Callable[[Floats, Floats], float]:
    """Unbiased squared maximum mean discrepancy of two groups of vectors, shape (n, d) and (m, d), given how
    often each image counts."""

    def kernel(a: Floats, b: Floats) -> Floats:
        return np.asarray((a @ b.T / real.shape[1] + 1) ** 3)

    def within(kernel: Floats, weight: Floats) -> float:
        """The mean over pairs of two different images."""
        total = weight @ kernel @ weight - (weight * weight) @ np.diag(kernel)
        return float(total / (weight.sum() ** 2 - (weight * weight).sum()))

    own, others, across = kernel(real, real), kernel(other, other), kernel(real, other)
    return lambda w, v: within(own, w) + within(others, v) - 2 * float(w @ across @ v / (w.sum() * v.sum()))


def fidelity(
    real: Floats, other: Floats, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> dict[str, float | None]:
    """Each of `FIDELITY` of a group against the real images, with its percentile interval (``NAME_low``,
    ``NAME_high``); None where one of them has no more than ``K`` images."""
    values: dict[str, tuple[float | None, ...]] = dict.fromkeys(FIDELITY, (None, None, None))
    sizes = len(real), len(other)
    if min(sizes) > K:
        for name, each in neighbourhoods(real, other).items():
            resampled = [float(rng.choice(each, len(each)).mean()) for _ in range(n_resamples)]
            values[name] = float(each.mean()), *map(float, np.quantile(resampled, LEVELS))
        weighted = kid(real, other)
        counts = (
            [np.bincount(rng.integers(0, n, n), minlength=n).astype(float) for n in sizes]
            for _ in range(n_resamples)
        )
        ends = np.quantile([weighted(*each) for each in counts], LEVELS)
        values["kid"] = weighted(*map(np.ones, sizes)), *map(float, ends)
        if min(sizes) > real.shape[1]:
            # Two orders that nothing uses: they keep the resamples of the next group where they were.
            for n in sizes:
                rng.permutation(n)
    columns = ((name, f"{name}_low", f"{name}_high") for name in FIDELITY)
    return {
        column: value
        for names, ends in zip(columns, values.values(), strict=True)
        for column, value in zip(names, ends, strict=True)
    }


# Every distance of every group.

HALF = "real, one half"


class AllDistances(NamedTuple):
    """Groups against archetypes of ``n`` images with vectors of ``dimensions`` numbers.

    rows: of one random half of the archetypes against the other, then of each group: its name, images with a
    vector, `DISTANCES` (None with fewer than two different vectors, and of halves of `K` images) and
    `fidelity`. each: how far each image of a group is from the middle, shape (n,), NaN without a vector.
    shrinkage: of the archetypes, None where no covariance of a group is shrunk; all are because one of them
    could not be inverted.
    """

    rows: list[dict[str, Any]]
    each: dict[str, Floats]
    n: int
    dimensions: int
    shrinkage: float | None


def all_distances(
    archetypes: Floats,
    groups: Mapping[str, Floats],
    *,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    progress: Progress = silent,
) -> AllDistances:
    """KL both ways, Frechet, Mahalanobis and `fidelity` of every group against the archetypes.

    ``archetypes``, ``groups``: vectors, shape (n, k) each; rows with NaN or infinity are left out. The first
    row says what images of the same kind have, with half as many images. Raises InputError for archetypes
    without any spread.
    """
    real, rng = _known(archetypes), np.random.default_rng(seed)
    clouds = {name: _known(group) for name, group in groups.items()}
    shrunk = need_shrinkage(real, *filter(varies, clouds.values()))
    shrinkage = fit(real, shrunk=shrunk).shrinkage

    def drawn(vectors: Floats) -> Floats:
        if len(vectors) <= MOST:
            return vectors
        return vectors[np.sort(rng.choice(len(vectors), MOST, replace=False))]

    some = drawn(real)
    order, half = rng.permutation(len(some)), len(some) // 2
    first, second = some[order[half:]], some[order[:half]]
    pairs = {HALF: (first, second), **{name: (real, cloud) for name, cloud in clouds.items()}}
    samples = {HALF: (first, second), **{name: (some, drawn(cloud)) for name, cloud in clouds.items()}}
    rows, each = [], {}
    for i, (name, (against, cloud)) in enumerate(pairs.items()):
        progress(i / len(pairs), name)
        row: dict[str, Any] = {"group": name, "n": len(cloud), **dict.fromkeys(DISTANCES)}
        if i or min(len(against), len(cloud)) > K:
            shrink = shrunk if i else need_shrinkage(against, cloud)
            middle = fit(against, shrunk=shrink)
            apart = mahalanobis(cloud, middle)
            if i:
                each[name] = np.full(len(groups[name]), np.nan)
                each[name][np.isfinite(groups[name]).all(axis=1)] = apart
            row["mahalanobis_mean"] = float(apart.mean()) if len(apart) else None
            row |= distances(fit(cloud, shrunk=shrink), middle) if varies(cloud) else {}
        rows.append(row | fidelity(*samples[name], rng, n_resamples))
    progress(1, "")
    return AllDistances(rows, each, len(real), real.shape[1], shrinkage)


def _known(vectors: Floats) -> Floats:
    return np.asarray(vectors[np.isfinite(vectors).all(axis=1)], float)
