"""Rows of a run file as it has them: TREC six columns, CSV, or JSON ``{query: {candidate: score}}``.

A clean file is read by pyarrow in one go (a million rows in about a third of a second). Only when it
finds anything irregular are the lines read one by one, to name each faulty one.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from evalcore.model import Floats, Ints, Offsets
from evalcore.sources import tables
from evalcore.sources.problems import Problems, shown

TREC_COLUMNS: Mapping[str, int] = {"query": 0, "candidate": 2, "rank": 3, "score": 4}
HEADER_NAMES: Mapping[str, frozenset[str]] = {
    "query": frozenset(("query", "query_id", "qid", "queryid", "query_image")),
    "candidate": frozenset(
        ("candidate", "candidate_id", "doc", "docid", "docno", "doc_id", "document", "result", "retrieved")
        + ("hit", "image", "image_id", "neighbor", "neighbour", "target")
    ),
    "score": frozenset(("score", "scores", "similarity", "sim")),
    "rank": frozenset(("rank", "position")),
}  # fmt: skip
"""Header names of CSV runs, lower case. A distance is not a score: higher must be better."""


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


@dataclass(frozen=True, slots=True)
class Form:
    """How a delimited run file is built: its delimiter, which column is what, and its width."""

    name: str
    delimiter: str
    columns: Mapping[str, int]
    width: int
    header: bool


def form_of(head: str) -> Form | None:
    """The form of a delimited run from its first lines; None when no column could be a score."""
    top = [line for line in head.split("\n") if line.strip()]
    tabs = bool(top) and all(line.count("\t") == 5 for line in top)
    if tabs or (top and len(top[0].split()) == 6 and "," not in top[0]):
        return Form("trec", "\t" if tabs else " ", TREC_COLUMNS, 6, header=False)
    delimiter = tables.guess_delimiter(head, ",\t; ")
    cells = [cell.strip().strip('"') for cell in (top[0].split(delimiter) if top else ())]
    named = {key: tables.named(cells, names) for key, names in HEADER_NAMES.items()}
    columns = {key: at for key, at in named.items() if at is not None}
    if {"query", "candidate", "score"} <= columns.keys():
        return Form("csv", delimiter, columns, len(cells), header=True)
    if len(cells) not in (3, 4):
        return None
    order = ("query", "candidate", "score", "rank")[: len(cells)]
    return Form("csv", delimiter, {key: at for at, key in enumerate(order)}, len(cells), header=False)


def read_fast(data: bytes, form: Form, *, file: str) -> RunRows | None:
    """All rows of a clean file; None when anything is irregular."""
    if form.delimiter == " ":
        data = _single_spaces(data)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    names = [str(at) for at in range(form.width)]
    text, number = pa.dictionary(pa.int32(), pa.string()), pa.float64()
    kinds = {"query": text, "candidate": text, "rank": text, "score": number}
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(data),
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=int(form.header), block_size=1 << 22),
            parse_options=arrow_csv.ParseOptions(
                delimiter=form.delimiter, quote_char='"' if form.name == "csv" else False, ignore_empty_lines=False
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={str(at): kinds[key] for key, at in form.columns.items()},
                include_columns=[str(at) for at in form.columns.values()],
                null_values=[], strings_can_be_null=False,
            ),
        )  # fmt: skip
    except pa.ArrowException:
        return None
    n_lines = data.count(b"\n") + (not data.endswith(b"\n")) - form.header
    if table.num_rows != n_lines:
        return None
    table = table.unify_dictionaries()
    query_ids, queries = _coded(table, form.columns["query"])
    candidate_ids, candidates = _coded(table, form.columns["candidate"])
    if "" in query_ids or "" in candidate_ids:
        return None
    ranks = None
    if "rank" in form.columns:
        words, codes = _coded(table, form.columns["rank"])
        ranks = np.array([_number(word) for word in words] or [math.nan])[codes]
    scores = table.column(str(form.columns["score"])).to_numpy()
    lines = np.arange(1 + form.header, 1 + form.header + len(scores), dtype=np.int64)
    return RunRows(query_ids, candidate_ids, queries, candidates, scores, ranks, lines, form.name, file)


def read_carefully(text: str, form: Form, found: Problems) -> RunRows:
    """The readable rows of a delimited run, line by line; every other row is reported."""
    rows: list[tuple[str, str, float, float]] = []
    lines: list[int] = []
    records = tables.read_rows(text, found, delimiter=form.delimiter)
    for row in records[int(form.header) :]:
        if len(row.cells) != form.width:
            way_out = {
                "trec": "Write: query Q0 candidate rank score name.", "csv": "Write: query,candidate,score.",
            }[form.name]  # fmt: skip
            tables.report_columns(found, row, f"A row has {form.width} cells", way_out)
            continue
        cells = {key: row.cells[at] for key, at in form.columns.items()}
        score = _number(cells["score"])
        if not (cells["query"] and cells["candidate"]):
            tables.report_missing_id(found, row)
        elif math.isnan(score) and cells["score"].lower().strip("+-") != "nan":
            report_bad_score(found, row.line, cells["score"])
        else:
            rows.append((cells["query"], cells["candidate"], score, _number(cells.get("rank", ""))))
            lines.append(row.line)
    return _collected(rows, lines, form.name, found.file, ranked="rank" in form.columns)


def read_json(text: str, found: Problems) -> RunRows:
    """The readable entries of ``{query: {candidate: score}}``; everything else is reported."""
    rows: list[tuple[str, str, float, float]] = []
    lines: list[int] = []
    try:
        top = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as reason:
        line = getattr(reason, "lineno", None)
        found.error(
            "bad-json", f"The file is not JSON: {reason}.", "Write {query: {candidate: score}}.", line=line
        )
        top = _Pairs()
    line_at = _line_finder(text)
    for query, answer in top if isinstance(top, _Pairs) else [("", top)]:
        at = line_at(query)
        if not isinstance(answer, _Pairs):
            message = (
                f"The value of {shown(query)!r} is not an object of candidates and scores; it is left out."
            )
            found.error(
                "wrong-structure", message, "Write {query: {candidate: score}}.", line=at, value=query
            )
            continue
        for candidate, score in answer:
            at = line_at(candidate)
            if isinstance(score, bool) or not isinstance(score, int | float) or abs(score) > 1e300:
                report_bad_score(found, at, str(score))
            else:
                rows.append((query.strip(), candidate.strip(), float(score), math.nan))
                lines.append(at)
    return _collected(rows, lines, "json", found.file, ranked=False)


def report_bad_score(found: Problems, line: int, score: str) -> None:
    """A score that is not a number at all."""
    message = f"The score {shown(score)!r} is not a number; the row is left out."
    found.error("bad-score", message, "Write a number, higher for better.", line=line, value=score)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with repeated keys kept, unlike a dict."""


def _line_finder(text: str) -> Any:
    """A function that gives the line of the next occurrence of a JSON text, searching forward only."""
    at, line = 0, 1

    def line_at(key: str) -> int:
        nonlocal at, line
        hit = text.find(json.dumps(key, ensure_ascii=False), at)
        if hit >= 0:
            line += text.count("\n", at, hit)
            at = hit
        return line

    return line_at


def _single_spaces(data: bytes) -> bytes:
    """TREC columns may be apart by any white space: make it one space, none at the ends of lines."""
    if b"\t" in data:
        data = data.replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    for padded, plain in ((b" \r", b"\r"), (b" \n", b"\n"), (b"\n ", b"\n")):
        if padded in data:
            data = data.replace(padded, plain)
    return data.strip(b" ")


def _coded(table: pa.Table, column: int) -> tuple[tuple[str, ...], Ints]:
    values = table.column(str(column)).combine_chunks()
    return tuple(values.dictionary.to_pylist()), values.indices.to_numpy().astype(np.int32, copy=False)


def _number(word: str) -> float:
    """The number a cell holds, NaN when it holds none."""
    try:
        return float(word) if "_" not in word else math.nan
    except ValueError:
        return math.nan


def _collected(
    rows: Sequence[tuple[str, str, float, float]], lines: Sequence[int], form: str, file: str, *, ranked: bool
) -> RunRows:
    query_ids = {query: i for i, query in enumerate(dict.fromkeys(row[0] for row in rows))}
    candidate_ids = {candidate: i for i, candidate in enumerate(dict.fromkeys(row[1] for row in rows))}
    n = len(rows)
    return RunRows(
        tuple(query_ids), tuple(candidate_ids),
        np.fromiter((query_ids[row[0]] for row in rows), np.int32, n),
        np.fromiter((candidate_ids[row[1]] for row in rows), np.int32, n),
        np.fromiter((row[2] for row in rows), np.float64, n),
        np.fromiter((row[3] for row in rows), np.float64, n) if ranked else None,
        np.asarray(lines, np.int64), form, file,
    )  # fmt: skip
