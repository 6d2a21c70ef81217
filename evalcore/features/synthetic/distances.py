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

The reach of an image is its distance to its k-th nearest neighbour among its own kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from evalcore.features.synthetic.wsi import finite, matrix
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent
from evalcore.values.writing import listed

FARTHEST = 1e40
"""Spreads: of vectors farther away, sums of products would overflow."""
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


def feature_vectors(tables: Mapping[str, pd.DataFrame]) -> dict[str, Floats]:
    """Features as vectors, in spreads of the archetypes: those that all images have and that vary.

    Frechet adds up columns, so these need a common unit; KL and Mahalanobis do not depend on it (unless
    shrunk). ``tables``: by group, the archetypes first. InputError where there is no such feature, or a value
    is more than ``FARTHEST`` spreads away.
    """
    archetypes, *_ = tables.values()
    clouds = {name: matrix(table) for name, table in tables.items()}
    varied = np.ptp(np.nan_to_num(finite(archetypes)), axis=0) > 0
    kept = np.isfinite(np.vstack([*clouds.values()])).all(axis=0) & varied
    if not kept.any():
        raise InputError(
            "No feature has a value in every image and varies among the real images, so images have no "
            "vectors. Give ResNet-18 weights, or other features."
        )
    real = matrix(archetypes)[:, kept]
    middle, spread = real.mean(axis=0), real.std(axis=0)
    with np.errstate(over="ignore"):
        vectors = {
            name: (values[:, kept] - middle) / np.where(spread > 0, spread, 1.0)
            for name, values in clouds.items()
        }
    for name, rows in vectors.items():
        far = archetypes.columns[kept][(np.abs(rows) > FARTHEST).any(axis=0)]
        if len(far):
            raise InputError(
                f"{name}: {listed(list(far))} is more than {FARTHEST:g} spreads of the real images from "
                "them, too far for a distance. Use the same units in every group."
            )
    return vectors


# Fidelity and variety by neighbours, and KID.

K = 5
MOST = 2_000
"""Images of a group that are compared with each other, drawn with the seed: every two of them are."""
FIDELITY = ("precision", "recall", "density", "coverage", "kid")
"""Of all but KID more is better."""


def fidelity(real: Floats, other: Floats) -> dict[str, float | None]:
    """Each of `FIDELITY` of a group against the real images, by vectors of shape (n, d) and (m, d).

    None where one of them has no more than ``K`` images.
    """
    if min(len(real), len(other)) <= K:
        return dict.fromkeys(FIDELITY)

    def reach(images: Floats) -> Floats:
        apart = cdist(images, images)
        np.fill_diagonal(apart, np.inf)
        return np.asarray(np.partition(apart, K - 1, axis=1)[:, K - 1])

    def kernel(a: Floats, b: Floats) -> Floats:
        return np.asarray((a @ b.T / real.shape[1] + 1) ** 3)

    def within(images: Floats) -> float:
        """The mean of the kernel over pairs of two different images."""
        values, each = kernel(images, images), np.ones(len(images))
        return float((each @ values @ each - each @ np.diag(values)) / (len(each) ** 2 - len(each)))

    apart = cdist(real, other)
    inside = apart <= reach(real)[:, np.newaxis]
    across = float(np.ones(len(real)) @ kernel(real, other) @ np.ones(len(other)) / apart.size)
    return {
        "precision": float(inside.any(axis=0).mean()),
        "recall": float((apart <= reach(other)).any(axis=1).mean()),
        "density": float((inside.sum(axis=0) / K).mean()),
        "coverage": float(inside.any(axis=1).mean()),
        "kid": within(real) + within(other) - 2 * across,
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
    vectors: Mapping[str, Floats], *, seed: int = 0, progress: Progress = silent
) -> AllDistances:
    """KL both ways, Frechet, Mahalanobis and `fidelity` of every group against the archetypes.

    ``vectors``: by group, shape (n, k) each, the archetypes first; rows with NaN or infinity are left out.
    The first row says what images of the same kind have, with half as many images. Raises InputError for
    archetypes without any spread.
    """
    known = {name: np.isfinite(rows).all(axis=1) for name, rows in vectors.items()}
    clouds = {name: np.asarray(rows[known[name]], float) for name, rows in vectors.items()}
    real, rng = clouds.pop(next(iter(vectors))), np.random.default_rng(seed)
    shrunk = need_shrinkage(real, *filter(varies, clouds.values()))

    def drawn(cloud: Floats) -> Floats:
        few = len(cloud) <= MOST
        return cloud if few else cloud[np.sort(rng.choice(len(cloud), MOST, replace=False))]

    some = drawn(real)
    order, half = rng.permutation(len(some)), len(some) // 2
    first, second = some[order[half:]], some[order[:half]]
    values = dict.fromkeys(DISTANCES)
    if half > K:
        values, _ = _compared(first, second, need_shrinkage(first, second))
    rows, each = [{"group": HALF, "n": half, **values, **fidelity(first, second)}], {}
    for i, (name, cloud) in enumerate(clouds.items()):
        progress(i / len(clouds), name)
        values, apart = _compared(real, cloud, shrunk)
        each[name] = np.full(len(vectors[name]), np.nan)
        each[name][known[name]] = apart
        rows.append({"group": name, "n": len(cloud), **values, **fidelity(some, drawn(cloud))})
    progress(1, "")
    return AllDistances(rows, each, len(real), real.shape[1], fit(real, shrunk=shrunk).shrinkage)


def _compared(archetypes: Floats, cloud: Floats, shrunk: bool) -> tuple[dict[str, float | None], Floats]:
    """`DISTANCES` of Gaussians fitted to vectors of both, and how far each vector is from the middle of the
    archetypes."""
    middle, values = fit(archetypes, shrunk=shrunk), dict.fromkeys(DISTANCES)
    apart = mahalanobis(cloud, middle)
    if len(cloud):
        values["mahalanobis_mean"] = float(apart.mean())
    if varies(cloud):
        images = fit(cloud, shrunk=shrunk)
        forward, backward = kl_divergence(images, middle), kl_divergence(middle, images)
        values |= {
            "kl_group_real": forward,
            "kl_real_group": backward,
            "kl_sum": forward + backward,
            "frechet_squared": frechet_squared(images, middle),
        }
    return values, apart
