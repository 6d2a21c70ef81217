"""Do similarities of concepts order pairs as people do? Spearman's rho with mean ratings, and its interval.

Over the pairs whose two concepts a similarity knows; a pair that nothing connects has similarity 0 and stays,
since "nothing in common" is an answer too. Which pairs are known differs between similarities: rho of two of
them can be compared only where their numbers of pairs agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.relevance.concept_pairs import concept_similarities, similarity_of_pairs
from evalcore.relevance.concept_vectors import concept_measure
from evalcore.stats.bootstrap import percentile_bounds, spearman_resamples
from evalcore.stats.correlation import spearman
from evalcore.study.concept_ratings import concepts_of
from evalcore.values.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.study.tables.schema import Rows
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Study

N_RESAMPLES = 1_000
MIN_PAIRS = 3
"""Fewest known pairs that have a correlation."""


@dataclass(frozen=True, slots=True)
class RatedMeasure:
    """A similarity of concepts beside the ratings of ``n_pairs`` pairs of them.

    ``n_known`` of these have two known concepts, ``n_connected`` of those a path between them. ``spearman``
    over the known pairs, with the ends of its interval; ``spearman_connected`` over the connected ones. NaN
    where fewer than three pairs, or pairs all alike, say nothing.
    """

    measure: str
    title: str
    relatedness: bool
    n_pairs: int
    n_known: int
    n_connected: int
    spearman: float
    ci_low: float
    ci_high: float
    spearman_connected: float


def against_ratings(
    study: Study, ratings: Rows, measures: Sequence[str] | None = None, *, level: float = 0.95, seed: int = 0
) -> tuple[RatedMeasure, ...]:
    """Every similarity of concepts of a study (or those named) beside ratings by people, as
    `study.concept_ratings` reads them.

    The interval is the middle ``level`` of rho under 1,000 draws of the known pairs. Highest first,
    similarities without a value last.

    Raises
    ------
    UnknownName
        The study has no such similarity.
    """
    there = concept_similarities(study)
    for name in measures or ():
        if name not in there:
            raise UnknownName("similarity of two concepts", name, there)
    result = [_beside(study, ratings, name, level, seed) for name in measures or there]
    return tuple(sorted(result, key=lambda row: -row.spearman if row.spearman == row.spearman else 2.0))


def _beside(study: Study, ratings: Rows, name: str, level: float, seed: int) -> RatedMeasure:
    values, connected = similarity_of_pairs(study, name, *concepts_of(ratings))
    means = ratings.numbers("mean")
    known = ~np.isnan(values)
    x, y = values[known], means[known]
    rho, low, high = _rho(x, y), float("nan"), float("nan")
    if rho == rho:
        drawn = spearman_resamples(
            x[:, np.newaxis], y, np.arange(len(x)), n_resamples=N_RESAMPLES, rng=np.random.default_rng(seed)
        )
        low, high = (float(end[0]) for end in percentile_bounds(drawn, level=level))
    similarity = concept_measure(name)
    return RatedMeasure(
        name,
        similarity.title,
        similarity.relatedness,
        ratings.rows,
        int(known.sum()),
        int(connected.sum()),
        rho,
        low,
        high,
        _rho(values[connected], means[connected]),
    )


def _rho(x: Floats, y: Floats) -> float:
    return spearman(x, y) if len(x) >= MIN_PAIRS else float("nan")
