"""Runs as tables: TREC six columns, or CSV ``query,candidate,score[,rank]``.

A clean file is read by pyarrow in one go (a million rows in about a third of a second). Only when it
finds anything irregular are the lines read one by one, to name each faulty one.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv as arrow_csv

from evalcore.study.tables import tables
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import broken, number, parsed, report_undecodable
from evalcore.study.tables.problems import Problems, shown
from evalcore.values.arrays import Bools, Floats, Ints, Offsets
from evalcore.values.writing import words

# Rows of a run as its file has them, whatever the form of the file.


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
            self,
            queries=self.queries[which],
            candidates=self.candidates[which],
            scores=self.scores[which],
            ranks=None if self.ranks is None else self.ranks[which],
            lines=self.lines[which],
        )


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

    def fit(self, problems: Problems) -> bool:
        """Whether the rows so far stay below the cap of ``limits``; else an error."""
        ids = len(self.query_ids) + len(self.candidate_ids)
        return fits(problems, len(self.lines) * ROW_BYTES + ids * _ID_BYTES, 1)

    def coded(self, form: str, file: str, *, ranked: bool) -> RunRows:
        return RunRows(
            tuple(self.query_ids),
            tuple(self.candidate_ids),
            np.array(self.queries, np.int32),
            np.array(self.candidates, np.int32),
            np.array(self.scores, np.float64),
            np.array(self.ranks, np.float64) if ranked else None,
            np.array(self.lines, np.int64),
            form,
            file,
        )


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


def report_bad_score(problems: Problems, line: int, score: str) -> None:
    """A score that is not a number at all."""
    message = f"The score {shown(score)!r} is not a number; the row is left out."
    problems.error("bad-score", message, "Write a number, higher for better.", line=line, value=score)


def report_bad_rank(problems: Problems, line: int, rank: str) -> None:
    """A rank that is no number, or none that can be counted with."""
    message = f"The rank {shown(rank)!r} is not a finite number; it counts as missing."
    problems.warning("bad-rank", message, "Write 1, 2, 3 and so on.", line=line, value=rank)


TREC_COLUMNS: Mapping[str, int] = {"query": 0, "candidate": 2, "rank": 3, "score": 4}
HEADER_NAMES: Mapping[str, frozenset[str]] = {
    "query": frozenset(("query", "query_id", "qid", "queryid", "query_image")),
    "candidate": frozenset(
        words(
            """
            candidate, candidate_id, doc, docid, docno, doc_id, document, result, retrieved, hit, image,
            image_id, neighbor, neighbour, target
            """
        )
    ),
    "score": frozenset(("score", "scores", "similarity", "sim")),
    "rank": frozenset(("rank", "position")),
}
"""Header names of CSV runs, lower case. A distance is not a score: higher must be better."""

_SAMPLE = 50
_PIECE = 1 << 16
_WAYS_OUT = {"trec": "Write: query Q0 candidate rank score name.", "csv": "Write: query,candidate,score."}


@dataclass(frozen=True, slots=True)
class Form:
    """How a delimited run file is built: its delimiter, which column is what, and its width."""

    name: str
    delimiter: str
    columns: Mapping[str, int]
    width: int
    header: bool


def form_of(head: str) -> Form | None:
    """The form of a delimited run, by what most of its first lines look like; None when it is no run."""
    top = [line for line in head.split("\n")[:_SAMPLE] if line.strip()]
    six = sum(_is_trec(line.split()) for line in top)
    if top and 2 * six >= len(top):
        tabs = all(line.count("\t") == 5 for line in top)
        return Form("trec", "\t" if tabs else " ", TREC_COLUMNS, 6, header=False)
    delimiter = tables.guess_delimiter("\n".join(top), ",\t; ")
    cells = [cell.strip().strip('"') for cell in (top[0].split(delimiter) if top else ())]
    named = {key: tables.named(cells, names) for key, names in HEADER_NAMES.items()}
    columns = {key: at for key, at in named.items() if at is not None}
    if {"query", "candidate", "score"} <= columns.keys():
        return Form("csv", delimiter, columns, len(cells), header=True)
    widths = [len(line.split(delimiter)) for line in top]
    width = max(widths, key=widths.count, default=0)
    if width not in (3, 4):
        return None
    order = ("query", "candidate", "score", "rank")[:width]
    return Form("csv", delimiter, {key: at for at, key in enumerate(order)}, width, header=False)


def read_fast(data: bytes, form: Form, *, file: str) -> RunRows | None:
    """All rows of a clean file; None when anything is irregular."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if form.delimiter == " " and _has_wide_gaps(data):
        data = _single_spaces(data)
    table = _arrow_table(data, form)
    n_lines = data.count(b"\n") + (not data.endswith(b"\n")) - form.header
    if table is None or table.num_rows != n_lines:
        return None
    query_ids, queries = coded_texts(table.column(str(form.columns["query"])))
    candidate_ids, candidates = coded_texts(table.column(str(form.columns["candidate"])))
    ranks = None
    if "rank" in form.columns:
        words, codes = coded_texts(table.column(str(form.columns["rank"])))
        if any(rank_of(word) is None for word in words):
            return None
        ranks = np.array([number(word) for word in words] or [math.nan])[codes]
    scores = table.column(str(form.columns["score"])).to_numpy()
    lines = np.arange(1 + form.header, 1 + form.header + len(scores), dtype=np.int64)
    return RunRows(query_ids, candidate_ids, queries, candidates, scores, ranks, lines, form.name, file)


def read_carefully(text: str, form: Form, problems: Problems) -> RunRows:
    """The readable rows of a delimited run, line by line; every other row is reported."""
    check = broken(text)
    query, candidate, score, rank = (form.columns.get(key, -1) for key in HEADER_NAMES)
    rows, blank = RowsSoFar(), tables.Blanks()
    ranks: dict[str, float] = {"": math.nan}
    header = form.header
    for line, cells in _records(text, form, problems, blank):
        if not any(cells):
            blank.lines(line)
            continue
        if header:
            header = False
            continue
        value = parsed(cells[score]) if len(cells) == form.width else None
        if value is None or not (cells[query] and cells[candidate]) or (check and broken("".join(cells))):
            _report_odd(problems, form, line, cells)
            continue
        word = cells[rank] if rank >= 0 else ""
        if word not in ranks:
            place = rank_of(word)
            if place is None:
                report_bad_rank(problems, line, word)
                word = ""
            else:
                ranks[word] = place
        rows.add(cells[query], cells[candidate], value, ranks[word], line)
        blank.row()
        if not len(rows.lines) % _PIECE and not rows.fit(problems):
            return no_rows(problems.file)
    blank.report(problems)
    return rows.coded(form.name, problems.file, ranked=rank >= 0)


def _is_trec(cells: Sequence[str]) -> bool:
    return len(cells) == 6 and (cells[1].upper() == "Q0" or not math.isnan(number(cells[4])))


def _records(
    text: str, form: Form, problems: Problems, blank: tables.Blanks
) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not empty with their cells; through the CSV reader only where cells are quoted."""
    if form.name == "csv" and '"' in text:
        for row in tables.read_rows(text, problems, delimiter=form.delimiter):
            yield row.line, row.cells
        return
    for line, record in tables.filled_lines(text, problems, blank):
        yield line, record.split() if form.delimiter == " " else _split(record, form)


def _split(record: str, form: Form) -> list[str]:
    """Cells of a line; in a TREC line several TABs are one and other white space will do, as in trec_eval."""
    cells = [cell.strip() for cell in record.split(form.delimiter)]
    if form.name != "trec" or len(cells) == form.width:
        return cells
    filled, words = [cell for cell in cells if cell], record.split()
    return next((way for way in (filled, words) if len(way) == form.width), cells)


def _report_odd(problems: Problems, form: Form, line: int, cells: list[str]) -> None:
    """Why a row of a delimited run cannot be read."""
    if broken("".join(cells)):
        report_undecodable(problems, line, " ".join(cells))
    elif len(cells) != form.width:
        tables.report_columns(
            problems, tables.Row(line, cells), f"A row has {form.width} cells", _WAYS_OUT[form.name]
        )
    elif not (cells[form.columns["query"]] and cells[form.columns["candidate"]]):
        tables.report_missing_id(problems, tables.Row(line, cells))
    else:
        report_bad_score(problems, line, cells[form.columns["score"]])


def _arrow_table(data: bytes, form: Form) -> pa.Table | None:
    """The columns of a clean file; None when a row has another width, an empty cell or no score."""
    text = pa.dictionary(pa.int32(), pa.string())
    kinds = {str(at): text for at in form.columns.values()} | {str(form.columns["score"]): pa.float64()}
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(
                column_names=[str(at) for at in range(form.width)],
                skip_rows=int(form.header),
                block_size=1 << 22,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=form.delimiter,
                quote_char='"' if form.name == "csv" else False,
                ignore_empty_lines=False,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=kinds, include_columns=list(kinds), null_values=[], strings_can_be_null=False
            ),
        ).unify_dictionaries()
    except pa.ArrowException:
        return None
    # ids with spaces around them would be taken for others
    for name, kind in kinds.items():
        if kind is text and table.num_rows:
            words = table.column(name).chunk(0).dictionary.to_pylist()
            if any(word != word.strip() or not word for word in words):
                return None
    return table


def _has_wide_gaps(data: bytes) -> bool:
    """Whether white space stands beside white space, or where the file begins: a cell would be empty."""
    octets = np.frombuffer(data, np.uint8)
    for first in range(0, len(octets), _PIECE):  # small pieces, as fresh memory costs more than looking
        gaps = octets[first : first + _PIECE + 1] <= ord(" ")
        if (gaps[1:] & gaps[:-1]).any() or (first == 0 and gaps[0]):
            return True
    return False


def _single_spaces(data: bytes) -> bytes:
    """TREC columns may be apart by any white space: make it one space, none at the ends of lines."""
    data = data.replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
