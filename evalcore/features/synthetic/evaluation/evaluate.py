"""The evaluation as a whole: archetypes and groups of subjects in, scores and what to know about them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalcore.features.synthetic.bounds import BoundsIntervals, bootstrap_bounds
from evalcore.features.synthetic.evaluation.held_out import held_out
from evalcore.features.synthetic.evaluation.remarks import remarks
from evalcore.features.synthetic.evaluation.scores import GroupScores, score_group
from evalcore.features.synthetic.evaluation.settings import WsiSettings
from evalcore.features.synthetic.evaluation.tally import Tally, by_tolerance
from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import Tolerances, tolerances
from evalcore.features.synthetic.tversky import check_weights
from evalcore.features.synthetic.weights import uniform
from evalcore.values.arrays import Floats
from evalcore.values.problems import Report
from evalcore.values.progress import Progress, silent


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Groups of subjects against archetypes.

    archetypes: the archetypes as a group of their own. held_out: the same scored by tolerances of others
    (`held_out`), the score that new real images can be expected to have; None where there are few, or where
    features are concepts. bounds, intervals: tolerances and the intervals of their ends; None where features
    are concepts.
    remarks: what the reader of the scores should know, as warnings.
    """

    settings: WsiSettings
    names: tuple[str, ...]
    weights: Floats
    bounds: Tolerances | None
    intervals: BoundsIntervals | None
    archetypes: GroupScores
    groups: tuple[GroupScores, ...]
    remarks: Report
    held_out: GroupScores | None = None

    @property
    def yardstick(self) -> GroupScores:
        """The score that groups are held against: of held-out real images where there are enough."""
        return self.archetypes if self.held_out is None else self.held_out

    @property
    def rows(self) -> tuple[GroupScores, ...]:
        """The archetypes, the same held out where they are, then the groups."""
        return (self.archetypes, *([] if self.held_out is None else [self.held_out]), *self.groups)

    @property
    def everyone(self) -> tuple[GroupScores, ...]:
        """The archetypes, then the groups."""
        return (self.archetypes, *self.groups)


def evaluate(
    archetypes: FeatureTable, subjects: Sequence[FeatureTable], *, weights: Floats | None = None,
    settings: WsiSettings | None = None, progress: Progress = silent,
) -> Evaluation:  # fmt: skip
    """Groups of images against archetype images, all tables with the same features in the same order."""
    how = settings or WsiSettings()
    bounds = tolerances(archetypes, quantiles=how.quantiles)
    intervals = bootstrap_bounds(
        archetypes, quantiles=how.quantiles, level=how.level, n_resamples=how.n_resamples, seed=how.seed
    )
    tallies = [by_tolerance(one, bounds, missing=how.missing) for one in (archetypes, *subjects)]
    heavy = uniform(archetypes.names) if weights is None else check_weights(weights, len(archetypes.names))
    scored = _scored(tallies, heavy, how, progress)
    said = remarks(archetypes, bounds, subjects)
    return Evaluation(how, archetypes.names, heavy, bounds, intervals, scored[0], tuple(scored[1:]), said,
                      held_out(archetypes, heavy, how))  # fmt: skip


def evaluate_tallies(
    archetypes: Tally, subjects: Sequence[Tally], *, weights: Floats | None = None,
    settings: WsiSettings | None = None, progress: Progress = silent,
) -> Evaluation:  # fmt: skip
    """The same of features that are there or not from the start, such as concepts."""
    how = settings or WsiSettings(archetype="each")
    heavy = uniform(archetypes.names) if weights is None else check_weights(weights, len(archetypes.names))
    scored = _scored([archetypes, *subjects], heavy, how, progress)
    return Evaluation(how, archetypes.names, heavy, None, None, scored[0], tuple(scored[1:]), Report())


def _scored(
    tallies: Sequence[Tally], weights: Floats, settings: WsiSettings, progress: Progress
) -> list[GroupScores]:
    scored = []
    for i, one in enumerate(tallies):
        progress(i / len(tallies), one.name)
        scored.append(score_group(one, tallies[0], weights, settings, same=i == 0))
    progress(1, "")
    return scored
