"""Which differences matter, which could be seen, and how many queries that takes.

For n paired differences with standard deviation s, a two-sided test at level a detects with a chance of 1 - b
a true mean difference of

    d = (z(1 - a/2) + z(1 - b)) s / sqrt(n),   so   n = ((z(1 - a/2) + z(1 - b)) s / d)^2

z are quantiles of the normal distribution: the mean of many differences is nearly normal, whatever they are.
Where queries come in groups, such as several images of one patient, s^2 / n is too small: it is multiplied by
the design effect, the variance of the mean with groups over that without (Kish 1965). The number of queries
then holds for groups like those at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, isfinite, nan, sqrt
from types import MappingProxyType
from typing import Literal

from evalcore.values.portable_math import quantile

Judgement = Literal["larger", "smaller", "unclear"]
IS_LARGER: Mapping[Judgement, str] = MappingProxyType(
    {"larger": "yes", "smaller": "no", "unclear": "can't say"}
)
"""A judgement as the answer to whether the difference is larger."""
POWER = 0.8
"""The chance to detect a difference that is there."""


def judgement(low: float, high: float, smallest: float) -> Judgement:
    """Does a difference with this interval matter, when those of ``smallest`` (> 0) and less do not?

    "larger": the whole interval lies beyond ``smallest``, on one side. "smaller": all of it lies within, in
    either direction. "unclear": neither, or there is no interval (NaN).

    >>> judgement(0.03, 0.05, 0.02), judgement(-0.01, 0.015, 0.02), judgement(0.01, 0.05, 0.02)
    ('larger', 'smaller', 'unclear')
    """
    if low > smallest or high < -smallest:
        return "larger"
    return "smaller" if -smallest < low and high < smallest else "unclear"


def detectable(
    spread: float, n: int, *, level: float = 0.95, power: float = POWER, design_effect: float = 1.0
) -> float:
    """The smallest true difference that ``n`` pairs detect with a chance of ``power``.

    ``spread``: standard deviation of the paired differences; ``level`` of the interval, so that the test's is
    1 - ``level``; ``design_effect``: 1 for independent pairs, 0 where every group has the same mean, which
    detects any difference. NaN without a spread.

    >>> round(detectable(0.2, 100), 4), round(detectable(0.2, 100, design_effect=4), 4)
    (0.056, 0.1121)
    """
    if n <= 0:
        return nan
    return _reach(level, power) * spread / sqrt(n / design_effect) if design_effect else 0.0


def pairs_needed(
    spread: float, difference: float, *, level: float = 0.95, power: float = POWER, design_effect: float = 1.0
) -> int | None:
    """How many pairs detect a true difference of ``difference`` > 0 with a chance of ``power``.

    ``design_effect`` as for `detectable`. At least 2; None without a spread (NaN).

    >>> pairs_needed(0.2, 0.056), pairs_needed(0.2, 0.056, design_effect=2)
    (101, 201)
    """
    if not isfinite(spread * design_effect):
        return None
    return max(2, ceil(design_effect * (_reach(level, power) * spread / difference) ** 2))


def _reach(level: float, power: float) -> float:
    return quantile((1 + level) / 2) + quantile(power)
