"""Everything a report says in numbers, computed as ``score`` computes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from evalcore.evaluate.analysis import Analysis, analyse
from evalcore.evaluate.comparison import BeforeAfter
from evalcore.evaluate.conditions import select
from evalcore.evaluate.coverage import StudyCoverage, coverage
from evalcore.evaluate.slices import Sliced, offered
from evalcore.evaluate.summary import ceiling_of
from evalcore.evaluate.sweep import Stability, covered, is_swept, moves, with_setting_in_use
from evalcore.evaluate.systems import resolve_lists
from evalcore.ranking.metrics import parse_metric
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


def swept(analysis: Analysis, more: More, progress: Progress) -> tuple[Stability, ...]:
    """The ranking under each measure over the grid; measures that it cannot change are left out."""
    study, view = analysis.study, analysis.view
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

        grid: Any = {"alphas": alphas, "thresholds": thresholds, "progress": part}
        stabilities.append(analysis.stability(metric, **grid))
    return tuple(stabilities)


@brief
@dataclass(frozen=True, slots=True, eq=False)
class OfMetric:
    """One measure: scores and means of every system, comparisons with the baseline, best against second.

    ``comparisons``: with the baseline, or with the leader where none is fixed. ``gap``: the leader minus the
    runner-up, None with one system. Both corrected in their family (see `evaluate.analysis`). ``ceilings``:
    how high a mean can be at most, where the lists are too short for more.
    """

    metric: str
    scores: tuple[Scores, ...]
    intervals: dict[str, Interval]
    comparisons: tuple[Comparison, ...]
    gap: Comparison | None
    ceilings: dict[str, float]
    owed: tuple[BeforeAfter, ...]


@brief
@dataclass(frozen=True, eq=False)
class Content:
    """What a report is about.

    ``whole``: the study as its files hold it; that of the analysis is limited to what is compared.
    ``n_queries``: of the study that meet the conditions of the view.
    """

    whole: Study
    analysis: Analysis
    n_queries: int
    coverage: StudyCoverage
    metrics: tuple[OfMetric, ...]
    more: More = NOTHING_MORE
    slices: Sliced | None = None
    sweeps: tuple[Stability, ...] = ()

    @property
    def view(self) -> View:
        """As it was carried out: names and labels as the program writes them, nothing left to the usual."""
        return self.analysis.view

    @property
    def study(self) -> Study:
        """Limited to the queries and candidates compared."""
        return self.analysis.study

    @property
    def over(self) -> ComparedOver:
        return self.analysis.over

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Under every measure."""
        return self.analysis.comparisons


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
    neighbours = study.knows_neighbours
    systems = [*map(study.called, view.systems)] or [*study.systems] or ["@iou", "@nn-iou"][: 1 + neighbours]
    fixed = study.called(view.baseline) if view.baseline else study.baseline
    systems.sort(key=lambda name: name != fixed)  # the baseline first
    view = replace(
        view, metrics=view.metrics or ("nnCUI@10" if neighbours else "CUI@10",), systems=tuple(systems)
    )
    chosen = select(study, view.where)
    analysis = analyse(chosen, view, progress=lambda done, doing: progress(0.6 * done, doing))
    which = analysis.over.which
    decided = replace(analysis.view, queries="" if which == "given" else which)
    analysis = replace(analysis, view=decided)
    own = analysis.owed()
    metrics = tuple(_of_metric(analysis, metric, own) for metric in analysis.view.metrics)
    progress(0.8, "comparisons")
    ways = offered(analysis.study) if more.by is None else more.by
    return Content(
        study,
        analysis,
        len(chosen.queries),
        coverage(study),
        metrics,
        more,
        analysis.sliced(ways) if ways else None,
        swept(analysis, more, lambda done, doing: progress(0.8 + 0.2 * done, doing)),
    )


def _of_metric(analysis: Analysis, metric: str, own: tuple[BeforeAfter, ...]) -> OfMetric:
    scores = analysis.of(metric)
    settings = analysis.view.settings
    return OfMetric(
        metric,
        scores,
        analysis.means_of(metric),
        tuple(comparison for comparison in analysis.comparisons if comparison.metric == metric),
        analysis.gap(metric),
        {score.system: top for score in scores if (top := ceiling_of(score, settings)) is not None},
        tuple(row for row in own if row.change.metric == metric),
    )
