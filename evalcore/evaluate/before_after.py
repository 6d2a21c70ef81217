"""Does a change of the study change how its systems score? The same queries before and after, paired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.wanted import metric_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.model import Comparison, Interval, Study
    from evalcore.progress import Progress
    from evalcore.settings import Correction, Settings


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
    progress: Progress | None = None,
) -> tuple[BeforeAfter, ...]:
    """How does each system score in two versions of a study? One row per system, in the order given.

    p-values are corrected over the systems (see `compare_all`). Raises what `score` raises:
    unknown systems or metrics.
    """
    found = [
        score(
            one,
            metrics=[metric_of(before, metric, settings)],
            systems=list(systems),
            settings=settings,
            progress=progress,
        )
        for one in (before, after)
    ]
    means = summarise_all([*found[0], *found[1]], settings=settings)
    changes = compare_all(list(zip(*found, strict=True)), settings=settings, correction=correction)
    n = len(systems)
    return tuple(BeforeAfter(system, means[i], means[n + i], changes[i]) for i, system in enumerate(systems))
