"""Measures of a ranked list against the specification's golden values, and by definition."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.ranking.binary import average_precision, precision, reciprocal_rank
from evalcore.ranking.gains import RankedGains
from evalcore.ranking.graded import dcg, discounts, gain_of, mean_gain, ndcg, rank_biased_precision

TOPICS = ["g1", "g2", "g3", "g4", "g5"]
NEAR = {"rel": 1e-12, "abs": 1e-15}


@pytest.fixture(params=TOPICS)
def topic(request, spec_golden):
    return spec_golden["G"][request.param]


def one_list(gains) -> RankedGains:
    values = np.array([0 if g is None else g for g in gains], float)
    return RankedGains(np.array([0, len(values)]), values)


def ideal_of(topic) -> np.ndarray:
    return np.array([sorted(topic["qrels"], reverse=True)], float)


def test_average_precision(topic):
    (value,) = average_precision(one_list(topic["rels"]), np.array([topic["R"]]))
    if topic["R"]:
        assert value == pytest.approx(topic["AP"], **NEAR)
    else:
        assert np.isnan(value)  # trec_eval counts 0: that is undefined="zero", decided in evaluate


def test_precision_and_reciprocal_rank(topic):
    ranked = one_list(topic["rels"])
    assert precision(ranked, cutoff=5)[0] == pytest.approx(topic["P@5"], **NEAR)
    assert reciprocal_rank(ranked)[0] == pytest.approx(topic["RR"], **NEAR)


@pytest.mark.parametrize(("gain", "suffix"), [("linear", ""), ("exp", "_exp")])
@pytest.mark.parametrize("cutoff", [3, None])
def test_ndcg(topic, gain, suffix, cutoff):
    ideal = gain_of(ideal_of(topic), gain=gain)
    ranked = one_list(gain_of(np.array([g or 0 for g in topic["rels"]], float), gain=gain))
    (value,) = ndcg(ranked, ideal, cutoff=cutoff or ideal.shape[1])
    golden = topic[f"ndcg{suffix}" + (f"_cut_{cutoff}" if cutoff else "")]
    if topic["R"]:
        assert value == pytest.approx(golden, **NEAR)
    else:
        assert np.isnan(value)


def test_rank_biased_precision(topic):
    gains = np.array([g or 0 for g in topic["rels"]], float)
    top = max(topic["qrels"]) or 1
    graded = rank_biased_precision(one_list(gains / top), persistence=0.9)
    binary = rank_biased_precision(one_list(gains > 0), persistence=0.9)
    assert graded[0] == pytest.approx(topic["rbp.9_gain/gmax"], **NEAR)
    assert binary[0] == pytest.approx(topic["rbp.9_binary"], **NEAR)


def test_nn_cui_and_cui_from_their_relevance_values(spec_golden):
    golden = spec_golden["A_cuik"]
    for name, key in (("nncui", "rel_nniou"), ("cui", "rel_iou")):
        relevance = golden[key]
        for gain in ("linear", "exp"):
            system = gain_of(np.array([relevance[i] for i in golden["order"]]), gain=gain)
            ideal = gain_of(np.array([sorted(relevance.values(), reverse=True)]), gain=gain)
            for cutoff in (1, 3, 5):
                (value,) = ndcg(one_list(system), ideal, cutoff=cutoff)
                assert value == pytest.approx(golden[f"{name}@{cutoff}_{gain}"], **NEAR)


@pytest.mark.parametrize("case", ["t1", "t2", "t3"])
def test_expected_precision_and_dcg_over_ties(case, spec_extra):
    tie = spec_extra["tie"][case]
    scores, gains = np.array(tie["scored"], float).T
    ranked = RankedGains.of(np.array([0, len(gains)]), scores, gains, expected=True)
    assert mean_gain(ranked, cutoff=tie["k"])[0] == pytest.approx(tie["P@k"], **NEAR)
    assert dcg(ranked, cutoff=tie["k"])[0] == pytest.approx(tie["DCG@k"], **NEAR)


def test_empty_lists_and_lists_beyond_the_cutoff():
    # by hand: list 0 is empty, list 1 holds one relevant image, list 2 five of which two count at K=2
    ranked = RankedGains(np.array([0, 0, 1, 6]), np.array([1.0, 0, 1, 1, 0, 0]))
    assert precision(ranked, cutoff=2).tolist() == [0, 0.5, 0.5]
    assert mean_gain(ranked, cutoff=2).tolist() == [0, 0.5, 0.5]
    assert reciprocal_rank(ranked).tolist() == [0, 1, 0.5]
    assert reciprocal_rank(ranked, cutoff=1).tolist() == [0, 1, 0]
    assert average_precision(ranked, np.array([1, 1, 2])).tolist() == [0, 1, (1 / 2 + 2 / 3) / 2]
    assert average_precision(ranked, np.array([1, 1, 2]), cutoff=2).tolist() == [0, 1, 0.25]
    assert rank_biased_precision(ranked, persistence=0.5).tolist() == [0, 0.5, 0.375]
    assert rank_biased_precision(ranked, persistence=0.5, cutoff=2).tolist() == [0, 0.5, 0.25]
    ideal = np.array([[1.0, 0], [1, 0], [1, 1]])
    best = discounts(2).sum()
    assert ndcg(ranked, ideal, cutoff=2) == pytest.approx([0, 1, discounts(2)[1] / best])


def test_no_lists_and_only_empty_lists():
    for indptr in (np.array([0]), np.array([0, 0])):
        n = len(indptr) - 1
        for groups in (None, np.array([0])):
            ranked = RankedGains(indptr, np.empty(0), groups)
            assert precision(ranked, cutoff=3).tolist() == [0.0] * n
            assert reciprocal_rank(ranked).tolist() == [0.0] * n
            assert average_precision(ranked, np.ones(n, int)).tolist() == [0.0] * n
            assert rank_biased_precision(ranked, persistence=0.5).tolist() == [0.0] * n


def test_gain_of_a_negative_relevance_is_nothing():
    assert gain_of(np.array([-0.5, 0.0, 1.0]), gain="exp").tolist() == [0, 0, 1]
    assert gain_of(np.array([-0.5, 0.25])).tolist() == [0, 0.25]
