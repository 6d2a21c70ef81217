"""How far from 0 must a statistic be that is looked at several times? Alpha spending.

At each look a part of the level is spent, and the boundary is where the chance of crossing it now, and not
before, is that part: for a Brownian motion without drift, by recursive integration (Armitage, McPherson &
Rowe 1969, doi:10.2307/2343787; Lan & DeMets 1983, doi:10.1093/biomet/70.3.659).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats

FURTHEST = 9.0
"""Standard errors beyond which nothing is: a two-sided chance of 2e-19."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)


def spent(share: float, alpha: float) -> float:
    """How much of ``alpha`` (two-sided) is spent when a share, 0 to 1, of the most is judged.

    The spending function of the O'Brien-Fleming type, on each side 2 - 2 Phi(z / sqrt(share)): little at
    first, nearly all at the end. 0 at 0.
    """
    if share <= 0:
        return 0.0
    return float(4 * ndtr(ndtri(alpha / 4) / sqrt(min(share, 1.0))))


def boundaries(spending: tuple[float, ...], information: tuple[float, ...]) -> tuple[float, ...]:
    """The boundary of each look, in standard errors.

    ``spending``: the level spent up to each look, two-sided, rising. ``information``: of each look, rising,
    on any scale, such as queries judged. A look that spends nothing has the boundary `FURTHEST`.
    """
    looks = Looks()
    return tuple(looks.next(until, now) for until, now in zip(spending, information, strict=True))


def crossing(bounds: tuple[float, ...], information: tuple[float, ...]) -> float:
    """The chance that a Brownian motion without drift is beyond one of the boundaries, either side."""
    result, before = 0.0, _START
    for bound, now in zip(bounds, information, strict=True):
        result += before.beyond(bound * sqrt(now), now)
        before = before.within(bound, now)
    return result


class _Density(NamedTuple):
    """Where the motion is that crossed no boundary: values, and the mass at each; ``at`` this information."""

    at: float
    values: Floats
    mass: Floats

    def beyond(self, limit: float, now: float) -> float:
        """The chance to be farther from 0 than ``limit`` at the information ``now``."""
        step = sqrt(now - self.at)
        above: Floats = ndtr((self.values - limit) / step) + ndtr((-limit - self.values) / step)
        return float(self.mass @ above)

    def within(self, bound: float, now: float) -> _Density:
        """The same at ``now``, of what crosses no boundary there either."""
        limit, step = bound * sqrt(now), sqrt(now - self.at)
        values = limit * _NODES
        apart = (values[:, None] - self.values) / step
        density = np.exp(-0.5 * apart * apart) @ self.mass / (step * sqrt(2 * np.pi))
        return _Density(now, values, limit * _WEIGHTS * density)


_START = _Density(0.0, np.zeros(1), np.ones(1))


@dataclass(slots=True)
class Looks:
    """The looks so far, to go on from the last."""

    _last: _Density = _START
    _spent: float = 0.0

    def next(self, spent: float, information: float) -> float:
        """The boundary of one more look; ``spent`` is the level up to it (see `boundaries`)."""
        level, self._spent = spent - self._spent, spent
        root, before = sqrt(information), self._last
        bound = FURTHEST
        if before.beyond(FURTHEST * root, information) < level:
            bound = float(
                brentq(lambda z: before.beyond(z * root, information) - level, 0.0, FURTHEST, xtol=1e-10)
            )
        self._last = before.within(bound, information)
        return bound
