"""Ratings of a reader study: ``reader,system,case,truth,rating``, or the input format of FDA's iMRMC.

iMRMC: free text, a line ``BEGIN DATA:``, then ``reader,case,system,rating`` without a header; the truth of a
case is a row of the reader ``truth`` (or -1) and the system ``truth`` (or 0).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evalcore.stats.mrmc.readings import Measure, Readings
from evalcore.study.objects import input_error, located
from evalcore.study.tables.frames import Frame, frame_of, frame_of_rows
from evalcore.study.tables.lines import parse_file, unpack
from evalcore.study.tables.load import Source, named_rows, number_in, read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import Column, Schema
from evalcore.study.tables.tables import quoted
from evalcore.values.arrays import readonly
from evalcore.values.errors import InputError, Report

COLUMNS = ("reader", "system", "case", "truth", "rating")
MOST_RATING = 1_000_000
MAX_CELLS = 10_000_000
"""Readers times systems times cases, whether they were read or not."""
MAX_COMPARISONS = 10_000_000_000
"""Positive times negative cases, of all readers and systems: minutes of work."""
BEGIN = "BEGIN DATA:"
_BEGIN = re.compile(rb"^[ \t]*begin data:?[ \t,]*\r?$", re.IGNORECASE | re.MULTILINE)
_TRUTH = (("truth", "truth"), ("-1", "0"))
"""Reader and system of the rows of iMRMC that give the truth of a case."""

_IMRMC = Schema(
    tuple(Column((name,)) for name in ("reader", "case", "system", "rating")),
    "Write reader,case,system,rating.",
    header="optional",
    widths=(4,),
)
"""The rows below `BEGIN`."""


class _Row(NamedTuple):
    line: int
    reader: str
    system: str
    case: str
    rating: float
    truth: str


def read_ratings(path: Path, measure: Measure) -> Readings:
    """The readings in a file; InputError, with every problem by line, for a file with an error."""
    readings, report = parse_file(parse_ratings, path, None, measure=measure)
    if readings is None:
        n = report.total("error")
        message = f"{path.name} has {n:,} error{'' if n == 1 else 's'}. Correct {'it' if n == 1 else 'them'}."
        raise InputError(message, Report(report.of_severity("error"), report.counts))
    return readings


def ratings_of(value: Any, measure: Measure) -> Readings:
    """The readings of a path, a DataFrame, or rows: dictionaries, or tuples in the order of `COLUMNS`.

    The truth is left out of tuples for a mean rating. InputError with every problem, rows counted from 1.
    """
    if isinstance(value, (str, Path)):
        return read_ratings(Path(value), measure)
    frame = frame_of(value) or frame_of_rows(*_of_rows(value, measure))
    readings, report = parse_ratings(frame, file="ratings", measure=measure)
    if readings is None:
        raise input_error("The ratings", located(report, {"ratings"}, {}))
    return readings


def _of_rows(value: Iterable[Any], measure: Measure) -> tuple[tuple[str, ...], list[list[Any]]]:
    rows = [*value]
    header = _columns(measure)
    if rows and isinstance(rows[0], Mapping):
        return header, [[row.get(name) for name in header] for row in rows]
    if rows and measure == "mean" and len(rows[0]) == len(COLUMNS):
        header = COLUMNS
    return header, [[*row] for row in rows]


def _columns(measure: Measure) -> tuple[str, ...]:
    return tuple(name for name in COLUMNS if measure == "auc" or name != "truth")


@reader(lambda _: None)
def parse_ratings(data: Source, problems: Problems, *, measure: Measure) -> Readings | None:
    """The readings of a table, or of iMRMC's format; None, with all errors, where there is one.

    Errors: a row without a cell, a rating that is no number, a truth that is not 0 or 1 or differs within a
    case, a case without a truth, a reading that is there twice, fewer than two readers or cases, a truth that
    is the same for all cases, a system without a positive and a negative case read by one reader.
    """
    plain = data if isinstance(data, Frame) else unpack(data, problems)
    if plain is None:
        return None
    begin = None if isinstance(plain, Frame) else _BEGIN.search(plain)
    if begin:
        rows, truths = _of_imrmc(begin.string, begin.end(), problems, measure)
    else:
        rows = [*_of_table(plain, problems, measure)]
        truths = (
            _truths(((row.line, row.case, row.truth) for row in rows), problems) if measure == "auc" else {}
        )
    rows = _each_once(rows, problems)
    if not rows:
        if not problems.n_errors:
            problems.error("no-rows", "There are no ratings.", f"Add rows such as: {_example(measure)}.")
        return None
    result = _readings(rows, truths, measure, problems)
    return None if problems.n_errors else result


def _example(measure: Measure) -> str:
    return "r1,cnn,case7,1,4" if measure == "auc" else "r1,cnn,case7,4"


def _of_table(data: Source, problems: Problems, measure: Measure) -> Iterator[_Row]:
    required = _columns(measure)
    optional = () if measure == "auc" else ("truth",)
    fill = {
        "truth": "Write 0 (negative) or 1 (positive).",
        "rating": "Write the rating, or remove the row where there is no reading.",
    }
    for line, cells in named_rows(data, problems, required=required, optional=optional, fill=fill):
        remedy = "Write a number, or remove the row where there is no reading."
        rating = _rating(cells, line, problems, remedy)
        # Without its rating too the row says what the truth of its case is, and that it was meant to be read.
        nothing = float("nan") if rating is None else rating
        yield _Row(line, cells["reader"], cells["system"], cells["case"], nothing, cells["truth"])


def _rating(cells: dict[str, str], line: int, problems: Problems, remedy: str) -> float | None:
    """The rating of a row; None with an error."""
    rating = number_in(cells, "rating", line, problems, remedy=remedy)
    if rating is None or abs(rating) <= MOST_RATING:
        return rating
    message = f"The rating {quoted(cells['rating'])} is beyond ±{MOST_RATING:,}; the row is left out."
    problems.error("large-rating", message, "Write a smaller number.", line=line, value=cells["rating"])
    return None


def _truths(rows: Iterable[tuple[int, str, str]], problems: Problems) -> dict[str, bool]:
    """Whether each case is a positive one, by its first row with a truth."""
    first: dict[str, tuple[int, str]] = {}
    for line, case, text in rows:
        truth = {"0": "0", "1": "1", "0.0": "0", "1.0": "1"}.get(text)
        if truth is None:
            message = f"The truth {quoted(text)} is not 0 or 1; the row is left out."
            problems.error("bad-truth", message, "Write 0 (negative) or 1 (positive).", line=line, value=text)
        elif first.setdefault(case, (line, truth))[1] != truth:
            known = first[case]
            message = f"The truth of case {quoted(case)} is {truth}, but {known[1]} on line {known[0]}."
            problems.error("truth-differs", message, "Give a case one truth.", line=line, value=case)
    return {case: truth == "1" for case, (_, truth) in first.items()}


def _of_imrmc(
    data: bytes, start: int, problems: Problems, measure: Measure
) -> tuple[list[_Row], dict[str, bool]]:
    # The lines before the data are kept as blank ones, so that rows are named by their lines of the file.
    kept = b"\n" * data.count(b"\n", 0, start) + data[start:].lstrip(b"\r")
    of_rows = Problems(problems.file)
    table = read(kept if kept.strip() else b"", _IMRMC, of_rows)
    for problem in of_rows.report().of_severity("error") if kept.strip() else ():
        problems.error(problem.rule, problem.message, problem.remedy, line=problem.line, value=problem.value)
    given: list[tuple[int, str, str]] = []
    rows: list[_Row] = []
    columns = (table.texts(column.name) for column in _IMRMC.columns)
    for line, name, case, system, text in zip(table.lines.tolist(), *columns, strict=True):
        if (name.lower(), system.lower()) in _TRUTH:
            given.append((line, case, text))
            continue
        rating = _rating({"rating": text}, line, problems, "Write a number, or remove the row.")
        rows.append(_Row(line, name, system, case, float("nan") if rating is None else rating, ""))
    if measure == "mean":
        return rows, {}
    truths, known = _truths(given, problems), {case for _, case, _ in given}
    missing: dict[str, int] = {}
    for row in rows:
        if row.case not in known:
            missing.setdefault(row.case, row.line)
    for case, line in missing.items():
        message = f"The case {quoted(case)} has no truth."
        remedy = f"Add a row such as: truth,{case},truth,1."
        problems.error("no-truth", message, remedy, line=line, value=case)
    return rows, truths


def _each_once(rows: Iterable[_Row], problems: Problems) -> list[_Row]:
    first: dict[tuple[str, str, str], int] = {}
    kept: list[_Row] = []
    for row in rows:
        key = (row.reader, row.system, row.case)
        if key in first:
            message = (
                f"Reader {quoted(row.reader)} has read case {quoted(row.case)} with system "
                f"{quoted(row.system)} on line {first[key]} already."
            )
            problems.error(
                "duplicate-reading", message, "Keep one of the rows.", line=row.line, value=row.case
            )
        else:
            first[key] = row.line
            kept.append(row)
    return kept


def _readings(
    rows: list[_Row], truths: Mapping[str, bool], measure: Measure, problems: Problems
) -> Readings | None:
    systems = tuple(sorted({row.system for row in rows}))
    readers = tuple(sorted({row.reader for row in rows}))
    cases = tuple(sorted({row.case for row in rows}))
    n_cells = len(systems) * len(readers) * len(cases)
    n_positive = sum(truths.values())
    n_comparisons = len(systems) * len(readers) * n_positive * (len(cases) - n_positive)
    if n_cells > MAX_CELLS or n_comparisons > MAX_COMPARISONS:
        message = f"{len(systems):,} systems, {len(readers):,} readers and {len(cases):,} cases are too many."
        problems.error(
            "too-large", message, "Analyse fewer at a time, or a sample of the cases.", value=n_cells
        )
        return None
    ratings = np.full((len(systems), len(readers), len(cases)), np.nan)
    place = [{name: i for i, name in enumerate(names)} for names in (systems, readers, cases)]
    for row in rows:
        ratings[place[0][row.system], place[1][row.reader], place[2][row.case]] = row.rating
    truth = np.array([truths.get(case, False) for case in cases]) if measure == "auc" else None
    line = rows[0].line
    if len(readers) < 2:
        message = f"There is one reader, {quoted(readers[0])}: nothing follows for other readers."
        problems.error(
            "one-reader", message, "Add the ratings of other readers.", line=line, value=readers[0]
        )
    if measure == "mean" and len(cases) < 2:
        message = f"There is one case, {quoted(cases[0])}: nothing follows for other cases."
        problems.error("one-case", message, "Add other cases.", line=line, value=cases[0])
    if truth is not None:
        _check_truth(systems, ratings, truth, {case: truths.get(case) for case in cases}, line, problems)
    return Readings(systems, readers, cases, readonly(ratings), None if truth is None else readonly(truth))


def _check_truth(
    systems: tuple[str, ...],
    ratings: Any,
    truth: Any,
    known: Mapping[str, bool | None],
    line: int,
    problems: Problems,
) -> None:
    there = {value for value in known.values() if value is not None}
    if len(there) == 1 and None not in known.values():
        kind, other = ("positive", "negative") if there == {True} else ("negative", "positive")
        message = f"All {len(known):,} cases are {kind}: an area under the ROC curve takes both kinds."
        remedy = f"Add {other} cases, or compare mean ratings (--measure mean)."
        problems.error("one-class", message, remedy, line=line, value=int(there == {True}))
        return
    for kind, one, other in ((truth, "positive", "negative"), (~truth, "negative", "positive")):
        if np.count_nonzero(kind) == 1:
            message = f"There is one {one} case: nothing follows for other {one} cases."
            problems.error("one-case", message, f"Add {one} cases.", line=line, value=other)
    both = (~np.isnan(ratings[:, :, truth])).any(axis=2) & (~np.isnan(ratings[:, :, ~truth])).any(axis=2)
    for i in np.flatnonzero(~both.any(axis=1)) if len(there) == 2 else ():
        message = f"No reader has read a positive and a negative case with system {quoted(systems[i])}."
        remedy = "Add readings of it, or leave the system out."
        problems.error("no-comparison", message, remedy, line=line, value=systems[i])


# The input format of iMRMC, written.


def imrmc_lines(readings: Readings) -> Iterator[str]:
    """The readings in iMRMC's input format, line by line.

    Raises
    ------
    InputError
        There is no truth, or a name cannot be written in it: one with a comma, a quote or a line break,
        ``truth``, or ``NA``, whose rows R leaves out without a word.
    """
    if readings.truth is None:
        raise InputError("iMRMC's input format has a truth for each case. Use --measure auc.")
    for name in (*readings.systems, *readings.readers, *readings.cases):
        if re.search(r'[,"\s]', name) or name.lower() == "truth" or name == "NA":
            raise InputError(
                f"The name {name!r} cannot be written in iMRMC's input format. Use names without commas, "
                "quotes and spaces, other than truth and NA."
            )
    n = int(np.count_nonzero(readings.truth))
    yield "Reader study, written by CUIscope\n"
    yield f"NR: {len(readings.readers)}\nN0: {len(readings.cases) - n}\nN1: {n}\n"
    yield f"NM: {len(readings.systems)}\n"
    yield f"\n{BEGIN}\n"
    for case, positive in zip(readings.cases, readings.truth, strict=True):
        yield f"truth,{case},truth,{int(positive)}\n"
    for system, row, case in np.argwhere(readings.read):
        rating = float(readings.ratings[system, row, case])
        yield f"{readings.readers[row]},{readings.cases[case]},{readings.systems[system]},{rating!r}\n"
