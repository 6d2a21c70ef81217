"""Everything a report says in numbers, computed as ``score`` computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalcore import evaluate
from evalcore.evaluate.before_after import BeforeAfter
from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.comparison import leaderboard, of_pair
from evalcore.evaluate.coverage import StudyCoverage, coverage
from evalcore.evaluate.pairs.every_pair import every_pair, with_baseline_or_leader
from evalcore.evaluate.slices.conditions import select
from evalcore.evaluate.slices.differences import Sliced, every_slice
from evalcore.evaluate.slices.slicing import offered
from evalcore.evaluate.summary import ceiling_of
from evalcore.evaluate.sweep.grid import covered, with_setting_in_use
from evalcore.evaluate.sweep.stability import Stability, stability
from evalcore.evaluate.sweep.variants import is_swept, moves
from evalcore.evaluate.systems import resolve_lists
from evalcore.evaluate.targets import metrics_of
from evalcore.ranking.metrics import parse_metric
from evalcore.report.verdicts import ranked_systems
from evalcore.values.brief import brief
from evalcore.values.model import ComparedOver, Comparison, Interval, Scores, Study
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import View

# What a report says besides, where asked for: slice by slice, and at other weights of related concepts.

ALPHAS = tuple(step / 10 for step in range(11))
THRESHOLDS = (0, 1, 2)
"""The grid of `stability`, to which the setting in use is added."""


@dataclass(frozen=True, slots=True)
class More:
    """What is asked for beside the view. by: ways to slice the queries, None for all on offer. sweep: other
    settings of nn-IoU."""

    by: tuple[str, ...] | None = ()
    sweep: bool = False

    def options(self) -> list[str]:
        """The same as options of ``report``.

        >>> More(("organ",), sweep=True).options()
        ['--by', 'organ', '--sweep']
        """
        ways = [word for by in self.by or () for word in ("--by", by)]
        return [*ways, *(["--sweep"] if self.sweep else [])]


NOTHING_MORE = More()


def sliced(study: Study, scores: Sequence[Scores], view: View, more: More) -> Sliced | None:
    """All systems and measures of the view slice by slice; None where no way of slicing is asked for."""
    ways = offered(study) if more.by is None else more.by
    if not ways:
        return None
    return every_slice(
        study,
        scores,
        ways,
        baseline=view.baseline,
        settings=view.settings,
        level=view.level,
        seed=view.seed,
        correction=view.correction,
        n_resamples=view.flips,
    )


def swept(study: Study, view: View, more: More, progress: Progress) -> tuple[Stability, ...]:
    """The ranking under each measure over the grid; measures that it cannot change are left out."""
    if not more.sweep or not study.knows_neighbours:
        return ()
    moving = any(moves(system) for system in resolve_lists(study, view.systems))
    metrics = [metric for metric in view.metrics if moving or is_swept(parse_metric(metric).relevance)]
    alphas, thresholds = with_setting_in_use(ALPHAS, covered(study, THRESHOLDS)[0], view.settings)
    stabilities: list[Stability] = []
    for metric in metrics:
        done = len(stabilities)

        def part(share: float, doing: str, done: int = done) -> None:
            progress((done + share) / len(metrics), doing)

        stabilities.append(
            stability(
                study,
                metric=metric,
                alphas=alphas,
                thresholds=thresholds,
                systems=view.systems,
                settings=view.settings,
                progress=part,
            )
        )
    return tuple(stabilities)


@brief
@dataclass(frozen=True, slots=True, eq=False)
class OfMetric:
    """One measure: scores and means of every system, comparisons with the baseline, best against second.

    ``comparisons``: with the baseline, or with the leader where none is fixed. ``gap``: the leader minus the
    runner-up, None with one system. Both corrected in their family (see `evaluate.pairs.every_pair`).
    ``ceilings``: how high a mean can be at most, where the lists are too short for more.
    """

    metric: str
    scores: tuple[Scores, ...]
    intervals: dict[str, Interval]
    comparisons: tuple[Comparison, ...]
    gap: Comparison | None
    ceilings: dict[str, float]
    owed: tuple[BeforeAfter, ...]


@brief
@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """What a report is about.

    ``view``: as it was carried out: names and labels as the program writes them, nothing left to what is
    usual. ``study``: limited to the queries and candidates compared; ``whole`` as its files hold it.
    """

    view: View
    whole: Study
    study: Study
    over: ComparedOver
    n_queries: int
    metrics: tuple[OfMetric, ...]
    comparisons: tuple[Comparison, ...]
    coverage: StudyCoverage
    more: More = NOTHING_MORE
    slices: Sliced | None = None
    sweeps: tuple[Stability, ...] = ()


def find(study: Study, view: View, *, more: More = NOTHING_MORE, progress: Progress = silent) -> Content:
    """Score, summarise and compare what the view asks for.

    ``study``: as its files hold it: filter, groups and common candidates are those of the view. ``more``:
    what is said besides, slice by slice and under other settings. ``view``: without metrics: nnCUI@10, or
    CUI@10 where the study knows no neighbours. Without systems: all of the study, or the relevances as
    systems where there are none. Without a baseline: that of the study.

    Raises
    ------
    UnknownName, SettingError, InputError
        A system, label, way of slicing or relevance that is not there; a condition no query meets.
    """
    settings = view.settings
    chosen = select(study, view.where) if view.where else study
    view = _carried_out(chosen, view)
    compared = limited(
        chosen, view.systems, queries=view.queries or None, same_group=view.same_group, settings=settings
    )
    scores = evaluate.score(
        compared,
        metrics=view.metrics,
        systems=view.systems,
        settings=settings,
        progress=lambda done, doing: progress(0.6 * done, doing),
    )
    progress(0.6, "intervals")
    means = evaluate.summarise_all(scores, settings=settings, level=view.level, seed=view.seed)
    progress(0.8, "comparisons")
    comparisons = with_baseline_or_leader(
        scores,
        baseline=view.baseline,
        settings=settings,
        level=view.level,
        seed=view.seed,
        correction=view.correction,
        n_resamples=view.flips,
    )
    own = evaluate.owed(compared, scores, settings=settings, n_resamples=view.flips)
    result = []
    for metric in view.metrics:
        of = tuple(score for score in scores if score.metric == metric)
        intervals = {
            score.system: mean for score, mean in zip(scores, means, strict=True) if score.metric == metric
        }
        tops = {score.system: top for score in of if (top := ceiling_of(score, settings)) is not None}
        result.append(
            OfMetric(
                metric,
                of,
                intervals,
                tuple(comparison for comparison in comparisons if comparison.metric == metric),
                _gap(of, intervals, view),
                tops,
                tuple(row for row in own if row.change.metric == metric),
            )
        )
    over = scores.over
    parts = sliced(compared, scores, view, more)
    sweeps = swept(compared, view, more, lambda done, doing: progress(0.8 + 0.2 * done, doing))
    view = replace(view, queries="" if over.which == "given" else over.which)
    return Content(
        view,
        study,
        compared,
        over,
        len(chosen.queries),
        tuple(result),
        comparisons,
        coverage(study),
        more,
        parts,
        sweeps,
    )


def _carried_out(study: Study, view: View) -> View:
    """The view with nothing left open but what is compared."""
    labels = view.metrics or ("nnCUI@10" if study.knows_neighbours else "CUI@10",)
    own = study.systems or (("@iou", "@nn-iou") if study.knows_neighbours else ("@iou",))
    systems = tuple(dict.fromkeys(study.called(name) for name in view.systems or own))
    fixed = study.called(view.baseline) if view.baseline else study.baseline
    baseline = fixed if fixed in systems or view.baseline else ""
    return replace(
        view,
        metrics=tuple(map(str, metrics_of(study, labels, view.settings))),
        baseline=baseline,
        systems=tuple(dict.fromkeys(filter(None, (baseline, *systems)))),
        where=study.where,
    )


def _gap(scores: tuple[Scores, ...], intervals: dict[str, Interval], view: View) -> Comparison | None:
    """The best system minus the second."""
    order = ranked_systems(intervals)
    if len(order) < 2:
        return None
    how: Any = {
        "settings": view.settings,
        "level": view.level,
        "seed": view.seed,
        "correction": view.correction,
        "n_resamples": view.flips,
    }
    both = order[:2]
    fixed = view.baseline in both
    family = leaderboard(scores, baseline=view.baseline, **how) if fixed else every_pair(scores, **how)
    return of_pair(family, *both)
