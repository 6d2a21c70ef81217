"""Cosine of embeddings: float32 products only propose; what comes out does not depend on them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evalcore.engine import blocks, ideal_gains, relevance_of_pairs
from evalcore.relevance.embedding import cosine_similarity
from evalcore.values.errors import UnknownName
from evalcore.values.settings import Settings
from tests.engine.plain import plain_ranking, ranked, values_of
from tests.toy import study_of

COSINE = "cosine:hog"


def study_with(vectors):
    """A study whose images 0, 1, ... have these vectors (None: no vector), under the system "hog"."""
    images = {f"image{k:03d}": vector for k, vector in enumerate(vectors)}
    known = {image: vector for image, vector in images.items() if vector is not None}
    return study_of(dict.fromkeys(images, ()), embeddings={"hog": known})


def test_by_hand():
    study = study_with([[3, 4], [4, 3], [0, 0], None, [-3, -4], [30, 40]])
    np.testing.assert_allclose(values_of(study, COSINE)[1], [0.96, 1, 0, 0, -0.96, 0.96], rtol=1e-15)
    (unknown,) = relevance_of_pairs(study, COSINE, np.array([0, 3]), np.array([-1, -1]), [Settings()])
    np.testing.assert_array_equal(unknown, [0, math.nan])


@pytest.mark.parametrize(
    ("vectors", "best"),
    [([[3, 4], [4, 3], None, [-3, -4]], [0.96, 0, -1, 0]), ([[3, 4], [4, 3], [-3, -4]], [0.96, -1, 0, 0])],
)
def test_ideal_gains_count_missing_vectors_as_zero(vectors, best):
    study = study_with(vectors)
    everyone = study.queries
    (gains,) = ideal_gains(study, COSINE, everyone, candidates=everyone, depth=4, settings=[Settings()])
    np.testing.assert_allclose(gains[0], best, rtol=1e-15)
    assert [bool(np.isnan(row).all()) for row in gains] == [vector is None for vector in vectors]


@effort(max_examples=60)
@given(
    st.integers(1, 60),
    st.integers(1, 9),
    st.integers(0, 2**32 - 1),
    st.one_of(st.none(), st.integers(0, 12)),
    st.booleans(),
    st.booleans(),
    st.integers(1, 200),
)
def test_rankings_equal_a_plain_sort(n, width, seed, depth, include_self, whole_ties, products):
    rng = np.random.default_rng(seed)
    # Few different values make ties between different images; a copied vector makes exact ones.
    drawn = rng.integers(-2, 3, (n, width)).astype(np.float32)
    study = study_with([None if rng.random() < 0.1 else vector for vector in drawn])
    settings, embeddings = Settings(include_self=include_self), study.embeddings["hog"]
    values = values_of(study, COSINE, settings)
    directed = [i for i, row in enumerate(embeddings.rows) if row >= 0 and embeddings.vectors[row].any()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "PROPOSALS_PER_BLOCK", products)
        run = ranked(study, COSINE, depth=depth, settings=settings, whole_ties=whole_ties)
    assert run.queries.tolist() == directed
    for place, q in enumerate(directed):
        if place % 5 == 0:
            mine, *others = (embeddings.vectors[embeddings.rows[i]] for i in (q, *directed))
            plain = [cosine_similarity(mine, other) for other in others]
            np.testing.assert_allclose(values[q, directed], plain, rtol=1e-14, atol=1e-14)
        expected = plain_ranking(values, q, directed, settings)
        if whole_ties and depth and depth <= len(expected):
            last = values[q, expected[depth - 1]]
            expected = expected[: sum(values[q, c] >= last for c in expected)]
        else:
            expected = expected[:depth]
        images, scores = run.answer(q)
        assert images.tolist() == expected
        assert scores.tolist() == values[q, expected].tolist()


def test_near_ties_closer_than_float32_can_tell():
    # Cosines with the query differ by 1e-9: one float32 product cannot order them, the exact sum does.
    angles = np.array([0.0, 1.0, 1.0 + 1e-4, 1.0 - 1e-4], np.float64)
    study = study_with([np.float32([math.cos(a) * 1e3, math.sin(a) * 1e3]) for a in angles])
    assert ranked(study, COSINE, queries=[0], depth=1).candidates.tolist() == [3]


def test_large_and_small_vectors_keep_their_direction():
    study = study_with([np.float32([1e30, 1e30]), np.float32([1e-30, 1e-30]), np.float32([3e-42, 0])])
    np.testing.assert_allclose(values_of(study, COSINE)[0, 1:], [1, math.sqrt(0.5)], rtol=1e-7)


def test_what_has_no_vector_is_not_ranked_and_a_system_without_any_is_named():
    study = study_with([[3, 4], [4, 3], None, None])
    assert len(ranked(study, COSINE, queries=[0, 1], candidates=[2, 3]).candidates) == 0
    with pytest.raises(UnknownName, match=r"No system with embeddings called 'hogg'\. Did you mean: hog\."):
        ranked(study, "cosine:hogg")
