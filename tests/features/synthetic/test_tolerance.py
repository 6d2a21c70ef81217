"""Tolerance intervals, their bootstrap, and what is within, against the specification, NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.features.synthetic.features import UNDEFINED, table
from evalcore.features.synthetic.tolerance import binarise, bootstrap_bounds, smallest_sample, tolerances
from evalcore.features.synthetic.tversky import all_present, wsi_matrix
from evalcore.values.errors import SettingError

NAMES = ("a", "b", "c")


def of(values):
    return table([f"i{k}" for k in range(len(values))], NAMES[: len(values[0])], np.array(values, float))


def test_the_example_of_the_specification(spec_golden):
    golden = spec_golden["E_tol"]
    archetypes, subjects = of(golden["X"]), of(golden["subj"])
    bounds = tolerances(archetypes)
    np.testing.assert_allclose([bounds.low, bounds.high], [golden["lo"], golden["hi"]], rtol=1e-12)
    found, own = binarise(subjects, bounds), binarise(archetypes, bounds)
    np.testing.assert_array_equal(found.present, golden["b_subj"])
    np.testing.assert_array_equal(own.present, golden["b_arch"])
    np.testing.assert_allclose(wsi_matrix(found, all_present(3))[:, 0], golden["wsi_vs_allones"], rtol=1e-12)
    np.testing.assert_allclose(wsi_matrix(found, own).mean(1), golden["wsi_mean_vs_each"], rtol=1e-12)
    pairs = wsi_matrix(own, own)[np.triu_indices(10, 1)]
    assert pairs.mean() == pytest.approx(golden["self_similarity_train"], rel=1e-12)


def test_ends_belong_to_the_interval_and_the_next_number_does_not():
    bounds = tolerances(of([[1.0], [2.0]]), quantiles=(0, 1))
    inside = binarise(of([[1.0], [2.0], [np.nextafter(1, 0)], [np.nextafter(2, 3)]]), bounds)
    assert inside.present[:, 0].tolist() == [True, True, False, False]


def test_missing_is_unknown_and_undefined_is_absent():
    archetypes = of([[1, 5, np.nan], [2, UNDEFINED, np.nan], [3, 6, UNDEFINED]])
    bounds = tolerances(archetypes, quantiles=(0, 1))
    assert bounds.n.tolist() == [3, 2, 0]
    assert (bounds.low[:2].tolist(), bounds.high[:2].tolist()) == ([1, 5], [3, 6])
    assert np.isnan([bounds.low[2], bounds.high[2]]).all() and bounds.usable.tolist() == [True, True, False]
    found = binarise(of([[np.nan, UNDEFINED, 7]]), bounds)
    assert found.known.tolist() == [[False, True, False]] and not found.present.any()
    assert binarise(of([[np.nan, 5, 7]]), bounds, missing="absent").known.tolist() == [[True, True, False]]


def test_one_archetype_image_tolerates_itself_only():
    one = of([[1.0, 2.0, 3.0]])
    bounds = tolerances(one)
    assert bounds.constant.all() and bounds.too_few.all()
    assert binarise(one, bounds).present.all()
    assert binarise(of([[1.0, 2.0, 3.0001]]), bounds).present.tolist() == [[True, True, False]]


def test_a_constant_feature():
    bounds = tolerances(of([[4.0, k] for k in range(30)]))
    assert bounds.constant.tolist() == [True, False]
    assert (bounds.low[0], bounds.high[0]) == (4.0, 4.0)


@pytest.mark.parametrize("quantiles", [(0.05, 0.95), (0.1, 0.99), (0.25, 0.5)])
def test_the_smallest_sample_is_the_first_whose_ends_leave_the_outermost_values(quantiles):
    n = smallest_sample(quantiles)
    # with values 0, 1, 2, ... the ends are the places themselves
    low, high = np.quantile(np.arange(n), quantiles)
    assert low >= 1 - 1e-9 and high <= n - 2 + 1e-9
    low, high = np.quantile(np.arange(n - 1), quantiles)
    assert low < 1 - 1e-9 or high > n - 3 + 1e-9


@pytest.mark.parametrize("quantiles", [(0.95, 0.05), (0.5, 0.5), (-0.1, 0.9), (0.1, 1.1), (np.nan, 1)])
def test_quantiles_out_of_range(quantiles):
    with pytest.raises(SettingError, match="`quantiles` must be two numbers from 0 to 1, the lower first"):
        tolerances(of([[1.0]]), quantiles=quantiles)


def test_intervals_of_the_bounds_are_those_of_scipys_bootstrap():
    rng = np.random.default_rng(5)
    values = rng.gamma(2, 1, (120, 2))
    values[0, 1] = np.nan
    found = bootstrap_bounds(of(values), n_resamples=20_000, seed=3)
    for feature in range(2):
        column = values[np.isfinite(values[:, feature]), feature]
        for end, got in ((0.05, found.low), (0.95, found.high)):
            oracle = stats.bootstrap(
                (column,),
                lambda x, axis, end=end: np.quantile(x, end, axis=axis),
                n_resamples=20_000,
                method="percentile",
                rng=np.random.default_rng(4),
            ).confidence_interval
            width = oracle.high - oracle.low
            np.testing.assert_allclose(got[:, feature], [oracle.low, oracle.high], atol=0.06 * width)


def test_the_same_seed_gives_the_same_intervals_and_another_one_others():
    values = of(np.random.default_rng(1).normal(size=(40, 2)))
    first, again = bootstrap_bounds(values, seed=1), bootstrap_bounds(values, seed=1)
    np.testing.assert_array_equal(first.low, again.low)
    assert (first.low != bootstrap_bounds(values, seed=2).low).any()
    nothing = bootstrap_bounds(of([[np.nan, 1.0]]))
    assert np.isnan(nothing.low[:, 0]).all() and nothing.high[:, 1].tolist() == [1, 1]
