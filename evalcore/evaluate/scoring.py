"""Scores: relevance x runs x measures, streamed over blocks of queries.

Work goes pool by pool (see `pools`), block by block, system by system; what all systems share (the
ideal, the number of relevant candidates) is computed once per block. Memory is bounded by the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, overload

import numpy as np

from evalcore.evaluate.common_pool import asked_of, in_words, limited
from evalcore.evaluate.summary import ceilings_of, reasons_of
from evalcore.evaluate.systems import Lists, Pool, System, lists_of, longest_list, resolve_systems, with_lists
from evalcore.evaluate.targets import (
    condensed,
    depth_needed,
    gains_of,
    ideal_depth,
    metrics_of,
    only_judged,
    pool_of,
    pool_used,
    relevances_of,
    targets_of,
    weighed,
)
from evalcore.ranking.custom import WrongList
from evalcore.ranking.gains import RankedGains
from evalcore.ranking.metrics import METRICS, Metric, Target
from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Bools, Floats, Ints, readonly
from evalcore.values.errors import SettingError
from evalcore.values.model import DEFINED, OUTSIDE_POOL, Run, Scores, Study
from evalcore.values.plugins import PluginError, used_in
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import Pool as PoolKind
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcore.evaluate.summary import Reasons
    from evalcore.values.model import ComparedOver, Groups, Which
    from evalcore.values.settings import SameGroup

# Blocks of values become the scores of a system; those of several seeds become one mean per query.


@dataclass(frozen=True, slots=True, eq=False)
class BlockScores:
    """One list per query under one metric, for a block of queries: see `Scores`. Shapes all (n,)."""

    values: Floats
    reasons: Reasons
    missing: Bools
    short: Bools
    tied: Bools
    ceiling: Floats | None


def of_system(
    system: System,
    metric: Metric,
    asked: Ints,
    pool: Pool,
    blocks: Mapping[str, list[BlockScores]],
    settings: Settings,
) -> Scores:
    """The scores of a system from the blocks of each of its lists (`System.each`), by name.

    Those of several seeds: see `Scores.seeds`.
    """
    each = [
        assemble(member.name, metric, asked, pool, blocks[member.name], settings) for member in system.each
    ]
    if not system.seeds:
        return each[0]
    together = [_mean(of) for of in zip(*(blocks[seed.name] for seed in system.seeds), strict=True)]
    return replace(assemble(system.name, metric, asked, pool, together, settings), seeds=tuple(each))


def _mean(seeds: Sequence[BlockScores]) -> BlockScores:
    """The same queries of several seeds as one: means of values, and whether any is short, tied, missing.

    Which queries have a value lies with the queries, not with what was returned: it is the same for all.
    """
    ceilings = [np.ones(len(scores.values)) if scores.ceiling is None else scores.ceiling for scores in seeds]
    limited = any(scores.ceiling is not None for scores in seeds)
    return BlockScores(
        np.mean([scores.values for scores in seeds], axis=0),
        seeds[0].reasons,
        missing=np.logical_or.reduce([scores.missing for scores in seeds]),
        short=np.logical_or.reduce([scores.short for scores in seeds]),
        tied=np.logical_or.reduce([scores.tied for scores in seeds]),
        ceiling=np.mean(ceilings, axis=0) if limited else None,
    )


def assemble(
    name: str, metric: Metric, asked: Ints, pool: Pool, blocks: list[BlockScores], settings: Settings
) -> Scores:
    """Scores of all queries asked, with these settings; those outside the pool marked as such."""
    values = np.full(len(asked), np.nan)
    reasons = np.full(len(asked), OUTSIDE_POOL, np.uint8)
    rows = np.searchsorted(asked, pool.queries)
    ceiling = None
    if blocks:
        values[rows] = np.concatenate([block.values for block in blocks])
        reasons[rows] = np.concatenate([block.reasons for block in blocks])
    if any(block.ceiling is not None for block in blocks):
        ceiling = np.full(len(asked), np.nan)
        reached = [np.ones(len(b.values)) if b.ceiling is None else b.ceiling for b in blocks]
        ceiling[rows] = np.where(reasons[rows] == DEFINED, np.concatenate(reached), np.nan)
    return Scores(
        name,
        str(metric),
        asked,
        readonly(values),
        readonly(reasons),
        missing=sum(int(block.missing.sum()) for block in blocks),
        short=sum(int(block.short.sum()) for block in blocks),
        tied=sum(int(block.tied.sum()) for block in blocks),
        cutoff=metric.cutoff,
        ceiling=None if ceiling is None else readonly(ceiling),
        groups=None if pool.groups is None else readonly(pool.groups.of_image[asked]),
        grouped_by="" if pool.groups is None else pool.groups.name,
        settings=settings,
    )


ROWS_AT_ONCE = 4_000_000
"""Results held at once; a block of queries is as long as this allows."""


_SHOWN = 10
"""Rows that a result is written with."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AllScores(Sequence[Scores]):
    """What `score` returns, system by system and metric by metric, and what that is about.

    ``over``: what the systems are compared over. ``queries``: image indices that were asked, ascending;
    ``groups``: what the study says of images that belong together, None where it says nothing.
    """

    scores: tuple[Scores, ...]
    over: ComparedOver
    queries: Ints
    groups: Groups | None
    settings: Settings

    @property
    def same_group(self) -> SameGroup | None:
        """What became of candidates of the query's own group: "drop", "keep"; None without groups."""
        return None if self.groups is None else ("drop" if self.groups.left_out else "keep")

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, at: int) -> Scores: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Scores, ...]: ...
    def __getitem__(self, at: int | slice) -> Scores | tuple[Scores, ...]:
        return self.scores[at]

    def __repr__(self) -> str:
        metrics = dict.fromkeys(score.metric for score in self.scores)
        systems = dict.fromkeys(score.system for score in self.scores)
        over = in_words(self.over) or [self._over()]
        if self.groups is not None:
            fate = "are left out" if self.groups.left_out else "count like others"
            of = f"{self.groups.name} ({self.groups.n:,} groups)"
            over.append(f"Candidates of the query's own {of} {fate}.")
        usual, used = Settings().as_dict(), self.settings.as_dict()
        other = [f"{name}={value}" for name, value in used.items() if value != usual[name]]
        over.append(f"Settings: {', '.join(other) or 'the defaults'}.")
        own = used_in([*metrics, *systems])
        over += [f"Plugins: {'; '.join(map(str, own))}."] if own else []
        rows = [f"  {score!r}" for score in self.scores[:_SHOWN]]
        more = len(self) - len(rows)
        head = f"<{len(self):,} scores: systems {len(systems):,}, metrics {len(metrics):,}"
        rest = [f"  and {more:,} more"] if more else []
        return "\n".join([head, *(f"  {line}" for line in over), *rows, *rest]) + ">"

    def _over(self) -> str:
        """What all systems are compared over, where they search the same images."""
        whose = {"all": "all", "given": "given"}.get(self.over.which, "that all systems answer")
        candidates = len(self.over.candidates)
        return f"Compared over {len(self.queries):,} queries ({whose}) and {candidates:,} candidates."


def as_scored(study: Study, scores: Sequence[Scores], settings: Settings) -> Study:
    """The study limited as it was for what `score` returned; unchanged where it carries a decision itself."""
    if study.over is not None or not isinstance(scores, AllScores):
        return study
    systems = list(dict.fromkeys(score.system for score in scores))
    which = scores.over.which
    queries = scores.queries if which == "given" else which
    return limited(study, systems, queries=queries, same_group=scores.same_group, settings=settings)


def score(
    study: Study,
    metrics: Sequence[str | Metric],
    *,
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    queries: Which | Ints | None = None,
    same_group: SameGroup | None = None,
    progress: Progress | None = None,
    ideals: Mapping[str, Floats] = MappingProxyType({}),
    rankings: Mapping[str, Run] = MappingProxyType({}),
) -> AllScores:
    """How good is what each system returned, query by query, under each metric?

    Parameters
    ----------
    study
        The open study; its candidate list bounds what may be returned and what the ideal may hold. One that
        was limited before (see `common_pool.limited`) is taken as it is.
    metrics
        Labels (see `ranking.metrics.parse_metric`) or metrics, each counted once.
    systems
        Names of systems, or ``@relevance``; None for all systems of the study.
    settings
        Relevance, ties, pools, gain. ``undefined`` and ``interval`` play no part here but in `summarise` and
        in comparisons, which take these settings unless they are given others.
    queries
        What the systems are compared over: "all" queries, unanswered ones 0; "common" ones, which every
        system answers; "common-pool": these, and only candidates that every system searches. None decides as
        the command line and the pages do: "common-pool" where the systems search different images (and two
        in common), else "all". Or image indices to ask about, with all candidates.
    same_group
        "drop" leaves candidates of the query's own group out, "keep" counts them; None: as the study does,
        which is "drop" for one that was just opened. Without effect where the study names no groups.
    progress
        Called with the share done (0 to 1) and what is being worked on; raise in it to cancel.
    ideals
        By relevance, the ideal of each query asked where it was found before (see `engine.ideal_gains`):
        at least as deep as the metrics look, over all candidates of the study.
    rankings
        By system, what `engine.rank` gives for the queries asked where it was found before: over all
        candidates of the study, and one place deeper than the metrics look, or with whole ties where they are
        averaged over. Metrics by labels rank anew.

    Returns
    -------
    scores
        A sequence: system by system, metric by metric, in the order given; it carries what was decided. A
        query a run does not answer has value 0 and is counted in ``missing``; `policy` says which queries
        have no value. A system of several seeds has the mean of their values for each query, and
        `Scores.seeds`.

    Raises
    ------
    UnknownName
        A system, relevance or label column that is not there.
    InputError, SettingError
        No system, no metric, or one that cannot be parsed; no such choice of queries or groups.
    """
    wanted = metrics_of(study, metrics, settings)
    if not wanted:
        raise SettingError("metrics", "at least one metric, such as nDCG(nn-iou)@10", list(metrics))
    study = limited(study, systems, queries=queries, same_group=same_group, settings=settings)
    assert study.over is not None, "limiting a study decides"
    chosen = resolve_systems(study, systems)
    apart = with_lists(chosen)
    asked = asked_of(study, queries)
    by_pool: dict[tuple[tuple[str, ...], PoolKind, str | None], list[Metric]] = {}
    for metric in wanted:
        judged_by = metric.relevance if condensed(metric) else None
        group = (metric.labels, pool_used(metric, settings), judged_by)
        by_pool.setdefault(group, []).append(metric)
    result: dict[tuple[str, Metric], Scores] = {}
    for place, ((labels, kind, _), members) in enumerate(by_pool.items()):
        pool = pool_of(study, labels, asked, replace(settings, pool=kind))
        part = part_of(progress, place, len(by_pool)) or silent
        ready = {} if labels else ideals
        ranked = apart if labels else [replace(s, run=rankings.get(s.name, s.run)) for s in apart]
        blocks = _score_pool(study, ranked, members, pool, settings, ready, part)
        for system, metric in product(chosen, members):
            each = {member.name: blocks[member.name, metric] for member in system.each}
            result[system.name, metric] = of_system(system, metric, asked, pool, each, settings)
    if progress is not None:
        progress(1.0, "done")
    every = tuple(result[system.name, metric] for system in chosen for metric in wanted)
    return AllScores(every, study.over, asked, study.groups, settings)


def _score_pool(
    study: Study,
    systems: Sequence[System],
    metrics: Sequence[Metric],
    pool: Pool,
    settings: Settings,
    ideals: Mapping[str, Floats],
    progress: Progress,
) -> dict[tuple[str, Metric], list[BlockScores]]:
    """Every system under the metrics of one pool, block by block."""
    result: dict[tuple[str, Metric], list[BlockScores]] = {(s.name, m): [] for s in systems for m in metrics}
    # Lists that are cut down to what was judged are asked for whole.
    by_judged = condensed(metrics[0])
    depth = None if by_judged else depth_needed(metrics)
    best = ideal_depth(metrics, len(pool.candidates))
    for block, done in query_blocks(pool, systems, depth, settings, best=best):
        parts = [
            part_of(span(progress, done, len(block), pool), place, len(systems) + 1, name=name)
            for place, name in enumerate(["the ideal ranking", *(system.name for system in systems)])
        ]
        ready = {name: ideal[done : done + len(block)] for name, ideal in ideals.items()}
        targets = targets_of(study, metrics, pool, block, settings, ready, parts[0])
        for system, part in zip(systems, parts[1:], strict=True):
            part(0.0, "")
            lists = lists_of(study, system, pool, block, depth=depth, settings=settings, progress=part)
            lists = only_judged(study, metrics[0], lists) if by_judged else lists
            relevance = relevances_of(study, metrics, lists, settings)
            for metric in metrics:
                gains = gains_of(study, metric, lists, relevance, pool, settings)
                gains = weighed(metric, lists, gains, targets[metric])
                result[system.name, metric].append(
                    score_block(study, metric, lists, gains, targets[metric], settings)
                )
    return result


def query_blocks(
    pool: Pool,
    systems: Sequence[System],
    depth: int | None,
    settings: Settings,
    *,
    copies: int = 1,
    best: int = 0,
) -> Iterator[tuple[Ints, int]]:
    """Blocks of the pool's queries with the number of queries before each.

    ``copies``: how many values per result are held at once, as when several settings are tried; ``best``: how
    many results the best lists hold.
    """
    rows = max(1, best, *(longest_list(system, pool, depth, settings) for system in systems))
    size = max(1, min(ROWS_AT_ONCE // (rows * copies), 4096))
    for first in range(0, len(pool.queries), size):
        yield pool.queries[first : first + size], first


def score_block(
    study: Study, metric: Metric, lists: Lists, gains: Floats, target: Target, settings: Settings
) -> BlockScores:
    """A metric's value for each list, with the reason where it has none.

    Raises PluginError where the function of a user fails, or gives what it must not, with the query.
    """
    family = METRICS[metric.family]
    ranked = RankedGains.of(lists.indptr, lists.scores, gains, expected=settings.ties == "expected")
    reasons = reasons_of(study, metric, lists.queries, target)
    defined = reasons == DEFINED
    try:
        values = np.where(defined, family.compute(ranked, target, metric), np.nan)
    except WrongList as error:
        query = study.image_ids[lists.queries[error.row]]
        raise PluginError(f"{metric}, query {query}: {error}") from error
    answered = lists.answered & defined
    missing, none = defined & ~lists.answered, np.zeros(len(values), np.bool_)
    ceiling = ceilings_of(metric, target, np.diff(lists.indptr), defined)
    if metric.cutoff is None:
        unlisted = none
        if family.lower_is_better:
            unlisted = answered & (list_sums(lists.indptr, (gains > 0).astype(float)) == 0)
        return BlockScores(values, reasons, missing, unlisted, none, ceiling)
    short = answered & (np.diff(lists.indptr) < metric.cutoff)
    tied = answered & _tied_at(lists, metric.cutoff)
    return BlockScores(values, reasons, missing, short, tied, ceiling)


def _tied_at(lists: Lists, cutoff: int) -> Bools:
    """True for lists whose rank ``cutoff`` and the next hold equal scores: the cut divides equals."""
    tied = np.diff(lists.indptr) > cutoff
    last = lists.indptr[:-1][tied] + cutoff - 1
    tied[tied] = lists.scores[last] == lists.scores[last + 1]
    return tied


def span(progress: Progress, before: int, n: int, pool: Pool) -> Progress:
    """The progress of ``n`` queries of a pool with so many before them."""
    return part_of(progress, before, max(len(pool.queries), 1), share=n)
