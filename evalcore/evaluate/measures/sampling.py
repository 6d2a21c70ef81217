"""Which queries and which pairs of images are looked at when all of them would take too long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.systems import lists_of, resolve_systems, with_lists
from evalcore.values.arrays import Array, Ints, Offsets, frozen
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Study
    from evalcore.values.progress import Progress

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
    some: Array = frozen(drawn)
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
        frozen(at.astype(np.int32)), frozen(candidate.astype(np.int32)), drawn, population, len(queries), seed
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
    study: Study, systems: Sequence[str] | None, depth: int, settings: Settings, seed: int,
    progress: Progress | None,
) -> tuple[Offsets, Ints]:  # fmt: skip
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
