"""Distances between Gaussians: the golden values of the spec, closed forms, and laws; fidelity by
neighbours, and KID."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg
from scipy.spatial.distance import mahalanobis as scipy_mahalanobis
from sklearn.covariance import LedoitWolf
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.neighbors import NearestNeighbors

from evalcore.features.synthetic.distances import (
    Gaussian,
    all_distances,
    feature_vectors,
    fidelity,
    fit,
    frechet_squared,
    kl_divergence,
    mahalanobis,
    need_shrinkage,
)
from evalcore.values.errors import InputError

N0 = Gaussian(np.zeros(2), np.array([[1.0, 0.2], [0.2, 2.0]]), 100)
N1 = Gaussian(np.array([1.0, -1.0]), np.diag([2.0, 1.0]), 100)
NARROW, WIDE = (Gaussian(np.array([m]), np.array([[v]]), 9) for m, v in ((0.0, 1.0), (1.0, 4.0)))


def test_golden():
    assert kl_divergence(N0, N1) == pytest.approx(1.010101354, abs=5e-10)
    assert kl_divergence(N1, N0) == pytest.approx(1.132755789, abs=5e-10)
    assert kl_divergence(N0, N1) + kl_divergence(N1, N0) == pytest.approx(2.142857143, abs=5e-10)
    assert kl_divergence(N0, N0) == pytest.approx(0, abs=1e-12)
    assert kl_divergence(NARROW, WIDE) == pytest.approx(0.4431471806, abs=5e-11)
    assert mahalanobis(np.array([[1.0, -1.0]]), N0) == pytest.approx([1.31707778], abs=5e-9)
    assert mahalanobis(np.zeros((1, 2)), N1) == pytest.approx([1.224744871], abs=5e-10)
    assert frechet_squared(N0, N1) == pytest.approx(2.357377215, abs=5e-10)


def cloud(seed, n, k):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, k)) + rng.normal(size=k)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_as_scipy(seed, k):
    a, b = (fit(cloud(seed + i, 40, k), shrunk=False) for i in range(2))
    root = linalg.sqrtm(a.covariance @ b.covariance)
    apart = a.mean - b.mean
    fid = apart @ apart + np.trace(a.covariance + b.covariance - 2 * root.real)
    assert frechet_squared(a, b) == pytest.approx(fid, rel=1e-6, abs=1e-6)
    assert frechet_squared(a, b) == pytest.approx(frechet_squared(b, a), rel=1e-9)
    inverse = np.linalg.inv(b.covariance)
    point = cloud(seed, 1, k)
    assert mahalanobis(point, b)[0] == pytest.approx(scipy_mahalanobis(point[0], b.mean, inverse), rel=1e-6)
    volumes = np.log(np.linalg.det(b.covariance) / np.linalg.det(a.covariance))
    plain = 0.5 * (np.trace(inverse @ a.covariance) + apart @ inverse @ apart - k + volumes)
    assert kl_divergence(a, b) == pytest.approx(plain, rel=1e-6, abs=1e-8) and kl_divergence(a, b) >= 0


def test_fewer_images_than_dimensions_are_shrunk():
    few, many = cloud(0, 10, 20), cloud(0, 50, 20)
    assert need_shrinkage(few) and need_shrinkage(many, few) and not need_shrinkage(many)
    with pytest.raises(InputError, match="10 images in 20 dimensions cannot be inverted"):
        kl_divergence(fit(few, shrunk=False), fit(few, shrunk=False))
    shrunk, reference = fit(few, shrunk=True), LedoitWolf().fit(few)
    assert shrunk.covariance == pytest.approx(reference.covariance_)
    assert shrunk.shrinkage == pytest.approx(reference.shrinkage_) and 0 < shrunk.shrinkage < 1
    assert kl_divergence(shrunk, shrunk) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("vectors", [np.zeros((0, 2)), np.zeros((1, 2)), np.ones((5, 2))])
def test_no_spread_is_said(vectors):
    with pytest.raises(InputError, match="spread cannot be estimated"):
        fit(vectors, shrunk=True)


REAL = np.random.default_rng(0).normal(size=(60, 3))


def test_groups_without_distances_have_none():
    hurt = np.vstack([REAL[:5], np.full((1, 3), np.nan)])
    groups = {"single": REAL[:1], "hurt": hurt, "none": np.full((2, 3), np.nan)}
    distances = all_distances({"real": REAL, **groups})
    assert [row["kl_sum"] is None for row in distances.rows] == [False, True, False, True]
    assert distances.each["single"].shape == (1,) and np.isnan(distances.each["hurt"][5])


def test_features_as_vectors_in_spreads_of_the_real_images():
    names = ["x", "y", "z", "flat"]
    real = pd.DataFrame([[0, 1, 5, 2], [4, np.nan, 6, 2.0]], columns=names)
    other = pd.DataFrame([[6, 1, np.inf, 2.0]], columns=names)
    own, group = feature_vectors({"real": real, "other": other}).values()
    assert own.tolist() == [[-1.0], [1.0]] and group.tolist() == [[2.0]]
    with pytest.raises(InputError, match="images have no vectors"):
        feature_vectors({"real": real[["flat"]], "other": other[["flat"]]})


# Fidelity and variety by neighbours, and KID.


def test_as_scikit_learn_has_neighbours_and_kernels():
    rng = np.random.default_rng(0)
    real, other = rng.normal(size=(40, 6)), rng.normal(0.3, 1.2, size=(30, 6))

    def reach(images):
        return NearestNeighbors(n_neighbors=4).fit(images).kneighbors(images)[0][:, 3]

    apart = np.linalg.norm(real[:, None] - other[None], axis=2)
    inside = apart <= reach(real)[:, None]
    values = fidelity(real, other, 3)
    assert values["precision"] == pytest.approx(inside.any(0).mean())
    assert values["density"] == pytest.approx(inside.sum() / 3 / 30)
    assert values["coverage"] == pytest.approx(inside.any(1).mean())
    assert values["recall"] == pytest.approx((apart <= reach(other)).any(1).mean())
    own, others, across = (
        polynomial_kernel(a, b, degree=3, gamma=1 / 6, coef0=1)
        for a, b in ((real, real), (other, other), (real, other))
    )
    off = [kernel[~np.eye(len(kernel), dtype=bool)].mean() for kernel in (own, others)]
    assert values["kid"] == pytest.approx(sum(off) - 2 * across.mean())


def test_groups_beside_halves_of_the_real_images():
    """Same images, images of another place, and half of the kinds: fidelity and variety are told apart."""
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0], [30, 0]])
    real = np.vstack([centres[i % 2] + rng.normal(size=2) for i in range(120)])
    groups = {
        "same": np.vstack([centres[i % 2] + rng.normal(size=2) for i in range(100)]),
        "far": rng.normal(size=(100, 2)) + 200,
        "one kind": rng.normal(size=(100, 2)),
        "few": real[:4],
    }
    rows = all_distances({"real": real, **groups}).rows
    halves, same, far, one_kind, few = rows
    assert halves["group"] == "real, one half" and halves["n"] == 60
    assert same["frechet_squared"] < halves["frechet_squared"] < far["frechet_squared"]
    assert same["precision"] > 0.8 and same["coverage"] > 0.8
    assert far["precision"] == far["coverage"] == 0
    assert one_kind["precision"] > 0.8 and 0.3 < one_kind["coverage"] < 0.6
    assert far["kl_sum"] == pytest.approx(far["kl_group_real"] + far["kl_real_group"])
    assert abs(same["kid"]) < one_kind["kid"] < far["kid"]
    assert few["kid"] is None and all_distances({"real": real, **groups}).rows == rows
