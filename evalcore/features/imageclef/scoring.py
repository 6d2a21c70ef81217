"""Truth, runs and the files beside them, checked and scored in one call, by page and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from evalcore.evaluate.comparison import against_baseline
from evalcore.evaluate.summary import summarise_all
from evalcore.features.imageclef import caption_metrics
from evalcore.features.imageclef.editions import CURATED, Edition
from evalcore.features.imageclef.models import FROM_ELSEWHERE, NEEDS
from evalcore.features.imageclef.submissions import read_submission, read_truth, within_cap
from evalcore.study.parts.concepts import parse_concepts
from evalcore.study.tables.files import reader
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, Rule
from evalcore.study.tables.schema import IMAGE, NO_ROWS, Column, Rows, Schema, no_rows
from evalcore.values.arrays import Floats, digest_of, readonly
from evalcore.values.errors import InputError, Report, UnknownName
from evalcore.values.model import DEFINED, NO_CONCEPTS, Comparison, Interval, Scores
from evalcore.values.progress import Progress, silent
from evalcore.values.writing import pluralize

Items = Mapping[str, Sequence[str]]
"""Concepts by image."""
Kept = Callable[[Sequence[str]], frozenset[str]]
Captions = Mapping[str, str]
Models = Callable[[Captions, Mapping[str, Captions]], Mapping[str, Mapping[str, Floats]]]
"""Given the true captions and {run: captions}, {run: {metric: value per image of the truth}}."""
PER_RUN = ("scores", "run_concepts")
"""Files of which each run has its own; of ``truth_concepts`` and ``manual`` there is one for all."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """A file by its name; ``mark`` changes when its content does."""

    name: str
    data: bytes
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Files:
    """What is scored: truth, runs, and the files beside them by role and run ("" for all)."""

    truth: Source
    runs: tuple[Source, ...]
    beside: Mapping[tuple[str, str], Source] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def digest(self) -> str:
        """Changes when any of the files does."""
        rest = [f"{role}:{run}:{source.mark}" for (role, run), source in sorted(self.beside.items())]
        return digest_of([self.truth.mark, *(run.mark for run in self.runs), *rest])


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """One run of one edition: whether the official script accepts it, and its scores.

    The scores of a run that is not accepted are unofficial: those of the rows that could be read, images
    without one counted as empty predictions.

    Attributes
    ----------
    truth, predicted : concepts or caption by image, as the script reads them.
    report : every problem of the file, an error where the script stops.
    values : {metric: value per image of the truth}, NaN where an image does not count.
    metrics : {metric: value over all images}, not rounded.
    secondary : the secondary score; NaN when something is missing, None where the edition has none.
    missing : {metric: what is needed for it}.
    """

    name: str
    edition: Edition
    truth: Mapping[str, Any]
    predicted: Mapping[str, Any]
    report: Report
    values: Mapping[str, Floats]
    metrics: Mapping[str, float]
    secondary: float | None
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether the official script takes the file."""
        return not self.report.total("error")

    @property
    def score(self) -> float:
        """The main score of the edition's script; NaN when something for it is missing."""
        return self.metric(self.edition.primary)

    @property
    def headline(self) -> float:
        """What the task ranks by (see ``Edition.headline``); NaN when something for it is missing."""
        return self.metric(self.edition.headline)

    @property
    def n_images(self) -> int:
        """Images that the main score counts."""
        return sum(content != () for content in self.truth.values())

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


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Results of all runs, problems of the files beside them, and why some of these cannot be used."""

    results: tuple[Result, ...]
    report: Report = field(default_factory=Report)
    unusable: tuple[InputError, ...] = ()


# Concept detection: F1(G, P) = 2 |G∩P| / (|G| + |P|) per image, on sets of upper-cased concepts.
#
# The primary score is the mean over the images of the ground truth (2017 to 2019: over those with true
# concepts). The secondary score of 2025 keeps only 15 curated concepts on both sides, takes the truth from
# the manually checked file, and leaves out images with none of them.


def mean_f1(
    truth: Items, predicted: Items, *, kept: Kept = frozenset, extra: int = 0
) -> tuple[Floats, float]:
    """F1 per image of the truth, NaN for images where nothing is true, and the mean over the others.

    Parameters
    ----------
    truth, predicted : concepts by image; an image without prediction counts as predicted empty.
    kept : the concepts of an image that count.
    extra : images that the mean counts beside these, with F1 0.

    The mean is added up in the order of the run as the scripts do, so that the last bit agrees. It is NaN
    when no image counts, where the script divides by zero, and like all values when the run has none of the
    images.

    >>> values, mean = mean_f1({"i": "ab", "j": ""}, {"i": "bc"})
    >>> values.tolist(), mean
    ([0.5, nan], 0.5)
    """
    pairs = [(kept(items), kept(predicted.get(image, ()))) for image, items in truth.items()]
    counts = [(len(g & p), len(g) + len(p), bool(g)) for g, p in pairs]
    shared, sizes, counted = np.array(counts, np.int64).reshape(-1, 3).T
    values: Floats = np.divide(2.0 * shared, sizes, out=np.full(len(pairs), np.nan), where=counted > 0)
    place = {image: at for at, image in enumerate(truth)}
    order = [place[image] for image in predicted if image in place]
    n_counted = int(counted.sum()) + extra
    if not order:
        values[:] = np.nan
    if not order or not n_counted:
        return values, float("nan")
    return values, float(np.cumsum(np.nan_to_num(values[order]))[-1]) / n_counted


def curated_f1(truth: Items, manual: Items, predicted: Items, *, file: str) -> float:
    """The secondary score: both sides cut down to the 15 concepts; NaN when no image has any of them.

    Raises
    ------
    InputError
        The manually checked truth ``file`` lacks images of the ground truth, at which the script stops.
    """
    if absent := [image for image in truth if image not in manual]:
        n, some = pluralize(len(absent), "image"), ", ".join(absent[:5])
        raise InputError(f"{file} lacks {n} of the ground truth, such as {some}. Add them.")
    checked = {image: manual[image] for image in truth}
    return mean_f1(checked, predicted, kept=CURATED.intersection, extra=len(manual) - len(truth))[1]


def score_concepts(files: Files, *, edition: Edition) -> Scored:
    """Concept detection of all runs, in their order.

    Of the files beside them, ``manual`` is the manually checked truth of the secondary score (2025, 2026);
    without it the ground truth itself is used, as the organisers' script did before it had that file.

    Raises
    ------
    InputError
        A truth cannot be used, or the manual one lacks images.
    """
    truth = read_truth(files.truth.data, file=files.truth.name, edition=edition)
    manual, report = truth, truth.report
    if (source := files.beside.get(("manual", ""))) and edition.secondary == "manual":
        manual = read_truth(source.data, file=source.name, edition=edition)
        report += manual.report
    results = []
    for source in files.runs:
        run, problems = read_submission(source.data, name=source.name, truth=truth, edition=edition)
        values, score = mean_f1(truth.content, run)
        secondary = {None: None, "zero": 0.0}.get(edition.secondary)
        if edition.secondary == "manual":
            secondary = curated_f1(truth.content, manual.content, run, file=manual.file)
        facts = truth.content, run, problems, {edition.primary: values}, {edition.primary: score}, secondary
        results.append(Result(source.name, edition, *facts))
    return Scored(tuple(results), report)


def score_captions(
    files: Files, progress: Progress = silent, *, edition: Edition, models: Models = lambda _truth, _runs: {}
) -> Scored:
    """Caption prediction of all runs with the files beside them and what ``models`` give.

    A table of values counts before models. An image without a caption counts as an empty caption.

    Raises
    ------
    InputError
        The truth cannot be used. Other files that cannot are among ``unusable``, and left out.
    """
    truth = read_truth(files.truth.data, file=files.truth.name, edition=edition)
    images, report, unusable = tuple(truth.content), truth.report, list[InputError]()

    def use(read: Callable[[bytes, str, Sequence[str]], T], role: str, run: str = "") -> T | None:
        """What is read of a file; None without one, and for one that cannot be used."""
        source = files.beside.get((role, run))
        try:
            return None if source is None else read(source.data, source.name, images)
        except InputError as error:
            unusable.append(error)
            return None

    true = use(read_concepts, "truth_concepts")
    runs = {
        source.name: read_submission(source.data, name=source.name, truth=truth, edition=edition)
        for source in files.runs
    }
    from_models = models(truth.content, {name: captions for name, (captions, _) in runs.items()})
    official = [name for name in caption_metrics.OFFICIAL if name in (edition.primary, edition.secondary)]
    results = []
    for at, (name, (run, problems)) in enumerate(runs.items()):
        progress(at / len(runs), name)
        pairs = [(text, run.get(image, "")) for image, text in truth.content.items()]
        values, corpus = caption_metrics.text_metrics(pairs, official=official)
        values |= from_models.get(name, {})
        values |= use(read_values, "scores", name) or {}
        own = use(read_concepts, "run_concepts", name)
        if true and own:
            values["UMLS F1"] = caption_metrics.umls_f1(pairs, images, true[0], own[0])
        report += own[1] if own else Report()
        missing = _add_overall(values, edition)
        metrics = {metric: float(np.mean(column)) for metric, column in values.items()} | corpus
        secondary = 0.0 if edition.secondary == "zero" else metrics.get(edition.secondary or "", float("nan"))
        facts = truth.content, run, problems, values, metrics
        results.append(Result(name, edition, *facts, secondary if edition.secondary else None, missing))
    return Scored(tuple(results), report + (true[1] if true else Report()), tuple(unusable))


def _add_overall(values: dict[str, Floats], edition: Edition) -> dict[str, str]:
    """Add the overall numbers of the edition to the values; {metric: what is missing for it}.

    A metric without a value for some images is left out, as the mean over the others would mislead.
    """
    missing = {metric: need for metric, need in NEEDS.items() if metric not in values}
    for metric in FROM_ELSEWHERE:
        if metric in values and (gaps := int(np.isnan(values[metric]).sum())):
            del values[metric]
            missing[metric] = f"{gaps:,} images have no value in these scores."
    for total in (edition.primary, edition.secondary or "", edition.ranking):
        if total in caption_metrics.OVERALL:
            parts = chain.from_iterable(caption_metrics.OVERALL[total])
            if lacking := [part for part in parts if part not in values]:
                missing[total] = f"Needs {', '.join(lacking)}."
            else:
                values[total] = caption_metrics.overall_values(total, values)
    return missing


# Values and concepts that were computed elsewhere, so that no model is needed here. A file is used as a
# whole, or an InputError says why not.

_METRIC = Rule("not-a-number", "The {column} '{value}' is not a number.", "Write a number or nothing.")


def _column(metric: str) -> Column:
    name = metric.lower()
    names = dict.fromkeys((name, name.replace(" ", "_"), name.replace(" ", "")))
    return Column(tuple(names), required=False, empty=None, number=_METRIC)


VALUES = Schema(
    (IMAGE, *map(_column, FROM_ELSEWHERE)),
    f"Let the first row be ID, then any of {', '.join(FROM_ELSEWHERE)}.",
    duplicate=Rule(
        "duplicate-id", "The image '{value}' is already on line {first}.", "Keep one row per image."
    ),
    keys=("id",),
    no_rows=NO_ROWS,
)


@reader(lambda file: no_rows(file, VALUES))
def _parse_values(data: bytes, problems: Problems) -> Rows:
    rows = read(data, VALUES, problems)
    if not any(map(rows.has, map(str.lower, FROM_ELSEWHERE))) and not problems.n_errors:
        remedy = f"Name them {', '.join(FROM_ELSEWHERE)}."
        problems.error("wrong-header", "No column is a known metric.", remedy, line=1)
    return rows


def read_values(data: bytes, file: str, images: Sequence[str]) -> dict[str, Floats]:
    """{metric: value per image} of a table of values, NaN where it has none.

    Images that are not in the truth are left out.

    Raises
    ------
    InputError
        No known metric in the header, cells that are no finite numbers, or images listed twice.
    """
    with within_cap():
        rows, report = _parse_values(data, file=file)
    if report.total("error"):
        raise InputError(f"The scores {file} cannot be used.", report)
    metrics = [metric for metric in FROM_ELSEWHERE if rows.has(metric.lower())]
    values = pd.DataFrame({metric: rows.numbers(metric.lower()) for metric in metrics}, rows.texts("id"))
    return {metric: column.to_numpy() for metric, column in values.reindex(list(images)).items()}


def read_concepts(data: bytes, file: str, images: Sequence[str]) -> tuple[dict[str, Sequence[str]], Report]:
    """{image: concepts} of captions, () where an image has none, and the problems of the file.

    Raises
    ------
    InputError
        There are no rows that could be used, or none about an image of the truth.
    """
    with within_cap():
        rows, report = parse_concepts(data, file=file, scheme="umls")
    if not rows.sets:
        remedy = "Write rows such as image_1,C0040405;C0817096."
        raise InputError(f"{file} contains no concepts. {remedy}", report)
    if rows.sets.keys().isdisjoint(images):
        remedy = explain_id_mismatch([*rows.sets], images) or "Name images as the ground truth does."
        raise InputError(f"{file} contains none of the images of the ground truth. {remedy}", report)
    return {image: tuple(cuis or ()) for image, cuis in rows.sets.items()}, report


# Many runs side by side: intervals over images, and paired tests against a baseline.

STAND_IN = "ROUGE-1"
"""The metric that compares captions where the edition's main score needs a model that is not here."""


@dataclass(frozen=True, slots=True)
class Board:
    """Runs compared by one metric: {run: interval}, and the others against the baseline."""

    metric: str
    intervals: Mapping[str, Interval]
    comparisons: Sequence[Comparison]


def compared_by(results: Sequence[Result]) -> str:
    """The metric that every run has: what the task ranks by, else the script's main score, else ROUGE-1."""
    edition = results[0].edition
    both = (edition.headline, edition.primary)
    return next((name for name in both if all(name in result.values for result in results)), STAND_IN)


def board_of(results: Sequence[Result], *, baseline: str | None, seed: int = 0) -> Board:
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
    intervals = dict(zip(names, summarise_all(scores, seed=seed), strict=True))
    first = next((result.name for result in results if result.accepted), names[0])
    return Board(metric, intervals, against_baseline(scores, baseline=baseline or first, seed=seed))


def _as_scores(run: str, metric: str, column: Floats) -> Scores:
    """Values of images, by their position in the truth, as scores of a system over queries."""
    images = readonly(np.arange(len(column), dtype=np.int32))
    reasons = readonly(np.where(np.isnan(column), NO_CONCEPTS, DEFINED).astype(np.uint8))
    return Scores(run, metric, images, readonly(column), reasons, 0, 0, 0, None)
