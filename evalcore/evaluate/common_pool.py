"""Are systems compared on equal terms? Which images each one searches, and the study they all share.

A system that searches 166 of 1,102 images leaves out most wrong answers, and most right ones. Its values and
those of the others can be compared over *common queries and candidates* only: a study whose candidates are
the images that every system searches, so that rankings, ideals, numbers of relevant images and label pools
follow.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from evalcore import engine
from evalcore.evaluate.systems import common_queries, resolve_systems
from evalcore.values.arrays import Bools, Ints, Offsets, digest_of, expand_ranges, indptr_of, readonly
from evalcore.values.errors import SettingError
from evalcore.values.grouping import with_same_group
from evalcore.values.model import ComparedOver, Run, SearchedPool, Study, Which
from evalcore.values.settings import SameGroup, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

_RARE = 10
"""An image never returned is no wonder as long as there are fewer than so many times the unseen expected."""
_LEAST = 0.01
"""Share of the candidates that has to be missing from a run before its pool counts as smaller."""
_OFTEN = 5
"""How often a run that leaves queries unanswered has to return what it knows, on average."""
_LOOKED_AT, _PLACES, _STEP = 200, 20, 1e-4
"""Queries and results by which a run is held against its vectors, and the rounding that is let pass."""


def searched_pool(study: Study, system: str) -> SearchedPool:
    """Which of the study's candidates does a system search?

    The images it has vectors for and those it returned. A run without vectors shows its pool only where
    images are missing that it should have returned: see `_never_there`; otherwise the pool is all candidates.
    A relevance such as ``@iou`` ranks all candidates, ``@cosine:hog`` those with a vector; a fused system
    searches what any of its members searches. Where only some queries were chosen the others still show what
    a system searches.

    Raises UnknownName when there is no such system.
    """
    study = study.unfiltered or study
    (result,) = resolve_systems(study, [system])
    if result.members:
        of_each = [searched_pool(study, member.name).images for member in result.members]
        return SearchedPool(result.name, readonly(np.logical_or.reduce(of_each)), "members")
    system = result.name
    candidates = np.zeros(len(study.image_ids), np.bool_)
    candidates[study.candidates] = True
    relevance = result.relevance
    seen = np.zeros_like(candidates)
    if result.run is not None:
        run = result.run
        known = run.candidates[run.candidates >= 0]
        times = np.bincount(known, minlength=len(candidates))
        seen = times > 0
        seen[run.queries] = True
        missing = candidates & ~seen
        if _never_there(study, run, times[candidates], missing):
            return SearchedPool(system, readonly(candidates & seen), "run")
        relevance = f"cosine:{system}" if system in study.embeddings else None
    if relevance is None or not relevance.startswith("cosine:"):
        return SearchedPool(system, readonly(candidates), "all")
    with_vector = np.zeros_like(candidates)
    with_vector[study.candidates] = engine.has_relevance(study, relevance, study.candidates)
    return SearchedPool(system, readonly(candidates & (with_vector | seen)), "vectors")


def _never_there(study: Study, run: Run, times: Ints | Offsets, missing: Bools) -> bool:
    """Whether images that a run neither returns nor asks about were never among its candidates.

    Short lists leave images out by chance. How many is estimated from those returned once (f1) and twice
    (f2): about f1 (f1 - 1) / (2 (f2 + 1)), Chao 1984, bias-corrected. Ten times as many, and a hundredth of
    all candidates, have to be missing. The run must also be long enough: with room to return each candidate
    once where it answers every query, else as long as to return each of those it knows five times.
    """
    n_missing, n = int(np.count_nonzero(missing)), len(study.candidates)
    once, twice = int(np.count_nonzero(times == 1)), int(np.count_nonzero(times == 2))
    unseen = once * (once - 1) / (2 * (twice + 1))
    if n_missing <= max(_RARE * unseen, _LEAST * n):
        return False
    every_query = np.isin(study.queries, run.queries).all()
    return len(run.candidates) >= (n if every_query else _OFTEN * (n - n_missing))


class Shared(NamedTuple):
    """What the pools of some systems have in common.

    ``images``: searched by all, shape (n_images,), ``n`` of them. ``differ``: some systems search others too.
    ``usual``: what is compared unless the user chooses, the common pool where pools differ but overlap, else
    all: systems that search no two images in common have no common pool to be compared over.
    """

    images: Bools
    n: int
    differ: bool
    usual: Which


def shared_by(pools: Sequence[SearchedPool]) -> Shared:
    """Do these systems search the same images, and which do they share?"""
    images = np.logical_and.reduce([pool.images for pool in pools])
    n = int(np.count_nonzero(images))
    differ = not all(np.array_equal(images, pool.images) for pool in pools)
    return Shared(images, n, differ, "common-pool" if differ and n > 1 else "all")


def compared_over(
    study: Study,
    systems: Sequence[str] | None = None,
    *,
    which: Which | None = None,
    settings: Settings = Settings(),
    pools: tuple[SearchedPool, ...] | None = None,
) -> ComparedOver:
    """What should these systems be compared over?

    Parameters
    ----------
    systems
        Names, ``@relevance`` among them; None for all systems of the study.
    which
        None: what is usual (see `Shared`).
    pools
        Those of the systems, where they were found before.

    Returns
    -------
    ComparedOver
        With "common-pool" the candidates are those that every system searches and the queries those that
        every system answers. A run with vectors that explain its order is ranked again by them, so that no
        list is short; any other run loses the other candidates, and its lists may then hold fewer than K
        (`Scores.short`).

    Raises
    ------
    SettingError, UnknownName, InputError
        No such choice, no such system, no systems.
    """
    names = [system.name for system in resolve_systems(study, systems)]
    if which is not None and which not in get_args(Which):
        raise SettingError("queries", f"one of {', '.join(get_args(Which))}", which)
    pools = tuple(searched_pool(study, name) for name in names) if pools is None else pools
    shared, n = shared_by(pools), len(study.candidates)
    which = which or shared.usual
    compared = ComparedOver(
        which, pools, shared.n, shared.differ, n, study.queries, study.candidates, study.digest
    )
    if which == "all":
        return compared
    compared = replace(compared, queries=readonly(common_queries(study, names, settings=settings)))
    if which == "common-pool":
        compared = _within(study, compared, shared.images, settings)
    if len(compared.queries) == len(study.queries) and len(compared.candidates) == len(study.candidates):
        return compared
    # The digest of the study stays in front: it is the same study, looked at in part.
    part = digest_of(which, compared.queries, compared.candidates, compared.by_vectors, compared.filtered)
    return replace(compared, digest=f"{study.digest}+{part[:8]}")


def limited(
    study: Study,
    systems: Sequence[str] | None = None,
    *,
    queries: Which | Ints | None = None,
    same_group: SameGroup | None = None,
    settings: Settings = Settings(),
) -> Study:
    """The study with nothing in it but what these systems are compared over; ``over`` says what that is.

    The only place where this is decided, for the library, the commands and the pages. A study that carries a
    decision keeps it, whichever systems are asked about, unless ``queries`` names another.

    Parameters
    ----------
    systems
        As for `compared_over`.
    queries
        As ``which`` of `compared_over`; or image indices, ascending, for which the study keeps its queries
        and all of its candidates, and only carries that these were given.
    same_group
        "drop" leaves candidates of the query's own group out, "keep" counts them; None: as the study does,
        which is "drop" for one that was just opened. Without effect where the study names no groups.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `compared_over`; a ``same_group`` that is neither.
    """
    if same_group is not None:
        if same_group not in get_args(SameGroup):
            raise SettingError("same_group", f"one of {', '.join(get_args(SameGroup))}", same_group)
        study = with_same_group(study, same_group)
    if study.over is not None and not isinstance(queries, str):
        return study
    if queries is None or isinstance(queries, str):
        return compared_over(study, systems, which=queries, settings=settings).limit(study)
    compared = compared_over(study, systems, which="all", settings=settings)
    return replace(study, over=replace(compared, which="given", queries=queries))


def _within(study: Study, compared: ComparedOver, shared: Bools, settings: Settings) -> ComparedOver:
    """The same over the candidates that all systems search, with rankings of these only."""
    candidates = study.candidates[shared[study.candidates]]
    if len(candidates) == len(study.candidates):
        return compared
    by_vectors = [name for name in study.runs if _ranked_by_vectors(study, name)]
    runs = {name: _filtered(run, shared) for name, run in study.runs.items() if name not in by_vectors}
    names = [pool.system for pool in compared.pools]
    chosen = resolve_systems(study, names)
    used = dict.fromkeys([*names, *(member.name for system in chosen for member in system.members)])
    answered = common_queries(replace(study, runs=runs), names, settings=settings)
    return replace(
        compared,
        candidates=readonly(candidates),
        runs=runs,
        queries=readonly(compared.queries[np.isin(compared.queries, answered)]),
        by_vectors=tuple(name for name in used if name in by_vectors),
        filtered=tuple(name for name in used if name in runs),
    )


def _filtered(run: Run, shared: Bools) -> Run:
    """A run without other candidates; a query left with none is still answered."""
    kept = np.append(shared, False)[run.candidates]  # the last is for images not in the study
    indptr = indptr_of(kept)[run.indptr]
    return Run.from_arrays(run.system, run.queries, indptr, run.candidates[kept], run.scores[kept])


def _ranked_by_vectors(study: Study, system: str) -> bool:
    """Whether a run stands in the order of the cosines of its system's vectors (in a sample of its lists)."""
    run = study.runs[system]
    if system not in study.embeddings or not len(run.queries):
        return False
    step = -(-len(run.queries) // _LOOKED_AT)
    lists = np.arange(0, len(run.queries), step)
    lengths = np.minimum(np.diff(run.indptr)[lists], _PLACES)
    rows = expand_ranges(run.indptr[lists], lengths)
    query_of = np.repeat(run.queries[lists], lengths)
    others = run.candidates[rows] != query_of  # the query itself may stand anywhere
    relevance = f"cosine:{system}"
    pairs = query_of[others], run.candidates[rows][others]
    (cosines,) = engine.relevance_of_pairs(study, relevance, *pairs, [Settings()])
    starts = indptr_of(others)[indptr_of(lengths)]
    falls = np.diff(cosines) <= _STEP
    inner = np.ones(len(falls), np.bool_)
    inner[starts[(starts > 0) & (starts <= len(falls))] - 1] = False
    return bool(falls[inner].all()) and not np.isnan(cosines).any()
