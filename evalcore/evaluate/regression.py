"""Did a system get worse since its scores were saved? Then and now, paired by query, against a bound.

The rule: a decline below a bound (such as -0.01) is *established* where the one-sided hypothesis "the mean
difference, now minus then, is the bound or more" is rejected at `LEVEL` (5%), by sign flips of the
differences less the bound, of whole groups where queries come in some, and corrected by Holm over all systems
and metrics compared. So at most one run in twenty raises a false alarm about any system whose true difference
is not below the bound. The test is exact where differences scatter evenly about their mean, and a good
approximation otherwise (Smucker, Allan & Carterette 2007, doi:10.1145/1321440.1321528).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluate.comparison import N_PERMUTATIONS, compare_all, paired_differences
from evalcore.evaluate.policy import average, counted
from evalcore.evaluate.summary import alike
from evalcore.ranking.metrics import by_median, sign_of
from evalcore.stats.clusters import clusters_of
from evalcore.stats.correction import holm
from evalcore.stats.permutation import sign_flip_below
from evalcore.study.saved_scores import SavedScores, basis_of, deciding, over_of
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import InputError, Problem, Report
from evalcore.values.model import Comparison, Scores, Study

LEVEL = 0.05
"""The chance of a false alarm about any of the systems and metrics compared, at most."""


class Below(NamedTuple):
    """Whether means of differences lie below a bound: p before and after Holm's correction, shape (m,)."""

    p: Floats
    p_corrected: Floats

    @property
    def established(self) -> list[bool]:
        """Whether each is: its corrected p is below `LEVEL`. Never without a query."""
        return [bool(p < LEVEL) for p in self.p_corrected]


def below(
    columns: Sequence[Floats],
    groups: Sequence[Ints | None],
    *,
    bound: float,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
) -> Below:
    """Does the mean of each column of differences lie below the bound? The rule of this module.

    Parameters
    ----------
    columns
        Differences by query, now minus then, each of shape (n,), without NaN; n may differ and be 0 (p NaN).
    groups
        By column the group of each query, -1 for none; None where the queries are independent.
    bound
        The lowest mean that is no decline: 0 or less.
    """
    p = np.full(len(columns), np.nan)
    for members in alike(columns, groups):
        matrix, of = np.stack([columns[i] for i in members], axis=1) - bound, groups[members[0]]
        if of is not None:
            matrix = clusters_of(matrix, of).sums
        # A third stream beside those of intervals and two-sided tests.
        rng = np.random.default_rng((seed, 2))
        p[members] = sign_flip_below(matrix, n_resamples=n_resamples, rng=rng).p
    return Below(p, holm(p))


@dataclass(frozen=True, slots=True)
class Change:
    """One system under one metric: its mean then and now over the same queries, and the difference.

    ``change``: now minus then, its ``baseline`` the system's name then. ``p_below``: of the rule of this
    module, corrected; NaN without a bound. ``declined``: whether a decline below the bound is established.
    """

    change: Comparison
    then: float
    now: float
    p_below: float = float("nan")
    declined: bool = False


@dataclass(frozen=True, slots=True)
class Regression:
    """Systems compared with their saved scores.

    ``only_now``: scored now and not compared, as the file has none of that name; ``only_then``: in the file
    and not scored now. ``bound``: None where no decline was asked about.
    """

    file: str
    changes: tuple[Change, ...]
    only_now: tuple[str, ...]
    only_then: tuple[str, ...]
    bound: float | None = None

    @property
    def declined(self) -> tuple[Change, ...]:
        """Those with an established decline, the furthest first."""
        return tuple(
            sorted((change for change in self.changes if change.declined), key=lambda c: c.change.lead)
        )


def regression(
    study: Study,
    scores: Sequence[Scores],
    saved: SavedScores,
    *,
    bound: float | None = None,
    given: Collection[str] = (),
    unknown: str = "error",
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
) -> Regression:
    """Did these systems change since their scores were saved, and did any decline below a bound?

    Parameters
    ----------
    study
        Limited to what the scores were compared over.
    scores
        Those of now, with the settings they were scored with.
    bound
        Such as -0.01; None asks about no decline. Of a measure of which lower is better, such as MeanR, a
        rise by more than its size is a decline.
    given
        Systems that are compared with the only one of the file where it holds no more than one, whatever that
        is called: checkpoints under names of their own.
    unknown
        What became of ids in runs that are in no concept set.
    level
        Of the intervals, bootstraps of each difference by itself; the level of the rule is `LEVEL`.

    Raises
    ------
    InputError
        The file is of another study, of other settings, queries or candidates, misses a metric, or names none
        of the systems; with every reason. No query has a value under a metric.
    """
    if reasons := [*_unlike(study, scores, saved, unknown), *_other_queries(study, scores, saved)]:
        raise InputError(f"{saved.file} cannot be compared with.", Report.of(reasons))
    settings = scores[0].settings
    pairs = _pairs(scores, saved, given)
    changes = compare_all(pairs, settings=settings, level=level, n_resamples=n_resamples, seed=seed)
    if empty := list(dict.fromkeys(comparison.metric for comparison in changes if not comparison.n_pairs)):
        raise InputError(f"No query has a value under {', '.join(empty)}: nothing can be compared with.")
    result = [
        Change(
            comparison,
            average(then.metric, counted(then, settings)[1]),
            average(now.metric, counted(now, settings)[1]),
        )
        for comparison, (then, now) in zip(changes, pairs, strict=True)
    ]
    if bound is not None:
        if medians := [now.metric for _, now in pairs if by_median(now.metric)]:
            raise InputError(
                f"A decline is tested by mean differences, and {medians[0]} is a median. Use MeanR instead."
            )
        columns, groups = zip(*(paired_differences(*pair, settings) for pair in pairs), strict=True)
        leads = [sign_of(now.metric) * column for (_, now), column in zip(pairs, columns, strict=True)]
        test = below(leads, groups, bound=bound, n_resamples=n_resamples, seed=seed)
        result = [
            replace(change, p_below=float(p), declined=declined)
            for change, p, declined in zip(result, test.p_corrected, test.established, strict=True)
        ]
    now, then = {now.system for _, now in pairs}, {then.system for then, _ in pairs}
    systems = dict.fromkeys(score.system for score in scores)
    return Regression(
        saved.file,
        tuple(result),
        tuple(name for name in systems if name not in now),
        tuple(name for name in saved.systems if name not in then),
        bound,
    )


def _pairs(
    scores: Sequence[Scores], saved: SavedScores, given: Collection[str]
) -> list[tuple[Scores, Scores]]:
    """(then, now) of every score that has one then."""
    only = saved.systems[0] if len(saved.systems) == 1 else None
    pairs = []
    for now in scores:
        name = now.system if now.system in saved.systems else only if now.system in given else None
        if name is not None:
            values = saved.values[name, now.metric]
            pairs.append((replace(now, system=name, values=values, seeds=()), now))
    if not pairs:
        there, here = (
            ", ".join(saved.systems[:8]),
            ", ".join(dict.fromkeys(score.system for score in scores)),
        )
        raise InputError(
            f"{saved.file} contains {there}; scored now: {here}. Nothing has the same name: name a "
            "run as the "
            "file does, --run NAME=FILE."
        )
    return pairs


def _problem(saved: SavedScores, rule: str, message: str, remedy: str) -> Problem:
    return Problem("error", saved.file, None, "", rule, message, remedy)


def _unlike(study: Study, scores: Sequence[Scores], saved: SavedScores, unknown: str) -> Iterator[Problem]:
    """Why the file is of something else: the study, the settings, the pool, the metrics."""
    metrics = list(dict.fromkeys(score.metric for score in scores))
    missing = [
        name for name in metrics if any((system, name) not in saved.values for system in saved.systems)
    ]
    if missing:
        message = f"It has no values under {', '.join(missing)}; it has {', '.join(saved.metrics)}."
        yield _problem(saved, "other-metrics", message, "Name those with --metric, or save it again.")
    basis = basis_of(study, metrics)
    other = [name for name, digest in basis.items() if saved.basis.get(name, "") != digest]
    other = [name for name in other if not (missing and name not in saved.basis)]
    if other:
        message = f"It was scored on other data ({saved.study}; here {study.name}): {', '.join(other)}."
        remedy = "Score the same data, or save the file again with these."
        yield _problem(saved, "other-study", message, remedy)
    settings = deciding(study, scores, unknown)
    for name, value in settings.items():
        if saved.settings.get(name) != value:
            was = saved.settings.get(name, "missing")
            message = f"It was scored with {name} = {_said(was)}; now it is {_said(value)}."
            yield _problem(
                saved, "other-settings", message, "Score with the same settings, or save it again."
            )
    over = over_of(study)
    same = not other and saved.settings.get("where") == settings["where"]
    if same and saved.over.get("digest") != over["digest"]:
        message = (
            f"Its systems were compared over {_over(saved.over)}; now over {_over(over)}, as the systems of "
            "now search or answer others."
        )
        remedy = "Compare both over the same: name the same systems, or score both with --queries all."
        yield _problem(saved, "other-pool", message, remedy)


def _other_queries(study: Study, scores: Sequence[Scores], saved: SavedScores) -> Iterator[Problem]:
    """Queries that only one of both has, or that have a value in only one of both."""
    ids = tuple(study.image_ids[q] for q in scores[0].queries)
    here, there = set(ids), set(saved.queries)
    for names, where in (
        ([name for name in saved.queries if name not in here], "only the file has"),
        ([name for name in ids if name not in there], "the file lacks"),
    ):
        if names:
            message = f"There are {len(names):,} queries that {where}: {_few(names)}."
            yield _problem(saved, "other-queries", message, "Ask the same queries, or save it again.")
    if here == there and ids != saved.queries:
        yield _problem(saved, "other-queries", "Its queries are in another order.", "Save it again.")
    if ids != saved.queries:
        return
    for score in scores:
        for name in saved.systems:
            values = saved.values.get((name, score.metric))
            if (
                values is not None
                and (odd := np.flatnonzero(np.isnan(values) != np.isnan(score.values))).size
            ):
                message = (
                    f"{odd.size:,} queries have a value under {score.metric} in only one of {name} there and "
                    f"{score.system} here: {_few([ids[i] for i in odd])}."
                )
                yield _problem(saved, "other-queries", message, "Save it again.")
                return


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _said(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _over(over: Mapping[str, Any]) -> str:
    """What is compared over, in words; a file may say anything."""
    numbers = [over.get(name) for name in ("n_queries", "n_candidates")]
    queries, candidates = (f"{n:,.0f}" if isinstance(n, (int, float)) else "?" for n in numbers)
    return f"{queries} queries and {candidates} candidates"
