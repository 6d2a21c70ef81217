"""Distances between Gaussians: the golden values of the spec, closed forms, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg
from scipy.spatial.distance import mahalanobis as scipy_mahalanobis
from sklearn.covariance import LedoitWolf

from evalcore.features.synthetic.distances import (
    Gaussian,
    common_scale,
    distances,
    fit,
    frechet_squared,
    halves,
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
    assert distances(N0, N1).both == pytest.approx(2.142857143, abs=5e-10)
    assert kl_divergence(N0, N0) == pytest.approx(0, abs=1e-12)
    assert kl_divergence(NARROW, WIDE) == pytest.approx(0.4431471806, abs=5e-11)
    assert mahalanobis(np.array([[1.0, -1.0]]), N0) == pytest.approx([1.31707778], abs=5e-9)
    assert mahalanobis(np.zeros((1, 2)), N1) == pytest.approx([1.224744871], abs=5e-10)
    assert frechet_squared(N0, N1) == pytest.approx(2.357377215, abs=5e-10)


def test_golden_file(spec_golden):
    given_values = spec_golden["E_kl"]
    own = [kl_divergence(N0, N1), kl_divergence(N1, N0), frechet_squared(N0, N1)]
    flat = list(_numbers(given_values))
    assert all(any(abs(one - x) < 1e-8 for x in flat) for one in own)


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [x for one in value for x in _numbers(one)]
    return [value] if isinstance(value, float) else []


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
    plain = 0.5 * (
        np.trace(inverse @ a.covariance)
        + apart @ inverse @ apart
        - k
        + np.log(np.linalg.det(b.covariance) / np.linalg.det(a.covariance))
    )
    assert kl_divergence(a, b) == pytest.approx(plain, rel=1e-6, abs=1e-8) and kl_divergence(a, b) >= 0


@given(st.integers(0, 10**6))
def test_kl_and_mahalanobis_do_not_depend_on_units(seed):
    a, b = cloud(seed, 30, 3), cloud(seed + 1, 30, 3)
    turned = np.random.default_rng(seed).normal(size=(3, 3)) + 4 * np.eye(3)
    own, other = (fit(x, shrunk=False) for x in (a, b))
    own_turned, other_turned = (fit(x @ turned, shrunk=False) for x in (a, b))
    assert kl_divergence(own, other) == pytest.approx(kl_divergence(own_turned, other_turned), rel=1e-5)
    assert mahalanobis(a, other) == pytest.approx(mahalanobis(a @ turned, other_turned), rel=1e-5)


def test_fewer_images_than_dimensions_are_shrunk():
    few = cloud(0, 10, 20)
    assert (
        need_shrinkage(few) and need_shrinkage(cloud(0, 50, 20), few) and not need_shrinkage(cloud(0, 50, 20))
    )
    with pytest.raises(InputError, match="10 images in 20 dimensions cannot be inverted"):
        kl_divergence(fit(few, shrunk=False), fit(few, shrunk=False))
    shrunk, reference = fit(few, shrunk=True), LedoitWolf().fit(few)
    assert shrunk.covariance == pytest.approx(reference.covariance_)
    assert shrunk.shrinkage == pytest.approx(reference.shrinkage_) and 0 < shrunk.shrinkage < 1
    assert kl_divergence(shrunk, shrunk) == pytest.approx(0, abs=1e-9)


def test_dimensions_that_do_not_vary_or_repeat_are_shrunk():
    flat = cloud(0, 50, 3)
    flat[:, 1] = 7.0
    twice = cloud(0, 50, 3)
    twice[:, 2] = twice[:, 0] + twice[:, 1]
    assert need_shrinkage(flat) and need_shrinkage(twice)
    assert np.isfinite(mahalanobis(flat, fit(flat, shrunk=True))).all()


@pytest.mark.parametrize("vectors", [np.zeros((0, 2)), np.zeros((1, 2)), np.ones((5, 2))])
def test_no_spread_is_said(vectors):
    with pytest.raises(InputError, match="spread cannot be estimated"):
        fit(vectors, shrunk=True)


def test_halves_are_nearer_than_another_cloud():
    own = np.random.default_rng(1).normal(size=(200, 4))
    found = halves(own, shrunk=False, rng=np.random.default_rng(2))
    moved = distances(fit(own + 1.0, shrunk=False), fit(own, shrunk=False))
    assert len(found) == 20 and max(one.both for one in found) < moved.both
    assert (
        moved.frechet == pytest.approx(4.0)
        and halves(own[:3], shrunk=True, rng=np.random.default_rng(0)) == []
    )


def test_features_in_spreads_of_the_archetypes():
    own = np.array([[0.0, 5.0], [2.0, 5.0]])
    scaled, (other,) = common_scale(own, [np.array([[3.0, 7.0]])])
    assert scaled.tolist() == [[-1.0, 0.0], [1.0, 0.0]] and other.tolist() == [[2.0, 2.0]]
