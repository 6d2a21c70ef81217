"""Rows of a run as its file has them, whatever the form of the file."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalcore.study.tables.limits import fits
from evalcore.study.tables.numbers import parsed
from evalcore.study.tables.problems import Problems, shown
from evalcore.values.arrays import Bools, Floats, Ints, Offsets


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

    def at(self, which: Bools | npt.NDArray[np.intp]) -> RunRows:
        """The same rows, masked or reordered."""
        if which.dtype == np.bool_ and which.all():
            return self
        return replace(
            self, queries=self.queries[which], candidates=self.candidates[which], scores=self.scores[which],
            ranks=None if self.ranks is None else self.ranks[which], lines=self.lines[which],
        )  # fmt: skip


ROW_BYTES, _ID_BYTES = 64, 160
"""What a row and each distinct id of a run take in memory."""
_LARGEST_RANK = 2.0**53


@dataclass(slots=True)
class RowsSoFar:
    """The columns of a run while its rows are gathered one by one; a missing rank is NaN."""

    query_ids: dict[str, int] = field(default_factory=dict)
    candidate_ids: dict[str, int] = field(default_factory=dict)
    queries: array[int] = field(default_factory=lambda: array("i"))
    candidates: array[int] = field(default_factory=lambda: array("i"))
    scores: array[float] = field(default_factory=lambda: array("d"))
    ranks: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))

    def add(self, query: str, candidate: str, score: float, rank: float, line: int) -> None:
        self.queries.append(self.query_ids.setdefault(query, len(self.query_ids)))
        self.candidates.append(self.candidate_ids.setdefault(candidate, len(self.candidate_ids)))
        self.scores.append(score)
        self.ranks.append(rank)
        self.lines.append(line)

    def fit(self, found: Problems) -> bool:
        """Whether the rows so far stay below the cap of ``limits``; else an error."""
        ids = len(self.query_ids) + len(self.candidate_ids)
        return fits(found, len(self.lines) * ROW_BYTES + ids * _ID_BYTES, 1)

    def coded(self, form: str, file: str, *, ranked: bool) -> RunRows:
        return RunRows(
            tuple(self.query_ids), tuple(self.candidate_ids),
            np.array(self.queries, np.int32), np.array(self.candidates, np.int32),
            np.array(self.scores, np.float64), np.array(self.ranks, np.float64) if ranked else None,
            np.array(self.lines, np.int64), form, file,
        )  # fmt: skip


def no_rows(file: str) -> RunRows:
    """A run nothing of which can be used."""
    return RowsSoFar().coded("", file, ranked=False)


def coded_texts(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Ints]:
    """Distinct texts of a dictionary column and the position of each row's text among them."""
    values = column.combine_chunks()
    return tuple(values.dictionary.to_pylist()), values.indices.to_numpy().astype(np.int32, copy=False)


def rank_of(word: str) -> float | None:
    """The rank a cell holds, NaN in an empty one; None when it is no finite number that counts exactly."""
    value = parsed(word) if word else math.nan
    return value if not word or (value is not None and abs(value) <= _LARGEST_RANK) else None


def report_bad_score(found: Problems, line: int, score: str) -> None:
    """A score that is not a number at all."""
    message = f"The score {shown(score)!r} is not a number; the row is left out."
    found.error("bad-score", message, "Write a number, higher for better.", line=line, value=score)


def report_bad_rank(found: Problems, line: int, rank: str) -> None:
    """A rank that is no number, or none that can be counted with."""
    message = f"The rank {shown(rank)!r} is not a finite number; it counts as missing."
    found.warning("bad-rank", message, "Write 1, 2, 3 and so on.", line=line, value=rank)
