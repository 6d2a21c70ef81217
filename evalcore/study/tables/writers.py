"""Files the program writes for its user: runs and tables. Whole or not at all.

Text goes to a temporary file beside the target and is moved there when complete, so a reader never
sees half a file and a failure leaves the old one untouched. Devices and pipes are written into and never
replaced.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from evalcore.study.workspace.home import is_full, replacing
from evalcore.values.arrays import ranks_of
from evalcore.values.errors import InputError
from evalcore.values.model import Run

_FORMULA = re.compile(r"[\s\ufeff\u200b-\u200f\u2060\"]*[=+\-@＝＋－＠]")
_BREAKS = re.compile(r"([;\t\r\n])")
"""Where a spreadsheet may begin a new cell: quotes count only at the beginning of a cell."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write bytes, one piece after the other; gzip when the name ends in ``.gz``.

    A regular file is replaced by a whole new one of the same permissions. A symbolic link stays,
    and the file it leads to is replaced. A device or a pipe is written into.

    Raises
    ------
    InputError
        Nothing can be written there.
    """
    remedy = "Name a file in a folder that exists and that you may write to."
    with writing(path, "file", remedy), _opened(path) as raw:
        if path.suffix != ".gz":
            raw.writelines(pieces)
            return
        # No name or time in the gzip header: the same run gives the same file.
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as packed:
            packed.writelines(pieces)


@contextmanager
def writing(path: Path, what: str, remedy: str) -> Iterator[None]:
    """Make an OSError of the block an InputError that says why the path, a file or a folder, cannot be
    written, and the way out."""
    try:
        yield
    except OSError as problem:
        why = str(problem.strerror)
        if is_full(problem):
            why, remedy = "the disk is full", f"Free some space, or name a {what} on another disk."
        raise InputError(f"Cannot write {path}: {why}. {remedy}") from problem


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """What receives the content of a file; OSError when nothing can be written there."""
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        with path.open("wb") as raw:  # a folder is refused here
            yield raw
        return
    with replacing(Path(os.path.realpath(path))) as unfinished:
        with unfinished.open("xb") as raw:
            yield raw
        if mode is not None:
            unfinished.chmod(stat.S_IMODE(mode))


def silence(stream: TextIO) -> None:
    """Let the rest of an output that fails go nowhere, so that the end of the program does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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
                raise InputError(
                    f"The image id {image!r} contains a space, which a TREC run cannot. {remedy}"
                )
        yield f"{query} Q0 {candidate} {rank} {score!r} {tag}\n"


def csv_lines(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, escape: bool = True
) -> Iterator[str]:
    """A header and rows as lines of CSV, quoted where needed; with ``escape`` every cell is `defused`."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    for row in chain((header,), rows):
        table.writerow([defused(cell) if escape else cell for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def defused(cell: object) -> object:
    """A cell of a CSV that no spreadsheet takes for a formula.

    Text gets an apostrophe in front when it begins with = + - @ (full-width ones too, blanks before them or
    not), a TAB or a line end. So does every part of it after a semicolon, a TAB or a line end, where
    spreadsheets that split at these begin a cell. Plain numbers, and whatever is no text, stay. `sealed`
    does the same so that reading can undo it.

    >>> [defused(cell) for cell in ("=1+1", "＝A1", "-x", "-0.5", "+1e-05", "x=1", -0.5, None)]
    ["'=1+1", "'＝A1", "'-x", '-0.5', '+1e-05', 'x=1', -0.5, None]
    >>> defused("fine;=1+1"), defused("C0000001;C0000002"), defused("5;-0.5")
    ("fine;'=1+1", 'C0000001;C0000002', '5;-0.5')
    """
    return _marked(cell, own=False) if isinstance(cell, str) else cell


def sealed(text: str) -> str:
    """The same of a text of which `opened` gives back the very text, apostrophes of its own included.

    >>> [sealed(text) for text in ("=1", "'=1", "'tis", "a;=b")], opened(sealed("'=1")), opened("a;'=b")
    (["'=1", "''=1", "'tis", "a;'=b"], "'=1", 'a;=b')
    """
    return _marked(text, own=True)


def opened(cell: str) -> str:
    """The text of a sealed cell."""
    parts = _BREAKS.split(cell)
    for n in range(0, len(parts), 2):
        if parts[n].startswith("'") and _is_computed(parts, n, parts[n].lstrip("'")):
            parts[n] = parts[n][1:]
    return "".join(parts)


def _marked(text: str, *, own: bool) -> str:
    """An apostrophe before every part that would be computed; with ``own`` despite those it has already."""
    parts = _BREAKS.split(text)
    for n in range(0, len(parts), 2):
        if _is_computed(parts, n, parts[n].lstrip("'") if own else parts[n]):
            parts[n] = f"'{parts[n]}"
    return "".join(parts)


def _is_computed(parts: Sequence[str], n: int, part: str) -> bool:
    """Whether a spreadsheet computes ``part``, the n-th of a text that was split at breaks.

    A number is not computed where the cell that it begins also ends behind it, wherever cells are split.
    """
    before, after = parts[n - 1 : n] if n else [], parts[n + 1 : n + 2]
    if n == 0 and not part and after not in ([], [";"]):
        return True
    return bool(_FORMULA.match(part)) and not (_NUMBER.fullmatch(part) and after in ([], before))


def run_rows(run: Run, image_ids: Sequence[str]) -> Iterator[tuple[str, str, int, float]]:
    """Query, candidate, rank and score of every row, by query and rank."""
    queries = np.repeat(run.queries, np.diff(run.indptr)).tolist()
    for query, candidate, rank, score in zip(
        queries, run.candidates.tolist(), ranks_of(run.indptr).tolist(), run.scores.tolist(), strict=True
    ):
        yield image_ids[query], image_ids[candidate], rank, score
