"""Means and differences slice by slice, and the slices in which another system is clearly better."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.evaluate.comparison import over_what
from evalcore.evaluate.slices.slicing import FEW
from evalcore.evaluate.summary import summarise_all
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.slices.slicing import Slicing
    from evalcore.values.model import Comparison, Interval, Scores
    from evalcore.values.settings import Settings


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


def clear_winners(rivals: Mapping[str, Sequence[Comparison]]) -> dict[int, str]:
    """{place of a slice: the system that is clearly better there than the leader}.

    ``rivals``: {each other system: itself minus the leader, slice by slice}. Only where ``FEW`` queries or
    more have a value for both and the corrected p is below ``CLEAR``; of several such systems the one that is
    better by most.
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


def over_slices(differences: Sequence[SliceDifference]) -> str:
    """How and over what the p-values of slices were corrected, in words; "" without any."""
    return over_what([difference.found for difference in differences]) if differences else ""
