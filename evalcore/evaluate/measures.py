"""Do relevance measures agree: on pairs of images, on queries, on which system is best?"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import isfinite, nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from evalcore import engine
from evalcore.engine.space import different_rows
from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.scoring import first_results
from evalcore.evaluate.summary import scored_queries
from evalcore.evaluate.systems import resolve_systems
from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import check_of, parse_relevance
from evalcore.stats.correction import CLEAR
from evalcore.stats.correlation import average_ranks, correlations
from evalcore.stats.levels import levels_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Array, Bools, Floats, Ints, Offsets, readonly
from evalcore.values.errors import InputError, SettingError
from evalcore.values.grouping import judging_columns, label_types
from evalcore.values.model import Comparison, Scores
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.model import ConceptSets, Interval, Study
    from evalcore.values.progress import Progress

Level = Literal["results", "queries", "systems"]
FEWEST_SYSTEMS = 3
"""With two systems a correlation is 1 or -1 whatever the measures are like."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Rank correlation of every two measures, shape (m, m) each; NaN where one does not vary.

    ``n`` counts the rows the correlations are over: pairs, queries or systems. ``left_out``: rows some
    measure has no value for. ``averaged_over``: systems whose correlations were averaged (queries).
    """

    level: Level
    measures: tuple[str, ...]
    spearman: Floats
    kendall: Floats
    n: int
    left_out: int = 0
    averaged_over: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class PairValues:
    """Every measure on those of some pairs that all of them have a value for.

    ``queries``, ``candidates``: shape (n,); ``values``: shape (n, measures); ``left_out``: other pairs;
    ``without``: how many of these a measure has no value for, where there are any.
    """

    measures: tuple[str, ...]
    queries: Ints
    candidates: Ints
    values: Floats
    left_out: int
    without: Mapping[str, int] = field(default_factory=dict)

    def column(self, measure: str) -> Floats:
        return self.values[:, self.measures.index(measure)]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One pair that two measures place differently.

    ``value_*`` the relevance, ``place_*`` the share of the sampled pairs that are less relevant (equal
    ones count half), 0 to 1; ``gap`` = place_a - place_b.
    """

    query: int
    candidate: int
    value_a: float
    value_b: float
    place_a: float
    place_b: float

    @property
    def gap(self) -> float:
        return self.place_a - self.place_b


def pair_values(
    study: Study,
    measures: Sequence[str],
    queries: Ints,
    candidates: Ints,
    *,
    settings: Settings = Settings(),
    readers: Mapping[str, Floats] = MappingProxyType({}),
    progress: Progress = silent,
) -> PairValues:
    """How relevant is each pair of a query and a candidate, shape (n,) each, under each measure?

    ``readers``: what people say of the pairs, shape (n,) each, as columns before those of the measures. Pairs
    without a value under one measure (no embedding, no judgment) are left out under all, and counted.
    """
    names = tuple(dict.fromkeys(measures))
    if not names:
        raise SettingError("measures", "at least one relevance, such as iou", list(measures))
    values = np.empty((len(queries), len(names)))
    for place, name in enumerate(names):
        part_of(progress, place, len(names))(0.0, name)
        check_of(study, name)
        (values[:, place],) = engine.relevance_of_pairs(study, name, queries, candidates, [settings])
        # No vector, or no judgment: relevance 0 is a rule then, and says nothing of the pair.
        if (system := parse_relevance(name).system) is not None:
            values[study.embeddings[system].rows[candidates] < 0, place] = np.nan
        if (judged := study.judged_by(name)) is not None:
            values[~judged.has(queries, candidates), place] = np.nan
    progress(1.0, "done")
    missing = np.isnan(values)
    known: Bools = np.asarray(~missing.any(axis=1))
    return PairValues(
        (*readers, *names),
        readonly(queries[known]),
        readonly(candidates[known]),
        readonly(np.column_stack([*readers.values(), values])[known]),
        int(len(values) - known.sum()),
        {name: n for name, n in zip(names, missing.sum(axis=0).tolist(), strict=True) if n},
    )


def agreement(level: Level, measured: PairValues | MeasureScores) -> Agreement:
    """Do the measures put the same first: pairs of images ("results"), queries, or systems by their means?

    "queries": the correlation is over the queries of one system and averaged over the systems, so that
    differences between systems play no part; a system whose scores do not vary under a measure is left out of
    that average. "systems": NaN with fewer than three.
    """
    if isinstance(measured, PairValues):
        tables, n = measured.values[np.newaxis], len(measured.queries)
    elif level == "queries":
        tables, n = measured.values, len(measured.queries)
    else:
        n = len(measured.systems)
        tables = (measured.means if n >= FEWEST_SYSTEMS else measured.means[:1])[np.newaxis]

    def mean(method: Literal["spearman", "kendall"]) -> Floats:
        """Over the tables, cell by cell over those that have a value."""
        stacked = np.stack([correlations(table, method=method) for table in tables])
        known = ~np.isnan(stacked)
        counts = known.sum(axis=0)
        sums = column_sums(np.where(known, stacked, 0.0).reshape(len(stacked), -1)).reshape(counts.shape)
        result: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        return result

    return Agreement(
        level, measured.measures, mean("spearman"), mean("kendall"), n, measured.left_out, len(tables)
    )


def disagreements(
    pairs: PairValues, a: str, b: str, *, n: int = 12, concepts: ConceptSets | None = None
) -> tuple[Disagreement, ...]:
    """The pairs that two measures place most differently, the largest gap first.

    Places are shares of the sampled pairs, because the measures have different scales. Of every query
    only its largest gap counts, so that one odd query does not fill the list, and of a pair and its
    mirror only one; ties by query and candidate id. Pairs placed alike are never listed. With
    ``concepts``, pairs of the same two concept sets are one as well, unless a measure looks at vectors:
    they have the same values and teach nothing new.

    Raises
    ------
    SettingError
        One of them was not computed on these pairs.
    """
    for name in (a, b):
        if name not in pairs.measures:
            raise SettingError("measure", f"one of {', '.join(pairs.measures)}", name)
    x, y = pairs.column(a), pairs.column(b)
    # Ranks are halves of whole numbers: equal gaps are equal, which shares of n - 1 would not be.
    gap = np.abs(average_ranks(x) - average_ranks(y))
    place_a, place_b = _places(x), _places(y)
    order = np.lexsort((pairs.candidates, pairs.queries, -gap))
    query, candidate = pairs.queries, pairs.candidates
    if concepts is not None and all(parse_relevance(name).system is None for name in (a, b)):
        kinds, *_ = different_rows(concepts.indptr, concepts.indices)  # equal for images with equal concepts
        query, candidate = kinds[query], kinds[candidate]
    smaller, larger = np.minimum(query, candidate), np.maximum(query, candidate)
    order = _first_of_each_key(order, smaller.astype(np.int64) * (int(larger.max(initial=0)) + 1) + larger)
    chosen = _first_of_each_key(order, pairs.queries)
    return tuple(
        Disagreement(
            int(pairs.queries[i]),
            int(pairs.candidates[i]),
            float(x[i]),
            float(y[i]),
            float(place_a[i]),
            float(place_b[i]),
        )
        for i in chosen[:n]
        if gap[i] > 0
    )


def _first_of_each_key(order: Offsets, keys: Ints | Offsets) -> Offsets:
    """The positions of an order whose key did not come before, in that order."""
    _, first = np.unique(keys[order], return_index=True)
    return order[np.sort(first)]


def _places(values: Floats) -> Floats:
    """Share of the others that are smaller, equal ones counting half; 0.5 for a single value."""
    n = len(values)
    return (average_ranks(values) - 1.0) / (n - 1) if n > 1 else np.full(n, 0.5)


# Which system is best depends on the measure: places under each.


def places(means: Floats) -> Offsets:
    """Place of every system under every measure, shape (systems, measures); 1 is best.

    Equal means stand in the order of the systems; NaN is last.
    """
    result = np.empty(means.shape, np.int64)
    for j, column in enumerate(means.T):
        result[np.argsort(levels_of(-column), kind="stable"), j] = np.arange(1, len(means) + 1)
    return result


# Which measure tells systems apart? Discriminative power (Sakai 2006, doi:10.1145/1148170.1148261).
#
# Every two systems are compared by the same paired test on the same queries under each measure. The
# share of pairs that a measure separates says how much it sees with so many queries; the sorted p-values
# (achieved significance levels) say how nearly it sees the rest. It does not say that what it sees is
# right: a measure that always prefers one system separates everything.


class Power(NamedTuple):
    """One measure's power to separate systems.

    ``pairs``: every two systems, the first minus the second, p corrected over them. ``separated``: pairs with
    corrected p below the ``significance``.
    """

    measure: str
    metric: str
    pairs: tuple[Comparison, ...]
    significance: float

    @property
    def separated(self) -> int:
        return sum(pair.p_corrected < self.significance for pair in self.pairs)

    @property
    def share(self) -> float:
        """Separated pairs of all pairs, 0 to 1."""
        return self.separated / len(self.pairs)


def discriminative_power(
    scores: Sequence[Scores], *, significance: float = CLEAR, **tests: Any
) -> tuple[Power, ...]:
    """How many pairs of systems does each measure separate?

    ``scores``: as of `of_measures`; the pairs are compared over the queries that have a value under all
    measures and systems. ``tests``: as for `compare_all`; p is corrected over all pairs of systems of the
    same measure. One `Power` per measure, in their order; p is NaN without queries.

    Raises
    ------
    InputError
        Fewer than two systems.
    SettingError
        A significance outside 0 to 1.
    """
    if not 0 < significance < 1:
        raise SettingError("significance", "a number above 0 and below 1", significance)
    table = of_measures(scores)
    if len(table.systems) < 2:
        raise InputError("Discriminative power takes at least two systems.")
    common = [score.among(table.queries) for score in scores]
    columns = [[score for score in common if score.metric == metric] for metric in table.metrics]
    pairs = [(b, a) for column in columns for a, b in combinations(column, 2)]
    compared = compare_all(pairs, **tests, family="pairs")
    return tuple(
        Power(measure, metric, tuple(pair for pair in compared if pair.metric == metric), significance)
        for measure, metric in zip(table.measures, table.metrics, strict=True)
    )


# Which queries and which pairs of images are looked at when all of them would take too long.

N_PAIRS = 10_000
RESULT_DEPTH = 10
QUERIES_RANKED = 2_000
"""Queries whose results are looked up for a sample of results."""


@dataclass(frozen=True, slots=True, eq=False)
class PairSample:
    """Distinct (query, candidate) pairs, by query and candidate; shapes (m,).

    ``population`` is how many pairs they were drawn from: all are here when it equals m.
    ``n_queries``: queries whose pairs could be drawn.
    """

    queries: Ints
    candidates: Ints
    population: int
    n_queries: int

    def __len__(self) -> int:
        return len(self.queries)


def some_of(values: Array, n: int, rng: np.random.Generator) -> Array:
    """``n`` of these ascending, different values, drawn without replacement; all when fewer exist."""
    if len(values) <= n:
        return values
    drawn: Any = values[np.sort(rng.choice(len(values), n, replace=False))]
    some: Array = readonly(drawn)
    return some


def sample_pairs(
    study: Study,
    *,
    n: int = N_PAIRS,
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    seed: int = 0,
    progress: Progress = silent,
) -> PairSample:
    """Image pairs to compare relevance measures on.

    Parameters
    ----------
    n
        Maximum number of pairs; all there are when fewer. No pair twice, no image with itself.
    systems
        Pairs that at least one of these returned among its first ten, for at most 2,000 queries (drawn with
        the same seed). None: every annotated query with every annotated candidate is equally likely.

    Raises
    ------
    InputError
        No system among those named, or there is no pair at all.
    """
    if n < 1:
        raise SettingError("n", "an integer >= 1", n)
    rng, queries = np.random.default_rng((seed, 2)), study.queries[study.concepts.annotated[study.queries]]
    if systems is None:
        sample, population = _any_pairs(study, queries, n, rng)
    else:
        queries = some_of(queries, QUERIES_RANKED, np.random.default_rng((seed, 3)))
        codes = _returned(study, systems, queries, settings, progress)
        sample, population = some_of(codes, n, rng), len(codes)
    if not len(sample):
        raise InputError("There is no pair of annotated images to compare the measures on.")
    at, candidate = np.divmod(sample, len(study.image_ids))
    pairs = readonly(at.astype(np.int32)), readonly(candidate.astype(np.int32))
    return PairSample(*pairs, population, len(queries))


def _any_pairs(study: Study, queries: Ints, n: int, rng: np.random.Generator) -> tuple[Offsets, int]:
    """Codes (query * images + candidate) of up to n pairs of different images, and how many there are."""
    candidates = study.candidates[study.concepts.annotated[study.candidates]]
    cells, images = len(queries) * len(candidates), len(study.image_ids)
    population = cells - int(np.isin(queries, candidates).sum())
    # A few more than wanted: cells on the diagonal are images with themselves.
    wanted = n + len(queries) if population > n else cells
    cell = np.arange(cells) if wanted >= cells else rng.choice(cells, wanted, replace=False)
    rows, columns = np.divmod(cell.astype(np.int64), max(len(candidates), 1))
    pairs = queries[rows].astype(np.int64) * images + candidates[columns]
    pairs = pairs[queries[rows] != candidates[columns]]
    if wanted >= cells and population > n:
        pairs = rng.choice(pairs, n, replace=False)
    return np.sort(pairs[:n] if population > n else pairs), population


def _returned(
    study: Study, systems: Sequence[str], queries: Ints, settings: Settings, progress: Progress
) -> Offsets:
    """Codes of all pairs of these queries that the systems return, ascending."""
    how: Any = {"settings": settings, "queries": queries, "progress": progress}
    codes = []
    for _, every in first_results(study, resolve_systems(study, systems), RESULT_DEPTH, **how):
        for lists in every:
            rows = (lists.candidates >= 0) & (lists.candidates != lists.query_of_row)
            queries = lists.query_of_row[rows].astype(np.int64)
            codes.append(queries * len(study.image_ids) + lists.candidates[rows])
    return np.unique(np.concatenate(codes))


# Table 1 of the nn-IoU paper for any measures: each one searches, the labels say how well.
#
# Every relevance measure ranks all candidates for every query, as if it were a retrieval system, and
# precision is counted over each label type and each pair of label types (arXiv 2506.13509, Table 1).
# Labels that were derived from the same concepts favour measures over concepts: the table compares
# measures with each other and says little about image-based systems beside them.


CUTOFFS = (5, 10, 30)
"""The depths of the paper."""


class TableCell(NamedTuple):
    """One measure's precision in one column.

    ``against``: minus the best of the column, None for the best itself, p corrected over the column.
    ``best``: no mean in the column is higher.
    """

    scores: Scores
    mean: Interval
    against: Comparison | None
    best: bool

    @property
    def p_corrected(self) -> float:
        """Against the best; NaN for the best itself."""
        return nan if self.against is None else self.against.p_corrected

    @property
    def as_good(self) -> bool:
        """Not the best, and not significantly different from it (corrected p of at least .05)."""
        return not self.best and self.p_corrected >= CLEAR


@dataclass(frozen=True, slots=True)
class TableOne:
    """Rows are systems (``@measure``), columns metrics such as ``P(modality&organ)@5``.

    ``cells[row][column]``; ``n_asked`` of ``n_all`` queries were asked; ``flips`` of the tests.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[tuple[TableCell, ...], ...]
    n_asked: int
    n_all: int
    test: str
    correction: str
    flips: int
    seed: int

    @property
    def ties(self) -> str:
        """What was done with equal scores, as in the settings."""
        return self.cells[0][0].scores.settings.ties


def table_metrics(study: Study, *, cutoffs: Sequence[int] = CUTOFFS) -> tuple[str, ...]:
    """Precision over every label type, then over every pair of them, at each cutoff.

    Raises
    ------
    InputError
        The study has no labels.
    """
    types = label_types(judging_columns(study))
    if not types:
        raise InputError("This study has no labels to count precision by. Add a labels.csv.")
    targets = [*types, *("&".join(pair) for pair in combinations(types, 2))]
    return tuple(f"P({target})@{k}" for target in targets for k in cutoffs)


def table_of(scores: Sequence[Scores], means: Sequence[Interval], *, n_all: int, **tests: Any) -> TableOne:
    """How well does each measure find images with the same labels?

    ``scores``: of the measures as systems, system by system, metric by metric; ``means``: aligned. ``tests``:
    how the best of a column and every other row are compared, corrected over the column (see `compare_all`).
    """
    names = tuple(dict.fromkeys(score.system for score in scores))
    n, columns = len(scores) // len(names), []
    for j in range(n):
        column = list(zip(scores[j::n], means[j::n], strict=True))
        order = levels_of(np.array([-mean.merit for _, mean in column]))
        first = column[int(np.argmin(order))][0]
        compared = compare_all([(first, score) for score, _ in column if score is not first], **tests)
        against = {comparison.system: comparison for comparison in compared}
        columns.append(
            [
                TableCell(
                    score, mean, against.get(score.system), bool(level == order.min()) and isfinite(mean.mean)
                )
                for (score, mean), level in zip(column, order, strict=True)
            ]
        )
    test, correction = (compared[0].test, compared[0].correction) if compared else ("", "")
    metrics, counts = tuple(score.metric for score in scores[:n]), (len(scores[0].queries), n_all)
    cells = tuple(zip(*columns, strict=True))
    return TableOne(names, metrics, cells, *counts, test, correction, tests["flips"], tests["seed"])


# The same systems judged by several relevance measures: a value per system, query and measure.


@dataclass(frozen=True, slots=True, eq=False)
class MeasureScores:
    """Systems under measures over the queries that have a value for all of them.

    ``values``: shape (systems, queries, measures). ``left_out``: queries asked that some measure or
    system has no value for. ``metrics``: the label of each measure's metric.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    queries: Ints
    values: Floats
    left_out: int

    @property
    def means(self) -> Floats:
        """Mean of each system under each measure, shape (systems, measures); NaN without queries."""
        if not len(self.queries):
            return np.full((len(self.systems), len(self.measures)), np.nan)
        systems, queries, measures = self.values.shape
        columns = self.values.transpose(1, 0, 2).reshape(queries, systems * measures)
        means: Floats = column_sums(columns).reshape(systems, measures) / queries
        return means


def metrics_by(study: Study, measures: Sequence[str], *, k: int = 10) -> tuple[str, ...]:
    """nDCG@k by each of several relevance measures, each once.

    Raises
    ------
    SettingError, UnknownName, InputError
        No measure; one that the study does not have, or a label column, which is no measure.
    """
    if not measures:
        raise SettingError("measures", "at least one relevance, such as iou", list(measures))
    for name in measures:
        check_of(study, name)
    return tuple(f"nDCG({name})@{k}" for name in dict.fromkeys(measures))


def of_measures(scores: Sequence[Scores]) -> MeasureScores:
    """How good is each system when this, that or the other measure says what is relevant?

    ``scores``: system by system, under the metric of each measure. Over common queries, so that differences
    between measures are not differences between queries; scores with ``undefined="zero"`` keep all queries
    and count 0.
    """
    systems = tuple(dict.fromkeys(score.system for score in scores))
    metrics = tuple(score.metric for score in scores[: len(scores) // len(systems)])
    known = [scored_queries(score) for score in scores]
    common = known[0][0]
    for queries, _ in known[1:]:
        common = np.intersect1d(common, queries, assume_unique=True)
    values = np.column_stack([values[np.searchsorted(queries, common)] for queries, values in known])
    n = len(common)
    return MeasureScores(
        tuple(str(parse_metric(metric).relevance) for metric in metrics),
        systems,
        metrics,
        common,
        values.reshape(n, len(systems), len(metrics)).transpose(1, 0, 2),
        len(scores[0].queries) - n,
    )
