"""Matched pairs batch by batch: the figure that some papers print, and how far it lies from the gallery's.

Where each query looks among the matches of its own batch only, most of the gallery cannot come before them,
and the smaller the batch, the better any system looks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.policy import average, counted
from evalcore.evaluate.scoring import score
from evalcore.evaluate.targets import metrics_of
from evalcore.values.arrays import frozen
from evalcore.values.errors import SettingError
from evalcore.values.own_queries import PAIRS
from evalcore.values.progress import part_of, silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ranking.metrics import Metric
    from evalcore.values.model import Scores, Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings


@dataclass(frozen=True, slots=True)
class BatchWise:
    """A measure of matched pairs by batches of ``batch`` queries, and over the ``whole`` gallery.

    ``n``: queries that count, in ``n_batches``; the last batch may be smaller.
    """

    system: str
    metric: str
    batch: int
    batchwise: float
    whole: float
    n: int
    n_batches: int

    @property
    def inflation(self) -> float:
        """Batch-wise less whole gallery."""
        return self.batchwise - self.whole


def in_batches(
    study: Study,
    scores: Sequence[Scores],
    *,
    batch: int,
    settings: Settings,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[BatchWise, ...]:
    """The measures of matched pairs among ``scores``, again with each query among the matches of its batch.

    Queries are shuffled by the seed and cut into batches; a batch's candidates are what its queries are
    matched with. ``scores`` over the whole gallery; those of other measures are passed over.

    Raises
    ------
    SettingError
        A batch of fewer than two, or no measure of matched pairs among the scores.
    """
    if batch < 2:
        raise SettingError("batch", "a whole number from 2", batch)
    systems = list(dict.fromkeys(one.system for one in scores))
    metrics = _of_pairs(study, scores, settings)
    assert study.pairs is not None, "measures of pairs were scored"
    asked = study.queries[study.pairs.paired[study.queries]]
    order = np.random.default_rng(seed).permutation(asked)
    inside = np.zeros(len(study.image_ids), np.bool_)
    inside[study.candidates] = True
    values: dict[tuple[str, str], list[np.ndarray]] = {}
    starts = range(0, len(order), batch)
    for place, first in enumerate(starts):
        queries = np.sort(order[first : first + batch])
        matched = np.unique(np.concatenate([study.pairs.of(query) for query in queries.tolist()]))
        part = replace(study, queries=frozen(queries), candidates=frozen(matched[inside[matched]]))
        if not len(part.candidates):
            continue
        show = part_of(progress, place, len(starts)) or silent
        for one in score(part, metrics, systems=systems, settings=settings, progress=show):
            values.setdefault((one.system, one.metric), []).append(counted(one, settings)[1])
    return tuple(
        BatchWise(
            one.system,
            one.metric,
            batch,
            average(one.metric, np.concatenate(of)),
            average(one.metric, counted(one, settings)[1]),
            sum(map(len, of)),
            len(of),
        )
        for one in scores
        if (of := values.get((one.system, one.metric)))
    )


def _of_pairs(study: Study, scores: Sequence[Scores], settings: Settings) -> list[Metric]:
    named = list(dict.fromkeys(one.metric for one in scores))
    metrics = [one for one in metrics_of(study, named, settings) if one.labels == (PAIRS,)]
    if not metrics or study.pairs is None:
        raise SettingError(
            "batch", f"given with a measure of matched pairs, such as R@5 or MedR({PAIRS})", named
        )
    return metrics
