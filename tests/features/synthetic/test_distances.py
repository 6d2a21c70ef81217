"""Distances of several groups at once: the same as two by two, and what is said where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic.distances import (
    all_distances,
    feature_vectors,
    fit,
    frechet_squared,
    kl_divergence,
)
from evalcore.features.synthetic.features import table
from evalcore.values.errors import InputError

REAL = np.random.default_rng(0).normal(size=(60, 3))


def test_as_two_by_two():
    near, few = REAL[:40] + 0.1, REAL[:30] * 2
    found = all_distances(REAL, {"near": near, "wide": few}, seed=1)
    one = found.groups[1].distances
    assert one.forward == pytest.approx(kl_divergence(fit(few, shrunk=False), fit(REAL, shrunk=False)))
    assert one.frechet == pytest.approx(frechet_squared(fit(few, shrunk=False), fit(REAL, shrunk=False)))
    assert not found.shrunk and found.shrinkage is None and found.dimensions == 3 and len(found.halves) == 20
    # the mean squared Mahalanobis distance of a sample to its own Gaussian is k (n - 1) / n
    assert np.mean(found.own**2) == pytest.approx(3 * 59 / 60)


def test_a_small_group_has_all_shrunk():
    found = all_distances(REAL, {"few": REAL[:3] + 1, "many": REAL + 0.5})
    assert found.shrunk and found.shrinkage > 0 and all(one.shrinkage is not None for one in found.groups)
    assert found.groups[1].distances.both > 0


def test_groups_without_distances_say_why():
    hurt = np.vstack([REAL[:5], np.full((1, 3), np.nan)])
    found = all_distances(REAL, {"one": REAL[:1], "hurt": hurt, "none": np.full((2, 3), np.nan)})
    assert [one.distances is None for one in found.groups] == [True, False, True]
    assert found.groups[0].why and found.groups[0].each.shape == (1,) and np.isnan(found.groups[1].each[5])
    with pytest.raises(InputError, match=r"differ in length \(2, 3\)"):
        all_distances(REAL, {"other": np.zeros((4, 2))})


def test_features_as_vectors():
    real = table(["a", "b"], ["x", "y", "z", "flat"], np.array([[0, 1, 5, 2], [4, np.nan, 6, 2.0]]))
    other = table(["c"], ["x", "y", "z", "flat"], np.array([[6, 1, np.inf, 2.0]]))
    names, own, (group,) = feature_vectors(real, [other])
    assert names == ("x",) and own.tolist() == [[-1.0], [1.0]] and group.tolist() == [[2.0]]
    with pytest.raises(InputError, match="images have no vectors"):
        feature_vectors(real.of(["flat"]), [other.of(["flat"])])
