"""Who reads what in which arm: balanced by reader, case, session and place."""

from __future__ import annotations

from collections import Counter

import pytest

from evalcore.features.review.diagnosis.plan import readings_of
from evalcore.features.review.diagnosis.setup import Setup

CASES = [f"c{n}" for n in range(48)]


def plans(setup, readers=36, cases=CASES, seed=1):
    codes = [f"R{n}" for n in range(1, readers + 1)]
    return {code: readings_of(setup, cases, task="t", seed=seed, reader=code) for code in codes}


def spread(counts):
    return max(counts.values()) - min(counts.values())


@pytest.mark.parametrize("arms", [("alone", "a"), ("alone", "a", "b"), ("a", "b", "c", "d")])
def test_a_crossover_of_36_readers_and_48_cases_is_exactly_balanced(arms):
    made = plans(Setup(arms=arms, design="crossover"))
    k = len(arms)
    for readings in made.values():
        assert Counter((one.case, one.arm) for one in readings) == Counter(
            (case, arm) for case in CASES for arm in arms
        ), "every case in every arm, once"
        assert len({(one.case, one.session) for one in readings}) == 48 * k, "one arm per session and case"
        assert [(one.session, one.order) for one in readings] == [
            (session, order) for session in range(1, k + 1) for order in range(1, 49)
        ]
        assert set(Counter((one.arm, one.session) for one in readings).values()) == {48 // k}
    every = [one for readings in made.values() for one in readings]
    by_case = Counter((one.case, one.arm, one.session) for one in every)
    by_place = Counter((one.arm, one.session, one.order) for one in every)
    assert len(by_case) == 48 * k * k and set(by_case.values()) == {36 // k}
    assert len(by_place) == 48 * k * k and set(by_place.values()) == {36 // k}


@pytest.mark.parametrize("arms", [("alone", "a", "b", "c"), ("a", "b", "c")])
def test_each_arm_follows_each_other_equally_often(arms):
    """Williams' squares: what a case was read in before does not depend on the arm."""
    pairs = Counter()
    for readings in plans(Setup(arms=arms, design="crossover")).values():
        of_case = {}
        for one in readings:  # sessions one after the other
            pairs[of_case.get(one.case), one.arm] += one.case in of_case
            of_case[one.case] = one.arm
    followed = {pair: n for pair, n in pairs.items() if pair[0] is not None}
    assert len(followed) == len(arms) * (len(arms) - 1) and spread(followed) == 0


@pytest.mark.parametrize(("readers", "n"), [(7, 11), (5, 48), (36, 50)])
def test_what_does_not_divide_differs_by_one_at_most(readers, n):
    made = plans(Setup(arms=("alone", "a", "b"), design="split"), readers, CASES[:n] + ["x", "y"][: n - 48])
    for readings in made.values():
        assert spread(Counter(one.arm for one in readings)) <= 1
        assert len({one.case for one in readings}) == len(readings) == n
    by_case = Counter((one.case, one.arm) for readings in made.values() for one in readings)
    for case in {case for case, _ in by_case}:
        assert spread({arm: by_case[case, arm] for arm in ("alone", "a", "b")}) <= 1


def test_a_case_alone_is_followed_at_once_by_the_results_of_one_system():
    made = plans(Setup(arms=("alone", "a", "b"), design="sequential"))
    for readings in made.values():
        first, second = readings[::2], readings[1::2]
        assert [one.case for one in first] == [one.case for one in second]
        assert {one.arm for one in first} == {"alone"}
        assert Counter(one.arm for one in second) == {"a": 24, "b": 24}
    by_case = Counter((one.case, one.arm) for readings in made.values() for one in readings[1::2])
    assert set(by_case.values()) == {18}


def test_some_cases_of_each_reader_are_dealt_in_balance():
    made = plans(Setup(arms=("alone", "a"), design="split", per_reader=8))
    assert {len(readings) for readings in made.values()} == {8}
    by_case = Counter((one.case, one.arm) for readings in made.values() for one in readings)
    assert len(by_case) == 96 and set(by_case.values()) == {3}, "288 readings"


def test_a_plan_follows_from_task_seed_and_reader_alone():
    setup = Setup(arms=("alone", "a"), design="crossover")

    def plan(reader="R1", seed=1, task="t", cases=CASES):
        return readings_of(setup, cases, task=task, seed=seed, reader=reader)

    assert plan() == plan(cases=CASES[::-1])
    others = (plan("R2"), plan("R3"), plan(seed=2), plan(task="u"))
    assert all(other != plan() and sorted(map(str, other)) != [] for other in others)
    assert plan("ada@example.org") == plan("ada@example.org") != plan("bob@example.org")
