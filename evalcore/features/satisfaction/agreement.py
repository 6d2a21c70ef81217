"""How well does each measure of a grid agree with satisfied users, and does context-aware gain help?

Spearman's rho over queries between measure and satisfaction, for every measure, gain and depth; intervals
by a bootstrap that draws whole participants, since the ratings of one person hang together. The difference
between context-aware and original gain is one of two correlations over the same queries (see
`stats.dependent`), its p corrected by Holm over all measures and depths asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.features.satisfaction.data import DEPTHS, GAINS, N_RESAMPLES, SUBSETS, VARIANCE_ROWS
from evalcore.ranking.graded import chances, context_aware_gains, discounts
from evalcore.ranking.grid import GRID, PERSISTENCE, Reading, discounted, grid_value
from evalcore.stats.bootstrap import middle_of, spearman_resamples
from evalcore.stats.correction import holm
from evalcore.stats.correlation import DependentTest, compare_correlations, spearman, spearman_p
from evalcore.stats.levels import levels_of
from evalcore.values.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.satisfaction.data import Clean, Gain, Resample, Satisfaction, Subset, Workers
    from evalcore.values.arrays import Floats, Offsets

MEASURES = tuple(GRID)
FEW_USERS = 20
"""Fewer participants, and the bootstrap that draws them gives intervals that are too narrow."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Spearman's rho of one measure with satisfaction; all numbers are NaN where the measure does not vary.

    p: two-sided, against no correlation, for itself (not corrected). It takes queries as independent of each
    other; the interval, which draws whole participants, does not.
    """

    metric: str
    gain: Gain
    depth: int
    spearman: float
    ci_low: float
    ci_high: float
    p: float


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
class AgreementResult:
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
        return next(
            difference
            for difference in self.differences
            if (difference.metric, difference.depth) == (metric, depth)
        )

    @property
    def best(self) -> Agreement | None:
        """The measure that agrees best; the first of equals, None where nothing has a value."""
        known = [row for row in self.rows if not np.isnan(row.spearman)]
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
) -> AgreementResult:
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
    rows = tuple(
        Agreement(*of, float(r), float(start), float(end), spearman_p(float(r), clean.n_queries))
        for of, r, start, end in zip(asked, rho, low, high, strict=True)
    )
    return AgreementResult(
        rows,
        _differences(asked, columns, rho, apart, test),
        clean.n_queries,
        clean.n_users,
        resample,
        n_resamples,
        seed,
        level,
    )


def too_narrow(result: AgreementResult) -> str:
    """What to say beside intervals from so few participants; "" if there are enough."""
    if result.resample != "users" or not 2 <= result.n_users < FEW_USERS:
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


# How much does the answer depend on the window?

Discount = Literal["rbp", "log"]
DISCOUNTS: Mapping[Discount, str] = MappingProxyType(
    {"rbp": "(1 - p) p^(k-1), p = 0.95", "log": "1 / log2(k + 1)"}
)
"""What the gain at rank k is multiplied by."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """Spearman's rho of the discounted context-aware gain; ``original``: that of the relevance as it is."""

    discount: Discount
    window: int
    spearman: float
    ci_low: float
    ci_high: float
    original: float


def swept(
    clean: Clean,
    *,
    windows: Sequence[int],
    depth: int,
    reading: Reading,
    resample: Resample = "users",
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[SweepRow, ...]:
    """Agreement with satisfaction for either discount and every window, of the first ``depth`` rows.

    Intervals: bootstrap, pointwise. ``reading``: how gains are put together; neither its window nor its
    choice of gain is looked at.
    """
    asked = [(name, window) for name in DISCOUNTS for window in windows]
    columns, originals, grid = [], [], clean.grid(depth)
    for name in DISCOUNTS:
        weights = _discount(name, grid.relevance.shape[1])
        original = discounted(grid, replace(reading, context_aware=False), weights)
        originals += [spearman(original, clean.satisfaction)] * len(windows)
        of_window = [replace(reading, context_aware=True, window=window) for window in windows]
        columns += [discounted(grid, one, weights) for one in of_window]
    table = np.column_stack(columns)
    groups = drawn_together(clean, resample)
    rng = np.random.default_rng(seed)
    resampled = spearman_resamples(table, clean.satisfaction, groups, n_resamples=n_resamples, rng=rng)
    lows, highs = ends_of(resampled, int(groups.max()) + 1, level=level)
    rho = [spearman(column, clean.satisfaction) for column in columns]
    return tuple(
        SweepRow(*of, float(value), float(low), float(high), original)
        for of, value, low, high, original in zip(asked, rho, lows, highs, originals, strict=True)
    )


def sweep_sentence(rows: Sequence[SweepRow]) -> str:
    """The setting with the best agreement, and in how many context-aware gain is above the original."""
    known = [row for row in rows if np.isfinite(row.spearman)]
    if not known:
        return "No setting tracks satisfaction."
    best = max(known, key=lambda row: row.spearman)
    above, lowest = sum(row.spearman > row.original for row in known), min(row.spearman for row in known)
    return (
        f"Agreement runs from {lowest:.3f} to {best.spearman:.3f}, best with a window of {best.window}, "
        f"discount {best.discount}; context-aware gain is above the original in "
        f"{above:,} of {len(known):,} settings."
    )


def _discount(name: Discount, n: int) -> Floats:
    """The weight of each rank, shape (n,)."""
    if name == "rbp":
        return (1.0 - PERSISTENCE) * chances(PERSISTENCE, 1 << n.bit_length())[:n]
    return discounts(n)


# What was asked, shown and judged: the paper's Table 1.


@dataclass(frozen=True, slots=True)
class Counts:
    """How large a data set is, before the cleansing, and ``kept``: queries after it.

    n_sessions: None where the ratings name neither sessions nor tasks. workers: None where nobody says.
    """

    data_set: str
    n_sessions: int | None
    n_users: int
    n_queries: int
    n_images: int
    n_judgments: int
    workers: Workers | None
    kept: int


def counts(data: Satisfaction, clean: Clean) -> Counts:
    """Sessions, participants, queries, images and judgments of a data set."""
    return Counts(
        data.what,
        data.n_sessions,
        len(data.users),
        len(set(data.queries)),
        data.n_images,
        data.judgments or int(data.judged.sum()),
        data.workers,
        clean.n_queries,
    )


# Does it matter how much the relevance of the results varies? After Shao et al. 2019.
#
# Queries are ordered by the variance of the relevance in their first rows; the measures are held against
# satisfaction once among the quarter with the highest variance and once among that with the lowest (the
# paper's Table 2). Figure 3 shows every query.
#
# Which rows the paper's variance is of is not said: the first five by default, as in its figure.

DEPTH = 10
SHARE = 0.25
FEWEST = 5
"""Queries of a subset at least: a correlation of fewer says nothing."""


@dataclass(frozen=True, slots=True)
class Split:
    """Both ends of the order by variance.

    rows: Spearman per subset, measure by measure, original and context-aware. n: queries in each subset.
    border: standard deviation at the end of the lowest and the start of the highest subset. tied: how many
    queries share the value at the lower and the upper border: among them the id decides.
    """

    rows: tuple[tuple[Subset, Agreement], ...]
    n: int
    n_rows: int
    share: float
    border: tuple[float, float]
    tied: tuple[int, int]

    def row(self, subset: Subset, metric: str, gain: str) -> Agreement:
        return next(a for s, a in self.rows if (s, a.metric, a.gain) == (subset, metric, gain))


def spreads(clean: Clean, rows: int, *, sample: bool = False) -> Floats:
    """Standard deviation of the relevance in the first rows, shape (n,); ``sample``: divided by N - 1."""
    grid = clean.grid(rows)
    inside, n = grid.inside, np.maximum(grid.lengths, 1)
    apart = np.where(inside, grid.relevance - means(clean, rows)[:, np.newaxis], 0.0)
    squares = (apart * apart).sum(axis=1)
    result: Floats = np.sqrt(squares / np.maximum(n - sample, 1))
    return result


def means(clean: Clean, rows: int) -> Floats:
    """Mean relevance in the first rows, shape (n,)."""
    grid = clean.grid(rows)
    result: Floats = np.where(grid.inside, grid.relevance, 0.0).sum(axis=1) / np.maximum(grid.lengths, 1)
    return result


def split(
    clean: Clean,
    *,
    reading: Reading,
    rows: int = VARIANCE_ROWS,
    depth: int = DEPTH,
    share: float = SHARE,
    sample: bool = False,
    resample: Resample = "users",
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> Split | None:
    """Agreement among the queries whose relevance varies least, and most; None for too few queries.

    rows: whose variance. depth: of the measures. share: of the queries in each subset, up to one half.
    Queries whose variance is the same are in the order of their ids.
    """
    if not 0 < share <= 0.5:
        raise SettingError("share", "above 0 and at most 0.5", share)
    spread = spreads(clean, rows, sample=sample)
    level_of = levels_of(spread)
    order = np.argsort(level_of, kind="stable")
    n = int(len(order) * share)
    if n < FEWEST:
        return None
    columns, groups = values(clean, [depth], reading), drawn_together(clean, resample)
    result: list[tuple[Subset, Agreement]] = []
    for subset, chosen in zip(SUBSETS, (order[:n], order[-n:]), strict=True):
        here = np.sort(chosen)
        own, target = columns[here], clean.satisfaction[here]
        among = _among(own, target, groups[here], depth, n_resamples, seed, level)
        result += [(subset, one) for one in among]
    borders = order[[n - 1, -n]]
    low, high = spread[borders].tolist()
    below, above = np.bincount(level_of)[level_of[borders]].tolist()
    return Split(tuple(result), n, rows, share, (low, high), (below, above))


def _among(
    own: Floats, target: Floats, groups: Offsets, depth: int, n_resamples: int, seed: int, level: float
) -> list[Agreement]:
    """Agreement among some of the queries."""
    numbers, place = np.unique(groups, return_inverse=True)
    resampled = spearman_resamples(
        own, target, place, n_resamples=n_resamples, rng=np.random.default_rng(seed)
    )
    low, high = ends_of(resampled, len(numbers), level=level)
    rho = [spearman(own[:, j], target) for j in range(own.shape[1])]
    asked = [(metric, gain) for metric in MEASURES for gain in GAINS]
    return [
        Agreement(*of, depth, rho[j], float(low[j]), float(high[j]), spearman_p(rho[j], len(target)))
        for j, of in enumerate(asked)
    ]


@dataclass(frozen=True, slots=True)
class Dot:
    """A query in the paper's Figure 3: of its first rows the mean and the standard deviation of relevance,
    the standard deviation ``beside`` of relevance beside the best image before, and satisfaction."""

    query: str
    mean: float
    spread: float
    beside: float
    satisfaction: float


def dots(clean: Clean, *, rows: int = VARIANCE_ROWS) -> tuple[Dot, ...]:
    """Every query, for the figure. Beside: r' of `context_aware_gains`, before the window."""
    grid = clean.grid(rows)
    values = np.where(grid.inside, grid.relevance, 0.0)
    apart = context_aware_gains(values, window=1)
    n = np.maximum(grid.lengths, 1)
    centre = np.where(grid.inside, apart, 0.0).sum(axis=1) / n
    squares = np.where(grid.inside, (apart - centre[:, np.newaxis]) ** 2, 0.0).sum(axis=1)
    columns = (means(clean, rows), spreads(clean, rows), np.sqrt(squares / n), clean.satisfaction)
    lists = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(Dot(query, *four) for query, four in zip(clean.queries, lists, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """A data set, and what it shows.

    halves: None for too few queries to split. by_window: none where no windows were wanted.
    """

    data: Satisfaction
    clean: Clean
    result: AgreementResult
    halves: Split | None
    by_window: tuple[SweepRow, ...] = ()
