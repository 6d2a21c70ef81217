"""Rows of the UMLS files ``MRREL.RRF``, ``MRCONSO.RRF`` and ``MRSTY.RRF``: they have tens of millions, so
they are read by columns, in blocks, and never held whole.

Cells are divided by pipes, each row ends with one, and nothing is quoted (UMLS Reference Manual,
Metathesaurus - Rich Release Format).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from evalcore.study.tables.problems import Problems
from evalcore.values.writing import words

MRREL, MRCONSO, MRSTY = "MRREL", "MRCONSO", "MRSTY"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    MRREL: words(
        "CUI1, AUI1, STYPE1, REL, CUI2, AUI2, STYPE2, RELA, RUI, SRUI, SAB, SL, RG, DIR, SUPPRESS, CVF"
    ),
    MRCONSO: words(
        "CUI, LAT, TS, LUI, STT, SUI, ISPREF, AUI, SAUI, SCUI, SDUI, SAB, TTY, CODE, STR, SRL, SUPPRESS, CVF"
    ),
    MRSTY: words("CUI, TUI, STN, STY, ATUI, CVF"),
}
LINE = "#line"
"""The column of line numbers, 1-based."""
_BLOCK = 1 << 22
_HEAD = 10_000
_DAMAGED = (pa.ArrowException, OSError, EOFError, zlib.error)
Source = bytes | IO[bytes]
"""A file, or a stream of it."""


def is_rrf(source: Source | pa.Table, form: str) -> bool:
    """Whether a file is one of that form: by the cells of its first line; every stream is taken for one, a
    table in memory never is."""
    if not isinstance(source, bytes):
        return not isinstance(source, pa.Table)
    return source[:_HEAD].split(b"\n", 1)[0].count(b"|") >= len(COLUMNS[form]) - 1


def read_rrf(
    source: Source,
    form: str,
    wanted: Collection[str],
    problems: Problems,
    keep: Callable[[pa.Table], pa.Table],
) -> pa.Table | None:
    """What ``keep`` makes of each block of rows of a file, together; None, with an error, when it is damaged.

    ``keep`` is given the ``wanted`` columns as texts and `LINE`. Rows of the wrong width, and
    those with an empty cell for a concept, are errors and left out; blank lines are skipped.
    """
    ragged: list[int] = []
    width = len(COLUMNS[form])

    def report_ragged(row: Any) -> str:
        n = max(row.actual_columns - 1, 0)
        message = f"A row has {width} cells, but this one has {n}; it is left out."
        text = _utf8(row.text or "")
        problems.error("wrong-columns", message, "Copy the file again.", line=row.number, value=text)
        ragged.append(row.number)
        return "skip"

    # The pipe at the end of each row makes one column more. Latin-1 takes any byte, and gives it back.
    options = (
        csv.ReadOptions(
            column_names=[*COLUMNS[form], ""], block_size=_BLOCK, use_threads=False, encoding="latin1"
        ),
        csv.ParseOptions(
            delimiter="|", quote_char=False, invalid_row_handler=report_ragged, ignore_empty_lines=False
        ),
        csv.ConvertOptions(
            include_columns=list(wanted), column_types=dict.fromkeys(COLUMNS[form], pa.string())
        ),
    )
    data = pa.BufferReader(source) if isinstance(source, bytes) else pa.PythonFile(source, mode="r")
    kept: list[pa.Table] = []
    line = 1
    try:
        with csv.open_csv(data, *options) as reader:
            for batch in reader:
                ragged[:] = [number for number in ragged if number >= line]
                numbers = np.arange(line, line + batch.num_rows + len(ragged))
                lines = np.setdiff1d(numbers, ragged, assume_unique=True)[: batch.num_rows]
                line = int(lines[-1]) + 1 if len(lines) else line
                block = pa.table(
                    list(map(_in_utf8, pa.Table.from_batches([batch]).columns)), names=list(wanted)
                )
                block = block.append_column(LINE, pa.array(lines))
                kept.append(keep(_with_concepts(block, problems)))
    except _DAMAGED as reason:
        text = str(reason).split("\n")[0]
        problems.error("unreadable-container", f"The file cannot be read as {form}: {text}", "Copy it again.")
        return None
    return pa.concat_tables(kept) if kept else None


def _with_concepts(block: pa.Table, problems: Problems) -> pa.Table:
    """The rows whose cells of concepts are filled; of the others blank lines are not worth mentioning."""
    cells = {name: pc.not_equal(block[name], "") for name in block.column_names[:-1]}
    filled = reduce(pc.and_, (mask for name, mask in cells.items() if name.startswith("CUI")))
    if pc.all(filled).as_py() is not False:
        return block
    bad = block.filter(pc.and_(pc.invert(filled), reduce(pc.or_, cells.values())))
    values = bad[block.column_names[0]].to_pylist()
    message = "The row has no concept; it is left out."
    lines = bad[LINE].to_pylist()
    problems.each("error", "empty-cell", message, "Copy the file again.", lines=lines, values=values)
    return block.filter(filled)


def _in_utf8(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts read as Latin-1 as the UTF-8 they are in the file; damaged bytes become "�"."""
    other = pc.invert(pc.string_is_ascii(column)).combine_chunks()
    if not pc.any(other).as_py():
        return column
    texts = pa.array(map(_utf8, column.filter(other).to_pylist()), pa.string())
    return pa.chunked_array([pc.replace_with_mask(column.combine_chunks(), other, texts)])


def _utf8(text: str) -> str:
    return text.encode("latin1").decode("utf-8", "replace")
