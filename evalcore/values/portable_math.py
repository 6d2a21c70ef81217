"""Logarithms and powers that are the same on every processor.

NumPy and the C library pick their routines by what the processor can do, and these differ in the last digit.
Here are only sums, products and quotients, which IEEE 754 rounds alike everywhere, and tables made by decimal
arithmetic: the nearest entry of a table and a short series for the rest (Tang 1989,
doi:10.1145/63522.214389, and 1990, doi:10.1145/98267.98294). Errors stay below 0.52 units of the last place,
for logarithms between -1/2 and 1/2 below 3.
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from evalcore.values.arrays import Floats

STEPS = 64
"""Entries of a table for each doubling."""
_EXACTLY = Context(prec=50)
_LN2 = Decimal(2).ln(_EXACTLY)
_BEYOND = 2_000.0
"""What e is raised to, at most: more is infinite, and less is 0, as it is."""


def log(values: npt.ArrayLike) -> Floats:
    """Natural logarithm, any shape: -infinity for 0, NaN below."""
    return _logarithm(values, 1)


def log2(values: npt.ArrayLike) -> Floats:
    """Logarithm to base 2, any shape, exact for powers of 2: -infinity for 0, NaN below."""
    return _logarithm(values, 2)


def exp(values: npt.ArrayLike) -> Floats:
    """e to these powers, any shape."""
    x = np.clip(np.asarray(values, np.float64), -_BEYOND, _BEYOND)
    high, low = _parts(_LN2 / STEPS)
    steps = np.rint(x * (STEPS / float(_LN2)))
    return _power(steps, (x - steps * high) - steps * low)


def exp2(values: npt.ArrayLike) -> Floats:
    """2 to these powers, any shape, exact for whole powers."""
    x = np.clip(np.asarray(values, np.float64), -_BEYOND, _BEYOND)
    steps = np.rint(x * STEPS)
    return _power(steps, (x - steps / STEPS) * float(_LN2))


def _power(steps: Floats, rest: Floats) -> Floats:
    """2^(steps / STEPS) times e^rest for a rest of less than 1/128; NaN where the rest is NaN."""
    whole = np.nan_to_num(steps).astype(np.int64)
    high, low = (part[whole % STEPS] for part in _powers())
    series = rest * (1 + rest * (1 / 2 + rest * (1 / 6 + rest * (1 / 24 + rest * (1 / 120 + rest / 720)))))
    powers: Floats = np.ldexp(high + (low + high * series), whole // STEPS)
    return powers


def _logarithm(values: npt.ArrayLike, base: int) -> Floats:
    """To base 2, or natural where the base is called 1.

    A number is m 2^k with m in [0.7, 1.4), and ln m = ln c + 2 (s + s^3/3 + s^5/5 + ...) for the nearest c
    of the table, s = (m - c) / (m + c).
    """
    x = np.asarray(values, np.float64)
    usual = (x > 0) & np.isfinite(x)
    mantissa, exponent = np.frexp(np.where(usual, x, 1.0))
    small = mantissa < np.sqrt(0.5)
    mantissa, exponent = np.where(small, 2 * mantissa, mantissa), exponent - small
    entry = np.rint(mantissa * STEPS).astype(np.int64)
    centre = entry / STEPS
    s = (mantissa - centre) / (mantissa + centre)
    square = s * s
    series = 2 * s + s * square * (2 / 3 + square * (2 / 5 + square * (2 / 7)))
    high, low = (part[entry] for part in _logarithms(base))
    high_unit, low_unit = _parts(Decimal(1) if base == 2 else _LN2)
    if base == 2:
        series = series * float(1 / _LN2)
    # The leading parts have so few digits that their sum is exact.
    result = (exponent * high_unit + high) + (series + (exponent * low_unit + low))
    return np.where(usual, result, np.where(x == 0, -np.inf, np.where(x > 0, x, np.nan)))


@cache
def _powers() -> tuple[Floats, Floats]:
    """2^(j / STEPS) in two parts, for j below STEPS."""
    exactly = [_EXACTLY.power(Decimal(2), Decimal(j) / STEPS) for j in range(STEPS)]
    high = [float(power) for power in exactly]
    low = [float(power - Decimal(part)) for power, part in zip(exactly, high, strict=True)]
    return np.array(high), np.array(low)


@cache
def _logarithms(base: int) -> tuple[Floats, Floats]:
    """The logarithm of j / STEPS in two parts, for j up to 2 STEPS; that of 0 is never asked for."""
    unit = _LN2 if base == 2 else Decimal(1)
    exactly = [(Decimal(max(j, 1)) / STEPS).ln(_EXACTLY) / unit for j in range(2 * STEPS)]
    high, low = zip(*map(_parts, exactly), strict=True)
    return np.array(high), np.array(low)


def _parts(exactly: Decimal) -> tuple[float, float]:
    """A number in two parts; the first is a multiple of 2^-40, so that thousands of it are exact too."""
    high = int((exactly * 2**40).to_integral_value()) / 2**40
    return high, float(exactly - Decimal(high))


# The normal distribution, to twelve decimals: the same on every processor, unlike the last digit.

_DECIMALS = 12
_NORMAL = NormalDist()


def quantile(share: float) -> float:
    """Which value do so many of the draws not exceed? ``share`` above 0 and below 1.

    >>> quantile(0.975)
    1.95996398454
    """
    return round(_NORMAL.inv_cdf(share), _DECIMALS)


def share_below(value: float) -> float:
    """How many of the draws do not exceed a value? From 0 to 1."""
    return round(_NORMAL.cdf(value), _DECIMALS)
