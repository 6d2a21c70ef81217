"""Which systems differ from which? Every two of them, paired by query, corrected together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.comparison import N_PERMUTATIONS, compare_all
from evalcore.evaluate.policy import average, counted, groups_of, settings_of
from evalcore.ranking.metrics import sign_of
from evalcore.stats.levels import best_first
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import InputError
from evalcore.values.settings import Correction, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Comparison, Scores


def every_pair(
    scores: Sequence[Scores],
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> tuple[Comparison, ...]:
    """Each system minus each one below it, metric by metric; k (k - 1) / 2 comparisons of k systems.

    By metric the systems are in the order of their means, best first (`in_order`), so that the first of a
    pair is no worse wherever two systems have values for the same queries. p is corrected over all pairs of
    one metric (the family "pairs"); everything else as in `comparison.compare_all`.

    Raises
    ------
    InputError
        Fewer than two systems.
    """
    settings = settings_of(scores, settings)
    if len({score.system for score in scores}) < 2:
        raise InputError("Every pair of systems takes at least two systems.")
    pairs = [
        (below, above)
        for metric in dict.fromkeys(score.metric for score in scores)
        for above, below in combinations(in_order(scores, metric, settings), 2)
    ]
    return compare_all(
        pairs,
        settings=settings,
        level=level,
        n_resamples=n_resamples,
        seed=seed,
        correction=correction,
        family="pairs",
    )


def leader_of(scores: Sequence[Scores], metric: str, settings: Settings) -> str:
    """The system with the best mean under one metric, in the order of `in_order`.

    References (@...) lead only where there is no real system. At least one of the scores has the metric;
    otherwise an IndexError.
    """
    names = [score.system for score in in_order(scores, metric, settings)]
    return next((name for name in names if not name.startswith("@")), names[0])


def in_order(scores: Sequence[Scores], metric: str, settings: Settings) -> list[Scores]:
    """The scores under one metric, best mean first (of ranks the lowest); empty where none has the metric.

    Tied means are ordered by the name of the system; systems without a mean (no query counts) come last.
    """
    members = [score for score in scores if score.metric == metric]
    means = [average(metric, counted(scores, settings)[1]) for scores in members]
    return [
        members[i]
        for i in best_first([scores.system for scores in members], [sign_of(metric) * mean for mean in means])
    ]


class Matrix(NamedTuple):
    """Every pair as a table: ``comparisons[i][j]`` is row minus column or column minus row, None for i = j.

    ``differences``: row minus column, shape (k, k), antisymmetric, NaN on the diagonal and where two systems
    share no query. ``p_corrected``: symmetric, NaN likewise. ``lower_is_better``: of the measure.
    """

    systems: tuple[str, ...]
    comparisons: tuple[tuple[Comparison | None, ...], ...]
    differences: Floats
    p_corrected: Floats
    lower_is_better: bool = False


def matrix_of(comparisons: Sequence[Comparison]) -> Matrix:
    """The comparisons of one metric, by `every_pair`, as a square table in the same order of systems."""
    systems = tuple(
        dict.fromkeys(name for comparison in comparisons for name in (comparison.system, comparison.baseline))
    )
    place, k = {name: i for i, name in enumerate(systems)}, len(systems)
    differences, p = np.full((k, k), np.nan), np.full((k, k), np.nan)
    cells: list[list[Comparison | None]] = [[None] * k for _ in systems]
    for comparison in comparisons:
        i, j = place[comparison.system], place[comparison.baseline]
        cells[i][j] = cells[j][i] = comparison
        differences[i, j], differences[j, i] = comparison.difference, 0.0 - comparison.difference
        p[i, j] = p[j, i] = comparison.p_corrected
    lower = any(comparison.lower_is_better for comparison in comparisons)
    return Matrix(systems, tuple(map(tuple, cells)), differences, p, lower)


class Common(NamedTuple):
    """Values of several systems for the queries that all have a value for.

    ``values``: shape (n, k). ``groups``: of each query, None where all are independent.
    ``left_out``: queries that some system has a value for, but not all.
    """

    systems: tuple[str, ...]
    queries: Ints
    values: Floats
    groups: Ints | None
    left_out: int


def common_values(scores: Sequence[Scores], settings: Settings | None = None) -> Common:
    """The values of systems under one metric over the queries that all of them have a value for.

    ``scores``: at least one, of one metric, a column each, in this order. Queries are ascending, of shape
    (n,) and n may be 0; the queries that only some have are counted as left out.

    Raises
    ------
    SettingError
        Without ``settings``, scores that were scored with different ways to count undefined queries.
    """
    settings = settings_of(scores, settings)
    result = [counted(score, settings) for score in scores]
    common = result[0][0]
    for queries, _ in result[1:]:
        common = np.intersect1d(common, queries, assume_unique=True)
    asked = np.unique(np.concatenate([queries for queries, _ in result]))
    values = np.column_stack([values[np.searchsorted(queries, common)] for queries, values in result])
    return Common(
        tuple(score.system for score in scores),
        common,
        values,
        groups_of(scores[0], common),
        len(asked) - len(common),
    )
