"""Files of satisfaction studies: what was shown and how relevant it is, and how satisfied people were."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from types import MappingProxyType

from evalcore.study.tables.ids import hint, named_rows, number_in
from evalcore.study.tables.lines import parsed
from evalcore.study.tables.problems import Problems, reader, shown
from evalcore.study.tables.tables import quoted
from evalcore.values.errors import Report

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


# What each query showed, image by image: ``query,position,row,relevance``.
#
# Positions count from 1 in reading order, left to right and row by row; rows count from 1. Relevance is on
# any scale from 0 or more; -1 and -2 stand for an image that could not be judged.

RELEVANCE_COLUMNS = ("query", "position", "row", "relevance")
INVALID = (-1.0, -2.0)
MAX_PLACE = 10_000
"""Most images, and most rows, of one list."""
Scale = tuple[float, float]
_FILL = {"relevance": "Write the relevance, or -1 for an image that could not be judged."}
RELEVANCE_TEMPLATE = b"query,position,row,relevance\nq1,1,1,3\nq1,2,1,0\nq1,3,2,2\nq1,4,2,-1\n"


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists of a file by query: (row, relevance) of each position in order, relevance as written.

    ``known``: every query the file names, those whose list is left out among them.
    """

    of: Mapping[str, tuple[tuple[int, float], ...]]
    known: frozenset[str]
    file: str

    @property
    def largest(self) -> float:
        """The largest valid relevance; 0 without any."""
        return max((value for one in self.of.values() for _, value in one if value > 0), default=0.0)


@reader(lambda file: Lists(MappingProxyType({}), frozenset(), file))
def parse_relevance(data: bytes, *, file: str, scale: Scale | None = None) -> tuple[Lists, Report]:
    """Read a file of lists; every problem with its line.

    ``scale``: the lowest and the highest relevance there can be; without one anything from 0. A list with a
    fault in it is left out whole: what stands at its other positions would move.
    """
    problems = Problems(file)
    places: dict[str, dict[int, tuple[int, int, float]]] = {}
    faulty: set[str] = set()
    for line, cells in named_rows(data, problems, required=RELEVANCE_COLUMNS, fill=_FILL):
        query = cells["query"]
        position, row = _place_in(cells, "position", line, problems), _place_in(cells, "row", line, problems)
        value = number_in(cells, "relevance", line, problems, remedy="Write a number such as 2 or 0.75.")
        inside = value is None or _on_scale(value, scale, cells["relevance"], line, problems)
        mine = places.setdefault(query, {})
        if position is None or row is None or value is None or not inside:
            faulty.add(query)
        elif position in mine:
            first = mine[position][0]
            message = f"Position {position} of the query {shown(query)!r} is already on line {first}."
            problems.error(
                "duplicate-position",
                message,
                "Keep one row per position; the query is left out.",
                line=line,
                value=position,
            )
            faulty.add(query)
        else:
            mine[position] = (line, row, value)
    whole = {
        query: place
        for query, place in places.items()
        if query not in faulty and _whole(query, place, problems)
    }
    lists = {query: tuple(one[at][1:] for at in sorted(one)) for query, one in sorted(whole.items())}
    return Lists(MappingProxyType(lists), frozenset(places), file), problems.report()


def _on_scale(value: float, scale: Scale | None, text: str, line: int, problems: Problems) -> bool:
    low, high = scale or (0.0, float("inf"))
    if value in INVALID or low <= value <= high:
        return True
    span = f"from {low:g} to {high:g}" if scale else "0 or more"
    message = f"The relevance {shown(text)!r} is off the scale: {span}, or -1 or -2 for not judged."
    problems.error("off-scale", message, "Correct the value, or name another scale.", line=line, value=text)
    return False


def _whole(query: str, one: Mapping[int, tuple[int, int, float]], problems: Problems) -> bool:
    """Whether positions run 1, 2, 3 and rows 1, 1, 2 and so on without gaps."""
    before, row_before = 0, 0
    for position in sorted(one):
        line, row, _ = one[position]
        if position != before + 1:
            message = f"The query {shown(query)!r} has no position {before + 1}; it is left out."
            remedy = (
                "Number its images 1, 2, 3 without gaps; -1 is the relevance of one that could not be judged."
            )
            problems.error("position-gap", message, remedy, line=line, value=position)
            return False
        if row not in {row_before, row_before + 1} or row == 0:
            message = (
                f"Position {position} of the query {shown(query)!r} is in row {row}, after row {row_before}; "
                "the query is left out."
            )
            remedy = "Number the rows of the page 1, 2, 3 from the top, as images are read left to right."
            problems.error("row-order", message, remedy, line=line, value=row)
            return False
        before, row_before = position, row
    return True


def _place_in(cells: dict[str, str], name: str, line: int, problems: Problems) -> int | None:
    """A whole number from 1; None with an error."""
    value = parsed(cells[name])
    if value is not None and isfinite(value) and value == int(value) and 1 <= value <= MAX_PLACE:
        return int(value)
    message = f"The {name} {quoted(cells[name])} is not a whole number from 1 to {MAX_PLACE:,}; "
    remedy = f"Count {name}s from 1, in the order in which people see them."
    problems.error("wrong-place", f"{message}the row is left out.", remedy, line=line, value=cells[name])
    return None


# How satisfied people were: ``query,user,satisfaction`` and, if wanted, ``task`` and ``system``.

SATISFACTION_COLUMNS = ("query", "user", "satisfaction")
OPTIONAL = ("task", "system")
SATISFACTION_TEMPLATE = b"query,user,satisfaction,task\nq1,anna,4,t1\nq2,anna,2,t1\n"
STUDY_TEMPLATE = b"query,user,satisfaction,system\nimage_1,anna,4,my_system\nimage_2,anna,2,my_system\n"


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person said of the results of one query; ``system`` is "" where the file names none."""

    query: str
    user: str
    satisfaction: float
    system: str
    line: int


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
def parse_satisfaction(data: bytes, *, file: str) -> tuple[Ratings, Report]:
    """Read a file of ratings on any scale, higher is better; every problem with its line.

    A person rates a query of a system once. The same query rated by two people is two ratings.
    """
    problems = Problems(file)
    kept: list[Rating] = []
    first: dict[tuple[str, str, str], int] = {}
    remedy = "Write a number such as 4; remove the row if there is no rating."
    for line, cells in named_rows(data, problems, required=SATISFACTION_COLUMNS, optional=OPTIONAL):
        key = (cells["query"], cells["user"], cells["system"])
        value = number_in(cells, "satisfaction", line, problems, remedy=remedy)
        if key in first:
            message = f"{shown(key[1])!r} rated the query {shown(key[0])!r} on line {first[key]} already."
            problems.error(
                "duplicate-rating", message, "Keep one row; this one is left out.", line=line, value=key[0]
            )
            continue
        first[key] = line
        if value is not None:
            kept.append(Rating(*key[:2], value, key[2], line))
    return Ratings(tuple(kept), file), problems.report()


@reader(lambda file: Ratings((), file))
def bind_ratings(ratings: Ratings, known: Collection[str], *, what: str) -> tuple[Ratings, Report]:
    """The ratings of known queries; the others are errors, in one line where they all miss in the same way.

    ``what``: where queries are known from, for the message.
    """
    result, names = Problems(ratings.file), set(known)
    missing = {row.query: row.line for row in reversed(ratings.rows) if row.query not in names}
    missing = dict(sorted(missing.items(), key=lambda item: item[1]))
    why = hint(list(missing), sorted(names)) if missing else ""
    if why and len(missing) > 1:
        query, line = next(iter(missing.items()))
        message = (
            f"{len(missing):,} rated queries are not in {what}, such as {shown(query)!r}; they are left out."
        )
        remedy = f"{why} Spell the queries the same in both files."
        result.error("unknown-query", message, remedy, line=line, value=query, count=len(missing))
    else:
        result.each(
            "error",
            "unknown-query",
            f"The query '{{value}}' is not in {what}; its ratings are left out.",
            why or "Add its list, or remove the row.",
            lines=list(missing.values()),
            values=list(missing),
        )
    return Ratings(tuple(row for row in ratings.rows if row.query in names), ratings.file), result.report()
