"""What passes between reading, scoring and showing: a ground truth, a submission, and a run's result.

``Content`` is what an image has: a tuple of concepts in concept detection, a text in caption prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from evalcore.evaluate import summarise_all
from evalcore.evaluate.comparison import against_baseline
from evalcore.values.arrays import Floats, readonly
from evalcore.values.errors import UnknownName
from evalcore.values.model import DEFINED, NO_CONCEPTS, Comparison, Interval, Scores

if TYPE_CHECKING:
    from evalcore.features.imageclef.concepts.scores import ConceptDetail
    from evalcore.features.imageclef.editions import Edition
    from evalcore.values.errors import Report

Content = TypeVar("Content", tuple[str, ...], str)
Opened = Mapping[str, tuple[bytes, "Report"]]
"""Submissions by name: content, and what was found while opening it (see ``sources.submissions``)."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth(Generic[Content]):
    """The true concepts or captions by image, in file order; concepts as the edition's script splits them.

    ``images`` every id of the file in its order, those that the script skips included.
    """

    content: Mapping[str, Content]
    file: str
    report: Report
    images: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Submission(Generic[Content]):
    """A submission as the edition's script reads it.

    ``accepted`` is False when the official script would stop; ``report`` has an error for each reason.
    """

    name: str
    read: Mapping[str, Content]
    accepted: bool
    report: Report


@dataclass(frozen=True, slots=True, eq=False)
class Result(Generic[Content]):
    """One run of one edition: whether the official script accepts it, and its scores.

    The scores of a run that is not accepted are unofficial: those of the rows that could be read, images
    without one counted as empty predictions.

    Attributes
    ----------
    report : problems of opening and reading the file; an error is one that the official script stops at.
    values : {metric: value per image of ``images``}, NaN where an image does not count.
    score : the main score of the edition's script; NaN when something for it is missing.
    secondary : its secondary score; NaN when something is missing, None where the edition has none.
    n_images : images that the main score counts.
    metrics : {metric: value over all images}, not rounded.
    missing : {metric: what is needed for it}.
    lacking : {overall number: the metrics it lacks}, only those that lack any.
    detail : what lies behind the score of concept detection; None for captions.
    """

    name: str
    edition: Edition
    truth: Mapping[str, Content]
    run: Submission[Content]
    accepted: bool
    report: Report
    images: tuple[str, ...]
    values: Mapping[str, Floats]
    score: float
    secondary: float | None
    n_images: int
    metrics: Mapping[str, float]
    missing: Mapping[str, str]
    lacking: Mapping[str, tuple[str, ...]]
    detail: ConceptDetail | None = None

    @property
    def headline(self) -> float:
        """What the task ranks by (see ``Edition.headline``); NaN when something for it is missing."""
        return self.metric(self.edition.headline)

    @property
    def n_ignored(self) -> int:
        """Images of the ground truth that the main score leaves out."""
        return len(self.images) - self.n_images

    @property
    def n_problems(self) -> int:
        """Problems of the file, those beyond the listed ones included."""
        return sum(self.report.counts.values())

    def metric(self, name: str | None) -> float:
        """The value of a metric over all images; NaN when something for it is missing."""
        return float("nan") if name is None else self.metrics.get(name, float("nan"))


def as_opened(opened: Report, run: Submission[Any]) -> Report:
    """Every problem of a file; those of opening it alone where that left nothing to read."""
    return opened if opened.total("error") else opened + run.report


def mean_of(values: Floats) -> float:
    """The mean over images; NaN without any."""
    return float(np.mean(values)) if len(values) else float("nan")


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
    metric = compared_by(results)
    scores = as_scores({result.name: result.values[metric] for result in results}, metric)
    if baseline is not None and baseline not in {score.system for score in scores}:
        raise UnknownName("run", baseline, [score.system for score in scores])
    intervals = summarise_all(scores, seed=seed)
    first = next((result.name for result in results if result.accepted), scores[0].system)
    compared = against_baseline(scores, baseline=baseline or first, seed=seed)
    return Board(
        metric, {score.system: mean for score, mean in zip(scores, intervals, strict=True)}, tuple(compared)
    )


def as_scores(columns: Mapping[str, Floats], metric: str) -> tuple[Scores, ...]:
    """{run: score per image} as scores of systems over queries; images whose value is NaN do not count."""
    return tuple(_as_scores(run, metric, column) for run, column in columns.items())


def _as_scores(run: str, metric: str, column: Floats) -> Scores:
    """Image indices are positions in the ground truth."""
    return Scores(
        run,
        metric,
        readonly(np.arange(len(column), dtype=np.int32)),
        readonly(column),
        readonly(np.where(np.isnan(column), NO_CONCEPTS, DEFINED).astype(np.uint8)),
        0,
        0,
        0,
        None,
    )
