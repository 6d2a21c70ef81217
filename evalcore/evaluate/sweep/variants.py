"""nn-IoU metrics under many settings at once: what no setting changes is ranked and counted once."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore import engine
from evalcore.evaluate.judged import condensed
from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.scoring import BlockScores, of_system, query_blocks, score, score_block, span
from evalcore.evaluate.systems import Lists, System, lists_of, with_lists
from evalcore.evaluate.targets import depth_needed, gains_of, ideal_depth, ideal_gains
from evalcore.ranking.metrics import METRICS, Metric, Target
from evalcore.relevance.registry import parse_relevance
from evalcore.stats.levels import difference
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import Run, Scores, Study
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.values.model import RelevanceCounts
    from evalcore.values.progress import Progress

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
