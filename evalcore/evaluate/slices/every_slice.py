"""Every system in every slice: means, and differences from the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.evaluate.comparison import N_PERMUTATIONS, over_what
from evalcore.evaluate.policy import settings_of
from evalcore.evaluate.slices.differences import every_difference, means_by_slice
from evalcore.evaluate.slices.slicing import remarks, slice_queries
from evalcore.values.settings import Correction, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.slices.slicing import Slicing
    from evalcore.values.model import Comparison, Interval, Scores, Study


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
    study: Study, scores: Sequence[Scores], ways: Sequence[str], *, baseline: str | None,
    settings: Settings | None = None, level: float = 0.95, n_resamples: int = N_PERMUTATIONS, seed: int = 0,
    correction: Correction = "holm",
) -> Sliced:  # fmt: skip
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
        for metric in dict.fromkeys(one.metric for one in scores):
            compared = [one for one in scores if one.metric == metric]
            slicing = slice_queries(study, by, scores=compared, settings=settings)
            notes |= dict.fromkeys((by, remark) for remark in remarks(slicing))
            found = means_by_slice(compared, slicing, settings=settings, level=level, seed=seed)
            for one, row in zip(compared, found, strict=True):
                means += [
                    SliceMean(by, part.name, one.among(part.queries), mean)
                    for part, mean in zip(slicing.slices, row, strict=True)
                ]
            for first in (one for one in compared if one.system == baseline):
                others = [one for one in compared if one is not first]
                for against in every_difference(
                    first, others, slicing, settings=settings, level=level, n_resamples=n_resamples,
                    seed=seed, correction=correction,
                ):  # fmt: skip
                    differences += _named(slicing, against)
    return Sliced(means, differences, list(notes))


def _named(slicing: Slicing, found: Sequence[Comparison]) -> Iterator[SliceDifference]:
    for part, difference in zip(slicing.slices, found, strict=True):
        yield SliceDifference(slicing.by, part.name, difference)


def over_slices(differences: Sequence[SliceDifference]) -> str:
    """How and over what the p-values of slices were corrected, in words; "" without any."""
    return over_what([one.found for one in differences]) if differences else ""
