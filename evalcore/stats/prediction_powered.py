"""How high is a mean that few were measured for, where a cheap judge estimates it for all?

Prediction-powered inference with power tuning (PPI++): people judge n queries, a program judges these and N
others. With y what people say, f what the program says:

    mean = mean(y) - t (mean of f over the n - mean of f over the N)
    variance = var(y - t f) / n + t^2 var(f over the N) / N
    t = cov(y, f) / ((1 + n/N) var(f over all)), cut to 0..1

The program may be wrong in any way: what it gets wrong is measured where people judged too. t is how far it
is trusted: 0 where it says nothing about people's values, which gives the mean and interval of people alone.
Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, doi:10.1126/science.adi6000; Angelopoulos, Duchi & Zrnic
2023, arXiv 2311.01453.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import stdtrit

from evalcore.stats.sums import mean_of
from evalcore.values.errors import SettingError

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats


class Powered(NamedTuple):
    """A mean by people, corrected and sharpened by a program.

    ``low`` and ``high``: interval at the level asked for; ``tuning``: t; ``n`` queries that people judged,
    ``n_more`` that only the program did.
    """

    mean: float
    low: float
    high: float
    tuning: float
    n: int
    n_more: int


def powered_mean(
    people: Floats, program: Floats, more: Floats, *, level: float = 0.95, tuning: float | None = None
) -> Powered:
    """The mean of ``people`` over all queries, with an interval.

    Parameters
    ----------
    people, program
        What both say of the same n queries, shape (n,), no NaN. The n must be drawn at random from all.
    more
        What the program says of N others, shape (N,), may be empty: the mean is then that of people alone.
    level
        Of the interval: Student's t with n - 1 degrees of freedom, so that few queries give no interval too
        narrow. Without more queries it is the usual one of a mean.
    tuning
        t; None for the one with the narrowest interval, 1 for PPI as first published, 0 for people alone.

    Returns
    -------
    NaN for the mean without a query of people, for the interval with fewer than two.

    Raises
    ------
    SettingError
        A level that is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)
    n, n_more = len(people), len(more)
    if not n:
        return Powered(np.nan, np.nan, np.nan, 0.0, 0, n_more)
    t = _tuning(people, program, more) if tuning is None else tuning
    t = t if n_more else 0.0
    mean = mean_of(people) - (t * (mean_of(program) - mean_of(more)) if n_more else 0.0)
    if n < 2:
        return Powered(mean, np.nan, np.nan, t, n, n_more)
    variance = _variance(people - t * program) / n
    variance += t * t * _variance(more) / n_more if n_more > 1 else 0.0
    half = float(stdtrit(n - 1, (1 + level) / 2)) * sqrt(variance)
    return Powered(mean, mean - half, mean + half, t, n, n_more)


def _variance(values: Floats) -> float:
    return float(np.var(values, ddof=1))


def _tuning(people: Floats, program: Floats, more: Floats) -> float:
    """How far the program is trusted; 0 where its values, or the people's, do not vary."""
    n, n_more = len(people), len(more)
    if n < 2 or not n_more:
        return 0.0
    spread = _variance(np.concatenate([program, more]))
    if not spread > 0:
        return 0.0
    together = float(np.mean((people - people.mean()) * (program - program.mean())))
    return min(max(together / ((1 + n / n_more) * spread), 0.0), 1.0)
