"""Is one system better than another? Differences paired by query, with interval and corrected p."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import isnan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.evaluate.summary import (
    N_BOOTSTRAP,
    alike,
    average,
    by_groups,
    check_resamples,
    counted,
    groups_of,
    intervals,
    n_groups_of,
    settings_of,
)
from evalcore.ranking.metrics import centre_of, lower_is_better, sign_of
from evalcore.stats.clusters import clusters_of, standard_errors
from evalcore.stats.correction import CLEAR, NAMES, benjamini_hochberg, holm
from evalcore.stats.levels import SAME, best_first, difference
from evalcore.stats.medians import median_interval, median_of, swap_test
from evalcore.stats.permutation import RANDOM, sign_flip_below, sign_flip_test
from evalcore.stats.sums import mean_of, sum_of
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.model import Comparison, Family, Scores
from evalcore.values.settings import FLIPS, Correction, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


N_PERMUTATIONS = FLIPS


def compare(a: Scores, b: Scores, **how: Any) -> Comparison:
    """Is system a better than system b under one metric? a minus b, paired by query.

    ``how``: as for `compare_all`; a single comparison that was planned needs no correction, so
    ``p_corrected`` is ``p``.
    """
    (comparison,) = compare_all([(b, a)], **how)
    return comparison


def against_baseline(scores: Sequence[Scores], *, baseline: str, **how: Any) -> tuple[Comparison, ...]:
    """Every other system minus the baseline, under every metric among the scores; () for a single system.

    p is corrected over the comparisons of one metric (the family "baseline"): that is right where the
    baseline was fixed beforehand. ``how``: as for `compare_all`.

    Raises
    ------
    UnknownName
        The baseline is not among the scores.
    """
    systems = list(dict.fromkeys(score.system for score in scores))
    if baseline not in systems:
        raise UnknownName("baseline among the scored systems", baseline, systems)
    first = {score.metric: score for score in scores if score.system == baseline}
    pairs = [
        (first[metric], score)
        for metric in dict.fromkeys(score.metric for score in scores)
        for score in scores
        if score.metric == metric and score.system != baseline
    ]
    return compare_all(pairs, **how, family="baseline")


def compare_all(
    pairs: Sequence[tuple[Scores, Scores]],
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
    family: Family = "",
) -> tuple[Comparison, ...]:
    """Paired comparisons (baseline, system) over the queries both have a value for.

    Difference of means with a bootstrap interval (2,000 resamples of queries; BCa where
    ``settings.interval`` says so, else percentile), a two-sided paired permutation test with
    ``n_resamples`` sign flips (both of whole groups where the queries come in some), and a correction over
    all pairs given, or where they are a ``family`` over those of one metric, so that showing another metric
    changes no verdict: "holm", "bh" (Benjamini-Hochberg) or "none". No corrected p is less than p itself.
    Of measures by the median (MedR) it is the difference of medians, its percentile interval, and a test that
    swaps the two systems per query.
    ``effect_size`` is the mean difference in standard deviations of the differences (Cohen's d_z): 0 when
    there is no difference at all, NaN when every query differs by the same or there are fewer than two.
    Without a common query difference and p are NaN. Without ``settings``, those that the
    scores were scored with.

    Raises
    ------
    SettingError
        A pair is of two different metrics; no settings, and the scores differ in theirs.
    """
    settings = settings_of([score for pair in pairs for score in pair], settings)
    check_resamples(n_resamples)
    paired = [paired_values(*pair, settings) for pair in pairs]
    columns = [matched.differences for matched in paired]
    groups = [matched.groups for matched in paired]
    ends = intervals(columns, groups, settings=settings, level=level, n_resamples=N_BOOTSTRAP, seed=seed)
    tests = _tests(columns, groups, n_resamples=n_resamples, seed=seed)
    rows = []
    for matched, (a, b), end, test in zip(paired, pairs, ends, tests, strict=True):
        column, cluster_of, centre = matched.differences, matched.groups, mean_of(matched.differences)
        (p, method, flips), (low, high) = test, end
        if centre_of(a.metric) == "median":
            how: Any = {"groups": cluster_of, "seed": seed}
            centre = median_of(matched.both[:, 1]) - median_of(matched.both[:, 0])
            low, high = median_interval(matched.both, level=level, n_resamples=N_BOOTSTRAP, **how)
            swapped = swap_test(matched.both, n_resamples=n_resamples, **how)
            p, method, flips = float(swapped.p[0]), swapped.method, swapped.n_resamples
        effect, spread, design = _spreads(column, cluster_of)
        comparison = Comparison(
            baseline=a.system,
            system=b.system,
            metric=a.metric,
            difference=centre,
            low=low,
            high=high,
            level=level,
            p=p,
            p_corrected=p,
            correction="none",
            test=method + by_groups(a.grouped_by, cluster_of),
            n_pairs=len(column),
            n_resamples=flips,
            seed=seed,
            wins=int(np.count_nonzero(sign_of(a.metric) * column > 0)),
            ties=int(np.count_nonzero(column == 0)),
            losses=int(np.count_nonzero(sign_of(a.metric) * column < 0)),
            effect_size=effect,
            spread=spread,
            n_groups=n_groups_of(cluster_of),
            design_effect=design,
            family=family,
            fixed=a.system if family == "baseline" else "",
            lower_is_better=lower_is_better(a.metric),
            centre=centre_of(a.metric),
        )
        rows.append(comparison)
    of_metric = [row.metric if family else "" for row in rows]
    for metric in dict.fromkeys(of_metric):
        members = [i for i, name in enumerate(of_metric) if name == metric]
        raw = np.array([rows[i].p for i in members], float)
        named, size = NAMES[correction] if len(members) > 1 else "none", int(np.count_nonzero(~np.isnan(raw)))
        for i, p in zip(members, corrected_by(correction, raw).tolist(), strict=True):
            rows[i] = replace(rows[i], p_corrected=p, correction=named, n_family=size)
    return tuple(rows)


def over_what(comparisons: Sequence[Comparison]) -> str:
    """How and over which family the p-values of comparisons were corrected, in words.

    Comparisons without a p (no query in common) are not counted.
    """
    tested = [comparison for comparison in comparisons if not isnan(comparison.p)]
    if not tested or max(comparison.n_family for comparison in tested) < 2:
        return "p of one comparison, not corrected"
    largest = max(tested, key=lambda c: c.n_family)
    over = {
        "": f"{largest.n_family:,} comparisons",
        "baseline": (
            f"the {largest.n_family:,} comparisons with the baseline {largest.fixed or largest.baseline}"
        ),
        "pairs": f"all {largest.n_family:,} pairs of the systems compared",
        "slices": f"all {largest.n_family:,} differences in slices",
    }[largest.family]
    if largest.family and len({c.metric for c in tested}) > 1:
        over += ", each metric by itself"
    by = next((c.correction for c in tested if c.correction != "none"), "none")
    return f"p not corrected, {over}" if by == "none" else f"p corrected by {by} over {over}"


def flipped(comparison: Comparison) -> Comparison:
    """The same comparison the other way round: ``baseline`` minus ``system``."""
    return replace(
        comparison,
        baseline=comparison.system,
        system=comparison.baseline,
        difference=0.0 - comparison.difference,
        low=0.0 - comparison.high,
        high=0.0 - comparison.low,
        wins=comparison.losses,
        losses=comparison.wins,
        effect_size=0.0 - comparison.effect_size,
    )


def of_pair(comparisons: Iterable[Comparison], a: str, b: str) -> Comparison | None:
    """a minus b among comparisons of one metric, computed either way round; None if it is not there.

    Where only b minus a is there, its sign, ends and counts are turned round; p is the same.
    """
    for comparison in comparisons:
        if (comparison.system, comparison.baseline) == (a, b):
            return comparison
        if (comparison.system, comparison.baseline) == (b, a):
            return flipped(comparison)
    return None


def at_the_floor(comparisons: Sequence[Comparison], *, more: str = "More flips") -> str:
    """What to say beside p-values that are the lowest that so many flips can give; "" where no p is.

    For random flips only: where all patterns are tried, p is exact. ``more``: how to get more of them.
    """
    tested = [comparison for comparison in comparisons if not isnan(comparison.p)]
    low = [c for c in tested if is_least(c.p, c.test, c.n_resamples)]
    if not low:
        return ""
    n, flips = len(low), max(comparison.n_resamples for comparison in low)
    these = f"{n:,} of {len(tested):,} p-values {'are' if n > 1 else 'is'}" if len(tested) > 1 else "p is"
    text = f"{these} the lowest that {flips:,} flips can give: 1/{flips + 1:,}. "
    text += f"{more} can lower {'them' if n > 1 else 'it'}."
    if min(comparison.p_corrected for comparison in low) < CLEAR:
        return text
    return f"{text} With so few flips no difference can be clear (p < {f'{CLEAR:g}'.removeprefix('0')})."


def is_least(p: float, test: str, flips: int) -> bool:
    """Whether no random flip came as far as the difference itself, so that p is 1 / (flips + 1)."""
    return test.startswith(RANDOM) and p * (flips + 1) < 1.5


def corrected_by(correction: Correction, p: Floats) -> Floats:
    """p-values corrected by a method that needs nothing but them, shape (m,), aligned with ``p``.

    "holm" (Holm 1979) bounds the chance of any false positive, "bh" (Benjamini & Hochberg 1995) their
    expected share, "none" returns them as they are. No NaN; an empty array stays empty.
    """
    if correction == "none":
        return p
    return benjamini_hochberg(p) if correction == "bh" else holm(p)


class Paired(NamedTuple):
    """Two systems over the n queries that both have a value for, ascending.

    ``both``: values of the baseline and of the system, shape (n, 2); ``differences``: the second minus the
    first, exactly 0 where they are level (see `stats.levels`); ``groups``: of each query, None where all are
    independent.
    """

    queries: Ints
    both: Floats
    differences: Floats
    groups: Ints | None


def paired_values(baseline: Scores, system: Scores, settings: Settings) -> Paired:
    """The values of two systems under one metric, paired by query; SettingError for two metrics."""
    if baseline.metric != system.metric:
        raise SettingError("metric", f"the same for both systems ({baseline.metric})", system.metric)
    queries, values = counted(baseline, settings)
    others, their = counted(system, settings)
    common, mine, theirs = np.intersect1d(queries, others, assume_unique=True, return_indices=True)
    both = np.column_stack([values[mine], their[theirs]])
    return Paired(common, both, difference(both[:, 1], both[:, 0]), groups_of(baseline, common))


def _tests(
    columns: Sequence[Floats], groups: Sequence[Ints | None], *, n_resamples: int, seed: int
) -> list[tuple[float, str, int]]:
    """p, method and number of flips for each column of differences; all of a group flip together."""
    result: list[tuple[float, str, int]] = [(float("nan"), "", 0)] * len(columns)
    for members in alike(columns, groups):
        matrix, group = np.stack([columns[i] for i in members], axis=1), groups[members[0]]
        if group is not None:
            matrix = clusters_of(matrix, group).sums
        # Another stream than the intervals': the same seed must not tie the two together.
        test = sign_flip_test(matrix, n_resamples=n_resamples, rng=np.random.default_rng((seed, 1)))
        for i, p in zip(members, test.p, strict=True):
            result[i] = float(p), test.method, test.n_resamples
    return result


def _spreads(differences: Floats, groups: Ints | None) -> tuple[float, float, float]:
    """Their effect size, standard deviation and design effect; see `Comparison`.

    The standard deviation is NaN for fewer than two.
    """
    n = len(differences)
    if n < 2:
        return float("nan"), float("nan"), 1.0
    spread = sqrt(sum_of((differences - mean_of(differences)) ** 2) / (n - 1))
    effect = float("nan") if np.ptp(differences) <= SAME else mean_of(differences) / spread
    design = 1.0
    if groups is not None and spread > 0:
        error = float(standard_errors(clusters_of(differences[:, np.newaxis], groups))[0])
        design = n * (error / spread) ** 2
    return effect if differences.any() else 0.0, spread, design


def every_pair(
    scores: Sequence[Scores], *, settings: Settings | None = None, **how: Any
) -> tuple[Comparison, ...]:
    """Each system minus each one below it, metric by metric; k (k - 1) / 2 comparisons of k systems.

    By metric the systems are in the order of their means, best first (`in_order`), so that the first of a
    pair is no worse wherever two systems have values for the same queries. p is corrected over all pairs of
    one metric (the family "pairs"); everything else as in `compare_all`.

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
    return compare_all(pairs, settings=settings, **how, family="pairs")


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
    scored = np.unique(np.concatenate([queries for queries, _ in result]))
    values = np.column_stack([values[np.searchsorted(queries, common)] for queries, values in result])
    return Common(
        tuple(score.system for score in scores),
        common,
        values,
        groups_of(scores[0], common),
        len(scored) - len(common),
    )


# Is one system worse than another by more than a bound? The gate for a new checkpoint against the last one.


FALSE_ALARMS = 0.05
"""The chance of a false alarm under any of the metrics compared, at most."""


class Gated(NamedTuple):
    """A comparison held against the bound.

    p_below: of the rule of this module, corrected; NaN without a query. declined: whether a decline is
    established.
    """

    comparison: Comparison
    p_below: float
    declined: bool


def below(
    columns: Sequence[Floats],
    groups: Sequence[Ints | None],
    *,
    bound: float,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
) -> Floats:
    """Does the mean of each column of differences lie below the bound? p, shape (m,), corrected by Holm.

    A decline below a bound (such as -0.01) is *established* where the one-sided hypothesis "the mean
    difference is the bound or more" is rejected at `FALSE_ALARMS` (5%), by sign flips of the differences less
    the bound, of whole groups where queries come in some, and corrected over all metrics compared. So at most
    one run in twenty raises a false alarm under any metric whose true difference is not below the bound. The
    test is exact where differences scatter evenly about their mean, and a good approximation otherwise
    (Smucker, Allan & Carterette 2007, doi:10.1145/1321440.1321528).

    Parameters
    ----------
    columns
        Differences by query, each of shape (n,), without NaN; n may differ and be 0 (p NaN).
    groups
        By column the group of each query, -1 for none; None where the queries are independent.
    bound
        The lowest mean that is no decline: 0 or less.
    """
    p = np.full(len(columns), np.nan)
    for members in alike(columns, groups):
        matrix, group = np.stack([columns[i] for i in members], axis=1) - bound, groups[members[0]]
        if group is not None:
            matrix = clusters_of(matrix, group).sums
        # A third stream beside those of intervals and two-sided tests.
        rng = np.random.default_rng((seed, 2))
        p[members] = sign_flip_below(matrix, n_resamples=n_resamples, rng=rng).p
    return holm(p)
