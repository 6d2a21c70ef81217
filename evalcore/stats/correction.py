"""Many comparisons at once: p-values corrected so that more systems do not mean more false alarms.

Holm bounds the chance of even one false alarm, Benjamini-Hochberg the share of false alarms among what is
found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evalcore.values.arrays import Floats
from evalcore.values.settings import OPTIONS, Correction

NAMES = OPTIONS["correction"].shown
"""What each correction is called in results."""
CLEAR = 0.05
"""A difference is called clear, and two systems are told apart, where the corrected p lies below."""


def holm(p: Floats) -> Floats:
    """Holm's step-down correction (Holm 1979): the chance of even one false alarm stays at the level.

    With k p-values in ascending order the i-th (from 1) becomes (k - i + 1) * p_i, never less than the
    one before it, at most 1. NaN (no test was possible) stays NaN and does not count.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    corrected = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return corrected


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini & Hochberg's step-up correction (1995): the expected share of false alarms among those found.

    With k p-values in ascending order the i-th (from 1) becomes k / i * p_i, never more than the one after
    it. NaN (no test was possible) stays NaN and does not count.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    corrected = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")][::-1]
    k = len(order)
    corrected[order] = np.minimum.accumulate(p[order] * k / np.arange(k, 0, -1))
    return corrected


CORRECTIONS: dict[Correction, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": np.asarray,
}
"""How p-values are corrected, by the name of the choice: shape (m,), aligned; "none" leaves them."""
