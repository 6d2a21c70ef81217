"""Means and differences slice by slice, and the slices in which another system is clearly better."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.evaluate.comparison import N_PERMUTATIONS, compare_all, over_what
from evalcore.evaluate.policy import settings_of
from evalcore.evaluate.slices.slicing import FEW, remarks, slice_queries
from evalcore.evaluate.summary import summarise_all
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME, best_first
from evalcore.values.settings import Correction, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.evaluate.slices.slicing import Slicing
    from evalcore.values.model import Comparison, Interval, Scores, Study


def means_by_slice(
    scores: Sequence[Scores],
    slicing: Slicing,
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[tuple[Interval, ...], ...]:
    """For each of the scores, mean and interval in every slice; NaN where no query has a value.

    All in one call: slices of equal length share their draws.
    """
    parts = [score.among(part.queries) for score in scores for part in slicing.slices]
    intervals = summarise_all(parts, settings=settings, level=level, seed=seed)
    n = len(slicing.slices)
    return tuple(intervals[i * n : (i + 1) * n] for i in range(len(scores)))


def differences_by_slice(
    baseline: Scores,
    system: Scores,
    slicing: Slicing,
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> tuple[Comparison, ...]:
    """`every_difference` of one system, p corrected over its slices."""
    (result,) = every_difference(
        baseline,
        [system],
        slicing,
        settings=settings,
        level=level,
        n_resamples=n_resamples,
        seed=seed,
        correction=correction,
    )
    return result


def every_difference(
    baseline: Scores,
    systems: Sequence[Scores],
    slicing: Slicing,
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> tuple[tuple[Comparison, ...], ...]:
    """Of each system, itself minus the baseline in every slice, paired by query; see `compare_all`.

    p is corrected over all differences returned, systems x slices (the family "slices"), as far as a query
    has a value for both; the others have no p.
    """
    pairs = [
        (baseline.among(part.queries), scores.among(part.queries))
        for scores in systems
        for part in slicing.slices
    ]
    comparisons = compare_all(
        pairs,
        settings=settings,
        level=level,
        n_resamples=n_resamples,
        seed=seed,
        correction=correction,
        family="slices",
    )
    n = len(slicing.slices)
    return tuple(comparisons[i * n : (i + 1) * n] for i in range(len(systems)))


def highest_of(overall: Mapping[str, float]) -> str:
    """The system with the highest mean; of several that are tied the first by name."""
    names = list(overall)
    return names[best_first(names, list(overall.values()))[0]]


def rivals_by_slice(
    leader: Scores,
    others: Sequence[Scores],
    slicing: Slicing,
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> dict[str, tuple[Comparison, ...]]:
    """{each of the others: minus ``leader`` in every slice}, paired by query; see `compare_all`.

    p is corrected over all systems and slices together, as any of them could be named (`every_difference`).
    """
    result = every_difference(
        leader,
        others,
        slicing,
        settings=settings,
        level=level,
        n_resamples=n_resamples,
        seed=seed,
        correction=correction,
    )
    return {scores.system: of for scores, of in zip(others, result, strict=True)}


def clear_winners(rivals: Mapping[str, Sequence[Comparison]]) -> dict[int, str]:
    """{place of a slice: the system that is clearly better there than the leader}.

    ``rivals``: as `rivals_by_slice` compares them. Only where ``FEW`` queries or more have a value for both
    and the corrected p is below ``CLEAR``; of several such systems the one that is better by most.
    """
    best: dict[int, tuple[float, str]] = {}
    for system, rival in rivals.items():
        for place, comparison in enumerate(rival):
            if comparison.n_pairs >= FEW and comparison.p_corrected < CLEAR and comparison.lead > SAME:
                best[place] = max(best.get(place, (0.0, "")), (comparison.lead, system))
    return {place: system for place, (_, system) in sorted(best.items())}


# Every system in every slice: means, and differences from the baseline.


class SliceMean(NamedTuple):
    """One system under one metric in one slice."""

    by: str
    name: str
    scores: Scores
    mean: Interval


class SliceDifference(NamedTuple):
    """One system against the baseline under one metric in one slice."""

    by: str
    name: str
    found: Comparison


class Sliced(NamedTuple):
    """Everything slice by slice: the rows, and per way of slicing what has to be known."""

    means: Sequence[SliceMean]
    differences: Sequence[SliceDifference]
    remarks: Sequence[tuple[str, str]]


def every_slice(
    study: Study,
    scores: Sequence[Scores],
    ways: Sequence[str],
    *,
    baseline: str | None,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> Sliced:
    """Means of all scores in every slice; with a baseline differences too, p corrected over all of them.

    Parameters
    ----------
    scores
        Of any number of systems under any number of metrics.
    ways
        Label columns, "concepts" or "difficulty" (see `slicing.slice_queries`), each of which counts once.

    Returns
    -------
    Rows by way, metric, system and slice, in the orders given; slices in the order they are read in.

    Raises
    ------
    UnknownName
        A way that the study does not offer.
    """
    settings = settings_of(scores, settings)
    means: list[SliceMean] = []
    differences: list[SliceDifference] = []
    notes: dict[tuple[str, str], None] = {}
    for by in dict.fromkeys(ways):
        for metric in dict.fromkeys(score.metric for score in scores):
            compared = [score for score in scores if score.metric == metric]
            slicing = slice_queries(study, by, scores=compared, settings=settings)
            notes |= dict.fromkeys((by, remark) for remark in remarks(slicing))
            result = means_by_slice(compared, slicing, settings=settings, level=level, seed=seed)
            for whole, row in zip(compared, result, strict=True):
                means += [
                    SliceMean(by, part.name, whole.among(part.queries), mean)
                    for part, mean in zip(slicing.slices, row, strict=True)
                ]
            for first in (scores for scores in compared if scores.system == baseline):
                others = [scores for scores in compared if scores is not first]
                for against in every_difference(
                    first,
                    others,
                    slicing,
                    settings=settings,
                    level=level,
                    n_resamples=n_resamples,
                    seed=seed,
                    correction=correction,
                ):
                    differences += _named(slicing, against)
    return Sliced(means, differences, list(notes))


def _named(slicing: Slicing, comparisons: Sequence[Comparison]) -> Iterator[SliceDifference]:
    for part, difference in zip(slicing.slices, comparisons, strict=True):
        yield SliceDifference(slicing.by, part.name, difference)


def over_slices(differences: Sequence[SliceDifference]) -> str:
    """How and over what the p-values of slices were corrected, in words; "" without any."""
    return over_what([difference.found for difference in differences]) if differences else ""
