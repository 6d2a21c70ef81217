"""What the rest of the program asks the engine: one way to ask for every relevance."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.engine import cluster
from evalcore.engine.blocks import KERNELS, Lists, best_of_blocks, exclude_self, joined, rank_blocks
from evalcore.engine.sets import best_of_sets, counted_by, counted_once, pairs_of_sets, rank_sets
from evalcore.engine.space import payload_of
from evalcore.ranking.lists import first_places
from evalcore.relevance.registry import check_of
from evalcore.values.arrays import Floats, Ints, digest_of, indptr_of, readonly
from evalcore.values.errors import SettingError
from evalcore.values.grouping import left_out, may_find, same_group_candidates
from evalcore.values.model import Run, Study
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import Settings
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.engine.blocks import Kernel
    from evalcore.relevance.registry import Relevance
    from evalcore.values.arrays import Bools, Offsets
    from evalcore.values.model import Groups

# Largest values per query, kept: the next run of a study is measured against the same ideal.

ROOM = 128 << 20
"""Bytes of values held ready; those asked for last stay."""
_ideals: Store[Floats] = Store(ROOM)
forget = _ideals.forget


def kernel_of(study: Study, name: str) -> tuple[Relevance, Kernel | None]:
    """The relevance a name means in a study, and its kernel; None for one that counts concepts.

    Raises UnknownName when there is no such relevance, or its system has no embeddings.
    """
    relevance = check_of(study, name)
    make = KERNELS.get(relevance.family)
    return relevance, None if make is None else make(study, relevance)


def relevance_of_pairs(
    study: Study, relevance: str, queries: Ints, candidates: Ints, settings: Sequence[Settings]
) -> list[Floats]:
    """How relevant is each candidate to its query? Any relevance name, m aligned pairs of image indices.

    Parameters
    ----------
    relevance
        Any name of ``relevance.registry``, ``cosine:SYSTEM`` and ``matching:path`` among them.
    queries, candidates
        Shape (m,), in any order; pairs of one query next to each other are fastest. Candidate -1 is an
        image not in the study.
    settings
        Those that differ in alpha only share one count.

    Returns
    -------
    values under each of the settings, shape (m,)
        NaN only where the query itself has no such relevance: not annotated, or without an embedding.
        0 for candidates that are unknown, not annotated or without embedding, and for two empty sets.

    Raises
    ------
    UnknownName
        No such relevance, or the system has no embeddings.
    InputError
        The relevance compares concepts by a graph, and the study has none.
    """
    parsed, kernel = kernel_of(study, relevance)
    if kernel is None:
        return counted_once(
            study,
            parsed,
            settings,
            lambda space, formulas, **_: pairs_of_sets(space, formulas, queries, candidates),
        )
    return [kernel.pairs(queries, candidates)] * len(settings)


def has_relevance(study: Study, relevance: str, queries: Ints) -> Bools:
    """Which queries does this relevance say anything about: annotated, or with an embedding? Shape (n,).

    Raises UnknownName as `relevance_of_pairs`.
    """
    _, kernel = kernel_of(study, relevance)
    defined: Bools = study.concepts.annotated[queries] if kernel is None else kernel.defined(queries)
    return defined


def rank(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int | None,
    settings: Sequence[Settings],
    whole_ties: bool = False,
    progress: Progress = silent,
) -> list[Run]:
    """Which candidates does a relevance put first? The study searched by relevance itself, as runs.

    Parameters
    ----------
    queries, candidates
        Image indices, in any order; repeated ones count once.
    depth
        Places per query; None ranks all candidates.
    settings
        Those that differ in nothing but alpha and form share one count of all pairs.
    whole_ties
        A list goes on beyond ``depth`` to the end of the tie group that begins before it.
    progress
        Called with the share done and, where that is worth saying, what is being done; raise in it to
        cancel.

    Returns
    -------
    For each of the settings a run called ``@relevance``, by score descending and then image index
        Scores are the relevance values. The query is not among its own candidates unless
        ``include_self``. Queries without such a relevance (not annotated, no embedding) are
        absent; candidates without concepts stand among those of value 0, candidates without an
        embedding are left out, and so are those of the query's own group (see `grouping`).
    """
    queries = np.unique(queries)
    queries = queries[has_relevance(study, relevance, queries)]
    candidates = np.unique(candidates)
    depth = len(candidates) if depth is None else depth
    if depth < 0:
        raise SettingError("depth", "an integer >= 0, or None for all", depth)
    groups = left_out(study)
    order: list[Offsets] = [np.empty(0, np.int64)]
    parts: list[list[Lists]] = [[] for _ in settings]
    for rows, more, share in _by_companions(groups, queries, candidates, progress):
        blocks = _in_blocks(
            RANKINGS,
            study,
            relevance,
            queries[rows],
            settings,
            candidates=candidates,
            depth=min(depth + more, len(candidates)),
            whole_ties=whole_ties,
            progress=share,
        )
        for part, ways in zip(parts, zip(*blocks, strict=True), strict=True):
            lists = joined(np.arange(len(rows)), [*ways])
            if groups is not None:
                lists = _without_group(study, queries[rows], lists, depth, whole_ties=whole_ties)
            part.append(lists)
        order.append(rows)
    places = np.concatenate(order)
    return [Run.from_arrays(f"@{relevance}", queries, *joined(places, part)) for part in parts]


def ideal_gains(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int,
    settings: Sequence[Settings],
    progress: Progress = silent,
) -> Floats:
    """The ``depth`` largest relevance values any ranking of the candidates could collect for each query.

    Shape (settings, queries, depth), descending, filled up with 0 where there are fewer candidates. NaN rows
    where the query has no such relevance. Candidates of the query's own group do not count (see `grouping`).
    Settings that differ in nothing but alpha and form share one count of all pairs. Answers are kept by
    content, so a study's next run finds them ready. Parameters as in `rank`.
    """
    parsed, kernel = kernel_of(study, relevance)
    candidates, groups = np.unique(candidates), left_out(study)
    content = digest_of(queries, candidates, depth, *([groups.digest] if groups else []))
    if kernel is None:
        counted = [counted_by(study, parsed, setting) for setting in settings]
        depends_on: list[tuple[Hashable, ...]] = [(formula, space.key) for formula, space in counted]
    else:
        depends_on = [kernel.key] * len(settings)
    keys = [(content, setting.include_self, *key) for setting, key in zip(settings, depends_on, strict=True)]
    known = {key: values for key in keys if (values := _ideals.get(key)) is not None}
    new = {key: setting for key, setting in zip(keys, settings, strict=True) if key not in known}
    if new:
        result = _best(
            groups,
            study,
            relevance,
            queries,
            [*new.values()],
            candidates=candidates,
            depth=depth,
            progress=progress,
        )
        # Copies: what is kept must not hold on to the values of the other settings.
        known |= {key: values.copy() for key, values in zip(new, result, strict=True)}
        for key in new:
            if known[key].nbytes <= ROOM:
                _ideals.keep(key, readonly(known[key]))
        if len(new) == len(keys):
            return result
    return np.stack([known[key] for key in keys])


def _best(
    groups: Groups | None,
    study: Study,
    name: str,
    queries: Ints,
    settings: Sequence[Settings],
    *,
    candidates: Ints,
    depth: int,
    progress: Progress,
) -> Floats:
    """The largest values among candidates of other groups than the query's own.

    As many more values are looked for as the group has members; those of the members are then taken out.
    """
    best = np.empty((len(settings), len(queries), depth))
    for rows, more, share in _by_companions(groups, queries, candidates, progress):
        blocks = _in_blocks(
            LARGEST_VALUES,
            study,
            name,
            queries[rows],
            settings,
            candidates=candidates,
            depth=depth + more,
            progress=share,
        )
        stacked = [np.stack(block) for block in blocks]
        values = stacked[0] if len(stacked) == 1 else np.concatenate(stacked, axis=1)
        if groups is None:
            return values
        row, members = same_group_candidates(groups, queries[rows], candidates)
        place = np.arange(len(row)) - np.searchsorted(row, row)
        own = np.full((more, len(settings), len(rows)), np.nan)
        for k, of_members in enumerate(
            relevance_of_pairs(study, name, queries[rows][row], members, settings)
        ):
            own[place, k, row] = of_members
        has_member = np.zeros((more, len(rows)), np.bool_)
        has_member[place, row] = True
        for of_member, there in zip(own, has_member, strict=True):
            values = exclude_self(values, of_member, there)
        best[:, rows] = values
    return best


def _by_companions(
    groups: Groups | None, queries: Ints, candidates: Ints, progress: Progress
) -> Iterator[tuple[Offsets, int, Progress]]:
    """Positions of queries with about as many candidates in their own group, the most of these, and their
    share of the progress; all of them where there are no groups.

    About: up to the next power of two, so that few large groups do not make every list longer.
    """
    if groups is None:
        yield np.arange(len(queries)), 0, progress
        return
    rows, _ = same_group_candidates(groups, queries, candidates)
    n = np.bincount(rows, minlength=len(queries))
    size = np.ceil(np.log2(np.maximum(n, 1) + 1)).astype(int) * (n > 0)
    done = 0
    for count in np.unique(size):
        some = np.flatnonzero(size == count)
        yield some, int(n[some].max()), part_of(progress, done, len(queries), share=len(some))
        done += len(some)


def _without_group(study: Study, queries: Ints, lists: Lists, depth: int, *, whole_ties: bool) -> Lists:
    """The first ``depth`` results of other groups than the query's own; whole ties go on to their end."""
    indptr, candidates, scores = lists
    others = may_find(study, np.repeat(queries, np.diff(indptr)), candidates)
    return first_places(
        indptr_of(others)[indptr], candidates[others], scores[others], depth, whole_ties=whole_ties
    )


# The work itself: on this machine, and block by block on every worker of a cluster.

Ways = tuple[Callable[..., Any], Callable[..., Any]]
RANKINGS: Ways = rank_sets, rank_blocks
"""Of relevances that count concepts, and of those with a kernel."""
LARGEST_VALUES: Ways = best_of_sets, best_of_blocks


def _in_blocks(
    ways: Ways,
    study: Study,
    name: str,
    queries: Ints,
    settings: Sequence[Settings],
    *,
    progress: Progress,
    **options: Any,
) -> list[list[Any]]:
    """What `here` gives for blocks of the queries, on the cluster in use, or for all of them here."""
    machines, options = cluster.ACTIVE.get(), {"ways": ways, "settings": settings, **options}
    payload = payload_of(study, check_of(study, name), settings) if machines and len(queries) else None
    if machines is None or payload is None:
        return [here(study, name, queries, **options, progress=progress)]
    return cluster.over_blocks(machines, payload, queries, (here, name, options), progress)


def here(
    study: Study,
    name: str,
    queries: Ints,
    *,
    ways: Ways,
    settings: Sequence[Settings],
    progress: Progress,
    **options: Any,
) -> list[Any]:
    """`RANKINGS` or `LARGEST_VALUES` under each of the settings, computed once for equal values, not kept.

    ``options``: candidates ascending and different, and what else both ways take.
    """
    (of_sets, of_kernel), (relevance, kernel) = ways, kernel_of(study, name)
    options["queries"] = queries
    if kernel is None:
        return counted_once(study, relevance, settings, partial(of_sets, **options), progress)
    # Of the settings a kernel knows `include_self` alone.
    kinds = list(dict.fromkeys(setting.include_self for setting in settings))
    parts = [part_of(progress, place, len(kinds)) for place in range(len(kinds))]
    results = {
        kind: of_kernel(kernel, **options, include_self=kind, progress=part)
        for kind, part in zip(kinds, parts, strict=True)
    }
    return [results[setting.include_self] for setting in settings]
