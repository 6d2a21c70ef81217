"""The normal distribution, to twelve decimals: the same on every processor, unlike the last digit."""

from __future__ import annotations

from statistics import NormalDist

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
