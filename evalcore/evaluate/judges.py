"""Judgments of others against each other, and scores by few people and a program that judges all.

A program is a judge, never a reader: what it says counts as far as it agrees with people where both judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore import engine
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import groups_of
from evalcore.ranking.metrics import METRICS, sign_of
from evalcore.relevance.registry import by_judgments, check_asked
from evalcore.stats.agreement import alpha_of_two, cohen, level_of, two_raters
from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.correlation import kendall, within_groups
from evalcore.stats.prediction_powered import Powered, powered_mean
from evalcore.stats.sums import cut, weighted_sums
from evalcore.values.arrays import rows_of
from evalcore.values.errors import SettingError
from evalcore.values.model import DEFINED, NOT_JUDGED
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.ranking.metrics import Metric
    from evalcore.stats.agreement import Level
    from evalcore.values.arrays import Bools, Floats, Ints, Offsets
    from evalcore.values.model import Qrels, Scores, Study
    from evalcore.values.progress import Progress


@dataclass(frozen=True, slots=True)
class JudgmentFile:
    """What a file of judgments holds, and of the first ``k`` results of all systems the share it judged.

    ``unanswered``: queries it judges that no system answers; ``unjudged``: those some system answers and it
    does not judge. ``only_returned``: results of systems that it judges for no query; ``only_judged``: those
    it judges and no system returns for any; ``first_returned``, ``first_judged``: the first `FIRST_NAMES` of
    their ids.
    """

    name: str
    by_program: bool
    raters: int
    queries: int
    judged: int
    relevant: int
    in_pool: int
    unanswered: int
    unjudged: int
    share: float
    k: int
    only_returned: int
    only_judged: int
    first_returned: tuple[str, ...]
    first_judged: tuple[str, ...]


FIRST_NAMES = 5


@dataclass(frozen=True, slots=True)
class FilesAgree:
    """How far two files, or two raters of one, agree on the ``n`` results that both judged.

    ``share``: of the results that either judged. ``alpha`` Krippendorff's, ``kappa`` Cohen's with quadratic
    weights, over those of ``queries``; NaN where they are undefined. ``systems``: whether these come in the
    same order by either (`measures_against_judgments`); None of two raters. ``people``: how many of the two
    are people.
    """

    a: str
    b: str
    n: int
    share: float
    queries: int
    alpha: Estimate
    kappa: Estimate
    systems: Estimate | None
    level: Level
    people: int


def judgment_files(study: Study, *, k: int = 10) -> tuple[JudgmentFile, ...]:
    """The files of judgments of a study, those of people first."""
    files = sorted(study.qrels.values(), key=lambda of: (of.by_program, of.name))
    shares = _shares(study, files, k)
    lists = [run.queries for run in study.runs.values()]
    lists += [study.queries[of.rows[study.queries] >= 0] for of in study.embeddings.values()]
    answered = np.zeros(len(study.image_ids), np.bool_)
    answered[np.concatenate([np.empty(0, np.int32), *lists])] = True
    returned = np.zeros(len(study.image_ids), np.bool_)
    for run in study.runs.values():
        returned[run.candidates[run.candidates >= 0]] = True
    for vectors in study.embeddings.values():
        returned[study.candidates[vectors.rows[study.candidates] >= 0]] = True
    return tuple(
        JudgmentFile(
            of.name,
            of.by_program,
            len(of.raters),
            of.n_queries,
            int(of.given.sum()),
            int(np.count_nonzero(of.judged.values >= of.judged.level)),
            int(np.count_nonzero(~of.given)),
            int(np.count_nonzero((of.judged.graded > 0) & ~answered)),
            int(np.count_nonzero((of.judged.graded == 0) & answered)),
            shares[of.name],
            k,
            *_only_one_side(study, of, returned),
        )
        for of in files
    )


def _only_one_side(
    study: Study, of: Qrels, returned: Bools
) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
    judged = np.zeros(len(returned), np.bool_)
    judged[of.judged.candidates[of.given]] = True
    sides = [np.flatnonzero(only) for only in (returned & ~judged, judged & ~returned)]
    of_runs, of_file = (tuple(study.image_ids[i] for i in side[:FIRST_NAMES].tolist()) for side in sides)
    return len(sides[0]), len(sides[1]), of_runs, of_file


def _shares(study: Study, files: Sequence[Qrels], k: int) -> dict[str, float]:
    """Judged@k by file: the mean over the systems; NaN without systems."""
    if not study.systems or not files:
        return {of.name: float("nan") for of in files}
    means: dict[str, list[float]] = {of.name: [] for of in files}
    labels = {f"Judged({of.relevance})@{k}": of.name for of in files}
    for scores in score(study, list(labels), queries="all"):
        if (values := scores.values[scores.reasons == DEFINED]).size:
            means[labels[scores.metric]].append(float(values.mean()))
    return {name: float(np.mean(of)) if of else float("nan") for name, of in means.items()}


MOST_RATERS = 12
"""Of a file with more, agreement of every two has no interval: each takes a resample of its own."""


class Opinion(NamedTuple):
    """What a file of judgments, or one rater of it, says of results, shape (n,) each.

    ``keys``: query and result as one number, ascending; ``values`` below 0 or NaN for none.
    """

    name: str
    by_program: bool
    keys: Offsets
    values: Floats


def files_agree(study: Study, *, k: int = 10) -> tuple[FilesAgree, ...]:
    """Every two files of judgments, and every two raters of one file, on the results that both judged.

    ``k``: results of the lists by which systems are ordered. Intervals: see `measures_against_judgments`.
    """
    files = sorted(study.qrels.values(), key=lambda of: (of.by_program, of.name))
    tables = tables_of_systems(study, [of.relevance for of in files], k=k) if len(files) > 1 else {}
    keys = [rows_of(of.judged.indptr) * len(study.image_ids) + of.judged.candidates for of in files]
    rows = [
        _agree(
            study,
            Opinion(a.name, a.by_program, of_a, a.judged.values),
            Opinion(b.name, b.by_program, of_b, b.judged.values),
            systems=tau_of_systems(study, tables.get(a.relevance), tables.get(b.relevance)),
        )
        for (a, of_a), (b, of_b) in combinations(zip(files, keys, strict=True), 2)
    ]
    for file, of in zip(files, keys, strict=True):
        raters = [
            Opinion(f"{file.name}: {rater}", file.by_program, of, values)
            for rater, values in zip(file.raters, file.by_reader, strict=True)
        ]
        few = len(raters) <= MOST_RATERS
        rows += [_agree(study, *two, resampled=few) for two in combinations(raters, 2)]
    return tuple(rows)


def _agree(
    study: Study, a: Opinion, b: Opinion, *, systems: Estimate | None = None, resampled: bool = True
) -> FilesAgree:
    keys, at_a, at_b = np.intersect1d(a.keys, b.keys, assume_unique=True, return_indices=True)
    x, y = a.values[at_a], b.values[at_b]
    both = (x >= 0) & (y >= 0)  # NaN is not
    x, y, n = x[both], y[both], int(both.sum())
    either = int(np.count_nonzero(a.values >= 0) + np.count_nonzero(b.values >= 0)) - n
    queries, level = (keys[both] // len(study.image_ids)).astype(np.int32), level_of(np.concatenate([x, y]))
    clusters, again = clusters_of_queries(study, queries), (np.empty(0), np.empty(0))
    if resampled and clusters.max(initial=0) > 0:
        again = two_raters(x, y, level, clusters, n_resamples=RESAMPLES, rng=np.random.default_rng(SEED))
    alphas, kappas = estimate(alpha_of_two(x, y, level), again[0], n), estimate(cohen(x, y), again[1], n)
    share, people = n / either if either > 0 else float("nan"), 2 - a.by_program - b.by_program
    n_queries = len(np.unique(queries))
    return FilesAgree(a.name, b.name, n, share, n_queries, alphas, kappas, systems, level, people)


# Scores by few people and a program.


@dataclass(frozen=True, slots=True)
class JudgedScore:
    """A system under a metric by people: by them alone, and with what ``judge`` says of the other queries.

    ``lead``: the same of its difference from the system with the highest score; None for that system.
    """

    system: str
    metric: str
    judge: str
    people: Powered
    powered: Powered
    lead: Powered | None
    level: float


def by_judge(study: Study, metric: Metric, judge: str) -> Metric:
    """A metric by judgments of people as a judge would have it.

    ``judge``: another relevance, ``qrels:NAME`` of a program, or one of concepts such as ``nn-iou``, for
    families that take it.

    Raises
    ------
    UnknownName, SettingError
        A metric that is not by judgments, a judge that the metric does not take, or that is the metric's own
        relevance.
    """
    check_asked(study, judge)
    family, judged = METRICS[metric.family], by_judgments(judge)
    if not by_judgments(metric.relevance):
        rule = "used with metrics by judgments, such as nDCG(qrels:NAME)@10"
        raise SettingError("judge", rule, str(metric))
    if family.by_median:
        rule = "used with means, such as MeanR; a median has no such interval"
        raise SettingError("judge", rule, str(metric))
    if judge == metric.relevance:
        raise SettingError("judge", f"another relevance than that of {metric}", judge)
    if family.needs == "labels" and not judged:
        rule = f"judgments for {metric}, which needs yes or no; nDCG and mean take any relevance"
        raise SettingError("judge", rule, judge)
    return replace(metric, relevance=judge, only=metric.only if judged else None)


def judged_scores(
    people: Sequence[Scores], program: Sequence[Scores], judge: str, *, level: float = 0.95
) -> list[JudgedScore]:
    """How good is each system by people's judgments, where a judge says something of all queries?

    Prediction-powered inference (see `stats.prediction_powered`) over queries: the judge is what a metric is
    computed with on the queries that people did not judge. ``people``: scores of systems under one metric by
    judgments of people; ``program``: of the same systems under the metric `by_judge`.

    The systems with the best score come first. Queries that people judged and that have no value all the same
    (nothing is relevant) are left out, as in every mean. Intervals of a study with groups, such as patients,
    are of groups drawn at random.
    """
    # Which queries have a value lies with the queries: it is the same for all systems.
    known, reasons = program[0].reasons == DEFINED, people[0].reasons
    both, more, groups = known & (reasons == DEFINED), known & (reasons == NOT_JUDGED), None
    grouped = groups_of(people[0], people[0].queries[both | more])
    if grouped is not None:
        every = np.full(len(both), -1)
        every[both | more] = grouped
        groups = every[both], every[more]

    def powered(y: Floats, f: Floats) -> Powered:
        return powered_mean(y[both], f[both], f[more], level=level, groups=groups)

    def alone(y: Floats, f: Floats) -> Powered:
        only = None if groups is None else (groups[0], groups[1][:0])
        return powered_mean(y[both], f[both], np.empty(0), level=level, groups=only)

    sign, metric = sign_of(people[0].metric), people[0].metric
    rows = [
        (scores.system, scores.values, of.values, powered(scores.values, of.values))
        for scores, of in zip(people, program, strict=True)
    ]
    rows.sort(key=lambda row: (np.nan_to_num(-sign * row[3].mean, nan=np.inf), row[0]))
    _, best_y, best_f, _ = rows[0]
    leads = [None, *(powered(y - best_y, f - best_f) for _, y, f, _ in rows[1:])]
    return [
        JudgedScore(system, metric, judge, alone(y, f), of, lead, level)
        for (system, y, f, of), lead in zip(rows, leads, strict=True)
    ]


# Does a measure say what others judged? Results of a query in the order of their grades, and the systems.


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
