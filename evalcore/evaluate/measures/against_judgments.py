"""Does a measure say what others judged? Results of a query in the order of their grades, and the systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore import engine
from evalcore.evaluate.scoring import score
from evalcore.relevance.registry import check_asked
from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.correlation import kendall, within_groups
from evalcore.stats.sums import cut, weighted_sums
from evalcore.values.arrays import rows_of
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress

RESAMPLES, LEVEL, SEED = 1_000, 0.95, 0
"""Of intervals: percentile bootstrap over queries, or over groups of them, such as patients."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval; NaN where it is undefined. ``n``: what it was computed over."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class MeasureAgrees:
    """A measure against a file of judgments.

    ``within``: Kendall's tau-b of its values and the grades of a query's judged results, mean over the n
    queries with different grades; ``pairs`` of them. ``systems``: tau-b of the means of the n systems by
    either (nDCG@k), over the queries with a value by both.
    """

    measure: str
    judgments: str
    within: Estimate
    pairs: int
    systems: Estimate
    k: int


def measures_against_judgments(
    study: Study,
    measures: Sequence[str],
    *,
    k: int = 10,
    settings: Settings = Settings(),
    systems: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> tuple[MeasureAgrees, ...]:
    """How far does each measure agree with each file of judgments of a study?

    Parameters
    ----------
    measures
        Relevances; another file of judgments, ``qrels:NAME``, is one too. None is compared with itself.
    k, systems
        What counts of the lists of the systems, and which; None for all that rank by themselves.

    Returns
    -------
    File by file, the measure that agrees best within queries first. A measure that is the same for all judged
    results of a query has tau 0 there; a query whose judged results all have one grade has none.

    Raises
    ------
    UnknownName, SettingError
        A measure that the study does not have.
    """
    for measure in measures:
        check_asked(study, measure)
    files = {of.relevance: of for of in study.qrels.values()}
    tables = tables_of_systems(
        study,
        list(dict.fromkeys([*measures, *files])),
        k=k,
        settings=settings,
        systems=systems,
        progress=progress,
    )
    rows: list[MeasureAgrees] = []
    for relevance, of in files.items():
        queries = rows_of(of.judged.indptr).astype(np.int32)
        kept = of.judged.values >= 0
        kept &= np.bool_(settings.include_self) | (queries != of.judged.candidates)
        queries, results, grades = queries[kept], of.judged.candidates[kept], of.judged.values[kept]
        asked, number = np.unique(queries, return_inverse=True)
        several: list[MeasureAgrees] = []
        for measure in measures:
            if measure == relevance:
                continue
            values = engine.relevance_of_pairs(study, measure, queries, results, settings)
            known = ~np.isnan(values)
            if measure in files:  # what it did not judge is no grade of 0 here
                known &= files[measure].judged.has(queries, results)
            taus = within_groups(values[known], grades[known], number[known], len(asked))
            used = np.flatnonzero(~np.isnan(taus))
            pairs = int(np.isin(number[known], used).sum())
            within = mean_over(taus[used], clusters_of_queries(study, asked[used]))
            of_systems = tau_of_systems(study, tables.get(measure), tables.get(relevance))
            several.append(MeasureAgrees(measure, of.name, within, pairs, of_systems, k))
        rows += sorted(several, key=lambda row: -np.nan_to_num(row.within.value, nan=-2.0))
    return tuple(rows)


def clusters_of_queries(study: Study, queries: Ints) -> Ints:
    """The number of what is drawn with each query, from 0: its group, else the query alone."""
    if study.groups is None:
        return np.unique(queries, return_inverse=True)[1].astype(np.int32)
    groups = study.groups.of_image[queries]
    alone = groups.max(initial=-1) + 1 + queries
    return np.unique(np.where(groups < 0, alone, groups), return_inverse=True)[1].astype(np.int32)


def drawn_sums(columns: Floats, clusters: Ints) -> Floats:
    """Sums of the columns, shape (n, m), under resampled clusters, shape (RESAMPLES, m)."""
    size = int(clusters.max(initial=-1)) + 1
    sums = np.column_stack([np.bincount(clusters, column, size) for column in columns.T]).astype(float)
    result, pieces = np.empty((RESAMPLES, columns.shape[1])), cut(sums)
    for rows, weights in resampled_weights(size, RESAMPLES, np.random.default_rng(SEED)):
        result[rows] = weighted_sums(weights, pieces)
    return result


def estimate(value: float, again: Floats, n: int) -> Estimate:
    """A value with the middle of its resamples; NaN ends without a value, or where none of these has one."""
    if not np.isfinite(value) or not np.isfinite(again).any():
        return Estimate(value, float("nan"), float("nan"), n)
    low, high = np.nanquantile(again, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Estimate(value, low, high, n)


def mean_over(values: Floats, clusters: Ints) -> Estimate:
    """The mean of one value for each query, with its interval over clusters of queries."""
    n = len(values)
    if len(np.unique(clusters)) < 2:
        return Estimate(float(values.mean()) if n else float("nan"), float("nan"), float("nan"), n)
    sums = drawn_sums(np.column_stack([values, np.ones(n)]), clusters)
    return estimate(float(values.mean()), sums[:, 0] / sums[:, 1], n)


def tables_of_systems(
    study: Study,
    relevances: Sequence[str],
    *,
    k: int,
    settings: Settings = Settings(),
    systems: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Mapping[str, Floats]:
    """nDCG@k by each relevance, shape (images, systems), NaN where it is undefined; {} for one system."""
    names = [name for name in systems or study.systems if not name.startswith("@")]
    if len(names) < 2:
        return {}
    tables = {of: np.full((len(study.image_ids), len(names)), np.nan) for of in relevances}
    labels = {f"nDCG({of})@{k}": of for of in relevances}
    for scores in score(
        study, list(labels), systems=names, settings=settings, queries="all", progress=progress
    ):
        tables[labels[scores.metric]][scores.queries, names.index(scores.system)] = scores.values
    return tables


def tau_of_systems(study: Study, a: Floats | None, b: Floats | None) -> Estimate:
    """Whether systems come in the same order by both tables: tau-b of their means; its n are the systems."""
    if a is None or b is None:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    n = a.shape[1]
    queries = np.flatnonzero(~(np.isnan(a).any(axis=1) | np.isnan(b).any(axis=1))).astype(np.int32)
    if not len(queries):
        return Estimate(float("nan"), float("nan"), float("nan"), n)
    columns = np.column_stack([a[queries], b[queries]])
    means = columns.mean(axis=0)
    value = kendall(means[:n], means[n:])
    clusters = clusters_of_queries(study, queries)
    if clusters.max() < 1:
        return Estimate(value, float("nan"), float("nan"), n)
    sums = drawn_sums(columns, clusters)
    return estimate(value, np.array([kendall(row[:n], row[n:]) for row in sums]), n)
