"""What counts as equal, against fractions; what matters and can be detected, against scipy."""

from fractions import Fraction
from math import isnan, nan

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.effect import detectable, judgement, pairs_needed
from evalcore.stats.levels import SAME, best_first, difference, levels_of


@pytest.mark.parametrize(
    ("low", "high", "judged"),
    [
        (0.021, 0.04, "larger"),
        (-0.04, -0.021, "larger"),
        (-0.01, 0.019, "smaller"),
        (0.005, 0.01, "smaller"),
        (0.02, 0.04, "unclear"),  # the end of the interval is what still does not matter
        (-0.02, 0.01, "unclear"),
        (0.01, 0.03, "unclear"),
        (-0.5, 0.5, "unclear"),
        (nan, nan, "unclear"),
    ],
)
def test_a_difference_is_judged_by_its_whole_interval(low, high, judged):
    assert judgement(low, high, 0.02) == judged


@pytest.mark.parametrize(("spread", "n", "level", "power"), [(0.2, 157, 0.95, 0.8), (1.5, 40, 0.9, 0.95)])
def test_the_detectable_difference_by_the_quantiles_of_scipy(spread, n, level, power):
    reach = stats.norm.ppf(1 - (1 - level) / 2) + stats.norm.ppf(power)
    least = detectable(spread, n, level=level, power=power)
    assert least == pytest.approx(reach * spread / np.sqrt(n), rel=1e-10)


@pytest.mark.parametrize("difference", [0.01, 0.05, 0.4])
def test_pairs_needed_are_the_fewest_that_detect_the_difference(difference):
    n = pairs_needed(0.37, difference)
    assert detectable(0.37, n) <= difference
    assert n == 2 or detectable(0.37, n - 1) > difference


def test_a_design_effect_of_four_doubles_the_difference_and_takes_four_times_the_pairs():
    assert detectable(0.2, 100, design_effect=4) == pytest.approx(2 * detectable(0.2, 100))
    n = pairs_needed(0.37, 0.05, design_effect=4)
    assert abs(n - 4 * pairs_needed(0.37, 0.05)) <= 4
    assert detectable(0.37, n, design_effect=4) <= 0.05 < detectable(0.37, n - 1, design_effect=4)
    assert pairs_needed(0.2, 0.1, design_effect=nan) is None, "all queries of one group"
    assert detectable(0.2, 100, design_effect=0) == 0, "groups of the same mean"


def test_without_a_spread_nothing_can_be_detected():
    assert isnan(detectable(nan, 1)) and isnan(detectable(0.2, 0))
    assert pairs_needed(nan, 0.1) is None
    assert (detectable(0.0, 9), pairs_needed(0.0, 0.1)) == (0.0, 2)


# Numbers that are equal on paper are level, all others are not.


def test_sums_of_quotients_are_tied_exactly_when_their_fractions_are_equal():
    rng = np.random.default_rng(1)
    tops, bottoms = rng.integers(0, 6, (400, 3)), rng.integers(1, 7, (400, 3))
    exact = [sum(map(Fraction, t, b)) for t, b in zip(tops.tolist(), bottoms.tolist(), strict=True)]
    floats = (tops / bottoms).sum(axis=1)
    assert len(set(floats.tolist())) > len(set(exact)), "some differ that are equal on paper"
    ordered = sorted(set(exact))
    assert levels_of(floats).tolist() == [ordered.index(value) for value in exact]
    apart = difference(floats[:, np.newaxis], floats)
    for i, j in rng.integers(0, 400, (2000, 2)):
        assert np.sign(apart[i, j]) == (exact[i] > exact[j]) - (exact[i] < exact[j])


def test_tied_systems_are_ordered_by_name_and_those_without_a_mean_come_last():
    names, means = ["d", "b", "c", "a", "e"], [0.3, 0.1 + 0.2, nan, 0.3, 0.31]
    assert [names[i] for i in best_first(names, means)] == ["e", "a", "b", "d", "c"]


def test_a_difference_is_0_when_tied_and_nan_when_unknown():
    apart = difference(np.array([0.1 + 0.2, 0.3, 0.5, nan]), np.array([0.3, 0.1 + 0.2, 0.25, 0.5]))
    assert apart[:3].tolist() == [0.0, 0.0, 0.25] and np.isnan(apart[3])
    assert difference(np.array([SAME, 2 * SAME]), 0.0).tolist() == [0.0, 2 * SAME]
