"""What a system returned for one query, with the scores every card shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore import engine
from evalcore.ui.components.worth import Mark, marks
from evalcore.ui.frame import cache
from evalcore.values.arrays import Ints

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.arrays import Floats
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings


@dataclass(frozen=True, slots=True)
class Result:
    """One returned image. ``image`` is its index, -1 for an id the study does not know.

    ``rank`` is 1-based; ``elsewhere`` its rank in the list it is held against, None when it is not among
    the results looked at there; ``also_in``: how many of the other lists hold it. ``iou``,
    ``nn_iou`` and ``cosine`` are NaN where they do not exist. ``mark``: whether it counts under the chosen
    measure, None where none was named.
    """

    image: int
    rank: int
    elsewhere: int | None
    iou: float
    nn_iou: float
    cosine: float
    mark: Mark | None = None
    also_in: int = 0

    @property
    def shared(self) -> bool:
        return self.also_in > 0 or self.elsewhere is not None

    @property
    def climbed(self) -> int:
        """Places higher (positive) or lower (negative) than in the other list; 0 when not shared."""
        return 0 if self.elsewhere is None else self.elsewhere - self.rank


def side_by_side(
    study: Study, query: int, systems: Sequence[str], *, depth: int, settings: Settings,
    metric: str | None = None,
) -> list[tuple[list[Result], int]]:  # fmt: skip
    """Of each system its first ``depth`` results, and how many it returned in all.

    Of two systems each is held against the other; of more, all are held against the first, and the first
    against none. ``metric``: the label of the measure they are marked by; None for no marks.
    """
    answers = [cache.answer(study, name, query, settings) for name in systems]
    ranks = [_ranks(of[:depth]) for of in answers]
    holders = Counter(image for one in ranks for image in one)
    found = []
    for place, (name, answer) in enumerate(zip(systems, answers, strict=True)):
        other = 0 if place else 1 if len(systems) == 2 else None
        elsewhere = {} if other is None else ranks[other]
        rows = _results(study, query, name, answer[:depth], elsewhere, holders, settings, metric)
        found.append((rows, len(answer)))
    return found


def _ranks(images: Ints) -> dict[int, int]:
    return {int(image): rank for rank, image in enumerate(images, start=1) if image >= 0}


def _results(
    study: Study, query: int, system: str, images: Ints, elsewhere: Mapping[int, int],
    holders: Mapping[int, int], settings: Settings, metric: str | None,
) -> list[Result]:  # fmt: skip
    relevances = (
        "iou", "nn-iou" if study.knows_neighbours else None,
        f"cosine:{system}" if system in study.embeddings else None,
    )  # fmt: skip
    values = np.column_stack([_values(study, name, query, images, settings) for name in relevances])
    by_metric = [None] * len(images) if metric is None else marks(study, metric, query, images, settings)
    rows = zip(images.tolist(), values.tolist(), by_metric, strict=True)
    return [
        Result(image, rank, elsewhere.get(image), iou, near, alike, mark, max(holders.get(image, 0) - 1, 0))
        for rank, (image, (iou, near, alike), mark) in enumerate(rows, start=1)
    ]


def _values(study: Study, relevance: str | None, query: int, images: Ints, settings: Settings) -> Floats:
    """How relevant these images are for a query; NaN where the study cannot say."""
    if relevance is None or not len(images):
        return np.full(len(images), np.nan)
    queries = np.full(len(images), query, np.int32)
    return engine.relevance_of_pairs(study, relevance, queries, images, settings)
