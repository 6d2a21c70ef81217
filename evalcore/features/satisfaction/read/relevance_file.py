"""What each query showed, image by image: ``query,position,row,relevance``.

Positions count from 1 in reading order, left to right and row by row; rows count from 1. Relevance is on any
scale from 0 or more; -1 and -2 stand for an image that could not be judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType

from evalcore.study.tables.guard import reader
from evalcore.study.tables.named_rows import named_rows, number_in
from evalcore.study.tables.numbers import parsed
from evalcore.study.tables.problems import Problems, shown
from evalcore.study.tables.tables import quoted
from evalcore.values.problems import Report

COLUMNS = ("query", "position", "row", "relevance")
INVALID = (-1.0, -2.0)
MAX_PLACE = 10_000
"""Most images, and most rows, of one list."""
Scale = tuple[float, float]
_FILL = {"relevance": "Write the relevance, or -1 for an image nobody could judge."}
TEMPLATE = b"query,position,row,relevance\nq1,1,1,3\nq1,2,1,0\nq1,3,2,2\nq1,4,2,-1\n"


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
    found = Problems(file)
    places: dict[str, dict[int, tuple[int, int, float]]] = {}
    faulty: set[str] = set()
    for line, cells in named_rows(data, found, required=COLUMNS, fill=_FILL):
        query = cells["query"]
        position, row = _place_in(cells, "position", line, found), _place_in(cells, "row", line, found)
        value = number_in(cells, "relevance", line, found, remedy="Write a number such as 2 or 0.75.")
        inside = value is None or _on_scale(value, scale, cells["relevance"], line, found)
        mine = places.setdefault(query, {})
        if position is None or row is None or value is None or not inside:
            faulty.add(query)
        elif position in mine:
            first = mine[position][0]
            message = f"Position {position} of the query {shown(query)!r} stands on line {first} already."
            found.error("duplicate-position", message, "Keep one row per position; the query is left out.",
                        line=line, value=position)  # fmt: skip
            faulty.add(query)
        else:
            mine[position] = (line, row, value)
    whole = {query: one for query, one in places.items() if query not in faulty and _whole(query, one, found)}
    lists = {query: tuple(one[at][1:] for at in sorted(one)) for query, one in sorted(whole.items())}
    return Lists(MappingProxyType(lists), frozenset(places), file), found.report()


def _on_scale(value: float, scale: Scale | None, text: str, line: int, found: Problems) -> bool:
    low, high = scale or (0.0, float("inf"))
    if value in INVALID or low <= value <= high:
        return True
    span = f"from {low:g} to {high:g}" if scale else "0 or more"
    message = f"The relevance {shown(text)!r} is off the scale: {span}, or -1 or -2 for not judged."
    found.error("off-scale", message, "Correct the value, or name another scale.", line=line, value=text)
    return False


def _whole(query: str, one: Mapping[int, tuple[int, int, float]], found: Problems) -> bool:
    """Whether positions run 1, 2, 3 and rows 1, 1, 2 and so on without gaps."""
    before, row_before = 0, 0
    for position in sorted(one):
        line, row, _ = one[position]
        if position != before + 1:
            message = f"The query {shown(query)!r} has no position {before + 1}; it is left out."
            remedy = "Number its images 1, 2, 3 without gaps; -1 is the relevance of one nobody could judge."
            found.error("position-gap", message, remedy, line=line, value=position)
            return False
        if row not in {row_before, row_before + 1} or row == 0:
            message = (
                f"Position {position} of the query {shown(query)!r} is in row {row}, after row {row_before}; "
                "the query is left out."
            )
            remedy = "Number the rows of the page 1, 2, 3 from the top, as images are read left to right."
            found.error("row-order", message, remedy, line=line, value=row)
            return False
        before, row_before = position, row
    return True


def _place_in(cells: dict[str, str], name: str, line: int, found: Problems) -> int | None:
    """A whole number from 1; None with an error."""
    value = parsed(cells[name])
    if value is not None and isfinite(value) and value == int(value) and 1 <= value <= MAX_PLACE:
        return int(value)
    message = f"The {name} {quoted(cells[name])} is not a whole number from 1 to {MAX_PLACE:,}; "
    remedy = f"Count {name}s from 1, in the order in which people see them."
    found.error("wrong-place", f"{message}the row is left out.", remedy, line=line, value=cells[name])
    return None
