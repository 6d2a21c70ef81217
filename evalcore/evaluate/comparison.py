"""Is one system better than another? Differences paired by query, with interval and corrected p."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.evaluate.summary import (
    N_BOOTSTRAP,
    alike,
    by_groups,
    groups_of,
    intervals,
    n_groups_of,
    scored_queries,
    settings_of,
)
from evalcore.ranking.metrics import centre_of, lower_is_better, sign_of
from evalcore.stats.clusters import clusters_of, standard_errors
from evalcore.stats.correction import CLEAR, CORRECTIONS, NAMES, holm
from evalcore.stats.levels import SAME, difference
from evalcore.stats.medians import median_interval, median_of, swap_test
from evalcore.stats.permutation import SignFlipTest, sign_flip_below, sign_flip_test
from evalcore.stats.sums import mean_of, sum_of
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.model import Comparison, Family, Scores
from evalcore.values.settings import FLIPS, Correction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


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
    level: float = 0.95,
    flips: int = FLIPS,
    seed: int = 0,
    correction: Correction = "holm",
    family: Family = "",
) -> tuple[Comparison, ...]:
    """Paired comparisons (baseline, system) over the queries both have a value for.

    Difference of means with a bootstrap interval (2,000 resamples of queries; BCa where the settings of the
    scores say so, else percentile), a two-sided paired permutation test with ``flips`` sign flips (both of
    whole groups where the queries come in some), and a correction over all pairs given, or where they are a
    ``family`` over those of one metric, so that showing another metric changes no verdict: "holm", "bh"
    (Benjamini-Hochberg) or "none". No corrected p is less than p itself; that of a single pair is p.
    Of measures by the median (MedR) it is the difference of medians, its percentile interval, and a test that
    swaps the two systems per query.
    ``effect_size`` is the mean difference in standard deviations of the differences (Cohen's d_z): 0 when
    there is no difference at all, NaN when every query differs by the same or there are fewer than two.
    Without a common query difference and p are NaN.

    Raises
    ------
    SettingError
        A pair is of two different metrics, or of scores that count queries without a value in two ways; fewer
        than one flip.
    """
    if flips < 1:
        raise SettingError("flips", "an integer >= 1", flips)
    settings = settings_of([score for pair in pairs for score in pair])
    paired = [paired_values(*pair) for pair in pairs]
    columns = [matched.differences for matched in paired]
    groups = [matched.groups for matched in paired]
    ends = intervals(columns, groups, settings=settings, level=level, seed=seed)

    def test(matrix: Floats) -> SignFlipTest:
        # Another stream than the intervals': the same seed must not tie the two together.
        return sign_flip_test(matrix, n_resamples=flips, rng=np.random.default_rng((seed, 1)))

    rows = []
    for matched, (a, b), end, tested in zip(paired, pairs, ends, _tests(columns, groups, test), strict=True):
        column, cluster_of, centre = matched.differences, matched.groups, mean_of(matched.differences)
        (p, method, n_flips), (low, high) = tested, end
        if centre_of(a.metric) == "median":
            how: Any = {"groups": cluster_of, "seed": seed}
            centre = median_of(matched.both[:, 1]) - median_of(matched.both[:, 0])
            low, high = median_interval(matched.both, level=level, n_resamples=N_BOOTSTRAP, **how)
            swapped = swap_test(matched.both, n_resamples=flips, **how)
            p, method, n_flips = float(swapped.p[0]), swapped.method, swapped.n_resamples
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
            n_resamples=n_flips,
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
        for i, p in zip(members, CORRECTIONS[correction](raw).tolist(), strict=True):
            rows[i] = replace(rows[i], p_corrected=p, correction=named, n_family=size)
    return tuple(rows)


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


def both_ways(comparisons: Iterable[Comparison]) -> dict[tuple[str, str], Comparison]:
    """{(a, b): a minus b} of comparisons of one metric, whichever way round they were computed.

    Those the other way round have their sign, ends and counts turned; p is the same.
    """
    computed = {(c.system, c.baseline): c for c in comparisons}
    return {(b, a): flipped(c) for (a, b), c in computed.items()} | computed


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


def paired_values(baseline: Scores, system: Scores) -> Paired:
    """The values of two systems under one metric, paired by query; SettingError for two metrics."""
    if baseline.metric != system.metric:
        raise SettingError("metric", f"the same for both systems ({baseline.metric})", system.metric)
    queries, values = scored_queries(baseline)
    others, their = scored_queries(system)
    common, mine, theirs = np.intersect1d(queries, others, assume_unique=True, return_indices=True)
    both = np.column_stack([values[mine], their[theirs]])
    return Paired(common, both, difference(both[:, 1], both[:, 0]), groups_of(baseline, common))


def _tests(
    columns: Sequence[Floats], groups: Sequence[Ints | None], test: Callable[[Floats], SignFlipTest]
) -> list[tuple[float, str, int]]:
    """p, method and number of flips for each column of differences; all of a group flip together."""
    result: list[tuple[float, str, int]] = [(float("nan"), "", 0)] * len(columns)
    for members in alike(columns, groups):
        matrix, group = np.stack([columns[i] for i in members], axis=1), groups[members[0]]
        tested = test(matrix if group is None else clusters_of(matrix, group).sums)
        for i, p in zip(members, tested.p, strict=True):
            result[i] = float(p), tested.method, tested.n_resamples
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


# Which systems cannot be told apart? Groups of equals, named by letters.
#
# Two systems are told apart where the corrected p of their paired comparison lies below a level. A group
# holds systems no two of which are told apart, and no further system could join it. Two systems share a
# letter if and only if they are not told apart: the compact letter display, found by inserting one difference
# after the other and absorbing columns that another one holds (Piepho 2004, doi:10.1198/1061860043515;
# without the sweep that drops letters which the others imply). Not being told apart does not prove equality.

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
MOST = 500
"""Groups of equals at most: systems in one order need no more than there are systems."""


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
            columns = _split_columns(columns, place[comparison.system], place[comparison.baseline])
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


def _split_columns(columns: Sequence[frozenset[int]], a: int, b: int) -> list[frozenset[int]]:
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


# Is one system worse than another by more than a bound? The gate for a new checkpoint against the last one.


FALSE_ALARMS = 0.05
"""The chance of a false alarm under any of the metrics compared, at most."""


class Gated(NamedTuple):
    """A comparison held against the bound.

    p_below: of the rule of `below`, corrected; NaN without a query.
    """

    comparison: Comparison
    p_below: float

    @property
    def declined(self) -> bool:
        """Whether a decline is established."""
        return self.p_below < FALSE_ALARMS


def below(
    pairs: Sequence[tuple[Scores, Scores]], *, bound: float, flips: int = FLIPS, seed: int = 0
) -> Floats:
    """Does each system lie below its baseline by more than a bound? p, shape (m,), corrected by Holm.

    A decline below a bound (such as -0.01) is *established* where the one-sided hypothesis "the mean
    difference is the bound or more" is rejected at `FALSE_ALARMS` (5%), by sign flips of the differences less
    the bound, of whole groups where queries come in some, and corrected over all metrics compared. So at most
    one run in twenty raises a false alarm under any metric whose true difference is not below the bound. The
    test is exact where differences scatter evenly about their mean, and a good approximation otherwise
    (Smucker, Allan & Carterette 2007, doi:10.1145/1321440.1321528).

    Parameters
    ----------
    pairs
        Baseline and system, a pair a metric; p is NaN where no query has a value for both.
    bound
        The lowest mean difference that is no decline: 0 or less; where lower is better, of the baseline less
        the system.
    """
    paired = [paired_values(*pair) for pair in pairs]
    columns = [
        sign_of(system.metric) * matched.differences - bound
        for matched, (_, system) in zip(paired, pairs, strict=True)
    ]

    def test(matrix: Floats) -> SignFlipTest:
        # A third stream beside those of intervals and two-sided tests.
        return sign_flip_below(matrix, n_resamples=flips, rng=np.random.default_rng((seed, 2)))

    return holm(np.array([p for p, *_ in _tests(columns, [matched.groups for matched in paired], test)]))
