"""Measures of a grid of results, read left to right and row by row, on original or context-aware gains.

    M = sum over ranks k of g(k) d(k)

g is the relevance r itself, or what it is worth beside better results (`context_aware`). RBP, DCG and ERR
count early ranks more; CG, AVG and MAX do not (Shao et al. 2019, doi:10.1145/3331184.3331343). Lists of
different lengths are compared per image: the sum is divided by the number of images.

| case | value |
|---|---|
| an empty list | 0 |
| negative relevance | counts as 0 |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from evalcore.ranking.graded import (
    WINDOW,
    DivideBy,
    chances,
    context_aware_gains,
    discounted_sum,
    stop_chance,
    worth_of_stops,
)
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Bools, Floats, Ints, Offsets

PERSISTENCE = 0.95
"""RBP's p where no other is given."""
StopBy = Literal["relevance", "gain"]
Over = Literal["rows", "images"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a grid is read and its gains are put together.

    context_aware: gains beside better results, else the relevance. window, divide_by: see `context_aware`.
    persistence: RBP's p, 0 < p < 1. stop_by: ERR's chances to stop come from the relevance, or from the gains
    too. over: AVG is the mean of the rows' means, or of all images. per_image: RBP, DCG, CG and ERR are
    divided by the number of images in the list; AVG and MAX never are.
    """

    context_aware: bool = True
    window: int = WINDOW
    divide_by: DivideBy = "filled"
    persistence: float = PERSISTENCE
    stop_by: StopBy = "relevance"
    over: Over = "rows"
    per_image: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """n lists side by side, as they fill the rows of a grid.

    relevance: shape (n, K). lengths: shape (n,), of each list so many first ranks hold a result. row_of: the
    row each rank lies in, counted from 0, shape (n, K) or (K,). places: ranks that a mean divides by, shape
    (n,) and at most K; None for those that hold a result.
    """

    relevance: Floats
    lengths: Offsets
    row_of: Ints | Offsets
    places: Offsets | None = None

    @property
    def inside(self) -> Bools:
        """Ranks that hold a result."""
        inside: Bools = np.arange(self.relevance.shape[1]) < self.lengths[:, np.newaxis]
        return inside


def grid_value(measure: str, grid: Grid, reading: Reading) -> Floats:
    """One measure of every list, shape (n,).

    Parameters
    ----------
    measure
        One of `GRID`: RBP, DCG, CG, AVG, MAX, ERR. The base of DCG's logarithm is 2.
    grid
        The lists. Only ERR needs relevance of 0 to 1; it takes what lies outside as the nearer end.
    reading
        See there.

    Examples
    --------
    >>> two_rows = Grid(np.array([[0.8, 0.9, 0.3, 0.0, 0.6]]), np.array([5]), np.array([0, 0, 1, 1, 1]))
    >>> grid_value("AVG", two_rows, Reading(window=2)).round(4).tolist()
    [0.5375]
    """
    relevance = gains = np.where(grid.inside, np.maximum(grid.relevance, 0.0), 0.0)
    if reading.context_aware:
        aware = context_aware_gains(relevance, window=reading.window, divide_by=reading.divide_by)
        gains = np.where(grid.inside, aware, 0.0)
    if not gains.shape[1]:
        return np.zeros(len(gains))
    values = GRID[measure](gains, relevance, grid, reading)
    divided = reading.per_image and measure not in {"AVG", "MAX"}
    return np.asarray(values / np.maximum(grid.lengths, 1), np.float64) if divided else values


def _rbp(gains: Floats, _: Floats, __: Grid, reading: Reading) -> Floats:
    p, n = reading.persistence, gains.shape[1]
    return (1.0 - p) * column_sums((gains * chances(p, 1 << n.bit_length())[:n]).T)


def _avg(gains: Floats, _: Floats, grid: Grid, reading: Reading) -> Floats:
    places = grid.lengths if grid.places is None else grid.places
    counted = np.arange(gains.shape[1]) < places[:, np.newaxis]
    if reading.over == "images":
        return np.asarray(column_sums(gains.T) / np.maximum(places, 1), np.float64)
    # 1 / (images in the row of a rank * rows of its list)
    rows: Offsets = np.broadcast_to(grid.row_of, gains.shape).astype(np.int64)
    n, n_rows = len(rows), int(rows.max(initial=0)) + 1
    cells = np.arange(n)[:, np.newaxis] * n_rows + rows
    sizes = np.bincount(cells[counted], minlength=n * n_rows)
    used = np.count_nonzero(sizes.reshape(n, n_rows), axis=1)[:, np.newaxis]
    return column_sums((gains * (1.0 / np.maximum(sizes[cells] * used, 1))).T)


def _err(gains: Floats, relevance: Floats, _: Grid, reading: Reading) -> Floats:
    satisfied = stop_chance(gains, gain="exp")
    stops = stop_chance(relevance, gain="exp") if reading.stop_by == "relevance" else satisfied
    return worth_of_stops(satisfied, stops)


GRID: Mapping[str, Callable[[Floats, Floats, Grid, Reading], Floats]] = MappingProxyType(
    {
        "RBP": _rbp,
        "DCG": lambda gains, *_: discounted_sum(gains),
        "CG": lambda gains, *_: column_sums(gains.T),
        "AVG": _avg,
        "MAX": lambda gains, *_: gains.max(axis=1),
        "ERR": _err,
    }
)
"""The measures of a grid by name."""
