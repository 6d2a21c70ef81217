"""Does the winner depend on the setting? The ranking of systems at every point of a grid.

At each point: the order of the systems and the lead of the first over the second with its paired
interval. Between neighbouring alphas: which system overtakes which, and where. How alike two rankings
are: Kendall's tau. The leader is chosen by the data its lead is measured on, so the interval describes
the lead and is no test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING, get_args

import numpy as np

from evalcore.evaluate.comparison import paired_differences
from evalcore.evaluate.summary import N_BOOTSTRAP, intervals, summarise_all
from evalcore.evaluate.sweep.grid import GridScores, Tried, effective, grid_points, repeated, score_grid
from evalcore.evaluate.sweep.variants import refuse_nothing_to_vary
from evalcore.evaluate.targets import metric_of
from evalcore.stats.correlation import kendall
from evalcore.stats.levels import SAME, best_first
from evalcore.stats.sums import mean_of
from evalcore.values.model import Interval, Study
from evalcore.values.settings import CountRule, Direction, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.progress import Progress

# Where does one system overtake another as neighbours count for more?
#
# Scores are known at the alphas of a grid only; between two of them the difference is taken as linear. (The
# gain of a list is linear in alpha, the ideal it is divided by is not quite: the place is a little
# inexact.)

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
    crossovers: list[Crossover] = []
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
                    crossovers += [
                        _crossover(threshold, crossing, (a, b), alphas, signs) for crossing in crossings
                    ]
    return tuple(
        sorted(crossovers, key=lambda crossover: (crossover.threshold, crossover.alpha, crossover.winner))
    )


def sign_changes(
    alphas: Sequence[float], gaps: Sequence[float]
) -> list[tuple[float, tuple[float, float], int]]:
    """Where a difference changes its sign: (alpha, the alphas around it, sign afterwards).

    Linear between the last alpha with the one sign and the first with the other; where the
    difference is 0 in between, the middle of that stretch. NaN and what is level with 0 have no sign.

    >>> sign_changes([0, 0.5, 1], [0.1, 0.1, -0.3])
    [(0.625, (0.5, 1), -1)]
    """
    result = []
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
            result.append((at, (before, after), 1 if gap > 0 else -1))
        last = j
    return result


def _sure_signs(paired: Sequence[tuple[Floats, Ints | None]], settings: Settings) -> list[int]:
    """The sign of each difference whose interval leaves out zero, else 0."""
    columns, groups = [column for column, _ in paired], [of for _, of in paired]
    ends = intervals(columns, groups, settings=settings, level=LEVEL, n_resamples=N_BOOTSTRAP, seed=0)
    return [(low > 0) - (high < 0) for low, high in ends]


def _crossover(
    threshold: int,
    crossing: tuple[float, tuple[float, float], int],
    pair: tuple[str, str],
    alphas: Sequence[float],
    signs: Sequence[int],
) -> Crossover:
    at, (before, after), sign = crossing
    winner, loser = pair if sign > 0 else pair[::-1]
    sure_before = any(s == -sign for alpha, s in zip(alphas, signs, strict=True) if alpha <= before)
    sure_after = any(s == sign for alpha, s in zip(alphas, signs, strict=True) if alpha >= after)
    return Crossover(threshold, at, (before, after), winner, loser, sure_before and sure_after)


@dataclass(frozen=True, slots=True)
class Standing:
    """The systems at one setting, best first (equal means by name, those without a mean last).

    ``means`` are aligned with ``order``. ``lead`` is the first system's mean minus the second's over
    the queries both have a value for, with its paired bootstrap interval; NaN with fewer than two
    systems. ``repeats``: an earlier setting of the grid is the same by definition (see `distinct`), so this
    one is not counted.
    """

    settings: Settings
    order: tuple[str, ...]
    means: tuple[Interval, ...]
    lead: float
    low: float
    high: float
    repeats: bool = False

    @property
    def clear(self) -> bool:
        """Whether the interval of the lead leaves out zero."""
        return isfinite(self.low) and (self.low > 0 or self.high < 0)

    @property
    def level(self) -> bool:
        """Whether the first two score exactly alike, so that nobody leads."""
        return abs(self.lead) <= SAME

    def mean(self, system: str) -> Interval:
        """The mean of one of the systems."""
        return self.means[self.order.index(system)]


@dataclass(frozen=True, slots=True)
class Stability:
    """What alpha and threshold do to the ranking of systems under one metric.

    ``standings`` and ``crossovers`` by threshold, then alpha.
    """

    metric: str
    standings: tuple[Standing, ...]
    crossovers: tuple[Crossover, ...]

    @property
    def different(self) -> tuple[Standing, ...]:
        """The standings without those of settings that are identical by definition to an earlier one."""
        return tuple(standing for standing in self.standings if not standing.repeats)

    @property
    def tried(self) -> Tried:
        """How many settings, and how many of them are different."""
        return Tried(len(self.standings), len(self.different))

    def at(self, alpha: float, threshold: int) -> Standing | None:
        """The standing at one point of the grid; None where there is no such point."""
        for standing in self.standings:
            if (standing.settings.alpha, standing.settings.threshold) == (alpha, threshold):
                return standing
        return None


Readings = tuple[tuple[Standing, ...], tuple[Standing, ...]]
"""Under every count rule, and under both directions."""


def stability(
    study: Study,
    *,
    metric: str | Metric,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> Stability:
    """How stable is the ranking of systems over alpha and threshold?

    Parameters
    ----------
    metric
        One metric. Under one that does not look at nn-IoU only a system that ranks by it can move.
    alphas, thresholds
        The grid, taken in ascending order.
    systems, progress
        As for `evaluate.score`.
    settings
        What every point shares.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `evaluate.score`; also for an empty grid.
    """
    refuse_nothing_to_vary(study)
    points = grid_points(settings, alphas=sorted(set(alphas)), thresholds=sorted(set(thresholds)))
    wanted = metric_of(study, metric, settings)
    grid = score_grid(study, points, metrics=[wanted], systems=systems, progress=progress)
    standings = tuple(
        replace(standing, repeats=again)
        for standing, again in zip(
            _standings(grid, wanted, points, settings),
            repeated(study, points, [wanted], systems),
            strict=True,
        )
    )
    return Stability(str(wanted), standings, crossovers_of(grid, wanted, points, settings))


def readings(
    study: Study,
    *,
    metric: str | Metric,
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> Readings:
    """The standing under every count rule, and under both directions, all else as in ``settings``.

    The published Algorithm 1 can be read in several ways (see `relevance.neighbour`): if they agree, it
    does not matter which one was meant. Directions cannot differ up to threshold 1; there they are
    compared at 2, unless a neighbour dictionary ends before.
    """
    refuse_nothing_to_vary(study)
    rules = [replace(settings, count_rule=rule) for rule in get_args(CountRule)]
    beyond = max(settings.threshold, min(2, study.largest_threshold))
    directions = [replace(settings, threshold=beyond, direction=arg) for arg in get_args(Direction)]
    points = [*rules, *directions]
    wanted = metric_of(study, metric, settings)
    grid = score_grid(study, points, metrics=[wanted], systems=systems, progress=progress)
    result = _standings(grid, wanted, points, settings)
    return result[: len(rules)], result[len(rules) :]


def tau_of(reference: Standing, other: Standing) -> float:
    """Kendall's tau-b of the means of two settings over the systems that have both, -1 to 1.

    1: the same order. NaN with fewer than two such systems, or where all of one setting are equal.
    """
    pairs = [(reference.mean(name).mean, other.mean(name).mean) for name in reference.order]
    known = np.array([pair for pair in pairs if isfinite(pair[0]) and isfinite(pair[1])], float)
    return kendall(known[:, 0], known[:, 1]) if len(known) > 1 else nan


def _standings(
    grid: GridScores, metric: Metric, points: Sequence[Settings], settings: Settings
) -> tuple[Standing, ...]:
    """The standing at every point; points that amount to the same are computed once."""
    different = list(dict.fromkeys(map(effective, points)))
    scores = [grid.at(point, name, metric) for point in different for name in grid.systems]
    flat, n = summarise_all(scores, settings=settings), len(grid.systems)
    means = [flat[i * n : (i + 1) * n] for i in range(len(different))]
    order = [best_first(grid.systems, [interval.merit for interval in row]) for row in means]
    leads = [_lead(grid, metric, p, row, settings) for p, row in zip(different, order, strict=True)]
    columns, groups = [column for column, _ in leads], [of for _, of in leads]
    ends = intervals(columns, groups, settings=settings, level=LEVEL, n_resamples=N_BOOTSTRAP, seed=0)
    result = {
        point: Standing(
            point, tuple(grid.systems[i] for i in row), tuple(values[i] for i in row), mean_of(column), *end
        )
        for point, row, values, column, end in zip(different, order, means, columns, ends, strict=True)
    }
    return tuple(replace(result[effective(point)], settings=point) for point in points)


def _lead(
    grid: GridScores, metric: Metric, point: Settings, order: Sequence[int], settings: Settings
) -> tuple[Floats, Ints | None]:
    """The first system minus the second, query by query, and their groups; nothing without a second."""
    if len(order) < 2:
        return np.empty(0), None
    first, second = (grid.at(point, grid.systems[i], metric) for i in order[:2])
    return paired_differences(second, first, settings)
