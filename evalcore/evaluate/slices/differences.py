"""Means and differences slice by slice, and the slices that another system wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.comparison import N_PERMUTATIONS, compare_all
from evalcore.evaluate.slices.slicing import FEW
from evalcore.evaluate.summary import summarise_all
from evalcore.settings import Correction, Settings
from evalcore.stats.levels import SAME, best_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.slices.slicing import Slicing
    from evalcore.model import Comparison, Interval, Scores


def means_by_slice(
    scores: Sequence[Scores],
    slicing: Slicing,
    *,
    settings: Settings = Settings(),
    level: float = 0.95,
    seed: int = 0,
) -> tuple[tuple[Interval, ...], ...]:
    """For each of the scores, mean and interval in every slice; NaN where no query has a value.

    All in one call: slices of equal length share their draws.
    """
    parts = [one.among(part.queries) for one in scores for part in slicing.slices]
    found = summarise_all(parts, settings=settings, level=level, seed=seed)
    n = len(slicing.slices)
    return tuple(found[i * n : (i + 1) * n] for i in range(len(scores)))


def differences_by_slice(
    baseline: Scores,
    system: Scores,
    slicing: Slicing,
    *,
    settings: Settings = Settings(),
    level: float = 0.95,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
) -> tuple[Comparison, ...]:
    """``system`` minus ``baseline`` in every slice, paired by query; see `compare_all`.

    p is corrected over the slices in which a query has a value for both; the others have no p.
    """
    pairs = [(baseline.among(part.queries), system.among(part.queries)) for part in slicing.slices]
    return compare_all(
        pairs, settings=settings, level=level, n_resamples=n_resamples, seed=seed, correction=correction
    )


def other_winners(
    overall: Mapping[str, float], by_slice: Sequence[Mapping[str, Interval]]
) -> tuple[str, dict[int, str]]:
    """The system with the highest mean overall, and {place of a slice: system with the highest mean there}.

    Only slices in which ``FEW`` queries or more have a value under every system, and whose highest mean is
    above (not level with) that of the overall winner. It looks at means alone, without a test.
    """
    best = _first(overall)
    found = {}
    for place, means in enumerate(by_slice):
        if min((one.n for one in means.values()), default=0) < FEW:
            continue
        there = _first({name: one.mean for name, one in means.items()})
        if means[there].mean - means[best].mean > SAME:
            found[place] = there
    return best, found


def _first(means: Mapping[str, float]) -> str:
    names = list(means)
    return names[best_first(names, list(means.values()))[0]]
