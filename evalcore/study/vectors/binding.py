"""Vectors that were read, bound to the images or to the concepts of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evalcore.study.tables.ids import positions, report_concepts_without, report_unknown
from evalcore.study.tables.problems import Problems, truncate
from evalcore.study.vectors.files import VectorRows
from evalcore.values.arrays import Bools, Ints, digest_of, readonly
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import ConceptVectors
from evalcore.values.errors import Severity
from evalcore.values.model import ConceptSets, Embeddings
from evalcore.values.settings import Unknown

_AGAIN = "Compute it again."
_SEE = "See the other problems of this file."


def bind_embeddings(
    rows: VectorRows, problems: Problems, *, system: str, image_ids: Sequence[str], unknown: Unknown = "error"
) -> Embeddings | None:
    """Align vectors with the images of a study, and with its queries where these have vectors of their own.

    Vectors without an id, with NaN or infinity, and a second one of an image are errors and left out; zero
    vectors have no direction and are left out with a warning; ids of no image are reported as those of a run
    are (see ``open_study`` for ``unknown``), and images without a vector counted. None, with an error, when
    no vector is left. What has a vector on one side only has it on both.
    """
    queries = rows.of_queries
    aligned = _aligned(rows, problems, image_ids, unknown)
    if aligned is None:
        problems.error("no-rows", "No vector of this file can be used.", _SEE)
        return None
    at, vectors = aligned
    of_queries = None
    query_problems = problems.of(rows.file if queries is None else queries.file)
    if queries is not None and queries.vectors.shape[1] != vectors.shape[1]:
        message = (
            f"The vectors of queries have {queries.vectors.shape[1]:,} numbers, those of images "
            f"{vectors.shape[1]:,}; the former are left out."
        )
        query_problems.error("wrong-shape", message, "Compute both sides by one model.")
    elif queries is not None and (side := _aligned(queries, query_problems, image_ids, unknown)) is not None:
        theirs = np.where(side[0] < 0, -1, side[0] + len(vectors)).astype(np.int32)
        of_queries = readonly(np.where(theirs < 0, at, theirs))
        at = np.where(at < 0, theirs, at)
        vectors = np.concatenate([vectors, side[1]])
    without = [image_ids[i] for i in np.flatnonzero(at < 0).tolist()]
    remedy = "They are neither queries nor results of this system's own ranking."
    problems.add_summary("no-vector", without, f"{{n}} of {len(at):,} images have no vector.", remedy)
    digest = digest_of(at, vectors) if of_queries is None else digest_of(at, vectors, of_queries)
    return Embeddings(system, readonly(at), readonly(vectors), digest, of_queries)


def bind_concept_vectors(
    rows: VectorRows, problems: Problems, *, name: str, metric: str, concepts: ConceptSets
) -> ConceptVectors | None:
    """Vectors that can be compared, by ascending concept; of other concepts than the study's too.

    Vectors without a concept, with NaN or infinity, a second one of a concept and, for ``poincare``, those
    outside the unit ball are errors and left out; of zeros, which have no direction, with a warning where the
    metric is the cosine. Concepts of the study without a vector are counted. None, with an error, when no
    vector is left, or none belongs to a concept of the study.
    """
    rows = replace(rows, ids=tuple(map(as_written, rows.ids)))
    distinct = {concept: code for code, concept in enumerate(dict.fromkeys(rows.ids))}
    codes = np.fromiter(map(distinct.__getitem__, rows.ids), np.int32, rows.rows)
    remedy = f'Compute it again, or write metric = "cosine" below [concept_vectors.{name}].'
    kept, vectors = _usable(rows, codes, "concept", problems, metric=metric, out_of_ball=remedy)
    places = {rows.ids[row]: place for place, row in enumerate(kept.tolist())}
    if not places:
        problems.error("no-rows", "No vector of this file can be used.", _SEE)
        return None
    if places.keys().isdisjoint(concepts.vocabulary):
        message = f"None of the {len(places):,} vectors is that of a concept of the study, such as {{value}}."
        example = concepts.vocabulary[0] if concepts.vocabulary else ""
        remedy = "Name the concepts as the study does."
        problems.error("unknown-concept", message.format(value=truncate(example)), remedy, count=len(places))
        return None
    report_concepts_without(
        problems, concepts, places, "no-vector", "have no vector", "They are like themselves only."
    )
    order = sorted(places)
    return ConceptVectors.from_arrays(name, order, vectors[[places[concept] for concept in order]], metric)


def _aligned(
    rows: VectorRows, problems: Problems, image_ids: Sequence[str], unknown: Unknown
) -> tuple[Ints, npt.NDArray[np.float32]] | None:
    """The row of each image, -1 for none, and the rows; None where no vector can be used."""
    images = positions(rows.ids, image_ids)
    missing = [i for i in np.flatnonzero(images < 0).tolist() if rows.ids[i]]
    report_unknown(
        problems, [rows.ids[i] for i in missing], [rows.lines[i] for i in missing], image_ids, unknown=unknown
    )
    kept, vectors = _usable(rows, images, "image", problems)
    if not len(kept):
        return None
    order = np.argsort(images[kept])
    at = np.full(len(image_ids), -1, np.int32)
    at[images[kept[order]]] = np.arange(len(kept), dtype=np.int32)
    return at, np.ascontiguousarray(vectors[order])


def _usable(
    rows: VectorRows,
    codes: Ints,
    what: str,
    problems: Problems,
    *,
    metric: str = "cosine",
    out_of_ball: str = "",
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """The rows whose vectors can be compared, in file order, and these vectors; the others are reported.

    ``codes``: the same for rows of the same id, -1 for an id that is reported elsewhere.
    """

    def drop(bad: Bools, severity: Severity, rule: str, message: str, remedy: str) -> None:
        at = np.flatnonzero(bad & good).tolist()
        lines, values = [rows.lines[i] for i in at], [rows.ids[i] for i in at]
        problems.each(severity, rule, message, remedy, lines=lines, values=values)
        good[at] = False

    named = np.fromiter(map(bool, rows.ids), np.bool_, rows.rows)
    good = (codes >= 0) | ~named
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        vectors = rows.vectors.astype(np.float32, copy=False)
    finite = np.logical_and.reduce(np.isfinite(vectors), axis=1)
    some = np.logical_or.reduce(vectors != 0, axis=1)
    text = f"The vector has no {what}; it is left out."
    drop(~named, "error", "missing-id", text, "Write its id in front.")
    text = "The vector of {value} contains NaN or infinity; it is left out."
    drop(~finite, "error", "nan-vector", text, _AGAIN)
    if metric == "cosine":
        text = "The vector of {value} is all zeros and has no direction; it is left out."
        drop(~some, "warning", "zero-vector", text, _AGAIN)
    if metric == "poincare":
        wide = vectors.astype(np.float64)
        text = "The vector of {value} is not within the Poincaré ball: its length is not below 1."
        drop(np.einsum("ij,ij->i", wide, wide) >= 1, "error", "outside-ball", text, out_of_ball)
    once = np.zeros(rows.rows, np.bool_)
    usable = np.flatnonzero(good)
    once[usable[np.unique(codes[usable], return_index=True)[1]]] = True
    text = f"The {what} {{value}} has a vector already; this one is left out."
    drop(~once, "error", "duplicate-id", text, f"Keep one vector per {what}.")
    kept = np.flatnonzero(good)
    return kept, vectors[kept]
