"""Means with intervals, paired comparisons of systems, groups of equals, and the gate."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb, isnan
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.comparison import (
    FALSE_ALARMS,
    MOST,
    against_baseline,
    below,
    both_ways,
    groups_of_equals,
)
from evalcore.evaluate.summary import summarise
from evalcore.stats.correction import benjamini_hochberg, holm
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.settings import Settings, View
from tests.measured import compare
from tests.toy import comparison_of, scores_of


def random_scores(n=200, systems=4, metrics=("CUI@3", "P(organ)@5"), seed=0):
    rng = np.random.default_rng(seed)
    return [
        scores_of(f"s{i}", rng.beta(2 + i, 4, n).round(2).tolist(), metric=m)
        for i in range(systems)
        for m in metrics
    ]


def test_mean_and_interval():
    values = np.random.default_rng(1).beta(2, 3, 300)
    interval = summarise(scores_of("a", values.tolist()), level=0.9, seed=5)
    assert interval.mean == pytest.approx(values.mean(), rel=1e-14)
    assert (interval.level, interval.n, interval.n_resamples, interval.seed) == (0.9, 300, 2000, 5)
    with pytest.raises(SettingError, match="level"):
        summarise(scores_of("a", [0.1, 0.2]), level=1.0)
    with pytest.raises(SettingError, match="skip, zero"):
        compare(scores_of("a", [0.1], undefined="zero"), scores_of("b", [0.1]))


def test_no_query_and_a_single_query():
    nothing, single = summarise(scores_of("a", ["out", None])), summarise(scores_of("a", [None, 0.25]))
    assert (isnan(nothing.mean), nothing.n) == (True, 0)
    assert (single.mean, isnan(single.low), single.n) == (0.25, True, 1)
    zeroed = summarise(scores_of("a", ["out", None, 0.5], undefined="zero"))
    assert (zeroed.mean, zeroed.n) == (0.25, 2)


def test_comparison_by_hand():
    a = scores_of("a", [0.5, 0.2, 0.4, None, 0.9, "out"])
    b = scores_of("b", [0.7, 0.2, 0.3, 0.8, None, "out"])
    comparison = compare(b, a)
    # pairs: +.2, 0, -.1; sign patterns of {.2, .1}: |sum| >= .1 in all of them
    assert (comparison.baseline, comparison.system, comparison.metric) == ("a", "b", "CUI@3")
    assert comparison.difference == pytest.approx(0.1 / 3)
    assert (comparison.wins, comparison.ties, comparison.losses, comparison.n_pairs) == (1, 1, 1, 3)
    assert (comparison.p, comparison.p_corrected, comparison.n_resamples) == (1.0, 1.0, 7)
    assert comparison.effect_size == pytest.approx(np.mean([0.2, 0, -0.1]) / np.std([0.2, 0, -0.1], ddof=1))
    two = compare(scores_of("b", [0.7, 0.3]), scores_of("a", [0.5, 0.2]))
    assert two.effect_size == pytest.approx(0.15 / np.std([0.2, 0.1], ddof=1))
    # undefined = zero: pairs +.2, 0, -.1, +.8, -.9
    zeroed = compare(*(replace(scores, settings=Settings(undefined="zero")) for scores in (b, a)))
    assert (zeroed.n_pairs, zeroed.difference) == (5, pytest.approx(0.0, abs=1e-15))


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


@pytest.mark.parametrize(
    ("name", "title", "corrected"),
    [("holm", "Holm", holm), ("bh", "Benjamini-Hochberg", benjamini_hochberg), ("none", "none", np.array)],
)
def test_all_are_compared_with_the_baseline_and_each_metric_is_corrected_by_itself(name, title, corrected):
    scores = random_scores()
    board = against_baseline(scores, baseline="s1", correction=name)
    assert [(c.metric, c.system) for c in board] == [
        (metric, system) for metric in ("CUI@3", "P(organ)@5") for system in ("s0", "s2", "s3")
    ]
    assert {c.baseline for c in board} == {"s1"} and {c.correction for c in board} == {title}
    for metric in ("CUI@3", "P(organ)@5"):
        family = [c for c in board if c.metric == metric]
        assert [c.p_corrected for c in family] == corrected(np.array([c.p for c in family])).tolist()
        assert {(c.family, c.n_family) for c in family} == {("baseline", 3)}
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


def test_values_equal_on_paper_are_tied():
    """1/6 + 1/6 + 1/6 against 1/2, 0.1 + 0.2 against 0.3: tied, and no evidence against equality."""
    paper = [(Fraction(1, 2), [1 / 6] * 3), (Fraction(3, 10), [0.1, 0.2]), (Fraction(7, 10), [0.1] * 7)]
    a, b = [float(exact) for exact, _ in paper], [sum(parts) for _, parts in paper]
    assert a != b
    comparison = compare(scores_of("b", b), scores_of("a", a))
    assert (comparison.wins, comparison.ties, comparison.losses, comparison.difference) == (0, 3, 0, 0.0)
    assert (comparison.p, comparison.effect_size, comparison.low, comparison.high) == (1.0, 0.0, 0.0, 0.0)


# Every pair of systems.


def every_pair(scores):
    facts = {
        name: tuple(dict.fromkeys(getattr(row, name) for row in scores)) for name in ("system", "metric")
    }
    view = View(systems=facts["system"], metrics=facts["metric"])
    return Analysis(SimpleNamespace(digest=""), view, lambda: scores).pairs


def test_each_minus_each_below_and_both_ways_round():
    """The best first; both orders of a pair are one comparison."""
    scores = {row.system: row for row in random_scores(n=7, metrics=["CUI@3"])}
    means = {name: row.values.mean() for name, row in scores.items()}
    order = sorted(scores, key=lambda name: -means[name])
    pairs = every_pair([*scores.values()])
    assert [(comparison.system, comparison.baseline) for comparison in pairs] == list(combinations(order, 2))
    assert [comparison.p_corrected for comparison in pairs] == holm(
        np.array([comparison.p for comparison in pairs])
    ).tolist()
    both = both_ways(pairs)
    assert len(both) == 2 * len(pairs)
    for comparison in pairs:
        back = both[comparison.baseline, comparison.system]
        alone = compare(scores[comparison.baseline], scores[comparison.system])
        assert both[comparison.system, comparison.baseline] is comparison and comparison.p == alone.p
        assert comparison.difference == pytest.approx(means[comparison.system] - means[comparison.baseline])
        assert (back.difference, back.wins, back.losses) == (alone.difference, alone.wins, alone.losses)
        assert (back.low, back.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
        assert (back.p, back.p_corrected) == (comparison.p, comparison.p_corrected)


# Groups of systems that do not differ, and their letters.


NAN = float("nan")


def comparisons(p):
    """{(a, b): corrected p}"""
    return [replace(comparison_of(a, b), p_corrected=value) for (a, b), value in p.items()]


@pytest.mark.parametrize("seed", range(20))
def test_as_maximal_cliques(seed):
    rng = np.random.default_rng(seed)
    names = [f"s{i}" for i in range(rng.integers(2, 10))]
    p = {pair: float(rng.choice([0.01, 0.049, 0.05, 0.3, 0.8])) for pair in combinations(names, 2)}
    level = (0.05, 0.3)[seed % 2]
    equals = groups_of_equals(names, comparisons(p), level=level)
    graph = nx.Graph([pair for pair, value in p.items() if value >= level])
    graph.add_nodes_from(names)
    assert {frozenset(group) for group in equals.groups} == set(map(frozenset, nx.find_cliques(graph)))
    letters = dict(zip(names, equals.letters, strict=True))
    for (a, b), value in p.items():
        assert bool(set(letters[a]) & set(letters[b])) == (value >= level)
    assert all(letters.values())
    assert "a" in letters["s0"], "the first group is that of the first system"


def test_systems_without_a_p_are_equal():
    equals = groups_of_equals(["1", "2"], comparisons({("1", "2"): NAN}))
    assert equals.groups == (("1", "2"),)
    assert groups_of_equals([], []).groups == ()


def test_too_many_groups_are_refused():
    """Ten trios whose systems differ within a trio and not across: 3^10 groups."""
    names = [f"s{i}" for i in range(30)]
    p = {(a, b): 0.01 if int(a[1:]) // 3 == int(b[1:]) // 3 else 0.5 for a, b in combinations(names, 2)}
    with pytest.raises(InputError, match=f"more than {MOST} groups"):
        groups_of_equals(names, comparisons(p))


# A decline below a bound: how often it is seen where there is none, and where there is one.


RUNS, QUERIES, FLIPS = 500, 80, 999
# So many false alarms of 500 are exceeded once in 1,000 times where each has a chance of 5%.
MOST_ALARMS = binom.ppf(0.999, RUNS, FALSE_ALARMS)


def p_below(*columns, groups=None, **how):
    """p of systems whose differences from a baseline of zeros these are."""
    pairs = [[scores_of("s", values, groups=groups) for values in (0 * column, column)] for column in columns]
    return below(pairs, **how)


def alarms(draw, *, bound):
    """In how many of 500 runs a decline is established; `draw` gives differences."""
    rng = np.random.default_rng(7)
    each = (p_below(draw(rng), bound=bound, flips=FLIPS, seed=run)[0] for run in range(RUNS))
    return sum(p < FALSE_ALARMS for p in each)


def equal_systems(rng):
    """Precisions at 10 of two equal systems: most queries get the same, some differ, either way."""
    chance = rng.beta(2, 2, QUERIES)
    return (rng.binomial(10, chance) - rng.binomial(10, chance)) / 10


def test_false_alarms_of_equal_systems_are_under_the_level():
    assert 0 < alarms(equal_systems, bound=0.0) <= MOST_ALARMS
    # At the bound itself, which is as far as a system may fall.
    assert 0 < alarms(lambda rng: equal_systems(rng) - 0.01, bound=-0.01) <= MOST_ALARMS
    # Equal systems stay clear of a bound below 0.
    assert alarms(equal_systems, bound=-0.05) <= binom.ppf(0.999, RUNS, 0.01)


def test_a_decline_is_detected():
    """By 0.1 against 0, standard deviation about 0.2: the normal approximation gives a power of 99.8%."""
    assert alarms(lambda rng: rng.normal(-0.1, 0.2, QUERIES), bound=0.0) >= 490
    assert alarms(lambda rng: rng.normal(-0.1, 0.2, QUERIES), bound=-0.2) == 0


def test_p_is_that_of_all_sign_patterns_and_near_that_of_t():
    """Nine falls of one size and a rise of the same: 1 + 10 of 2^10 patterns are as low.

    So are they where each is that of the eight images of a patient: whole patients are flipped.
    """
    differences, patients = np.array([-0.1] * 9 + [0.1]), np.arange(10, dtype=np.int32)
    for images in (1, 8):
        columns, groups = np.repeat(differences, images), np.repeat(patients, images)
        p = p_below(columns, groups=groups, bound=0.0, flips=2**10)
        assert p.tolist() == [(comb(10, 0) + comb(10, 1)) / 2**10]
    many = np.random.default_rng(1).normal(-0.03, 0.2, 400)
    t = ttest_1samp(many, -0.01, alternative="less").pvalue
    assert p_below(many, bound=-0.01, flips=20_000)[0] == pytest.approx(t, abs=0.005)


def test_a_decline_of_no_query_and_of_equal_systems():
    p = p_below(np.zeros(0), np.zeros(20), np.full(3, -1.0), bound=0.0)
    assert np.isnan(p[0]) and p[1] == 1 and p[2] == 2 * (1 / 8), "the second of two by Holm"
