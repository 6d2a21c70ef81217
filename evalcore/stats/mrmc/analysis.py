"""A reader study as a whole: the values of systems, their differences, and how sure these are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import nan

from evalcore.stats.mrmc.estimate import Difference, Estimate, random_effects
from evalcore.stats.mrmc.moments import Sums, sums_of
from evalcore.stats.mrmc.readings import Measure, Readings
from evalcore.values.arrays import Floats


@dataclass(frozen=True, slots=True)
class SystemValue:
    """A system over all readers and cases, and by reader (NaN for one who did not use it)."""

    system: str
    estimate: Estimate
    per_reader: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """One sort of pair of readings in the covariance of the values of two systems, or the variance of one.

    ``shared``: what the two readings have in common, "" for nothing. ``moment``: their mean product,
    ``coefficient``: what it counts. ``variance``: the variance component of what is shared, ``weight``: what
    that counts; their sum over all that share something is the covariance too.
    """

    a: str
    b: str
    shared: str
    moment: float
    coefficient: float
    variance: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class ReaderStudy:
    """``differences``: all pairs of systems."""

    readings: Readings
    measure: Measure
    level: float
    rows: tuple[SystemValue, ...]
    differences: tuple[Difference, ...]
    moments: tuple[Moment, ...]
    as_imrmc: bool


def mrmc(readings: Readings, *, level: float = 0.95, as_imrmc: bool = True) -> ReaderStudy:
    """Analyse a reader study: areas under the ROC curve where the readings have a truth, else mean ratings.

    By U-statistics, readers and cases random, of any design.

    Parameters
    ----------
    level
        Of the intervals, between 0 and 1.
    as_imrmc
        See `moments.sums_of`; mean ratings only.
    """
    measure: Measure = "mean" if readings.truth is None else "auc"
    sums = sums_of(readings, as_imrmc=as_imrmc)
    estimates, apart = random_effects(sums, readings.systems, level=level)
    rows = _rows(readings, estimates, sums.per_reader)
    return ReaderStudy(readings, measure, level, rows, apart, _moments(readings, sums), as_imrmc)


def _rows(readings: Readings, estimates: tuple[Estimate, ...], values: Floats) -> tuple[SystemValue, ...]:
    return tuple(
        SystemValue(system, estimate, tuple(map(float, each)))
        for system, estimate, each in zip(readings.systems, estimates, values, strict=True)
    )


def _moments(readings: Readings, sums: Sums) -> tuple[Moment, ...]:
    moments = sums.unbiased
    parts = moments, sums.coefficients, sums.components(moments), sums.weights()
    result = []
    for i, j in combinations_with_replacement(range(len(readings.systems)), 2):
        for place in product((0, 1), repeat=len(sums.factors)):
            shared = " and ".join(name for name, varies in zip(sums.factors, place, strict=True) if varies)
            moment, coefficient, variance, weight = (float(part[(*place, i, j)]) for part in parts)
            if not shared:
                variance, weight = nan, nan  # the squared mean, which varies with nothing
            names = readings.systems[i], readings.systems[j]
            result.append(Moment(*names, shared, moment, coefficient, variance, weight))
    return tuple(result)
