"""Scores at every point of a grid of alpha, threshold, count rule and direction.

What a setting cannot change is computed once: rankings that do not come from nn-IoU, metrics that do
not look at it, the counts of a threshold for every alpha, and all settings that amount to the same
(see `effective`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from evalcore import engine
from evalcore.evaluate import summarise_all
from evalcore.evaluate.common_pool import asked_of, limited
from evalcore.evaluate.scoring import score
from evalcore.evaluate.sweep.variants import (
    Cell,
    ideals_of_all,
    is_swept,
    isolated,
    moves,
    rankings_of_all,
    refuse_nothing_to_vary,
    score_settings,
)
from evalcore.evaluate.systems import resolve_systems
from evalcore.evaluate.targets import metrics_of
from evalcore.graph.neighbour_lists import rule_of_dictionary
from evalcore.ranking.metrics import Metric
from evalcore.values.arrays import digest_of
from evalcore.values.brief import brief
from evalcore.values.errors import SettingError
from evalcore.values.model import Scores, Study
from evalcore.values.progress import part_of, silent, stages
from evalcore.values.settings import MAX_THRESHOLD, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.evaluate.systems import System
    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Interval, Which
    from evalcore.values.progress import Progress
    from evalcore.values.settings import CountRule, Direction

    _Ideals = Mapping[str, Mapping[Settings, Floats]]
    """By relevance and setting."""


@brief
@dataclass(frozen=True, slots=True, eq=False)
class GridScores:
    """The scores of every system under every metric at every point of a grid."""

    points: tuple[Settings, ...]
    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    scores: Mapping[Cell, Scores]

    def at(self, point: Settings, system: str, metric: Metric) -> Scores:
        """One cell; points that amount to the same share it."""
        return self.scores[effective(point), system, metric]


def grid_points(
    settings: Settings,
    *,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    count_rules: Sequence[CountRule] = (),
    directions: Sequence[Direction] = (),
) -> tuple[Settings, ...]:
    """``settings`` at every point of the grid, each once: by count rule, direction, threshold, alpha.

    No count rules, or no directions: that of ``settings``. Raises SettingError outside their ranges.
    """
    return tuple(
        replace(settings, count_rule=rule, direction=direction, threshold=threshold, alpha=alpha)
        for rule in dict.fromkeys(count_rules or (settings.count_rule,))
        for direction in dict.fromkeys(directions or (settings.direction,))
        for threshold in dict.fromkeys(thresholds)
        for alpha in dict.fromkeys(alphas)
    )


def with_setting_in_use(
    alphas: Iterable[float], thresholds: Iterable[int], settings: Settings
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The two axes of a grid that holds the alpha and threshold of ``settings`` too: each once, ascending."""
    return tuple(sorted({*alphas, settings.alpha})), tuple(sorted({*thresholds, settings.threshold}))


def covered(study: Study, thresholds: Iterable[int]) -> tuple[tuple[int, ...], str]:
    """The thresholds whose neighbours are known, and what to say of the others ("" for none).

    Those that no setting allows stay, for whoever checks settings. Raises SettingError when there are only
    others: a neighbour dictionary covers as many steps as it says.
    """
    wanted = tuple(dict.fromkeys(thresholds))
    most = study.largest_threshold
    others = [threshold for threshold in wanted if most < threshold <= MAX_THRESHOLD]
    kept = tuple(threshold for threshold in wanted if threshold not in others)
    if others and not kept:
        raise SettingError("thresholds", rule_of_dictionary(most, min(others)), list(wanted))
    if not others:
        return kept, ""
    which = (
        f"Threshold {others[0]} is" if len(others) == 1 else f"Thresholds {', '.join(map(str, others))} are"
    )
    steps = f"{most} {'step' if most == 1 else 'steps'}"
    return kept, f"{which} left out: the neighbour dictionary lists neighbours up to {steps} apart."


def effective(settings: Settings) -> Settings:
    """One setting for all that give the same values.

    Where no neighbours are counted (threshold 0, or alpha 0) neither alpha nor the count rule matters; up to
    one edge every step is both directed and undirected.
    """
    if settings.threshold == 0 or settings.alpha == 0:
        return replace(settings, alpha=0.0, threshold=0, count_rule="concepts", direction="undirected")
    return replace(settings, direction="undirected") if settings.threshold <= 1 else settings


def score_grid(
    study: Study,
    points: Sequence[Settings],
    *,
    metrics: Sequence[str | Metric],
    systems: Sequence[str] | None = None,
    queries: Which | Ints | None = None,
    progress: Progress | None = None,
) -> GridScores:
    """Every system under every metric at every point.

    Parameters
    ----------
    points
        Settings that differ in alpha, threshold, count rule and direction only (see `grid_points`).
    metrics, systems, queries, progress
        As for `evaluate.score`.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `evaluate.score`; also for an empty grid.
    """
    wanted = metrics_of(study, metrics, points[0]) if points else ()
    if not points or not wanted:
        rule = "given at least one alpha, one threshold and one metric"
        raise SettingError("sweep", rule, (list(points), list(metrics)))
    study = limited(study, systems, queries=queries, settings=points[0])
    chosen = resolve_systems(study, systems)
    asked = asked_of(study, queries)
    variants = list(dict.fromkeys(map(effective, points)))
    still = [system for system in chosen if not moves(system)]
    moving = [system for system in chosen if moves(system)]
    plain = [metric for metric in wanted if not is_swept(metric.relevance)] if still else []
    swept = [metric for metric in wanted if is_swept(metric.relevance)] if still else []
    # Rankings at every setting take as long as all else does once.
    # Whatever needs the ideals of these settings is handed them; nothing relies on what the engine remembers.
    first, finding, then, last = stages(
        progress or silent, bool(plain), bool(swept or moving), bool(swept), len(variants) * bool(moving)
    )
    result = _fixed(study, variants, still, plain, asked, first)
    by = list(
        dict.fromkeys(
            metric.relevance for metric in wanted if metric.relevance and is_swept(metric.relevance)
        )
    )
    ideals = {
        relevance: ideals_of_all(
            study,
            relevance,
            variants,
            wanted,
            asked,
            part_of(finding, place, len(by), name="the ideal rankings of all settings"),
        )
        for place, relevance in enumerate(by)
    }
    result |= _rescored(study, variants, still, swept, asked, ideals, then)
    result |= _reranked(study, variants, moving, wanted, asked, ideals, last)
    if progress is not None:
        progress(1.0, "done")
    return GridScores(tuple(points), tuple(system.name for system in chosen), wanted, result)


def _fixed(
    study: Study,
    variants: Sequence[Settings],
    still: Sequence[System],
    metrics: Sequence[Metric],
    asked: Ints,
    progress: Progress,
) -> dict[Cell, Scores]:
    """Neither the ranking nor the metric looks at nn-IoU: scored once."""
    if not metrics:
        return {}
    names = [system.name for system in still]
    once = score(
        study, metrics=metrics, systems=names, settings=variants[0], queries=asked, progress=progress
    )
    return {
        (variant, name, metric): scores
        for scores, (name, metric) in zip(once, product(names, metrics), strict=True)
        for variant in variants
    }


def _rescored(
    study: Study,
    variants: Sequence[Settings],
    still: Sequence[System],
    metrics: Sequence[Metric],
    asked: Ints,
    ideals: _Ideals,
    progress: Progress,
) -> dict[Cell, Scores]:
    """No setting changes the ranking: ranked once, the results weighed anew at every point."""
    if not metrics:
        return {}
    groups: dict[tuple[str, str], list[Settings]] = {}
    for variant in variants:
        groups.setdefault((variant.count_rule, variant.direction), []).append(variant)
    by: dict[str, list[Metric]] = {}
    for metric in metrics:
        by.setdefault(str(metric.relevance), []).append(metric)
    each = list(product(groups.values(), by))
    parts = stages(progress, *(len(group) for group, _ in each))
    result: dict[Cell, Scores] = {}
    for (group, relevance), part in zip(each, parts, strict=True):
        result |= score_settings(study, group, still, by[relevance], asked, ideals[relevance], part)
    return result


def _reranked(
    study: Study,
    variants: Sequence[Settings],
    moving: Sequence[System],
    metrics: Sequence[Metric],
    asked: Ints,
    ideals: _Ideals,
    progress: Progress,
) -> dict[Cell, Scores]:
    """Retrieval by nn-IoU itself, and what is fused with it: another ranking at every point."""
    if not moving:
        return {}
    names = [system.name for system in moving]
    # Ranking together takes most of the time, where there is room for it.
    first, rest = stages(progress, 2, 1)
    rankings = rankings_of_all(study, moving, variants, metrics, asked, first)
    result: dict[Cell, Scores] = {}
    for place, variant in enumerate(variants):
        part = _part(rest, place, len(variants), variant, names)
        part(0.0, "")
        ranked = score(
            study,
            metrics=metrics,
            systems=names,
            settings=variant,
            queries=asked,
            progress=part,
            ideals={by: of[variant] for by, of in ideals.items() if variant in of},
            rankings={name: of[variant] for name, of in rankings.items()},
        )
        for scores, (name, metric) in zip(ranked, product(names, metrics), strict=True):
            result[variant, name, metric] = scores
    return result


def _part(progress: Progress, place: int, places: int, point: Settings, names: Sequence[str]) -> Progress:
    """The progress of one setting: it is named, unless something rarer is going on than ranking."""

    def of_setting(done: float, doing: str) -> None:
        at = f"alpha {point.alpha:g}, threshold {point.threshold}"
        progress((place + done) / places, at if not doing or doing in names else doing)

    return of_setting


# How much do alpha and the threshold decide? Scores over a grid of both, one row per setting.

Subset = Literal["all", "disagree", "topk_differs"]
SUBSETS = ("all", "disagree", "topk_differs")


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
        the settings. Thresholds beyond a neighbour dictionary are left out (see `covered`).
    metrics, systems, settings, progress
        As for `evaluate.score`.
    subset
        "all" queries, or per metric only those that ``@iou`` and ``@nn-iou`` serve differently at the
        given ``settings`` (see `variants.isolated`): "disagree" by the metric's value,
        "topk_differs" by the first K results. It conditions on the outcome: gains there overstate gains
        overall.

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
    refuse_nothing_to_vary(study)
    thresholds, _ = covered(study, thresholds)
    points = grid_points(
        settings, alphas=alphas, thresholds=thresholds, count_rules=count_rules, directions=directions
    )
    wanted = metrics_of(study, metrics, settings)
    study = limited(study, systems, settings=settings)
    progress = progress or silent
    kept, asked = dict.fromkeys(wanted, study.queries), study.queries
    if subset != "all":
        kept = isolated(
            study, wanted, settings=settings, definition=subset, progress=part_of(progress, 0, len(points))
        )
        asked = np.unique(np.concatenate(list(kept.values()))).astype(np.int32)
    grid = score_grid(study, points, metrics=wanted, systems=systems, queries=asked, progress=progress)
    return rows_of(grid, kept, settings)


def rows_of(grid: GridScores, kept: dict[Metric, Ints], settings: Settings) -> tuple[SweepRow, ...]:
    """A row for every cell of a grid, over the queries kept for its metric."""
    cells = [(p, name, metric) for p in grid.points for name in grid.systems for metric in grid.metrics]
    whole = [grid.at(*cell) for cell in cells]
    # Cells that amount to the same share one Scores, so each is cut down and summarised once.
    different = {
        id(scores): scores.among(kept[metric]) for scores, (_, _, metric) in zip(whole, cells, strict=True)
    }
    means = dict(zip(different, summarise_all(list(different.values()), settings=settings), strict=True))
    return tuple(
        SweepRow(
            point.alpha,
            point.threshold,
            name,
            str(metric),
            means[id(scores)],
            different[id(scores)].n_scored,
            point.count_rule,
            point.direction,
        )
        for (point, name, metric), scores in zip(cells, whole, strict=True)
    )


# How many settings of a grid are different? The others are identical by definition.
#
# Without related concepts nn-IoU is IoU: at distance 0 for every alpha, at alpha 0 for every distance, and
# wherever the terminology relates no two concepts of the study. A larger distance that relates no further
# concepts changes nothing either, and nothing changes a measure that does not look at related concepts.


class Tried(NamedTuple):
    """``n`` settings, of which so many are ``different``."""

    n: int
    different: int

    def facts(self) -> dict[str, int]:
        """For JSON."""
        return {"settings_tried": self.n, "settings_different": self.different}

    def in_words(self) -> str:
        """``63 settings, 41 of them different; the others are identical by definition.``"""
        settings = f"{self.n:,} {'setting' if self.n == 1 else 'settings'}"
        if self.different == self.n:
            return f"{settings}{', all different' if self.n > 1 else ''}."
        return f"{settings}, {self.different:,} of them different; {self.others()}."

    def others(self) -> str:
        """``the others are identical by definition``; "" where all are different."""
        rest = self.n - self.different
        if not rest:
            return ""
        return f"the other{'s are' if rest > 1 else ' is'} identical by definition"


def repeated(
    study: Study, points: Sequence[Settings], metrics: Sequence[Metric], systems: Sequence[str] | None = None
) -> tuple[bool, ...]:
    """For each point: does an earlier one give the same values by definition, whatever the systems return?

    Aligned with ``points``. ``systems``: names, None for all of the study.
    Raises UnknownName for a system that does not exist.
    """
    swept = any(is_swept(metric.relevance) for metric in metrics)
    if not swept and not any(map(moves, resolve_systems(study, systems))):
        return tuple(place > 0 for place in range(len(points)))
    seen: set[tuple[Settings, str]] = set()
    result = []
    for point in points:
        kind = _kind(study, point)
        result.append(kind in seen)
        seen.add(kind)
    return tuple(result)


def tried(
    study: Study, points: Sequence[Settings], metrics: Sequence[Metric], systems: Sequence[str] | None = None
) -> Tried:
    """How many of the points are different settings; as `repeated`."""
    return Tried(len(points), repeated(study, points, metrics, systems).count(False))


def _kind(study: Study, point: Settings) -> tuple[Settings, str]:
    """Equal for settings that give the same values: which concepts are related, and what that counts."""
    pairs = _related(study, point) if point.alpha and point.threshold else ""
    rest = replace(point, threshold=0, direction="undirected")
    if not pairs:
        rest = replace(rest, alpha=0.0, count_rule="concepts")
    return rest, pairs


def _related(study: Study, point: Settings) -> str:
    """A digest of the pairs of the study's concepts that count as related; "" for none."""
    near = engine.prepare(study, threshold=point.threshold, direction=point.direction).neighbours
    return digest_of(near.indptr, near.indices) if len(near.indices) else ""
