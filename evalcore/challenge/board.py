"""Many runs side by side: intervals over images, and paired tests against a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.challenge.checks.repair import as_scores
from evalcore.errors import UnknownName
from evalcore.evaluate import leaderboard, summarise_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.challenge.concepts.evaluate import ConceptResult
    from evalcore.model import Comparison, Floats, Interval


def board(
    metric: str, values: Mapping[str, Floats], *, baseline: str | None, seed: int = 0
) -> tuple[dict[str, Interval], tuple[Comparison, ...]]:
    """How sure is each run's mean, and does it differ from the baseline's by more than chance?

    Parameters
    ----------
    values : {run: value per image}, aligned with the images of the ground truth; NaN does not count.
    baseline : the run the others are compared with; None takes the first.

    Returns
    -------
    {run: interval} (percentile bootstrap over images), and the others against the baseline (paired
    permutation test, Holm-corrected over all runs shown).

    Raises
    ------
    UnknownName
        The baseline is not among the runs.
    """
    scores = as_scores(metric, values)
    if baseline is not None and baseline not in values:
        raise UnknownName("run", baseline, values)
    intervals = summarise_all(scores, seed=seed)
    compared = (
        leaderboard(scores, baseline=baseline or scores[0].system, seed=seed) if len(scores) > 1 else ()
    )
    return {one.system: mean for one, mean in zip(scores, intervals, strict=True)}, compared


def concept_board(
    results: Sequence[ConceptResult], *, baseline: str | None, seed: int = 0
) -> tuple[dict[str, Interval], tuple[Comparison, ...]]:
    """`board` of concept detection runs by their main score."""
    return board("F1", {one.name: one.primary.values for one in results}, baseline=baseline, seed=seed)
