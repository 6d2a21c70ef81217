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
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.comparison import (
    FALSE_ALARMS,
    Gated,
    against_baseline,
    below,
    compare_all,
    every_pair,
    flipped,
    in_order,
    leader_of,
    of_pair,
    paired_values,
)
from evalcore.evaluate.conditions import select
from evalcore.evaluate.equals import Equals, groups_of_equals
from evalcore.evaluate.judges import by_judge, judged_scores
from evalcore.evaluate.measures import discriminative_power, of_measures, sample_queries, table_of
from evalcore.evaluate.overlap import overlaps
from evalcore.evaluate.per_query import per_query
from evalcore.evaluate.scoring import score
from evalcore.evaluate.slices import (
    Sliced,
    SliceDifference,
    SliceMean,
    Slicing,
    means_by_slice,
    remarks,
    slice_queries,
)
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.sweep import readings, score_grid, stability, sweep
from evalcore.evaluate.systems import name_of, resolve_systems
from evalcore.evaluate.targets import metrics_of
from evalcore.ranking.metrics import METRICS, centre_of, parse_metric, sign_of
from evalcore.stats.correction import CLEAR
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.model import ComparedOver, Comparison, Interval, Scores, Study
from evalcore.values.settings import Settings, View

if TYPE_CHECKING:
    from evalcore.evaluate.judges import JudgedScore
    from evalcore.evaluate.measures import MeasureScores, Power, TableOne
    from evalcore.evaluate.overlap import Overlaps
    from evalcore.evaluate.per_query import PerQuery
    from evalcore.evaluate.sweep import GridScores, Stability, Standing, SweepRow
    from evalcore.values.arrays import Ints
    from evalcore.values.progress import Progress

T = TypeVar("T")
Cached = Callable[[tuple[object, ...], Callable[[], Any]], Any]
"""Returns what the function gives, or gave when the same key was asked for before."""


def uncached(_key: tuple[object, ...], work: Callable[[], T]) -> T:
    """Nothing is kept but by the analysis itself."""
    return work()


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

    def of(self, metric: str = "") -> tuple[Scores, ...]:
        """The scores under one metric of the view (its first by default), in the order of its systems."""
        label = metric or self.view.metrics[0]
        return tuple(score for score in self.scores if score.metric == label)

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
            return summarise_all(self.scores, settings=view.settings, level=view.level, seed=view.seed)

        return self._kept("means", work)

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
        return self._kept(
            "with baseline",
            lambda: against_baseline(self.scores, baseline=baseline, **self._tests),
            baseline,
            *self._tested,
        )

    @cached_property
    def pairs(self) -> tuple[Comparison, ...]:
        """Each system minus each one below it, metric by metric, best first (see `every_pair`).

        Raises InputError for a single system.
        """
        return self._kept("pairs", lambda: every_pair(self.scores, **self._tests), *self._tested)

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
            for score in self.of(metric)
            if score.system != first
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
        result = of_pair((pair for pair in family if pair.metric == metric), a, b)
        if result is None:
            raise UnknownName("metric compared", metric, list(self.view.metrics))
        return result

    def leader(self, metric: str = "") -> str:
        """The system with the best mean; references (@...) only where there is no real system."""
        return leader_of(self.of(metric), metric or self.view.metrics[0], self.view.settings)

    def gap(self, metric: str = "") -> Comparison | None:
        """The leader minus the runner-up under one metric; None with one system."""
        names = self._in_order(metric)
        real = [name for name in names if not name.startswith("@")] or names
        return self.comparison(real[0], real[1], metric) if len(real) > 1 else None

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
        comparisons = [self.comparison(a, b, metric) for metric in view.metrics]
        scores = {(score.system, score.metric): score for score in self.scores}
        paired = [paired_values(scores[b, m], scores[a, m], view.settings) for m in view.metrics]
        leads = [
            sign_of(m) * difference.differences for m, difference in zip(view.metrics, paired, strict=True)
        ]
        groups = [difference.groups for difference in paired]
        p = below(leads, groups, bound=bound, n_resamples=view.flips, seed=view.seed)
        return tuple(
            Gated(comparison, float(value), bool(value < FALSE_ALARMS))
            for comparison, value in zip(comparisons, p, strict=True)
        )

    def averaged_over_ties(self, a: str, b: str, metric: str = "") -> Comparison | None:
        """System a minus system b as it is on average over all orders of results with equal scores.

        None where nothing is decided by that order: no query has results that share their score across the
        cutoff, or ``ties`` is "expected" already; and for metrics without a known expectation.
        """
        metric, settings = metric or self.view.metrics[0], self.view.settings
        tied = any(score.tied for score in self.of(metric) if score.system in (a, b))
        exact = METRICS[parse_metric(metric).family].exact_ties
        if self.again is None or not tied or settings.ties == "expected" or not exact:
            return None
        return self.again(replace(settings, ties="expected"), metric).comparison(a, b, metric)

    def equals(self, metric: str = "") -> Equals:
        """Groups of systems that are not told apart by `pairs`, the systems by their means, best first."""
        metric = metric or self.view.metrics[0]
        return groups_of_equals(
            self._in_order(metric), [pair for pair in self.pairs if pair.metric == metric]
        )

    # Slices of the queries.

    def slicing(self, by: str) -> Slicing:
        """The queries in slices by a label column (see `slice_queries`)."""
        return slice_queries(self.study, by)

    def slice_means(self, by: str, metric: str = "") -> tuple[tuple[Interval, ...], ...]:
        """For each system, mean and interval in every slice."""
        view = self.view

        def work() -> tuple[tuple[Interval, ...], ...]:
            how: Any = {"settings": view.settings, "level": view.level, "seed": view.seed}
            return means_by_slice(self.of(metric), self.slicing(by), **how)

        return self._kept("slice means", work, by, metric)

    def slice_comparisons(self, a: str, b: str, by: str, metric: str = "") -> tuple[Comparison, ...]:
        """System a minus system b in every slice, p corrected by the rule of this module times the slices."""
        baseline = self.view.baseline
        compared = self._in_slices(by, metric, baseline=baseline if baseline in (a, b) else "")
        if (a, b) in compared:
            return compared[a, b]
        return tuple(map(flipped, compared[b, a]))

    def sliced(self, ways: Sequence[str]) -> Sliced:
        """Means in every slice of each way and metric; with a baseline differences from it too.

        Raises UnknownName for a way that the study does not offer.
        """
        means: list[SliceMean] = []
        differences: list[SliceDifference] = []
        notes: dict[tuple[str, str], None] = {}
        for by in dict.fromkeys(ways):
            for metric in self.view.metrics:
                slicing = self.slicing(by)
                notes |= dict.fromkeys((by, remark) for remark in remarks(slicing))
                for whole, row in zip(self.of(metric), self.slice_means(by, metric), strict=True):
                    means += [
                        SliceMean(by, part.name, whole.among(part.queries), mean)
                        for part, mean in zip(slicing.slices, row, strict=True)
                    ]
                if not self.view.baseline:
                    continue
                for compared in self._in_slices(by, metric, baseline=self.view.baseline).values():
                    differences += [
                        SliceDifference(by, part.name, comparison)
                        for part, comparison in zip(slicing.slices, compared, strict=True)
                    ]
        return Sliced(means, differences, list(notes))

    def _in_slices(
        self, by: str, metric: str, *, baseline: str
    ) -> dict[tuple[str, str], tuple[Comparison, ...]]:
        """{(a, b): a minus b in every slice}, one family together: all minus a baseline, else every pair."""

        def work() -> dict[tuple[str, str], tuple[Comparison, ...]]:
            slices = self.slicing(by).slices
            parts = {
                scores.system: [scores.among(part.queries) for part in slices] for scores in self.of(metric)
            }
            pairs = [(name, baseline) for name in self.view.systems if name != baseline]
            if not baseline:
                pairs = list(combinations(self._in_order(metric), 2))
            both = [pair for a, b in pairs for pair in zip(parts[b], parts[a], strict=True)]
            compared, n = compare_all(both, **self._tests, family="slices"), len(slices)
            return {pair: compared[i * n : (i + 1) * n] for i, pair in enumerate(pairs)}

        return self._kept("slices", work, by, metric, baseline, *self._tested)

    def _in_order(self, metric: str) -> list[str]:
        """The systems by their means, best first."""
        scores = in_order(self.of(metric), metric or self.view.metrics[0], self.view.settings)
        return [score.system for score in scores]

    # By other measures of relevance.

    def by_measure(self) -> MeasureScores:
        """The systems under several measures, one metric of the view each (see `measures.metrics_by`)."""
        return of_measures(self.scores, self.view.settings)

    def discrimination(self, level: float = CLEAR) -> tuple[Power, ...]:
        """How many pairs of systems each measure separates (see `measures.discriminative_power`)."""
        view = self.view
        tests: Any = {"seed": view.seed, "correction": view.correction, "n_resamples": view.flips}
        return discriminative_power(self.by_measure(), level=level, **tests)

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
        systems, queries = self.view.systems, self.scores[0].queries
        program = score(study, others, systems=systems, settings=settings, queries=queries)
        return tuple(
            row
            for metric, other in zip(metrics, others, strict=True)
            for by_program in [[score for score in program if score.metric == str(other)]]
            for row in judged_scores(self.of(str(metric)), by_program, judge, level=self.view.level)
        )

    # Query by query, under other settings.

    def queries(self, metric: str = "", **good: Any) -> PerQuery:
        """Every query under every system: hard, good; ``good``: see `per_query`."""
        return per_query(self.of(metric), settings=self.view.settings, **good)

    def grid(self, points: Sequence[Settings], progress: Progress | None = None) -> GridScores:
        """The systems under every metric at each of these settings of nn-IoU, each scored once."""
        view = self.view
        how: Any = {"metrics": view.metrics, "systems": view.systems, "progress": progress}
        return score_grid(self.study, points, **how)

    def sweep(self, **grid: Any) -> tuple[SweepRow, ...]:
        """Means at every point of a grid of settings of nn-IoU; ``grid``: see `sweep.sweep`."""
        return sweep(self.study, self.view, **grid)

    def stability(self, metric: str = "", **grid: Any) -> Stability:
        """The ranking at every alpha and threshold, and where it changes; ``grid``: see `sweep.stability`."""
        return stability(self.study, self.view, metric or self.view.metrics[0], **grid)

    def readings(self, metric: str = "", **grid: Any) -> tuple[Standing, ...]:
        """The ranking under every count rule (see `sweep.readings`)."""
        return readings(self.study, self.view, metric or self.view.metrics[0], **grid)

    def overlaps(self, **lists: Any) -> Overlaps:
        """How alike the results of every two systems are; ``lists``: see `overlap.overlaps`."""
        view = self.view
        how: Any = {"settings": view.settings, "level": view.level, "seed": view.seed}
        return overlaps(self.study, view.systems, **how, **lists)

    # How answers are tested, and kept.

    @property
    def _tests(self) -> dict[str, Any]:
        view = self.view
        return {
            "settings": view.settings,
            "level": view.level,
            "seed": view.seed,
            "correction": view.correction,
            "n_resamples": view.flips,
        }

    @property
    def _tested(self) -> tuple[object, ...]:
        return self.view.correction, self.view.flips

    def _kept(self, answer: str, work: Callable[[], T], *more: object) -> T:
        view = self.view
        decides = (view.metrics, view.systems, repr(view.settings), view.level, view.seed, *more)
        result: T = self.cached((answer, self.study.digest, *decides), work)
        return result


def analyse(
    study: Study,
    view: View,
    *,
    queries: Ints | None = None,
    n: int | None = None,
    progress: Progress | None = None,
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
        So many of the queries compared, drawn with the seed of the view; None for all.

    Raises
    ------
    UnknownName, SettingError, InputError
        A system, label or relevance that is not there; a metric that cannot be parsed; a condition that no
        query meets. No metric, no system.
    """
    chosen = study if view.where == study.where else select(study, view.where)
    fixed = view.baseline or chosen.baseline
    baseline = name_of(chosen, fixed) if fixed else ""
    named = tuple(system.name for system in resolve_systems(chosen, view.systems or None))
    if baseline and baseline not in named:
        named, baseline = ((baseline, *named), baseline) if view.baseline else (named, "")
    view = replace(
        view,
        metrics=tuple(map(str, metrics_of(chosen, view.metrics, view.settings))),
        systems=named,
        baseline=baseline,
        where=chosen.where,
    )
    requested: Any = queries if queries is not None else view.queries or None
    compared = limited(
        chosen,
        view.systems,
        queries=requested,
        same_group=view.same_group if study.groups is not None else None,
        settings=view.settings,
    )
    if n is not None:
        queries = sample_queries(compared, n=n, seed=view.seed)
    how: Any = {"settings": view.settings, "queries": queries, "progress": progress}
    work = partial(score, compared, view.metrics, systems=view.systems, **how)

    def again(settings: Settings, metric: str) -> Analysis:
        return analyse(compared, replace(view, metrics=(metric,), settings=settings), queries=queries)

    return Analysis(compared, view, work, again=again)
