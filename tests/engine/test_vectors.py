"""Cosine of embeddings: float32 products only propose; what comes out does not depend on them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evalcore.engine import blocks, ideal_gains, rank, relevance_of_pairs
from evalcore.relevance.embedding import cosine_similarity
from evalcore.values.errors import UnknownName
from evalcore.values.settings import Settings
from tests.toy import all_pairs, study_of


def study_with(vectors_of):
    """A study whose images 0, 1, ... have these vectors (None: no vector), under the system "hog"."""
    images = {f"image{k:03d}": vector for k, vector in enumerate(vectors_of)}
    given = {image: vector for image, vector in images.items() if vector is not None}
    return study_of(dict.fromkeys(images, ()), embeddings={"hog": given})


def test_by_hand():
    study = study_with([[3, 4], [4, 3], [0, 0], None, [-3, -4], [30, 40]])
    queries, candidates = all_pairs(6)
    found = relevance_of_pairs(study, "cosine:hog", queries, candidates, Settings()).reshape(6, 6)
    none = [math.nan] * 6
    expected = [
        [1, 0.96, 0, 0, -1, 1],
        [0.96, 1, 0, 0, -0.96, 0.96],
        none,
        none,
        [-1, -0.96, 0, 0, 1, -1],
        [1, 0.96, 0, 0, -1, 1],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    unknown = relevance_of_pairs(study, "cosine:hog", np.array([0, 3]), np.array([-1, -1]), Settings())
    np.testing.assert_array_equal(unknown, [0, math.nan])
    run = rank(study, "cosine:hog", study.queries, candidates=study.candidates, depth=3, settings=Settings())
    assert run.queries.tolist() == [0, 1, 4, 5]
    assert [run.answer(q)[0].tolist() for q in run.queries] == [[5, 1, 4], [0, 5, 4], [1, 0, 5], [0, 1, 4]]
    assert run.answer(0)[1].tolist() == [1.0, found[0, 1], -1.0]


def test_ideal_gains_count_missing_vectors_as_zero():
    study = study_with([[3, 4], [4, 3], None, [-3, -4]])
    best = ideal_gains(
        study, "cosine:hog", study.queries, candidates=study.candidates, depth=4, settings=Settings()
    )
    np.testing.assert_allclose(best[0], [0.96, 0, -1, 0], rtol=1e-15)
    assert np.isnan(best[2]).all()
    whole = study_with([[3, 4], [4, 3], [-3, -4]])
    best = ideal_gains(
        whole, "cosine:hog", whole.queries, candidates=whole.candidates, depth=4, settings=Settings()
    )
    np.testing.assert_allclose(best[0], [0.96, -1, 0, 0], rtol=1e-15)


@effort(max_examples=60, deadline=None)
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
    settings = Settings(include_self=include_self)
    queries, candidates = all_pairs(n)
    values = relevance_of_pairs(study, "cosine:hog", queries, candidates, settings).reshape(n, n)
    embeddings = study.embeddings["hog"]
    held = [r >= 0 and bool(np.any(embeddings.vectors[r])) for r in embeddings.rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "PROPOSALS_PER_BLOCK", products)
        run = rank(
            study,
            "cosine:hog",
            study.queries,
            candidates=study.candidates,
            depth=depth,
            settings=settings,
            whole_ties=whole_ties,
        )
    assert run.queries.tolist() == np.flatnonzero(held).tolist()
    for q in run.queries:
        offered = [c for c in range(n) if held[c] and (c != q or include_self)]
        expected = sorted(offered, key=lambda c: (-values[q, c], c))
        for c in offered:
            plain = cosine_similarity(
                embeddings.vectors[embeddings.rows[q]], embeddings.vectors[embeddings.rows[c]]
            )
            assert values[q, c] == pytest.approx(plain, rel=1e-14, abs=1e-14)
        if depth is not None:
            last = values[q, expected[depth - 1]] if 0 < depth <= len(expected) else -2.0
            expected = expected[
                : sum(values[q, c] >= last for c in expected) if whole_ties and depth else depth
            ]
        ranked, scores = run.answer(q)
        assert ranked.tolist() == expected
        assert scores.tolist() == values[q, expected].tolist()


def test_near_ties_closer_than_float32_can_tell():
    # Cosines with the query differ by 1e-9: one float32 product cannot order them, the exact sum does.
    angles = np.array([0.0, 1.0, 1.0 + 1e-4, 1.0 - 1e-4], np.float64)
    fine = [[math.cos(a) * 1e3, math.sin(a) * 1e3] for a in angles]
    study = study_with([np.float32(v) for v in fine])
    run = rank(
        study, "cosine:hog", study.queries[:1], candidates=study.candidates, depth=1, settings=Settings()
    )
    assert run.candidates.tolist() == [3]


def test_large_and_small_vectors_keep_their_direction():
    study = study_with([np.float32([1e30, 1e30]), np.float32([1e-30, 1e-30]), np.float32([3e-42, 0])])
    found = relevance_of_pairs(study, "cosine:hog", np.array([0, 0]), np.array([1, 2]), Settings())
    np.testing.assert_allclose(found, [1, math.sqrt(0.5)], rtol=1e-7)


def test_candidates_without_vectors_are_not_ranked():
    study = study_with([[3, 4], [4, 3], None, None])
    queries, candidates = np.array([0, 1], np.int32), np.array([2, 3], np.int32)
    run = rank(study, "cosine:hog", queries, candidates=candidates, depth=2, settings=Settings())
    assert len(run.candidates) == 0


def test_a_system_without_embeddings():
    with pytest.raises(UnknownName, match=r"No system with embeddings called 'hogg'\. Did you mean: hog\."):
        rank(
            study_with([[1]]),
            "cosine:hogg",
            np.array([0]),
            candidates=np.array([0]),
            depth=1,
            settings=Settings(),
        )
