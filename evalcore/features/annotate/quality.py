"""How good are concepts found in captions? Precision, recall and F1 against the concepts an image was given.

Counted over all pairs of image and concept (micro), as the mean over images, and concept by concept. An image
with nothing found has no precision, one with nothing given no recall, one with neither no F1: these are left
out of the means over images. Intervals are percentiles of a bootstrap over images, or over whole groups of
them; every figure is a quotient of two sums over images, drawn together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.targets import metric_of
from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.correlation import kendall
from evalcore.stats.levels import levels_of
from evalcore.stats.sums import Cut, column_sums, cut, weighted_sums
from evalcore.values.arrays import Floats, Ints, digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import DEFINED, ConceptSets
from evalcore.values.progress import stages
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from evalcore.values.model import Interval, Scores, Study
    from evalcore.values.progress import Progress

N_RESAMPLES = 2_000


class Estimate(NamedTuple):
    """A value and the ends of its interval; NaN where there is none."""

    value: float
    low: float
    high: float


class Three(NamedTuple):
    """Of what was found how much was given, of what was given how much was found, and both together."""

    precision: Estimate
    recall: Estimate
    f1: Estimate


@dataclass(frozen=True, slots=True)
class ConceptQuality:
    """One concept: images it was given to, found in, and both. ``named``: it has a name to look for, None
    where nobody says."""

    concept: str
    given: int
    found: int
    both: int
    named: bool | None
    scores: Three


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what was given can be found at all: concepts that have a name, and how often they occur.

    ``recall``: of the occurrences of these concepts, how much was found (NaN without any).
    """

    named: int
    concepts: int
    named_occurrences: int
    occurrences: int
    recall: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How good the concepts of ``n_images`` are; ``left_out``: images nobody gave concepts to.

    ``not_annotated``: images compared for which nothing was found to say; they count as without concepts.
    """

    micro: Three
    per_image: Three
    concepts: tuple[ConceptQuality, ...]
    coverage: Coverage | None
    n_images: int
    left_out: int
    not_annotated: int
    n_groups: int
    level: float
    n_resamples: int
    seed: int


def quality(
    given: Mapping[str, Iterable[str] | None],
    result: Mapping[str, Iterable[str] | None],
    *,
    named: Collection[str] | None = None,
    groups: Mapping[str, int] | None = None,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
) -> Quality:
    """How well do the concepts found agree with those given?

    Parameters
    ----------
    given, found : {image: concepts}, None for "not annotated". Images not given any are left out; those
        missing from ``found`` count as if nothing was found.
    named : the concepts that have a name to look for, for the coverage.
    groups : {image: number of its group}; images without one, or -1, are independent.
    """
    images = sorted(image for image, some in given.items() if some is not None)
    sets = [(frozenset(given[image] or ()), frozenset(result.get(image) or ())) for image in images]
    both = np.array([len(a & b) for a, b in sets], float)
    n_given, n_found = (np.array([len(pair[side]) for pair in sets], float) for side in (0, 1))
    of_group = _numbers(images, groups)
    draw = _Draw(of_group, level, n_resamples, seed)
    sums = np.column_stack([both, both, 2 * both])
    sizes = np.column_stack([n_found, n_given, n_found + n_given])
    with np.errstate(invalid="ignore"):
        each = np.where(sizes > 0, sums / sizes, 0.0)
    concepts = sorted({one for pair in sets for some in pair for one in some})
    counts = _by_concept(sets, concepts)
    return Quality(
        micro=Three(*draw.quotients(sums, sizes)),
        per_image=Three(*draw.quotients(each, (sizes > 0).astype(float))),
        concepts=_concepts(concepts, counts, named, draw),
        coverage=None if named is None else _coverage(sets, named),
        n_images=len(images),
        left_out=len(given) - len(images),
        not_annotated=sum(result.get(image) is None for image in images),
        n_groups=0 if groups is None else len(np.unique(of_group)),
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )


class _Draw:
    """The same resamples for every figure."""

    def __init__(self, of_group: Ints, level: float, n_resamples: int, seed: int) -> None:
        self._of_group, self._seed = of_group, seed
        self._n, self._resamples = int(of_group.max(initial=-1)) + 1, n_resamples
        tail = (1 - level) / 2
        self._ends = (tail, 1 - tail)

    def quotients(self, sums: Any, sizes: Any) -> list[Estimate]:
        """Column by column the sum of ``sums`` over that of ``sizes``, shape (n, m), dense or sparse."""
        above, below = self._grouped(sums), self._grouped(sizes)
        values = _quotient(_total(above), _total(below))
        ends = np.full((2, len(values)), np.nan)
        if self._n > 1:
            drawn = np.empty((self._resamples, len(values)))
            above, below = (cut(one) if isinstance(one, np.ndarray) else one for one in (above, below))
            rng = np.random.default_rng(self._seed)
            for rows, weights in resampled_weights(self._n, self._resamples, rng):
                drawn[rows] = _quotient(_weighted(weights, above), _weighted(weights, below))
            some = ~np.isnan(drawn).all(axis=0)
            ends[:, some] = np.nanquantile(drawn[:, some], self._ends, axis=0)
        return [Estimate(*map(float, one)) for one in zip(values, *ends, strict=True)]

    def _grouped(self, columns: Any) -> Any:
        """The sum of each group."""
        if self._n == len(self._of_group):
            return columns

        n = len(self._of_group)
        member = sparse.csr_array((np.ones(n), (self._of_group, np.arange(n))), shape=(self._n, n))
        return member @ columns


def _weighted(weights: Floats, columns: Any) -> Floats:
    """Sums, exact in any order: of counts, which are whole numbers, and of columns that were `cut`."""
    if isinstance(columns, Cut):
        return weighted_sums(weights, columns)
    summed: Floats = np.asarray(weights @ columns)
    return summed


def _total(columns: Any) -> Floats:
    return column_sums(columns) if isinstance(columns, np.ndarray) else np.asarray(columns.sum(axis=0))


def _quotient(above: Floats, below: Floats) -> Floats:
    quotient: Floats = np.full(np.shape(above), np.nan)
    return np.divide(above, below, out=quotient, where=below > 0)


def _numbers(images: list[str], groups: Mapping[str, int] | None) -> Ints:
    """The group of each image, numbered from 0 without gaps; images without one are their own."""
    if groups is None:
        return np.arange(len(images), dtype=np.int32)
    keys = [
        ("group", str(number)) if (number := groups.get(image, -1)) >= 0 else ("image", image)
        for image in images
    ]
    order = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return np.array([order[key] for key in keys], np.int32)


def _by_concept(sets: list[tuple[frozenset[str], frozenset[str]]], concepts: list[str]) -> tuple[Any, Any]:
    """Which images were given each concept, and in which it was found, shape (n, m)."""
    code = {concept: place for place, concept in enumerate(concepts)}
    made = []
    for side in (0, 1):
        cells = [(row, code[one]) for row, pair in enumerate(sets) for one in pair[side]]
        rows, columns = zip(*cells, strict=True) if cells else ((), ())
        shape = (len(sets), len(concepts))
        made.append(sparse.csr_array((np.ones(len(cells)), (list(rows), list(columns))), shape=shape))
    return made[0], made[1]


def _concepts(
    concepts: list[str], counts: tuple[Any, Any], named: Collection[str] | None, draw: _Draw
) -> tuple[ConceptQuality, ...]:
    """Concept by concept, the one given most often first."""
    if not concepts:
        return ()
    given, result = counts
    both = given * result
    scores = zip(
        draw.quotients(both, result),
        draw.quotients(both, given),
        draw.quotients(2 * both, given + result),
        strict=True,
    )
    n_given, n_found, n_both = (_total(one).astype(int).tolist() for one in (given, result, both))
    rows = [
        ConceptQuality(
            concept,
            n_given[k],
            n_found[k],
            n_both[k],
            None if named is None else concept in named,
            Three(*three),
        )
        for k, (concept, three) in enumerate(zip(concepts, scores, strict=True))
    ]
    return tuple(sorted(rows, key=lambda row: (-row.given, -row.found, row.concept)))


def _coverage(sets: list[tuple[frozenset[str], frozenset[str]]], named: Collection[str]) -> Coverage:
    known = frozenset(named)
    given = [one for pair in sets for one in pair[0]]
    able = [one for one in given if one in known]
    caught = sum(len(pair[0] & pair[1] & known) for pair in sets)
    return Coverage(
        len({*able}), len({*given}), len(able), len(given), caught / len(able) if able else float("nan")
    )


# What other concepts do to the systems: scores and order under the given and under the found ones.


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


def with_concepts(study: Study, result: Mapping[str, Iterable[str] | None]) -> Study:
    """The study with other concepts; images that ``found`` does not name are not annotated.

    InputError when it names no image of the study.
    """
    if not any(image in result for image in study.image_ids):
        raise InputError("None of the images with concepts found is in the study. Compare the ids.")
    concepts = ConceptSets.of({image: result.get(image) for image in study.image_ids})
    return replace(study, concepts=concepts, digest=digest_of(study.digest, "concepts", concepts.digest))


def standings(
    study: Study,
    result: Mapping[str, Iterable[str] | None],
    *,
    metrics: Sequence[str],
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Standings, ...]:
    """Would other concepts order the systems otherwise? One answer per metric, over the same queries.

    Raises what `evaluate.score` raises, and what `with_concepts` does.
    """
    names = list(study.systems if systems is None else systems)
    study = limited(study, names, settings=settings)
    both = (study, with_concepts(study, result))
    wanted = [metric_of(study, metric, settings) for metric in metrics]
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
    return reduce(np.intersect1d, [score.queries[score.reasons == DEFINED] for score in scores])


def _over(scores: Scores, queries: Ints) -> Scores:
    """The scores of these queries only."""
    kept = np.isin(scores.queries, queries)
    groups = None if scores.groups is None else scores.groups[kept]
    ceiling = None if scores.ceiling is None else scores.ceiling[kept]
    return replace(
        scores,
        queries=scores.queries[kept],
        values=scores.values[kept],
        reasons=scores.reasons[kept],
        groups=groups,
        ceiling=ceiling,
        seeds=(),
    )


def _places(values: np.ndarray) -> list[int]:
    """1 for the best; systems with level means share a place."""
    levels = levels_of(-values)
    return [1 + int(np.count_nonzero(levels < level)) for level in levels]
