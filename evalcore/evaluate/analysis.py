"""One analysis: the systems of a study under a view, and every answer that is given about them.

Commands, pages, reports and notebooks ask it, so all four say the same. Which comparisons a p is corrected
over is one rule, in one place (`Analysis.comparison`, `Analysis.slice_comparisons`):

| the two systems | p is corrected over |
|---|---|
| one is the baseline, fixed beforehand | the comparisons of all systems in view with the baseline |
| any other two | all pairs of the systems in view, because such a pair is mostly chosen for its scores |

each metric by itself, so that looking at another metric changes no verdict; in slices of the queries the same
comparisons times the slices. Who planned to compare just two systems names just these in the view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.comparison import (
    Equals,
    Gated,
    against_baseline,
    below,
    compare_all,
    flipped,
    groups_of_equals,
)
from evalcore.evaluate.conditions import select
from evalcore.evaluate.judges import by_judge, judged_scores
from evalcore.evaluate.measures import discriminative_power, of_measures, some_of, table_of
from evalcore.evaluate.overlap import overlaps
from evalcore.evaluate.per_query import per_query
from evalcore.evaluate.scoring import score_under
from evalcore.evaluate.slices import Slicing, slice_queries
from evalcore.evaluate.summary import leading, ranked, summarise_all
from evalcore.evaluate.sweep import score_grid
from evalcore.evaluate.systems import resolve_systems
from evalcore.evaluate.targets import metrics_of
from evalcore.ranking.families import METRICS
from evalcore.ranking.metrics import centre_of, parse_metric
from evalcore.stats.correction import CLEAR
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.model import ComparedOver, Comparison, Interval, Scores, Study
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import Settings, View

if TYPE_CHECKING:
    from evalcore.evaluate.judges import JudgedScore
    from evalcore.evaluate.measures import MeasureScores, Power, TableOne
    from evalcore.evaluate.overlap import Overlaps
    from evalcore.evaluate.per_query import PerQuery
    from evalcore.evaluate.sweep import Grid
    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Ints

T = TypeVar("T")
Cached = Callable[[tuple[object, ...], Callable[[], Any]], Any]
"""Returns what the function gives, or gave when the same key was asked for before."""


ALL_QUERIES = "All queries"


def uncached(_key: tuple[object, ...], work: Callable[[], T]) -> T:
    """Nothing is kept but by the analysis itself."""
    return work()


class Row(NamedTuple):
    """One system under one metric, over all queries or in one slice of them.

    ``against``: minus the baseline, over all queries minus the leader where none is fixed; None for that
    system itself. ``by``, ``name``: the label column and the slice; ``where``: its condition, which no
    other slice of the column has; "" over all queries.
    """

    scores: Scores
    mean: Interval
    against: Comparison | None = None
    by: str = ""
    name: str = ALL_QUERIES
    where: str = ""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a study says of some systems under some metrics; every answer is computed when it is asked for.

    study: limited to the queries and candidates compared (see `common_pool.limited`). view: carried out, so
    it names metrics, systems and the baseline ("" for none) as the program writes them (see `analyse`).
    score: gives the scores, system by system and metric by metric as in the view. cached: where answers are
    kept beyond this analysis, as pages do; keys begin with the name of the answer and the study's digest.
    again: gives the analysis of one metric under other settings, None where it cannot be had.
    """

    study: Study
    view: View
    score: Callable[[], Sequence[Scores]]
    cached: Cached = uncached
    again: Callable[[Settings, str], Analysis] | None = None

    @cached_property
    def scores(self) -> Sequence[Scores]:
        """Values of every query, system by system, metric by metric."""
        return self.score()

    def scores_of(self, metric: str = "") -> tuple[Scores, ...]:
        """The scores under one metric of the view (its first by default), in the order of its systems."""
        label = metric or self.view.metrics[0]
        return tuple(score for score in self.scores if score.metric == label)

    def under(self, metrics: Sequence[str | Metric]) -> tuple[Scores, ...]:
        """The scores of the same systems under other metrics, over the same queries, as `scores`."""
        study, settings = self.study, self.view.settings
        systems, wanted = resolve_systems(study, self.view.systems), metrics_of(study, metrics, settings)
        return tuple(score_under(study, systems, wanted, self.scores[0].queries, [settings]).values())

    @property
    def over(self) -> ComparedOver:
        """The queries and candidates compared."""
        assert self.study.over is not None, "limiting a study decides"
        return self.study.over

    # Means.

    @cached_property
    def means(self) -> tuple[Interval, ...]:
        """Mean and interval of each of the scores, aligned with them."""
        view = self.view

        def work() -> tuple[Interval, ...]:
            return summarise_all(self.scores, level=view.level, seed=view.seed)

        return self.kept("means", work, view.metrics)

    def means_of(self, metric: str = "") -> dict[str, Interval]:
        """The same under one metric, by system."""
        metric = metric or self.view.metrics[0]
        pairs = zip(self.scores, self.means, strict=True)
        return {score.system: mean for score, mean in pairs if score.metric == metric}

    # Comparisons.

    @cached_property
    def with_baseline(self) -> tuple[Comparison, ...]:
        """Every other system minus the baseline of the view, metric by metric.

        Raises UnknownName where the view fixes none.
        """
        baseline = self.view.baseline
        return self.kept(
            "with baseline",
            lambda: against_baseline(self.scores, baseline=baseline, **self._tests),
            self.view.metrics,
            baseline,
            *self._tested,
        )

    @cached_property
    def pairs(self) -> tuple[Comparison, ...]:
        """Each system minus each one below it, metric by metric; k (k - 1) / 2 comparisons of k systems.

        By metric the systems are in the order of their means, best first, so that the first of a pair is no
        worse wherever two systems have values for the same queries. p is corrected over all pairs of one
        metric (the family "pairs"). Raises InputError for a single system.
        """
        if len(self.view.systems) < 2:
            raise InputError("Every pair of systems takes at least two systems.")

        def work() -> tuple[Comparison, ...]:
            scores = {(score.system, score.metric): score for score in self.scores}
            pairs = [
                (scores[worse, metric], scores[better, metric])
                for metric in self.view.metrics
                for better, worse in combinations(ranked(self.means_of(metric)), 2)
            ]
            return compare_all(pairs, **self._tests, family="pairs")

        return self.kept("pairs", work, self.view.metrics, *self._tested)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every other system minus the baseline, or minus the leader of each metric where none is fixed.

        () for a single system.
        """
        if len(self.view.systems) < 2:
            return ()
        if self.view.baseline:
            return self.with_baseline
        return tuple(
            self.comparison(score.system, first, metric)
            for metric in self.view.metrics
            for first in [self.leader(metric)]
            for score in self.scores_of(metric)
            if score.system != first
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """Each of the scores with its mean and comparison."""
        against = {(row.system, row.metric): row for row in self.comparisons}
        return tuple(
            Row(score, mean, against.get((score.system, score.metric)))
            for score, mean in zip(self.scores, self.means, strict=True)
        )

    def comparison(self, a: str, b: str, metric: str = "") -> Comparison:
        """System a minus system b under one metric of the view, its p corrected by the rule of this module.

        Raises UnknownName for a system or metric that is not in view.
        """
        for name in (a, b):
            if name not in self.view.systems:
                raise UnknownName("system compared", name, list(self.view.systems))
        metric = metric or self.view.metrics[0]
        family = self.with_baseline if self.view.baseline in (a, b) else self.pairs
        for pair in family:
            if pair.metric == metric and {pair.system, pair.baseline} == {a, b}:
                return pair if pair.system == a else flipped(pair)
        raise UnknownName("metric compared", metric, list(self.view.metrics))

    def leader(self, metric: str = "") -> str:
        """The system with the best mean; references (@...) only where there is no real system."""
        return leading(self.means_of(metric))[0]

    def gap(self, metric: str = "") -> Comparison | None:
        """The leader minus the runner-up under one metric; None with one system."""
        names = leading(self.means_of(metric))
        return self.comparison(names[0], names[1], metric) if len(names) > 1 else None

    def gate(self, a: str, b: str, *, bound: float) -> tuple[Gated, ...]:
        """Is system a worse than system b by more than the bound, under each metric of the view?

        bound: the lowest mean of a minus b that is no decline, 0 or less; where lower is better, b minus a.
        The test and its correction: see `comparison.below`.

        Raises
        ------
        UnknownName
            A system that is not in view.
        InputError
            A metric by the median, whose decline no mean difference shows.
        """
        view = self.view
        if medians := [metric for metric in view.metrics if centre_of(metric) == "median"]:
            raise InputError(
                f"A decline is tested by mean differences, and {medians[0]} is a median. Use MeanR instead."
            )
        scores = {(score.system, score.metric): score for score in self.scores}
        comparisons = [self.comparison(a, b, metric) for metric in view.metrics]
        pairs = [(scores[b, metric], scores[a, metric]) for metric in view.metrics]
        p = below(pairs, bound=bound, flips=view.flips, seed=view.seed).tolist()
        return tuple(map(Gated, comparisons, p))

    def averaged_over_ties(self, a: str, b: str, metric: str = "") -> Comparison | None:
        """System a minus system b as it is on average over all orders of results with equal scores.

        None where nothing is decided by that order: no query has results that share their score across the
        cutoff, or ``ties`` is "expected" already; and for metrics without a known expectation.
        """
        metric, settings = metric or self.view.metrics[0], self.view.settings
        tied = any(score.tied for score in self.scores_of(metric) if score.system in (a, b))
        exact = METRICS[parse_metric(metric).family].exact_ties
        if self.again is None or not tied or settings.ties == "expected" or not exact:
            return None
        return self.again(replace(settings, ties="expected"), metric).comparison(a, b, metric)

    def equals(self, metric: str = "") -> Equals:
        """Groups of systems that are not told apart by `pairs`, the systems by their means, best first."""
        metric = metric or self.view.metrics[0]
        pairs = [pair for pair in self.pairs if pair.metric == metric]
        return groups_of_equals(ranked(self.means_of(metric)), pairs)

    # Slices of the queries.

    def slicing(self, by: str) -> Slicing:
        """The queries in slices by a label column (see `slice_queries`)."""
        return slice_queries(self.study, by)

    def slice_means(self, by: str, metric: str = "") -> tuple[tuple[Interval, ...], ...]:
        """For each system, mean and interval in every slice; NaN where no query has a value."""

        def work() -> tuple[tuple[Interval, ...], ...]:
            slices = self.slicing(by).slices
            parts = [score.among(part.queries) for score in self.scores_of(metric) for part in slices]
            means, n = summarise_all(parts, level=self.view.level, seed=self.view.seed), len(slices)
            return tuple(means[i * n : (i + 1) * n] for i in range(len(self.view.systems)))

        return self.kept("slice means", work, by, metric or self.view.metrics[0])

    def slice_comparisons(self, a: str, b: str, by: str, metric: str = "") -> tuple[Comparison, ...]:
        """System a minus system b in every slice, p corrected by the rule of this module times the slices."""
        baseline = self.view.baseline
        compared = self._in_slices(by, metric, baseline=baseline if baseline in (a, b) else "")
        if (a, b) in compared:
            return compared[a, b]
        return tuple(map(flipped, compared[b, a]))

    def sliced(self, ways: Sequence[str]) -> tuple[Row, ...]:
        """Every system in every slice of each way and metric, with a baseline compared with it.

        Raises UnknownName for a way that the study does not offer.
        """
        rows: list[Row] = []
        baseline = self.view.baseline
        for by in dict.fromkeys(ways):
            for metric in self.view.metrics:
                slices = self.slicing(by).slices
                compared = self._in_slices(by, metric, baseline=baseline) if baseline else {}
                for whole, means in zip(self.scores_of(metric), self.slice_means(by, metric), strict=True):
                    against = compared.get((whole.system, baseline), [None] * len(slices))
                    rows += [
                        Row(whole.among(part.queries), mean, comparison, by, part.name, part.where)
                        for part, mean, comparison in zip(slices, means, against, strict=True)
                    ]
        return tuple(rows)

    def _in_slices(
        self, by: str, metric: str, *, baseline: str
    ) -> dict[tuple[str, str], tuple[Comparison, ...]]:
        """{(a, b): a minus b in every slice}, one family together: all minus a baseline, else every pair."""

        def work() -> dict[tuple[str, str], tuple[Comparison, ...]]:
            slices = self.slicing(by).slices
            parts = {
                scores.system: [scores.among(part.queries) for part in slices]
                for scores in self.scores_of(metric)
            }
            pairs = [(name, baseline) for name in self.view.systems if name != baseline]
            if not baseline:
                pairs = list(combinations(ranked(self.means_of(metric)), 2))
            both = [pair for a, b in pairs for pair in zip(parts[b], parts[a], strict=True)]
            compared, n = compare_all(both, **self._tests, family="slices"), len(slices)
            return {pair: compared[i * n : (i + 1) * n] for i, pair in enumerate(pairs)}

        return self.kept("slices", work, by, metric or self.view.metrics[0], baseline, *self._tested)

    # By other measures of relevance.

    def by_measure(self) -> MeasureScores:
        """The systems under several measures, one metric of the view each (see `measures.metrics_by`)."""
        return of_measures(self.scores)

    def discrimination(self, level: float = CLEAR) -> tuple[Power, ...]:
        """How many pairs of systems each measure separates (see `measures.discriminative_power`)."""
        return discriminative_power(self.scores, significance=level, **self._tests)

    def table_one(self) -> TableOne:
        """How well measures search, which are the systems in view (see `measures.table_of`)."""
        return table_of(self.scores, self.means, n_all=len(self.study.queries), **self._tests)

    def judged(self, judge: str) -> tuple[JudgedScore, ...]:
        """The systems by people's judgments and a judge of the other queries (see `judges.judged_scores`).

        Under each metric of the view. Raises as `judges.by_judge`.
        """
        study, settings = self.study, self.view.settings
        metrics = metrics_of(study, self.view.metrics, settings)
        others = [by_judge(study, metric, judge) for metric in metrics]
        program = self.under(others)
        return tuple(
            row
            for metric, other in zip(metrics, others, strict=True)
            for by_program in [[score for score in program if score.metric == str(other)]]
            for row in judged_scores(self.scores_of(str(metric)), by_program, judge, level=self.view.level)
        )

    # Query by query, under other settings.

    def queries(self, metric: str = "", **good: Any) -> PerQuery:
        """Every query under every system: hard, good; ``good``: see `per_query`."""
        return per_query(self.scores_of(metric), **good)

    def grid(self, points: Sequence[Settings], **how: Any) -> Grid:
        """The systems under every metric at each of these settings of nn-IoU; ``how``: see `score_grid`."""
        return score_grid(self.study, self.view, points, **how)

    def overlaps(self, **lists: Any) -> Overlaps:
        """How alike the results of every two systems are; ``lists``: see `overlap.overlaps`."""
        return overlaps(self.study, self.view, **lists)

    # How answers are tested, and kept.

    @property
    def _tests(self) -> dict[str, Any]:
        view = self.view
        return {"level": view.level, "seed": view.seed, "correction": view.correction, "flips": view.flips}

    @property
    def _tested(self) -> tuple[object, ...]:
        return self.view.correction, self.view.flips

    def kept(self, answer: str, work: Callable[[], T], *more: object) -> T:
        """What the work gives, kept by the systems, the settings and what else decides it."""
        view = self.view
        decides = (view.systems, repr(view.settings), view.level, view.seed, *more)
        result: T = self.cached((answer, self.study.digest, *decides), work)
        return result


def analyse(
    study: Study,
    view: View,
    *,
    queries: Ints | None = None,
    n: int | None = None,
    progress: Progress = silent,
) -> Analysis:
    """The analysis of a study under a view.

    Parameters
    ----------
    study
        As its files hold it, or with queries chosen or limited already.
    view
        Its conditions, systems, groups and what is compared over limit the study. Without systems: all of the
        study. Without a baseline: that of the study, if it is in view; one that is named is in view.
    queries
        Image indices to ask about, in place of what the view says.
    n
        So many of the queries compared, at least 1, drawn with the seed of the view; None for all.

    Raises
    ------
    UnknownName, SettingError, InputError
        A system, label or relevance that is not there; a metric that cannot be parsed; a condition that no
        query meets. No metric, no system.
    """
    chosen = study if view.where == study.where else select(study, view.where)
    fixed = view.baseline or chosen.baseline
    baseline = resolve_systems(chosen, [fixed])[0].name if fixed else ""
    named = tuple(system.name for system in resolve_systems(chosen, view.systems or None))
    if baseline and baseline not in named:
        named, baseline = ((baseline, *named), baseline) if view.baseline else (named, "")
    metrics = metrics_of(chosen, view.metrics, view.settings)
    view = replace(
        view, metrics=tuple(map(str, metrics)), systems=named, baseline=baseline, where=chosen.where
    )
    if queries is not None:
        queries = np.unique(queries).astype(np.int32)
    requested: Any = queries if queries is not None else view.queries or None
    compared = limited(
        chosen,
        view.systems,
        queries=requested,
        same_group=view.same_group if study.groups is not None else None,
        settings=view.settings,
    )
    if n is not None:
        queries = some_of(compared.queries, n, np.random.default_rng(view.seed))
    indices = compared.queries if queries is None else queries
    # A run of the study as it is limited can be another one.
    systems = resolve_systems(compared, view.systems)

    def again(settings: Settings, metric: str) -> Analysis:
        return analyse(compared, replace(view, metrics=(metric,), settings=settings), queries=queries)

    return Analysis(
        compared,
        view,
        lambda: tuple(score_under(compared, systems, metrics, indices, [view.settings], progress).values()),
        again=again,
    )
