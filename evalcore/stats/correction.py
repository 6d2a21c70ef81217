"""Many comparisons at once: p-values corrected so that more systems do not mean more false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from evalcore.arrays import Floats

HOLM = "Holm"


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
