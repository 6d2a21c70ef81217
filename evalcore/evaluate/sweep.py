"""Scores at every point of a grid of alpha, threshold, count rule and direction.

What a setting cannot change is computed once: rankings that do not come from nn-IoU, metrics that do
not look at it, the counts of a threshold for every alpha, and all settings that amount to the same
(see `effective`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import isfinite, nan
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from evalcore import engine
from evalcore.evaluate.common_pool import asked_of, limited
from evalcore.evaluate.comparison import paired_differences
from evalcore.evaluate.scoring import BlockScores, of_system, query_blocks, score, score_block, span
from evalcore.evaluate.summary import N_BOOTSTRAP, intervals, summarise_all
from evalcore.evaluate.systems import Lists, System, lists_of, resolve_systems, with_lists
from evalcore.evaluate.targets import (
    condensed,
    depth_needed,
    gains_of,
    ideal_depth,
    ideal_gains,
    metric_of,
    metrics_of,
    pool_of,
)
from evalcore.graph.neighbour_lists import rule_of_dictionary
from evalcore.ranking.metrics import METRICS, Metric, Target
from evalcore.relevance.registry import parse_relevance
from evalcore.stats.correlation import kendall
from evalcore.stats.levels import SAME, best_first, difference
from evalcore.stats.sums import mean_of
from evalcore.values.arrays import Floats, Ints, digest_of
from evalcore.values.brief import brief
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import Interval, Run, Scores, Study
from evalcore.values.progress import part_of, silent, stages
from evalcore.values.settings import MAX_THRESHOLD, CountRule, Direction, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.values.model import RelevanceCounts, Which
    from evalcore.values.progress import Progress

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


# nn-IoU metrics under many settings at once: what no setting changes is ranked and counted once.


SWEPT = "nn-iou"
"""The relevance that alpha and threshold are about; with weights, too (`is_swept`)."""
ROOM = 128 << 20
"""Bytes of ideals, and of rankings, that are held for all settings of a grid at once; where they take more,
each setting finds its own."""


def is_swept(relevance: str | None) -> bool:
    """Whether alpha and threshold say something about a relevance: nn-IoU, with weights or without."""
    return relevance is not None and parse_relevance(relevance).kind == SWEPT


def refuse_nothing_to_vary(study: Study) -> None:
    """InputError where the study knows no related concepts, so that no setting of nn-IoU changes a number."""
    if not study.knows_neighbours:
        raise InputError(
            "Nothing to vary: no related concepts in this study. Add a concept graph (graph/edges.csv) or a "
            "neighbour dictionary (neighbours.csv)."
        )


def moves(system: System) -> bool:
    """Whether alpha or threshold change a ranking: it is by nn-IoU, or fused of one that is."""
    return is_swept(system.relevance) or any(map(moves, system.members))


Cell = tuple[Settings, str, Metric]
"""One system (by name) under one metric at one setting."""


def score_settings(
    study: Study,
    variants: Sequence[Settings],
    systems: Sequence[System],
    metrics: Sequence[Metric],
    asked: Ints,
    ideals: Mapping[Settings, Floats],
    progress: Progress,
) -> dict[Cell, Scores]:
    """Scores of nn-IoU metrics for systems whose ranking no setting changes, in every cell.

    The metrics are all by one relevance, the settings differ in alpha and threshold only. Lists are ranked
    once, pairs counted once per threshold and weighed once per setting. ``ideals``: those of
    `ideals_of_all`; where they are none and a metric needs them, they are found block by block.
    """
    settings, apart = variants[0], with_lists(systems)
    relevance = metrics[0].relevance or SWEPT
    pool, depth = pool_of(study, (), asked, settings), depth_needed(metrics)
    blocks: dict[Cell, list[BlockScores]] = {
        (v, s.name, m): [] for v in variants for s in apart for m in metrics
    }
    best_depth = ideal_depth(metrics, len(pool.candidates))
    for block, done in query_blocks(pool, apart, depth, settings, copies=len(variants), best=best_depth):
        within = span(progress, done, len(block), pool)
        best: Iterable[Floats]
        if ideals:
            best = [ideals[variant][done : done + len(block)] for variant in variants]
        else:
            first = part_of(within, 0, 2, name="ideals")
            best = _ideals(study, relevance, variants, metrics, block, pool.candidates, first)
        for i, system in enumerate(apart):
            part = part_of(within, len(apart) + i, 2 * len(apart), name=system.name)
            lists = lists_of(study, system, pool, block, depth=depth, settings=settings, progress=part)
            counts = _counts(study, relevance, variants, lists)
            for variant, ideal in zip(variants, best, strict=True):
                values = engine.values_of(counts[variant.threshold], relevance, variant)
                for metric in metrics:
                    gains = gains_of(study, metric, lists, {relevance: values}, pool, variant)
                    target = Target()
                    if METRICS[metric.family].needs_something_relevant:
                        target = Target(ideal=ideal_gains(metric, ideal, variant))
                    scored = score_block(study, metric, lists, gains, target, variant)
                    blocks[variant, system.name, metric].append(scored)
    return {
        (variant, system.name, metric): of_system(
            system,
            metric,
            asked,
            pool,
            {member.name: blocks[variant, member.name, metric] for member in system.each},
            variant,
        )
        for variant, system, metric in product(variants, systems, metrics)
    }


def ideals_of_all(
    study: Study,
    relevance: str,
    variants: Sequence[Settings],
    metrics: Sequence[Metric],
    asked: Ints,
    progress: Progress,
) -> dict[Settings, Floats]:
    """The ideals of all settings by one relevance, counted together, for the `score` of each one over the
    same queries.

    Empty where no metric needs them, and where they would take more than `ROOM`.
    """
    swept = [metric for metric in metrics if metric.relevance == relevance]
    if not any(METRICS[metric.family].needs_something_relevant for metric in swept):
        return {}
    pool = pool_of(study, (), asked, variants[0])
    depth = max(ideal_depth(swept, len(pool.candidates)), 1)
    if 8 * len(variants) * len(pool.queries) * depth > ROOM:
        return {}
    result = engine.ideal_gains_of(
        study,
        relevance,
        pool.queries,
        candidates=pool.candidates,
        depth=depth,
        settings=variants,
        progress=progress,
    )
    return dict(zip(variants, result, strict=True))


def rankings_of_all(
    study: Study,
    systems: Sequence[System],
    variants: Sequence[Settings],
    metrics: Sequence[Metric],
    asked: Ints,
    progress: Progress,
) -> dict[str, dict[Settings, Run]]:
    """By system that ranks by nn-IoU itself, its rankings under all settings, for the `score` of each one.

    Over the same queries. Empty where every metric is by labels, and where they could take more than `ROOM`:
    where ties are averaged over, each list may hold every candidate.
    """
    over_all = [metric for metric in metrics if not metric.labels]
    systems = [system for system in systems if system.relevance is not None]  # the others are fused anew
    if not over_all:
        return {}
    whole, n, depth = variants[0].ties == "expected", len(study.candidates), depth_needed(over_all)
    depth = n if depth is None or any(map(condensed, over_all)) else min(depth + (not whole), n)
    if 12 * len(variants) * len(systems) * len(asked) * (n if whole else depth) > ROOM:
        return {}
    return {
        system.name: dict(
            zip(
                variants,
                engine.rank_under(
                    study,
                    str(system.relevance),
                    asked,
                    candidates=study.candidates,
                    depth=depth,
                    settings=variants,
                    whole_ties=whole,
                    progress=part_of(progress, place, len(systems), name=system.name),
                ),
                strict=True,
            )
        )
        for place, system in enumerate(systems)
    }


def _ideals(
    study: Study,
    relevance: str,
    variants: Sequence[Settings],
    metrics: Sequence[Metric],
    block: Ints,
    candidates: Ints,
    progress: Progress,
) -> Floats:
    """The largest nn-IoU values of each query under each setting, as deep as any metric looks."""
    if not any(METRICS[m.family].needs_something_relevant for m in metrics):
        return np.empty((len(variants), len(block), 0))
    depth = max(ideal_depth(metrics, len(candidates)), 1)
    return engine.ideal_gains_of(
        study, relevance, block, candidates=candidates, depth=depth, settings=variants, progress=progress
    )


def _counts(
    study: Study, relevance: str, variants: Sequence[Settings], lists: Lists
) -> Mapping[int, RelevanceCounts]:
    """What every alpha follows from, per threshold, for the returned images."""
    thresholds = sorted({variant.threshold for variant in variants})
    rule, direction = variants[0].count_rule, variants[0].direction
    weighting = parse_relevance(relevance).weighting
    space = engine.prepare(study, threshold=thresholds[-1], direction=direction, weighting=weighting)
    return {
        threshold: engine.pair_counts(
            space, lists.query_of_row, lists.candidates, rule=rule, threshold=threshold
        )
        for threshold in thresholds
    }


# The queries that IoU and nn-IoU serve differently: the "isolated subset" of arXiv 2506.13509.
#
# The paper runs its ablation "on an isolated subset of ROCOv2 where IoU and nn-IoU exhibit inconsistent
# performance" and does not say how it was drawn. Either reading selects by outcome: what one relevance
# gains over the other there overstates what it gains over all queries.

Isolation = Literal["disagree", "topk_differs"]
BY_IOU, BY_NN_IOU = "@iou", f"@{SWEPT}"


def isolated(
    study: Study,
    metrics: Sequence[Metric],
    *,
    settings: Settings,
    definition: Isolation = "disagree",
    progress: Progress | None = None,
) -> dict[Metric, Ints]:
    """Per metric the queries that retrieval by IoU and by nn-IoU serve differently.

    Parameters
    ----------
    metrics
        What is looked at, and for "topk_differs" how deep and in which images (a label metric's are
        those that carry its labels).
    settings
        The nn-IoU that IoU is held against.
    definition
        "disagree": the value of the metric differs. "topk_differs": the first K results are not
        the same images, in whatever order (equal scores by image id); K is the metric's cutoff.

    Returns
    -------
    {metric: image indices, ascending}; empty where the two agree everywhere.

    Raises
    ------
    SettingError
        Another definition, or "topk_differs" with a metric that has no cutoff.
    """
    progress = progress or silent
    if definition == "disagree":
        by_iou, by_nn = outcomes(study, metrics, settings=settings, progress=progress)
        return {m: differing(a, b) for m, a, b in zip(metrics, by_iou, by_nn, strict=True)}
    if definition != "topk_differs":
        raise SettingError("subset", "one of all, disagree, topk_differs", definition)
    return {
        metric: _other_results(study, metric, settings, part_of(progress, i, len(metrics)))
        for i, metric in enumerate(metrics)
    }


def outcomes(
    study: Study, metrics: Sequence[Metric], *, settings: Settings, progress: Progress | None = None
) -> tuple[tuple[Scores, ...], tuple[Scores, ...]]:
    """The scores of retrieval by IoU and of retrieval by nn-IoU, per metric, over all queries."""
    both = score(study, metrics=metrics, systems=[BY_IOU, BY_NN_IOU], settings=settings, progress=progress)
    return both[: len(metrics)], both[len(metrics) :]


def differing(a: Scores, b: Scores) -> Ints:
    """The queries to which two scores give different values."""
    return a.queries[np.abs(difference(a.values, b.values)) > 0]


def _other_results(study: Study, metric: Metric, settings: Settings, progress: Progress) -> Ints:
    if metric.cutoff is None:
        raise SettingError("subset", f"disagree for {metric}, which has no cutoff", "topk_differs")
    pool = pool_of(study, metric.labels, study.queries, settings)
    lists = [
        engine.rank(
            study,
            relevance,
            pool.queries,
            candidates=pool.candidates,
            depth=metric.cutoff,
            settings=settings,
            progress=part_of(progress, i, 2),
        )
        for i, relevance in enumerate(("iou", SWEPT))
    ]
    mine, other = (_pairs(run, len(study.image_ids)) for run in lists)
    differ = np.setxor1d(mine, other, assume_unique=True) // len(study.image_ids)
    return np.unique(differ).astype(np.int32)


def _pairs(run: Run, n_images: int) -> Ints:
    """Every (query, result) as one number."""
    queries = np.repeat(run.queries, np.diff(run.indptr)).astype(np.int64)
    return queries * n_images + run.candidates


# Does the winner depend on the setting? The ranking of systems at every point of a grid.
#
# At each point: the order of the systems and the lead of the first over the second with its paired
# interval. Between neighbouring alphas: which system overtakes which, and where. How alike two rankings
# are: Kendall's tau. The leader is chosen by the data its lead is measured on, so the interval describes
# the lead and is no test.


# Where does one system overtake another as neighbours count for more?
#
# Scores are known at the alphas of a grid only; between two of them the difference is taken as linear. (The
# gain of a list is linear in alpha, the ideal it is divided by is not quite: the place is a little
# inexact.)

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Crossover:
    """``winner`` overtakes ``loser`` as alpha grows: linearly interpolated between two points of the grid.

    ``clear``: at some alpha before, ``loser`` was ahead by an interval without zero, and at some alpha
    after ``winner`` is; else the two are too close to call on one side at least.
    """

    threshold: int
    alpha: float
    between: tuple[float, float]
    winner: str
    loser: str
    clear: bool


def crossovers_of(
    grid: GridScores, metric: Metric, points: Sequence[Settings], settings: Settings
) -> tuple[Crossover, ...]:
    """Every overtaking along alpha at each threshold."""
    crossovers: list[Crossover] = []
    names = grid.systems
    for threshold in dict.fromkeys(point.threshold for point in points):
        along = [point for point in points if point.threshold == threshold]
        alphas = [point.alpha for point in along]
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                paired = [
                    paired_differences(grid.at(point, b, metric), grid.at(point, a, metric), settings)
                    for point in along
                ]
                crossings = sign_changes(alphas, [mean_of(column) for column, _ in paired])
                if crossings:
                    signs = _sure_signs(paired, settings)
                    crossovers += [
                        _crossover(threshold, crossing, (a, b), alphas, signs) for crossing in crossings
                    ]
    return tuple(
        sorted(crossovers, key=lambda crossover: (crossover.threshold, crossover.alpha, crossover.winner))
    )


def sign_changes(
    alphas: Sequence[float], gaps: Sequence[float]
) -> list[tuple[float, tuple[float, float], int]]:
    """Where a difference changes its sign: (alpha, the alphas around it, sign afterwards).

    Linear between the last alpha with the one sign and the first with the other; where the
    difference is 0 in between, the middle of that stretch. NaN and what is level with 0 have no sign.

    >>> sign_changes([0, 0.5, 1], [0.1, 0.1, -0.3])
    [(0.625, (0.5, 1), -1)]
    """
    result = []
    last: int | None = None
    for j, gap in enumerate(gaps):
        if not isfinite(gap) or abs(gap) <= SAME:
            continue
        if last is not None and (gaps[last] > 0) != (gap > 0):
            before, after = alphas[last], alphas[j]
            if j == last + 1:
                at = before + (after - before) * gaps[last] / (gaps[last] - gap)
            else:
                at = (alphas[last + 1] + alphas[j - 1]) / 2
            result.append((at, (before, after), 1 if gap > 0 else -1))
        last = j
    return result


def _sure_signs(paired: Sequence[tuple[Floats, Ints | None]], settings: Settings) -> list[int]:
    """The sign of each difference whose interval leaves out zero, else 0."""
    columns, groups = [column for column, _ in paired], [of for _, of in paired]
    ends = intervals(columns, groups, settings=settings, level=LEVEL, n_resamples=N_BOOTSTRAP, seed=0)
    return [(low > 0) - (high < 0) for low, high in ends]


def _crossover(
    threshold: int,
    crossing: tuple[float, tuple[float, float], int],
    pair: tuple[str, str],
    alphas: Sequence[float],
    signs: Sequence[int],
) -> Crossover:
    at, (before, after), sign = crossing
    winner, loser = pair if sign > 0 else pair[::-1]
    sure_before = any(s == -sign for alpha, s in zip(alphas, signs, strict=True) if alpha <= before)
    sure_after = any(s == sign for alpha, s in zip(alphas, signs, strict=True) if alpha >= after)
    return Crossover(threshold, at, (before, after), winner, loser, sure_before and sure_after)


@dataclass(frozen=True, slots=True)
class Standing:
    """The systems at one setting, best first (equal means by name, those without a mean last).

    ``means`` are aligned with ``order``. ``lead`` is the first system's mean minus the second's over
    the queries both have a value for, with its paired bootstrap interval; NaN with fewer than two
    systems. ``repeats``: an earlier setting of the grid is the same by definition (see `distinct`), so this
    one is not counted.
    """

    settings: Settings
    order: tuple[str, ...]
    means: tuple[Interval, ...]
    lead: float
    low: float
    high: float
    repeats: bool = False

    @property
    def clear(self) -> bool:
        """Whether the interval of the lead leaves out zero."""
        return isfinite(self.low) and (self.low > 0 or self.high < 0)

    @property
    def level(self) -> bool:
        """Whether the first two score exactly alike, so that nobody leads."""
        return abs(self.lead) <= SAME

    def mean(self, system: str) -> Interval:
        """The mean of one of the systems."""
        return self.means[self.order.index(system)]


@dataclass(frozen=True, slots=True)
class Stability:
    """What alpha and threshold do to the ranking of systems under one metric.

    ``standings`` and ``crossovers`` by threshold, then alpha.
    """

    metric: str
    standings: tuple[Standing, ...]
    crossovers: tuple[Crossover, ...]

    @property
    def different(self) -> tuple[Standing, ...]:
        """The standings without those of settings that are identical by definition to an earlier one."""
        return tuple(standing for standing in self.standings if not standing.repeats)

    @property
    def tried(self) -> Tried:
        """How many settings, and how many of them are different."""
        return Tried(len(self.standings), len(self.different))

    def at(self, alpha: float, threshold: int) -> Standing | None:
        """The standing at one point of the grid; None where there is no such point."""
        for standing in self.standings:
            if (standing.settings.alpha, standing.settings.threshold) == (alpha, threshold):
                return standing
        return None


Readings = tuple[tuple[Standing, ...], tuple[Standing, ...]]
"""Under every count rule, and under both directions."""


def stability(
    study: Study,
    *,
    metric: str | Metric,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> Stability:
    """How stable is the ranking of systems over alpha and threshold?

    Parameters
    ----------
    metric
        One metric. Under one that does not look at nn-IoU only a system that ranks by it can move.
    alphas, thresholds
        The grid, taken in ascending order.
    systems, progress
        As for `evaluate.score`.
    settings
        What every point shares.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `evaluate.score`; also for an empty grid.
    """
    refuse_nothing_to_vary(study)
    points = grid_points(settings, alphas=sorted(set(alphas)), thresholds=sorted(set(thresholds)))
    wanted = metric_of(study, metric, settings)
    grid = score_grid(study, points, metrics=[wanted], systems=systems, progress=progress)
    standings = tuple(
        replace(standing, repeats=again)
        for standing, again in zip(
            _standings(grid, wanted, points, settings),
            repeated(study, points, [wanted], systems),
            strict=True,
        )
    )
    return Stability(str(wanted), standings, crossovers_of(grid, wanted, points, settings))


def readings(
    study: Study,
    *,
    metric: str | Metric,
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> Readings:
    """The standing under every count rule, and under both directions, all else as in ``settings``.

    The published Algorithm 1 can be read in several ways (see `relevance.neighbour`): if they agree, it
    does not matter which one was meant. Directions cannot differ up to threshold 1; there they are
    compared at 2, unless a neighbour dictionary ends before.
    """
    refuse_nothing_to_vary(study)
    rules = [replace(settings, count_rule=rule) for rule in get_args(CountRule)]
    beyond = max(settings.threshold, min(2, study.largest_threshold))
    directions = [replace(settings, threshold=beyond, direction=arg) for arg in get_args(Direction)]
    points = [*rules, *directions]
    wanted = metric_of(study, metric, settings)
    grid = score_grid(study, points, metrics=[wanted], systems=systems, progress=progress)
    result = _standings(grid, wanted, points, settings)
    return result[: len(rules)], result[len(rules) :]


def tau_of(reference: Standing, other: Standing) -> float:
    """Kendall's tau-b of the means of two settings over the systems that have both, -1 to 1.

    1: the same order. NaN with fewer than two such systems, or where all of one setting are equal.
    """
    pairs = [(reference.mean(name).mean, other.mean(name).mean) for name in reference.order]
    known = np.array([pair for pair in pairs if isfinite(pair[0]) and isfinite(pair[1])], float)
    return kendall(known[:, 0], known[:, 1]) if len(known) > 1 else nan


def _standings(
    grid: GridScores, metric: Metric, points: Sequence[Settings], settings: Settings
) -> tuple[Standing, ...]:
    """The standing at every point; points that amount to the same are computed once."""
    different = list(dict.fromkeys(map(effective, points)))
    scores = [grid.at(point, name, metric) for point in different for name in grid.systems]
    flat, n = summarise_all(scores, settings=settings), len(grid.systems)
    means = [flat[i * n : (i + 1) * n] for i in range(len(different))]
    order = [best_first(grid.systems, [interval.merit for interval in row]) for row in means]
    leads = [_lead(grid, metric, p, row, settings) for p, row in zip(different, order, strict=True)]
    columns, groups = [column for column, _ in leads], [of for _, of in leads]
    ends = intervals(columns, groups, settings=settings, level=LEVEL, n_resamples=N_BOOTSTRAP, seed=0)
    result = {
        point: Standing(
            point, tuple(grid.systems[i] for i in row), tuple(values[i] for i in row), mean_of(column), *end
        )
        for point, row, values, column, end in zip(different, order, means, columns, ends, strict=True)
    }
    return tuple(replace(result[effective(point)], settings=point) for point in points)


def _lead(
    grid: GridScores, metric: Metric, point: Settings, order: Sequence[int], settings: Settings
) -> tuple[Floats, Ints | None]:
    """The first system minus the second, query by query, and their groups; nothing without a second."""
    if len(order) < 2:
        return np.empty(0), None
    first, second = (grid.at(point, grid.systems[i], metric) for i in order[:2])
    return paired_differences(second, first, settings)
