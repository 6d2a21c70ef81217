"""What came out of scoring: the result of a run, and many runs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from evalcore.evaluate import summarise_all
from evalcore.evaluate.comparison import against_baseline
from evalcore.features.imageclef.checks import Content, Submission
from evalcore.values.arrays import Floats, readonly
from evalcore.values.errors import UnknownName
from evalcore.values.model import DEFINED, NO_CONCEPTS, Comparison, Interval, Scores

if TYPE_CHECKING:
    from evalcore.features.imageclef.concepts import ConceptDetail
    from evalcore.features.imageclef.editions import Edition
    from evalcore.values.errors import Report


@dataclass(frozen=True, slots=True, eq=False)
class Result(Generic[Content]):
    """One run of one edition: whether the official script accepts it, and its scores.

    The scores of a run that is not accepted are unofficial: those of the rows that could be read, images
    without one counted as empty predictions.

    Attributes
    ----------
    run : the submission as the script reads it.
    opened : problems of opening its file, such as a zip of two files.
    values : {metric: value per image of the truth}, NaN where an image does not count.
    metrics : {metric: value over all images}, not rounded.
    score : the main score of the edition's script; NaN when something for it is missing.
    secondary : its secondary score; NaN when something is missing, None where the edition has none.
    n_images : images that the main score counts.
    missing : {metric: what is needed for it}.
    lacking : {overall number: the metrics it lacks}, only those that lack any: such a number is partial.
    detail : what lies behind the score of concept detection; None for captions.
    """

    name: str
    edition: Edition
    truth: Mapping[str, Content]
    run: Submission[Content]
    opened: Report
    values: Mapping[str, Floats]
    metrics: Mapping[str, float]
    score: float
    secondary: float | None
    n_images: int
    missing: Mapping[str, str] = field(default_factory=dict)
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    detail: ConceptDetail | None = None

    @property
    def images(self) -> tuple[str, ...]:
        """The images of the truth."""
        return tuple(self.truth)

    @property
    def accepted(self) -> bool:
        """Whether the official script takes the file."""
        return self.run.accepted and not self.opened.total("error")

    @property
    def report(self) -> Report:
        """Every problem of the file; those of opening it alone where that left nothing to read."""
        return self.opened if self.opened.total("error") else self.opened + self.run.report

    @property
    def headline(self) -> float:
        """What the task ranks by (see ``Edition.headline``); NaN when something for it is missing."""
        name = self.edition.headline
        return float("nan") if name in self.lacking else self.metric(name)

    @property
    def concepts(self) -> ConceptDetail:
        """What lies behind a score of concept detection."""
        assert self.detail is not None, "results of concept detection have one"
        return self.detail

    @property
    def n_ignored(self) -> int:
        """Images of the ground truth that the main score leaves out."""
        return len(self.truth) - self.n_images

    @property
    def n_problems(self) -> int:
        """Problems of the file, those beyond the listed ones included."""
        return sum(self.report.counts.values())

    def metric(self, name: str) -> float:
        """The value of a metric over all images; NaN when something for it is missing."""
        return self.metrics.get(name, float("nan"))


# Many runs side by side: intervals over images, and paired tests against a baseline.

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
    return next((name for name in both if all(name in result.values for result in results)), STAND_IN)


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
    metric, names = compared_by(results), [result.name for result in results]
    if baseline is not None and baseline not in names:
        raise UnknownName("run", baseline, names)
    scores = [_as_scores(result.name, metric, result.values[metric]) for result in results]
    intervals = summarise_all(scores, seed=seed)
    first = next((result.name for result in results if result.accepted), names[0])
    compared = against_baseline(scores, baseline=baseline or first, seed=seed)
    return Board(metric, dict(zip(names, intervals, strict=True)), tuple(compared))


def _as_scores(run: str, metric: str, column: Floats) -> Scores:
    """Values of images, by their position in the truth, as scores of a system over queries."""
    images = readonly(np.arange(len(column), dtype=np.int32))
    reasons = readonly(np.where(np.isnan(column), NO_CONCEPTS, DEFINED).astype(np.uint8))
    return Scores(run, metric, images, readonly(column), reasons, 0, 0, 0, None)
