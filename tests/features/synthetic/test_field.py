"""Precision, recall, density, coverage and KID: by hand on a line, and by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.neighbors import NearestNeighbors

from evalcore.features.synthetic.field import field, kid, neighbourhoods, verdict
from evalcore.values.errors import SettingError


def test_by_hand_on_a_line():
    """k = 1. Reaches: of 0, 1, 3, 7 they are 1, 1, 2, 4; of .5, 2, 20 they are 1.5, 1.5, 18.

    Within reach of a real image: .5 (of 0 and of 1), 2 (of 1 and of 3); 20 of none. Real images with a
    generated one within their reach: 0, 1, 3; 7 has 2 at 5. Within reach of a generated one: 0 and 1 of .5
    (1 of 2 too), 3 of 2, and 3 and 7 of 20 (17 and 13 are within 18).
    """
    real, other = np.array([[0.0], [1], [3], [7]]), np.array([[0.5], [2], [20]])
    of = neighbourhoods(real, other, 1)
    assert of["precision"].tolist() == [1, 1, 0] and of["density"].tolist() == [2, 2, 0]
    assert of["coverage"].tolist() == [1, 1, 1, 0] and of["recall"].tolist() == [1, 1, 1, 1]


def test_kid_by_hand():
    """One dimension, k(x, y) = (xy + 1)³; real 0, 1 and generated 2, 3: 1 + 7³ - 2 mean(1, 1, 27, 64)."""
    assert kid(np.array([[0.0], [1]]), np.array([[2.0], [3]])) == pytest.approx(1 + 343 - 2 * 93 / 4)


def test_as_scikit_learn_has_neighbours_and_kernels():
    rng = np.random.default_rng(0)
    real, other = rng.normal(size=(40, 6)), rng.normal(0.3, 1.2, size=(30, 6))

    def reach(images):
        return NearestNeighbors(n_neighbors=4).fit(images).kneighbors(images)[0][:, 3]

    apart = np.linalg.norm(real[:, None] - other[None], axis=2)
    inside = apart <= reach(real)[:, None]
    of = neighbourhoods(real, other, 3)
    assert of["precision"].mean() == pytest.approx(inside.any(0).mean())
    assert of["density"].mean() == pytest.approx(inside.sum() / 3 / 30)
    assert of["coverage"].mean() == pytest.approx(inside.any(1).mean())
    assert of["recall"].mean() == pytest.approx((apart <= reach(other)).any(1).mean())
    own, others, across = (
        polynomial_kernel(a, b, degree=3, gamma=1 / 6, coef0=1)
        for a, b in ((real, real), (other, other), (real, other))
    )
    off = [kernel[~np.eye(len(kernel), dtype=bool)].mean() for kernel in (own, others)]
    assert kid(real, other) == pytest.approx(sum(off) - 2 * across.mean())


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
    halves, same, far, one, few = field(real, groups, n_resamples=100)
    assert halves.group == "real, one half" and (halves.n, halves.n_real) == (60, 60)
    assert same.values["precision"].value > 0.8 and same.values["coverage"].value > 0.8
    assert far.values["precision"].value == far.values["coverage"].value == 0
    assert one.values["precision"].value > 0.8 and 0.3 < one.values["coverage"].value < 0.6
    kid_same, kid_far = same.values["kid"], far.values["kid"]
    assert kid_same.low < 0 < kid_same.high or abs(kid_same.value) < 1 < kid_far.low
    assert not few.values and "fewer than 6 images" in few.why
    for row in (halves, same, one):
        for value in row.values.values():
            assert value.low <= value.value + 1e-9 and value.value - 1e-9 <= value.high
    again = field(real, groups, n_resamples=100)
    assert again == (halves, same, far, one, few)
    assert "disagree" in verdict((halves, one, same)) or "first" in verdict((halves, one, same))


def test_too_few_images():
    with pytest.raises(SettingError, match="fewer neighbours"):
        neighbourhoods(np.zeros((3, 1)), np.zeros((9, 1)), 3)
