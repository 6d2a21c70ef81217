"""What other concepts do to the systems: scores and order under the given and under the found ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.wanted import metric_of
from evalcore.stats.correlation import kendall
from evalcore.stats.levels import levels_of
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import DEFINED, ConceptSets
from evalcore.values.progress import stages
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.values.arrays import Ints
    from evalcore.values.model import Interval, Scores, Study
    from evalcore.values.progress import Progress


@dataclass(frozen=True, slots=True)
class Standing:
    """One system: its mean and its place under the given concepts and under those found."""

    system: str
    given: Interval
    found: Interval
    place_given: int
    place_found: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The systems under one metric, best under the given concepts first, over ``n_queries`` that have a value
    under both.

    ``n_given``, ``n_found``: queries with a value under the one and the other. ``swaps``: pairs of systems in
    the other order. ``tau``: Kendall's tau-b of the means, NaN for fewer than two systems.
    """

    metric: str
    systems: tuple[Standing, ...]
    swaps: tuple[tuple[str, str], ...]
    tau: float
    n_queries: int
    n_given: int
    n_found: int

    @property
    def n_pairs(self) -> int:
        """Pairs of systems."""
        return len(self.systems) * (len(self.systems) - 1) // 2


def with_concepts(study: Study, found: Mapping[str, Iterable[str] | None]) -> Study:
    """The study with other concepts; images that ``found`` does not name are not annotated.

    InputError when it names no image of the study.
    """
    if not any(image in found for image in study.image_ids):
        raise InputError("None of the images with concepts found is in the study. Compare the ids.")
    concepts = ConceptSets.of({image: found.get(image) for image in study.image_ids})
    return replace(study, concepts=concepts, digest=digest_of(study.digest, "concepts", concepts.digest))


def standings(
    study: Study, found: Mapping[str, Iterable[str] | None], *, metrics: Sequence[str],
    systems: Sequence[str] | None = None, settings: Settings = Settings(), level: float = 0.95, seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Standings, ...]:  # fmt: skip
    """Would other concepts order the systems otherwise? One answer per metric, over the same queries.

    Raises what `evaluate.score` raises, and what `with_concepts` does.
    """
    names = list(study.systems if systems is None else systems)
    study = limited(study, names, settings=settings)
    both = (study, with_concepts(study, found))
    wanted = [metric_of(study, one, settings) for one in metrics]
    steps = [None, None] if progress is None else stages(progress, 1, 1)
    scored = [
        score(one, metrics=wanted, systems=names, settings=settings, progress=step)
        for one, step in zip(both, steps, strict=True)
    ]
    return tuple(
        _standings(
            [[one for one in some if one.metric == metric] for some in scored], metric, settings, level, seed
        )
        for metric in dict.fromkeys(one.metric for one in scored[0])
    )


def _standings(
    scored: Sequence[Sequence[Scores]], metric: str, settings: Settings, level: float, seed: int
) -> Standings:
    defined = [_common(some) for some in scored]
    common: Ints = np.intersect1d(defined[0], defined[1])
    means = [
        summarise_all([_over(one, common) for one in some], settings=settings, level=level, seed=seed)
        for some in scored
    ]
    values = [np.array([one.mean for one in some]) for some in means]
    places = [_places(some) for some in values]
    rows = [
        Standing(one.system, means[0][k], means[1][k], places[0][k], places[1][k])
        for k, one in enumerate(scored[0])
    ]
    swaps = tuple(
        (rows[i].system, rows[j].system)
        for i, j in combinations(range(len(rows)), 2)
        if (places[0][i] - places[0][j]) * (places[1][i] - places[1][j]) < 0
    )
    order = sorted(range(len(rows)), key=lambda k: places[0][k])
    tau = kendall(values[0], values[1]) if len(rows) > 1 and len(common) else float("nan")
    return Standings(
        metric, tuple(rows[k] for k in order), swaps, tau, len(common), len(defined[0]), len(defined[1])
    )


def _common(scores: Sequence[Scores]) -> Ints:
    """The queries for which every system has a value."""
    return reduce(np.intersect1d, [one.queries[one.reasons == DEFINED] for one in scores])


def _over(scores: Scores, queries: Ints) -> Scores:
    """The scores of these queries only."""
    kept = np.isin(scores.queries, queries)
    groups = None if scores.groups is None else scores.groups[kept]
    ceiling = None if scores.ceiling is None else scores.ceiling[kept]
    return replace(
        scores, queries=scores.queries[kept], values=scores.values[kept], reasons=scores.reasons[kept],
        groups=groups, ceiling=ceiling, seeds=(),
    )  # fmt: skip


def _places(values: np.ndarray) -> list[int]:
    """1 for the best; systems with level means share a place."""
    levels = levels_of(-values)
    return [1 + int(np.count_nonzero(levels < level)) for level in levels]
