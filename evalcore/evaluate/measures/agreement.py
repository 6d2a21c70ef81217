"""Do relevance measures agree: on pairs of images, on queries, on which system is best?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore import engine
from evalcore.relevance.registry import check_asked, parse_relevance
from evalcore.stats.correlation import average_ranks, correlations
from evalcore.stats.levels import difference, levels_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Bools, Floats, Ints, Offsets, readonly
from evalcore.values.errors import SettingError
from evalcore.values.progress import part_of
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.measures.discrimination import PairSample
    from evalcore.evaluate.measures.table_one import MeasureScores
    from evalcore.values.model import ConceptSets, Study
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
    """Every measure on the pairs of a sample that all of them have a value for.

    ``queries``, ``candidates``: shape (n,); ``values``: shape (n, measures); ``left_out``: other pairs.
    """

    measures: tuple[str, ...]
    queries: Ints
    candidates: Ints
    values: Floats
    left_out: int

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
    sample: PairSample,
    *,
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> PairValues:
    """How relevant is each sampled pair under each measure?

    Pairs without a value under one measure (no embedding, no judgment) are left out under all, and counted.
    """
    names = tuple(dict.fromkeys(measures))
    if not names:
        raise SettingError("measures", "at least one relevance, such as iou", list(measures))
    values = np.empty((len(sample), len(names)))
    for place, name in enumerate(names):
        part = part_of(progress, place, len(names))
        if part is not None:
            part(0.0, name)
        check_asked(study, name)
        values[:, place] = engine.relevance_of_pairs(study, name, sample.queries, sample.candidates, settings)
        values[_without_vector(study, name, sample.candidates), place] = np.nan
        if (judged := study.judged_by(name)) is not None:
            values[~judged.has(sample.queries, sample.candidates), place] = np.nan
    if progress is not None:
        progress(1.0, "done")
    known: Bools = np.asarray(~np.isnan(values).any(axis=1))
    return PairValues(
        names,
        readonly(sample.queries[known]),
        readonly(sample.candidates[known]),
        readonly(values[known]),
        int(len(values) - known.sum()),
    )


def agree_on_results(pairs: PairValues) -> Agreement:
    """Do the measures put the same pairs of images first?"""
    return _agreement("results", pairs.measures, pairs.values, left_out=pairs.left_out)


def agree_on_queries(scores: MeasureScores) -> Agreement:
    """Do the measures call the same queries well answered?

    The correlation is over the queries of one system and averaged over the systems: differences
    between systems play no part. A system whose scores do not vary under a measure is left out of that
    average.
    """
    each = [
        _agreement("queries", scores.measures, scores.values[i], left_out=scores.left_out)
        for i in range(len(scores.systems))
    ]
    return Agreement(
        "queries",
        scores.measures,
        _mean([pair.spearman for pair in each]),
        _mean([pair.kendall for pair in each]),
        len(scores.queries),
        scores.left_out,
        len(each),
    )


def agree_on_systems(scores: MeasureScores) -> Agreement:
    """Do the measures rank the systems alike, by their means? NaN with fewer than three systems."""
    means = scores.means if len(scores.systems) >= FEWEST_SYSTEMS else scores.means[:1]
    result = _agreement("systems", scores.measures, means, left_out=scores.left_out)
    return Agreement(
        "systems", result.measures, result.spearman, result.kendall, len(scores.systems), scores.left_out
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
        kinds = _kinds(concepts)
        query, candidate = kinds[query], kinds[candidate]
    smaller, larger = np.minimum(query, candidate), np.maximum(query, candidate)
    order = _once(order, smaller.astype(np.int64) * (int(larger.max(initial=0)) + 1) + larger)
    chosen = _once(order, pairs.queries)
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


def _kinds(concepts: ConceptSets) -> Ints:
    """A number per image; images with the same concepts have the same one."""
    numbers: dict[bytes, int] = {}
    rows = (concepts.row(i).tobytes() for i in range(len(concepts)))
    return np.fromiter((numbers.setdefault(row, len(numbers)) for row in rows), np.int32, len(concepts))


def _once(order: Offsets, keys: Ints | Offsets) -> Offsets:
    """The positions of an order whose key did not come before, in that order."""
    _, first = np.unique(keys[order], return_index=True)
    return order[np.sort(first)]


def _places(values: Floats) -> Floats:
    """Share of the others that are smaller, equal ones counting half; 0.5 for a single value."""
    n = len(values)
    return (average_ranks(values) - 1.0) / (n - 1) if n > 1 else np.full(n, 0.5)


def _agreement(level: Level, measures: Sequence[str], columns: Floats, *, left_out: int) -> Agreement:
    return Agreement(
        level,
        tuple(measures),
        correlations(columns, method="spearman"),
        correlations(columns, method="kendall"),
        len(columns),
        left_out,
    )


def _mean(matrices: Sequence[Floats]) -> Floats:
    """Cell by cell over the matrices that have a value there; NaN where none has."""
    stacked = np.stack(matrices)
    known = ~np.isnan(stacked)
    columns, counts = np.where(known, stacked, 0.0).reshape(len(stacked), -1), known.sum(axis=0)
    sums = column_sums(columns).reshape(counts.shape)
    mean: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return mean


def _without_vector(study: Study, measure: str, candidates: Ints) -> Bools:
    """Candidates an embedding does not know: their relevance 0 is a rule, not a judgement."""
    system = parse_relevance(measure).system
    if system is None:
        return np.zeros(len(candidates), np.bool_)
    return np.asarray(study.embeddings[system].rows[candidates] < 0)


# Which system is best depends on the measure: places under each, and who passes whom.


@dataclass(frozen=True, slots=True)
class RankSwap:
    """Under ``measure`` the system ``above`` passes ``below``, which ``reference`` puts first.

    ``gap`` and ``reference_gap``: by how much each leads there, both >= 0.
    """

    measure: str
    reference: str
    above: str
    below: str
    gap: float
    reference_gap: float


def places(means: Floats) -> Offsets:
    """Place of every system under every measure, shape (systems, measures); 1 is best.

    Equal means stand in the order of the systems; NaN is last.
    """
    result = np.empty(means.shape, np.int64)
    for j, column in enumerate(means.T):
        result[np.argsort(levels_of(-column), kind="stable"), j] = np.arange(1, len(means) + 1)
    return result


def rank_swaps(scores: MeasureScores, *, reference: str) -> tuple[RankSwap, ...]:
    """Pairs of systems that a measure puts in the other order than the reference does.

    Measure by measure; within one by the gap, largest first, equal gaps in the order of the systems. Equal
    means swap with nobody.
    """
    means, names = scores.means, scores.systems
    base = means[:, scores.measures.index(reference)]
    upper, lower = np.triu_indices(len(names), 1)
    swaps: list[RankSwap] = []
    for j, measure in enumerate(scores.measures):
        gaps, before = difference(means[upper, j], means[lower, j]), difference(base[upper], base[lower])
        turned = np.flatnonzero(np.sign(gaps) * np.sign(before) < 0)
        for i in turned[np.argsort(levels_of(-np.abs(gaps[turned])), kind="stable")]:
            first, second = names[upper[i]], names[lower[i]]
            above, below = (first, second) if gaps[i] > 0 else (second, first)
            swaps.append(
                RankSwap(measure, reference, above, below, abs(float(gaps[i])), abs(float(before[i])))
            )
    return tuple(swaps)
