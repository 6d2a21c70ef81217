"""Truth, runs and the files that belong to them, checked and scored in one call, by page and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.features.imageclef.caption_metrics import Nltk, similarity
from evalcore.features.imageclef.captions import (
    FROM_ELSEWHERE,
    read_caption_run,
    read_caption_truth,
    score_caption_run,
)
from evalcore.features.imageclef.checks import Submission, Truth
from evalcore.features.imageclef.concepts import (
    concept_detail,
    primary_score,
    read_concept_run,
    read_concept_truth,
    secondary_score,
)
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.models import Pictures, model_values
from evalcore.features.imageclef.read import open_submission, within_cap
from evalcore.features.imageclef.results import Result
from evalcore.graph import ConceptGraph
from evalcore.study.concepts.concepts import parse_concepts
from evalcore.study.tables.files import max_bytes
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import IMAGE, NO_ROWS, Column, Rule, Schema
from evalcore.study.vectors.files import parse_embeddings
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings

Values = Mapping[str, Mapping[str, Floats]]
"""{run: {metric: value per image of the truth}}"""
PER_RUN = ("scores", "run_concepts", "caption_embeddings")
"""Parts of which each run has a file of its own; of the others there is one for all."""
FOR_ALL = ("truth_concepts", "image_embeddings")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """A file by its name; ``mark`` changes when its content does."""

    name: str
    data: bytes
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Files:
    """What is to be scored: truth, runs, and the files that belong to them, by part and run ("" for all)."""

    truth: Source
    runs: tuple[Source, ...]
    beside: Mapping[tuple[str, str], Source] = field(default_factory=lambda: MappingProxyType({}))

    def part(self, name: str, run: str = "") -> Source | None:
        """A file of a part, and of a run where it belongs to one."""
        return self.beside.get((name, run))

    @property
    def digest(self) -> str:
        """Changes when any of the files does."""
        rest = [f"{part}:{run}:{source.mark}" for (part, run), source in sorted(self.beside.items())]
        return digest_of([self.truth.mark, *(run.mark for run in self.runs), *rest])


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Results of all runs, what was remarked about the other files, and why some of these cannot be used."""

    results: tuple[Result[Any], ...]
    report: Report = field(default_factory=Report)
    unusable: tuple[InputError, ...] = ()


def score_concepts(
    files: Files, *, edition: Edition, graph: ConceptGraph | None = None, settings: Settings = Settings()
) -> Scored:
    """Concept detection of all runs, in their order, with F1 per image and what lies behind it.

    Parameters
    ----------
    files : of the parts, ``manual`` is the manually checked truth of the secondary score (2025, 2026);
        without
        one the ground truth itself is used, as the organisers' script did before it had that file.
    graph : for nn-F1 and near confusions.

    Raises
    ------
    InputError
        A truth cannot be used, or the manual one lacks images.
    """
    truth = read_concept_truth(files.truth.data, file=files.truth.name, edition=edition)
    manual, report = truth, truth.report
    if (own := files.part("manual")) and edition.secondary == "manual":
        manual = read_concept_truth(own.data, file=own.name, edition=edition)
        report += manual.report
    results = []
    for source in files.runs:
        opened, data = _opened(source)
        run = read_concept_run(data, name=source.name, images=truth.images, edition=edition)
        values, score = primary_score(truth.content, run.read)
        secondary = {None: None, "zero": 0.0}.get(edition.secondary)
        if edition.secondary == "manual":
            secondary = secondary_score(truth.content, manual.content, run.read, file=manual.file)
        detail = concept_detail(truth.content, run.read, graph=graph, settings=settings)
        n_images = sum(bool(concepts) for concepts in truth.content.values())
        metrics = {"F1": score, **detail.metrics()}
        columns = {edition.primary: values}
        results.append(
            Result(
                source.name,
                edition,
                truth.content,
                run,
                opened,
                columns,
                metrics,
                score,
                secondary,
                n_images,
                detail=detail,
            )
        )
    return Scored(tuple(results), report)


def score_captions(
    files: Files,
    progress: Progress = lambda _done, _doing: None,
    *,
    edition: Edition,
    nltk: Nltk = "nltk322",
    from_models: Values = MappingProxyType({}),
) -> Scored:
    """Caption prediction of all runs with the files that belong to them and the values ``from_models``.

    Of a metric that several of these give, embeddings count before a table of values, and that before models.

    Raises
    ------
    InputError
        The truth cannot be used. Other files that cannot are among ``unusable``, and left out.
    """
    truth, runs = _caption_runs(files, edition)
    remarks, unusable = Report(), list[InputError]()

    def use(reader: Callable[..., T], part: str, run: str = "", **more: object) -> T | None:
        """What a reader makes of a file; None without one, and for one it cannot use."""
        source = files.part(part, run)
        try:
            return None if source is None else reader(source.data, file=source.name, **more)
        except InputError as error:
            unusable.append(error)
            return None

    vectors = use(read_vectors, "image_embeddings", images=truth.images)
    true = use(read_concepts, "truth_concepts")
    results = []
    for source in files.runs:
        run, opened = runs[source.name]
        given = {**from_models.get(run.name, {})}
        given |= use(read_values, "scores", run.name, images=truth.images) or {}
        own = use(read_concepts, "run_concepts", run.name)
        if vectors is not None:
            texts = use(read_vectors, "caption_embeddings", run.name, images=truth.images, like=vectors)
            if texts is not None:
                pairs = [(text, run.read.get(image, "")) for image, text in truth.content.items()]
                given["similarity"] = similarity(vectors, texts, pairs, edition=edition)
        if own:
            remarks += own[1]
        concepts = (true[0], own[0]) if true and own else None
        results.append(
            score_caption_run(
                run,
                truth,
                opened,
                edition=edition,
                nltk=nltk,
                given=given,
                concepts=concepts,
                progress=progress,
            )
        )
    return Scored(tuple(results), (true[1] if true else Report()) + remarks, tuple(unusable))


def values_from_models(
    files: Files,
    models: Sequence[str],
    progress: Progress,
    *,
    edition: Edition,
    pictures: Callable[[str], bytes | None],
    **where: Any,
) -> dict[str, dict[str, Floats]]:
    """What trained ``models`` give of the captions as they are scored: {run: {metric: value per image}}.

    ``pictures``: the picture of an image by its id, None where there is none. ``where``, and what is
    raised: as of `models.model_values`.
    """
    truth, runs = _caption_runs(files, edition)
    captions = {name: run.read for name, (run, _) in runs.items()}
    by_position: Pictures = lambda i: pictures(truth.images[i])  # noqa: E731
    return model_values(
        models, truth.content, captions, edition=edition, pictures=by_position, progress=progress, **where
    )


def _caption_runs(
    files: Files, edition: Edition
) -> tuple[Truth[str], dict[str, tuple[Submission[str], Report]]]:
    """The true captions, and each run as the script reads it with the problems of opening its file."""
    truth = read_caption_truth(files.truth.data, file=files.truth.name)
    runs = {}
    for source in files.runs:
        opened, data = _opened(source)
        run = read_caption_run(data, name=source.name, truth=truth.content, edition=edition)
        runs[source.name] = (run, opened)
    return truth, runs


def _opened(source: Source) -> tuple[Report, bytes]:
    _, data, report = open_submission(source.data, name=source.name)
    return report, data


# What somebody else computed for captions: the way to bring BERTScore and its like without models. Whatever a
# file contains, it is used or an InputError says why not.

_METRIC = Rule("not-a-number", "The {column} {value} is not a number.", "Write a number or nothing.")


def _column(metric: str) -> Column:
    name = metric.lower()
    names = dict.fromkeys((name, name.replace(" ", "_"), name.replace(" ", "")))
    return Column(tuple(names), required=False, empty=None, number=_METRIC)


VALUES = Schema(
    (IMAGE, *map(_column, FROM_ELSEWHERE)),
    f"Let the first row be ID, then any of {', '.join(FROM_ELSEWHERE)}.",
    duplicate=Rule(
        "duplicate-id", "The image {value} is already on line {first}.", "Keep one row per image."
    ),
    keys=("id",),
    no_rows=NO_ROWS,
)


def read_values(data: bytes, *, file: str, images: Sequence[str]) -> dict[str, Floats]:
    """{metric: value per image} of a table of values, NaN where it has none.

    Images that are not in the truth are left out.

    Raises
    ------
    InputError
        No known metric in the header, cells that are no finite numbers, or images listed twice.
    """
    problems = Problems(file)
    with within_cap():
        rows = read(data, VALUES, problems)
    metrics = [metric for metric in FROM_ELSEWHERE if rows.has(metric.lower())]
    if not metrics and not problems.n_errors:
        remedy = f"Name them {', '.join(FROM_ELSEWHERE)}."
        problems.error("wrong-header", "No column is a known metric.", remedy, line=1)
    if problems.n_errors:
        raise InputError(f"The scores {file} cannot be used.", problems.report())
    ids = rows.texts("id")
    return {
        metric: rows_of_images(ids, rows.numbers(metric.lower())[:, np.newaxis], images)[:, 0]
        for metric in metrics
    }


def read_concepts(data: bytes, *, file: str) -> tuple[dict[str, Sequence[str]], Report]:
    """{image: concepts} of captions, () where an image has none, and the problems of the file.

    Raises
    ------
    InputError
        There are no rows that could be used.
    """
    with within_cap():
        rows, report = parse_concepts(data, file=file, scheme="umls")
    if not rows.sets:
        remedy = "Write rows such as image_1,C0040405;C0817096."
        raise InputError(f"{file} contains no concepts. {remedy}", report)
    return {image: tuple(cuis or ()) for image, cuis in rows.sets.items()}, report


def read_vectors(data: bytes, *, file: str, images: Sequence[str], like: Floats | None = None) -> Floats:
    """Embeddings of a file in the order of the images, shape (images, width); NaN rows where there is none.

    Any file of embeddings (``.npz`` with ids and vectors, ``.parquet``), or an ``.npz`` with one array per
    image under its id, as the organisers' script of 2026 precomputes them. ``like`` vectors that these are
    to be compared with.

    Raises
    ------
    InputError
        There are no usable vectors, none of them belongs to one of the images, or they are not as wide as
        those of ``like``.
    """
    rows, report = parse_embeddings(data, file=file)
    if rows is None:
        raise InputError(f"The embeddings {file} cannot be used.", report)
    width = rows.vectors.shape[1]
    if len(images) * width * np.dtype(float).itemsize > max_bytes():
        raise InputError(f"{file} has {width:,} numbers per row, too many for {len(images):,} images.")
    vectors = rows_of_images(rows.ids, rows.vectors, images)
    if np.isnan(vectors).all():
        raise InputError(f"The embeddings {file} have none of the images of the ground truth.", report)
    if like is not None and vectors.shape[1] != like.shape[1]:
        message = (
            f"{file} has {vectors.shape[1]} numbers per row, but what it is compared with has {like.shape[1]}"
        )
        raise InputError(f"{message}: they do not come from the same model.")
    return vectors


def rows_of_images(ids: Sequence[str], rows: npt.NDArray[np.floating[Any]], images: Sequence[str]) -> Floats:
    """Rows in the order of the images, shape (images, width); NaN for images without one."""
    at = {image: i for i, image in enumerate(ids)}
    ordered = np.full((len(images), rows.shape[1]), np.nan)
    known = [i for i, image in enumerate(images) if image in at]
    ordered[known] = np.asarray(rows, float)[[at[images[i]] for i in known]]
    return ordered
