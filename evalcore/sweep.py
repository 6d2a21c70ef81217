"""How much do alpha and the threshold decide? Scores over a grid of both.

What a setting cannot change is computed once: rankings that do not come from nn-IoU, metrics that do
not look at it, the counts of a threshold for every alpha, and all settings that amount to plain IoU
(alpha 0 or threshold 0 in the additive form).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.errors import SettingError
from evalcore.evaluate import resolve_systems, score, summarise_all
from evalcore.evaluate.scoring import part_named, silent
from evalcore.evaluate.systems import System
from evalcore.evaluate.variants import SWEPT, Cell, score_settings
from evalcore.model import Ints, Scores, Study
from evalcore.ranking.metrics import Metric, parse_metric
from evalcore.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.engine import Progress

Subset = Literal["all", "disagree"]


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One system under one metric at one setting: mean with its interval, and how many queries count."""

    alpha: float
    threshold: int
    system: str
    metric: str
    mean: float
    ci_low: float
    ci_high: float
    n_scored: int


def sweep(
    study: Study,
    *,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    metrics: Sequence[str | Metric],
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),  # noqa: B008  (frozen)
    subset: Subset = "all",
    progress: Progress | None = None,
) -> tuple[SweepRow, ...]:
    """Every system under every metric at every pair of threshold and alpha.

    Parameters
    ----------
    alphas, thresholds
        The grid; they take the place of the settings' own.
    metrics, systems, settings, progress
        As for `evaluate.score`.
    subset
        "disagree": per metric only the queries whose value differs between ``@iou`` and ``@nn-iou``
        at the given ``settings`` (arXiv 2506.13509, section on the ablation, isolates such a subset).
        It conditions on the outcome: gains there overstate gains overall.

    Returns
    -------
    rows
        By threshold, alpha, system, metric, in the orders given; mean NaN where no query counts.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `evaluate.score`; also for an empty grid.
    """
    if subset not in ("all", "disagree"):
        raise SettingError("subset", "one of all, disagree", subset)
    grid = _grid(settings, alphas, thresholds)
    wanted = tuple(dict.fromkeys(parse_metric(metric) for metric in metrics))
    if not grid or not wanted:
        rule = "given at least one alpha, one threshold and one metric"
        raise SettingError("sweep", rule, (list(alphas), list(thresholds), list(metrics)))
    chosen = resolve_systems(study, systems)
    tell = progress or silent
    kept = dict.fromkeys(wanted, study.queries)
    if subset == "disagree":
        kept = _disagreeing(study, wanted, settings)
    asked = np.unique(np.concatenate(list(kept.values()))).astype(np.int32)
    found = _scores(study, grid, chosen, wanted, asked, tell)
    tell(1.0, "done")
    cells = [(point, system.name, metric) for point in grid for system in chosen for metric in wanted]
    return _rows(cells, [_only(found[effective(s), name, m], kept[m]) for s, name, m in cells], settings)


def _grid(settings: Settings, alphas: Sequence[float], thresholds: Sequence[int]) -> list[Settings]:
    """The settings at every point, each once, by threshold and then alpha."""
    points = product(dict.fromkeys(thresholds), dict.fromkeys(alphas))
    return [replace(settings, alpha=alpha, threshold=threshold) for threshold, alpha in points]


def _rows(cells: Sequence[Cell], scores: Sequence[Scores], settings: Settings) -> tuple[SweepRow, ...]:
    return tuple(
        SweepRow(
            point.alpha, point.threshold, name, str(metric), mean.mean, mean.low, mean.high, one.n_scored
        )
        for (point, name, metric), one, mean in zip(
            cells, scores, summarise_all(scores, settings=settings), strict=True
        )
    )


def effective(settings: Settings) -> Settings:
    """One setting for all that give the same values: with no neighbours counted, alpha does not matter."""
    if settings.form == "additive" and (settings.alpha == 0 or settings.threshold == 0):
        return replace(settings, alpha=0.0, threshold=0)
    return settings


def _scores(
    study: Study,
    grid: Sequence[Settings],
    systems: Sequence[System],
    metrics: Sequence[Metric],
    asked: Ints,
    tell: Progress,
) -> dict[Cell, Scores]:
    """Scores of every cell of the grid, by its effective setting."""
    variants = list(dict.fromkeys(effective(settings) for settings in grid))
    still = [system for system in systems if system.relevance != SWEPT]
    moving = [system.name for system in systems if system.relevance == SWEPT]
    plain = [metric for metric in metrics if metric.relevance != SWEPT]
    swept = [metric for metric in metrics if metric.relevance == SWEPT]
    found: dict[Cell, Scores] = {}
    # Parts of the work for the progress: rankings at every setting take as long as all else does once.
    parts = 2 * bool(still) + bool(moving) * len(variants)
    if still and plain:
        names, telling = [system.name for system in still], part_named(tell, 0, parts, "")
        once = iter(
            score(study, metrics=plain, systems=names, settings=variants[0], queries=asked, progress=telling)
        )
        for one, (name, metric) in zip(once, [(n, m) for n in names for m in plain], strict=True):
            found |= {(variant, name, metric): one for variant in variants}
    if still and swept:
        found |= score_settings(study, variants, still, swept, asked, part_named(tell, 1, parts, ""))
    for i, variant in enumerate(variants if moving else ()):
        name = f"alpha {variant.alpha:g}, threshold {variant.threshold}"
        telling = part_named(tell, parts - len(variants) + i, parts, name)
        telling(0.0, "")
        ranked = score(
            study, metrics=metrics, systems=moving, settings=variant, queries=asked,
            progress=telling,
        )  # fmt: skip
        for one, (system, metric) in zip(ranked, product(moving, metrics), strict=True):
            found[variant, system, metric] = one
    return found


def _disagreeing(study: Study, metrics: Sequence[Metric], settings: Settings) -> dict[Metric, Ints]:
    """Per metric the queries that plain IoU and nn-IoU serve differently."""
    scores = score(study, metrics=metrics, systems=["@iou", f"@{SWEPT}"], settings=settings)
    pairs = zip(metrics, scores[: len(metrics)], scores[len(metrics) :], strict=True)
    return {metric: a.queries[np.abs(a.values - b.values) > 1e-12] for metric, a, b in pairs}


def _only(scores: Scores, queries: Ints) -> Scores:
    """The scores of some of the queries."""
    rows = np.isin(scores.queries, queries)
    if rows.all():
        return scores
    return replace(
        scores, queries=scores.queries[rows], values=scores.values[rows], reasons=scores.reasons[rows]
    )
