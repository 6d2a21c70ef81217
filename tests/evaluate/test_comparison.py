"""Means with intervals and paired comparisons: by hand, and as the statistics room computes them."""

from __future__ import annotations

from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from scipy import stats

from evalcore.evaluate import compare, compare_all, summarise
from evalcore.evaluate.comparison import against_baseline, every_pair, over_what
from evalcore.evaluate.summary import too_narrow
from evalcore.stats.correction import holm
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.model import DEFINED, NO_RELEVANT, OUTSIDE_POOL, Scores
from evalcore.values.settings import Settings


def scores_of(system, values, *, metric="CUI@3", queries=None):
    """Values by query; None is undefined, "out" outside the pool."""
    reasons = [NO_RELEVANT if v is None else OUTSIDE_POOL if v == "out" else DEFINED for v in values]
    numbers = np.array([np.nan if reason else float(v) for v, reason in zip(values, reasons, strict=True)])
    ids = np.arange(len(values)) if queries is None else np.array(queries)
    return Scores(system, metric, ids.astype(np.int32), numbers, np.array(reasons, np.uint8), 0, 0, 0, 3)


def random_scores(n=200, systems=4, metrics=("CUI@3", "P(organ)@5"), seed=0):
    rng = np.random.default_rng(seed)
    return [
        scores_of(f"s{i}", rng.beta(2 + i, 4, n).round(2).tolist(), metric=m)
        for i in range(systems)
        for m in metrics
    ]


def test_mean_and_interval():
    values = np.random.default_rng(1).beta(2, 3, 300)
    interval = summarise(scores_of("a", values.tolist()), level=0.9, n_resamples=4000, seed=5)
    assert interval.mean == pytest.approx(values.mean(), rel=1e-14)
    oracle = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=0.9,
        n_resamples=4000,
        method="percentile",
        rng=np.random.default_rng(6),
    ).confidence_interval
    width = oracle.high - oracle.low
    assert (interval.low, interval.high) == pytest.approx((oracle.low, oracle.high), abs=0.06 * width)
    assert (interval.level, interval.n, interval.n_resamples, interval.seed) == (0.9, 300, 4000, 5)
    assert interval.method == "percentile bootstrap"


def test_the_interval_asked_for():
    a, b = scores_of("a", [0, 0.2, 0.1, 0.9]), scores_of("b", [1, 0.7, 1, 0.5])
    means, ends = (
        [of(interval) for interval in ("percentile", "bca")]
        for of in (
            lambda interval: summarise(a, settings=Settings(interval=interval)),
            lambda interval: compare(b, a, settings=Settings(interval=interval)),
        )
    )
    assert [mean.method for mean in means] == ["percentile bootstrap", "BCa bootstrap"]
    assert (means[0].low, means[0].high) != (means[1].low, means[1].high)
    assert (ends[0].low, ends[0].high) != (ends[1].low, ends[1].high)
    with pytest.raises(SettingError, match="interval"):
        Settings(interval="exact")


def test_few_queries_are_said_to_be_few():
    assert too_narrow([50, 160]) == too_narrow([0, 1]) == too_narrow([]) == ""
    assert too_narrow([200, 49]).startswith("Intervals from fewer than 50 queries are too narrow: ")
    assert "50 images" in too_narrow([2], units="images")


def test_none_and_one_query():
    nothing, single = summarise(scores_of("a", ["out", None])), summarise(scores_of("a", [None, 0.25]))
    assert (isnan(nothing.mean), nothing.n) == (True, 0)
    assert (single.mean, isnan(single.low), single.n) == (0.25, True, 1)
    zeroed = summarise(scores_of("a", ["out", None, 0.5]), settings=Settings(undefined="zero"))
    assert (zeroed.mean, zeroed.n) == (0.25, 2)


def test_comparison_by_hand():
    a = scores_of("a", [0.5, 0.2, 0.4, None, 0.9, "out"])
    b = scores_of("b", [0.7, 0.2, 0.3, 0.8, None, "out"])
    found = compare(b, a)
    # pairs: +.2, 0, -.1; sign patterns of {.2, .1}: |sum| >= .1 in all of them
    assert (found.baseline, found.system, found.metric) == ("a", "b", "CUI@3")
    assert found.difference == pytest.approx(0.1 / 3)
    assert (found.wins, found.ties, found.losses, found.n_pairs) == (1, 1, 1, 3)
    assert (found.p, found.p_corrected, found.n_resamples) == (1.0, 1.0, 7)
    assert found.effect_size == pytest.approx(np.mean([0.2, 0, -0.1]) / np.std([0.2, 0, -0.1], ddof=1))
    two = compare(scores_of("b", [0.7, 0.3]), scores_of("a", [0.5, 0.2]))
    assert two.effect_size == pytest.approx(0.15 / np.std([0.2, 0.1], ddof=1))
    # undefined = zero: pairs +.2, 0, -.1, +.8, -.9
    zeroed = compare(b, a, settings=Settings(undefined="zero"))
    assert (zeroed.n_pairs, zeroed.difference) == (5, pytest.approx(0.0, abs=1e-15))


def test_pairs_are_matched_by_query():
    a = scores_of("a", [0.1, 0.2, 0.3], queries=[2, 5, 9])
    b = scores_of("b", [0.9, 0.8, 0.7], queries=[1, 5, 9])
    found = compare(b, a)
    assert (found.n_pairs, found.difference) == (2, pytest.approx((0.6 + 0.4) / 2))


def test_the_permutation_test_is_scipys():
    rng = np.random.default_rng(2)
    a, b = rng.random(11), rng.random(11)
    oracle = stats.permutation_test(
        (b - a,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert compare(scores_of("b", b), scores_of("a", a)).p == pytest.approx(oracle.pvalue, rel=1e-12)


def test_nothing_to_compare():
    apart = compare(scores_of("b", [None, 0.2]), scores_of("a", [0.1, None]))
    assert apart.n_pairs == 0
    assert all(isnan(x) for x in (apart.difference, apart.low, apart.p, apart.p_corrected, apart.effect_size))
    same = compare(scores_of("b", [0.1, 0.4]), scores_of("a", [0.1, 0.4]))
    assert (same.difference, same.p, same.effect_size, same.ties) == (0.0, 1.0, 0.0, 2)
    shifted = compare(scores_of("b", [0.5, 0.75]), scores_of("a", [0.25, 0.5]))
    assert isnan(shifted.effect_size) and (shifted.low, shifted.high) == (0.25, 0.25)
    with pytest.raises(SettingError, match=r"same for both systems \(CUI@3\)\. Got 'CUI@5'"):
        compare(scores_of("b", [0.1], metric="CUI@5"), scores_of("a", [0.1]))


def test_all_are_compared_with_the_baseline_and_corrects_each_metric_by_itself():
    scores = random_scores()
    board = against_baseline(scores, baseline="s1")
    assert [(c.metric, c.system) for c in board] == [
        (metric, system) for metric in ("CUI@3", "P(organ)@5") for system in ("s0", "s2", "s3")
    ]
    assert {c.baseline for c in board} == {"s1"} and {c.correction for c in board} == {"Holm"}
    for metric in ("CUI@3", "P(organ)@5"):
        of = [c for c in board if c.metric == metric]
        assert [c.p_corrected for c in of] == holm(np.array([c.p for c in of])).tolist()
        assert {(c.family, c.n_family) for c in of} == {("baseline", 3)}
    for c in board:
        alone = compare(
            next(s for s in scores if (s.system, s.metric) == (c.system, c.metric)),
            next(s for s in scores if (s.system, s.metric) == ("s1", c.metric)),
        )
        assert (alone.p, alone.correction) == (c.p, "none")
        assert (alone.low, alone.high, alone.effect_size) == (c.low, c.high, c.effect_size)
    assert len(every_pair(scores)) == 2 * 6
    with pytest.raises(UnknownName, match="No baseline among the scored systems called 's9'"):
        against_baseline(scores, baseline="s9")


def test_what_is_equal_on_paper_is_neither_better_nor_worse():
    """1/6 + 1/6 + 1/6 against 1/2, 0.1 + 0.2 against 0.3: level, and no evidence against equality."""
    paper = [(Fraction(1, 2), [1 / 6] * 3), (Fraction(3, 10), [0.1, 0.2]), (Fraction(7, 10), [0.1] * 7)]
    a, b = [float(exact) for exact, _ in paper], [sum(parts) for _, parts in paper]
    assert a != b
    found = compare(scores_of("b", b), scores_of("a", a))
    assert (found.wins, found.ties, found.losses, found.difference) == (0, 3, 0, 0.0)
    assert (found.p, found.effect_size, found.low, found.high) == (1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("bad", [{"level": 1.0}, {"level": 0.0}, {"n_resamples": 0}])
def test_levels_and_resamples_outside_their_range(bad):
    with pytest.raises(SettingError, match=next(iter(bad))):
        summarise(scores_of("a", [0.1, 0.2]), **bad)


# --- corrections over several comparisons


def test_corrections_of_the_same_p():
    scores = random_scores()
    found = {
        name: against_baseline(scores, baseline="s0", correction=name) for name in ("holm", "bh", "none")
    }
    p = np.array([one.p for one in found["none"]])
    for rows in found.values():
        assert [one.p for one in rows] == p.tolist()
        assert (np.array([one.p_corrected for one in rows]) >= p).all()
    assert against_baseline(scores, baseline="s0") == found["holm"]
    by_metric = [stats.false_discovery_control(p[:3]), stats.false_discovery_control(p[3:])]
    assert [one.p_corrected for one in found["bh"]] == pytest.approx(np.concatenate(by_metric))
    assert [one.p_corrected for one in found["none"]] == p.tolist()
    assert [rows[0].correction for rows in found.values()] == ["Holm", "Benjamini-Hochberg", "none"]


def test_over_what_p_is_corrected_is_said():
    found = against_baseline(random_scores(), baseline="s0")
    with_s0 = "p corrected by Holm over the 3 comparisons with the baseline s0"
    assert over_what(found) == f"{with_s0}, each metric by itself"
    assert over_what(found[:1]) == with_s0, "the family counts, not what is shown of it"
    alone = compare_all([(scores_of("a", [0, 1]), scores_of("b", [1, 1]))])
    assert over_what(alone) == "p of one comparison, not corrected"
    nothing = compare_all([(scores_of("a", [None]), scores_of(f"b{i}", [1])) for i in range(3)])
    assert over_what([*found[:2], *nothing]) == with_s0
