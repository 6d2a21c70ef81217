"""Reader studies: against iMRMC on real data, and against sums over pairs written out."""

import json
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from evalcore.stats.mrmc.analysis import mrmc
from evalcore.stats.mrmc.estimate import covariances
from evalcore.stats.mrmc.moments import sums_of
from evalcore.stats.mrmc.readings import Readings
from evalcore.stats.mrmc.sizing import outlook, pilot_of, plans
from evalcore.study.reader_ratings import imrmc_lines, parse_ratings, ratings_of
from evalcore.values.errors import InputError, SettingError

STUDIES = ("vandyke_full", "vandyke_missing", "vandyke_split", "franken_full")


@pytest.fixture(scope="module")
def folder(real_dir):
    if not (real_dir / "mrmc").is_dir():
        pytest.skip("needs real/mrmc of the folder shared beside the project")
    return real_dir / "mrmc"


def golden_of(folder, name):
    data, design = name.split("_")
    every = json.loads((folder / "golden.json").read_text())
    return next(row for row in every if (row["data"], row["design"]) == (data, design))


def as_given(rows, difference, names):
    a, b = (row.estimate for row in rows)
    estimate = difference.estimate
    values = {"a": a.value, "b": b.value, "difference": estimate.value}
    values |= {"var_a": a.variance, "var_b": b.variance, "var_difference": estimate.variance}
    values |= {"df": estimate.df, "p": estimate.p, "low": estimate.low, "high": estimate.high}
    values |= {"auc_a": a.value, "auc_b": b.value}
    return {name: None if np.isnan(values[name]) else values[name] for name in names}


@pytest.mark.real
@pytest.mark.parametrize("name", STUDIES)
def test_areas_and_means_are_those_of_imrmc(folder, name):
    golden = golden_of(folder, name)
    readings = ratings_of(folder / f"{name}.csv", "auc")
    assert (readings.design, readings.n_readings) == (golden["design"], golden["rows"])
    study = mrmc(readings)
    expected = golden["auc_ustat"]
    assert as_given(study.rows, study.differences[0], expected) == pytest.approx(expected, abs=1e-9)
    assert study.differences[0].p_corrected == pytest.approx(study.differences[0].estimate.p, nan_ok=True)
    means = mrmc(ratings_of(folder / f"{name}.csv", "mean"))
    expected = golden["mean_rating"]
    assert as_given(means.rows, means.differences[0], expected) == pytest.approx(expected, abs=1e-9)


@pytest.mark.real
def test_a_file_for_imrmc_is_read_as_the_same_readings(folder):
    readings = ratings_of(folder / "vandyke_missing.csv", "auc")
    again, report = parse_ratings("".join(imrmc_lines(readings)).encode(), file="a.imrmc", measure="auc")
    assert again is not None and not report.problems
    assert (again.systems, again.readers, again.cases) == (readings.systems, readings.readers, readings.cases)
    np.testing.assert_array_equal(again.ratings, readings.ratings)
    np.testing.assert_array_equal(again.truth, readings.truth)


@pytest.mark.parametrize("name", ["NA", "truth", "a,b", "a b"])
def test_names_that_r_would_read_as_something_else_are_refused(name):
    readings = drawn()
    with pytest.raises(InputError, match="cannot be written in iMRMC's input format"):
        [*imrmc_lines(replace(readings, readers=(name, *readings.readers[1:])))]


def drawn(seed=1, *, systems=3, readers=4, cases=8, lost=0.2):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (systems, readers, cases)).astype(float)
    ratings[rng.random(ratings.shape) < lost] = np.nan
    truth = np.arange(cases) % 2 == 1
    return Readings(
        ("a", "b", "c")[:systems], tuple("rstuvwxy"[:readers]), tuple(map(str, range(cases))), ratings, truth
    )


def by_pairs(readings, first, second):
    """The unbiased covariance of two systems' areas: every pair of comparisons, sorted by what it shares."""
    truth = readings.truth
    comparisons = [
        [
            (r, n, p, float(x[r, p] > x[r, n]) + 0.5 * (x[r, p] == x[r, n]))
            for r, n, p in product(range(len(x)), np.flatnonzero(~truth), np.flatnonzero(truth))
            if not np.isnan(x[r, p] + x[r, n])
        ]
        for x in (readings.ratings[first], readings.ratings[second])
    ]
    sorts = {}
    for left, right in product(*comparisons):
        shared = tuple(i == j for i, j in zip(left[:3], right[:3], strict=True))
        sorts.setdefault(shared, []).append(left[3] * right[3])
    n = len(comparisons[0]) * len(comparisons[1])
    mean = np.mean(sorts[False, False, False])
    return sum(len(products) / n * np.mean(products) for products in sorts.values()) - mean


def test_the_variance_is_a_sum_over_pairs_of_readings_in_any_design():
    readings = drawn()
    covariance = covariances(sums_of(readings))
    expected = [[by_pairs(readings, i, j) for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(covariance, expected, atol=1e-12)
    study = mrmc(readings)
    assert [(pair.a, pair.b) for pair in study.differences] == [*combinations("abc", 2)]
    # Both decompositions are of the same variance.
    for i, j in combinations(range(3), 2):
        moments = [m for m in study.moments if (m.a, m.b) == ("abc"[i], "abc"[j])]
        assert sum(m.moment * m.coefficient for m in moments) == pytest.approx(covariance[i, j])
        assert sum(m.variance * m.weight for m in moments if m.shared) == pytest.approx(covariance[i, j])


def test_unbiased_moments_of_means_leave_out_readers_without_a_common_case():
    """A split plot of independent ratings with a large mean: iMRMC's estimate is far below the variance."""
    rng = np.random.default_rng(3)
    estimates = []
    for _ in range(200):
        ratings = 5 + rng.normal(size=(1, 4, 10))
        ratings[:, :2, :5] = ratings[:, 2:, 5:] = np.nan
        readings = Readings(("a",), tuple("rstu"), tuple("0123456789"), ratings)
        assert readings.design == "split"
        estimates.append([covariances(sums_of(readings, as_imrmc=imrmc))[0, 0] for imrmc in (True, False)])
    as_imrmc, unbiased = np.mean(estimates, axis=0)
    assert unbiased == pytest.approx(1 / 20, abs=4 * np.std(estimates, axis=0)[1] / 200**0.5)
    assert as_imrmc < 0


def test_equal_ratings_have_no_variance():
    ratings = np.full((1, 3, 6), 5.0)
    ratings[:, 2, 1:] = np.nan
    readings = Readings(("a",), tuple("rst"), tuple("012345"), ratings)
    assert covariances(sums_of(readings, as_imrmc=False))[0, 0] == pytest.approx(0, abs=1e-12)


def test_a_negative_variance_has_no_interval():
    readings = next(
        candidate
        for seed in range(50)
        if mrmc(candidate := drawn(seed, systems=2, lost=0)).differences[0].estimate.variance < 0
    )
    study = mrmc(readings)
    estimate = study.differences[0].estimate
    assert np.isnan([estimate.df, estimate.p, estimate.low, estimate.high, estimate.se]).all()


def test_a_plan_has_the_weights_of_a_study_of_that_design():
    """Weights counted in a split plot are those that plans use for one."""
    readings = drawn(5, systems=2, readers=8, cases=24, lost=0)
    sums = sums_of(readings)
    pilot = pilot_of(sums, readings.truth, 0, 1)
    split = readings.ratings.copy()
    split[:, :4, :12] = split[:, 4:, 12:] = np.nan
    there = Readings(readings.systems, readings.readers, readings.cases, split, readings.truth)
    assert there.design == "split"
    for groups, design_sums in ((1, sums), (2, sums_of(there))):
        weights = design_sums.weights()[..., 0, 0]
        variance = (pilot.components * weights).sum() - pilot.components[0, 0, 0]
        width, power = outlook(pilot, 8, np.array([24.0]), groups=groups, difference=0.3)
        free = np.array([7, 11, 11])
        parts = np.array([pilot.components[at] for at in ((1, 0, 0), (0, 1, 0), (0, 0, 1))])
        from scipy.stats import nct, t

        df = max(variance**2 / (parts**2 / free**3).sum(), 7)
        half = t.ppf(0.975, df)
        assert width[0] == pytest.approx(2 * half * variance**0.5)
        away = 0.3 / variance**0.5
        assert power[0] == pytest.approx(nct.sf(half, df, away) + nct.cdf(-half, df, away), abs=1e-6)
    planned = plans(pilot, width=float(width[0]), readers=(8,), groups=(2,))
    assert [(plan.readers, plan.groups, plan.cases <= 24, plan.readings) for plan in planned] == [
        (8, 2, True, 8 * planned[0].cases)
    ]
    with pytest.raises(SettingError, match="not both"):
        plans(pilot, width=0.1, power=0.8)


def test_systems_with_equal_ratings_do_not_differ():
    """Equal ratings everywhere, and a system that gets the ratings of another: a variance of exactly 0."""
    readings = drawn(6, systems=2, lost=0)
    twice = np.stack([readings.ratings[0]] * 2)
    for ratings in (np.full_like(twice, 3.0), twice):
        same = mrmc(Readings(readings.systems, readings.readers, readings.cases, ratings, readings.truth))
        estimate = same.differences[0].estimate
        assert (estimate.value, estimate.variance, estimate.low, estimate.high, estimate.p) == (0, 0, 0, 0, 1)
