"""Does a change of the study change how its systems score? The same queries before and after, paired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.scoring import as_scored, score
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.targets import metric_of
from evalcore.values.grouping import left_out, with_same_group
from evalcore.values.settings import FLIPS, KEEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Comparison, Interval, Scores, Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Correction, Settings


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """One system's mean before and after, and the difference (after minus before) over common queries."""

    system: str
    before: Interval
    after: Interval
    change: Comparison


def before_after(
    before: Study,
    after: Study,
    *,
    systems: Sequence[str],
    metric: str,
    settings: Settings,
    correction: Correction = "holm",
    n_resamples: int = FLIPS,
    progress: Progress | None = None,
) -> tuple[BeforeAfter, ...]:
    """How does each system score in two versions of a study? One row per system, in the order given.

    Each is compared with itself: over all queries and candidates, unless the studies carry a decision what
    systems are compared over (see `common_pool.limited`).

    p-values are corrected over the systems (see `compare_all`). Raises what `score` raises:
    unknown systems or metrics.
    """
    wanted = metric_of(before, metric, settings)
    result = [
        score(
            study,
            [wanted],
            systems=systems,
            settings=settings,
            queries=None if study.over else "all",
            progress=progress,
        )
        for study in (before, after)
    ]
    return _changed(list(zip(*result, strict=True)), settings, correction, n_resamples)


def owed(
    study: Study, scores: Sequence[Scores], *, settings: Settings, n_resamples: int = FLIPS
) -> tuple[BeforeAfter, ...]:
    """What does each system owe to results of the query's own group? Its ``scores``, and with these counted.

    By metric, the systems in the order of the scores; p-values are corrected within a metric. Empty where the
    study leaves none out (see `grouping`).
    """
    if left_out(study) is None or not scores:
        return ()
    systems, metrics = (
        [*dict.fromkeys(names)] for names in zip(*((s.system, s.metric) for s in scores), strict=True)
    )
    study = as_scored(study, scores, settings)
    counted = score(with_same_group(study, KEEP), metrics=metrics, systems=systems, settings=settings)
    after = {(score.system, score.metric): score for score in counted}
    return tuple(
        row
        for metric in metrics
        for row in _changed(
            [(score, after[score.system, metric]) for score in scores if score.metric == metric],
            settings,
            "holm",
            n_resamples,
        )
    )


def _changed(
    pairs: Sequence[tuple[Scores, Scores]], settings: Settings, correction: Correction, n_resamples: int
) -> tuple[BeforeAfter, ...]:
    """A row for each pair of scores of one system."""
    means = summarise_all([score for side in zip(*pairs, strict=True) for score in side], settings=settings)
    changes = compare_all(pairs, settings=settings, correction=correction, n_resamples=n_resamples)
    n = len(pairs)
    return tuple(
        BeforeAfter(before.system, means[i], means[n + i], changes[i]) for i, (before, _) in enumerate(pairs)
    )
