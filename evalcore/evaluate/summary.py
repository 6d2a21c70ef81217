"""From values per query to a mean that says how sure it is.

Draws depend on the seed and the number of queries only, and sums are exact (see `stats.sums`), so a mean has
the same interval to the last digit whether it is summarised alone or beside others, and on every processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.arrays import Floats
from evalcore.errors import SettingError
from evalcore.evaluate.policy import counted
from evalcore.model import Interval, Scores
from evalcore.settings import Settings
from evalcore.stats.bootstrap import bca_interval, bootstrap_means, percentile_interval
from evalcore.stats.proportion import wilson_interval
from evalcore.stats.sums import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

METHODS = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap", "wilson": "Wilson"}
N_BOOTSTRAP = 2_000
FEW = 50
"""Below so many queries a bootstrap interval is too narrow."""
_DEFAULTS = Settings()


def summarise(
    scores: Scores,
    *,
    settings: Settings = _DEFAULTS,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> Interval:
    """The mean of one system under one metric, with an interval over queries.

    ``settings.undefined`` says whether queries without a value are left out or count 0,
    ``settings.interval`` which interval it is. The mean is NaN when no query counts, the interval when
    fewer than two do.

    Raises
    ------
    SettingError
        A level outside 0 to 1; Wilson's interval, and values other than 0 and 1.
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
    if settings.interval == "wilson":
        ends, n_resamples = _shares(scores, columns, level=level), 0
    else:
        ends = intervals(columns, settings=settings, level=level, n_resamples=n_resamples, seed=seed)
    method = METHODS[settings.interval]
    return tuple(
        Interval(mean_of(values), low, high, level, method, len(values), n_resamples, seed)
        for values, (low, high) in zip(columns, ends, strict=True)
    )


def intervals(
    columns: Sequence[Floats], *, settings: Settings, level: float, n_resamples: int, seed: int
) -> list[tuple[float, float]]:
    """Bootstrap intervals of the means of columns, which may be differences; NaN for fewer than two rows.

    By BCa where the settings say so, else by percentiles: Wilson's is none for differences.
    """
    _check_level(level)
    check_resamples(n_resamples)
    ends = [(float("nan"), float("nan"))] * len(columns)
    for n, members in by_length(columns).items():
        if n >= 2:
            matrix = np.stack([columns[i] for i in members], axis=1)
            means = bootstrap_means(matrix, n_resamples=n_resamples, rng=np.random.default_rng(seed))
            if settings.interval == "bca":
                found = bca_interval(matrix, means, level=level)
            else:
                found = percentile_interval(means, level=level)
            for i, low, high in zip(members, *found, strict=True):
                ends[i] = float(low), float(high)
    return ends


def method_of_differences(settings: Settings) -> str:
    """How the interval of a difference is found."""
    return METHODS["bca" if settings.interval == "bca" else "percentile"]


def too_narrow(
    means: Iterable[int],
    *,
    differences: Iterable[int] = (),
    settings: Settings = _DEFAULTS,
    of: str = "queries",
) -> str:
    """What to say beside bootstrap intervals of means and differences over so many queries; "" if enough."""
    counts = [*differences, *(means if settings.interval != "wilson" else ())]
    if not any(2 <= n < FEW for n in counts):
        return ""
    return (
        f"Intervals from fewer than {FEW} {of} are too narrow: where each of 20 succeeds with a chance of "
        "5%, only 64 of 100 such 95% intervals hold that chance."
    )


def _shares(
    scores: Sequence[Scores], columns: Sequence[Floats], *, level: float
) -> list[tuple[float, float]]:
    """Wilson's intervals."""
    _check_level(level)
    for one, values in zip(scores, columns, strict=True):
        other = np.count_nonzero((values != 0) & (values != 1))
        if other:
            raise SettingError(
                "interval", f"percentile or bca for {one.metric}, because Wilson's is for values of 0 and 1 "
                f"only, and {other:,} of the {len(values):,} values of {one.system} are others", "wilson",
            )  # fmt: skip
    return [
        wilson_interval(int(np.count_nonzero(values)), len(values), level=level)
        if len(values) >= 2
        else (float("nan"), float("nan"))
        for values in columns
    ]


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)


def by_length(columns: Sequence[Floats]) -> dict[int, list[int]]:
    """Which columns have the same length, and so share draws."""
    groups: dict[int, list[int]] = {}
    for i, column in enumerate(columns):
        groups.setdefault(len(column), []).append(i)
    return groups


def check_resamples(n_resamples: int) -> None:
    if n_resamples < 1:
        raise SettingError("n_resamples", "an integer >= 1", n_resamples)
