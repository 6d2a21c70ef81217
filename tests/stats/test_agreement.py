"""Agreement of readers: Krippendorff's alpha and Cohen's kappa of published examples and of two libraries."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evalcore.stats.agreement import alpha, cohen

N = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
)
"""Krippendorff 2011, section C: four observers, twelve units."""


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example(level, published):
    assert alpha(KRIPPENDORFF, level) == pytest.approx(published, abs=5e-4)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30),
    st.sampled_from(["linear", "quadratic"]),
)
def test_weighted_kappa_is_that_of_all_five_steps(pairs, weights):
    a, b = np.array(pairs).T
    if len({*a, *b}) < 2:
        assert np.isnan(cohen(a / 4, b / 4, weights=weights))
        return
    expected = cohen_kappa_score(a, b, labels=range(5), weights=weights)
    assert cohen(a / 4, b / 4, weights=weights) == pytest.approx(expected, nan_ok=True)


@given(
    st.lists(
        st.lists(st.sampled_from([N, -1.0, 0.0, 0.5, 4.0]), min_size=3, max_size=3), min_size=1, max_size=20
    ),
    st.sampled_from(["nominal", "ordinal", "interval"]),
)
def test_alpha_is_the_library_s(items, level):
    table = np.array(items).T
    paired = table[:, np.count_nonzero(~np.isnan(table), axis=0) > 1]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert np.isnan(alpha(table, level))
        return
    expected = krippendorff.alpha(reliability_data=paired, level_of_measurement=level)
    assert alpha(table, level) == pytest.approx(expected, abs=1e-12)
