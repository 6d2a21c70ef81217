"""Do the scores of generated images put them in the same order, and in the order of people?

Every score is turned so that more is better (distances get a minus) and compared by Spearman's rho over the
images that have all of them, with a percentile bootstrap over images for the agreement with people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.stats.correlation import correlations, spearman
from evalcore.values.arrays import Floats

FEWEST = 4
"""Images from which on an order says anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Spearman's rho and Kendall's tau-b of every two scores, shape (m, m), over the same ``n`` images.

    NaN where a score does not vary, everywhere with fewer than ``FEWEST`` images. ``left_out``: images
    without one of the scores.
    """

    names: tuple[str, ...]
    rho: Floats
    tau: Floats
    n: int
    left_out: int


@dataclass(frozen=True, slots=True)
class WithPeople:
    """How far one score agrees with people: rho, its interval, and over how many images."""

    name: str
    rho: float
    low: float
    high: float
    n: int


def agreement(scores: Mapping[str, Floats]) -> Agreement:
    """All scores with each other; each of shape (n,), more is better, NaN for none.

    A score that no image has is left out, or nothing could be compared.
    """
    kept = {name: values for name, values in scores.items() if np.isfinite(values).any()}
    names = tuple(kept)
    total = len(next(iter(scores.values()))) if scores else 0
    if not names:
        return Agreement((), np.zeros((0, 0)), np.zeros((0, 0)), 0, total)
    columns = np.column_stack([np.where(np.isfinite(one), one, np.nan) for one in kept.values()])
    n = int(np.isfinite(columns).all(axis=1).sum())
    if n < FEWEST:
        nothing = np.full((len(names), len(names)), np.nan)
        return Agreement(names, nothing, nothing, n, total - n)
    rho, tau = correlations(columns, method="spearman"), correlations(columns, method="kendall")
    return Agreement(names, rho, tau, n, total - n)


def with_people(
    scores: Mapping[str, Floats], people: Floats, *, n_resamples: int = 999, level: float = 0.95,
    seed: int = 0,
) -> list[WithPeople]:  # fmt: skip
    """Each score against the judgments of people, shape (n,), more is better, NaN where nobody judged."""
    found, tail = [], (1 - level) / 2
    for name, values in scores.items():
        both = np.isfinite(values) & np.isfinite(people)
        x, y = values[both], people[both]
        if len(x) < FEWEST:
            found.append(WithPeople(name, float("nan"), float("nan"), float("nan"), len(x)))
            continue
        rng = np.random.default_rng(seed)
        drawn = [spearman(x[rows], y[rows]) for rows in rng.integers(0, len(x), (n_resamples, len(x)))]
        known = np.array([one for one in drawn if np.isfinite(one)])
        low, high = np.quantile(known, [tail, 1 - tail]) if len(known) else (np.nan, np.nan)
        found.append(WithPeople(name, spearman(x, y), float(low), float(high), len(x)))
    return found


def in_order(ids: Sequence[str], judged: Mapping[str, float]) -> Floats:
    """The judgments of these images, NaN where there is none."""
    return np.array([judged.get(image, np.nan) for image in ids], float)
