"""Rows of a run as its file has them, whatever the form of the file."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from evalcore.model import Floats, Ints, Offsets
from evalcore.sources.problems import Problems, shown


@dataclass(frozen=True, slots=True, eq=False)
class RunRows:
    """A run as the file has it, row by row.

    ``queries`` and ``candidates`` are positions in ``query_ids`` and ``candidate_ids``; ``ranks`` are
    NaN where none is given (None: the file has no ranks); ``lines`` are 1-based. Shapes all (m,).
    """

    query_ids: tuple[str, ...]
    candidate_ids: tuple[str, ...]
    queries: Ints
    candidates: Ints
    scores: Floats
    ranks: Floats | None
    lines: Offsets
    format: str
    file: str

    @property
    def rows(self) -> int:
        return len(self.scores)


@dataclass(slots=True)
class RowsSoFar:
    """The columns of a run while its rows are gathered one by one; a missing rank is NaN."""

    queries: list[str] = field(default_factory=list)
    candidates: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, query: str, candidate: str, score: float, rank: float, line: int) -> None:
        self.queries.append(query)
        self.candidates.append(candidate)
        self.scores.append(score)
        self.ranks.append(rank)
        self.lines.append(line)

    def coded(self, form: str, file: str, *, ranked: bool) -> RunRows:
        query_ids, queries = coded_texts(pa.chunked_array([self.queries], pa.string()).dictionary_encode())
        candidate_ids, candidates = coded_texts(
            pa.chunked_array([self.candidates], pa.string()).dictionary_encode()
        )
        scores, ranks = np.array(self.scores, np.float64), np.array(self.ranks, np.float64)
        lines = np.array(self.lines, np.int64)
        return RunRows(
            query_ids,
            candidate_ids,
            queries,
            candidates,
            scores,
            ranks if ranked else None,
            lines,
            form,
            file,
        )


def coded_texts(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Ints]:
    """Distinct texts of a dictionary column and the position of each row's text among them."""
    values = column.combine_chunks()
    return tuple(values.dictionary.to_pylist()), values.indices.to_numpy().astype(np.int32, copy=False)


def number(word: str) -> float:
    """The number a cell holds, NaN when it holds none."""
    try:
        return float(word)
    except ValueError:
        return math.nan


def report_bad_score(found: Problems, line: int, score: str) -> None:
    """A score that is not a number at all."""
    message = f"The score {shown(score)!r} is not a number; the row is left out."
    found.error("bad-score", message, "Write a number, higher for better.", line=line, value=score)
