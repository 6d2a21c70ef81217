"""How satisfied people were: ``query,user,satisfaction`` and, if wanted, ``task`` and ``system``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import hint
from evalcore.study.tables.named_rows import named_rows, number_in
from evalcore.study.tables.problems import Problems, shown
from evalcore.values.problems import Report

COLUMNS = ("query", "user", "satisfaction")
OPTIONAL = ("task", "system")
TEMPLATE = b"query,user,satisfaction,task\nq1,anna,4,t1\nq2,anna,2,t1\n"
TEMPLATE_OF_STUDY = b"query,user,satisfaction,system\nimage_1,anna,4,my_system\nimage_2,anna,2,my_system\n"


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
        return tuple(sorted({one.system for one in self.rows} - {""}))


@reader(lambda file: Ratings((), file))
def parse_satisfaction(data: bytes, *, file: str) -> tuple[Ratings, Report]:
    """Read a file of ratings on any scale, higher is better; every problem with its line.

    A person rates a query of a system once. The same query rated by two people is two ratings.
    """
    found = Problems(file)
    kept: list[Rating] = []
    first: dict[tuple[str, str, str], int] = {}
    remedy = "Write a number such as 4; remove the row of somebody who gave none."
    for line, cells in named_rows(data, found, required=COLUMNS, optional=OPTIONAL):
        key = (cells["query"], cells["user"], cells["system"])
        value = number_in(cells, "satisfaction", line, found, remedy=remedy)
        if key in first:
            message = f"{shown(key[1])!r} rated the query {shown(key[0])!r} on line {first[key]} already."
            found.error("duplicate-rating", message, "Keep one row; this one is left out.",
                        line=line, value=key[0])  # fmt: skip
            continue
        first[key] = line
        if value is not None:
            kept.append(Rating(*key[:2], value, key[2], line))
    return Ratings(tuple(kept), file), found.report()


@reader(lambda file: Ratings((), file))
def bind_ratings(ratings: Ratings, known: Collection[str], *, what: str) -> tuple[Ratings, Report]:
    """The ratings of known queries; the others are errors, in one line where they all miss in the same way.

    ``what``: where queries are known from, for the message.
    """
    found, names = Problems(ratings.file), set(known)
    missing = {one.query: one.line for one in reversed(ratings.rows) if one.query not in names}
    missing = dict(sorted(missing.items(), key=lambda item: item[1]))
    why = hint(list(missing), sorted(names)) if missing else ""
    if why and len(missing) > 1:
        query, line = next(iter(missing.items()))
        message = (
            f"{len(missing):,} rated queries are not in {what}, such as {shown(query)!r}; they are left out."
        )
        remedy = f"{why} Write the queries alike in both files."
        found.error("unknown-query", message, remedy, line=line, value=query, count=len(missing))
    else:
        found.each(
            "error", "unknown-query", f"The query '{{value}}' is not in {what}; its ratings are left out.",
            why or "Add its list, or remove the row.", lines=list(missing.values()), values=list(missing),
        )  # fmt: skip
    return Ratings(tuple(one for one in ratings.rows if one.query in names), ratings.file), found.report()
