"""From values per query to a mean that says how sure it is.

Draws depend on the seed and the number of queries only, and sums are exact (see `stats.sums`), so a mean has
the same interval to the last digit whether it is summarised alone or beside others, and on every processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.ranking.metrics import centre_of, lower_is_better
from evalcore.stats.bootstrap import bca_interval, bootstrap_means, percentile_interval
from evalcore.stats.clusters import cluster_means, clusters_of
from evalcore.stats.levels import best_first
from evalcore.stats.medians import median_interval, median_of
from evalcore.stats.sums import mean_of
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import SettingError
from evalcore.values.model import DEFINED, OUTSIDE_POOL, Interval, Scores
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.model import Groups


def settings_of(scores: Sequence[Scores]) -> Settings:
    """How these scores count queries without a value, and which intervals they have; SettingError where they
    differ in that."""
    for name in ("undefined", "interval"):
        ways = dict.fromkeys(str(getattr(score.settings, name)) for score in scores)
        if len(ways) > 1:
            raise SettingError(name, "the same for all scores that are summarised together", ", ".join(ways))
    return scores[0].settings if scores else Settings()


def groups_of(scores: Scores, queries: Ints) -> Ints | None:
    """The groups of some of the queries, shape (n,), -1 for a query without a group.

    ``queries``: image indices that the scores have, shape (n,). None where the study has no groups or no two
    of the queries share one, so that all are independent.
    """
    if scores.groups is None:
        return None
    groups = scores.groups[np.searchsorted(scores.queries, queries)]
    named = groups[groups >= 0]
    return groups if len(np.unique(named)) < len(named) else None


def average(metric: str, values: Floats) -> float:
    """What a measure makes of its values per query: their mean, or median (MedR); NaN of none."""
    return median_of(values) if centre_of(metric) == "median" else mean_of(values)


def scored_queries(scores: Scores) -> tuple[Ints, Floats]:
    """The queries that enter a mean, and their values, as ``undefined`` of their settings says.

    The defined ones ("skip"), or all of the pool with 0 for the others ("zero").
    """
    if scores.settings.undefined == "skip":
        rows = scores.reasons == DEFINED
        return scores.queries[rows], scores.values[rows]
    rows = scores.reasons != OUTSIDE_POOL
    return scores.queries[rows], np.nan_to_num(scores.values[rows], nan=0.0)


def means_over_queries(
    columns: Sequence[Floats],
    queries: Ints,
    *,
    groups: Groups | None = None,
    settings: Settings = Settings(),
    level: float = 0.95,
    seed: int = 0,
) -> tuple[Interval, ...]:
    """Means of values per query that are no metric's, each with its interval as in `summarise_all`.

    ``columns``: of shape (n,) each, aligned with ``queries``; NaN where a query has no value and is left out.
    """
    group_of, name = (None, "") if groups is None else (groups.of_image[queries], groups.name)
    scores = []
    for values in columns:
        reasons = np.where(np.isnan(values), OUTSIDE_POOL, DEFINED).astype(np.uint8)
        scores.append(Scores("", "", queries, values, reasons, 0, 0, 0, None, group_of, name, settings))
    return summarise_all(scores, level=level, seed=seed)


METHODS = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap"}
"""How the intervals of means and of differences are found."""
OF_MEDIAN = "percentile bootstrap of the median"
"""Of measures by the median, whichever interval is chosen for means."""
N_BOOTSTRAP = 2_000
"""Resamples of every interval of a mean or of a difference."""


def summarise(scores: Scores, *, level: float = 0.95, seed: int = 0) -> Interval:
    """The mean of one system under one metric, with an interval over queries.

    The settings that the scores were made with say whether queries without a value are left out or count 0
    (``undefined``), and which ``interval`` it is. The mean is NaN when no query counts, the interval when
    fewer than two do.

    Raises
    ------
    SettingError
        A level outside 0 to 1.
    """
    return summarise_all([scores], level=level, seed=seed)[0]


def summarise_all(scores: Sequence[Scores], *, level: float = 0.95, seed: int = 0) -> tuple[Interval, ...]:
    """`summarise` for many scores at once, such as all that `score` returned, in their order.

    Columns of equal length share their draws. Scores that differ in ``undefined`` or ``interval`` are refused
    (SettingError).
    """
    settings = settings_of(scores)
    columns: list[Floats] = []
    groups: list[Ints | None] = []
    for score in scores:
        queries, values = scored_queries(score)
        columns.append(values)
        groups.append(groups_of(score, queries))
    ends = intervals(columns, groups, settings=settings, level=level, seed=seed)
    result = []
    for score, values, group, end in zip(scores, columns, groups, ends, strict=True):
        method, (low, high) = METHODS[settings.interval], end
        if centre_of(score.metric) == "median":
            method = OF_MEDIAN
            low, high = median_interval(
                values[:, np.newaxis], groups=group, level=level, n_resamples=N_BOOTSTRAP, seed=seed
            )
        interval = Interval(
            average(score.metric, values),
            low,
            high,
            level,
            method + by_groups(score.grouped_by, group),
            len(values),
            N_BOOTSTRAP,
            seed,
            n_groups_of(group),
            lower_is_better(score.metric),
            centre_of(score.metric),
        )
        result.append(interval)
    return tuple(result)


def ranked(means: Mapping[str, Interval]) -> tuple[str, ...]:
    """Systems by their mean, best first; equal ones by name, those without a mean last."""
    names = list(means)
    return tuple(names[place] for place in best_first(names, [mean.merit for mean in means.values()]))


def leading(means: Mapping[str, Interval]) -> tuple[str, ...]:
    """`ranked` without references such as ``@iou``, which rank by the concepts themselves; these where there
    is nothing else."""
    names = ranked(means)
    return tuple(name for name in names if not name.startswith("@")) or names


def n_groups_of(groups: Ints | None) -> int:
    """How many groups there are, images without one each for itself; 0 where all are independent.

    >>> n_groups_of(np.array([4, 4, -1, -1]))
    3
    """
    if groups is None:
        return 0
    return len(np.unique(groups[groups >= 0])) + int(np.count_nonzero(groups < 0))


def by_groups(grouped_by: str, groups: Ints | None) -> str:
    """What a method's name ends with where whole groups are drawn or flipped: " by patient (197 groups)"."""
    return "" if groups is None else f" by {grouped_by} ({n_groups_of(groups):,} groups)"


def intervals(
    columns: Sequence[Floats], groups: Sequence[Ints | None], *, settings: Settings, level: float, seed: int
) -> list[tuple[float, float]]:
    """Bootstrap intervals of the means of columns, which may be differences; NaN for fewer than two rows.

    By BCa where the settings say so, else by percentiles. ``groups``: by column the group of each row, whole
    groups are drawn then; None where rows are independent.
    """
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)
    ends = [(float("nan"), float("nan"))] * len(columns)
    for members in alike(columns, groups):
        group = groups[members[0]]
        n = len(columns[members[0]]) if group is None else n_groups_of(group)
        if n >= 2:
            matrix, rng = np.stack([columns[i] for i in members], axis=1), np.random.default_rng(seed)
            clusters = None if group is None else clusters_of(matrix, group)
            if clusters is None:
                means = bootstrap_means(matrix, n_resamples=N_BOOTSTRAP, rng=rng)
            else:
                means = cluster_means(clusters, n_resamples=N_BOOTSTRAP, rng=rng)
            if settings.interval == "bca":
                influence = None if clusters is None else clusters.influence
                result = bca_interval(matrix, means, level=level, influence=influence)
            else:
                result = percentile_interval(means, level=level)
            for i, low, high in zip(members, *result, strict=True):
                ends[i] = float(low), float(high)
    return ends


def alike(columns: Sequence[Floats], groups: Sequence[Ints | None]) -> list[list[int]]:
    """Which columns have the same length and the same groups, and so share draws."""
    result: dict[tuple[int, bytes], list[int]] = {}
    for i, (column, group) in enumerate(zip(columns, groups, strict=True)):
        result.setdefault((len(column), b"" if group is None else group.tobytes()), []).append(i)
    return list(result.values())
