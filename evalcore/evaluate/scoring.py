"""Scores: relevance x lists x measures, streamed over blocks of queries.

Work goes pool by pool (see `targets`), block by block, system by system; what all systems share (the ideal,
the number of relevant candidates) is computed once per block, and so is what several settings of nn-IoU
share: rankings that do not come from it, metrics that do not look at it, the counts of a threshold. Memory is
bounded by the block.

Which queries have no value, and why:

| the query | relevance metric | label metric |
|---|---|---|
| carries no such label | - | outside the pool: never asked |
| nobody annotated it | not annotated | - |
| is annotated with nothing | no concepts | - |
| has no embedding (``cosine:SYSTEM``) | no embedding | - |
| has no judged result (``judged``, ``qrels:NAME``) | not judged | - |
| has nothing relevant to find | no relevant candidate; 0 (mean, RBP, ERR) | no relevant candidate; 0 (P) |
| is not in the run | 0, and counted as missing | 0, and counted as missing |

A query without a value is NaN in the scores; whether a mean leaves it out or counts 0 is decided by
``Settings.undefined`` in `summary.scored_queries`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evalcore import engine
from evalcore.engine.space import slices
from evalcore.evaluate.systems import Lists, Pool, System, is_swept, lists_under, longest_list
from evalcore.evaluate.targets import gains_of, ideal_depth, pool_of, relevance_under, targets_of
from evalcore.ranking.custom import WrongList
from evalcore.ranking.families import METRICS
from evalcore.ranking.lists import RankedGains, tie_groups
from evalcore.ranking.metrics import ARGUMENTS, Metric, Target
from evalcore.relevance.registry import parse_relevance
from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Floats, Ints, readonly
from evalcore.values.errors import SettingError
from evalcore.values.model import (
    DEFINED,
    NO_CONCEPTS,
    NO_EMBEDDING,
    NO_RELEVANT,
    NOT_ANNOTATED,
    NOT_JUDGED,
    OUTSIDE_POOL,
    Scores,
    Study,
)
from evalcore.values.plugins import PluginError
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.values.arrays import Offsets

ROWS_AT_ONCE = 4_000_000
"""Results held at once; a block of queries is as long as this allows."""


Cell = tuple[Settings, str, Metric]
"""One system (by name) under one metric at one setting."""


def score_under(
    study: Study,
    systems: Sequence[System],
    metrics: Sequence[Metric],
    queries: Ints,
    settings: Sequence[Settings],
    progress: Progress = silent,
) -> dict[Cell, Scores]:
    """Every system under every metric at each of several settings, over the queries asked.

    Parameters
    ----------
    study
        Its candidate list bounds what may be returned and what the ideal may hold.
    systems, metrics
        As `resolve_systems` and `metrics_of` give them for this study.
    queries
        Image indices, ascending. One that a run does not answer has value 0 and is counted in ``missing``.
    settings
        Different ones, which differ in alpha, threshold, count rule and direction only.
    progress
        Called with the share done (0 to 1) and what is being worked on; raise in it to cancel.

    Returns
    -------
    Cells by setting, system and metric; those whose values no setting changes share one `Scores`.
    """
    if not metrics:
        raise SettingError("metrics", "at least one metric, such as nDCG(nn-iou)@10", [])
    by_pool: dict[tuple[object, ...], list[Metric]] = {}
    for metric in metrics:
        judged_only = METRICS[metric.family].judged_only
        judged_by = metric.relevance if judged_only or metric.only is not None else None
        by_pool.setdefault((metric.labels, judged_only, judged_by), []).append(metric)
    columns: _Columns = {}
    for place, members in enumerate(by_pool.values()):
        pool = pool_of(study, members[0], queries, settings[0])
        part = part_of(progress, place, len(by_pool))
        columns |= _score_pool(study, systems, members, pool, queries, settings, part)
    progress(1.0, "done")
    groups, result = study.groups, dict[Cell, Scores]()
    of_query = None if groups is None else readonly(groups.of_image[queries])
    for (at, setting), system, metric in product(enumerate(settings), systems, metrics):
        column, cell = columns.get((system.name, metric, at)), (setting, system.name, metric)
        if column is None:
            result[cell] = result[settings[0], system.name, metric]
            continue
        missing, short, tied = column.counts.tolist()
        result[cell] = Scores(
            system.name,
            str(metric),
            queries,
            readonly(column.values),
            readonly(column.reasons),
            missing,
            short,
            tied,
            cutoff=metric.cutoff,
            groups=of_query,
            grouped_by="" if groups is None else groups.name,
            settings=column.settings,
        )
    return result


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A list per query under one metric and setting: see `Scores`. Shapes (queries asked,).

    ``counts``: how many queries are missing, short, tied.
    """

    values: Floats
    reasons: npt.NDArray[np.uint8]
    counts: Offsets
    settings: Settings

    def fill(
        self,
        rows: Offsets,
        study: Study,
        metric: Metric,
        lists: Lists,
        gains: Floats,
        target: Target,
        reasons: npt.NDArray[np.uint8],
    ) -> None:
        """Put the metric's value for each list of a block at its rows.

        Raises PluginError where the function of a user fails, or gives what it must not, with the query.
        """
        family, lengths, defined = METRICS[metric.family], np.diff(lists.indptr), reasons == DEFINED
        expected, answered = self.settings.ties == "expected", lists.answered & defined
        ranked = RankedGains(
            lists.indptr, gains, tie_groups(lists.indptr, lists.scores) if expected else None
        )
        try:
            arguments = {name: ARGUMENTS[name](target, metric) for name in family.asks}
            self.values[rows] = np.where(defined, family.compute(ranked, **arguments), np.nan)
        except WrongList as error:
            query = study.image_ids[lists.queries[error.row]]
            raise PluginError(f"{metric}, query {query}: {error}") from error
        self.reasons[rows] = reasons
        short = tied = np.zeros(0, np.bool_)
        if metric.cutoff is not None:
            short = answered & (lengths < metric.cutoff)
            # The cut divides equals where rank ``cutoff`` and the next hold equal scores.
            last = (lists.indptr[:-1] + metric.cutoff - 1)[answered & (lengths > metric.cutoff)]
            tied = lists.scores[last] == lists.scores[last + 1]
        elif family.lower_is_better:
            short = answered & (list_sums(lists.indptr, (gains > 0).astype(float)) == 0)
        self.counts[:] += [np.count_nonzero(each) for each in (defined & ~lists.answered, short, tied)]


_Columns = dict[tuple[str, Metric, int], _Column]
"""By list, metric and the place of the setting; at place 0 alone where no setting changes a value."""


def _score_pool(
    study: Study,
    systems: Sequence[System],
    metrics: Sequence[Metric],
    pool: Pool,
    queries: Ints,
    settings: Sequence[Settings],
    progress: Progress,
) -> _Columns:
    """Every list under the metrics of one pool."""
    cutoffs, n, judged = [metric.cutoff for metric in metrics], len(queries), pool.judged
    # Lists that are cut down to what was judged are asked for whole.
    depth = None if judged is not None or None in cutoffs else max(filter(None, cutoffs))
    best, names = ideal_depth(metrics, len(pool.candidates)), [system.name for system in systems]
    columns = {
        (system.name, metric, at): _Column(
            np.full(n, np.nan), np.full(n, OUTSIDE_POOL, np.uint8), np.zeros(3, np.int64), setting
        )
        for system, metric in product(systems, metrics)
        for at, setting in enumerate(settings)
        if at == 0 or system.moves or is_swept(metric.relevance)
    }
    blocks = query_blocks(pool, systems, depth, settings[0], progress, copies=len(settings), best=best)
    for block, part in blocks:
        parts = [
            part_of(part, place, len(systems) + 1, name=name)
            for place, name in enumerate(["the ideal ranking", *names])
        ]
        rows = np.searchsorted(queries, block)
        targets = targets_of(study, metrics, pool, block, settings, parts[0])
        reasons = {m: [_reasons(study, m, block, target) for target in targets[m]] for m in metrics}
        for system, part in zip(systems, parts[1:], strict=True):
            part(0.0, "")
            every = lists_under(study, system, pool, block, settings, depth=depth, progress=part)
            if judged is not None:
                every = [lists.keep(judged.has(lists.query_of_row, lists.candidates)) for lists in every]
            values: dict[object, list[Floats]] = {}
            for metric in metrics:
                about = metric.relevance or (metric.levels, metric.match)
                if about not in values:
                    values[about] = relevance_under(study, metric, pool, every, settings)
                for at, relevance in enumerate(values[about]):
                    lists, goal = every[at % len(every)], at % len(targets[metric])
                    target, why = targets[metric][goal], reasons[metric][goal]
                    gains = gains_of(study, metric, lists, relevance, target, settings[at])
                    columns[system.name, metric, at].fill(rows, study, metric, lists, gains, target, why)
    return columns


def query_blocks(
    pool: Pool,
    systems: Sequence[System],
    depth: int | None,
    settings: Settings,
    progress: Progress = silent,
    *,
    copies: int = 1,
    best: int = 0,
) -> Iterator[tuple[Ints, Progress]]:
    """Blocks of the pool's queries, each with its share of the progress.

    ``copies``: of how many settings the first ``depth`` results are held at once; ``best``: how many results
    the best lists hold.
    """
    longest = max(1, *(longest_list(system, pool, depth, settings) for system in systems))
    held = longest if depth is None else min(depth + 1, longest)
    size = min(ROWS_AT_ONCE // max(longest, copies * held, copies * best), 4096)
    n = len(pool.queries)
    for part in slices(n, size):
        yield pool.queries[part], part_of(progress, part.start, n, share=part.stop - part.start)


def first_results(
    study: Study,
    systems: Sequence[System],
    k: int,
    *,
    settings: Settings,
    queries: Ints | None = None,
    progress: Progress = silent,
) -> Iterator[tuple[Ints, list[Lists]]]:
    """The first k results of each system, block by block of the study's queries, or of some."""
    pool = pool_of(study, None, study.queries if queries is None else queries, settings)
    for block, within in query_blocks(pool, systems, k, settings, progress):
        every = []
        for place, system in enumerate(systems):
            part = part_of(within, place, len(systems), name=system.name)
            part(0.0, "")
            (lists,) = lists_under(study, system, pool, block, [settings], depth=k, progress=part)
            every.append(lists.first(k))
        yield block, every
    progress(1.0, "done")


def _reasons(study: Study, metric: Metric, queries: Ints, target: Target) -> npt.NDArray[np.uint8]:
    """Why each query of the metric's pool has no value, shape (n,); DEFINED for those that have one.

    Where several reasons apply, the one furthest down in this function is given.
    """
    reasons, name = np.full(len(queries), DEFINED, np.uint8), metric.relevance
    if METRICS[metric.family].needs_something_relevant:
        most = target.n_relevant if target.ideal is None else target.ideal[:, 0]
        assert most is not None, "a target is an ideal or a number"
        reasons[most <= 0] = NO_RELEVANT
    if name is None:
        return reasons
    relevance = parse_relevance(name)
    if relevance.system is None and relevance.file is None:
        counted = engine.counted_concepts(study, relevance.weighting)
        reasons[counted.concepts.sizes[queries] == 0] = NO_CONCEPTS
        reasons[~study.concepts.annotated[queries]] = NOT_ANNOTATED
    else:
        lacks = NO_EMBEDDING if relevance.file is None else NOT_JUDGED
        reasons[~engine.has_relevance(study, name, queries)] = lacks
    return reasons
