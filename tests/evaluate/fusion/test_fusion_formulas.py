"""Each way to fuse lists against its formula, written out image by image."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.evaluate.fusion import METHODS, Ranked, fuse
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


def by_hand(members, method, k):
    """{image: fused score} of one query, from a dictionary per member; the sum is exact and rounded once."""
    every = set().union(*members)
    fused = {}
    for image in every:
        total, found = Fraction(0), 0
        for answer in members:
            order = [c for c, _ in ranked(answer)]
            values = [Fraction(v) for v in answer.values()]
            if image not in answer:
                if method == "borda":
                    left = range(1, len(every) - len(order) + 1)
                    total += Fraction(sum(left), len(left))
                continue
            found += 1
            rank = order.index(image) + 1
            if method == "rrf":
                total += Fraction(1 / (k + rank))
            elif method == "isr":
                total += Fraction(1 / rank**2)
            elif method == "borda":
                total += len(every) - rank + 1
            elif max(values) == min(values):
                total += 1
            else:
                total += Fraction(
                    float((Fraction(answer[image]) - min(values)) / (max(values) - min(values)))
                )
        fused[image] = float(total) * found if method in ("combmnz", "isr") else float(total)
    return fused


@pytest.mark.parametrize("method", METHODS)
@given(queries=st.lists(st.lists(ANSWER, min_size=3, max_size=3), min_size=1, max_size=4))
def test_every_method_is_its_formula(method, queries):
    members = [lists_of([query[m] for query in queries]) for m in range(3)]
    found = fuse(members, method, k=60)
    for place, query in enumerate(queries):
        rows = slice(found.indptr[place], found.indptr[place + 1])
        expected = by_hand(query, method, 60)
        scores = dict(zip(found.candidates[rows].tolist(), found.scores[rows].tolist(), strict=True))
        assert scores.keys() == expected.keys()
        assert scores == expected
        assert list(scores) == sorted(expected, key=lambda c: (-expected[c], c))


@pytest.mark.parametrize("method", METHODS)
def test_members_in_another_order_give_the_same_bits(method):
    rng = np.random.default_rng(5)
    answers = [
        lists_of([dict(zip(rng.permutation(30)[:12].tolist(), rng.normal(size=12).tolist(), strict=True))])
        for _ in range(7)
    ]
    first, other = fuse(answers, method), fuse(answers[::-1], method)
    for a, b in zip(first, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_equal_on_paper_is_equal_in_bits():
    """Image 0 is first, second and third; image 1 third, first and second; the sums round alike."""
    members = [
        lists_of([dict(zip(order, (3.0, 2.0, 1.0), strict=True))])
        for order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
    ]
    found = fuse(members, "rrf")
    assert len(set(found.scores.tolist())) == 1
    assert found.candidates.tolist() == [0, 1, 2]


def test_the_constant_of_rrf_and_the_published_default():
    """1/61 + 1/62 at k = 60 (Cormack, Clarke and Buettcher 2009); 1/2 + 1/3 at k = 1."""
    members = [lists_of([{4: 2.0, 5: 1.0}]), lists_of([{6: 9.0, 4: 8.0}])]
    assert fuse(members, "rrf").scores[0] == pytest.approx(1 / 61 + 1 / 62, rel=1e-15)
    assert fuse(members, "rrf", k=1).scores[0] == pytest.approx(1 / 2 + 1 / 3, rel=1e-15)


def test_unknown_images_are_each_their_own():
    """Two members return an image not in the study: nothing says that it is the same one."""
    one = Ranked(np.array([0, 2]), np.array([-1, 3], np.int32), np.array([2.0, 1.0]))
    found = fuse([one, one], "rrf")
    assert found.candidates.tolist() == [3, -1, -1]
    np.testing.assert_allclose(found.scores, [2 / 62, 1 / 61, 1 / 61])


def test_nothing_at_all():
    empty = Ranked(np.zeros(3, np.int64), np.empty(0, np.int32), np.empty(0))
    for method in METHODS:
        found = fuse([empty, empty], method)
        assert found.indptr.tolist() == [0, 0, 0]
        assert len(found.candidates) == len(found.scores) == 0


def test_scores_at_the_ends_of_what_floats_hold():
    found = fuse([lists_of([{0: 1.7e308, 1: 0.0, 2: -1.7e308}]), lists_of([{1: 1.0}])], "combsum")
    assert dict(zip(found.candidates.tolist(), found.scores.tolist(), strict=True)) == {0: 1, 1: 1.5, 2: 0}
