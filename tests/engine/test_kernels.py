"""Which queries a relevance has a value for."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.engine import has_relevance, rank, relevance_of_pairs
from evalcore.values.errors import UnknownName
from evalcore.values.settings import Settings
from tests.toy import TOY_EDGES, study_of

ALL = np.arange(3, dtype=np.int32)


def study():
    vectors = {"hog": {"q": np.array([1.0, 0.0]), "c": np.array([1.0, 1.0])}}
    return study_of({"q": {"vein", "head"}, "c": {"vessel"}, "n": None}, TOY_EDGES, embeddings=vectors)


def test_a_system_without_vectors_has_none():
    with pytest.raises(UnknownName, match="No system with embeddings called 'lbp'"):
        rank(study(), "cosine:lbp", ALL, candidates=ALL, depth=1, settings=Settings())


@pytest.mark.parametrize("name", ["iou", "matching:path", "cosine:hog"])
def test_which_queries_have_such_a_relevance(name):
    # Images by id: c, n (not annotated, without a vector), q.
    assert np.flatnonzero(has_relevance(study(), name, ALL)).tolist() == [0, 2]
    pairs = relevance_of_pairs(study(), name, ALL, ALL, Settings())
    assert np.flatnonzero(~np.isnan(pairs)).tolist() == [0, 2]
