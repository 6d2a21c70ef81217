"""Does the winner depend on the setting? The ranking of systems at every point of a grid.

At each point: the order of the systems, the lead of the first over the second with its paired interval,
and Kendall's tau of all means with those at the reference setting. Between neighbouring alphas: which
system overtakes which, and where. The leader is chosen by the same data as its lead is measured on, so
the interval is a description, not a test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING, get_args

import numpy as np

from evalcore.evaluate.comparison import differences
from evalcore.evaluate.flips import LEVEL, flips_of
from evalcore.evaluate.grid import GridScores, effective, grid_points, score_grid
from evalcore.evaluate.scoring import part_named, silent
from evalcore.evaluate.summary import N_BOOTSTRAP, intervals, mean_of, summarise_all
from evalcore.model import Interval, Study
from evalcore.settings import CountRule, Direction, Settings
from evalcore.stats.correlation import kendall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.engine import Progress
    from evalcore.evaluate.flips import Flip
    from evalcore.model import Floats
    from evalcore.ranking.metrics import Metric


@dataclass(frozen=True, slots=True)
class Standing:
    """The systems at one setting, best first (equal means by name, those without a mean last).

    ``means`` are aligned with ``order``. ``lead`` is the first system's mean minus the second's over
    the queries both have a value for, with its paired bootstrap interval; NaN with fewer than two
    systems. ``tau``: Kendall's tau-b of all means with those at the reference; NaN where one of the
    two rankings has no differences, or fewer than two systems have a mean.
    """

    settings: Settings
    order: tuple[str, ...]
    means: tuple[Interval, ...]
    lead: float
    low: float
    high: float
    tau: float

    @property
    def clear(self) -> bool:
        """Whether the interval of the lead leaves out zero."""
        return isfinite(self.low) and (self.low > 0 or self.high < 0)

    def mean(self, system: str) -> Interval:
        """The mean of one of the systems."""
        return self.means[self.order.index(system)]


@dataclass(frozen=True, slots=True)
class Stability:
    """What the settings do to the ranking of systems under one metric.

    ``standings`` by threshold and alpha; ``rules`` and ``directions`` the same settings under every
    count rule and direction; ``reference`` is what they are held against. ``flips`` by threshold,
    then alpha.
    """

    metric: str
    reference: Standing
    standings: tuple[Standing, ...]
    flips: tuple[Flip, ...]
    rules: tuple[Standing, ...]
    directions: tuple[Standing, ...]
    n_queries: int


def stability(
    study: Study,
    *,
    metric: str | Metric,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),  # noqa: B008  (frozen)
    progress: Progress | None = None,
) -> Stability:
    """How stable is the ranking of systems over alpha, threshold, count rule and direction?

    Parameters
    ----------
    metric
        One metric. Under one that does not look at nn-IoU only a system that ranks by it can move.
    alphas, thresholds
        The map. Thresholds beyond 1 are needed for directions to differ; ``directions`` are those at
        the settings' own threshold, or at 2 where that is less.
    systems, progress
        As for `evaluate.score`.
    settings
        The reference, and what every point shares.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `evaluate.score`; also for an empty grid.
    """
    tell = progress or silent
    points = grid_points(settings, alphas=sorted(set(alphas)), thresholds=sorted(set(thresholds)))
    rules = [replace(settings, count_rule=rule) for rule in get_args(CountRule)]
    beyond = max(settings.threshold, 2)
    directions = [replace(settings, threshold=beyond, direction=one) for one in get_args(Direction)]
    if not points:  # the rest would still be computed, and nobody asked for it alone
        rules, directions = [], []
    every = [*points, *([settings] if points else []), *rules, *directions]
    grid = score_grid(study, every, metrics=[metric], systems=systems, progress=part_named(tell, 0, 1, ""))
    (wanted,) = grid.metrics
    reference = _standings(grid, wanted, [settings], settings, None)[0]
    standings = _standings(grid, wanted, every, settings, reference)
    first, second = len(points) + 1, len(points) + 1 + len(rules)
    return Stability(
        str(wanted), reference, standings[: len(points)], flips_of(grid, wanted, points, settings),
        standings[first:second], standings[second:], grid.at(settings, grid.systems[0], wanted).n_queries,
    )  # fmt: skip


def _standings(
    grid: GridScores, metric: Metric, points: Sequence[Settings], settings: Settings,
    reference: Standing | None,
) -> tuple[Standing, ...]:  # fmt: skip
    """The standing at every point; tau is 1 where there is nothing to hold it against."""
    different = list(dict.fromkeys(effective(point) for point in points))
    scores = [grid.at(point, name, metric) for point in different for name in grid.systems]
    flat, n = summarise_all(scores, settings=settings), len(grid.systems)
    means = {point: flat[i * n : (i + 1) * n] for i, point in enumerate(different)}
    order = {point: _best_first(grid.systems, means[point]) for point in different}
    columns = [_lead(grid, metric, point, order[point], settings) for point in different]
    ends = intervals(columns, level=LEVEL, n_resamples=N_BOOTSTRAP, seed=0)
    leads = {p: (mean_of(c), *e) for p, c, e in zip(different, columns, ends, strict=True)}
    found = []
    for point in points:
        key = effective(point)
        ordered = tuple(grid.systems[i] for i in order[key])
        here = tuple(means[key][i] for i in order[key])
        tau = 1.0 if reference is None else tau_of(reference, dict(zip(ordered, here, strict=True)))
        found.append(Standing(point, ordered, here, *leads[key], tau))
    return tuple(found)


def _lead(
    grid: GridScores, metric: Metric, point: Settings, order: Sequence[int], settings: Settings
) -> Floats:
    """The first system minus the second, query by query; nothing where there is no second."""
    if len(order) < 2:
        return np.empty(0)
    first, second = (grid.at(point, grid.systems[i], metric) for i in order[:2])
    return differences(second, first, settings)


def tau_of(reference: Standing, means: dict[str, Interval]) -> float:
    """Kendall's tau-b of the means of two settings over the systems that have both."""
    pairs = [(reference.mean(name).mean, mean.mean) for name, mean in means.items()]
    known = np.array([pair for pair in pairs if isfinite(pair[0]) and isfinite(pair[1])], float)
    return kendall(known[:, 0], known[:, 1]) if len(known) > 1 else nan


def _best_first(systems: Sequence[str], means: Sequence[Interval]) -> list[int]:
    def place(i: int) -> tuple[bool, float, str]:
        known = isfinite(means[i].mean)
        return not known, -means[i].mean if known else 0.0, systems[i]

    return sorted(range(len(systems)), key=place)
