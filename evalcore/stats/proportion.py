"""How sure is a share? Wilson's interval for outcomes that are 0 or 1.

With k of n successes, p = k / n and z the normal quantile of the level, it holds every chance from which p is
no further than z standard errors:

    (p + z^2 / 2n  -+  z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)

Unlike a bootstrap it knows that no success among few queries is no proof of none. Wilson 1927,
doi:10.1080/01621459.1927.10502953; recommended for small n by Brown, Cai & DasGupta 2001,
doi:10.1214/ss/1009213286.
"""

from __future__ import annotations

from math import sqrt

from evalcore.stats.normal import quantile


def wilson_interval(successes: int, n: int, *, level: float) -> tuple[float, float]:
    """Lower and upper end for the chance behind ``successes`` of ``n`` > 0, from 0 to 1.

    >>> [round(end, 4) for end in wilson_interval(0, 20, level=0.95)]
    [0.0, 0.1611]
    """
    z, p = quantile((1 + level) / 2), successes / n
    middle, reach = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + side * reach) / (1 + z * z / n) for side in (-1, 1))
    return (low if successes else 0.0), (high if successes < n else 1.0)
