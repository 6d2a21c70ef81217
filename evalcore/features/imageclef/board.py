"""Many runs side by side: intervals over images, and paired tests against a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.evaluate import leaderboard, summarise_all
from evalcore.features.imageclef.result import Result
from evalcore.values.arrays import Floats, frozen
from evalcore.values.errors import UnknownName
from evalcore.values.model import DEFINED, NO_CONCEPTS, Comparison, Interval, Scores

STAND_IN = "ROUGE-1"
"""The metric that compares captions where the edition's main score needs a model that is not here."""


@dataclass(frozen=True, slots=True)
class Board:
    """Runs compared by one metric: {run: interval}, and the others against the baseline."""

    metric: str
    intervals: Mapping[str, Interval]
    compared: tuple[Comparison, ...]


def compared_by(results: Sequence[Result[Any]]) -> str:
    """The metric that every run has: what the task ranks by, else the script's main score, else ROUGE-1."""
    edition = results[0].edition
    both = (edition.headline, edition.primary)
    return next((name for name in both if all(name in one.values for one in results)), STAND_IN)


def board(results: Sequence[Result[Any]], *, baseline: str | None, seed: int = 0) -> Board:
    """How sure is each run's mean, and does it differ from the baseline's by more than chance?

    Parameters
    ----------
    results : one or more runs of one edition; an image whose value is NaN does not count.
    baseline : the run the others are compared with; None takes the first that the official script accepts.

    Returns
    -------
    Board : intervals by percentile bootstrap over images; comparisons by paired permutation test,
        Holm-corrected over all runs shown.

    Raises
    ------
    UnknownName
        The baseline is not among the runs.
    """
    metric = compared_by(results)
    scores = tuple(_as_scores(one.name, metric, one.values[metric]) for one in results)
    if baseline is not None and baseline not in {one.system for one in scores}:
        raise UnknownName("run", baseline, [one.system for one in scores])
    intervals = summarise_all(scores, seed=seed)
    first = next((one.name for one in results if one.accepted), scores[0].system)
    compared = leaderboard(scores, baseline=baseline or first, seed=seed) if len(scores) > 1 else ()
    return Board(
        metric, {one.system: mean for one, mean in zip(scores, intervals, strict=True)}, tuple(compared)
    )


def _as_scores(run: str, metric: str, column: Floats) -> Scores:
    """Image indices are positions in the ground truth."""
    return Scores(
        run, metric, frozen(np.arange(len(column), dtype=np.int32)), frozen(column),
        frozen(np.where(np.isnan(column), NO_CONCEPTS, DEFINED).astype(np.uint8)), 0, 0, 0, None,
    )  # fmt: skip
