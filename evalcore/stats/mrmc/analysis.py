"""A reader study as a whole: the values of systems, their differences, and how sure these are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import nan

import numpy as np

from evalcore.stats.mrmc.estimate import Difference, Estimate, Method, random_effects
from evalcore.stats.mrmc.moments import Sums, sums_of
from evalcore.stats.mrmc.obuchowski import (
    REPLICATIONS,
    Covariances,
    Fixed,
    Overall,
    obuchowski_rockette,
    reader_values,
)
from evalcore.stats.mrmc.readings import Measure, Readings
from evalcore.values.arrays import Floats
from evalcore.values.errors import SettingError


@dataclass(frozen=True, slots=True)
class SystemValue:
    """A system over all readers and cases, and by reader (NaN for one who did not use it)."""

    system: str
    of: Estimate
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
    """``differences``: all pairs of systems. ``moments``: none by Obuchowski and Rockette, whose
    ``components`` and ``overall`` test are None otherwise. ``plug_in``: what the method mle gives, where one
    of the variances is negative; else None."""

    readings: Readings
    measure: Measure
    method: Method
    level: float
    rows: tuple[SystemValue, ...]
    differences: tuple[Difference, ...]
    moments: tuple[Moment, ...] = ()
    components: dict[str, float] | None = None
    overall: Overall | None = None
    plug_in: ReaderStudy | None = None
    as_imrmc: bool = True


def mrmc(
    readings: Readings,
    *,
    method: Method = "ustat",
    level: float = 0.95,
    as_imrmc: bool = True,
    covariances: Covariances = "jackknife",
    fixed: Fixed = "none",
    replications: int = REPLICATIONS,
    seed: int = 0,
) -> ReaderStudy:
    """Analyse a reader study: areas under the ROC curve where the readings have a truth, else mean ratings.

    Parameters
    ----------
    method
        ``ustat``: U-statistics, readers and cases random, any design. ``mle``: the same with the plug-in
        estimate of the variance. ``or``: Obuchowski and Rockette's analysis of variance; fully crossed only.
    level
        Of the intervals, between 0 and 1.
    as_imrmc
        See `moments.sums_of`; mean ratings by ``ustat`` only.
    covariances, fixed, replications, seed
        See `obuchowski_rockette`.

    Raises
    ------
    InputError
        The method does not take this design.
    SettingError
        A setting of ``or`` with another method, or DeLong's covariances of a mean.
    """
    measure: Measure = "mean" if readings.truth is None else "auc"
    if method == "or":
        result = obuchowski_rockette(
            readings,
            covariances=covariances,
            fixed=fixed,
            level=level,
            replications=replications,
            rng=np.random.default_rng(seed),
        )
        rows = _rows(readings, result.rows, reader_values(readings))
        return ReaderStudy(
            readings, measure, method, level, rows, result.differences, (), result.components, result.overall
        )
    if fixed != "none":
        raise SettingError("fixed", "none unless the method is or", fixed)
    sums = sums_of(readings, as_imrmc=as_imrmc)
    estimates, apart = random_effects(sums, method, readings.systems, level=level)
    rows = _rows(readings, estimates, sums.per_reader)
    variances = [one.variance for one in (*estimates, *(difference.of for difference in apart))]
    plug_in = None
    if method == "ustat" and min(variances) < 0:
        plug_in = mrmc(readings, method="mle", level=level, as_imrmc=as_imrmc)
    moments = _moments(readings, sums, method)
    return ReaderStudy(
        readings, measure, method, level, rows, apart, moments, plug_in=plug_in, as_imrmc=as_imrmc
    )


def _rows(readings: Readings, estimates: tuple[Estimate, ...], values: Floats) -> tuple[SystemValue, ...]:
    return tuple(
        SystemValue(system, one, tuple(map(float, each)))
        for system, one, each in zip(readings.systems, estimates, values, strict=True)
    )


def _moments(readings: Readings, sums: Sums, method: Method) -> tuple[Moment, ...]:
    moments = sums.unbiased if method == "ustat" else sums.plugged_in
    parts = moments, sums.coefficients, sums.components(moments), sums.weights()
    result = []
    for i, j in combinations_with_replacement(range(len(readings.systems)), 2):
        for place in product((0, 1), repeat=len(sums.factors)):
            shared = " and ".join(name for name, one in zip(sums.factors, place, strict=True) if one)
            moment, coefficient, variance, weight = (float(part[(*place, i, j)]) for part in parts)
            if not shared:
                variance, weight = nan, nan  # the squared mean, which varies with nothing
            names = readings.systems[i], readings.systems[j]
            result.append(Moment(*names, shared, moment, coefficient, variance, weight))
    return tuple(result)
