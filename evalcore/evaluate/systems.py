"""What is a system, and what did it return: run files, relevances that rank by themselves, fusions.

``rrf:cnn+text`` is several systems as one by reciprocal rank fusion, wherever a system is named. The score of
an image is the sum over the members that returned it of 1 / (60 + its 1-based rank there) (Cormack, Clarke &
Buettcher 2009, doi:10.1145/1571941.1572114). Members are systems of the study, or rankings by
a relevance (``@iou``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore import engine
from evalcore.ranking.lists import first_places
from evalcore.relevance.registry import NN_IOU, RELEVANCE, check_of, own_measures, parse_relevance
from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Bools, Floats, Ints, Offsets, expand_ranges, indptr_of, ranks_of, rows_of
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.grouping import left_out, may_find
from evalcore.values.model import Groups, Qrels, Run, Study
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import Settings, as_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ranking.metrics import Metric
    from evalcore.values.own_queries import Pairs

FUSED, RRF_K = "rrf:", 60
FUSED_DEPTH = 100
"""Results of a member without a run that are fused where no member has a run to say how many."""


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """A retrieval system by the name it is shown with: its run, or the relevance it ranks by, or the
    ``members`` it is fused of.

    ``moves``: alpha and threshold change its ranking, as it is by nn-IoU, or fused of one that is.
    """

    name: str
    run: Run | None = None
    relevance: str | None = None
    members: tuple[System, ...] = ()
    moves: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """A system's answers to a block of queries, best first, in CSR form.

    An empty list where ``answered`` is False: the system does not know the query.
    """

    queries: Ints
    answered: Bools
    indptr: Offsets
    candidates: Ints
    scores: Floats

    @property
    def query_of_row(self) -> Ints:
        return np.repeat(self.queries, np.diff(self.indptr))

    def keep(self, rows: Bools) -> Lists:
        """The same lists without the other rows."""
        indptr = indptr_of(rows)[self.indptr]
        return Lists(self.queries, self.answered, indptr, self.candidates[rows], self.scores[rows])

    def first(self, k: int, *, whole_ties: bool = False) -> Lists:
        """The same lists, the first ``k`` results of each;
        or as many as score no less than the last of these."""
        if not (np.diff(self.indptr) > k).any():
            return self
        kept = first_places(self.indptr, self.candidates, self.scores, k, whole_ties=whole_ties)
        return Lists(self.queries, self.answered, *kept)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Queries asked and candidates offered under the same label columns (none for relevance metrics).

    ``inside``: shape (n_images + 1,), may this image be returned? Its last entry stands for image -1,
    one not in the study. ``tables``: of the label columns (see `targets`), or in their place the matched
    ``pairs``. ``groups``: images that are not independent of each other. ``judged``: the judgments where
    results without one are passed over.
    """

    queries: Ints
    candidates: Ints
    inside: Bools
    tables: tuple[Ints, ...]
    pairs: Pairs | None = None
    groups: Groups | None = None
    judged: Qrels | None = None


def resolve_systems(study: Study, names: Sequence[str] | None) -> tuple[System, ...]:
    """The systems of these names, in this order, each once; None: all systems of the study.

    A name is a system of the study (its run, else a ranking by its embeddings), ``@`` and a relevance that
    ranks all candidates itself (``@iou``, ``@cosine:hog``), or several of these fused (``rrf:cnn+text``).

    Raises
    ------
    UnknownName
        No such system or relevance.
    InputError
        There are none; a fusion of fewer than two systems, or of a fused one.
    """
    wanted = study.systems if names is None else names
    if not wanted:
        raise InputError(
            "There are no retrieval systems to score. Add a folder systems/<name>/ with a run or embeddings, "
            "or name a relevance that ranks by itself, such as @iou."
        )
    result: dict[str, System] = {}
    for name in wanted:
        if name.startswith("@"):
            relevance = check_of(study, name[1:])
            system = System(name, relevance=str(relevance), moves=relevance.kind == NN_IOU)
        elif name in study.runs:
            system = System(name, study.runs[name])
        elif name in study.embeddings:
            system = System(name, relevance=f"cosine:{name}")
        elif name.startswith(FUSED):
            system = _fusion(study, name)
        else:
            by_relevance = (f"@{kind}" for kind in (*RELEVANCE, *own_measures()))
            raise UnknownName("system", name, [*study.systems, *by_relevance])
        result[system.name] = system
    return tuple(result.values())


def _fusion(study: Study, name: str) -> System:
    """The system that a name such as ``rrf:cnn+text`` means."""
    pieces = name[len(FUSED) :].split("+")
    if any(is_fused(study, piece) for piece in pieces):
        raise InputError(f"{name!r}: a member is fused already. Name the systems it is made of instead.")
    members = sorted(resolve_systems(study, pieces), key=lambda member: member.name)
    if len(members) < 2:
        raise InputError(f"{FUSED} needs at least two different systems. Got {name!r}.")
    moves = any(member.moves for member in members)
    return System(FUSED + "+".join(m.name for m in members), members=tuple(members), moves=moves)


def is_fused(study: Study, name: str) -> bool:
    """Whether a name is read as a fusion: rrf:..., and no system of the study is called so."""
    return name.startswith(FUSED) and not study.holds(name)


def common_queries(
    study: Study, systems: str | Sequence[str] | None = None, *, settings: Settings = Settings()
) -> Ints:
    """The study's queries that every one of these systems answers (None: all systems of the study).

    A run that returns nothing but the query itself answers it only with ``settings.include_self``. A
    system without a run answers the queries it has an embedding or, as ``@relevance``, concepts for; a fused
    one those that any of its members answers. Shape (n,), ascending; empty when no query is answered by all.
    """
    common = study.queries
    for system in resolve_systems(study, None if systems is None else as_list(systems)):
        common = common[_answers_these(study, system, common, settings)]
    return common


def _answers_these(study: Study, system: System, queries: Ints, settings: Settings) -> Bools:
    """Which of these queries a system answers, shape (n,)."""
    if system.members:
        answered: Bools = np.any(
            [_answers_these(study, member, queries, settings) for member in system.members], axis=0
        )
        return answered
    if system.run is not None:
        run = system.run if settings.include_self else system.run.without_self()
        return np.isin(queries, run.queries)
    return engine.has_relevance(study, str(system.relevance), queries)


def is_swept(relevance: str | None) -> bool:
    """Whether alpha and threshold say something about a relevance: nn-IoU, with weights or without."""
    return relevance is not None and parse_relevance(relevance).kind == NN_IOU


def any_swept(metrics: Sequence[Metric], systems: Sequence[System]) -> bool:
    """Whether alpha and threshold change anything: what a metric measures, or what a system returns."""
    return any(is_swept(metric.relevance) for metric in metrics) or any(system.moves for system in systems)


def lists_under(
    study: Study,
    system: System,
    pool: Pool,
    block: Ints,
    settings: Sequence[Settings],
    *,
    depth: int | None,
    progress: Progress = silent,
) -> list[Lists]:
    """What a system returned from the pool for these queries, at least ``depth`` deep where it goes so deep.

    With ``ties="expected"`` the group of equal scores at the depth is kept whole; otherwise one result
    more than ``depth`` is kept, so that a tie across the cut can be seen. None: everything. Under each of the
    settings, which differ in those of nn-IoU only, where the system ``moves``, else once.
    """
    settings = settings if system.moves else settings[:1]
    first, whole = settings[0], settings[0].ties == "expected"
    seen = None if depth is None else depth + (not whole)
    if system.relevance is not None:
        runs = engine.rank(
            study,
            system.relevance,
            block,
            candidates=pool.candidates,
            depth=None if seen is None else min(seen, max(len(pool.candidates), 1)),
            settings=settings,
            whole_ties=whole,
            progress=progress,
        )
        return [_answers(run, block, include_self=True) for run in runs]
    if system.run is None:
        every = _fused(study, system, pool, block, settings, progress)
    else:
        every = [_answers(system.run, block, include_self=first.include_self)]
        if left_out(study) is not None:
            every = [kept.keep(may_find(study, kept.query_of_row, kept.candidates)) for kept in every]
    if not pool.inside.all():
        every = [lists.keep(pool.inside[lists.candidates]) for lists in every]
    return every if seen is None else [lists.first(seen, whole_ties=whole) for lists in every]


def _fused(
    study: Study, system: System, pool: Pool, block: Ints, settings: Sequence[Settings], progress: Progress
) -> list[Lists]:
    """The members' lists as one, from the study's candidates: labels choose among its results as in a run.

    The query itself and its own group left the members' lists before, so that ranks and ranges of scores are
    those of results that count. Equal scores of a member stand by image id, also where ties are expected.
    """
    inside = np.zeros(len(pool.inside), np.bool_)
    inside[study.candidates] = inside[-1] = True
    whole = replace(pool, candidates=study.candidates, inside=inside)
    by_id, depth = [replace(setting, ties="id") for setting in settings], fused_depth(system)
    members = [
        lists_under(study, member, whole, block, by_id, depth=depth, progress=progress)
        for member in system.members
    ]
    return [fuse([lists[at % len(lists)].first(depth) for lists in members]) for at in range(len(settings))]


def fuse(lists: Sequence[Lists]) -> Lists:
    """One list per query out of those of several members, which are of the same queries.

    An image not in the study (-1) is another one each time.

    Returns
    -------
    Lists
        Every image of every list once, by fused score descending, then image ascending, -1 last. Sums are
        exact before they are rounded, so members in another order give the same scores and the same ties.
    """
    parts = [(rows_of(member.indptr), member.candidates, ranks_of(member.indptr)) for member in lists]
    rows, candidates, ranks = (np.concatenate(column) for column in zip(*parts, strict=True))
    width = 1 + int(candidates.max(initial=0))
    images = candidates.astype(np.int64)
    unknown = np.flatnonzero(candidates < 0)
    images[unknown] = width + unknown  # numbers of their own above the others
    keys = rows * (width + len(candidates)) + images
    order = np.argsort(keys)
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))
    sums = list_sums(np.append(first, len(keys)), 1.0 / (RRF_K + ranks[order].astype(np.float64)))
    of_sum = rows[order[first]]
    best = np.lexsort((-sums, of_sum))  # stable: equal scores stay by ascending image
    queries = lists[0].queries
    indptr = indptr_of(np.bincount(of_sum, minlength=len(queries)))
    answered = np.logical_or.reduce([member.answered for member in lists])
    return Lists(queries, answered, indptr, candidates[order[first]][best], sums[best])


def fused_depth(system: System) -> int:
    """How many results of a member without a run are fused: as many as the longest list of those with one."""
    lengths = [
        int(np.diff(member.run.indptr).max(initial=0)) for member in system.members if member.run is not None
    ]
    return max(lengths, default=FUSED_DEPTH) or FUSED_DEPTH


def longest_list(system: System, pool: Pool, depth: int | None, settings: Settings) -> int:
    """How many results `lists_under` may return for one query, at most."""
    if system.members:
        return len(system.members) * fused_depth(system)
    if system.run is not None:
        return int(np.diff(system.run.indptr).max(initial=0))
    if depth is None or settings.ties == "expected":
        return len(pool.candidates)
    return min(depth + 1, len(pool.candidates))


def _answers(run: Run, block: Ints, *, include_self: bool) -> Lists:
    """The rows of a run that answer these queries; a query with no other row than itself is not answered."""
    at = np.minimum(np.searchsorted(run.queries, block), max(len(run.queries) - 1, 0))
    answered = run.queries[at] == block if len(run.queries) else np.zeros(len(block), np.bool_)
    starts = run.indptr[at]
    lengths = np.where(answered, run.indptr[at + answered] - starts, 0)
    rows = expand_ranges(starts, lengths)
    lists = Lists(block, answered, indptr_of(lengths), run.candidates[rows], run.scores[rows])
    others = lists.candidates != lists.query_of_row
    if include_self or others.all():
        return lists
    kept = lists.keep(others)
    nothing_else = (np.diff(kept.indptr) == 0) & (lengths > 0)
    return replace(kept, answered=answered & ~nothing_else)
