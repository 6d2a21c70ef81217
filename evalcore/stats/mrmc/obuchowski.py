"""Obuchowski & Rockette's analysis of variance of the readers' values, whose errors are correlated.

Every reader has a value for each system. Values of the same cases go up and down together, which the
covariances of these values describe: of one reader under two systems (Cov1), of two readers under one system
(Cov2), of two readers under two systems (Cov3). Obuchowski & Rockette 1995
(doi:10.1080/03610919508813243); degrees of freedom of Hillis 2007 (doi:10.1002/sim.2532); formulas for fixed
readers or cases as in Hillis 2014 (doi:10.1002/sim.5926).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import inf, nan
from typing import Literal

import numpy as np

from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.mrmc.estimate import Difference, Estimate, differences, estimate
from evalcore.stats.mrmc.moments import comparisons
from evalcore.stats.mrmc.readings import Readings
from evalcore.values.arrays import Bools, Floats
from evalcore.values.errors import InputError, SettingError

Covariances = Literal["jackknife", "delong", "bootstrap"]
Fixed = Literal["none", "readers", "cases"]
REPLICATIONS = 2_000


@dataclass(frozen=True, slots=True)
class Overall:
    """The test that all systems have the same value; ``df1`` and ``df2`` of F, infinite for chi-square.

    With fixed readers the statistic is chi-square on ``df1`` degrees of freedom.
    """

    statistic: float
    df1: float
    df2: float
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class ObuchowskiRockette:
    """``components``: by name, as Hillis writes them. ``overall``: None for one system."""

    rows: tuple[Estimate, ...]
    differences: tuple[Difference, ...]
    components: dict[str, float]
    overall: Overall | None


def obuchowski_rockette(
    readings: Readings,
    *,
    covariances: Covariances = "jackknife",
    fixed: Fixed = "none",
    level: float = 0.95,
    replications: int = REPLICATIONS,
    rng: np.random.Generator,
) -> ObuchowskiRockette:
    """Values of systems and their differences, of fully crossed readings.

    Parameters
    ----------
    covariances
        How the covariances of the readers' values are found: jackknife over cases, DeLong's (areas only), or
        bootstrap over cases, positive and negative ones drawn apart.
    fixed
        What is not a sample: with fixed readers the result is about these readers and other cases, with
        fixed cases about these cases and other readers.
    rng
        Source of the bootstrap's draws; not used otherwise.

    Raises
    ------
    InputError
        A reading is missing; one reader only, unless readers are fixed.
    SettingError
        DeLong's covariances of a mean rating.
    """
    _check(readings, covariances, fixed)
    values = reader_values(readings)
    n_systems, n_readers = values.shape
    sigma = error_covariances(readings, covariances, replications, rng)
    parts = _components(values, sigma)
    rows = [_row(values[i], sigma[i, :, i, :], fixed, level) for i in range(n_systems)]
    if n_systems < 2:
        return ObuchowskiRockette(tuple(rows), (), parts, None)
    error, df2 = _error(parts, n_systems, n_readers, fixed)
    variance = 2 * error / n_readers
    means = values.mean(axis=1)
    apart = [
        estimate(float(means[i] - means[j]), variance, df2, level=level, null=0.0, whole=False)
        for i, j in combinations(range(n_systems), 2)
    ]
    return ObuchowskiRockette(
        tuple(rows),
        differences(readings.systems, apart),
        parts,
        _overall(parts["MS(T)"], error, n_systems - 1, df2),
    )


def _check(readings: Readings, covariances: Covariances, fixed: Fixed) -> None:
    missing = np.argwhere(~readings.read)
    if len(missing):
        system, reader, case = missing[0]
        raise InputError(
            f"Obuchowski-Rockette takes fully crossed readings, but {len(missing):,} are missing: the first "
            f"is reader {readings.readers[reader]!r}, system {readings.systems[system]!r}, case "
            f"{readings.cases[case]!r}. Use the method ustat, which takes any design."
        )
    if covariances == "delong" and readings.truth is None:
        raise SettingError("covariances", "jackknife or bootstrap for a mean rating", covariances)
    if len(readings.readers) < 2 and fixed != "readers":
        raise InputError("One reader says nothing of other readers. Add readers, or take them as fixed.")


def reader_values(readings: Readings) -> Floats:
    """The area or mean of each reader, shape (systems, readers); of fully crossed readings."""
    if readings.truth is None:
        return np.asarray(readings.ratings.mean(axis=2))
    return np.array([won.mean() for won in _won(readings)]).reshape(readings.ratings.shape[:2])


def _won(readings: Readings) -> Iterator[Floats]:
    """Comparisons of each negative and positive case, shape (negative, positive): by system, then reader."""
    assert readings.truth is not None, "comparisons take a truth"
    for cell in readings.ratings.reshape(-1, len(readings.cases)):
        yield comparisons(cell[None, ~readings.truth], cell[None, readings.truth])[0]


def error_covariances(
    readings: Readings, how: Covariances, replications: int, rng: np.random.Generator
) -> Floats:
    """Covariances of the readers' values over cases, shape (systems, readers, systems, readers)."""
    n_systems, n_readers, _ = readings.ratings.shape
    shape = (n_systems, n_readers, n_systems, n_readers)
    if readings.truth is None:
        cells = readings.ratings.reshape(n_systems * n_readers, -1)
        if how == "bootstrap":
            drawn = _weights(cells.shape[1], replications, rng) @ cells.T / cells.shape[1]
            return np.cov(drawn.T, ddof=1).reshape(shape)
        return np.atleast_2d(np.cov(cells) / cells.shape[1]).reshape(shape)  # the jackknife of a mean
    p = int(np.count_nonzero(readings.truth))
    n = len(readings.cases) - p
    if how == "bootstrap":
        negative, positive = _weights(n, replications, rng), _weights(p, replications, rng)
        drawn = np.stack([((negative @ won) * positive).sum(axis=1) for won in _won(readings)]) / (n * p)
        return np.atleast_2d(np.cov(drawn)).reshape(shape)
    both = [(won.mean(axis=1), won.mean(axis=0)) for won in _won(readings)]
    by_negative, by_positive = (np.stack(part) for part in zip(*both, strict=True))
    if how == "delong":
        result = np.cov(by_negative) / n + np.cov(by_positive) / p
        return np.atleast_2d(result).reshape(shape)
    area = by_negative.mean(axis=1, keepdims=True)
    # The area without one case: the mean over the others of its kind.
    without = np.hstack([(n * area - by_negative) / (n - 1), (p * area - by_positive) / (p - 1)])
    result = np.cov(without) * (n + p - 1) ** 2 / (n + p)
    return np.atleast_2d(result).reshape(shape)


def _weights(n: int, replications: int, rng: np.random.Generator) -> Floats:
    return np.concatenate([weights for _, weights in resampled_weights(n, replications, rng)])


def _components(values: Floats, sigma: Floats) -> dict[str, float]:
    n_systems, n_readers = values.shape
    mean, of_system, of_reader = values.mean(), values.mean(axis=1), values.mean(axis=0)
    apart = values - of_system[:, None] - of_reader[None, :] + mean
    same_system = np.eye(n_systems, dtype=bool)[:, None, :, None]
    same_reader = np.eye(n_readers, dtype=bool)[None, :, None, :]

    def average(chosen: Bools) -> float:
        where = np.broadcast_to(chosen, sigma.shape)
        return float(sigma[where].mean()) if where.any() else nan

    def square(total: float, df: int) -> float:
        return float(total / df) if df else nan

    return {
        "MS(T)": square(n_readers * ((of_system - mean) ** 2).sum(), n_systems - 1),
        "MS(R)": square(n_systems * ((of_reader - mean) ** 2).sum(), n_readers - 1),
        "MS(T*R)": square((apart**2).sum(), (n_systems - 1) * (n_readers - 1)),
        "Var(error)": average(same_system & same_reader),
        "Cov1": average(~same_system & same_reader),
        "Cov2": average(same_system & ~same_reader),
        "Cov3": average(~same_system & ~same_reader),
    }


def _error(parts: dict[str, float], n_systems: int, n_readers: int, fixed: Fixed) -> tuple[float, float]:
    """What the systems' mean square is compared with, and its degrees of freedom."""
    free = (n_systems - 1) * (n_readers - 1)
    together = max(parts["Cov2"] - parts["Cov3"], 0.0) if n_readers > 1 else 0.0
    if fixed == "readers":
        return parts["Var(error)"] - parts["Cov1"] + (n_readers - 1) * together, inf
    own = parts["MS(T*R)"]
    if fixed == "cases":
        return own, float(free)
    error = own + n_readers * together
    return error, free * (error / own) ** 2 if own > 0 else inf


def _row(values: Floats, sigma: Floats, fixed: Fixed, level: float) -> Estimate:
    """The value of one system, from its own readings alone."""
    r = len(values)
    other = sigma[~np.eye(r, dtype=bool)]
    together = max(float(other.mean()), 0.0) if r > 1 else 0.0
    if fixed == "readers":
        error, df = float(np.diagonal(sigma).mean()) + (r - 1) * together, inf
    else:
        own = float(values.var(ddof=1))
        error = own + (0.0 if fixed == "cases" else r * together)
        df = (r - 1) * (error / own) ** 2 if own > 0 else inf
    return estimate(float(values.mean()), error / r, df, level=level, whole=False)


def _overall(between: float, error: float, df1: int, df2: float) -> Overall:
    from scipy.special import chdtrc, fdtrc

    if not error > 0:
        return Overall(nan, df1, df2, nan)
    f = between / error
    if df2 == inf:
        return Overall(df1 * f, df1, inf, float(chdtrc(df1, df1 * f)))
    return Overall(f, df1, df2, float(fdtrc(df1, df2, f)))
