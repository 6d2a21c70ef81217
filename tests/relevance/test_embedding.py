"""Cosine of two vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalcore.relevance.embedding import cosine_similarity


@pytest.mark.parametrize(
    ("u", "v", "expected"),
    [([1, 0], [0, 1], 0), ([1, 2, 2], [2, 4, 4], 1), ([3, 4], [-3, -4], -1), ([3, 4], [4, 3], 0.96)],
)
def test_by_hand(u, v, expected):
    assert cosine_similarity(u, v) == pytest.approx(expected, rel=1e-15, abs=1e-15)
    assert cosine_similarity(v, u) == cosine_similarity(u, v)


def test_length_does_not_matter_however_large_or_small():
    for scale in (1e-300, 1e-45, 1e30, 1e300):
        assert cosine_similarity(np.array([3.0, 4.0]) * scale, [4, 3]) == pytest.approx(0.96, rel=1e-15)


def test_never_beyond_one():
    rng = np.random.default_rng(0)
    for u in rng.normal(size=(200, 7)):
        assert -1 <= cosine_similarity(u, -u) <= cosine_similarity(u, u) <= 1


def test_a_vector_without_direction_has_no_cosine():
    assert math.isnan(cosine_similarity([0, 0], [1, 0]))
    assert math.isnan(cosine_similarity([], []))


@pytest.mark.parametrize(("u", "v"), [([1, 2], [1, 2, 3]), ([[1, 2]], [[1, 2]])])
def test_shapes_must_agree(u, v):
    with pytest.raises(ValueError, match="Embeddings must be vectors of one length"):
        cosine_similarity(u, v)
