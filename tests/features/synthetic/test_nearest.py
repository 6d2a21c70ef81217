"""The nearest training image, and the order of a square, by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from evalcore.features.synthetic.copies import clustered_order, cosines, cosines_across, nearest


def test_nearest_by_hand():
    found = nearest(np.array([[0.2, 0.9, 0.9], [np.nan, np.nan, np.nan], [0.1, np.nan, 0.0]]))
    assert found.image.tolist() == [1, -1, 0] and found.level.tolist() == [2, 0, 1]
    assert found.value == pytest.approx([0.9, np.nan, 0.1], nan_ok=True)
    assert nearest(np.zeros((2, 0))).image.tolist() == [-1, -1]


def test_cosines_as_scipy():
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(5, 7)), rng.normal(size=(4, 7))
    assert cosines_across(rows, columns) == pytest.approx(1 - cdist(rows, columns, "cosine"))


def test_like_images_stand_together():
    """Three groups that a shuffle tore apart are whole again."""
    of = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    order = clustered_order((of[:, None] == of[None]).astype(float))
    assert len(np.flatnonzero(np.diff(of[order]))) == 2 and sorted(order) == list(range(9))


def test_points_on_a_line_come_in_their_order():
    places = np.array([3.0, 0.0, 2.0, 1.0, 4.0])
    order = clustered_order(1 - np.abs(places[:, None] - places[None]) / 10)
    assert list(places[order]) in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])
    assert clustered_order(np.ones((2, 2))).tolist() == [0, 1] and len(clustered_order(np.zeros((0, 0)))) == 0


def test_cosines():
    found = cosines(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    assert found[0, 1] == pytest.approx(np.sqrt(0.5)) and np.isnan(found[2]).all()
