"""How far apart are two clouds of image vectors? Distances between Gaussians fitted to them.

With means m and covariances S of k dimensions:

    KL(N0 || N1) = 1/2 [tr(S1^-1 S0) + (m1 - m0)' S1^-1 (m1 - m0) - k + ln det S1 - ln det S0]
    Frechet^2    = |m0 - m1|^2 + tr(S0 + S1 - 2 (S0 S1)^1/2)       (Dowson & Landau 1982; on Inception
                                                                    features "FID", Heusel et al. 2017)
    Mahalanobis  = sqrt((x - m)' S^-1 (x - m))

KL is in nats, from 0, and has a direction. A covariance of n images has rank n - 1 at most, so with no more
images than dimensions it cannot be inverted: it is then shrunk towards a multiple of the identity (Ledoit &
Wolf 2004, doi:10.1016/S0047-259X(03)00096-4), and the share says by how much. A shrunk covariance compared
with a plain one would differ for that reason alone, so Gaussians that are compared are shrunk all or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.values.arrays import Floats, frozen
from evalcore.values.errors import InputError

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
    mean = vectors.mean(axis=0)
    if not shrunk:
        covariance = np.atleast_2d(np.cov(vectors, rowvar=False))
        return Gaussian(frozen(mean), frozen(np.asarray(covariance, float)), n)
    from sklearn.covariance import ledoit_wolf  # takes a second to import

    covariance, share = ledoit_wolf(np.asarray(vectors, float))
    return Gaussian(frozen(mean), frozen(np.asarray(covariance, float)), n, float(share))


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
        kl_divergence(images, archetypes), kl_divergence(archetypes, images),
        frechet_squared(images, archetypes),
    )  # fmt: skip


def halves(
    vectors: Floats, *, shrunk: bool, rng: np.random.Generator, n_splits: int = YARDSTICK
) -> list[Distances]:
    """How far apart are random halves of the same images? The yardstick for the distance of others.

    Empty with fewer than four images. A half has fewer images than the whole, and estimates of few images
    lie further apart: the yardstick is on the generous side.
    """
    n, found = len(vectors), []
    for _ in range(n_splits if n >= 4 else 0):
        order = rng.permutation(n)
        parts = vectors[order[: n // 2]], vectors[order[n // 2 :]]
        if not all(np.ptp(part, axis=0).any() for part in parts):
            continue
        shrink = shrunk or need_shrinkage(*parts)
        found.append(distances(fit(parts[0], shrunk=shrink), fit(parts[1], shrunk=shrink)))
    return found


def common_scale(archetypes: Floats, others: Sequence[Floats]) -> tuple[Floats, list[Floats]]:
    """Columns of different units (features) in spreads of the archetypes; constant ones are only centred.

    KL and Mahalanobis do not depend on it (unless shrunk); Frechet adds up columns, and so needs it.
    """
    middle, spread = archetypes.mean(axis=0), archetypes.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (archetypes - middle) / spread, [(one - middle) / spread for one in others]


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
