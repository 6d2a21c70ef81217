"""What somebody else computed for captions: the way to bring BERTScore and its like without models.

Scores are a CSV or TAB table with a header; the first column is the image id, the others are metrics by
their names here (case and spaces do not matter): BERTScore, BERTScore recall, BLEURT, AlignScore,
similarity, UMLS F1. An empty cell is a missing value. Concepts and embeddings come in the forms that a
study takes. Whatever a file holds, it is used or an InputError says why not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.features.imageclef.read.submissions import rows_in, within_cap
from evalcore.study.concepts.concepts import parse_concepts
from evalcore.study.tables import tables
from evalcore.study.tables.guard import attempt, guarded
from evalcore.study.tables.numbers import parsed
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.embeddings import parse_embeddings
from evalcore.study.vectors.keyed_vectors import read_keyed_vectors
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.problems import Report

GIVEN = ("BERTScore", "BERTScore recall", "BLEURT", "AlignScore", "similarity", "UMLS F1")


def read_given(data: bytes, *, file: str, images: Sequence[str]) -> dict[str, Floats]:
    """{metric: value per image}, NaN where the table has none.

    Raises
    ------
    InputError
        No known metric in the header, cells that are no finite numbers, or images given twice.
    """
    found = Problems(file)
    rows = rows_in(data, found)
    named = {name.replace(" ", "").lower(): name for name in GIVEN}
    header = [cell.replace(" ", "").replace("_", "").lower() for cell in rows[0].cells] if rows else []
    columns = {at: named[cell] for at, cell in enumerate(header) if cell in named}
    if not columns and not found.n_errors:
        found.error("wrong-header", "No column is a known metric.", f"Name them {', '.join(GIVEN)}.", line=1)
    at = {image: i for i, image in enumerate(images)}
    values = {metric: np.full(len(images), np.nan) for metric in columns.values()}
    seen: dict[str, int] = {}
    for row in rows[1:]:
        image = row.cells[0]
        if image in seen:
            tables.report_duplicate_id(found, row.line, image, seen[image])
            continue
        seen[image] = row.line
        if image in at and len(row.cells) == len(header):
            _fill(row, columns, values, at[image], found)
        else:
            what = "is not in the ground truth" if image not in at else "has another number of cells"
            found.warning("unknown-id", f"{image!r} {what}; the row is left out.", "Check it.", line=row.line)
    if found.n_errors:
        raise InputError(f"The scores {file} cannot be used.", found.report())
    return values


def _fill(
    row: tables.Row, columns: Mapping[int, str], values: Mapping[str, Floats], i: int, found: Problems
) -> None:
    for column, metric in columns.items():
        cell = row.cells[column]
        value = parsed(cell) if cell else np.nan
        if value is None or np.isinf(value):
            message, remedy = f"{metric} of {row.cells[0]!r} is {cell!r}.", "Write a number or nothing."
            found.error("not-a-number", message, remedy, line=row.line, value=cell)
        values[metric][i] = np.nan if value is None else value


def read_concepts(data: bytes, *, file: str) -> tuple[dict[str, Sequence[str]], Report]:
    """{image: concepts} of captions, () where an image has none, and what was found in the file.

    Raises
    ------
    InputError
        There are no rows that could be used.
    """
    with within_cap():
        rows, report = guarded(file, lambda: parse_concepts(data, file=file, scheme="umls"), None)
    if rows is None or not rows.sets:
        remedy = "Write rows such as image_1,C0040405;C0817096."
        raise InputError(f"{file} holds no concepts. {remedy}", report)
    return {image: cuis or () for image, cuis in rows.sets.items()}, report


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
    found, _ = attempt(lambda: read_keyed_vectors(data, images))
    if found is None:
        found = _vectors(data, file, images)
    if like is not None and found.shape[1] != like.shape[1]:
        message = (
            f"{file} has {found.shape[1]} numbers per row, but what it is compared with has {like.shape[1]}"
        )
        raise InputError(f"{message}: they do not come from the same model.")
    return found


def _vectors(data: bytes, file: str, images: Sequence[str]) -> Floats:
    rows, report = guarded(file, lambda: parse_embeddings(data, file=file), None)
    if rows is None:
        raise InputError(f"The embeddings {file} cannot be used.", report)
    found = rows_of_images(rows.ids, rows.vectors, images)
    if np.isnan(found).all():
        raise InputError(f"The embeddings {file} have none of the images of the ground truth.", report)
    return found


def rows_of_images(
    ids: Sequence[str], vectors: npt.NDArray[np.floating[Any]], images: Sequence[str]
) -> Floats:
    """Vectors in the order of the images, shape (images, width); NaN for images without one."""
    at = {image: i for i, image in enumerate(ids)}
    found = np.full((len(images), vectors.shape[1]), np.nan)
    known = [i for i, image in enumerate(images) if image in at]
    found[known] = np.asarray(vectors, float)[[at[images[i]] for i in known]]
    return found
