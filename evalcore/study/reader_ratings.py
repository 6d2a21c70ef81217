"""Ratings of a reader study: ``reader,system,case,truth,rating``, or the input format of FDA's iMRMC.

iMRMC: free text, a line ``BEGIN DATA:``, then ``reader,case,system,rating`` without a header; the truth of a
case is a row of the reader ``truth`` (or -1) and the system ``truth`` (or 0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.stats.mrmc.readings import Measure, Readings
from evalcore.study.tables.files import reader, unpack
from evalcore.study.tables.frames import frame_of, frame_of_rows
from evalcore.study.tables.load import read, table_reader
from evalcore.study.tables.parquet import Source
from evalcore.study.tables.problems import Problems, Rule, input_error, located, quoted
from evalcore.study.tables.schema import EMPTY_CELL, NO_ROWS, Column, Rows, Schema
from evalcore.values.arrays import Bools, Floats, readonly
from evalcore.values.errors import InputError, Report
from evalcore.values.writing import pluralize

MOST_RATING = 1_000_000
MAX_CELLS = 10_000_000
"""Readers times systems times cases, whether they were read or not."""
MAX_COMPARISONS = 10_000_000_000
"""Positive times negative cases, of all readers and systems: minutes of work."""
BEGIN = "BEGIN DATA:"
_BEGIN = re.compile(rb"^[ \t]*begin data:?[ \t,]*\r?$", re.IGNORECASE | re.MULTILINE)
_TRUTH = (("truth", "truth"), ("-1", "0"))
"""Reader and system of the rows of iMRMC that give the truth of a case."""
_READER, _SYSTEM, _CASE = (Column((name,), coded=True) for name in ("reader", "system", "case"))
_TRUTH_RULE = Rule("bad-truth", "The truth '{value}' is not 0 or 1.", "Write 0 (negative) or 1 (positive).")
_RATING = Column(
    ("rating",),
    empty=EMPTY_CELL._replace(remedy="Write the rating, or remove the row where there is no reading."),
    number=Rule(
        "not-a-number",
        f"The rating '{{value}}' is not a number up to ±{MOST_RATING:,}; the row is left out.",
        "Write a number, or remove the row where there is no reading.",
    ),
    limit=MOST_RATING,
)
_AREAS = Schema(
    (
        *(_READER, _SYSTEM, _CASE),
        Column(("truth",), empty=EMPTY_CELL._replace(remedy=_TRUTH_RULE.remedy), coded=True),
        _RATING,
    ),
    "Let the first row be: reader,system,case,truth,rating.",
    keys=("reader", "system", "case"),
    duplicate=Rule(
        "duplicate-reading", "'{value}' is read on line {first} already.", "Keep one of the rows."
    ),
    others="mention",
    no_rows=NO_ROWS,
)
_MEANS = replace(
    _AREAS,
    columns=(*(_READER, _SYSTEM, _CASE), Column(("truth",), required=False, empty=None, coded=True), _RATING),
    remedy="Let the first row be: reader,system,case,rating.",
)
_TABLES: Mapping[Measure, Schema] = {"auc": _AREAS, "mean": _MEANS}
_IMRMC = replace(
    _AREAS,
    columns=(_READER, _CASE, _SYSTEM, _RATING),
    remedy="Write reader,case,system,rating.",
    header="optional",
    widths=(4,),
    others="ignore",
    no_rows=None,
)
_parse_imrmc = table_reader(_IMRMC)
"""Of the rows below `BEGIN`."""


def ratings_of(value: Any, measure: Measure) -> Readings:
    """The readings of a path, a DataFrame, or rows: dictionaries, or tuples (reader, system, case, truth,
    rating).

    The truth may be left out of tuples for a mean rating. InputError with every problem by line, rows counted
    from 1.
    """
    if isinstance(value, (str, Path)):
        readings, report = parse_ratings(Path(value), measure=measure)
        if readings is None:
            n = report.total("error")
            message = f"{Path(value).name} has {pluralize(n, 'error')}. Correct {'it' if n == 1 else 'them'}."
            raise InputError(message, Report(report.of_severity("error"), report.counts))
        return readings
    if (frame := frame_of(value)) is None:
        rows, names = [*value], [column.name for column in _TABLES[measure].columns]
        if rows and isinstance(rows[0], Mapping):
            rows = [[row.get(name) for name in names] for row in rows]
        elif rows and len(rows[0]) < len(names):
            names.remove("truth")
        frame = frame_of_rows(names, rows)
    readings, report = parse_ratings(frame, file="ratings", measure=measure)
    if readings is None:
        raise input_error("The ratings", located(report, {"ratings"}))
    return readings


@reader(lambda _: None)
def parse_ratings(data: Source, problems: Problems, *, measure: Measure) -> Readings | None:
    """The readings of a table, or of iMRMC's format; None, with all errors, where there is one.

    Errors: a row without a cell, a rating that is no number, a truth that is not 0 or 1 or differs within a
    case, a case without a truth, a reading that is there twice, fewer than two readers or cases, a truth that
    is the same for all cases, a system without a positive and a negative case read by one reader.
    """
    plain = unpack(data, problems)
    begin = _BEGIN.search(plain) if isinstance(plain, bytes) else None
    if begin is None:
        rows = truth_rows = read(plain, _TABLES[measure], problems)
        texts = rows.texts("truth")
    else:
        rows = _of_imrmc(begin, problems)
        pairs = zip(rows.texts("reader"), rows.texts("system"), strict=True)
        gives_truth = np.array([(name.lower(), system.lower()) in _TRUTH for name, system in pairs], np.bool_)
        rows, truth_rows = rows.where(~gives_truth), rows.where(gives_truth)
        texts = [str(value) for value in truth_rows.numbers("rating").tolist()]
    truths = _truths(truth_rows, texts, problems) if measure == "auc" else {}
    if not rows.rows:
        if not problems.n_errors:
            example = "r1,cnn,case7,1,4" if measure == "auc" else "r1,cnn,case7,4"
            problems.error("no-rows", "There are no ratings.", f"Add rows such as: {example}.")
        return None
    result = _readings(rows, truths, measure, problems)
    return None if problems.n_errors else result


def _of_imrmc(begin: re.Match[bytes], problems: Problems) -> Rows:
    """All rows below the free text, whose lines are counted too."""
    data, start = begin.string, begin.end()
    below = b"\n" * data.count(b"\n", 0, start) + data[start:].lstrip(b"\r")
    rows, report = _parse_imrmc(below, file=problems.file)
    for problem in report.of_severity("error") if data[start:].strip() else ():
        problems.error(problem.rule, problem.message, problem.remedy, line=problem.line, value=problem.value)
    return rows


def _truths(rows: Rows, texts: Sequence[str], problems: Problems) -> dict[str, bool]:
    """Whether each case is a positive one, by its first row with a truth."""
    first: dict[str, tuple[int, str]] = {}
    for line, case, text in zip(rows.lines.tolist(), rows.texts("case"), texts, strict=True):
        truth = text.removesuffix(".0")
        if truth not in ("0", "1"):
            problems.error(*_TRUTH_RULE, line=line, value=text)
        elif first.setdefault(case, (line, truth))[1] != truth:
            known = first[case]
            message = f"The truth of case {quoted(case)} is {truth}, but {known[1]} on line {known[0]}."
            problems.error("truth-differs", message, "Give a case one truth.", line=line, value=case)
    return {case: truth == "1" for case, (_, truth) in first.items()}


def _readings(rows: Rows, truths: Mapping[str, bool], measure: Measure, problems: Problems) -> Readings:
    """The readings by system, reader and case, each ascending; refused where they are too many."""
    columns = (np.array(rows.texts(name), object) for name in ("system", "reader", "case"))
    names, places = zip(*(np.unique(column, return_inverse=True) for column in columns), strict=True)
    systems, readers, cases = (tuple(values.tolist()) for values in names)
    n_positive = sum(truths.values())
    n_cells = len(systems) * len(readers) * len(cases)
    n_comparisons = len(systems) * len(readers) * n_positive * (len(cases) - n_positive)
    if n_cells > MAX_CELLS or n_comparisons > MAX_COMPARISONS:
        message = f"{len(systems):,} systems, {len(readers):,} readers and {len(cases):,} cases are too many."
        remedy = "Analyse fewer at a time, or a sample of the cases."
        problems.refuse("too-large", message, remedy, value=n_cells)
    ratings = np.full((len(systems), len(readers), len(cases)), np.nan)
    ratings[places] = rows.numbers("rating")
    line = int(rows.lines[0])
    if len(readers) < 2:
        message = f"There is one reader, {quoted(readers[0])}: nothing follows for other readers."
        remedy = "Add the ratings of other readers."
        problems.error("one-reader", message, remedy, line=line, value=readers[0])
    if measure == "mean":
        if len(cases) < 2:
            message = f"There is one case, {quoted(cases[0])}: nothing follows for other cases."
            problems.error("one-case", message, "Add other cases.", line=line, value=cases[0])
        return Readings(systems, readers, cases, readonly(ratings), None)
    missing = [(case, int(rows.lines[np.argmax(places[2] == i)])) for i, case in enumerate(cases)]
    for case, at in ((case, at) for case, at in missing if case not in truths):
        message = f"The case {quoted(case)} has no truth."
        problems.error("no-truth", message, f"Add a row such as: truth,{case},truth,1.", line=at, value=case)
    truth = np.array([truths.get(case, False) for case in cases])
    if all(case in truths for case in cases):
        _check_truth(systems, ratings, truth, line, problems)
    return Readings(systems, readers, cases, readonly(ratings), readonly(truth))


def _check_truth(
    systems: tuple[str, ...], ratings: Floats, truth: Bools, line: int, problems: Problems
) -> None:
    """Whether both kinds of cases are there, more than one of each, and read with each system."""
    if truth.all() or not truth.any():
        kind, other = ("positive", "negative") if truth[0] else ("negative", "positive")
        message = f"All {len(truth):,} cases are {kind}: an area under the ROC curve takes both kinds."
        remedy = f"Add {other} cases, or compare mean ratings: measure = mean."
        problems.error("one-class", message, remedy, line=line, value=int(truth[0]))
        return
    for of_kind, kind, other in ((truth, "positive", "negative"), (~truth, "negative", "positive")):
        if np.count_nonzero(of_kind) == 1:
            message = f"There is one {kind} case: nothing follows for other {kind} cases."
            problems.error("one-case", message, f"Add {kind} cases.", line=line, value=other)
    read = ~np.isnan(ratings)
    both = np.any(read[:, :, truth], axis=2) & np.any(read[:, :, ~truth], axis=2)
    for i in np.flatnonzero(~both.any(axis=1)):
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
        raise InputError("iMRMC's input format has a truth for each case. Compare areas: measure = auc.")
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
