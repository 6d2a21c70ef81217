"""What the rest of the program asks the engine: one way to ask for every relevance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from evalcore.engine import cluster
from evalcore.engine.kernels import kernel_of
from evalcore.engine.listing import joined, without_own
from evalcore.engine.space import counted
from evalcore.values.arrays import Floats, Ints, digest_of, indptr_of, ranks_of, readonly
from evalcore.values.errors import SettingError
from evalcore.values.grouping import left_out, same_group, same_group_candidates
from evalcore.values.model import Run, Study
from evalcore.values.progress import Progress, part_of
from evalcore.values.settings import Settings
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcore.engine.listing import Lists
    from evalcore.values.arrays import Bools, Offsets
    from evalcore.values.model import Groups

# Largest values per query, remembered: the next run of a study is measured against the same ideal.

ROOM = 128 << 20
"""Bytes of values held ready; those asked for last stay."""

_ideals: Store[Floats] = Store(ROOM, on_server=32 << 20)
recall, forget = _ideals.get, _ideals.forget


def keep(key: Hashable, values: Floats) -> None:
    """Keep values, read-only from here on; those larger than the room are not kept."""
    if values.nbytes <= ROOM:
        _ideals.keep(key, readonly(values))


# Rankings and largest values on this machine: what `interface` asks for, and every worker of a cluster.


def rank_local(
    study: Study,
    name: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int,
    settings: Sequence[Settings],
    whole_ties: bool,
    progress: Progress | None,
) -> list[Run]:
    """`interface.rank_under` for queries that have such a relevance; both lists ascending and different."""
    relevance, kernel = kernel_of(study, name)
    result = kernel.rank(
        study,
        relevance,
        queries,
        candidates,
        depth=depth,
        settings=settings,
        whole_ties=whole_ties,
        progress=progress,
    )
    return [Run.from_arrays(f"@{name}", queries, *lists) for lists in result]


def best(
    study: Study,
    name: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int,
    settings: Sequence[Settings],
    progress: Progress | None,
) -> Floats:
    """`interface.ideal_gains_of`, nothing remembered; candidates ascending and different."""
    relevance, kernel = kernel_of(study, name)
    return np.asarray(
        kernel.best(study, relevance, queries, candidates, depth=depth, settings=settings, progress=progress)
    )


Answer = TypeVar("Answer")

QUERY_BLOCK = 2048
"""Queries a caller should ask for at once when the answers are as long as the list of candidates."""


def relevance_of_pairs(
    study: Study, relevance: str, queries: Ints, candidates: Ints, settings: Settings
) -> Floats:
    """How relevant is each candidate to its query? Any relevance name, m aligned pairs of image indices.

    Parameters
    ----------
    relevance
        Any name of ``relevance.registry``, ``cosine:SYSTEM`` and ``matching:path`` among them.
    queries, candidates
        Shape (m,), in any order; pairs of one query next to each other are fastest. Candidate -1 is an
        image not in the study.

    Returns
    -------
    values, shape (m,)
        NaN only where the query itself has no such relevance: not annotated, or without an embedding.
        0 for candidates that are unknown, not annotated or without embedding, and for two empty sets.

    Raises
    ------
    UnknownName
        No such relevance, or the system has no embeddings.
    InputError
        The relevance compares concepts by a graph, and the study has none.
    """
    meant, kernel = kernel_of(study, relevance)
    return kernel.pairs(study, meant, queries, candidates, settings)


def has_relevance(study: Study, relevance: str, queries: Ints) -> Bools:
    """Which queries does this relevance say anything about: annotated, or with an embedding? Shape (n,).

    Raises UnknownName as `relevance_of_pairs`.
    """
    meant, kernel = kernel_of(study, relevance)
    return kernel.defined(study, meant, queries)


def concepts_counted(study: Study, relevance: str, queries: Ints) -> Offsets:
    """How many concepts of each query a relevance looks at: those its weighting leaves. Shape (n,)."""
    meant, _ = kernel_of(study, relevance)
    sizes: Offsets = counted(study, meant.weighting).concepts.sizes[queries]
    return sizes


def rank(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int | None,
    settings: Settings,
    whole_ties: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Which candidates does a relevance put first? The study searched by relevance itself, as a run.

    Parameters
    ----------
    queries, candidates
        Image indices, in any order; repeated ones count once.
    depth
        Places per query; None ranks all candidates.
    whole_ties
        A list goes on beyond ``depth`` to the end of the tie group that begins before it.
    progress
        Called with the share done and, where that is worth saying, what is being done; raise in it to
        cancel.

    Returns
    -------
    Run called ``@relevance``, by score descending and then image index
        Scores are the relevance values. The query is not among its own candidates unless
        ``settings.include_self``. Queries without such a relevance (not annotated, no embedding) are
        absent; candidates without concepts stand among those of value 0, candidates without an
        embedding are left out, and so are those of the query's own group (see `grouping`).
    """
    (result,) = rank_under(
        study,
        relevance,
        queries,
        candidates=candidates,
        depth=depth,
        settings=(settings,),
        whole_ties=whole_ties,
        progress=progress,
    )
    return result


def rank_under(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int | None,
    settings: Sequence[Settings],
    whole_ties: bool = False,
    progress: Progress | None = None,
) -> list[Run]:
    """`rank` under several settings: those that differ in nothing but alpha and form share one count of all
    pairs."""
    meant, kernel = kernel_of(study, relevance)
    queries = np.unique(queries)
    queries = queries[kernel.defined(study, meant, queries)]
    candidates, depth = np.unique(candidates), _depth(depth, candidates)
    groups = left_out(study)
    if groups is None:
        return _rank(
            study,
            relevance,
            queries,
            settings,
            candidates=candidates,
            depth=depth,
            whole_ties=whole_ties,
            progress=progress,
        )
    parts: list[list[Lists]] = [[] for _ in settings]
    order: list[Offsets] = [np.empty(0, np.int64)]
    for asked, more, done in _by_companions(groups, queries, candidates):
        runs = _rank(
            study,
            relevance,
            queries[asked],
            settings,
            candidates=candidates,
            depth=min(depth + more, len(candidates)),
            whole_ties=whole_ties,
            progress=part_of(progress, done, len(queries), share=len(asked)),
        )
        for run, part in zip(runs, parts, strict=True):
            part.append(_without_group(run, groups, depth, whole_ties=whole_ties))
        order.append(asked)
    places = np.concatenate(order)
    return [Run.from_arrays(f"@{relevance}", queries, *joined(places, part)) for part in parts]


def _rank(
    study: Study, relevance: str, queries: Ints, settings: Sequence[Settings], **asked: Any
) -> list[Run]:
    """`local.rank` of ascending queries, on the cluster in use or here."""
    blocks = _answers(rank_local, study, relevance, queries, settings, settings=settings, **asked)
    if len(blocks) == 1:
        return blocks[0]
    return [_one_after_another(f"@{relevance}", [runs[k] for runs in blocks]) for k in range(len(settings))]


def _one_after_another(name: str, runs: Sequence[Run]) -> Run:
    """The runs of blocks of queries as one."""
    lengths = [np.diff(run.indptr) for run in runs]
    return Run.from_arrays(
        name,
        np.concatenate([np.empty(0, np.int32), *(run.queries for run in runs)]),
        indptr_of(np.concatenate([np.empty(0, np.int64), *lengths])),
        np.concatenate([np.empty(0, np.int32), *(run.candidates for run in runs)]),
        np.concatenate([np.empty(0), *(run.scores for run in runs)]),
    )


def _answers(
    work: Callable[..., Answer],
    study: Study,
    name: str,
    queries: Ints,
    reach: Sequence[Settings],
    *,
    progress: Progress | None,
    **asked: Any,
) -> list[Answer]:
    """What ``work`` gives for blocks of the queries, on the cluster in use, or for all of them here.

    ``reach``: all settings that its relevance is asked for under.
    """
    relevance, kernel = kernel_of(study, name)
    machines = cluster.ACTIVE.get()
    if machines is None or kernel.sent is None:
        return [work(study, name, queries, **asked, progress=progress)]
    held = kernel.sent(study, relevance, reach)
    return cluster.over_blocks(machines, held, queries, (work, name, asked), progress)


def ideal_gains(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int | None,
    settings: Settings,
    progress: Progress | None = None,
) -> Floats:
    """The ``depth`` largest relevance values any ranking of the candidates could collect for each query.

    Shape (queries, depth), descending, filled up with 0 where there are fewer candidates; None for all
    candidates. NaN rows where the query has no such relevance. Candidates of the query's own group do not
    count (see `grouping`). Parameters as in `rank`.
    """
    best: Floats = ideal_gains_of(
        study, relevance, queries, candidates=candidates, depth=depth, settings=(settings,), progress=progress
    )[0]
    return best


def ideal_gains_of(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int | None,
    settings: Sequence[Settings],
    progress: Progress | None = None,
) -> Floats:
    """`ideal_gains` under several settings, shape (settings, queries, depth).

    Settings that differ in nothing but alpha and form share one count of all pairs. Answers are
    remembered by content (see `ideals`), so a study's next run finds them ready.
    """
    meant, kernel = kernel_of(study, relevance)
    candidates, depth = np.unique(candidates), _depth(depth, candidates)
    groups = left_out(study)
    asked = digest_of(queries, candidates, depth, *([groups.digest] if groups else []))
    keys = [(asked, *kernel.key(study, meant, setting)) for setting in settings]
    known = {key: values for key in keys if (values := recall(key)) is not None}
    new = {key: settings for key, settings in zip(keys, settings, strict=True) if key not in known}
    if new:
        wanted = [*new.values()]
        best = _best if groups is None else partial(_best_of_others, groups)
        result = best(
            study, relevance, queries, candidates=candidates, depth=depth, settings=wanted, progress=progress
        )
        # Copies: what is remembered must not hold on to the values of the other settings.
        known |= {key: values.copy() for key, values in zip(new, result, strict=True)}
        for key in new:
            keep(key, known[key])
        if len(new) == len(keys):
            return result
    return np.stack([known[key] for key in keys])


def _best(
    study: Study, name: str, queries: Ints, *, depth: int, settings: Sequence[Settings], **asked: Any
) -> Floats:
    """`local.best`, on the cluster in use or here."""
    result = _answers(best, study, name, queries, settings, depth=depth, settings=settings, **asked)
    if len(result) == 1:
        return result[0]
    return np.concatenate([np.empty((len(settings), 0, depth)), *result], axis=1)


def _best_of_others(
    groups: Groups,
    study: Study,
    name: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int,
    settings: Sequence[Settings],
    progress: Progress | None,
) -> Floats:
    """The largest values among candidates of other groups than the query's own.

    As many more values are found as the group has members; those of the members are then taken out.
    """
    best = np.empty((len(settings), len(queries), depth))
    for asked, more, done in _by_companions(groups, queries, candidates):
        some = queries[asked]
        result = _best(
            study,
            name,
            some,
            candidates=candidates,
            depth=depth + more,
            settings=settings,
            progress=part_of(progress, done, len(queries), share=len(asked)),
        )
        rows, members = same_group_candidates(groups, some, candidates)
        places = np.arange(len(rows)) - np.searchsorted(rows, rows)
        own = np.full((more, len(settings), len(some)), np.nan)
        for k, setting in enumerate(settings):
            own[places, k, rows] = relevance_of_pairs(study, name, some[rows], members, setting)
        holds = np.zeros((more, len(some)), np.bool_)
        holds[places, rows] = True
        for values, there in zip(own, holds, strict=True):
            result = without_own(result, values, there)
        best[:, asked] = result
    return best


def _by_companions(groups: Groups, queries: Ints, candidates: Ints) -> Iterator[tuple[Offsets, int, int]]:
    """Positions of queries with about as many candidates in their own group, the most of these, queries
    before.

    About: up to the next power of two, so that few large groups do not make every list longer.
    """
    rows, _ = same_group_candidates(groups, queries, candidates)
    n = np.bincount(rows, minlength=len(queries))
    size = np.ceil(np.log2(np.maximum(n, 1) + 1)).astype(int) * (n > 0)
    done = 0
    for count in np.unique(size):
        asked = np.flatnonzero(size == count)
        yield asked, int(n[asked].max()), done
        done += len(asked)


def _without_group(run: Run, groups: Groups, depth: int, *, whole_ties: bool) -> Lists:
    """The first ``depth`` results of other groups than the query's own; whole ties go on to their end."""
    kept = ~same_group(groups, np.repeat(run.queries, np.diff(run.indptr)), run.candidates)
    starts = indptr_of(kept)[run.indptr]
    candidates, scores = run.candidates[kept], run.scores[kept]
    first = ranks_of(starts) <= depth
    if whole_ties and depth and len(scores):
        last = np.clip(np.minimum(starts[:-1] + depth, starts[1:]) - 1, 0, None)
        first |= scores >= np.repeat(scores[last], np.diff(starts))
    indptr = indptr_of(first)[starts]
    return indptr, candidates[first], scores[first]


def _depth(depth: int | None, candidates: Ints) -> int:
    """Places asked for; all when None."""
    if depth is None:
        return len(candidates)
    if depth < 0:
        raise SettingError("depth", "an integer >= 0, or None for all", depth)
    return depth
