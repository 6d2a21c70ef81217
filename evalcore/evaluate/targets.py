"""What a metric is about in a study: its queries and candidates, what could have been found, and the gains
of what was returned.

A label metric with ``pool="labelled"`` sees only images that carry its labels: they are the queries and
the candidates, and runs are filtered before any cut. With ``pool="all"`` the queries still need the
label, the candidates do not; metrics of judged images, such as bpref, see labelled ones even then. Every
other metric sees the study's own queries and candidates. Measures of matched pairs ask the queries that have
one, over all candidates.

Queries without a judged result have no value (as trec_eval leaves out topics without judgments); a result
nobody judged counts as not relevant, unless only judged ones count: then lists are cut down to these first.

Levels of a hierarchy of labels, ``levels(modality>organ)``, are how many labels are shared, from the top.
Level 0: the topmost label differs; level L: all L labels agree. For hierarchical average precision a level is
worth l^a / |Omega(l)|, Omega(l) the candidates of exactly that level: what is rarer among them counts more.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore import engine
from evalcore.engine.space import slices
from evalcore.evaluate.systems import Lists, Pool, is_swept
from evalcore.ranking.families import METRICS
from evalcore.ranking.graded import gain_of, stop_chance
from evalcore.ranking.metrics import SEVERAL_CUTOFFS, Metric, Target, parse_metric
from evalcore.relevance.registry import check_of
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Bools, Floats, Ints, Offsets, rows_of
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.grouping import left_out, may_find, same_group_candidates
from evalcore.values.model import LabelColumn, Qrels, Study
from evalcore.values.own_queries import PAIRS
from evalcore.values.portable_math import exp2, log2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ranking.metrics import LabelMatch
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

# Do two images carry the same label? For millions of pairs, and how many of a pool do.

PAIRS_AT_ONCE = 4_000_000
_NO_QUERY_VALUE, _NO_CANDIDATE_VALUE = -1, -2
"""Values of a table behind those an image has: unlike each other, so that they never match."""


def label_table(column: LabelColumn) -> Ints:
    """Values of a label column, one row per image and one more that never matches (image -1).

    Shape (n_images + 1, most values any image has); value indices ascending, ``_NO_QUERY_VALUE`` after them.
    """
    lengths = np.diff(column.indptr)
    inside = np.arange(max(int(lengths.max(initial=0)), 1)) < lengths[:, None]
    table = np.full((len(lengths) + 1, inside.shape[1]), _NO_QUERY_VALUE, np.int32)
    table[:-1][inside] = column.indices
    return table


def _agree(table: Ints, queries: Ints, candidates: Ints, match: LabelMatch) -> Bools:
    """For aligned pairs, shape (m,): a value in common ("any"), or the same values ("equal").

    An image without a value agrees with none.
    """
    columns = range(table.shape[1])
    if match == "equal":
        same: Bools = table[queries, 0] != _NO_QUERY_VALUE
        for k in columns:
            same &= table[queries, k] == table[candidates, k]
        return same
    result = np.zeros(len(queries), np.bool_)
    for k in columns:
        theirs = table[candidates, k]
        theirs[theirs == _NO_QUERY_VALUE] = _NO_CANDIDATE_VALUE
        for j in columns:
            result |= table[queries, j] == theirs
    return result


def labels_agree(pool: Pool, queries: Ints, candidates: Ints, match: LabelMatch) -> Bools:
    """Do two images agree in every one of the pool's label columns, or are they matched? Shape (m,).

    ``queries`` and ``candidates``: aligned image indices, shape (m,) each; -1, an image not in the study,
    agrees with none. ``match``: how values of a column are compared.
    """
    if pool.pairs is not None:
        return pool.pairs.agree(queries, candidates)
    agreed: Bools = _agree(pool.tables[0], queries, candidates, match)
    for table in pool.tables[1:]:
        agreed &= _agree(table, queries, candidates, match)
    return agreed


def count_agreeing(pool: Pool, queries: Ints, match: LabelMatch, *, include_self: bool) -> Offsets:
    """How many of the pool's candidates agree with each query, the query itself aside; shape (len(queries),).

    Images with the same labels are counted once per kind, so the work grows with the number of
    different label combinations squared, not with the number of images squared.
    """
    if pool.pairs is not None:
        return pool.pairs.count(queries, pool.inside[:-1], include_self=include_self)
    rows = np.hstack(pool.tables)
    (query_kinds, query_kind), (candidate_kinds, candidate_kind) = (
        _kinds(rows, images) for images in (queries, pool.candidates)
    )
    kind_sizes = np.bincount(candidate_kind, minlength=len(candidate_kinds))
    agreeing = np.zeros(len(query_kinds), np.int64)
    for part in slices(len(query_kinds), PAIRS_AT_ONCE // max(len(candidate_kinds), 1)):
        some = query_kinds[part]
        pairs = np.repeat(some, len(candidate_kinds)), np.tile(candidate_kinds, len(some))
        same = labels_agree(pool, *pairs, match).reshape(len(some), -1)
        agreeing[part] = same @ kind_sizes
    return agreeing[query_kind] - (np.isin(queries, pool.candidates) & (not include_self))


def _kinds(rows: Ints, images: Ints) -> tuple[Ints, Offsets]:
    """One image of each different row of labels, and which of these kinds every image is."""
    of_images = rows[images]
    # A single column is sorted as numbers, ten times as fast as rows.
    of_images, axis = (of_images, 0) if of_images.shape[1] > 1 else (of_images[:, 0], None)
    _, first, kind = np.unique(of_images, axis=axis, return_index=True, return_inverse=True)
    return images[first], kind.reshape(-1)


# The metrics asked for, of the study they are asked about.


NO_LABELS = "This study has no labels: add a labels.csv with one column per label type."


def label_column(study: Study, name: str) -> LabelColumn:
    """A label column by name; UnknownName with the columns there are."""
    columns = study.labels
    if name not in columns:
        hint = "" if columns else NO_LABELS
        if name == PAIRS:
            hint = "Matched pairs are read from pairs.csv, with the columns query and candidate."
        raise UnknownName("label column", name, columns, hint)
    return columns[name]


def metrics_of(study: Study, labels: Sequence[str | Metric], settings: Settings) -> tuple[Metric, ...]:
    """The metrics these labels name in a study, each once, in the order given.

    ``P(organ)@5,10`` names two.

    Raises
    ------
    UnknownName
        A relevance, system or label column that is not there.
    SettingError
        A label that cannot be parsed; ``ties="expected"`` and a metric without a known expectation.
    """
    columns = (*study.labels, *([PAIRS] if study.pairs is not None else []))
    wanted: dict[Metric, None] = {}
    for label in labels:
        several = None if isinstance(label, Metric) else SEVERAL_CUTOFFS.fullmatch(label)
        each = [label] if several is None else [f"{several[1]}{k.strip()}" for k in several[2].split(",")]
        wanted |= dict.fromkeys(parse_metric(single, columns) for single in each)
    for metric in wanted:
        if metric.relevance:
            check_of(study, metric.relevance)
        by_pairs = PAIRS in metric.labels and study.pairs is not None
        if by_pairs and len(metric.labels) > 1:
            raise SettingError("metric", f"by {PAIRS} alone, such as R@5 or MedR({PAIRS})", str(metric))
        for name in () if by_pairs else metric.labels:
            label_column(study, name)
        if settings.ties == "expected" and not METRICS[metric.family].exact_ties:
            rule = f"id for {metric}, whose mean over all orders of equal scores has no formula"
            raise SettingError("ties", rule, settings.ties)
        if settings.undefined == "zero" and METRICS[metric.family].lower_is_better:
            raise SettingError("undefined", f"skip for {metric}: 0 would be better than any rank", "zero")
    return tuple(wanted)


def metric_of(study: Study, label: str | Metric, settings: Settings) -> Metric:
    """The metric a label names in a study; raises as above, and SettingError for one with several cutoffs."""
    metric, *others = metrics_of(study, [label], settings)
    if others:
        cutoffs, example = str(label).rpartition("@")[2].strip(), METRICS[metric.family].example
        raise SettingError("cutoff", f"an integer >= 1, as in {example}", cutoffs)
    return metric


# The queries and candidates of a metric.


def pool_of(study: Study, metric: Metric | None, queries: Ints, settings: Settings) -> Pool:
    """The pool of a metric: by labels as the settings say, unless it counts judged images only.

    None for everything in the study. Raises UnknownName for a label column that is not there.
    """
    labels = () if metric is None else metric.labels
    pairs = study.pairs if labels == (PAIRS,) else None
    columns = [label_column(study, name) for name in labels] if pairs is None else []
    has_all, candidates = np.ones(len(study.image_ids), np.bool_), study.candidates
    for having in [column.labelled for column in columns] if pairs is None else [pairs.paired]:
        has_all &= having
    judged_only = metric is not None and METRICS[metric.family].judged_only
    restricted = bool(columns) and (judged_only or settings.pool == "labelled")
    if restricted:
        candidates = candidates[has_all[candidates]]
    inside = np.zeros(len(study.image_ids) + 1, np.bool_)
    inside[candidates] = True
    # An unknown image that the user chose to keep counts as returned, but it can carry no label.
    inside[-1] = not restricted
    tables = tuple(map(label_table, columns))
    only = metric is not None and (judged_only or metric.only is not None)
    judged = study.judged_by(metric.relevance) if metric is not None and only else None
    return Pool(queries[has_all[queries]], candidates, inside, tables, pairs, study.groups, judged)


# What could have been found.


def ideal_depth(metrics: Sequence[Metric], n: int) -> int:
    """How many of n candidates the best list of any of the metrics holds; 0 where none is held against one.

    Those that count relevant candidates need no list: only graded ones, and levels.
    """
    held = [
        n if metric.cutoff is None or family.whole_ideal else min(metric.cutoff, n)
        for metric in metrics
        for family in [METRICS[metric.family]]
        if family.needs_something_relevant
        and (metric.levels or (metric.relevance is not None and family.needs != "labels"))
    ]
    return max(held, default=0)


def targets_of(
    study: Study,
    metrics: Sequence[Metric],
    pool: Pool,
    block: Ints,
    settings: Sequence[Settings],
    progress: Progress,
) -> dict[Metric, list[Target]]:
    """What could have been found for each query of the block, per metric; shared by all systems.

    ``metrics``: of one pool. Under each of the settings where a metric is by nn-IoU, else once.
    """
    first, n = settings[0], len(pool.candidates)
    result = {metric: [Target()] for metric in metrics}
    wanted = [metric for metric in metrics if METRICS[metric.family].needs_something_relevant]
    if metrics[0].labels:
        return result | _targets_of_labels(study, wanted, pool, block, first)
    best: dict[str, Floats] = {}
    for metric in wanted:
        if METRICS[metric.family].needs == "labels":
            good, every = n_judged(study, metric, pool, block, first)
            result[metric] = [Target(n_relevant=good, n_others=every - good)]
            continue
        name = str(metric.relevance)
        if name not in best:
            best[name] = engine.ideal_gains(
                study,
                name,
                block,
                candidates=pool.candidates,
                depth=max(ideal_depth([other for other in metrics if other.relevance == name], n), 1),
                settings=settings if is_swept(name) else settings[:1],
                progress=progress,
            )
        gains = METRICS[metric.family].gain or gain_of
        result[metric] = [Target(ideal=gains(ideal, gain=metric.gain or first.gain)) for ideal in best[name]]
    return result


def _targets_of_labels(
    study: Study, metrics: Sequence[Metric], pool: Pool, block: Ints, settings: Settings
) -> dict[Metric, list[Target]]:
    """`targets_of` by the same label columns, or by matched pairs."""
    n, among, result = len(pool.candidates), np.isin(block, pool.candidates), {}
    offered = n - (among & (not settings.include_self)) - _of_own_group(study, pool, block, None)
    columns = [*(replace(pool, tables=pool.tables[:depth]) for depth in range(1, len(pool.tables))), pool]
    agreeing = cache(partial(n_relevant, study, block=block, settings=settings))
    for metric in metrics:
        if metric.levels:
            at_least = np.column_stack([agreeing(part, match=metric.match) for part in columns])
            own, depth = among & settings.include_self, ideal_depth([metric], max(n, 1))
            gain = metric.gain or settings.gain
            target = _target_of_levels(metric, at_least, offered, own, depth, gain)
        else:
            relevant = agreeing(pool, match=metric.match)
            target = Target(n_relevant=relevant, n_others=offered - relevant)
        result[metric] = [target]
    return result


def n_relevant(study: Study, pool: Pool, *, block: Ints, match: LabelMatch, settings: Settings) -> Offsets:
    """How many candidates that count for each query of the block agree with it, shape (len(block),)."""
    agreeing = count_agreeing(pool, block, match, include_self=settings.include_self)
    return agreeing - _of_own_group(study, pool, block, match)


def _of_own_group(study: Study, pool: Pool, block: Ints, match: LabelMatch | None) -> Offsets:
    """How many candidates of its own group each query leaves out; with ``match`` those that agree with it."""
    groups = left_out(study)
    if groups is None:
        return np.zeros(len(block), np.int64)
    rows, members = same_group_candidates(groups, block, pool.candidates)
    if match is not None:
        rows = rows[labels_agree(pool, block[rows], members, match)]
    return np.bincount(rows, minlength=len(block))


def _target_of_levels(
    metric: Metric, at_least: Offsets, offered: Offsets, own: Bools, depth: int, gain: str
) -> Target:
    """What could have been found by levels.

    ``at_least``: candidates of each query that share the first 1, 2, ..., L labels, shape (n, L);
    ``offered``: candidates in all; ``own``: queries that are among their own candidates; ``depth``: ranks of
    the best list that the measure looks at. A level that is weighed is worth 0 where it is 0 or empty; l^a
    is exact for whole a.
    """
    n, n_levels = at_least.shape
    width = max(1, min(depth, int(at_least[:, 0].max(initial=0))))
    levels = (np.arange(width) < at_least[:, :, np.newaxis]).sum(axis=1).astype(np.float64)
    good, family = at_least[:, 0], METRICS[metric.family]
    if not family.weighs_levels:
        return Target(family.gain(levels, gain=gain) if family.gain else levels, good, offered - good)
    exactly = at_least - np.hstack([at_least[:, 1:], np.zeros((n, 1), np.int64)])
    if metric.count_query == "yes":  # once: not where it is a candidate anyway
        exactly[:, -1] += ~own
    places, a = np.arange(1, n_levels + 1), metric.power
    raised = (
        exp2(a * log2(places)) if a != int(a) else np.array([float(k ** int(a)) for k in places.tolist()])
    )
    share = np.divide(raised, exactly, out=np.zeros((n, n_levels)), where=exactly > 0)
    worth = np.hstack([np.zeros((n, 1)), share])
    ideal = -np.sort(-np.take_along_axis(worth, levels.astype(np.int64), axis=1), axis=1)
    return Target(ideal, good, offered - good, worth)


# What was found.


def relevance_under(
    study: Study, metric: Metric, pool: Pool, every: Sequence[Lists], settings: Sequence[Settings]
) -> list[Floats]:
    """The relevance of every returned image, shape (rows,): under each setting, or one where none matters.

    By labels 1 where they agree, else 0; by levels of them how many are shared, from the top.
    """
    name, pairs = metric.relevance, [(lists.query_of_row, lists.candidates) for lists in every]
    if metric.levels:
        agreed = [[_agree(table, *images, metric.match) for table in pool.tables] for images in pairs]
        return [np.cumprod(levels, axis=0).sum(axis=0).astype(float) for levels in agreed]
    if name is None:
        return [labels_agree(pool, *images, metric.match).astype(float) for images in pairs]
    if len(every) == 1:
        some = settings if is_swept(name) else settings[:1]
        return engine.relevance_of_pairs(study, name, *pairs[0], some)
    return [
        engine.relevance_of_pairs(study, name, *images, [setting])[0]
        for images, setting in zip(pairs, settings, strict=True)
    ]


def gains_of(
    study: Study, metric: Metric, lists: Lists, relevance: Floats, target: Target, settings: Settings
) -> Floats:
    """The gain of every returned image, shape (rows,), aligned with the rows of ``lists``.

    By labels 1 or 0; by a relevance its value, or the family's gain of it; by levels the level, or what it is
    worth; below 0 where nobody judged the image, for families that ask. 0 where the query has no such
    relevance. ``relevance``: as of `relevance_under`, shape (rows,), NaN for none.
    """
    family, gain = METRICS[metric.family], metric.gain or settings.gain
    if target.worth is not None:
        worth: Floats = target.worth[rows_of(lists.indptr), relevance.astype(np.int64)]
        return worth
    if metric.relevance is None:
        return family.gain(relevance, gain=gain) if metric.levels and family.gain else relevance
    values, judged = np.nan_to_num(relevance, nan=0.0), study.judged_by(metric.relevance)
    if judged is None:
        return values if family.gain is None else family.gain(values, gain=gain)
    if family.needs == "labels":
        gains = _relevant(metric, judged, values)
        return _with_unjudged(judged, lists, gains) if family.tells_unjudged else gains
    if family.gain is stop_chance:
        return stop_chance(values, gain=gain, top=judged.top)
    values = values / judged.top if family.unit else values
    return values if family.gain is None else family.gain(values, gain=gain)


# What a measure makes of judgments: families that otherwise need labels take them as relevant or not.


def _relevant(metric: Metric, judged: Qrels, values: Floats) -> Floats:
    """1 for grades of relevant results, else 0."""
    level = judged.level if metric.rel is None else metric.rel
    return (values >= level - SAME).astype(float)


UNJUDGED, IN_POOL = -2.0, -1.0
"""Gains of results nobody judged, for measures that tell them apart: outside the pool, and in it."""


def _with_unjudged(judged: Qrels, lists: Lists, gains: Floats) -> Floats:
    """The gains, with `UNJUDGED` and `IN_POOL` in place of results without a grade."""
    places = judged.places(lists.query_of_row, lists.candidates)
    in_pool = np.append(judged.values < 0, False)[places]
    return np.where(places < 0, UNJUDGED, np.where(in_pool, IN_POOL, gains))


def n_judged(
    study: Study, metric: Metric, pool: Pool, block: Ints, settings: Settings
) -> tuple[Offsets, Offsets]:
    """Judged candidates of each query of the block, shape (n,) each: the relevant ones, and all."""
    judged = study.judged_by(metric.relevance)
    assert judged is not None, "metrics were checked against the study"
    rows, n = rows_of(judged.indptr).astype(np.int32), len(judged.indptr) - 1
    counts = pool.inside[judged.candidates] & (judged.values >= 0)
    if not settings.include_self:
        counts &= rows != judged.candidates
    counts &= may_find(study, rows, judged.candidates)
    good = counts & (_relevant(metric, judged, judged.values) > 0)
    return np.bincount(rows[good], minlength=n)[block], np.bincount(rows[counts], minlength=n)[block]


# Which of the results of one query count, and for how much?


class Worth(NamedTuple):
    """What each result of a list earns, shape (n,) each.

    ``gains``: 1 or 0 by labels, else the gain of its relevance; NaN for an image that plays no part, because
    it or the query lacks the labels, or it is of the query's own group. ``counted``: it plays a part and
    stands where the metric still looks.
    """

    gains: Floats
    counted: Bools


def what_counts(study: Study, metric: Metric, query: int, images: Ints, settings: Settings) -> Worth:
    """The worth of the first results of a query, best first (image indices, -1 for an unknown one).

    Raises UnknownName for a relevance or label column that is not there.
    """
    indices = np.array([query], np.int32)
    pool, of_row = pool_of(study, metric, indices, settings), np.full(len(images), query, np.int32)
    lists = Lists(indices, np.ones(1, np.bool_), np.array([0, len(images)]), images, np.zeros(len(images)))
    part = pool.inside[images] & (len(pool.queries) > 0) & may_find(study, query, images)
    if pool.judged is not None:
        part &= pool.judged.has(of_row, images)
    limit, values = metric.cutoff, relevance_under(study, metric, pool, [lists], [settings])
    if metric.family == "Rprec":
        if metric.labels:
            limit = int(n_relevant(study, pool, block=indices, match=metric.match, settings=settings)[0])
        else:
            limit = int(n_judged(study, metric, pool, indices, settings)[0][0])
    counted = part if limit is None else part & (np.cumsum(part) <= limit)
    gains = gains_of(study, metric, lists, values[0], Target(), settings).clip(min=0)
    return Worth(np.where(part, gains, np.nan), counted)
