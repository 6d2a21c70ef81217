"""What the judgments of readers say: about readers, about what they have not seen, and about measures.

Of one reader and one thing the last row counts. "Cannot say" is no grade.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.evaluate.against_readers import Votes, measure_agreement, over_queries
from evalcore.evaluate.measures import Disagreement, PairValues, disagreements, pair_values
from evalcore.evaluate.scoring import score_under
from evalcore.evaluate.summary import means_over_queries
from evalcore.evaluate.systems import resolve_systems
from evalcore.evaluate.targets import metrics_of
from evalcore.relevance.registry import available
from evalcore.stats.agreement import WEIGHTS_OF, alpha, cohen, level_of, resampled_alphas
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Floats, Ints, position, readonly
from evalcore.values.model import Study
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import FLIPS, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.evaluate.against_readers import MeasureAgreement
    from evalcore.stats.agreement import Level, Weights
    from evalcore.study.reader_judgments import ReaderJudgment
    from evalcore.values.model import Interval
    from evalcore.values.progress import Progress

Item = tuple[str, ...]
# Judgments as tables: one of grades, one of votes between two lists.


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """One value per reader and item, shape (readers, items); NaN where the reader gave none.

    ``items``: (query, result) of grades, (query, system, other system) of votes; ``cluster`` numbers the
    query of each item.
    """

    readers: tuple[str, ...]
    items: tuple[Item, ...]
    values: Floats
    cluster: Ints

    @property
    def n_values(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.values)))

    @property
    def level(self) -> Level:
        """How far values may be compared: votes by name, steps by order, a continuous scale by distance."""
        return "nominal" if self.items and len(self.items[0]) > 2 else level_of(self.values)

    def consensus(self) -> Floats:
        """What the readers of each item come to, shape (items,).

        Their median stays on the scale, and one odd reader of three does not move it.
        """
        medians: Floats = np.nanmedian(self.values, axis=0)
        return medians


def grades(judgments: Iterable[ReaderJudgment]) -> Ratings:
    """The grades of single results, items by query and result."""
    return _table(
        {(row.reader, (row.query, row.result)): row.value for row in judgments if row.kind == "graded"}
    )


def votes(judgments: Iterable[ReaderJudgment]) -> Ratings:
    """The votes between two lists: -1 for the first system of the item (by name), 1 for the second, 0 both.

    How strong a preference is plays no part.
    """
    values: dict[tuple[str, Item], float | None] = {}
    for row in judgments:
        if row.kind == "preference":
            side = None if row.value is None else preferred_side(row)
            item = (row.query, *sorted((row.system, row.other)))
            values[row.reader, item] = side if side is None or row.system < row.other else -side
    return _table(values)


def preferred_side(row: ReaderJudgment) -> float:
    """-1 where the first list is better, 1 where the other is, 0 for neither."""
    assert row.value is not None, "a preference has a value"
    return 0.0 if abs(row.value) <= SAME else float(np.sign(row.value))


def _table(values: Mapping[tuple[str, Item], float | None]) -> Ratings:
    """{(reader, item): value, None for "cannot say"} as a table."""
    readers = tuple(sorted({reader for reader, _ in values}))
    items = tuple(sorted({item for (_, item), value in values.items() if value is not None}))
    column_of = {item: j for j, item in enumerate(items)}
    table = np.full((len(readers), len(items)), np.nan)
    for (reader, item), value in values.items():
        if value is not None:
            table[position(readers, reader), column_of[item]] = value
    _, cluster = np.unique([item[0] for item in items], return_inverse=True)
    return Ratings(readers, items, readonly(table), readonly(cluster.astype(np.int32)))


# How far do readers agree with each other? One number for all, one for every two.

N_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class TwoReaders:
    """Weighted kappa of two readers over the ``n`` items both judged; ``same``: share with equal values."""

    a: str
    b: str
    kappa: float
    n: int
    same: float


@dataclass(frozen=True, slots=True, eq=False)
class ReaderAgreement:
    """How far readers agree.

    ``alpha``: Krippendorff's, at ``level``, its interval over queries; its n counts the items that at least
    two readers judged. ``why_none``: in words, why alpha is undefined; "" where it is not.
    """

    level: Level
    readers: tuple[str, ...]
    alpha: Interval
    pairs: tuple[TwoReaders, ...]
    weights: Weights
    n_items: int
    n_queries: int
    why_none: str = ""


def reader_agreement(ratings: Ratings, *, seed: int = 0) -> ReaderAgreement:
    """How far the readers of these ratings agree, with 95% intervals.

    ``seed``: of the bootstrap, which draws queries: the results of one query are judged side by side.
    """
    level, values = ratings.level, ratings.values
    weights = WEIGHTS_OF[level]
    shared = np.count_nonzero(~np.isnan(values), axis=0) > 1
    value, again = alpha(values, level), np.empty(0)
    n_queries = len(np.unique(ratings.cluster[shared]))
    if np.isfinite(value) and n_queries > 1:
        rng = np.random.default_rng(seed)
        again = resampled_alphas(values, level, ratings.cluster, n_resamples=N_RESAMPLES, rng=rng)
    return ReaderAgreement(
        level,
        ratings.readers,
        over_queries(value, again, int(shared.sum()), n_queries, seed, n_resamples=N_RESAMPLES),
        tuple(_two(ratings, i, j, weights) for i, j in combinations(range(len(ratings.readers)), 2)),
        weights,
        len(ratings.items),
        n_queries,
        "" if np.isfinite(value) else _why_none(ratings, bool(shared.any())),
    )


def _two(ratings: Ratings, i: int, j: int, weights: Weights) -> TwoReaders:
    a, b = ratings.values[i], ratings.values[j]
    both = ~(np.isnan(a) | np.isnan(b))
    n = int(both.sum())
    same = float((a[both] == b[both]).mean()) if n else float("nan")
    return TwoReaders(ratings.readers[i], ratings.readers[j], cohen(a, b, weights=weights), n, same)


def _why_none(ratings: Ratings, any_shared: bool) -> str:
    if not ratings.items:
        return "Nothing has been judged yet."
    if len(ratings.readers) < 2:
        return "Only one reader has judged: agreement needs two."
    if not any_shared:
        return "No two readers have judged the same result."
    return "All judgments are equal: agreement beyond chance is undefined."


# What do readers say of each system by criteria?

EVERY_CRITERION = "all criteria"


@dataclass(frozen=True, slots=True)
class MeanRating:
    """What readers say of a system by a criterion: the mean over queries, each the mean over its readers.

    ``mean`` has its interval over queries; ``judged`` ratings, of ``readers``.
    """

    system: str
    criterion: str
    mean: Interval
    judged: int
    readers: int


def rating_means(judgments: Iterable[ReaderJudgment]) -> tuple[MeanRating, ...]:
    """The means of every system that was rated by criteria, by each of them and by all, best by all first.

    A query counts by the mean over its readers. All criteria: the mean over those that a query was rated by.
    Intervals are percentile bootstrap over queries.
    """
    values: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    readers: dict[tuple[str, str], set[str]] = defaultdict(set)
    order = {EVERY_CRITERION: 0}
    for row in judgments:
        if row.kind == "rating" and row.system and row.value is not None:
            order.setdefault(row.criterion, len(order))
            for key in ((row.system, row.criterion), (row.system, EVERY_CRITERION)):
                values.setdefault(key, {}).setdefault((row.query, row.criterion), []).append(row.value)
                readers[key].add(row.reader)
    rows = []
    for key, rated in values.items():
        by_query: dict[str, list[float]] = defaultdict(list)
        for (query, _), some in rated.items():
            by_query[query].append(float(np.mean(some)))
        column = np.array([np.mean(by_query[query]) for query in sorted(by_query)])
        (mean,) = means_over_queries([column], np.arange(len(column), dtype=np.int32))
        rows.append(MeanRating(*key, mean, sum(map(len, rated.values())), len(readers[key])))
    overall = {row.system: row.mean.mean for row in rows if row.criterion == EVERY_CRITERION}
    rows.sort(key=lambda row: (-overall[row.system], row.system, order[row.criterion]))
    return tuple(rows)


# Which measure agrees best with readers?

READERS = "readers"
"""The column of the readers' grades among those of the measures."""
USUAL = ("iou", "nn-iou", "dice", "cosine", "overlap", "best-match:path", "best-match:lin-seco")
"""Measures compared with readers when none are named, as far as a study has them; and its embeddings."""
K = 10
MOST = 0.9
"""Share of the images that an embedding must know to be among the usual measures."""


@dataclass(frozen=True, slots=True, eq=False)
class ReaderResults:
    """All that judgments say.

    ``between``: agreement on grades, ``between_votes`` on votes between two lists. ``measures``: in the order
    named, none where nothing was graded. ``pairs``: the graded results and their values, the readers' own in
    the column `READERS`. ``no_preference``, ``not_comparable``: votes without a side, and on systems or
    queries that the study does not have. ``elsewhere``: graded results it does not.
    """

    grades: Ratings
    votes: Ratings
    between: ReaderAgreement
    between_votes: ReaderAgreement
    measures: tuple[MeasureAgreement, ...]
    pairs: PairValues | None
    k: int
    seed: int
    n_votes: int
    no_preference: int
    not_comparable: int
    elsewhere: int

    @property
    def without(self) -> Mapping[str, int]:
        """How many graded results a measure has no value for, where there are any; all measures leave them
        out."""
        return {} if self.pairs is None else self.pairs.without

    @property
    def readers(self) -> tuple[str, ...]:
        return tuple(sorted({*self.grades.readers, *self.votes.readers}))


def usual_measures(study: Study) -> tuple[str, ...]:
    """The measures held against readers when none are named.

    Not among them: concepts where no image has any, and embeddings of few images, as results that these do
    not know are left out under all measures.
    """
    there = available(study) if len(study.concepts.indices) else ()
    by_looks = (
        f"cosine:{system}"
        for system, vectors in study.embeddings.items()
        if np.count_nonzero(vectors.rows >= 0) >= MOST * len(vectors.rows)
    )
    return (*(name for name in USUAL if name in there), *by_looks)


def depth_of(judgments: Iterable[ReaderJudgment]) -> int:
    """How many results of a list the readers saw; `K` where no row says so."""
    return max((row.depth for row in judgments), default=0) or K


def reader_results(
    study: Study,
    judgments: Iterable[ReaderJudgment],
    *,
    measures: Sequence[str] | None = None,
    k: int | None = None,
    settings: Settings = Settings(),
    seed: int = 0,
    n_flips: int = FLIPS,
    progress: Progress = silent,
) -> ReaderResults:
    """What the judgments say.

    Parameters
    ----------
    measures
        Relevances to hold against the readers; None: `usual_measures`. Without any nothing is compared.
    k
        Results of a list that count for votes (nDCG@k of the two lists); None: `depth_of`.
    """
    judgments = tuple(judgments)
    table, ballots = grades(judgments), votes(judgments)
    k = k or depth_of(judgments)
    names = tuple(dict.fromkeys(usual_measures(study) if measures is None else measures))
    parts = [part_of(progress, place, 2) for place in range(2)]
    queries, candidates, values = _of_study(study, table)
    pairs = None
    if len(queries) and names:
        how: Any = {"settings": settings, "readers": {READERS: values}, "progress": parts[0]}
        pairs = pair_values(study, names, queries, candidates, **how)
    voted = _votes(study, ballots, names, k, settings, parts[1]) if names else None
    n_votes = 0 if voted is None else len(voted.sides)
    agreements: tuple[MeasureAgreement, ...] = ()
    if pairs is not None and len(pairs.queries):
        graded = names, pairs.column(READERS), pairs.values[:, 1:], pairs.queries
        agreements = measure_agreement(*graded, voted, seed=seed, n_flips=n_flips)
    sides = ballots.values[~np.isnan(ballots.values)]
    progress(1.0, "done")
    return ReaderResults(
        table,
        ballots,
        reader_agreement(table, seed=seed),
        reader_agreement(ballots, seed=seed),
        agreements,
        pairs,
        k,
        seed,
        n_votes,
        int((sides == 0).sum()),
        int((sides != 0).sum()) - n_votes,
        len(table.items) - len(queries),
    )


def differ_most(results: ReaderResults, measure: str, *, n: int = 12) -> tuple[Disagreement, ...]:
    """The results that readers and a measure place most differently; one of each query.

    ``value_a`` is the readers' grade, ``value_b`` the measure's value.
    """
    return () if results.pairs is None else disagreements(results.pairs, READERS, measure, n=n)


def _of_study(study: Study, table: Ratings) -> tuple[Ints, Ints, Floats]:
    """Query, result and grade of what is graded and in the study, by query and result; shape (n,) each."""
    ids = study.image_ids
    places = [[position(ids, name) for name in item] for item in table.items]
    pairs = np.array(places, np.int32).reshape(-1, 2)
    known = (pairs >= 0).all(axis=1)
    queries, candidates = pairs[known].T
    order = np.lexsort((candidates, queries))
    values = table.consensus()[known] if table.items else np.empty(0)
    return queries[order], candidates[order], values[order]


def _votes(
    study: Study, ballots: Ratings, names: Sequence[str], k: int, settings: Settings, progress: Progress
) -> Votes | None:
    """The votes for one side of two lists that the study knows, with the scores of both; None without any."""
    votes = [
        (query, (first, second), side)
        for j, (name, first, second) in enumerate(ballots.items)
        if (query := position(study.image_ids, name)) >= 0 and study.holds(first) and study.holds(second)
        for side in ballots.values[:, j].tolist()
        if side in (-1.0, 1.0)
    ]
    if not votes:
        return None
    images, lists, sides = zip(*votes, strict=True)
    queries, cluster = np.unique(np.array(images, np.int32), return_inverse=True)
    systems = sorted({name for two in lists for name in two})
    metrics = metrics_of(study, [f"nDCG({name})@{k}" for name in names], settings)
    cells = score_under(study, resolve_systems(study, systems), metrics, queries, [settings], progress)
    values = np.stack([scores.values for scores in cells.values()])
    table = values.reshape(len(systems), len(names), len(queries))
    places = np.array([[systems.index(name) for name in two] for two in lists])
    both = table[places, :, cluster[:, np.newaxis]].transpose(0, 2, 1)
    return Votes(np.array(sides), both, cluster.astype(np.int32), len(queries))
