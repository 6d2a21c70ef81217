"""What a report says besides, where asked for: slice by slice, and at other weights of related concepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluate.slices.every_slice import every_slice
from evalcore.evaluate.slices.slicing import offered
from evalcore.evaluate.sweep.grid import with_setting_in_use
from evalcore.evaluate.sweep.stability import stability
from evalcore.evaluate.sweep.variants import is_swept, moves
from evalcore.evaluate.systems import resolve_lists
from evalcore.ranking.metrics import parse_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.slices.every_slice import Sliced
    from evalcore.evaluate.sweep.stability import Stability
    from evalcore.evaluate.view import View
    from evalcore.values.model import Scores, Study
    from evalcore.values.progress import Progress

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
EVERYTHING = More(None, sweep=True)


def sliced(study: Study, scores: Sequence[Scores], view: View, more: More) -> Sliced | None:
    """All systems and measures of the view slice by slice; None where no way of slicing is asked for."""
    ways = offered(study) if more.by is None else more.by
    if not ways:
        return None
    return every_slice(
        study, scores, ways, baseline=view.baseline, settings=view.settings, level=view.level,
        seed=view.seed, correction=view.correction, n_resamples=view.flips,
    )  # fmt: skip


def swept(study: Study, view: View, more: More, progress: Progress) -> tuple[Stability, ...]:
    """The ranking under each measure over the grid; measures that it cannot change are left out."""
    if not more.sweep or not study.knows_neighbours:
        return ()
    moving = any(moves(one) for one in resolve_lists(study, view.systems))
    metrics = [one for one in view.metrics if moving or is_swept(parse_metric(one).relevance)]
    alphas, thresholds = with_setting_in_use(ALPHAS, THRESHOLDS, view.settings)
    found: list[Stability] = []
    for metric in metrics:
        done = len(found)

        def part(share: float, doing: str, done: int = done) -> None:
            progress((done + share) / len(metrics), doing)

        found.append(
            stability(
                study, metric=metric, alphas=alphas, thresholds=thresholds, systems=view.systems,
                settings=view.settings, progress=part,
            )
        )  # fmt: skip
    return tuple(found)
