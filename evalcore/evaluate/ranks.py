"""How sure is the order of the systems? The rank of each by its mean, under resampled queries.

A resample draws queries (whole groups where they come in some), the same ones for all systems, and ranks the
systems by their means anew: Goldstein & Spiegelhalter 1996 (doi:10.2307/2983325) ask for intervals of ranks
wherever institutions are ranked, Hall & Miller 2009 (doi:10.1214/09-AOS699) show what the bootstrap can say
of them. Between systems that are equally good it says too much: their ranks are a toss-up, which an interval
of one study can miss. Hence the groups of equals beside it (`equals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.comparison import common_values
from evalcore.evaluate.summary import (
    METHODS,
    N_BOOTSTRAP,
    OF_MEDIAN,
    average,
    by_groups,
    check_resamples,
    n_groups_of,
)
from evalcore.ranking.metrics import by_median, sign_of
from evalcore.stats.bootstrap import bootstrap_means
from evalcore.stats.clusters import cluster_means, clusters_of
from evalcore.stats.correction import CLEAR
from evalcore.stats.medians import bootstrap_medians
from evalcore.stats.ranks import row_ranks
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Comparison, Scores


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The place of one system among ``k``, 1 for the best mean; level ones share the mean of their places.

    ``mean``: over the ``n`` queries with a value under every system. ``low``, ``high``: the ranks that hold
    the middle ``level`` of all resamples, each one that occurred; ``expected``: mean rank over them;
    ``first``: share of the resamples in which no other system was ahead, 0 to 1. NaN where fewer than two
    independent queries count.
    """

    system: str
    metric: str
    k: int
    mean: float
    rank: float
    low: float
    high: float
    expected: float
    first: float
    level: float
    method: str
    n: int
    left_out: int
    n_groups: int
    n_resamples: int
    seed: int


def rank_intervals(
    scores: Sequence[Scores],
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> tuple[RankInterval, ...]:
    """The rank of each system under one metric, in the order given, over the queries all have a value for.

    The draws are those of `summary.summarise_all`: the same queries with the same seed. The interval is one
    of percentiles, whatever ``settings.interval`` says: ranks are whole numbers or halves.
    """
    check_resamples(n_resamples)
    common = common_values(scores, settings)
    n, k = common.values.shape
    sign, medians = sign_of(scores[0].metric), by_median(scores[0].metric)
    means = np.array([average(scores[0].metric, column) for column in common.values.T])
    ranks = row_ranks(sign * means[np.newaxis])[0] if n else means
    drawn = _resampled(
        sign * common.values, common.groups, n_resamples=n_resamples, seed=seed, medians=medians
    )
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0, method="inverted_cdf")
    first = np.where(np.isnan(drawn[0]), np.nan, _ahead_of_all(drawn))
    return tuple(
        RankInterval(
            scores.system,
            scores.metric,
            k,
            float(means[j]),
            float(ranks[j]),
            float(low[j]),
            float(high[j]),
            float(drawn[:, j].mean()),
            float(first[j]),
            level,
            (OF_MEDIAN if medians else METHODS["percentile"]) + by_groups(scores.grouped_by, common.groups),
            n,
            common.left_out,
            n_groups_of(common.groups),
            n_resamples,
            seed,
        )
        for j, scores in enumerate(scores)
    )


def _resampled(values: Floats, groups: Ints | None, *, n_resamples: int, seed: int, medians: bool) -> Floats:
    """Ranks under resampled queries, shape (r, k); one row of NaN where fewer than two are independent.

    ``values``: higher is better.
    """
    independent = len(values) if groups is None else n_groups_of(groups)
    if independent < 2:
        return np.full((1, values.shape[1]), np.nan)
    rng = np.random.default_rng(seed)
    if medians:
        means = bootstrap_medians(values, groups=groups, n_resamples=n_resamples, rng=rng)
    elif groups is None:
        means = bootstrap_means(values, n_resamples=n_resamples, rng=rng)
    else:
        means = cluster_means(clusters_of(values, groups), n_resamples=n_resamples, rng=rng)
    return row_ranks(means)


def _ahead_of_all(ranks: Floats) -> Floats:
    """In which share of the rows each column has the best rank of the row, alone or with others."""
    best: Floats = (ranks == ranks.min(axis=1, keepdims=True)).mean(axis=0)
    return best


# Which systems cannot be told apart? Groups of equals, named by letters.
#
# Two systems are told apart where the corrected p of their paired comparison lies below a level. A group
# holds systems no two of which are told apart, and no further system could join it. Two systems share a
# letter if and only if they are not told apart: the compact letter display, found by inserting one
# difference after the other and absorbing columns that another one holds (Piepho 2004,
# doi:10.1198/1061860043515; without the sweep that drops letters which the others imply). Not being told
# apart is no proof that two systems are equal.

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
MOST = 500
"""Groups at most. Systems in one order need no more groups than systems; only odd p-values make so many."""


class Equals(NamedTuple):
    """Groups of systems that are not told apart, that of the first system first; each in the given order.

    ``letters``: by system, in the order given, the letters of its groups, such as "ab".
    """

    systems: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    letters: tuple[str, ...]
    level: float


def groups_of_equals(
    systems: Sequence[str], comparisons: Iterable[Comparison], *, level: float = CLEAR
) -> Equals:
    """The groups of these systems by the comparisons of every pair of them under one metric.

    ``systems``: best first, so that "a" is the group of the best. A pair without a p (no query in common) is
    not told apart.

    Raises
    ------
    InputError
        There are more than `MOST` groups.
    """
    place = {name: i for i, name in enumerate(systems)}
    columns = [frozenset(place.values())] if systems else []
    for comparison in comparisons:
        if comparison.p_corrected < level:
            columns = _parted(columns, place[comparison.system], place[comparison.baseline])
            if len(columns) > MOST:
                raise InputError(
                    f"The systems fall into more than {MOST} groups of equals: choose fewer of them."
                )
    ordered = sorted(map(sorted, columns))
    letters = ["" for _ in systems]
    for number, members in enumerate(ordered):
        for i in members:
            letters[i] += letter(number)
    groups = tuple(tuple(systems[i] for i in members) for members in ordered)
    return Equals(tuple(systems), groups, tuple(letters), level)


def _parted(columns: Sequence[frozenset[int]], a: int, b: int) -> list[frozenset[int]]:
    """Columns that hold both become two, with one of them each, unless another column holds all of that."""
    kept = [column for column in columns if not (a in column and b in column)]
    halves = [column - {gone} for column in columns if a in column and b in column for gone in (a, b)]
    for half in sorted(set(halves), key=len, reverse=True):
        if not any(half <= whole for whole in kept):
            kept.append(half)
    return kept


def letter(number: int) -> str:
    """The letter of a group: a to z, and after z its number in brackets.

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', '(27)')
    """
    return ALPHABET[number] if number < len(ALPHABET) else f"({number + 1})"
