"""What a system returned for one query, with the scores every card shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore import engine
from evalcore.arrays import Ints
from evalcore.errors import CuiscopeError
from evalcore.ui.components.worth import Mark, marks
from evalcore.ui.frame import cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.arrays import Floats
    from evalcore.model import Study
    from evalcore.settings import Settings


@dataclass(frozen=True, slots=True)
class Result:
    """One returned image. ``image`` is its index, -1 for an id the study does not know.

    ``rank`` is 1-based; ``elsewhere`` its rank in the other system's list, None when it is not among
    the results looked at there. ``iou``, ``nn_iou`` and ``cosine`` are NaN where they do not exist. ``mark``:
    whether it counts under the chosen measure, None where none was named.
    """

    image: int
    rank: int
    elsewhere: int | None
    iou: float
    nn_iou: float
    cosine: float
    mark: Mark | None = None

    @property
    def shared(self) -> bool:
        return self.elsewhere is not None

    @property
    def climbed(self) -> int:
        """Places higher (positive) or lower (negative) than in the other list; 0 when not shared."""
        return 0 if self.elsewhere is None else self.elsewhere - self.rank


def side_by_side(
    study: Study,
    query: int,
    a: str,
    b: str,
    *,
    depth: int,
    settings: Settings,
    metric: str | None = None,
) -> tuple[list[Result], list[Result], tuple[int, int]]:
    """The first ``depth`` results of both systems, and how many each returned in all.

    ``metric``: the label of the measure they are marked by; None for no marks.
    """
    all_a, all_b = cache.answer(study, a, query, settings), cache.answer(study, b, query, settings)
    top_a, top_b = all_a[:depth], all_b[:depth]
    ranks_a, ranks_b = _ranks(top_a), _ranks(top_b)
    return (
        _results(study, query, a, top_a, ranks_b, settings, metric),
        _results(study, query, b, top_b, ranks_a, settings, metric),
        (len(all_a), len(all_b)),
    )


def _ranks(images: Ints) -> dict[int, int]:
    return {int(image): rank for rank, image in enumerate(images, start=1) if image >= 0}


def _results(
    study: Study, query: int, system: str, images: Ints, elsewhere: Mapping[int, int], settings: Settings,
    metric: str | None,
) -> list[Result]:  # fmt: skip
    iou = _values(study, "iou", query, images, settings)
    near = np.full(len(images), np.nan)
    if study.knows_neighbours:
        near = _values(study, "nn-iou", query, images, settings)
    own = system if system in study.embeddings else None
    alike = _values(study, f"cosine:{own}", query, images, settings) if own else np.full(len(images), np.nan)
    by_metric = [None] * len(images) if metric is None else marks(study, metric, query, images, settings)
    return [
        Result(
            int(image),
            rank,
            elsewhere.get(int(image)),
            float(iou[j]),
            float(near[j]),
            float(alike[j]),
            by_metric[j],
        )
        for j, (rank, image) in enumerate(enumerate(images, start=1))
    ]


def _values(study: Study, relevance: str, query: int, images: Ints, settings: Settings) -> Floats:
    if not len(images):
        return np.empty(0)
    queries = np.full(len(images), query, np.int32)
    try:
        return engine.relevance_of_pairs(study, relevance, queries, images, settings)
    except CuiscopeError:
        return np.full(len(images), np.nan)
