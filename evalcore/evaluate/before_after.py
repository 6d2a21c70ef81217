"""Do results of the query's own group change how systems score? The same queries with and without, paired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.scoring import as_scored, score
from evalcore.evaluate.summary import summarise_all
from evalcore.values.grouping import left_out, with_same_group
from evalcore.values.settings import FLIPS, KEEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Comparison, Interval, Scores, Study
    from evalcore.values.settings import Settings


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """One system's mean before and after, and the difference (after minus before) over common queries."""

    system: str
    before: Interval
    after: Interval
    change: Comparison


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
            n_resamples,
        )
    )


def _changed(
    pairs: Sequence[tuple[Scores, Scores]], settings: Settings, n_resamples: int
) -> tuple[BeforeAfter, ...]:
    """A row for each pair of scores of one system."""
    means = summarise_all([score for side in zip(*pairs, strict=True) for score in side], settings=settings)
    changes = compare_all(pairs, settings=settings, correction="holm", n_resamples=n_resamples)
    n = len(pairs)
    return tuple(
        BeforeAfter(before.system, means[i], means[n + i], changes[i]) for i, (before, _) in enumerate(pairs)
    )
