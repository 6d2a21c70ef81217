"""How well does each measure of a grid agree with satisfied users, and does context-aware gain help?

Spearman's rho over queries between measure and satisfaction, for every measure, gain and depth; intervals
by a bootstrap that draws whole participants, since the ratings of one person hang together. The difference
between context-aware and original gain is one of two correlations over the same queries (see
`stats.dependent`), its p corrected by Holm over all measures and depths asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.satisfaction.choices import DEPTHS, GAINS, N_RESAMPLES
from evalcore.ranking.grid import GRID, Reading, grid_value
from evalcore.stats.correction import holm
from evalcore.stats.correlation import spearman
from evalcore.stats.dependent import DependentTest, compare_correlations
from evalcore.stats.rank_bootstrap import middle_of, spearman_resamples
from evalcore.values.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.satisfaction.choices import Gain, Resample
    from evalcore.features.satisfaction.data import Clean
    from evalcore.values.arrays import Floats, Offsets

MEASURES = tuple(GRID)
FEW_USERS = 20
"""Fewer participants, and the bootstrap that draws them gives intervals that are too narrow."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Spearman's rho of one measure with satisfaction, and its interval; NaN where it does not vary."""

    metric: str
    gain: Gain
    depth: int
    spearman: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Context-aware minus original, over the same queries.

    r12: Spearman's rho between the two. low, high: interval by the same resamples as those of `Agreement`.
    """

    metric: str
    depth: int
    difference: float
    low: float
    high: float
    r12: float
    test: str
    statistic: float
    p: float
    p_corrected: float


@dataclass(frozen=True, slots=True)
class Found:
    """All rows, measure by measure, and how they came about."""

    rows: tuple[Agreement, ...]
    differences: tuple[Difference, ...]
    n_queries: int
    n_users: int
    resample: Resample
    n_resamples: int
    seed: int
    level: float

    def row(self, metric: str, gain: Gain, depth: int) -> Agreement:
        return next(o for o in self.rows if (o.metric, o.gain, o.depth) == (metric, gain, depth))

    def difference(self, metric: str, depth: int) -> Difference:
        return next(one for one in self.differences if (one.metric, one.depth) == (metric, depth))

    @property
    def best(self) -> Agreement | None:
        """The measure that agrees best; the first of equals, None where nothing has a value."""
        known = [one for one in self.rows if not np.isnan(one.spearman)]
        return max(known, key=lambda one: one.spearman) if known else None


def agreement(
    clean: Clean,
    *,
    depths: Sequence[int] = DEPTHS,
    reading: Reading,
    test: DependentTest = "williams",
    resample: Resample = "users",
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> Found:
    """Every measure with either gain at every depth, against satisfaction.

    ``reading``: how measures are put together; its choice of gain is not looked at.
    """
    depths = checked_depths(depths)
    asked = [(metric, gain, depth) for depth in depths for metric in MEASURES for gain in GAINS]
    columns = values(clean, depths, reading)
    target = clean.satisfaction
    rho = np.array([spearman(columns[:, j], target) for j in range(len(asked))])
    groups = drawn_together(clean, resample)
    resampled = spearman_resamples(
        columns, target, groups, n_resamples=n_resamples, rng=np.random.default_rng(seed)
    )
    n_groups = int(groups.max()) + 1
    low, high = ends_of(resampled, n_groups, level=level)
    apart = ends_of(resampled[:, 1::2] - resampled[:, ::2], n_groups, level=level)
    rows = tuple(Agreement(*of, *map(float, three)) for of, *three in zip(asked, rho, low, high, strict=True))
    return Found(
        rows,
        _differences(asked, columns, rho, apart, test),
        clean.n_queries,
        clean.n_users,
        resample,
        n_resamples,
        seed,
        level,
    )


def too_narrow(found: Found) -> str:
    """What to say beside intervals from so few participants; "" if there are enough."""
    if found.resample != "users" or not 2 <= found.n_users < FEW_USERS:
        return ""
    return (
        f"Intervals from fewer than {FEW_USERS} participants are too narrow: with 5, 95% intervals held "
        "the true correlation in about 82 of 100 simulated studies, with 10 in about 90."
    )


def drawn_together(clean: Clean, resample: Resample) -> Offsets:
    """A number for each query, shared by those that the bootstrap draws together: one person's, or none."""
    return clean.user_of if resample == "users" else np.arange(clean.n_queries)


def values(clean: Clean, depths: Sequence[int], reading: Reading) -> Floats:
    """Every measure of every query: depth by depth, measure by measure, original before context-aware."""
    of_gain = [replace(reading, context_aware=gain == "context-aware") for gain in GAINS]
    grids = [clean.grid(depth) for depth in depths]
    return np.column_stack([grid_value(m, grid, one) for grid in grids for m in MEASURES for one in of_gain])


def checked_depths(depths: Sequence[int]) -> tuple[int, ...]:
    """Depths in order, each once; SettingError unless they are whole numbers from 1."""
    if not depths or any(depth < 1 for depth in depths):
        raise SettingError("depth", "whole numbers of rows, at least 1", list(depths))
    return tuple(sorted(dict.fromkeys(depths)))


def ends_of(resampled: Floats, n: int, *, level: float) -> tuple[Floats, Floats]:
    """The ends of each column's interval; NaN for ``n`` = 1 group: every resample would be the same."""
    low, high = middle_of(resampled, level=level)
    return (low, high) if n > 1 else (low * np.nan, high * np.nan)


def _differences(
    asked: Sequence[tuple[str, Gain, int]],
    columns: Floats,
    rho: Floats,
    apart: tuple[Floats, Floats],
    test: DependentTest,
) -> tuple[Difference, ...]:
    n = len(columns)
    pairs = range(0, len(asked), 2)
    between = [spearman(columns[:, j], columns[:, j + 1]) for j in pairs]
    tested = [
        compare_correlations(rho[j + 1], rho[j], r12, n, test=test)
        for j, r12 in zip(pairs, between, strict=True)
    ]
    corrected = holm(np.array([one.p for one in tested]))
    return tuple(
        Difference(
            asked[j][0],
            asked[j][2],
            float(rho[j + 1] - rho[j]),
            float(apart[0][i]),
            float(apart[1][i]),
            between[i],
            test,
            *tested[i],
            float(corrected[i]),
        )
        for i, j in enumerate(pairs)
    )
