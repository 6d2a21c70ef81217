"""Vectors of concepts: word2vec (text, binary), cui2vec's table, ``.npz`` and ``.parquet``.

Pickles, as gensim saves its models, are never loaded: reading them could run code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import report_concepts_without
from evalcore.study.tables.problems import Problems, shown
from evalcore.study.vectors.embedding_files import ID_NAMES, form_of, read_vectors
from evalcore.study.vectors.word_vectors import is_binary, read_binary, read_text
from evalcore.values.arrays import Bools
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import ConceptVectors
from evalcore.values.model import ConceptSets
from evalcore.values.problems import Report

OF_CONCEPTS = ("concepts", "concept", "cuis", "cui", "words", "word", "keys", *ID_NAMES)
"""Names of arrays and columns that hold the concepts, lower case, tried in this order."""
RECIPE = (
    "Export them once:\n"
    "  from gensim.models import KeyedVectors\n"
    '  vectors = KeyedVectors.load("FILE")\n'
    '  vectors.save_word2vec_format("concept_vectors/NAME.txt")'
)
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"(dp", b"ccopy_reg")
_SAME_LENGTH = "Compute it again."


@dataclass(frozen=True, slots=True, eq=False)
class ConceptVectorRows:
    """Vectors as the file has them: ``vectors[i]``, shape (n, d), of ``concepts[i]`` on ``lines[i]``."""

    concepts: tuple[str, ...]
    lines: tuple[int, ...]
    vectors: npt.NDArray[np.float32]
    format: str
    file: str

    @property
    def rows(self) -> int:
        return len(self.concepts)


@reader(lambda _: None)
def parse_concept_vectors(data: bytes, *, file: str) -> tuple[ConceptVectorRows | None, Report]:
    """Read vectors of concepts, in a form recognised by the content; None when none can be used."""
    found = Problems(file)
    rows, form = None, ""
    if data.startswith(_PICKLES):
        message = "The file is a pickle, which is never loaded: reading one can run any code."
        found.error("pickle", message, RECIPE, line=1, value=data[:2].hex())
    elif form := form_of(data):
        held = read_vectors(data, found, names=OF_CONCEPTS)
        rows = held and (held[0], tuple(range(1, len(held[0]) + 1)), held[1])
    else:
        form = "word2vec binary" if is_binary(data) else "text"
        rows = (read_text if form == "text" else read_binary)(data, found)
    if rows is not None and not rows[2].size:
        found.error("no-rows", "There are no vectors in the file.", "See the other problems of this file.")
        rows = None
    return None if rows is None else ConceptVectorRows(*rows, form, file), found.report()


@reader(lambda _: None)
def bind_concept_vectors(
    rows: ConceptVectorRows, *, name: str, metric: str, concepts: ConceptSets
) -> tuple[ConceptVectors | None, Report]:
    """Vectors that can be compared, by ascending concept.

    Vectors with NaN or infinity, a second one of a concept and, for ``poincare``, those outside the unit ball
    are errors and left out; of zeros, which have no direction, with a warning where the metric is the cosine.
    Concepts of the study without a vector are counted.
    """
    found = Problems(rows.file)
    ids = [*map(as_written, rows.concepts)]
    kept: dict[str, int] = {}
    finite: Bools = np.asarray(np.isfinite(rows.vectors).all(axis=1))
    lengths = _lengths(rows.vectors)
    for i, concept in enumerate(ids):
        line = rows.lines[i]
        if not concept:
            found.error("missing-id", "The vector has no concept; it is left out.", "Write its CUI in front.",
                        line=line)  # fmt: skip
        elif concept in kept:
            first = rows.lines[kept[concept]]
            message = f"{shown(concept)} has a vector on line {first} already; this one is left out."
            found.error("duplicate-id", message, "Keep one vector per concept.", line=line, value=concept)
        elif not finite[i]:
            message = f"The vector of {shown(concept)} holds NaN or infinity; it is left out."
            found.error("nan-vector", message, _SAME_LENGTH, line=line, value=concept)
        elif metric == "cosine" and not lengths[i]:
            message = f"The vector of {shown(concept)} is all zeros and has no direction; it is left out."
            found.warning("zero-vector", message, _SAME_LENGTH, line=line, value=concept)
        elif metric == "poincare" and lengths[i] >= 1:
            message = (
                f"The vector of {shown(concept)} has length {lengths[i]:.4g}; the Poincaré ball ends at 1."
            )
            remedy = f'Compute it again, or write metric = "cosine" below [concept_vectors.{name}].'
            found.error("outside-ball", message, remedy, line=line, value=concept)
        else:
            kept[concept] = i
    if not kept:
        found.error("no-rows", "No vector of this file can be used.", "See the other problems of this file.")
        return None, found.report()
    report_concepts_without(
        found, concepts, kept, "no-vector", "have no vector", "They are like themselves only."
    )
    order = sorted(kept)
    vectors = rows.vectors[[kept[concept] for concept in order]]
    return ConceptVectors.from_arrays(name, order, vectors, metric), found.report()


def _lengths(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Lengths in float64, some thousand rows at a time."""
    blocks = [vectors[first : first + 4096].astype(np.float64) for first in range(0, len(vectors), 4096)]
    return np.concatenate([np.sqrt(np.einsum("ij,ij->i", block, block)) for block in blocks])
