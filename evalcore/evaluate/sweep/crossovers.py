"""Where does one system overtake another as neighbours count for more?

Scores are known at the alphas of a grid only; between two of them the difference is taken as linear. (The
gain of a list is linear in alpha, the ideal it is divided by is not quite: the place is a little inexact.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from evalcore.evaluate.comparison import paired_differences
from evalcore.evaluate.summary import N_BOOTSTRAP, intervals
from evalcore.stats.levels import SAME
from evalcore.stats.sums import mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.sweep.grid import GridScores
    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.settings import Settings

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Crossover:
    """``winner`` overtakes ``loser`` as alpha grows: linearly interpolated between two points of the grid.

    ``clear``: at some alpha before, ``loser`` was ahead by an interval without zero, and at some alpha
    after ``winner`` is; else the two are too close to call on one side at least.
    """

    threshold: int
    alpha: float
    between: tuple[float, float]
    winner: str
    loser: str
    clear: bool


def crossovers_of(
    grid: GridScores, metric: Metric, points: Sequence[Settings], settings: Settings
) -> tuple[Crossover, ...]:
    """Every overtaking along alpha at each threshold."""
    found: list[Crossover] = []
    names = grid.systems
    for threshold in dict.fromkeys(point.threshold for point in points):
        along = [point for point in points if point.threshold == threshold]
        alphas = [point.alpha for point in along]
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                paired = [
                    paired_differences(grid.at(point, b, metric), grid.at(point, a, metric), settings)
                    for point in along
                ]
                crossings = sign_changes(alphas, [mean_of(column) for column, _ in paired])
                if crossings:
                    signs = _sure_signs(paired, settings)
                    found += [_crossover(threshold, one, (a, b), alphas, signs) for one in crossings]
    return tuple(sorted(found, key=lambda one: (one.threshold, one.alpha, one.winner)))


def sign_changes(
    alphas: Sequence[float], gaps: Sequence[float]
) -> list[tuple[float, tuple[float, float], int]]:
    """Where a difference changes its sign: (alpha, the alphas around it, sign afterwards).

    Linear between the last alpha with the one sign and the first with the other; where the
    difference is 0 in between, the middle of that stretch. NaN and what is level with 0 have no sign.

    >>> sign_changes([0, 0.5, 1], [0.1, 0.1, -0.3])
    [(0.625, (0.5, 1), -1)]
    """
    found = []
    last: int | None = None
    for j, gap in enumerate(gaps):
        if not isfinite(gap) or abs(gap) <= SAME:
            continue
        if last is not None and (gaps[last] > 0) != (gap > 0):
            before, after = alphas[last], alphas[j]
            if j == last + 1:
                at = before + (after - before) * gaps[last] / (gaps[last] - gap)
            else:
                at = (alphas[last + 1] + alphas[j - 1]) / 2
            found.append((at, (before, after), 1 if gap > 0 else -1))
        last = j
    return found


def _sure_signs(paired: Sequence[tuple[Floats, Ints | None]], settings: Settings) -> list[int]:
    """The sign of each difference whose interval leaves out zero, else 0."""
    columns, groups = [column for column, _ in paired], [of for _, of in paired]
    ends = intervals(columns, groups, settings=settings, level=LEVEL, n_resamples=N_BOOTSTRAP, seed=0)
    return [(low > 0) - (high < 0) for low, high in ends]


def _crossover(
    threshold: int, crossing: tuple[float, tuple[float, float], int], pair: tuple[str, str],
    alphas: Sequence[float], signs: Sequence[int],
) -> Crossover:  # fmt: skip
    at, (before, after), sign = crossing
    winner, loser = pair if sign > 0 else pair[::-1]
    sure_before = any(s == -sign for alpha, s in zip(alphas, signs, strict=True) if alpha <= before)
    sure_after = any(s == sign for alpha, s in zip(alphas, signs, strict=True) if alpha >= after)
    return Crossover(threshold, at, (before, after), winner, loser, sure_before and sure_after)
