"""How well does each measure of a page agree with satisfied users, and does context-aware gain help?

Spearman's rho over queries between measure and satisfaction, for every measure, gain and depth; intervals by
a bootstrap that draws whole participants, since the ratings of a person depend on each other. The difference
between context-aware and original gain is one of two correlations over the same queries (see
`stats.correlation`), its p corrected by Holm over all measures and depths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from evalcore.features.satisfaction.data import Clean, Satisfaction
from evalcore.ranking.graded import WINDOW, DivideBy, context_aware_gains
from evalcore.ranking.grid import GRID, Grid, Over, Reading, StopBy, grid_value
from evalcore.stats.bootstrap import percentile_bounds, spearman_resamples
from evalcore.stats.correction import holm
from evalcore.stats.correlation import DependentTest, compare_correlations, spearman, spearman_p
from evalcore.stats.levels import levels_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.errors import SettingError
from evalcore.values.settings import check_choices, option

MEASURES = tuple(GRID)
Gain = Literal["original", "context-aware"]
GAINS: tuple[Gain, Gain] = ("original", "context-aware")
Subset = Literal["lowest variance", "highest variance"]
SUBSETS: tuple[Subset, Subset] = ("lowest variance", "highest variance")
Discount = Literal["RBP", "DCG"]
DISCOUNTS: Mapping[Discount, str] = {"RBP": "(1 - p) p^(k-1), p = 0.95", "DCG": "1 / log2(k + 1)"}
"""What the gain at rank k is multiplied by."""
LEVEL = 0.95
SHARE, FEWEST = 0.25, 5
"""Queries of a subset by variance: their share, and their number at least."""
FEW_USERS = 20
"""Fewer participants, and the bootstrap that draws them gives intervals that are too narrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What is computed.

    depths: rows of the page that count; figures and subsets are of the last. windows: others than the
    ``window``, to compare. divide_by, stop_by, average (`Reading.over`): see `Reading`. variance_rows: the
    paper's figure has five.
    """

    depths: tuple[int, ...] = (5, 10)
    window: int = option(WINDOW, "Context-aware gain: images that count together.", low=1)
    divide_by: DivideBy = option(
        "filled", "Context-aware gain: divided by the images seen so far, or by the window."
    )
    stop_by: StopBy = option("relevance", "ERR: what decides whether a user stops.")
    average: Over = option("rows", "AVG: of the means of rows, or of all images.")
    sums: bool = option(False, "Do not divide RBP, DCG, CG and ERR by the number of images.")
    test: DependentTest = option(
        "williams", "Context-aware against original; fisher wrongly assumes that they are independent."
    )
    n_resamples: int = option(2_000, "Resamples: of the bootstrap.", low=1, high=100_000, name="resamples")
    seed: int = 0
    variance_rows: int = option(5, "First rows whose variance of relevance orders the queries.", low=1)
    windows: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_choices(self)
        if not self.depths or any(depth < 1 for depth in self.depths):
            raise SettingError("depth", "whole numbers of rows, at least 1", list(self.depths))
        if any(window < 1 for window in self.windows):
            raise SettingError("windows", "whole numbers of images, at least 1", list(self.windows))
        object.__setattr__(self, "depths", tuple(sorted({*self.depths})))

    def reading(self, gain: Gain, window: int | None = None) -> Reading:
        """How a page is read, on either gain, by default in the window chosen."""
        return Reading(
            context_aware=gain == "context-aware",
            window=window or self.window,
            divide_by=self.divide_by,
            stop_by=self.stop_by,
            over=self.average,
            per_image=not self.sums,
        )


class Rho(NamedTuple):
    """Spearman's rho with satisfaction; NaN where a measure does not vary.

    low, high: a bootstrap interval, NaN where there is one group to draw. p: two-sided, against no
    correlation, not corrected. It takes queries as independent of each other; the interval, which draws
    whole participants, does not.
    """

    value: float
    low: float
    high: float
    p: float


class Difference(NamedTuple):
    """A measure on both gains over the same queries, and context-aware minus original.

    low, high: interval by the resamples of the two. r12: Spearman's rho between the two.
    """

    depth: int
    metric: str
    original: Rho
    aware: Rho
    difference: float
    low: float
    high: float
    r12: float
    test: str
    statistic: float
    p: float
    p_corrected: float


class Quarter(NamedTuple):
    """Rho of a measure among the ``n_queries`` whose relevance varies least, or most."""

    subset: Subset
    metric: str
    gain: Gain
    rho: Rho
    n_queries: int


class AtWindow(NamedTuple):
    """Rho of the discounted context-aware gain; ``original``: that of the relevance as it is."""

    discount: Discount
    window: int
    rho: Rho
    original: float


class Dot(NamedTuple):
    """A query in the paper's Figure 3: of its first rows mean and standard deviation of relevance, the
    standard deviation ``beside`` of relevance beside the best image before, and satisfaction."""

    query: str
    mean: float
    spread: float
    beside: float
    satisfaction: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Ratings, those that count, and what they show by some choices; everything is computed when wanted."""

    data: Satisfaction
    clean: Clean
    choices: Choices

    @property
    def depth(self) -> int:
        """Rows that figures and subsets are about."""
        return self.choices.depths[-1]

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Every measure at every depth, on both gains."""
        keys = [(depth, metric) for depth in self.choices.depths for metric in MEASURES]
        columns = self.values(self.choices.depths)
        rhos, resampled = self._rhos(columns)
        ends = zip(*_ends(resampled[:, 1::2] - resampled[:, ::2], self.clean.user_of), strict=True)
        r12 = [spearman(columns[:, j], columns[:, j + 1]) for j in range(0, columns.shape[1], 2)]
        pairs, test = list(zip(rhos[::2], rhos[1::2], strict=True)), self.choices.test
        tested = [
            compare_correlations(b.value, a.value, r, self.clean.n_queries, test=test)
            for (a, b), r in zip(pairs, r12, strict=True)
        ]
        corrected = holm(np.array([outcome.p for outcome in tested])).tolist()
        facts = zip(keys, pairs, ends, r12, tested, corrected, strict=True)
        return tuple(
            Difference(
                depth, name, a, b, b.value - a.value, low, high, r, test, result.statistic, result.p, p
            )
            for (depth, name), (a, b), (low, high), r, result, p in facts
        )

    @cached_property
    def quarters(self) -> tuple[Quarter, ...]:
        """Every measure among the queries whose relevance varies least, and most; none for too few queries.

        Queries whose variance is the same are in the order of their ids.
        """
        order = np.argsort(levels_of(np.array([dot.spread for dot in self.dots])), kind="stable")
        n = int(len(order) * SHARE)
        if n < FEWEST:
            return ()
        columns, keys = self.values([self.depth]), list(product(MEASURES, GAINS))
        return tuple(
            Quarter(subset, *key, rho, n)
            for subset, queries in zip(SUBSETS, (order[:n], order[-n:]), strict=True)
            for key, rho in zip(keys, self._rhos(columns, np.sort(queries))[0], strict=True)
        )

    @cached_property
    def by_window(self) -> tuple[AtWindow, ...]:
        """Agreement for either discount and every window; intervals pointwise."""
        grid, windows = self.clean.grid(self.depth), self.choices.windows
        rows: list[AtWindow] = []
        for name in DISCOUNTS if windows else ():
            plain = grid_value(name, grid, self.choices.reading("original"))
            readings = [self.choices.reading("context-aware", window) for window in windows]
            rhos, _ = self._rhos(np.column_stack([grid_value(name, grid, each) for each in readings]))
            original = spearman(plain, self.clean.satisfaction)
            rows += [AtWindow(name, *row, original) for row in zip(windows, rhos, strict=True)]
        return tuple(rows)

    @cached_property
    def dots(self) -> tuple[Dot, ...]:
        """Every query of Figure 3. Beside: r' of `context_aware_gains`, before the window."""
        grid = self.clean.grid(self.choices.variance_rows)
        beside = context_aware_gains(np.where(grid.inside, grid.relevance, 0.0), window=1)
        mean, spread = moments(grid, grid.relevance)
        columns = (mean, spread, moments(grid, beside)[1], self.clean.satisfaction)
        return tuple(map(Dot, self.clean.queries, *(column.tolist() for column in columns)))

    def values(self, depths: Iterable[int]) -> Floats:
        """Measures of queries: depth by depth, measure by measure, original before context-aware."""
        readings = [self.choices.reading(gain) for gain in GAINS]
        grids = [self.clean.grid(depth) for depth in depths]
        return np.column_stack(
            [
                grid_value(metric, grid, reading)
                for grid in grids
                for metric in MEASURES
                for reading in readings
            ]
        )

    def _rhos(self, columns: Floats, queries: Offsets | None = None) -> tuple[list[Rho], Floats]:
        """Rho of every column over some queries, by default all, and the resamples of their intervals."""
        rows = np.arange(len(columns)) if queries is None else queries
        columns, target = columns[rows], self.clean.satisfaction[rows]
        groups = np.unique(self.clean.user_of[rows], return_inverse=True)[1]
        rng = np.random.default_rng(self.choices.seed)
        resampled = spearman_resamples(columns, target, groups, n_resamples=self.choices.n_resamples, rng=rng)
        rhos = [spearman(column, target) for column in columns.T]
        ends = zip(*_ends(resampled, groups), strict=True)
        return [
            Rho(float(rho), *end, spearman_p(float(rho), len(target)))
            for rho, end in zip(rhos, ends, strict=True)
        ], resampled


def _ends(resampled: Floats, groups: Offsets) -> tuple[list[float], list[float]]:
    """The ends of each column's interval; NaN for a single person: every resample would be the same."""
    low, high = percentile_bounds(resampled, level=LEVEL)
    known = 1.0 if groups.max() > 0 else float("nan")
    return (low * known).tolist(), (high * known).tolist()


def moments(grid: Grid, values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (by N) of the values of each list, shape (n,); 0 of an empty one."""
    n = np.maximum(grid.lengths, 1)
    mean: Floats = np.where(grid.inside, values, 0.0).sum(axis=1) / n
    squares = np.where(grid.inside, (values - mean[:, np.newaxis]) ** 2, 0.0).sum(axis=1)
    return mean, np.sqrt(squares / n)


def too_narrow(evaluation: Evaluation) -> str:
    """What to say beside intervals from few participants; "" if there are enough."""
    few = (
        f"Intervals from fewer than {FEW_USERS} participants are too narrow: with 5, 95% intervals contained "
        "the true correlation in about 82 of 100 simulated studies, with 10 in about 90."
    )
    return few if 2 <= evaluation.clean.n_users < FEW_USERS else ""


def correlations(rows: Sequence[Difference]) -> list[tuple[int, str, Gain, Rho]]:
    """Depth, measure, gain and rho of every correlation that is defined."""
    return [
        (d.depth, d.metric, gain, rho)
        for d in rows
        for gain, rho in zip(GAINS, (d.original, d.aware), strict=True)
        if not np.isnan(rho.value)
    ]


def best_of(rows: Sequence[Difference]) -> tuple[int, str, Gain, Rho] | None:
    """The highest of the correlations, the first of equals; None where none is defined."""
    return max(correlations(rows), key=lambda row: row[3].value, default=None)
