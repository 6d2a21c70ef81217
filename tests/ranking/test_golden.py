"""Measures of a ranked list against the specification's golden values, published examples and definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.ranking.binary import average_precision, precision, reciprocal_rank
from evalcore.ranking.graded import (
    expected_reciprocal_rank,
    gain_of,
    ndcg,
    rank_biased_precision,
    stop_chance,
)
from evalcore.ranking.hierarchical import (
    average_hierarchical_precision,
    average_set_intersection,
    h_average_precision,
    hierarchical_precision,
)
from evalcore.ranking.lists import RankedGains

NEAR = {"rel": 1e-12, "abs": 1e-15}


@pytest.fixture(params=["g1", "g2", "g3", "g4", "g5"])
def topic(request, spec_golden):
    return spec_golden["G"][request.param]


def ranked_list(gains) -> RankedGains:
    values = np.array([gain or 0 for gain in gains], float)
    return RankedGains(np.array([0, len(values)]), values)


def best_first(values) -> np.ndarray:
    return np.array([sorted(values, reverse=True)], float)


def test_binary_measures_and_rank_biased_precision(topic):
    ranked = ranked_list(topic["rels"])
    assert precision(ranked, cutoff=5)[0] == pytest.approx(topic["P@5"], **NEAR)
    assert reciprocal_rank(ranked)[0] == pytest.approx(topic["RR"], **NEAR)
    # Where nothing is relevant trec_eval counts 0: that is undefined="zero", decided in evaluate.
    average = topic["AP"] if topic["R"] else np.nan
    assert average_precision(ranked, np.array([topic["R"]])) == pytest.approx([average], **NEAR, nan_ok=True)
    for gains, key in (
        (ranked.gains / (max(topic["qrels"]) or 1), "gain/gmax"),
        (ranked.gains > 0, "binary"),
    ):
        value = rank_biased_precision(ranked_list(gains), persistence=0.9)[0]
        assert value == pytest.approx(topic[f"rbp.9_{key}"], **NEAR)


@pytest.mark.parametrize(("gain", "suffix"), [("linear", ""), ("exp", "_exp")])
@pytest.mark.parametrize("cutoff", [3, None])
def test_ndcg(topic, gain, suffix, cutoff):
    ideal = gain_of(best_first(topic["qrels"]), gain=gain)
    ranked = ranked_list(gain_of(ranked_list(topic["rels"]).gains, gain=gain))
    golden = topic[f"ndcg{suffix}" + (f"_cut_{cutoff}" if cutoff else "")] if topic["R"] else np.nan
    value = ndcg(ranked, ideal, cutoff=cutoff or ideal.shape[1])
    assert value == pytest.approx([golden], **NEAR, nan_ok=True)


# Levels in rank order, H-AP with a = 1 and 2, nDCG, ASI, HP at a cutoff, AHP as a mean and by trapezoids.
LEVELS = [
    ("30213012", 0.7373015873, 0.7136054422, 0.8640129450, 0.6888888889, 4, 0.6, 0.7658143939, 0.6408143939),
    ("00112233", 0.4515873016, 0.3540816327, 0.5150917006, 0.1777777778, 4, 0.2, 0.3673295455, 0.3048295455),
    ("211031", 0.6796296296, 0.5484126984, 0.7046897217, 0.5433333333, 3, 2 / 3, 0.7299603175, 0.5910714286),
    ("01011", 0.5333333333, 0.5333333333, 0.6797310500, 0.2777777778, 4, 2 / 3, 0.5, 0.4),
]


@pytest.mark.parametrize(("ranks", "h1", "h2", "dcg_share", "asi", "k", "hp", "mean", "trapezoid"), LEVELS)
def test_hierarchical_measures_of_levels(ranks, h1, h2, dcg_share, asi, k, hp, mean, trapezoid):
    levels = [int(level) for level in ranks]
    near, n, ranked, best = {"abs": 5.1e-11}, len(levels), ranked_list(levels), best_first(levels)
    for a, expected in ((1, h1), (2, h2)):
        rel = [level**a / levels.count(level) if level else 0.0 for level in levels]
        assert h_average_precision(ranked_list(rel), best_first(rel))[0] == pytest.approx(expected, **near)
    gains = gain_of(ranked.gains, gain="exp")
    assert ndcg(ranked_list(gains), best_first(gains), cutoff=n)[0] == pytest.approx(dcg_share, **near)
    assert average_set_intersection(ranked, best)[0] == pytest.approx(asi, **near)
    assert hierarchical_precision(ranked, best, cutoff=k)[0] == pytest.approx(hp, **near)
    for area, expected in (("mean", mean), ("trapezoid", trapezoid)):
        (value,) = average_hierarchical_precision(ranked, best, cutoff=n, area=area)
        assert value == pytest.approx(expected, **near)


def test_hierarchical_measures_of_graded_relevance():
    ranked, best = ranked_list(rel := [1 / 4, 2 / 3, 0, 2 / 3, 1 / 2]), best_first(rel)
    assert h_average_precision(ranked, best)[0] == pytest.approx(0.698, abs=1e-12)
    assert hierarchical_precision(ranked, best, cutoff=3)[0] == pytest.approx(0.5)
    for area, expected in (("mean", 0.6645), ("trapezoid", 0.527)):
        (value,) = average_hierarchical_precision(ranked, best, cutoff=5, area=area)
        assert value == pytest.approx(expected, abs=5e-5)
    assert average_hierarchical_precision(ranked, best, cutoff=1, area="trapezoid")[0] == 0
    thirds = [level / 3 for level in (2, 1, 1, 0, 3, 1)]
    (value,) = h_average_precision(ranked_list(thirds), best_first(thirds))
    assert value == pytest.approx(0.7791666667, abs=5.1e-11)


def test_expected_reciprocal_rank_of_the_published_example():
    # Grades 3, 2, 4 of 4 (Chapelle et al. 2009, Eq. 3 and 4): R = 7/16, 3/16, 15/16, by hand
    stops = np.array([7, 3, 15]) / 16
    by_hand = 7 / 16 + 9 / 16 * 3 / 16 / 2 + 9 / 16 * 13 / 16 * 15 / 16 / 3
    ranked = RankedGains(np.array([0, 3]), stops)
    assert expected_reciprocal_rank(ranked, cutoff=3)[0] == pytest.approx(by_hand, rel=1e-14)
    assert stop_chance(np.array([0.0, 1.0, -0.3, 1.5]), gain="exp").tolist() == [0.0, 0.5, 0.0, 0.5]
    assert stop_chance(np.array([0.25, 1.5, -1.0])).tolist() == [0.25, 1.0, 0.0]


# Hierarchical average precision by its definition.


grades = st.lists(st.sampled_from([0.0, 0.0, 0.2, 0.25, 0.5, 1.0]), min_size=1, max_size=14)


def h_ap(rel, whole, cutoff=None):
    """The value of a list."""
    ranked, ideal = RankedGains(np.array([0, len(rel)]), np.array(rel, float)), np.array([whole], float)
    return h_average_precision(ranked, ideal, cutoff=cutoff)[0]


def h_ap_by_definition(rel, total, cutoff):
    rel = np.asarray(rel)[:cutoff]
    minima = np.tril(np.minimum.outer(rel, rel)).sum(axis=1)
    return (minima * (rel > 0) / np.arange(1, len(rel) + 1)).sum() / total


@given(rel=grades, more=grades, cutoff=st.none() | st.integers(1, 16))
def test_h_ap_of_part_of_the_collection(rel, more, cutoff):
    total = sum(rel) + sum(more)
    expected = h_ap_by_definition(rel, total, cutoff) if total else np.nan
    assert h_ap(rel, [*rel, *more], cutoff) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_h_ap_of_thousands_of_results():
    rng = np.random.default_rng(3)
    rel = rng.random(3_000) * (rng.random(3_000) < 0.7)
    assert h_ap(rel, rel) == pytest.approx(h_ap_by_definition(rel, rel.sum(), None), rel=1e-11)


def test_reciprocal_rank_in_a_large_group_of_ties():
    """One relevant image among m tied ones: the mean of 1/1 to 1/m."""
    m = 5000
    ranked = RankedGains(np.array([0, m]), (np.arange(m) == 17).astype(float), groups=np.array([0, m]))
    assert reciprocal_rank(ranked)[0] == pytest.approx(np.mean(1 / np.arange(1, m + 1)), rel=1e-10)
