"""Files the program writes for its user: runs and tables. Whole or not at all.

Text goes to a temporary file beside the target and is moved there when complete, so a reader never
sees half a file and a failure leaves the old one untouched.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TextIO

import numpy as np

from evalcore.arrays import ranks_of
from evalcore.errors import InputError
from evalcore.model import Run
from evalcore.sources.workspace.home import is_full, replacing

_FORMULA = re.compile(r"[\t\r\n]|[\s\ufeff\u200b-\u200f\u2060]*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines (each with its line end) as UTF-8; gzip when the name ends in ``.gz``.

    Raises
    ------
    InputError
        Nothing can be written there.
    """
    write_pieces(path, (line.encode() for line in lines))


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """The same for bytes, one piece after the other."""
    try:
        with replacing(path) as unfinished, unfinished.open("xb") as raw:
            _write(raw, pieces, zipped=path.suffix == ".gz")
    except OSError as problem:
        if is_full(problem):
            remedy = "Free some space, or name a file on another disk."
            raise InputError(f"Cannot write {path}: the disk is full. {remedy}") from problem
        remedy = "Name a file in a folder that exists and that you may write to."
        raise InputError(f"Cannot write {path}: {problem.strerror}. {remedy}") from problem


def silence(stream: TextIO) -> None:
    """Let the rest of an output that fails go nowhere, so that the end of the program does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write(raw: io.BufferedWriter, pieces: Iterable[bytes], *, zipped: bool) -> None:
    if not zipped:
        raw.writelines(pieces)
        return
    # No name or time in the gzip header: the same run gives the same file.
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as target:
        for piece in pieces:
            target.write(piece)


def trec_lines(run: Run, image_ids: Sequence[str]) -> Iterator[str]:
    """A run in TREC's six columns: query, Q0, candidate, rank from 1, score, system.

    Scores are written in full, so that reading them back gives the same order and ties.

    Raises
    ------
    InputError
        An image id holds a space: the format separates columns by spaces.
    """
    tag = "_".join(run.system.split()) or "run"
    for query, candidate, rank, score in run_rows(run, image_ids):
        for image in (query, candidate):
            if len(image.split()) != 1:
                remedy = "Write a .csv file instead."
                raise InputError(f"The image id {image!r} holds a space, which a TREC run cannot. {remedy}")
        yield f"{query} Q0 {candidate} {rank} {score!r} {tag}\n"


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A header and rows as lines of CSV, quoted where needed, with every cell `defused`."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    for row in chain((header,), rows):
        table.writerow([defused(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def defused(cell: object) -> object:
    """A cell of a CSV that no spreadsheet takes for a formula.

    Text gets an apostrophe in front when it begins with = + - @ (full-width ones too, blanks before them or
    not), a TAB or a line end. Plain numbers, and whatever is no text, stay.

    >>> [defused(cell) for cell in ("=1+1", "＝A1", "-x", "-0.5", "+1e-05", "x=1", -0.5, None)]
    ["'=1+1", "'＝A1", "'-x", '-0.5', '+1e-05', 'x=1', -0.5, None]
    """
    begins = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if begins else cell


def written(value: object) -> str:
    """The cell of a value: floats in full, empty where there is none (None or NaN).

    >>> [written(value) for value in (0.1, None, float("nan"), True, 3)]
    ['0.1', '', '', 'True', '3']
    """
    return "" if value is None or value != value else str(value)


def run_rows(run: Run, image_ids: Sequence[str]) -> Iterator[tuple[str, str, int, float]]:
    """Query, candidate, rank and score of every row, by query and rank."""
    queries = np.repeat(run.queries, np.diff(run.indptr)).tolist()
    for query, candidate, rank, score in zip(
        queries, run.candidates.tolist(), ranks_of(run.indptr).tolist(), run.scores.tolist(), strict=True
    ):
        yield image_ids[query], image_ids[candidate], rank, score
