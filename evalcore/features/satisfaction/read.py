"""Files of satisfaction studies: what was shown and how relevant it is, and how satisfied people were."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from math import fsum, isfinite
from types import MappingProxyType
from typing import NamedTuple

from evalcore.study.tables.files import decode, parse_float
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.load import named_rows, number_in
from evalcore.study.tables.problems import Problems, reader, truncate
from evalcore.study.tables.tables import quoted

# Published correlations with satisfaction, which come with the program; they lie beside that room.
#
# Shao, Liu, Zhang, Zhang & Ma 2019, "Towards Context-Aware Evaluation for Image Search", SIGIR,
# doi:10.1145/3331184.3331343: Tables 2 and 3, as numbers.

FILE = "shao_2019.csv"
SOURCE = "Shao et al. 2019, doi:10.1145/3331184.3331343"


def published_rows() -> list[dict[str, str]]:
    """The rows by column: table, data_set, depth, n_queries, metric, gain, subset, spearman, significant."""
    text = files("evalcore.features.satisfaction").joinpath(FILE).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


# What each query showed, image by image: ``query,position,row,relevance`` and, where there are some,
# ``column`` and ``worker``.
#
# Positions count from 1 in reading order, left to right and row by row; rows and columns count from 1.
# ``query,row,column,relevance`` does as well. Relevance is on any scale from 0 or more; -1 and -2 stand for
# an image that could not be judged. Several workers judge an image in a row of the file each.

RELEVANCE_COLUMNS = ("query", "position", "row", "relevance")
PLACED = ("query", "row", "column", "relevance")
"""What the header may be instead: the place on the page gives the position."""
INVALID = (-1.0, -2.0)
MAX_PLACE = 10_000
"""Most images, and most rows, of one list."""
Scale = tuple[float, float]
_FILL = {"relevance": "Write the relevance, or -1 for an image that could not be judged."}
RELEVANCE_TEMPLATE = b"query,position,row,relevance\nq1,1,1,3\nq1,2,1,0\nq1,3,2,2\nq1,4,2,-1\n"


class Cell(NamedTuple):
    """An image of a page: row from 1, and mean relevance as written."""

    row: int
    relevance: float


@dataclass(slots=True)
class _Place:
    """What the rows of the file say of one image."""

    line: int
    row: int
    column: int
    values: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists of a file by query: the images of each in reading order.

    ``known``: every query the file names, those whose list is left out among them. ``judgments``: of each
    query the values of every image as the workers gave them, -1 and -2 among them. ``workers``: their ids,
    none where the file names none.
    """

    of: Mapping[str, tuple[Cell, ...]]
    known: frozenset[str]
    file: str
    judgments: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
    workers: frozenset[str] = frozenset()

    @property
    def largest(self) -> float:
        """The largest valid relevance anybody gave; 0 without any."""
        given = (value for images in self.judgments.values() for values in images for value in values)
        return max((value for value in given if value > 0), default=0.0)


@reader(lambda file: Lists(MappingProxyType({}), frozenset(), file))
def parse_relevance(data: bytes, problems: Problems, *, scale: Scale | None = None) -> Lists:
    """Read a file of lists; every problem with its line.

    ``scale``: the lowest and the highest relevance there can be; without one anything from 0. A list with a
    fault in it is left out whole: what stands at its other positions would move. The judgments of several
    workers of an image are averaged, without those who could not judge it.
    """
    places: dict[str, dict[tuple[int, int], _Place]] = {}
    faulty: set[str] = set()
    workers: set[str] = set()
    header = (decode(data, Problems(problems.file)) or "").partition("\n")[0].lower()
    placed = "position" not in header and "column" in header
    required = PLACED if placed else RELEVANCE_COLUMNS
    optional = ("worker", *(() if placed else ("column",)))
    for line, cells in named_rows(data, problems, required=required, optional=optional, fill=_FILL):
        query, worker = cells["query"], cells["worker"]
        row = _place_in(cells, "row", line, problems)
        column = _place_in(cells, "column", line, problems) if cells["column"] else 0
        position = 0 if placed else _place_in(cells, "position", line, problems)
        value = number_in(cells, "relevance", line, problems, remedy="Write a number such as 2 or 0.75.")
        inside = value is None or _on_scale(value, scale, cells["relevance"], line, problems)
        mine = places.setdefault(query, {})
        if row is None or column is None or position is None or value is None or not inside:
            faulty.add(query)
            continue
        at = (row, column) if placed else (position, 0)
        place = mine.setdefault(at, _Place(line, row, column))
        problem = _clash(place, row, column, worker, query, at, placed)
        if problem:
            problems.error(*problem, line=line, value=worker if problem[0] == "duplicate-judgment" else at[0])
            faulty.add(query)
            continue
        place.values[worker] = value
        workers |= {worker} - {""}
    whole = {
        query: {i + 1: mine[at] for i, at in enumerate(sorted(mine))}
        if placed
        else {at[0]: place for at, place in mine.items()}
        for query, mine in places.items()
        if query not in faulty
    }
    whole = {query: place for query, place in sorted(whole.items()) if _whole(query, place, problems)}
    return Lists(
        MappingProxyType({query: _cells(place) for query, place in whole.items()}),
        frozenset(places),
        problems.file,
        MappingProxyType(
            {
                query: tuple(tuple(p.values.values()) for _, p in sorted(m.items()))
                for query, m in whole.items()
            }
        ),
        frozenset(workers),
    )


def _clash(
    place: _Place, row: int, column: int, worker: str, query: str, at: tuple[int, int], placed: bool
) -> tuple[str, str, str] | None:
    """Rule, message and remedy where a row of the file contradicts an earlier one of the same image."""
    where = f"The image in row {row}, column {column}" if placed else f"Position {at[0]}"
    where = f"{where} of the query {truncate(query)!r}"
    if (place.row, place.column) != (row, column):
        message = f"{where} is in row {place.row} on line {place.line}, and in row {row} here."
        if place.row == row:
            message = (
                f"{where} is in column {place.column} on line {place.line}, and in column {column} here."
            )
        return "other-place", message, "Give every judgment of an image the same row and column."
    if worker not in place.values:
        return None
    if worker:
        message = (
            f"{truncate(worker)!r} judged position {at[0]} of the query {truncate(query)!r} more than once."
        )
        return "duplicate-judgment", message, "Keep one judgment per worker; the query is left out."
    message = f"{where} is already on line {place.line}."
    remedy = "Keep one row per position, or name who judged in a column `worker`; the query is left out."
    return "duplicate-position", message, remedy


def _cells(place: Mapping[int, _Place]) -> tuple[Cell, ...]:
    """The images of a query in reading order."""
    result: list[Cell] = []
    for at in sorted(place):
        one = place[at]
        valid = [value for value in one.values.values() if value not in INVALID]
        mean = fsum(valid) / len(valid) if valid else next(iter(one.values.values()))
        result.append(Cell(one.row, mean))
    return tuple(result)


def _on_scale(value: float, scale: Scale | None, text: str, line: int, problems: Problems) -> bool:
    low, high = scale or (0.0, float("inf"))
    if value in INVALID or low <= value <= high:
        return True
    span = f"from {low:g} to {high:g}" if scale else "0 or more"
    message = f"The relevance {truncate(text)!r} is off the scale: {span}, or -1 or -2 for not judged."
    problems.error("off-scale", message, "Correct the value, or name another scale.", line=line, value=text)
    return False


def _whole(query: str, one: Mapping[int, _Place], problems: Problems) -> bool:
    """Whether positions run 1, 2, 3, rows 1, 1, 2 and so on without gaps, and columns to the right."""
    before, row_before, column_before = 0, 0, 0
    for position in sorted(one):
        line, row, column = one[position].line, one[position].row, one[position].column
        if position != before + 1:
            message = f"The query {truncate(query)!r} has no position {before + 1}; it is left out."
            remedy = (
                "Number its images 1, 2, 3 without gaps; -1 is the relevance of one that could not be judged."
            )
            problems.error("position-gap", message, remedy, line=line, value=position)
            return False
        if row not in {row_before, row_before + 1} or row == 0:
            message = (
                f"Position {position} of the query {truncate(query)!r} is in row {row}, after row "
                f"{row_before}; the query is left out."
            )
            remedy = "Number the rows of the page 1, 2, 3 from the top, as images are read left to right."
            problems.error("row-order", message, remedy, line=line, value=row)
            return False
        if row == row_before and (column <= column_before) and (column or column_before):
            message = (
                f"Position {position} of the query {truncate(query)!r} is in column {column}, after column "
                f"{column_before} of the same row; the query is left out."
            )
            remedy = "Number the columns of a row 1, 2, 3 from the left, for all of its images."
            problems.error("column-order", message, remedy, line=line, value=column)
            return False
        before, row_before, column_before = position, row, column
    return True


def _place_in(cells: dict[str, str], name: str, line: int, problems: Problems) -> int | None:
    """A whole number from 1; None with an error."""
    value = parse_float(cells[name])
    if value is not None and isfinite(value) and value == int(value) and 1 <= value <= MAX_PLACE:
        return int(value)
    message = f"The {name} {quoted(cells[name])} is not a whole number from 1 to {MAX_PLACE:,}; "
    remedy = f"Count {name}s from 1, in the order in which people see them."
    problems.error("wrong-place", f"{message}the row is left out.", remedy, line=line, value=cells[name])
    return None


# How satisfied people were: ``query,user,satisfaction`` and, if wanted, ``task``, ``session`` and ``system``.

SATISFACTION_COLUMNS = ("query", "user", "satisfaction")
OPTIONAL = ("task", "system", "session")
SATISFACTION_TEMPLATE = b"query,user,satisfaction,task\nq1,anna,4,t1\nq2,anna,2,t1\n"
STUDY_TEMPLATE = b"query,user,satisfaction,system\nimage_1,anna,4,my_system\nimage_2,anna,2,my_system\n"


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person said of the results of one query; ``system`` is "" where the file names none.

    ``session``: of the search it is part of, else the task; "" where the file names neither.
    """

    query: str
    user: str
    satisfaction: float
    system: str
    line: int
    session: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The ratings of a file, as they stand in it."""

    rows: tuple[Rating, ...]
    file: str

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems it names, by name; none where it has no such column."""
        return tuple(sorted({row.system for row in self.rows} - {""}))


@reader(lambda file: Ratings((), file))
def parse_satisfaction(data: bytes, problems: Problems) -> Ratings:
    """Read a file of ratings on any scale, higher is better; every problem with its line.

    A person rates a query of a system once. The same query rated by two people is two ratings.
    """
    kept: list[Rating] = []
    first: dict[tuple[str, str, str], int] = {}
    remedy = "Write a number such as 4; remove the row if there is no rating."
    for line, cells in named_rows(data, problems, required=SATISFACTION_COLUMNS, optional=OPTIONAL):
        key = (cells["query"], cells["user"], cells["system"])
        value = number_in(cells, "satisfaction", line, problems, remedy=remedy)
        if key in first:
            message = (
                f"{truncate(key[1])!r} rated the query {truncate(key[0])!r} on line {first[key]} already."
            )
            problems.error(
                "duplicate-rating", message, "Keep one row; this one is left out.", line=line, value=key[0]
            )
            continue
        first[key] = line
        if value is not None:
            kept.append(Rating(*key[:2], value, key[2], line, cells["session"] or cells["task"]))
    return Ratings(tuple(kept), problems.file)


@reader(lambda file: Ratings((), file))
def bind_ratings(ratings: Ratings, problems: Problems, known: Collection[str], *, what: str) -> Ratings:
    """The ratings of known queries; the others are errors, in one line where they all miss in the same way.

    ``what``: where queries are known from, for the message.
    """
    names = set(known)
    missing = {row.query: row.line for row in reversed(ratings.rows) if row.query not in names}
    missing = dict(sorted(missing.items(), key=lambda item: item[1]))
    why = explain_id_mismatch(list(missing), sorted(names)) if missing else ""
    if why and len(missing) > 1:
        query, line = next(iter(missing.items()))
        which = f"{len(missing):,} rated queries are not in {what}, such as {truncate(query)!r}"
        message = f"{which}; they are left out."
        remedy = f"{why} Spell the queries the same in both files."
        problems.error("unknown-query", message, remedy, line=line, value=query, count=len(missing))
    else:
        problems.each(
            "error",
            "unknown-query",
            f"The query '{{value}}' is not in {what}; its ratings are left out.",
            why or "Add its list, or remove the row.",
            lines=list(missing.values()),
            values=list(missing),
        )
    return Ratings(tuple(row for row in ratings.rows if row.query in names), ratings.file)
