"""How many readers and cases does the next study need? From the variance components of a pilot.

A new study draws readers and cases from where the pilot's came from, so its variance is the sum of the same
components with other weights (Gallas, Pennello & Myers 2007, doi:10.1364/JOSAA.24.000B70). In a split plot
readers and cases are cut into equal groups, each of which is fully crossed with itself: what varies between
readers, or between cases, weighs the same as if all were crossed; only what varies with reader and case
together weighs more, for a fraction of the readings (Obuchowski, Gallas & Hillis 2012,
doi:10.1016/j.acra.2012.09.012).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np

from evalcore.stats.mrmc.moments import Sums
from evalcore.values.arrays import Bools, Floats
from evalcore.values.errors import SettingError

MOST_CASES = 20_000
READERS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 30)
"""Numbers of readers that a table of plans has."""


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """Variance components of a difference of two systems, none negative, by what two readings share.

    ``components``: shape (2,) * factors, the reader first. ``shares``: of all cases that are of each kind,
    shape (factors - 1,): of one kind it is 1.
    """

    factors: tuple[str, ...]
    components: Floats
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A study of ``readers`` in ``groups``, and its ``cases``; ``readings``: of both systems together.

    ``width``: of the interval; ``power``: the chance of p below 1 - level, NaN where no difference is given.
    """

    readers: int
    groups: int
    cases: int
    readings: int
    width: float
    power: float


def pilot_of(sums: Sums, truth: Bools | None, a: int, b: int) -> Pilot:
    """The components of the difference of the systems at ``a`` and ``b``; negative ones become 0."""
    parts = sums.components(sums.unbiased)
    difference = parts[..., a, a] + parts[..., b, b] - 2 * parts[..., a, b]
    positive = 1.0 if truth is None else float(np.mean(truth))
    shares = (1.0,) if truth is None else (1 - positive, positive)
    return Pilot(sums.factors, np.maximum(difference, 0.0), shares)


def outlook(
    pilot: Pilot,
    readers: int,
    cases: Floats,
    *,
    groups: int = 1,
    difference: float = nan,
    level: float = 0.95,
) -> tuple[Floats, Floats]:
    """Width of the interval and power of studies of so many readers, for each number of cases.

    Parameters
    ----------
    cases
        Numbers of cases, of all kinds in the shares of the pilot, at least 2 of each kind in a group.
    groups
        Of the split plot; 1 for fully crossed.
    difference
        The true difference whose power is asked for; NaN for none, whose power is NaN.

    Degrees of freedom as of an analysis of the new study by U-statistics (`estimate.random_effects`), with
    the pilot's components. Power by the noncentral t distribution, both sides.
    """
    from scipy.special import nctdtr, stdtrit

    kinds = [share * np.asarray(cases, float) for share in pilot.shares]
    counts = [np.full(len(cases), float(readers)), *kinds]
    variance = np.zeros(len(cases))
    for place in np.ndindex(*pilot.components.shape):
        if not any(place):
            continue
        # Two readings that share a case, or a reader, are of one group: shared once that is free, each
        # further factor is drawn from one group instead of from all.
        weight = float(groups) ** (sum(place) - 1) / np.prod(
            [count for count, shared in zip(counts, place, strict=True) if shared], axis=0
        )
        variance += pilot.components[place] * weight
    free = np.stack([count - 1 for count in counts])
    single = [tuple(int(i == j) for i in range(len(counts))) for j in range(len(counts))]
    parts = np.array([pilot.components[place] for place in single])[:, None]
    spread = (parts**2 / free**3).sum(axis=0)
    least = free.min(axis=0)
    df = np.maximum(np.divide(variance**2, spread, out=np.full(len(cases), 1e6), where=spread > 0), least)
    critical = stdtrit(df, (1 + level) / 2)
    se = np.sqrt(variance)
    if np.isnan(difference):
        return 2 * critical * se, np.full(len(cases), nan)
    away = np.divide(abs(difference), se, out=np.full(len(cases), 1e6), where=se > 0)
    power = 1 - nctdtr(df, np.minimum(away, 30), critical) + nctdtr(df, np.minimum(away, 30), -critical)
    return 2 * critical * se, np.clip(power, 0, 1)


def plans(
    pilot: Pilot,
    *,
    width: float | None = None,
    power: float | None = None,
    difference: float = nan,
    level: float = 0.95,
    readers: Iterable[int] = READERS,
    groups: Iterable[int] = (1, 2),
) -> tuple[Plan, ...]:
    """The fewest cases with which each number of readers reaches the width, or the power.

    Plans that no more than `MOST_CASES` cases reach are left out, and so are numbers of readers that cannot
    be cut into groups of at least two.

    Raises
    ------
    SettingError
        Neither or both of width and power; a power without the difference it is for.
    """
    if (width is None) == (power is None):
        raise SettingError("width", "given, or power with difference, not both", width)
    if power is not None and np.isnan(difference):
        raise SettingError("difference", "given with power: the true difference to be shown", None)
    result = []
    for n_groups in groups:
        least = int(np.ceil(2 * n_groups / min(pilot.shares)))
        for n in readers:
            if n_groups > 1 and (n < 2 * n_groups or n % n_groups):
                continue
            plan = partial(outlook, pilot, n, groups=n_groups, difference=difference, level=level)
            cases = _fewest(partial(_enough, plan, width, power), least, n_groups)
            if cases:
                wide, strong = plan(np.array([float(cases)]))
                readings = 2 * n * cases // n_groups
                result.append(Plan(n, n_groups, cases, readings, float(wide[0]), float(strong[0])))
    return tuple(result)


def _enough(
    plan: Callable[[Floats], tuple[Floats, Floats]], width: float | None, power: float | None, cases: Floats
) -> Bools:
    wide, strong = plan(cases)
    enough: Bools = wide <= width if width is not None else strong >= float(power or 0)
    return enough


def _fewest(enough: Callable[[Floats], Bools], least: int, step: int) -> int:
    """The fewest cases that are enough, in steps from the least on; 0 where no number up to the most is.

    More cases are taken to be better: steps between two numbers of a coarse grid are tried one by one only
    where the first of the grid that is enough ends.
    """
    coarse = np.unique(np.geomspace(least, MOST_CASES, 40).astype(int) - least) // step * step + least
    first = np.flatnonzero(enough(coarse.astype(float)))
    if not len(first):
        return 0
    end = int(coarse[first[0]])
    start = int(coarse[first[0] - 1]) + step if first[0] else end
    fine = np.arange(start, end + 1, step)
    return int(fine[np.argmax(enough(fine.astype(float)))])
