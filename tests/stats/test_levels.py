"""What counts as equal, against fractions: numbers equal on paper are level, all others are not."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import nan

import numpy as np

from evalcore.stats.levels import SAME, best_first, difference, levels_of


def test_sums_of_quotients_are_level_exactly_when_their_fractions_are_equal():
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


def test_levels_do_not_depend_on_the_order():
    level = {0.1: 0, 0.1 + SAME / 2: 0, 0.3: 1, 0.1 + 0.2: 1, 0.9: 2}
    assert len(level) == 5
    for values in permutations(level):
        assert levels_of(np.array(values)).tolist() == [level[value] for value in values]


def test_nan_is_above_all_and_nothing_has_no_level():
    assert levels_of(np.array([nan, 0.5, nan, 0.2])).tolist() == [2, 1, 2, 0]
    assert levels_of(np.array([nan])).tolist() == [0]
    assert levels_of(np.empty(0)).tolist() == []


def test_a_difference_is_0_when_level_and_nan_when_unknown():
    apart = difference(np.array([0.1 + 0.2, 0.3, 0.5, nan]), np.array([0.3, 0.1 + 0.2, 0.25, 0.5]))
    assert apart[:3].tolist() == [0.0, 0.0, 0.25] and np.isnan(apart[3])
    assert difference(np.array([SAME, 2 * SAME]), 0.0).tolist() == [0.0, 2 * SAME]


def test_level_systems_stand_by_name_and_those_without_a_mean_last():
    names, means = ["d", "b", "c", "a", "e"], [0.3, 0.1 + 0.2, nan, 0.3, 0.31]
    assert [names[i] for i in best_first(names, means)] == ["e", "a", "b", "d", "c"]
