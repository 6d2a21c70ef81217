"""Reciprocal rank fusion against its formula, written out image by image."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.evaluate.fusion import Ranked, fuse
from evalcore.values.arrays import indptr_of

N_IMAGES = 8
SCORE = st.integers(-3, 3).map(float)
ANSWER = st.dictionaries(st.integers(0, N_IMAGES - 1), SCORE, max_size=6)


def ranked(answer):
    """{image: score} -> [(image, score)], by score descending, then image."""
    return sorted(answer.items(), key=lambda row: (-row[1], row[0]))


def lists_of(answers):
    rows = [ranked(answer) for answer in answers]
    flat = [row for part in rows for row in part]
    return Ranked(
        indptr_of([len(part) for part in rows]),
        np.array([c for c, _ in flat], np.int32),
        np.array([s for _, s in flat], float),
    )


def by_hand(members, k):
    """{image: fused score} of one query, from a dictionary per member; the sum is exact and rounded once."""
    orders = [[c for c, _ in ranked(answer)] for answer in members]
    return {
        image: float(sum(Fraction(1 / (k + order.index(image) + 1)) for order in orders if image in order))
        for image in set().union(*members)
    }


@given(queries=st.lists(st.lists(ANSWER, min_size=3, max_size=3), min_size=1, max_size=4))
def test_fusion_is_its_formula(queries):
    members = [lists_of([query[m] for query in queries]) for m in range(3)]
    found = fuse(members, k=60)
    for place, query in enumerate(queries):
        rows = slice(found.indptr[place], found.indptr[place + 1])
        expected = by_hand(query, 60)
        scores = dict(zip(found.candidates[rows].tolist(), found.scores[rows].tolist(), strict=True))
        assert scores == expected
        assert list(scores) == sorted(expected, key=lambda c: (-expected[c], c))


def test_members_in_another_order_give_the_same_bits():
    rng = np.random.default_rng(5)
    answers = [
        lists_of([dict(zip(rng.permutation(30)[:12].tolist(), rng.normal(size=12).tolist(), strict=True))])
        for _ in range(7)
    ]
    for a, b in zip(fuse(answers), fuse(answers[::-1]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_equal_on_paper_is_equal_in_bits():
    """Image 0 is first, second and third; image 1 third, first and second; the sums round alike."""
    members = [
        lists_of([dict(zip(order, (3.0, 2.0, 1.0), strict=True))])
        for order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
    ]
    found = fuse(members)
    assert len(set(found.scores.tolist())) == 1
    assert found.candidates.tolist() == [0, 1, 2]


def test_the_constant_of_rrf_and_the_published_default():
    """1/61 + 1/62 at k = 60 (Cormack, Clarke and Buettcher 2009); 1/2 + 1/3 at k = 1."""
    members = [lists_of([{4: 2.0, 5: 1.0}]), lists_of([{6: 9.0, 4: 8.0}])]
    assert fuse(members).scores[0] == pytest.approx(1 / 61 + 1 / 62, rel=1e-15)
    assert fuse(members, k=1).scores[0] == pytest.approx(1 / 2 + 1 / 3, rel=1e-15)


def test_unknown_images_are_each_their_own():
    """Two members return an image not in the study: nothing says that it is the same one."""
    one = Ranked(np.array([0, 2]), np.array([-1, 3], np.int32), np.array([2.0, 1.0]))
    found = fuse([one, one])
    assert found.candidates.tolist() == [3, -1, -1]
    np.testing.assert_allclose(found.scores, [2 / 62, 1 / 61, 1 / 61])


def test_nothing_at_all():
    empty = Ranked(np.zeros(3, np.int64), np.empty(0, np.int32), np.empty(0))
    found = fuse([empty, empty])
    assert found.indptr.tolist() == [0, 0, 0]
    assert len(found.candidates) == len(found.scores) == 0
