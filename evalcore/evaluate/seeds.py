"""How far does a mean lie with how the system was trained? Its spread over the seeds of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.policy import counted
from evalcore.evaluate.systems import resolve_systems
from evalcore.stats.sums import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.values.model import Scores, Study
    from evalcore.values.settings import Settings


def seed_sd(scores: Scores, settings: Settings) -> float:
    """Sample standard deviation (n - 1) of the seeds' means, each over the queries that enter the mean.

    NaN for fewer than two seeds, for a system without, and where no query counts.
    """
    if len(scores.seeds) < 2:
        return float("nan")
    return float(np.std([mean_of(counted(seed, settings)[1]) for seed in scores.seeds], ddof=1))


def about_means(scores: Iterable[Scores]) -> list[str]:
    """What has to be known where a mean is that of several seeds; nothing where none is."""
    several = {one.system: len(one.seeds) for one in scores if one.seeds}
    if not several:
        return []
    listed = ", ".join(f"{name} {n}" for name, n in several.items())
    lines = [
        f"Means over seeds, query by query: {listed}. Intervals and tests are over queries and take the "
        "seeds as they are."
    ]
    if single := [name for name, n in several.items() if n == 1]:
        lines.append(f"One seed has no spread: {', '.join(single)}.")
    return lines


def about_lists(study: Study, systems: Sequence[str] | None) -> list[str]:
    """What has to be known where the lists of these systems are looked at; nothing where each has its own."""
    first = [one for one in resolve_systems(study, systems) if one.seeds]
    if not first:
        return []
    taken = ", ".join(f"{one.seeds[0].name} for {one.name}" for one in first)
    return [
        f"Several seeds have no list together, so the first one's is looked at: {taken}. Name another to see "
        "its list."
    ]
