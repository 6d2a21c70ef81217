"""Normal quantiles and shares against scipy, to their twelve decimals."""

from __future__ import annotations

import pytest
from scipy import stats

from evalcore.stats.normal import quantile, share_below


@pytest.mark.parametrize("share", [1e-9, 0.025, 0.5, 0.8, 0.975, 1 - 1e-9])
def test_as_scipy(share):
    z = stats.norm.ppf(share)
    assert quantile(share) == pytest.approx(z, abs=6e-13, rel=1e-12)
    assert share_below(z) == pytest.approx(share, abs=6e-13)
    assert quantile(share) == round(quantile(share), 12)
