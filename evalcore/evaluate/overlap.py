"""How alike are the results of two systems? Rank-biased overlap and shared results, for every two systems.

Two lists agree at depth d by A_d = X_d / d, X_d images that both hold among their first d. Rank-biased
overlap is (1 - p) sum_d p^(d-1) A_d over all depths: a reader goes on to the next rank with chance p, so the
first ranks count most (Webber, Moffat & Zobel 2010, doi:10.1145/1852102.1852106). Lists end; the agreement
seen is taken to go on (RBO_ext, equation 32).

Alike is not good: two systems can share their mistakes. Equal scores count in the order of the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.evaluate.scoring import first_results
from evalcore.evaluate.summary import means_over_queries
from evalcore.evaluate.systems import resolve_systems
from evalcore.values.arrays import Floats, ranks_of, rows_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.progress import Progress, silent

if TYPE_CHECKING:
    from evalcore.values.model import Interval, Study
    from evalcore.values.settings import View

DEPTH, K, P = 50, 10, 0.9
"""Results looked at, results of which the shared ones are counted, and persistence, unless chosen."""
MOST_DEPTH = 1_000


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two systems over the queries to which both return something; all values from 0 to 1.

    ``rbo``: mean extrapolated rank-biased overlap. ``shared``: mean share of the first k results that both
    return. ``left_out``: queries that one of them or both leave unanswered.
    """

    a: str
    b: str
    rbo: Interval
    shared: Interval
    left_out: int


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Every two of the systems, in their order, over so many queries in all."""

    systems: tuple[str, ...]
    pairs: tuple[Overlap, ...]
    depth: int
    k: int
    p: float
    n_queries: int


def overlaps(
    study: Study, view: View, *, depth: int = DEPTH, k: int = K, p: float = P, progress: Progress = silent
) -> Overlaps:
    """How alike are the results of every two systems?

    Parameters
    ----------
    study, view
        Limited to what is compared, and the systems (see `analysis.analyse`).
    depth
        Results of each list that are looked at, 1 to `MOST_DEPTH`.
    k
        Of the first k the shared ones are counted, 1 to ``depth``; a shorter list shares fewer.
    p
        Persistence, above 0 and below 1: with 0.9 the first ten ranks have 86% of the weight.

    Returns
    -------
    Overlaps
        Images not in the study take a rank and match nothing.

    Raises
    ------
    InputError, SettingError
        Fewer than two systems, a value outside its range.
    """
    chosen = resolve_systems(study, view.systems)
    if len(chosen) < 2:
        raise InputError(
            "Overlap compares two systems or more. Select another one, or a relevance that ranks by itself, "
            "such as @iou."
        )
    _check(depth, k, p)
    queries, n_pairs = study.queries, len(chosen) * (len(chosen) - 1) // 2
    rbo, shared = np.full((n_pairs, len(queries)), np.nan), np.zeros((n_pairs, len(queries)))
    tables, loops = _tables(p, depth), import_module("evalcore.evaluate.loops")  # numba takes a while
    for block, results in first_results(study, chosen, depth, settings=view.settings, progress=progress):
        # What each system returned first, -1 behind; and how much that is.
        lists = np.full((len(chosen), len(block), depth), -1, np.int32)
        lengths = np.zeros((len(chosen), len(block)), np.int32)
        for place, result in enumerate(results):
            lengths[place] = np.diff(result.indptr)
            lists[place, rows_of(result.indptr), ranks_of(result.indptr) - 1] = result.candidates
        rows = np.searchsorted(queries, block)
        rbo[:, rows], shared[:, rows] = loops.list_overlaps(lists, lengths, len(study.image_ids), *tables, k)
    names = tuple(system.name for system in chosen)
    both = ~np.isnan(rbo)
    columns = [*rbo, *np.where(both, shared / k, np.nan)]
    # Columns over the same queries share their draws.
    how: Any = {"groups": study.groups, "settings": view.settings, "level": view.level, "seed": view.seed}
    means = means_over_queries(columns, queries, **how)
    pairs = tuple(
        Overlap(a, b, means[i], means[n_pairs + i], int(np.count_nonzero(~both[i])))
        for i, (a, b) in enumerate(combinations(names, 2))
    )
    return Overlaps(names, pairs, depth, k, p, len(queries))


def _check(depth: int, k: int, p: float) -> None:
    if not 1 <= depth <= MOST_DEPTH:
        raise SettingError("depth", f"a whole number from 1 to {MOST_DEPTH:,}", depth)
    if not 1 <= k <= depth:
        raise SettingError("k", f"a whole number from 1 to the depth ({depth:,})", k)
    if not 0 < p < 1:
        raise SettingError("p", "a number above 0 and below 1", p)


def _tables(p: float, depth: int) -> tuple[Floats, Floats]:
    """p^d for d = 0, 1, ...; the sums of p^i / i for i from 1 to d."""
    powers = np.cumprod(np.append(1.0, np.full(depth + 1, p)))
    return powers, np.append(0.0, np.cumsum(powers[1:] / np.arange(1, depth + 2)))
