"""Everything a report says in numbers, computed as ``score`` computes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evalcore import evaluate
from evalcore.evaluate.ceilings import ceiling_of
from evalcore.evaluate.common_pool import compared_over
from evalcore.evaluate.slices.conditions import select
from evalcore.evaluate.wanted import metrics_of
from evalcore.grouping import with_same_group
from evalcore.progress import silent
from evalcore.report.verdicts import ranked_systems
from evalcore.study.coverage import coverage

if TYPE_CHECKING:
    from evalcore.evaluate.before_after import BeforeAfter
    from evalcore.evaluate.common_pool import Compared
    from evalcore.model import Comparison, Interval, Scores, Study
    from evalcore.progress import Progress
    from evalcore.study.coverage import StudyCoverage
    from evalcore.view import View


@dataclass(frozen=True, slots=True, eq=False)
class OfMetric:
    """One measure: scores and means of every system, comparisons with the baseline, best against second.

    ``comparisons``: p corrected over those of all measures together. ``gap`` is None with one system.
    ``ceilings``: how high a mean can be at most, where the lists are too short for more.
    """

    metric: str
    scores: tuple[Scores, ...]
    intervals: dict[str, Interval]
    comparisons: tuple[Comparison, ...]
    gap: Comparison | None
    ceilings: dict[str, float]
    owed: tuple[BeforeAfter, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a report is about.

    ``view``: as it was carried out: names and labels as the program writes them, nothing left to what is
    usual. ``study``: limited to the queries and candidates compared; ``whole`` as its files hold it.
    """

    view: View
    whole: Study
    study: Study
    over: Compared
    n_queries: int
    metrics: tuple[OfMetric, ...]
    comparisons: tuple[Comparison, ...]
    coverage: StudyCoverage


def find(study: Study, view: View, *, progress: Progress = silent) -> Found:
    """Score, summarise and compare what the view asks for.

    Parameters
    ----------
    study
        As its files hold it: filter, groups and common candidates are those of the view.
    view
        Without metrics: nnCUI@10, or CUI@10 where the study knows no neighbours. Without systems: all of the
        study, or the relevances as systems where there are none. Without a baseline: the first system.

    Raises
    ------
    UnknownName, SettingError, InputError
        A system, label or relevance that is not there; a condition no query meets.
    """
    settings = view.settings
    chosen = with_same_group(select(study, view.where) if view.where else study, view.same_group)
    view = _carried_out(chosen, view)
    over = compared_over(chosen, view.systems, which=view.queries or None, settings=settings)
    limited = over.limit(chosen)
    scores = evaluate.score(
        limited, metrics=view.metrics, systems=view.systems, settings=settings,
        progress=lambda done, doing: progress(0.6 * done, doing),
    )  # fmt: skip
    progress(0.6, "intervals")
    means = evaluate.summarise_all(scores, settings=settings, level=view.level, seed=view.seed)
    progress(0.8, "comparisons")
    several = len(view.systems) > 1
    comparisons = tuple(
        evaluate.leaderboard(
            scores, baseline=view.baseline, settings=settings, level=view.level, seed=view.seed,
            correction=view.correction,
        ) if several else ()
    )  # fmt: skip
    own = evaluate.owed(limited, scores, settings=settings)
    found = []
    for metric in view.metrics:
        of = tuple(one for one in scores if one.metric == metric)
        intervals = {
            one.system: mean for one, mean in zip(scores, means, strict=True) if one.metric == metric
        }
        tops = {one.system: top for one in of if (top := ceiling_of(one, settings)) is not None}
        found.append(
            OfMetric(
                metric, of, intervals, tuple(one for one in comparisons if one.metric == metric),
                _gap(of, intervals, view), tops, tuple(one for one in own if one.change.metric == metric),
            )
        )  # fmt: skip
    view = replace(view, queries=over.which)
    return Found(view, study, limited, over, len(chosen.queries), tuple(found), comparisons, coverage(study))


def _carried_out(study: Study, view: View) -> View:
    """The view with nothing left open but what is compared."""
    labels = view.metrics or ("nnCUI@10" if study.knows_neighbours else "CUI@10",)
    own = study.systems or (("@iou", "@nn-iou") if study.knows_neighbours else ("@iou",))
    systems = tuple(dict.fromkeys(study.called(name) for name in view.systems or own))
    baseline = study.called(view.baseline) if view.baseline else systems[0]
    return replace(
        view, metrics=tuple(map(str, metrics_of(study, labels, view.settings))), baseline=baseline,
        systems=(baseline, *(name for name in systems if name != baseline)), where=study.where,
    )  # fmt: skip


def _gap(scores: tuple[Scores, ...], intervals: dict[str, Interval], view: View) -> Comparison | None:
    """The best system against the second."""
    order = ranked_systems(intervals)
    if len(order) < 2:
        return None
    of = {one.system: one for one in scores}
    return evaluate.compare(
        of[order[1]], of[order[0]], settings=view.settings, level=view.level, seed=view.seed
    )
