"""How much do alpha and the threshold decide? Scores over a grid of both, one row per setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.evaluate import summarise_all
from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.sweep.grid import grid_points, score_grid
from evalcore.evaluate.sweep.isolated import isolated
from evalcore.evaluate.wanted import metrics_of
from evalcore.values.errors import SettingError
from evalcore.values.model import Study
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.sweep.grid import GridScores
    from evalcore.evaluate.sweep.isolated import Isolation
    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Interval
    from evalcore.values.progress import Progress
    from evalcore.values.settings import CountRule, Direction

Subset = Literal["all", "disagree", "p_at_k_differs", "topk_differs"]
SUBSETS = ("all", "disagree", "p_at_k_differs", "topk_differs")


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One system under one metric at one setting: its mean, and how many queries have a value."""

    alpha: float
    threshold: int
    system: str
    metric: str
    interval: Interval
    n_scored: int
    count_rule: str
    direction: str


def sweep(
    study: Study,
    *,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    metrics: Sequence[str | Metric],
    systems: Sequence[str] | None = None,
    count_rules: Sequence[CountRule] = (),
    directions: Sequence[Direction] = (),
    settings: Settings = Settings(),
    subset: Subset = "all",
    progress: Progress | None = None,
) -> tuple[SweepRow, ...]:
    """Every system under every metric at every point of the grid.

    Parameters
    ----------
    alphas, thresholds, count_rules, directions
        The grid; they take the place of the settings' own. No count rules, or no directions: that of
        the settings.
    metrics, systems, settings, progress
        As for `evaluate.score`.
    subset
        "all" queries, or per metric only those that ``@iou`` and ``@nn-iou`` serve differently at the
        given ``settings`` (see `evaluate.sweep.isolated`): "p_at_k_differs" (also called "disagree") by the
        metric's value, "topk_differs" by the first K results. It conditions on the outcome: gains
        there overstate gains overall.

    Returns
    -------
    rows
        By count rule, direction, threshold, alpha, system, metric, in the orders given; mean NaN where
        no query counts.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `evaluate.score`; also for an empty grid.
    """
    if subset not in SUBSETS:
        raise SettingError("subset", f"one of {', '.join(SUBSETS)}", subset)
    points = grid_points(
        settings, alphas=alphas, thresholds=thresholds, count_rules=count_rules, directions=directions
    )
    wanted = metrics_of(study, metrics, settings)
    study = limited(study, systems, settings=settings)
    progress = progress or silent
    kept, asked = dict.fromkeys(wanted, study.queries), study.queries
    if subset != "all":
        definition: Isolation = "topk_differs" if subset == "topk_differs" else "p_at_k_differs"
        kept = isolated(
            study, wanted, settings=settings, definition=definition,
            progress=part_of(progress, 0, len(points)),
        )  # fmt: skip
        asked = np.unique(np.concatenate(list(kept.values()))).astype(np.int32)
    grid = score_grid(study, points, metrics=wanted, systems=systems, queries=asked, progress=progress)
    return rows_of(grid, kept, settings)


def rows_of(grid: GridScores, kept: dict[Metric, Ints], settings: Settings) -> tuple[SweepRow, ...]:
    """A row for every cell of a grid, over the queries kept for its metric."""
    cells = [(p, name, metric) for p in grid.points for name in grid.systems for metric in grid.metrics]
    whole = [grid.at(*cell) for cell in cells]
    # Cells that amount to the same share one Scores, so each is cut down and summarised once.
    different = {id(one): one.among(kept[metric]) for one, (_, _, metric) in zip(whole, cells, strict=True)}
    means = dict(zip(different, summarise_all(list(different.values()), settings=settings), strict=True))
    return tuple(
        SweepRow(
            point.alpha, point.threshold, name, str(metric), means[id(one)], different[id(one)].n_scored,
            point.count_rule, point.direction,
        )
        for (point, name, metric), one in zip(cells, whole, strict=True)
    )  # fmt: skip
