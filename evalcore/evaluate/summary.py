"""From values per query to a mean that says how sure it is.

Draws depend on the seed and the number of queries only, and sums are exact (see `stats.sums`), so a mean has
the same interval to the last digit whether it is summarised alone or beside others, and on every processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.errors import SettingError
from evalcore.evaluate.policy import counted
from evalcore.model import Floats, Interval, Scores
from evalcore.settings import Settings
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.stats.sums import mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

BOOTSTRAP = "percentile bootstrap"
N_BOOTSTRAP = 2_000
_DEFAULTS = Settings()


def summarise(
    scores: Scores,
    *,
    settings: Settings = _DEFAULTS,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> Interval:
    """The mean of one system under one metric, with a percentile bootstrap interval over queries.

    ``settings.undefined`` says whether queries without a value are left out or count 0. The mean is
    NaN when no query counts, the interval when fewer than two do.
    """
    (interval,) = summarise_all([scores], settings=settings, level=level, n_resamples=n_resamples, seed=seed)
    return interval


def summarise_all(
    scores: Sequence[Scores],
    *,
    settings: Settings = _DEFAULTS,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> tuple[Interval, ...]:
    """`summarise` for many scores at once; columns of equal length share their draws."""
    columns = [counted(one, settings)[1] for one in scores]
    ends = intervals(columns, level=level, n_resamples=n_resamples, seed=seed)
    return tuple(
        Interval(mean_of(values), low, high, level, BOOTSTRAP, len(values), n_resamples, seed)
        for values, (low, high) in zip(columns, ends, strict=True)
    )


def intervals(
    columns: Sequence[Floats], *, level: float, n_resamples: int, seed: int
) -> list[tuple[float, float]]:
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)
    check_resamples(n_resamples)
    ends = [(float("nan"), float("nan"))] * len(columns)
    for n, members in by_length(columns).items():
        if n >= 2:
            matrix = np.stack([columns[i] for i in members], axis=1)
            means = bootstrap_means(matrix, n_resamples=n_resamples, rng=np.random.default_rng(seed))
            for i, low, high in zip(members, *percentile_interval(means, level=level), strict=True):
                ends[i] = float(low), float(high)
    return ends


def by_length(columns: Sequence[Floats]) -> dict[int, list[int]]:
    """Which columns have the same length, and so share draws."""
    groups: dict[int, list[int]] = {}
    for i, column in enumerate(columns):
        groups.setdefault(len(column), []).append(i)
    return groups


def check_resamples(n_resamples: int) -> None:
    if n_resamples < 1:
        raise SettingError("n_resamples", "an integer >= 1", n_resamples)
