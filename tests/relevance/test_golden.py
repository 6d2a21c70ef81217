"""The plain functions: every printed value for nine pairs of sets and all readings of nn-IoU; cosine."""

from itertools import product
from typing import get_args

import numpy as np
import pytest

from evalcore.relevance.embedding import cosine_similarity
from evalcore.relevance.neighbour import neighbour_count, nn_iou
from evalcore.relevance.overlap import cosine, dice, iou, overlap_coefficient
from evalcore.values.settings import CountRule
from tests.toy import PAIRS, TOY_EDGES, near_by_search

RULES = get_args(CountRule)
NEAR = near_by_search(TOY_EDGES, threshold=4)
NEAR_DIRECTED = near_by_search(TOY_EDGES, threshold=4, direction="directed")

COUNTED = [rule for rule in RULES if rule != "pairs_all"]


@pytest.mark.parametrize("pair", PAIRS)
def test_counts_and_values_of_the_golden_file(spec_golden, pair):
    golden, (a, b) = spec_golden["A_nniou"][pair], PAIRS[pair]
    for rule, threshold in product(COUNTED, (0, 1, 2)):
        how, key = {"threshold": threshold, "rule": rule}, f"{rule}_n{threshold}"
        assert neighbour_count(a, b, NEAR, **how) == golden[f"{key}_count"], key
        assert nn_iou(a, b, NEAR, **how) == pytest.approx(golden[key], rel=1e-12, abs=0), key


@pytest.mark.parametrize("pair", PAIRS)
def test_variants_of_the_golden_file(spec_golden, pair):
    golden, (a, b) = spec_golden["A_nniou"][pair], PAIRS[pair]
    assert iou(a, b) == golden["iou"]
    assert nn_iou(a, b, NEAR_DIRECTED, threshold=2) == pytest.approx(
        golden["concepts_n2_directed"], rel=1e-12
    )
    assert nn_iou(a, b, NEAR, threshold=2, alpha=1) == pytest.approx(golden["concepts_n2_a1"], rel=1e-12)
    assert nn_iou(a, b, NEAR, threshold=2, alpha=1, rule="pairs") == pytest.approx(
        golden["pairs_n2_a1"], rel=1e-12
    )


def test_pairs_all_also_counts_shared_concepts():
    # {brain, head} with itself: brain-head and head-brain, beside the overlap of 2 over a union of 2.
    a = {"brain", "head"}
    assert neighbour_count(a, a, NEAR, threshold=1, rule="pairs_all") == 2
    assert nn_iou(a, a, NEAR, rule="pairs_all") == 1.5
    assert nn_iou(a, a, NEAR, rule="pairs") == 1


@pytest.mark.parametrize("pair", ["P1", "P2", "P4"])
def test_overlap_measures_of_the_golden_file(spec_golden, pair):
    golden, (a, b) = spec_golden["B_set"][f"{pair}_levels_CS2"], PAIRS[pair]
    for name, measure in (
        ("dice", dice),
        ("jaccard", iou),
        ("cosine", cosine),
        ("overlap", overlap_coefficient),
    ):
        assert 1 - measure(a, b) == pytest.approx(golden[name], rel=1e-12)


# Cosine of two vectors.


def test_length_does_not_matter_however_large_or_small():
    for scale in (1e-300, 1e-45, 1e30, 1e300):
        assert cosine_similarity(np.array([3.0, 4.0]) * scale, [4, 3]) == pytest.approx(0.96, rel=1e-15)


def test_never_beyond_one():
    rng = np.random.default_rng(0)
    for u in rng.normal(size=(200, 7)):
        assert -1 <= cosine_similarity(u, -u) <= cosine_similarity(u, u) <= 1


@pytest.mark.parametrize(("u", "v"), [([1, 2], [1, 2, 3]), ([[1, 2]], [[1, 2]])])
def test_shapes_must_agree(u, v):
    with pytest.raises(ValueError, match="Embeddings must be vectors of one length"):
        cosine_similarity(u, v)
