"""Is one system better than another? Differences paired by query, with interval and corrected p."""

from __future__ import annotations

from math import isnan, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.arrays import Floats, Ints
from evalcore.errors import SettingError, UnknownName
from evalcore.evaluate.policy import counted, groups_of
from evalcore.evaluate.summary import (
    N_BOOTSTRAP,
    alike,
    by_groups,
    check_resamples,
    intervals,
    n_groups_of,
)
from evalcore.model import Comparison, Scores
from evalcore.settings import Correction, Settings
from evalcore.stats.clusters import clusters_of
from evalcore.stats.correction import NAMES, benjamini_hochberg, holm
from evalcore.stats.levels import SAME, difference
from evalcore.stats.permutation import max_t, sign_flip_test
from evalcore.stats.sums import mean_of, sum_of

if TYPE_CHECKING:
    from collections.abc import Sequence

N_PERMUTATIONS = 10_000


def compare(
    baseline: Scores,
    system: Scores,
    *,
    settings: Settings = Settings(),
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
) -> Comparison:
    """Is one system better than another under one metric? ``system`` minus ``baseline``, paired by query.

    See `compare_all`; a single comparison needs no correction, so ``p_corrected`` is ``p``.
    """
    (one,) = compare_all(
        [(baseline, system)], settings=settings, level=level, n_resamples=n_resamples, seed=seed
    )
    return one


def leaderboard(
    scores: Sequence[Scores],
    *,
    baseline: str | None,
    settings: Settings = Settings(),
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> tuple[Comparison, ...]:
    """Every other system against the baseline (None: every pair), under every metric among the scores.

    p-values are corrected over all comparisons returned, by ``correction`` (see `compare_all`).

    Raises
    ------
    UnknownName
        The baseline is not among the scores.
    """
    systems = list(dict.fromkeys(one.system for one in scores))
    if baseline is not None and baseline not in systems:
        raise UnknownName("baseline among the scored systems", baseline, systems)
    pairs = [
        (a, b)
        for metric in dict.fromkeys(one.metric for one in scores)
        for a, b in _pairs([one for one in scores if one.metric == metric], baseline)
    ]
    return compare_all(
        pairs, settings=settings, level=level, n_resamples=n_resamples, seed=seed, correction=correction
    )


def compare_all(
    pairs: Sequence[tuple[Scores, Scores]],
    *,
    settings: Settings = Settings(),
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> tuple[Comparison, ...]:
    """Paired comparisons (baseline, system) over the queries both have a value for.

    Difference of means with a bootstrap interval (2,000 resamples of queries; BCa where
    ``settings.interval`` says so, else percentile), a two-sided paired permutation test with
    ``n_resamples`` sign flips (both of whole groups where the queries come in some), and a correction over
    all pairs given: "holm", "bh" (Benjamini-Hochberg), "maxt" (Westfall-Young by the same sign flips; a query
    without a pair counts as difference 0) or "none". No corrected p is less than p itself. ``effect_size`` is
    the mean difference in standard deviations of the differences (Cohen's d_z): 0 when there is no difference
    at all, NaN when every query differs by the same or there are fewer than two. Without a common query
    difference and p are NaN.

    Raises
    ------
    SettingError
        A pair is of two different metrics.
    """
    paired = [_paired(a, b, settings) for a, b in pairs]
    columns, groups = [values for _, values, _ in paired], [of for _, _, of in paired]
    ends = intervals(columns, groups, settings=settings, level=level, n_resamples=N_BOOTSTRAP, seed=seed)
    tests = _tests(columns, groups, n_resamples=n_resamples, seed=seed)
    raw = np.array([p for p, _, _ in tests], float)
    if correction == "maxt":
        corrected = np.maximum(raw, _max_t(paired, n_resamples=n_resamples, seed=seed))
    else:
        corrected = corrected_by(correction, raw)
    named = NAMES[correction] if len(pairs) > 1 else "none"
    return tuple(
        Comparison(
            baseline=a.system, system=b.system, metric=a.metric, difference=mean_of(column),
            low=low, high=high, level=level, p=p, p_corrected=float(p_corrected), correction=named,
            test=method + by_groups(a.grouped_by, of), n_pairs=len(column), n_resamples=flips, seed=seed,
            wins=int(np.count_nonzero(column > 0)), ties=int(np.count_nonzero(column == 0)),
            losses=int(np.count_nonzero(column < 0)), effect_size=_effect_size(column),
            spread=_spread(column), n_groups=n_groups_of(of),
        )
        for (a, b), column, of, (low, high), (p, method, flips), p_corrected
        in zip(pairs, columns, groups, ends, tests, corrected, strict=True)
    )  # fmt: skip


def _pairs(scores: Sequence[Scores], baseline: str | None) -> list[tuple[Scores, Scores]]:
    if baseline is None:
        return [(a, b) for i, a in enumerate(scores) for b in scores[i + 1 :]]
    first = next(one for one in scores if one.system == baseline)
    return [(first, one) for one in scores if one.system != baseline]


def differences(baseline: Scores, system: Scores, settings: Settings) -> Floats:
    """``system`` minus ``baseline`` for each query both have a value for, by query, shape (n,).

    Exactly 0 where the two are level (see `stats.levels`).
    """
    return _paired(baseline, system, settings)[1]


def over_what(comparisons: Sequence[Comparison], *, pairs: bool = False) -> str:
    """How and over what the p-values of comparisons shown together were corrected, in words.

    ``pairs``: of systems with each other (see `pairs.every_pair`), not of each with a baseline. Comparisons
    without a p (no query in common) are not counted.
    """
    tested = [one for one in comparisons if not isnan(one.p)]
    correction = comparisons[0].correction if comparisons else "none"
    if len(tested) < 2:
        return "p of one comparison, not corrected"
    systems = {one.system for one in tested} | {one.baseline for one in tested if pairs}
    of = f"{'pairs of ' if pairs else ''}{_number(len(systems), 'system')}"
    metrics = _number(len({one.metric for one in tested}), "metric")
    over = f"{len(tested):,} comparisons ({of}, {metrics})"
    return f"p not corrected, {over}" if correction == "none" else f"p corrected by {correction} over {over}"


def _number(n: int, of: str) -> str:
    return f"{n:,} {of}{'s' * (n != 1)}"


def corrected_by(correction: Literal["holm", "bh", "none"], p: Floats) -> Floats:
    """p-values corrected by what needs nothing but them: Holm, Benjamini-Hochberg or not at all."""
    if correction == "none":
        return p
    return benjamini_hochberg(p) if correction == "bh" else holm(p)


def paired_differences(baseline: Scores, system: Scores, settings: Settings) -> tuple[Floats, Ints | None]:
    """`differences`, with the group of each query; None where the queries are independent."""
    return _paired(baseline, system, settings)[1:]


def _paired(baseline: Scores, system: Scores, settings: Settings) -> tuple[Ints, Floats, Ints | None]:
    """The queries both have a value for, ascending, the differences, and the group of each query."""
    if baseline.metric != system.metric:
        raise SettingError("metric", f"the same for both systems ({baseline.metric})", system.metric)
    queries, values = counted(baseline, settings)
    others, their = counted(system, settings)
    common, mine, theirs = np.intersect1d(queries, others, assume_unique=True, return_indices=True)
    return common, difference(their[theirs], values[mine]), groups_of(baseline, common)


def _max_t(paired: Sequence[tuple[Ints, Floats, Ints | None]], *, n_resamples: int, seed: int) -> Floats:
    """p of each pair by MaxT, signs flipped by query or by group; NaN for a pair without query."""
    tested = [i for i, (queries, _, _) in enumerate(paired) if len(queries)]
    corrected = np.full(len(paired), np.nan)
    if not tested:
        return corrected
    rows = np.unique(np.concatenate([paired[i][0] for i in tested]))
    matrix, group = np.zeros((len(rows), len(tested))), np.full(len(rows), -1, np.int32)
    for j, i in enumerate(tested):
        queries, column, of = paired[i]
        at = np.searchsorted(rows, queries)
        matrix[at, j] = column
        if of is not None:
            group[at] = of
    if paired[tested[0]][2] is not None:
        matrix = clusters_of(matrix, group).sums
    # The stream of the tests: over the same queries p and corrected p come from the same flips.
    corrected[tested] = max_t(matrix, n_resamples=n_resamples, rng=np.random.default_rng((seed, 1)))
    return corrected


def _tests(
    columns: Sequence[Floats], groups: Sequence[Ints | None], *, n_resamples: int, seed: int
) -> list[tuple[float, str, int]]:
    """p, method and number of flips for each column of differences; all of a group flip together."""
    check_resamples(n_resamples)
    found: list[tuple[float, str, int]] = [(float("nan"), "", 0)] * len(columns)
    for members in alike(columns, groups):
        matrix, of = np.stack([columns[i] for i in members], axis=1), groups[members[0]]
        if of is not None:
            matrix = clusters_of(matrix, of).sums
        # Another stream than the intervals': the same seed must not tie the two together.
        test = sign_flip_test(matrix, n_resamples=n_resamples, rng=np.random.default_rng((seed, 1)))
        for i, p in zip(members, test.p, strict=True):
            found[i] = float(p), test.method, test.n_resamples
    return found


def _effect_size(differences: Floats) -> float:
    if len(differences) < 2:
        return float("nan")
    if not differences.any():
        return 0.0
    if np.ptp(differences) <= SAME:
        return float("nan")
    return mean_of(differences) / _spread(differences)


def _spread(differences: Floats) -> float:
    """The standard deviation of the differences; NaN for fewer than two."""
    if len(differences) < 2:
        return float("nan")
    return sqrt(sum_of((differences - mean_of(differences)) ** 2) / (len(differences) - 1))
