"""The queries that IoU and nn-IoU serve differently: the "isolated subset" of arXiv 2506.13509.

The paper runs its ablation "on an isolated subset of ROCOv2 where IoU and nn-IoU exhibit inconsistent
performance" and does not say how it was drawn. Either reading selects by outcome: what one relevance
gains over the other there overstates what it gains over all queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore import engine
from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.scoring import score
from evalcore.evaluate.sweep.variants import SWEPT
from evalcore.ranking.metrics import Metric
from evalcore.stats.levels import difference
from evalcore.values.arrays import Ints
from evalcore.values.errors import SettingError
from evalcore.values.model import Scores, Study
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Run
    from evalcore.values.progress import Progress

Isolation = Literal["p_at_k_differs", "topk_differs"]
BY_IOU, BY_NN_IOU = "@iou", f"@{SWEPT}"


def isolated(
    study: Study,
    metrics: Sequence[Metric],
    *,
    settings: Settings,
    definition: Isolation = "p_at_k_differs",
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
        "p_at_k_differs": the value of the metric differs. "topk_differs": the first K results are not
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
    if definition == "p_at_k_differs":
        by_iou, by_nn = outcomes(study, metrics, settings=settings, progress=progress)
        return {m: differing(a, b) for m, a, b in zip(metrics, by_iou, by_nn, strict=True)}
    if definition != "topk_differs":
        raise SettingError("subset", "one of all, p_at_k_differs, topk_differs", definition)
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
        raise SettingError("subset", f"p_at_k_differs for {metric}, which has no cutoff", "topk_differs")
    pool = pool_of(study, metric.labels, study.queries, settings)
    lists = [
        engine.rank(
            study, relevance, pool.queries, candidates=pool.candidates, depth=metric.cutoff,
            settings=settings, progress=part_of(progress, i, 2),
        )
        for i, relevance in enumerate(("iou", SWEPT))
    ]  # fmt: skip
    mine, other = (_pairs(run, len(study.image_ids)) for run in lists)
    differ = np.setxor1d(mine, other, assume_unique=True) // len(study.image_ids)
    return np.unique(differ).astype(np.int32)


def _pairs(run: Run, n_images: int) -> Ints:
    """Every (query, result) as one number."""
    queries = np.repeat(run.queries, np.diff(run.indptr)).astype(np.int64)
    return queries * n_images + run.candidates
