"""Vectors of concepts: word2vec text, cui2vec's table, ``.npz`` and ``.parquet``.

Pickles, as gensim saves its models, are never loaded: reading them could run code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from evalcore.study.tables.ids import report_concepts_without
from evalcore.study.tables.limits import Room
from evalcore.study.tables.lines import broken, decode, parsed, report_undecodable
from evalcore.study.tables.problems import Problems, reader, shown
from evalcore.study.tables.tables import Blanks, filled_lines, guess_delimiter
from evalcore.study.vectors.embeddings import ID_NAMES, form_of, read_vectors
from evalcore.values.arrays import Bools
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import ConceptVectors
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets

# Vectors by word, as word2vec and its kin write them as text, and tables such as cui2vec's.
#
# A word and its numbers on each line, parted by spaces, TABs, commas or semicolons; above them the two counts
# of word2vec, the header of a table, or nothing.

Rows = tuple[tuple[str, ...], tuple[int, ...], npt.NDArray[np.float32]]
"""Words, the line of each, and their vectors, shape (n, d)."""
WAY_OUT = "Save them as word2vec text: a line with both counts, then one line per concept, CUI first."
_COUNTS = re.compile(rb"[ \t]*([0-9]{1,9})[ \t]+([0-9]{1,9})[ \t]*\r?\n")
_WORD_BYTES = 120
"""What a word, and its line, take in memory beside its vector."""


def read_text(data: bytes, problems: Problems) -> Rows | None:
    """The words of a text file; rows that are no vector are errors, by their line, and left out."""
    text = decode(data, problems)
    if text is None:
        return None
    counts, blank, room = _COUNTS.match(text[:100].encode("utf-8", "replace")), Blanks(), Room(problems)
    lines = filled_lines(text, problems, blank)
    first = next(lines, (1, ""))
    delimiter = guess_delimiter(text, "\t,; ")
    width = int(counts[2]) if counts else 0
    if not counts:
        cells = _cells(first[1], delimiter)
        if len(cells) > 1 and parsed(cells[1].strip()) is not None:
            lines = chain([first], lines)
        width = len(cells) - 1
    if width < 1:
        message = "A line contains a concept and the numbers of its vector; the first line has none."
        problems.error("wrong-columns", message, WAY_OUT, line=first[0], value=first[1])
        return None
    words: list[str] = []
    places: list[int] = []
    vectors: list[npt.NDArray[np.float32]] = []
    seen = 0
    for line, record in lines:
        blank.row()
        seen += 1
        vector = _vector(line, record, delimiter, width, problems)
        if vector is not None:
            if not room.takes(4 * width + _WORD_BYTES + 40):
                return None
            words.append(vector[0])
            places.append(line)
            vectors.append(vector[1])
    blank.report(problems)
    if counts and seen != int(counts[1]):
        message = f"The first line says {int(counts[1]):,} vectors, and there are {seen:,} rows."
        remedy = "If the file was cut off while it was copied, copy it again; else correct its first line."
        problems.error("wrong-count", message, remedy, line=1, value=int(counts[1]))
    return tuple(words), tuple(places), np.array(vectors, np.float32).reshape(len(vectors), width)


def _cells(record: str, delimiter: str) -> list[str]:
    if '"' in record:
        record = record.replace('"', "")
    return record.split() if delimiter == " " else record.split(delimiter)


def _vector(
    line: int, record: str, delimiter: str, width: int, problems: Problems
) -> tuple[str, npt.NDArray[np.float32]] | None:
    """A word and its vector; None, with an error of the line, for anything else."""
    if broken(record):
        report_undecodable(problems, line, record[:100])
        return None
    word, *cells = _cells(record, delimiter)
    word = word.strip()
    if len(cells) != width:
        message = f"The row of {shown(word)!r} has {len(cells):,} numbers, not {width:,}; it is left out."
        remedy = "Give every concept a vector of the same length."
        problems.error("wrong-columns", message, remedy, line=line, value=word)
        return None
    try:
        if "_" in record or not record.isascii():  # float takes more than numbers
            values = [_number(cell) for cell in cells]
        else:
            values = list(map(float, cells))
        with np.errstate(over="ignore"):  # beyond float32 becomes inf, which is reported
            return word, np.array(values).astype(np.float32)
    except ValueError:
        wrong = next((cell for cell in cells if parsed(cell.strip()) is None), "")
        message = (
            f"The vector of {shown(word)!r} contains {shown(wrong)!r}, which is not a number; it is left out."
        )
        problems.error("not-a-number", message, "Write numbers such as -0.25.", line=line, value=wrong)
        return None


def _number(cell: str) -> float:
    """As other programs read it; ValueError for anything else."""
    value = parsed(cell.strip())
    if value is None:
        raise ValueError
    return value


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
    problems = Problems(file)
    rows, form = None, ""
    if data.startswith(_PICKLES):
        message = "The file is a pickle, which is never loaded: reading one can run any code."
        problems.error("pickle", message, RECIPE, line=1, value=data[:2].hex())
    elif form := form_of(data):
        held = read_vectors(data, problems, names=OF_CONCEPTS)
        rows = held and (held[0], tuple(range(1, len(held[0]) + 1)), held[1])
    else:
        form = "text"
        rows = read_text(data, problems)
    if rows is not None and not rows[2].size:
        problems.error("no-rows", "There are no vectors in the file.", "See the other problems of this file.")
        rows = None
    return None if rows is None else ConceptVectorRows(*rows, form, file), problems.report()


@reader(lambda _: None)
def bind_concept_vectors(
    rows: ConceptVectorRows, *, name: str, metric: str, concepts: ConceptSets
) -> tuple[ConceptVectors | None, Report]:
    """Vectors that can be compared, by ascending concept.

    Vectors with NaN or infinity, a second one of a concept and, for ``poincare``, those outside the unit ball
    are errors and left out; of zeros, which have no direction, with a warning where the metric is the cosine.
    Concepts of the study without a vector are counted.
    """
    problems = Problems(rows.file)
    ids = [*map(as_written, rows.concepts)]
    kept: dict[str, int] = {}
    finite: Bools = np.asarray(np.isfinite(rows.vectors).all(axis=1))
    lengths = _lengths(rows.vectors)
    for i, concept in enumerate(ids):
        line = rows.lines[i]
        if not concept:
            message = "The vector has no concept; it is left out."
            problems.error("missing-id", message, "Write its CUI in front.", line=line)
        elif concept in kept:
            first = rows.lines[kept[concept]]
            message = f"{shown(concept)} has a vector on line {first} already; this one is left out."
            problems.error("duplicate-id", message, "Keep one vector per concept.", line=line, value=concept)
        elif not finite[i]:
            message = f"The vector of {shown(concept)} contains NaN or infinity; it is left out."
            problems.error("nan-vector", message, _SAME_LENGTH, line=line, value=concept)
        elif metric == "cosine" and not lengths[i]:
            message = f"The vector of {shown(concept)} is all zeros and has no direction; it is left out."
            problems.warning("zero-vector", message, _SAME_LENGTH, line=line, value=concept)
        elif metric == "poincare" and lengths[i] >= 1:
            message = (
                f"The vector of {shown(concept)} has length {lengths[i]:.4g}; the Poincaré ball ends at 1."
            )
            remedy = f'Compute it again, or write metric = "cosine" below [concept_vectors.{name}].'
            problems.error("outside-ball", message, remedy, line=line, value=concept)
        else:
            kept[concept] = i
    if not kept:
        problems.error(
            "no-rows", "No vector of this file can be used.", "See the other problems of this file."
        )
        return None, problems.report()
    report_concepts_without(
        problems, concepts, kept, "no-vector", "have no vector", "They are like themselves only."
    )
    order = sorted(kept)
    vectors = rows.vectors[[kept[concept] for concept in order]]
    return ConceptVectors.from_arrays(name, order, vectors, metric), problems.report()


def _lengths(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Lengths in float64, some thousand rows at a time."""
    blocks = [vectors[first : first + 4096].astype(np.float64) for first in range(0, len(vectors), 4096)]
    return np.concatenate([np.sqrt(np.einsum("ij,ij->i", block, block)) for block in blocks])
