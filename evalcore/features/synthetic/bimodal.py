"""Does a feature have more than one mode, so that one interval covers a gap where nothing lies?

The bimodality coefficient (SAS; Pfister et al. 2013, doi:10.3389/fpsyg.2013.00700) of a sample with skewness
g and excess kurtosis k, both corrected for bias:

    (g^2 + 1) / (k + 3 (n - 1)^2 / ((n - 2)(n - 3)))

It is 5/9 for a uniform distribution and 1 for two points. Above 5/9 a second mode is suspected; very skewed
features exceed it with one mode too, so it is a reason to look, not a finding.
"""

from __future__ import annotations

import numpy as np

from evalcore.values.arrays import Bools, Floats

LIMIT = 5 / 9
FEWEST = 20
"""Values below which moments of this order say too little."""


def bimodality(values: Floats) -> Floats:
    """The coefficient of each column over its finite values, shape (m,); NaN for constants and below 4."""
    finite = np.isfinite(values)
    n = finite.sum(0).astype(float)
    held = np.where(finite, values, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(finite, held - held.sum(0) / n, 0.0)
        second, third, fourth = ((apart**k).sum(0) / n for k in (2, 3, 4))
        flat = second <= 1e-24 * np.maximum(np.abs(held).max(0, initial=0.0), 1e-300) ** 2
        skewness = np.sqrt(n * (n - 1)) / (n - 2) * third / second**1.5
        kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (fourth / second**2 - 3) + 6)
        found = (skewness**2 + 1) / (kurtosis + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))
    return np.where((n >= 4) & ~flat, found, np.nan)


def suspected(values: Floats) -> Bools:
    """Columns of at least ``FEWEST`` finite values whose coefficient is above ``LIMIT``."""
    found: Bools = (np.isfinite(values).sum(0) >= FEWEST) & (np.nan_to_num(bimodality(values)) > LIMIT)
    return found
