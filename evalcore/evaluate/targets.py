"""What was returned and what could have been found, in the gains a metric counts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evalcore import engine
from evalcore.engine.blocks import NO_JUDGMENTS
from evalcore.evaluate.judged import n_judged, relevant, with_unjudged, yes_or_no
from evalcore.evaluate.levels import levels_shared, target_of_levels
from evalcore.evaluate.pools import Pool, count_agreeing, label_column, labels_agree
from evalcore.evaluate.systems import Lists
from evalcore.ranking.graded import gain_of, stop_chance
from evalcore.ranking.metrics import METRICS, Metric, Target, parse_metric, parse_metrics
from evalcore.relevance.registry import JUDGED, check_asked
from evalcore.values.arrays import Floats, Ints, Offsets
from evalcore.values.errors import InputError, SettingError
from evalcore.values.grouping import left_out, same_group_candidates
from evalcore.values.model import Study
from evalcore.values.own_queries import PAIRS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.ranking.families import LabelMatch
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings


def depth_needed(metrics: Sequence[Metric]) -> int | None:
    """The deepest rank any of the metrics looks at; None when one looks at all."""
    cutoffs = [metric.cutoff for metric in metrics]
    return None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff)


def ideal_depth(metrics: Sequence[Metric], n: int) -> int:
    """How many of n candidates the best list of any of the metrics holds; 0 where none is held against one.

    Those that count relevant candidates need no list: only graded ones, and levels.
    """
    held = [
        n if metric.cutoff is None or METRICS[metric.family].whole_ideal else min(metric.cutoff, n)
        for metric in metrics
        if METRICS[metric.family].needs_something_relevant
        and (metric.levels or (metric.relevance is not None and not yes_or_no(metric)))
    ]
    return max(held, default=0)


def targets_of(
    study: Study,
    metrics: Sequence[Metric],
    pool: Pool,
    block: Ints,
    settings: Settings,
    ready: Mapping[str, Floats],
    progress: Progress,
) -> dict[Metric, Target]:
    """What could have been found for each query of the block, per metric; shared by all systems.

    ``ready``: ideals of the block that were found before, by relevance.
    """
    among = np.isin(block, pool.candidates)
    offered = (
        len(pool.candidates) - (among & (not settings.include_self)) - _of_own_group(study, pool, block, None)
    )

    @cache
    def agreeing(match: LabelMatch, depth: int) -> Offsets:
        """Candidates that agree in the first ``depth`` label columns."""
        part = replace(pool, tables=pool.tables[:depth])
        return n_relevant(study, part, block, match, settings)

    @cache
    def judged(relevance: str | None, rel: float | None) -> tuple[Offsets, Offsets]:
        metric = next(metric for metric in metrics if (metric.relevance, metric.rel) == (relevance, rel))
        return n_judged(study, metric, pool, block, settings)

    @cache
    def ideal(relevance: str) -> Floats:
        if relevance in ready:
            return ready[relevance]
        depth = ideal_depth([m for m in metrics if m.relevance == relevance], len(pool.candidates))
        return engine.ideal_gains(
            study,
            relevance,
            block,
            candidates=pool.candidates,
            depth=max(depth, 1),
            settings=settings,
            progress=progress,
        )

    def target(metric: Metric) -> Target:
        if not METRICS[metric.family].needs_something_relevant:
            return Target()
        if yes_or_no(metric):
            good, every = judged(metric.relevance, metric.rel)
            return Target(n_relevant=good, n_others=every - good)
        if metric.levels:
            at_least = [agreeing(metric.match, depth) for depth in range(1, len(pool.tables) + 1)]
            return target_of_levels(
                metric,
                np.column_stack(at_least),
                offered,
                among & settings.include_self,
                ideal_depth([metric], max(len(pool.candidates), 1)),
                metric.gain or settings.gain,
            )
        if metric.relevance is None:
            n = agreeing(metric.match, len(pool.tables))
            return Target(n_relevant=n, n_others=offered - n)
        return Target(ideal=ideal_gains(metric, ideal(metric.relevance), settings))

    return {metric: target(metric) for metric in metrics}


def n_relevant(study: Study, pool: Pool, block: Ints, match: LabelMatch, settings: Settings) -> Offsets:
    """How many candidates that count for each query of the block agree with it, shape (len(block),)."""
    agreeing = count_agreeing(pool.tables, block, pool.candidates, match, include_self=settings.include_self)
    return agreeing - _of_own_group(study, pool, block, match)


def _of_own_group(study: Study, pool: Pool, block: Ints, match: LabelMatch | None) -> Offsets:
    """How many candidates of its own group each query leaves out; with ``match`` those that agree with it."""
    groups = left_out(study)
    if groups is None:
        return np.zeros(len(block), np.int64)
    rows, members = same_group_candidates(groups, block, pool.candidates)
    if match is not None:
        rows = rows[labels_agree(pool.tables, block[rows], members, match)]
    return np.bincount(rows, minlength=len(block))


def ideal_gains(metric: Metric, ideal: Floats, settings: Settings) -> Floats:
    """The gains of the best list, from its relevances."""
    of = METRICS[metric.family].gain or gain_of
    return of(ideal, gain=metric.gain or settings.gain)


def relevances_of(
    study: Study, metrics: Sequence[Metric], lists: Lists, settings: Settings
) -> dict[str, Floats]:
    """How relevant every returned image is under each relevance of the metrics, shape (rows,) each."""
    return {
        name: engine.relevance_of_pairs(study, name, lists.query_of_row, lists.candidates, settings)
        for name in {metric.relevance for metric in metrics if metric.relevance}
    }


def gains_of(
    study: Study,
    metric: Metric,
    lists: Lists,
    relevance: Mapping[str, Floats],
    pool: Pool,
    settings: Settings,
) -> Floats:
    """The gain of every returned image, shape (rows,), aligned with the rows of ``lists``.

    By labels 1 or 0; by a relevance its value, or the family's gain of it; by levels the level, or what it is
    worth; below 0 where nobody judged the image, for families that ask. 0 where the query has no such
    relevance. ``relevance``: by name, shape (rows,) each, NaN for none.
    """
    if metric.levels:
        levels, of_level = levels_shared(metric, lists, pool), METRICS[metric.family].gain
        return levels if of_level is None else of_level(levels, gain=metric.gain or settings.gain)
    if metric.relevance is None:
        return labels_agree(pool.tables, lists.query_of_row, lists.candidates, metric.match).astype(float)
    values, family = np.nan_to_num(relevance[metric.relevance], nan=0.0), METRICS[metric.family]
    judged = study.judged_by(metric.relevance)
    if judged is not None and yes_or_no(metric):
        gains = relevant(metric, judged, values)
        return with_unjudged(judged, lists, gains) if family.tells_unjudged else gains
    if family.gain is stop_chance and judged is not None:
        return stop_chance(values, gain=metric.gain or settings.gain, top=judged.top)
    if family.unit and judged is not None:
        values = values / judged.top
    return values if family.gain is None else family.gain(values, gain=metric.gain or settings.gain)


# The metrics asked for, of the study they are asked about.


def metrics_of(study: Study, labels: Sequence[str | Metric], settings: Settings) -> tuple[Metric, ...]:
    """The metrics these labels name in a study, each once, in the order given.

    Names of trec_eval are read where they are clear (see `ranking.metrics`).

    Raises
    ------
    UnknownName
        A relevance, system or label column that is not there.
    SettingError
        A label that cannot be parsed; ``ties="expected"`` and a metric without a known expectation.
    InputError
        A metric by judgments, and the study has none.
    """
    columns = _columns_of(study)
    wanted = tuple(dict.fromkeys(metric for label in labels for metric in parse_metrics(label, columns)))
    for metric in wanted:
        if metric.relevance:
            check_asked(study, metric.relevance)
        if metric.relevance == JUDGED and study.judged is None:
            raise InputError(NO_JUDGMENTS)
        if PAIRS in metric.labels and study.pairs is not None:
            if len(metric.labels) > 1:
                raise SettingError("metric", f"by {PAIRS} alone, such as R@5 or MedR({PAIRS})", str(metric))
        else:
            for name in metric.labels:
                label_column(study, name)
        if settings.ties == "expected" and not METRICS[metric.family].exact_ties:
            rule = f"id for {metric}, whose mean over all orders of equal scores has no formula"
            raise SettingError("ties", rule, settings.ties)
        if settings.undefined == "zero" and METRICS[metric.family].lower_is_better:
            raise SettingError("undefined", f"skip for {metric}: 0 would be better than any rank", "zero")
    return wanted


def known_labels(study: Study) -> tuple[str, ...]:
    """What can stand in the brackets of a measure by labels: label columns, and matched pairs."""
    return (*study.label_columns, *([PAIRS] if study.pairs is not None else []))


def metric_of(study: Study, label: str | Metric, settings: Settings) -> Metric:
    """The one metric a label names in a study; SettingError where it stands for several, else as above."""
    (result,) = metrics_of(study, [parse_metric(label, _columns_of(study))], settings)
    return result


def _columns_of(study: Study) -> tuple[str, ...]:
    """What ``map`` without brackets may be about: label columns, in a study without any its judgments."""
    return tuple(known_labels(study)) or tuple(of.relevance for of in study.qrels.values())
