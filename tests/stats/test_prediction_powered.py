"""Means by few people and one program: against ppi-python, a jackknife over groups, and simulated studies."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.prediction_powered import powered_mean
from evalcore.values.errors import SettingError

GOLDEN = (
    (1, 20, 80, 0.2, None, 0.6268367716786948, 0.5648898252217829, 0.6887837181356067),
    (1, 20, 80, 0.2, 1, 0.6352326250000001, 0.5673797961664256, 0.7030854538335746),
    (2, 50, 450, 0.6, None, 0.57036108, 0.5197934651778402, 0.6209286948221597),
    (3, 100, 60, 2.0, None, 0.5611961826394818, 0.43898075784422336, 0.6834116074347403),
    (3, 100, 60, 2.0, 1, 0.57532618, 0.43699068786606, 0.71366167213394),
    (4, 30, 300, -0.3, None, -0.30551216666666664, -0.4132019958693881, -0.19782233746394517),
    (4, 30, 300, -0.3, 1, -0.23608935666666664, -0.4395406142708495, -0.03263809906248377),
)
"""Seed, n, N, noise, lam; ppi_py.ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05) of ppi-python 0.2.3
for `material`: normal quantile, variances divided by n."""


def uniform(seed, n):
    """A linear congruential generator, so that the material is the same everywhere."""
    values, x = [], seed
    for _ in range(n):
        x = (1103515245 * x + 12345) % 2**31
        values.append(x / 2**31)
    return np.array(values)


def material(seed, n, n_more, noise):
    program, error = uniform(seed, n + n_more), uniform(seed + 100, n + n_more)
    people = np.round(np.sign(noise) * program + abs(noise) * (error - 0.5) + 0.1, 6)
    program = np.round(program, 6)
    return people[:n], program[:n], program[n:]


@pytest.mark.parametrize(("seed", "n", "n_more", "noise", "lam", "mean", "low", "high"), GOLDEN)
def test_estimates_are_those_of_ppi_python(seed, n, n_more, noise, lam, mean, low, high):
    people, program, more = material(seed, n, n_more, noise)
    powered = powered_mean(people, program, more, tuning=lam)
    assert powered.mean == pytest.approx(mean, rel=1e-12)
    # Theirs is a normal interval of variances over n; ours Student's of variances over n - 1.
    t = powered.tuning
    theirs = sqrt(np.var(people - t * program) / n + t * t * np.var(more) / n_more)
    assert stats.norm.ppf(0.975) * theirs == pytest.approx((high - low) / 2, rel=1e-12)
    ours = sqrt(np.var(people - t * program, ddof=1) / n + t * t * np.var(more, ddof=1) / n_more)
    half = stats.t.ppf(0.975, n - 1) * ours
    assert (powered.low, powered.high) == pytest.approx((mean - half, mean + half), rel=1e-9)


def test_without_a_program_it_is_students_interval_of_people_alone():
    people = np.array([0.1, 0.5, 0.4, 0.9])
    alone = stats.t.interval(0.9, 3, people.mean(), stats.sem(people))
    for program, more in ((np.zeros(4), np.ones(9)), (people, np.empty(0))):
        powered = powered_mean(people, program, more, level=0.9)
        assert (powered.low, powered.high) == pytest.approx(alone, rel=1e-12) and powered.tuning == 0
    nobody = powered_mean(np.empty(0), np.empty(0), np.ones(3))
    assert np.isnan(nobody.mean) and np.isnan(nobody.low)
    single = powered_mean(np.array([0.5]), np.array([0.5]), np.ones(3))
    assert single.mean == 0.5 and np.isnan(single.low)
    with pytest.raises(SettingError, match="level"):
        powered_mean(people, people, people, level=95)


def test_variance_of_groups_is_that_of_a_jackknife_over_them():
    """Every group left out in turn; the groups that people judged, and the others."""
    people, program, more = material(3, 24, 60, 1.0)
    groups, others = np.arange(24) // 5, 100 + np.arange(60) // 7
    powered = powered_mean(people, program, more, tuning=0.6, groups=(groups, others))
    variance = 0.0
    for labels, left_out in ((groups, True), (others, False)):
        means = []
        for group in np.unique(labels):
            kept = labels != group
            part = (people[kept], program[kept], more) if left_out else (people, program, more[kept])
            means.append(powered_mean(*part, tuning=0.6).mean)
        variance += (len(means) - 1) / len(means) * np.sum((np.array(means) - powered.mean) ** 2)
    half = stats.t.ppf(0.975, powered.groups - 1) * sqrt(variance)
    assert (powered.high - powered.low) / 2 == pytest.approx(half, rel=1e-12) and powered.groups == 5
    one_each = powered_mean(people, program, more, tuning=0.6, groups=(np.arange(24), np.full(60, -1)))
    assert one_each[:3] == pytest.approx(powered_mean(people, program, more, tuning=0.6)[:3], rel=1e-12)
    one_group = powered_mean(people, program, more, groups=(np.zeros(24, int), others))
    assert np.isfinite(one_group.mean) and np.isnan(one_group.low)


@pytest.mark.parametrize("by_patient", [True, False])
def test_intervals_of_patients_hold(by_patient):
    """1,000 studies of 125 patients with one to twenty images; people judge whole patients, or any images."""
    rng, held, without = np.random.default_rng(5), 0, 0
    for study in range(1_000):
        sizes = rng.geometric(0.25, 125)
        patient = np.repeat(np.arange(125), sizes)
        truth = 0.5 + rng.normal(0, 0.1, 125)[patient] + rng.normal(0, 0.1, len(patient))
        program = truth + 0.1 + rng.normal(0, 0.05, 125)[patient] + rng.normal(0, 0.15, len(patient))
        judged = patient < 30 if by_patient else rng.permutation(len(patient)) < 120
        values = (truth[judged], program[judged], program[~judged])
        groups = (patient[judged], patient[~judged])
        powered = powered_mean(*values, groups=groups)
        held += powered.low <= 0.5 <= powered.high
        if study < 200:
            naive = powered_mean(*values)
            without += naive.low <= 0.5 <= naive.high
    assert 932 <= held <= 968  # 95%, give or take what 1,000 draws allow
    assert without < 180  # of 200
