"""Laws of every family of measures in the registry."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.ranking.families import METRICS
from evalcore.ranking.lists import RankedGains, ranked_order, tie_groups
from evalcore.ranking.metrics import ARGUMENTS, Target, parse_metric

REACHES_ONE = {"CUI", "nnCUI", "nDCG", "AP", "RR", "Success", "Rprec", "bpref", "HAP", "ASI", "HP", "AHP"}
"""Families that are 1 for the best possible list; the others depend on how much there is to find."""

UNBOUNDED = {"DCG", "CAG-DCG", "CAG-CG"}
"""Sums that grow with the number of results."""

families = pytest.mark.parametrize("family", METRICS.values(), ids=lambda family: family.name)
RANKS = {"MeanR", "MedR"}
"""Families that are a place in the list: 1 is the best, the last place stands for what is not listed."""
RATIOS = RANKS.union(
    ("CUI", "nnCUI", "nDCG", "AP", "Recall", "F1", "Rprec", "bpref", "infAP", "HAP", "ASI", "HP", "AHP")
)
"""Families without a value where nothing is relevant."""

BEST_FIRST = [
    family
    for family in METRICS.values()
    if family.name not in RANKS | {"Judged"} and not family.name.startswith("CAG-")
]
"""Families for which no order of the same results is worth more than the one by gain."""
collections = st.lists(st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=12)


def value(family, gains, collection, *, scores=None):
    """One list under the family's example, cut at 5 where it is cut."""
    metric = parse_metric(family.example)
    if metric.cutoff:
        metric = replace(metric, cutoff=5)
    width = 5 if metric.cutoff and not family.whole_ideal else max(len(collection), 1)
    ideal = np.zeros((1, width))
    best = sorted(collection, reverse=True)[:width]
    ideal[0, : len(best)] = best
    relevant = np.array([np.count_nonzero(collection)])
    target = Target(ideal=ideal, n_relevant=relevant, n_others=len(collection) - relevant)
    indptr = np.array([0, len(gains)])
    groups = None if scores is None else tie_groups(indptr, np.array(scores, float))
    ranked = RankedGains(indptr, np.array(gains, float), groups)
    arguments = {name: ARGUMENTS[name](target, metric) for name in family.asks}
    return float(family.compute(ranked, **arguments)[0])


@given(collection=collections, returned=st.integers(0, 12))
def test_values_are_in_the_range_that_the_registry_states(collection, returned):
    most = {"DCG": sum(1 / np.log2(i + 2) for i in range(5)), "CG": 5.0}
    for family in METRICS.values():
        result = value(family, collection[:returned], collection)
        assert np.isnan(result) == (not any(collection) and family.name in RATIOS), family.name
        if family.name in RANKS:
            assert np.isnan(result) or 1 <= result <= len(collection)
            continue
        limit = most.get(family.name.removeprefix("CAG-"), 1)
        assert np.isnan(result) or -1e-12 <= result <= limit + 1e-12, family.name


@families
def test_the_range_is_stated(family):
    if family.needs == "labels" or family.name != "mean":
        assert family.range == "0 to 1" or family.name in UNBOUNDED | RANKS


@given(collection=collections.filter(any))
def test_the_best_order_is_never_beaten_and_reaches_one_where_it_should(collection):
    for family in BEST_FIRST:
        best = value(family, sorted(collection, reverse=True), collection)
        assert value(family, collection, collection) <= best + 1e-12, family.name
        if family.name in REACHES_ONE:
            assert best == pytest.approx(1.0), family.name


@given(collection=collections.filter(any), place=st.integers(0, 10))
def test_moving_a_better_image_up_never_lowers_a_value(collection, place):
    better = list(collection)
    better[place : place + 2] = sorted(better[place : place + 2], reverse=True)
    for family in BEST_FIRST:
        moved = value(family, better, collection)
        assert moved >= value(family, collection, collection) - 1e-12, family.name


@families
def test_an_empty_list_scores_lowest(family):
    # Of two relevant candidates among three the first has come by place 2, wherever it is.
    worst = value(family, [], [1.0, 0.5, 0.0])
    assert worst == (2.0 if family.name in RANKS else 0.0)


@given(collection=collections.filter(any), data=st.data())
def test_the_expectation_over_ties_is_between_the_extremes(collection, data):
    levels = sorted(
        data.draw(st.lists(st.integers(0, 2), min_size=len(collection), max_size=len(collection)))
    )[::-1]
    groups = [[g for g, s in zip(collection, levels, strict=True) if s == level] for level in (2, 1, 0)]
    worst, best = ([g for group in groups for g in sorted(group, reverse=r)] for r in (False, True))
    for family in BEST_FIRST:
        if family.name not in ("MAX", "ASI"):
            expected = value(family, collection, collection, scores=levels)
            low, high = value(family, worst, collection), value(family, best, collection)
            assert low - 1e-12 <= expected <= high + 1e-12, family.name


def test_tied_rows_are_ordered_by_candidate():
    queries = np.array([0, 0, 1, 1], np.int32)
    scores = np.array([0.5, 0.5, 0.5, 0.2])
    assert ranked_order(queries, scores, np.array([1, 2, 0, 3], np.int32)).tolist() == [0, 1, 2, 3]
    assert ranked_order(queries, scores, np.array([2, 1, 0, 3], np.int32)).tolist() == [1, 0, 2, 3]


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"equally long. Got \[1, 2, 1\]"):
        ranked_order(np.zeros(1, np.int32), np.zeros(2), np.zeros(1, np.int32))
