"""Truth, runs and the files that belong to them, as they were uploaded: checked and scored in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.features.imageclef.captions.evaluate import (
    Component,
    evaluate_captions,
    read_caption_truth,
    scored_captions,
)
from evalcore.features.imageclef.captions.metrics import Nltk
from evalcore.features.imageclef.captions.vectors import similarity
from evalcore.features.imageclef.concepts.evaluate import evaluate_concepts, read_concept_truth
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.models import model_values
from evalcore.features.imageclef.published import Published, included, read_published
from evalcore.features.imageclef.read import open_submission, rows_in, within_cap
from evalcore.features.imageclef.result import Opened, Result, Truth
from evalcore.graph import ConceptGraph
from evalcore.study.concepts.concepts import parse_concepts
from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.tables import tables
from evalcore.study.tables.files import max_bytes, parse_float
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import parse_embeddings
from evalcore.values.arrays import Floats, digest_of, position
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings

# What somebody else computed for captions: the way to bring BERTScore and its like without models.
#
# Scores are a CSV or TAB table with a header; the first column is the image id, the others are metrics by
# their names here (case and spaces do not matter): BERTScore, BERTScore recall, BLEURT, AlignScore,
# similarity, UMLS F1. An empty cell is a missing value. Concepts and embeddings come in the forms that a
# study takes. Whatever a file holds, it is used or an InputError says why not.

GIVEN = ("BERTScore", "BERTScore recall", "BLEURT", "AlignScore", "similarity", "UMLS F1")


def read_given(data: bytes, *, file: str, images: Sequence[str]) -> dict[str, Floats]:
    """{metric: value per image}, NaN where the table has none.

    Raises
    ------
    InputError
        No known metric in the header, cells that are no finite numbers, or images given twice.
    """
    problems = Problems(file)
    rows = rows_in(data, problems)
    named = {name.replace(" ", "").lower(): name for name in GIVEN}
    header = [cell.replace(" ", "").replace("_", "").lower() for cell in rows[0].cells] if rows else []
    columns = {at: named[cell] for at, cell in enumerate(header) if cell in named}
    if not columns and not problems.n_errors:
        problems.error(
            "wrong-header", "No column is a known metric.", f"Name them {', '.join(GIVEN)}.", line=1
        )
    at = {image: i for i, image in enumerate(images)}
    values = {metric: np.full(len(images), np.nan) for metric in columns.values()}
    seen: dict[str, int] = {}
    for row in rows[1:]:
        image = row.cells[0]
        if image in seen:
            tables.report_duplicate_id(problems, row.line, image, seen[image])
            continue
        seen[image] = row.line
        if image in at and len(row.cells) == len(header):
            _fill(row, columns, values, at[image], problems)
        else:
            what = "is not in the ground truth" if image not in at else "has another number of cells"
            problems.warning(
                "unknown-id", f"{image!r} {what}; the row is left out.", "Check it.", line=row.line
            )
    if problems.n_errors:
        raise InputError(f"The scores {file} cannot be used.", problems.report())
    return values


def _fill(
    row: tables.Row, columns: Mapping[int, str], values: Mapping[str, Floats], i: int, problems: Problems
) -> None:
    for column, metric in columns.items():
        cell = row.cells[column]
        value = parse_float(cell) if cell else np.nan
        if value is None or np.isinf(value):
            message, remedy = f"{metric} of {row.cells[0]!r} is {cell!r}.", "Write a number or nothing."
            problems.error("not-a-number", message, remedy, line=row.line, value=cell)
        values[metric][i] = np.nan if value is None else value


def read_concepts(data: bytes, *, file: str) -> tuple[dict[str, Sequence[str]], Report]:
    """{image: concepts} of captions, () where an image has none, and what was found in the file.

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
    result = rows_of_images(rows.ids, rows.vectors, images)
    if np.isnan(result).all():
        raise InputError(f"The embeddings {file} have none of the images of the ground truth.", report)
    if like is not None and result.shape[1] != like.shape[1]:
        message = (
            f"{file} has {result.shape[1]} numbers per row, but what it is compared with has {like.shape[1]}"
        )
        raise InputError(f"{message}: they do not come from the same model.")
    return result


def rows_of_images(
    ids: Sequence[str], vectors: npt.NDArray[np.floating[Any]], images: Sequence[str]
) -> Floats:
    """Vectors in the order of the images, shape (images, width); NaN for images without one."""
    at = {image: i for i, image in enumerate(ids)}
    result = np.full((len(images), vectors.shape[1]), np.nan)
    known = [i for i, image in enumerate(images) if image in at]
    result[known] = np.asarray(vectors, float)[[at[images[i]] for i in known]]
    return result


# The files beside captions, put together: values, concepts and embeddings that somebody else computed.

Values = Mapping[str, Mapping[str, Floats]]
"""{run: {metric: value per image of the truth}}"""
PER_RUN = ("scores", "run_concepts", "caption_embeddings")
"""Parts of which each run has a file of its own; of the others there is one for all."""
FOR_ALL = ("truth_concepts", "image_embeddings")


@dataclass(frozen=True, slots=True, eq=False)
class FromFiles:
    """What the files give: values, concepts by run, those of the true captions (None without a file).

    ``reports`` what was found in the files of concepts.
    """

    values: Values
    concepts: Mapping[str, Mapping[str, Sequence[str]]]
    true_concepts: Mapping[str, Sequence[str]] | None
    reports: tuple[Report, ...]

    def over(self, values: Values) -> dict[str, dict[str, Floats]]:
        """These values, and the values of ``found`` where the files have none."""
        return {name: {**values.get(name, {}), **own} for name, own in self.values.items()}


def values_of_files(
    opened: Opened, truth: Truth[str], read: Callable[..., Any], *, edition: Edition
) -> FromFiles:
    """Everything the files say of runs; of a metric that two of them give, embeddings count before values.

    Parameters
    ----------
    read : called as ``read(reader, part, run, **more)`` (``run`` "" for a part `FOR_ALL`), it returns
        ``reader(data, file=name, **more)``, or None where there is no such file or it cannot be used.
    """
    values: dict[str, dict[str, Floats]] = {name: {} for name in opened}
    vectors = read(read_vectors, "image_embeddings", "", images=truth.images)
    texts_of = {} if vectors is None else scored_captions(opened, truth, edition=edition)
    true, of_runs = read(read_concepts, "truth_concepts", ""), {}
    for name in opened:
        values[name] |= read(read_given, "scores", name, images=truth.images) or {}
        if vectors is not None:
            texts = read(read_vectors, "caption_embeddings", name, images=truth.images, like=vectors)
            if texts is not None:
                pairs = [(text, texts_of[name].get(image, "")) for image, text in truth.content.items()]
                values[name]["similarity"] = similarity(vectors, texts, pairs, edition=edition)
        of_runs[name] = read(read_concepts, "run_concepts", name)
    known = {name: run for name, run in of_runs.items() if run is not None}
    reports = tuple(report for _, report in [*([true] if true else []), *known.values()])
    return FromFiles(values, {name: sets for name, (sets, _) in known.items()}, true and true[0], reports)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """A file by its name; ``mark`` changes when its content does."""

    name: str
    data: bytes
    mark: str


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
    """Results of all runs, and in words which of the files beside them could not be used."""

    results: tuple[Result[Any], ...]
    unusable: tuple[str, ...] = ()


def or_error(compute: Callable[[Progress], Scored], progress: Progress) -> Scored | InputError:
    """An unusable truth is a result too: the page shows its problems line by line."""
    try:
        return compute(progress)
    except InputError as error:
        return error


def score_concepts(
    files: Files, _progress: Progress, *, edition: Edition, graph: ConceptGraph | None, settings: Settings
) -> Scored:
    """Concept detection of all runs; InputError when a truth cannot be used."""
    manual = files.part("manual") if edition.secondary == "manual" else None
    results = evaluate_concepts(
        _opened(files),
        read_concept_truth(files.truth.data, file=files.truth.name, edition=edition),
        edition=edition,
        graph=graph,
        settings=settings,
        manual=read_concept_truth(manual.data, file=manual.name, edition=edition) if manual else None,
    )
    return Scored(results)


def score_captions(
    files: Files,
    progress: Progress,
    *,
    edition: Edition,
    nltk: Nltk,
    component: Component,
    from_models: Values,
) -> Scored:
    """Caption prediction of all runs with the files that belong to them and the values ``from_models``.

    Of metrics that several of these give, a file of values counts before models, embeddings before both.
    InputError when the truth cannot be used.
    """
    truth = read_caption_truth(files.truth.data, file=files.truth.name)
    opened, unusable = _opened(files), list[str]()

    def read(reader: Callable[..., T], part: str, run: str, **more: object) -> T | None:
        """What a reader makes of a file; None without one and, with a sentence, for one it cannot use."""
        source = files.part(part, run)
        try:
            return None if source is None else reader(source.data, file=source.name, **more)
        except InputError as error:
            first = error.report.problems[0] if error.report and error.report.problems else None
            unusable.append(str(error) + (f" {first.message} {first.remedy}" if first else ""))
            return None

    own = values_of_files(opened, truth, read, edition=edition)
    results = evaluate_captions(
        opened,
        truth,
        edition=edition,
        nltk=nltk,
        component=component,
        given=own.over(from_models),
        concepts=own.concepts,
        true_concepts=own.true_concepts,
        progress=progress,
    )
    return Scored(results, tuple(unusable))


def model_values_of(
    files: Files, chosen: Sequence[str], progress: Progress, *, edition: Edition, device: str, study: Study
) -> dict[str, dict[str, Floats]]:
    """What the ``chosen`` trained models give: {run: {metric: value per image of the truth}}.

    They see the captions as they are scored, and the study's pictures of the images of the truth. Raises
    what `models.model_values` does.
    """
    truth = read_caption_truth(files.truth.data, file=files.truth.name)
    images = tuple(truth.content)

    def picture(i: int) -> bytes | None:
        at = position(study.image_ids, images[i])
        if at < 0 or study.images is None or study.images.entries[at] is None:
            return None
        return image_bytes(study.images, at)

    return model_values(
        chosen,
        truth.content,
        scored_captions(_opened(files), truth, edition=edition),
        edition=edition,
        pictures=picture,
        device=device,
        progress=progress,
    )


def published_of(files: Files, edition: Edition) -> tuple[tuple[Published, ...], bool]:
    """Published results to compare with, and whether they are the included ones; () for none.

    Raises InputError when the table that was uploaded cannot be used.
    """
    uploaded = files.part("published")
    if uploaded is not None:
        return read_published(uploaded.data, file=uploaded.name), False
    return included(edition), True


def _opened(files: Files) -> Opened:
    opened = [open_submission(run.data, name=run.name) for run in files.runs]
    return {name: (data, report) for name, data, report in opened}
