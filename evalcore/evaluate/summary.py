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
    from collections.abc import Iterable, Mapping, Sequence


def settings_of(scores: Sequence[Scores], settings: Settings | None) -> Settings:
    """The settings given, else those of the scores; the default ones without scores.

    Raises SettingError where no settings are given and the scores differ in how they count queries without a
    value, or in their intervals.
    """
    if settings is not None or not scores:
        return Settings() if settings is None else settings
    first, *others = (score.settings for score in scores)
    for name in ("undefined", "interval"):
        ways = dict.fromkeys(str(getattr(settings, name)) for settings in (first, *others))
        if len(ways) > 1:
            raise SettingError(name, "given here, because the scores were made with several", ", ".join(ways))
    return first


def groups_of(scores: Scores, queries: Ints) -> Ints | None:
    """The groups of some of the queries, shape (n,), -1 for a query without a group.

    ``queries``: image indices that the scores have, shape (n,). None where the study has no groups or no two
    of the queries share one, so that all are independent.
    """
    if scores.groups is None:
        return None
    return shared_groups(scores.groups[np.searchsorted(scores.queries, queries)])


def shared_groups(groups: Ints) -> Ints | None:
    """The group of each of some queries, -1 for none; None where no two of them share one."""
    named = groups[groups >= 0]
    return groups if len(np.unique(named)) < len(named) else None


def average(metric: str, values: Floats) -> float:
    """What a measure makes of its values per query: their mean, or median (MedR); NaN of none."""
    return median_of(values) if centre_of(metric) == "median" else mean_of(values)


def counted(scores: Scores, settings: Settings) -> tuple[Ints, Floats]:
    """The queries that enter a mean, and their values.

    The defined ones (``undefined="skip"``), or all of the pool with 0 for the others ("zero").
    """
    if settings.undefined == "skip":
        rows = scores.reasons == DEFINED
        return scores.queries[rows], scores.values[rows]
    rows = scores.reasons != OUTSIDE_POOL
    return scores.queries[rows], np.nan_to_num(scores.values[rows], nan=0.0)


METHODS = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap"}
OF_MEDIAN = "percentile bootstrap of the median"
"""Of measures by the median, whichever interval is chosen for means."""
N_BOOTSTRAP = 2_000
FEW = 50
"""Below so many queries a bootstrap interval is too narrow."""


def summarise(
    scores: Scores,
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> Interval:
    """The mean of one system under one metric, with an interval over queries.

    ``settings.undefined`` says whether queries without a value are left out or count 0,
    ``settings.interval`` which interval it is; None: as the scores were scored. The mean is NaN when no query
    counts, the interval when fewer than two do.

    Raises
    ------
    SettingError
        A level outside 0 to 1.
    """
    (interval,) = summarise_all([scores], settings=settings, level=level, n_resamples=n_resamples, seed=seed)
    return interval


def summarise_all(
    scores: Sequence[Scores],
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> tuple[Interval, ...]:
    """`summarise` for many scores at once, such as all that `score` returned, in their order.

    Columns of equal length share their draws. Without ``settings``, scores that were scored with several ways
    to count queries without a value, or several intervals, are refused (SettingError).
    """
    settings = settings_of(scores, settings)
    query_sets, columns = (
        zip(*(counted(score, settings) for score in scores), strict=True) if scores else ((), ())
    )
    groups = [groups_of(scores, queries) for scores, queries in zip(scores, query_sets, strict=True)]
    ends = intervals(columns, groups, settings=settings, level=level, n_resamples=n_resamples, seed=seed)
    method = METHODS[settings.interval]
    for place, (score, values, group) in enumerate(zip(scores, columns, groups, strict=True)):
        if centre_of(score.metric) == "median":
            ends[place] = median_interval(
                values[:, np.newaxis], groups=group, level=level, n_resamples=n_resamples, seed=seed
            )
    return tuple(
        Interval(
            average(scores.metric, values),
            low,
            high,
            level,
            (OF_MEDIAN if centre_of(scores.metric) == "median" else method)
            + by_groups(scores.grouped_by, group),
            len(values),
            n_resamples,
            seed,
            n_groups_of(group),
            lower_is_better(scores.metric),
            centre_of(scores.metric),
        )
        for scores, values, group, (low, high) in zip(scores, columns, groups, ends, strict=True)
    )


def ranked(means: Mapping[str, Interval]) -> tuple[str, ...]:
    """Systems by their mean, best first; equal ones by name, those without a mean last."""
    names = list(means)
    return tuple(names[place] for place in best_first(names, [mean.merit for mean in means.values()]))


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
    columns: Sequence[Floats],
    groups: Sequence[Ints | None],
    *,
    settings: Settings,
    level: float,
    n_resamples: int,
    seed: int,
) -> list[tuple[float, float]]:
    """Bootstrap intervals of the means of columns, which may be differences; NaN for fewer than two rows.

    By BCa where the settings say so, else by percentiles. ``groups``: by column the group of each row, whole
    groups are drawn then; None where rows are independent.
    """
    _check_level(level)
    check_resamples(n_resamples)
    ends = [(float("nan"), float("nan"))] * len(columns)
    for members in alike(columns, groups):
        group = groups[members[0]]
        n = len(columns[members[0]]) if group is None else n_groups_of(group)
        if n >= 2:
            matrix, rng = np.stack([columns[i] for i in members], axis=1), np.random.default_rng(seed)
            clusters = None if group is None else clusters_of(matrix, group)
            if clusters is None:
                means = bootstrap_means(matrix, n_resamples=n_resamples, rng=rng)
            else:
                means = cluster_means(clusters, n_resamples=n_resamples, rng=rng)
            if settings.interval == "bca":
                influence = None if clusters is None else clusters.influence
                result = bca_interval(matrix, means, level=level, influence=influence)
            else:
                result = percentile_interval(means, level=level)
            for i, low, high in zip(members, *result, strict=True):
                ends[i] = float(low), float(high)
    return ends


def method_of_differences(settings: Settings) -> str:
    """How the interval of a difference is found."""
    return METHODS[settings.interval]


def too_narrow(counts: Iterable[int], *, units: str = "queries") -> str:
    """What to say beside bootstrap intervals of means and differences over so many queries; "" if enough."""
    if not any(2 <= n < FEW for n in counts):
        return ""
    return (
        f"Intervals from fewer than {FEW} {units} are too narrow: where each of 20 succeeds with a chance of "
        "5%, only 64 of 100 such 95% intervals contain that chance."
    )


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)


def alike(columns: Sequence[Floats], groups: Sequence[Ints | None]) -> list[list[int]]:
    """Which columns have the same length and the same groups, and so share draws."""
    result: dict[tuple[int, bytes], list[int]] = {}
    for i, (column, group) in enumerate(zip(columns, groups, strict=True)):
        result.setdefault((len(column), b"" if group is None else group.tobytes()), []).append(i)
    return list(result.values())


def check_resamples(n_resamples: int) -> None:
    if n_resamples < 1:
        raise SettingError("n_resamples", "an integer >= 1", n_resamples)
