"""Which measure tells systems apart? Discriminative power (Sakai 2006, doi:10.1145/1148170.1148261).

Every two systems are compared by the same paired test on the same queries under each measure. The
share of pairs that a measure separates says how much it sees with so many queries; the sorted p-values
(achieved significance levels) say how nearly it sees the rest. It does not say that what it sees is
right: a measure that always prefers one system separates everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalcore.evaluate.comparison import N_PERMUTATIONS, corrected_by, is_least, least_in_words
from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.summary import by_groups
from evalcore.evaluate.systems import lists_of, resolve_systems, with_lists
from evalcore.stats.clusters import clusters_of
from evalcore.stats.correction import CLEAR, NAMES
from evalcore.stats.levels import difference
from evalcore.stats.permutation import max_t, sign_flip_test
from evalcore.values.arrays import Array, Ints, Offsets, readonly
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Correction, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.measures.table_one import MeasureScores
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress


@dataclass(frozen=True, slots=True, eq=False)
class Power:
    """One measure's power to separate systems.

    ``p``, ``p_corrected``, ``differences`` (first minus second system): shape (pairs,), in the order of
    ``pairs``. ``separated``: pairs with corrected p below ``level``.
    """

    measure: str
    metric: str
    pairs: tuple[tuple[str, str], ...]
    differences: Floats
    p: Floats
    p_corrected: Floats
    level: float
    correction: str
    test: str
    n_queries: int
    n_resamples: int
    seed: int

    @property
    def separated(self) -> int:
        return int(np.count_nonzero(self.p_corrected < self.level))

    @property
    def share(self) -> float:
        """Separated pairs of all pairs, 0 to 1."""
        return self.separated / len(self.pairs)

    @property
    def curve(self) -> Floats:
        """The p-values of all pairs, smallest first: the ASL curve, read from its low end."""
        return np.sort(self.p)


def power_at_the_floor(powers: Sequence[Power], *, more: str = "More flips") -> str:
    """What to say where p-values of pairs are as small as so many flips allow (see `at_the_floor`)."""
    first = powers[0]
    low = [
        corrected
        for power in powers
        for p, corrected in zip(power.p.tolist(), power.p_corrected.tolist(), strict=True)
        if is_least(p, power.test, power.n_resamples)
    ]
    if not low:
        return ""
    return least_in_words(
        len(low),
        len(first.pairs) * len(powers),
        flips=first.n_resamples,
        least=min(low),
        correction=f"{first.correction} per measure",
        more=more,
    )


def discriminative_power(
    scores: MeasureScores,
    *,
    level: float = CLEAR,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> tuple[Power, ...]:
    """How many pairs of systems does each measure separate?

    Parameters
    ----------
    scores
        Systems under measures over common queries (see `score_under`).
    level
        A pair counts as separated when its p, corrected over all pairs of systems of the same measure (by
        ``correction``, see `compare_all`), lies below.
    n_resamples, seed
        Sign flips of the paired permutation test; all measures share them, as they share the queries.

    Returns
    -------
    one `Power` per measure, in their order; p is NaN without queries.

    Raises
    ------
    InputError
        Fewer than two systems.
    SettingError
        A level outside 0 to 1.
    """
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)
    if len(scores.systems) < 2:
        raise InputError("Discriminative power takes at least two systems.")
    first, second = np.triu_indices(len(scores.systems), 1)
    columns = difference(scores.values[first], scores.values[second])
    n_pairs, n_queries, n_measures = columns.shape
    flat = columns.transpose(1, 2, 0).reshape(n_queries, n_measures * n_pairs)
    # The stream of the paired comparisons: the same pair has the same p on every page.
    if scores.groups is not None:
        flat = clusters_of(flat, scores.groups).sums
    test = sign_flip_test(flat, n_resamples=n_resamples, rng=np.random.default_rng((seed, 1)))
    p = test.p.reshape(n_measures, n_pairs)
    pairs = tuple(combinations(scores.systems, 2))
    means = scores.means
    if correction == "maxt":
        of_measure = flat.reshape(-1, n_measures, n_pairs).transpose(1, 0, 2) if n_queries else ()
        corrected = [
            max_t(pairs, n_resamples=n_resamples, rng=np.random.default_rng((seed, 1)))
            for pairs in of_measure
        ] or list(p)
    else:
        corrected = [corrected_by(correction, of_pairs) for of_pairs in p]
    return tuple(
        Power(
            measure,
            scores.metrics[j],
            pairs,
            means[first, j] - means[second, j],
            p[j],
            corrected[j],
            level,
            NAMES[correction],
            test.method + by_groups(scores.grouped_by, scores.groups),
            n_queries,
            test.n_resamples,
            seed,
        )
        for j, measure in enumerate(scores.measures)
    )


# Which queries and which pairs of images are looked at when all of them would take too long.

Drawn = Literal["images", "results"]
"""``images``: any query with any candidate; ``results``: a query with an image some system returned."""
N_PAIRS = 10_000
RESULT_DEPTH = 10
QUERIES_RANKED = 2_000
"""Queries whose results are looked up for a sample of results."""


@dataclass(frozen=True, slots=True, eq=False)
class PairSample:
    """Distinct (query, candidate) pairs, by query and candidate; shapes (m,).

    ``population`` is how many pairs they were drawn from: all are here when it equals m.
    ``n_queries``: queries whose pairs could be drawn.
    """

    queries: Ints
    candidates: Ints
    drawn: Drawn
    population: int
    n_queries: int
    seed: int

    def __len__(self) -> int:
        return len(self.queries)


def sample_queries(study: Study, *, n: int | None, seed: int = 0) -> Ints:
    """``n`` of the study's queries, drawn without replacement, ascending; all when None or fewer exist."""
    if n is not None and n < 1:
        raise SettingError("n", "an integer >= 1, or None for all queries", n)
    return study.queries if n is None else some_of(study.queries, n, np.random.default_rng(seed))


def some_of(values: Array, n: int, rng: np.random.Generator) -> Array:
    """``n`` of these ascending, different values, drawn without replacement; all when fewer exist."""
    if len(values) <= n:
        return values
    drawn: Any = values[np.sort(rng.choice(len(values), n, replace=False))]
    some: Array = readonly(drawn)
    return some


def sample_pairs(
    study: Study,
    *,
    drawn: Drawn = "images",
    n: int = N_PAIRS,
    systems: Sequence[str] | None = None,
    depth: int = RESULT_DEPTH,
    settings: Settings = Settings(),
    seed: int = 0,
    progress: Progress | None = None,
) -> PairSample:
    """Image pairs to compare relevance measures on.

    Parameters
    ----------
    drawn
        "images": every annotated query with every annotated candidate is equally likely. "results":
        pairs that at least one of the systems returned among its first ``depth``, for at most
        2,000 queries (drawn with the same seed).
    n
        Maximum number of pairs; all there are when fewer. No pair twice, no image with itself.
    systems
        For "results"; None for all of the study.

    Raises
    ------
    InputError
        "results" of a study without systems, or there is no pair at all.
    """
    if n < 1:
        raise SettingError("n", "an integer >= 1", n)
    rng = np.random.default_rng((seed, 2))
    if drawn == "results":
        codes, queries = _returned(study, systems, depth, settings, seed, progress)
        population = len(codes)
        sample = some_of(codes, n, rng)
    else:
        queries = study.queries[study.concepts.annotated[study.queries]]
        sample, population = _any_pairs(study, queries, n, rng)
    if not len(sample):
        raise InputError("There is no pair of annotated images to compare the measures on.")
    at, candidate = np.divmod(sample, len(study.image_ids))
    return PairSample(
        readonly(at.astype(np.int32)),
        readonly(candidate.astype(np.int32)),
        drawn,
        population,
        len(queries),
        seed,
    )


def _any_pairs(study: Study, queries: Ints, n: int, rng: np.random.Generator) -> tuple[Offsets, int]:
    """Codes (query * images + candidate) of up to n pairs of different images, and how many there are."""
    candidates = study.candidates[study.concepts.annotated[study.candidates]]
    cells, images = len(queries) * len(candidates), len(study.image_ids)
    population = cells - int(np.isin(queries, candidates).sum())
    # A few more than wanted: cells on the diagonal are images with themselves.
    wanted = n + len(queries) if population > n else cells
    cell = np.arange(cells) if wanted >= cells else rng.choice(cells, wanted, replace=False)
    rows, columns = np.divmod(cell.astype(np.int64), max(len(candidates), 1))
    pairs = queries[rows].astype(np.int64) * images + candidates[columns]
    pairs = pairs[queries[rows] != candidates[columns]]
    if wanted >= cells and population > n:
        pairs = rng.choice(pairs, n, replace=False)
    return np.sort(pairs[:n] if population > n else pairs), population


def _returned(
    study: Study,
    systems: Sequence[str] | None,
    depth: int,
    settings: Settings,
    seed: int,
    progress: Progress | None,
) -> tuple[Offsets, Ints]:
    """Codes of all pairs the systems return, ascending, and the queries looked at."""
    chosen = with_lists(resolve_systems(study, systems))
    annotated = study.queries[study.concepts.annotated[study.queries]]
    few = some_of(annotated, QUERIES_RANKED, np.random.default_rng((seed, 3)))
    pool = pool_of(study, (), few, settings)
    codes = []
    for place, system in enumerate(chosen):
        lists = lists_of(study, system, pool, few, depth=depth, settings=settings)
        rows = (lists.ranks <= depth) & (lists.candidates >= 0) & (lists.candidates != lists.query_of_row)
        codes.append(
            lists.query_of_row[rows].astype(np.int64) * len(study.image_ids) + lists.candidates[rows]
        )
        if progress is not None:
            progress((place + 1) / len(chosen), system.name)
    return np.unique(np.concatenate(codes)), few
