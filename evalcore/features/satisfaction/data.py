"""What people were shown and how satisfied they were: two files read, and cleansed as in the paper.

Lists: ``query,position,row,relevance``, images counted from 1 as they are read, left to right and row by
row, or ``query,row,column,relevance``. With a column ``worker`` several people judge an image. Relevance is
on any scale from 0 up; -1 and -2 mean that an image could not be judged. Ratings:
``query,user,satisfaction``, higher is better, and ``session`` or ``task``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import fsum, isfinite
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from evalcore.ranking.grid import Grid
from evalcore.stats.agreement import Level, alpha, level_of
from evalcore.study.tables.files import parse_float, reader
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.load import read, table_reader
from evalcore.study.tables.problems import Problems, Rule, quoted, truncate
from evalcore.study.tables.schema import EMPTY_CELL, NO_ROWS, Column, Rows, Schema
from evalcore.values.arrays import Bools, Floats, Ints, Offsets, digest_of
from evalcore.values.errors import InputError, Report, SettingError

Scale = tuple[float, float]


class Workers(NamedTuple):
    """Who judged relevance, where the file names them.

    n: workers. invalid: judgments of theirs. alpha: Krippendorff's over the ``shared`` images with two valid
    judgments or more, at ``level``; NaN where it is undefined.
    """

    n: int
    invalid: int
    shared: int
    alpha: float
    level: Level


@dataclass(frozen=True, eq=False)
class Satisfaction:
    """n ratings and the list that each is about, in the order of the file.

    A query rated by two people has two ratings. All arrays have n rows; lists shorter than the longest end in
    ranks that are not ``shown``.

    queries: id, of each rating. users: ids of all people, in order; user_of: positions in ``users``.
    satisfaction: on any scale, higher is better. relevance: (n, K), 0 to 1, NaN where an image could not be
    judged and where none is shown. row_of: (n, K), row of the page, from 0. shown: (n, K). scale: what is 0
    and 1 in the file. unrated: lists without a rating, left out. what: names of the files. sessions: of each
    rating, "" where unknown. judgments: of the relevance of images, each counted once. workers: if known.
    """

    queries: tuple[str, ...]
    users: tuple[str, ...]
    user_of: Ints
    satisfaction: Floats
    relevance: Floats
    row_of: Ints
    shown: Bools
    scale: Scale
    unrated: int
    what: str
    sessions: tuple[str, ...]
    judgments: int
    workers: Workers | None = None

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def judged(self) -> Bools:
        """Images that were shown and have a relevance, shape (n, K)."""
        return self.shown & ~np.isnan(self.relevance)

    @property
    def n_rows(self) -> Ints:
        """Rows of the page that each list fills, shape (n,)."""
        rows: Ints = np.where(self.shown, self.row_of + 1, 0).max(axis=1, initial=0)
        return rows

    @cached_property
    def digest(self) -> str:
        """Of the content."""
        arrays = (self.user_of, self.satisfaction, self.relevance, self.row_of, self.shown)
        return digest_of(self.queries, self.users, *arrays, self.scale)

    @property
    def n_images(self) -> int:
        """Images shown, those of a query that several people rated once."""
        first = np.unique(np.array(self.queries, np.object_), return_index=True)[1]
        return int(self.shown[first].sum())

    @property
    def n_sessions(self) -> int | None:
        """Search sessions: a user's ratings with the same session or task; None where one has neither."""
        if not all(self.sessions):
            return None
        return len(set(zip(self.user_of.tolist(), self.sessions, strict=True)))


# The two files.

INVALID = (-1.0, -2.0)
MAX_PLACE = 10_000
"""Most images, and most rows, of one list."""
LISTS_TEMPLATE = b"query,position,row,relevance\nq1,1,1,3\nq1,2,1,0\nq1,3,2,2\nq1,4,2,-1\n"
RATINGS_TEMPLATE = b"query,user,satisfaction,task\nq1,anna,4,t1\nq2,anna,2,t1\n"
_NO_NUMBER = Rule(
    "not-a-number",
    "The satisfaction '{value}' is not a number; the row is left out.",
    "Write a number such as 4; remove the row if there is no rating.",
)
_RATED_TWICE = Rule(
    "duplicate-rating", "'{value}' is already rated on line {first}.", "Keep one row; this one is left out."
)


def _table(*columns: Column, keys: tuple[str, ...] = ()) -> Schema:
    """A table with a header; columns of other names are mentioned."""
    needed = ",".join(column.name for column in columns if column.required)
    remedy = f"Let the first row be: {needed}."
    return Schema(columns, remedy, others="mention", no_rows=NO_ROWS, keys=keys, duplicate=_RATED_TWICE)


_JUDGED = EMPTY_CELL._replace(remedy="Write the relevance, or -1 for an image that could not be judged.")
_LISTS = _table(
    Column(("query",)),
    Column(("position",), required=False),
    Column(("row",)),
    Column(("column",), required=False),
    Column(("relevance",), empty=_JUDGED),
    Column(("worker",), required=False, empty=None),
)
_RATINGS = _table(
    Column(("query",)),
    Column(("user",)),
    Column(("satisfaction",), number=_NO_NUMBER),
    *(Column((name,), required=False, empty=None) for name in ("task", "session")),
    keys=("query", "user"),
)


def parse_scale(text: str) -> Scale:
    """The lowest and the highest relevance there can be; SettingError unless 0 <= LOW < HIGH.

    >>> parse_scale("0:3")
    (0.0, 3.0)
    """
    low, high, *more = [parse_float(part) if part else None for part in f"{text}:".split(":")]
    if len(more) != 1 or low is None or high is None or not 0 <= low < high < float("inf"):
        raise SettingError("scale", "LOW:HIGH with 0 <= LOW < HIGH, such as 0:3", text)
    return low, high


class Image(NamedTuple):
    """An image of a list: its first line in the file, its position as the page is read, and its row, from 1.

    ``judgments``: of its relevance, -1 and -2 among them.
    """

    line: int
    position: int
    row: int
    judgments: tuple[float, ...]

    @property
    def relevance(self) -> float:
        """The mean of the valid judgments; -1 or -2 where there is none."""
        valid = [value for value in self.judgments if value not in INVALID]
        return fsum(valid) / len(valid) if valid else self.judgments[0]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists of a file: of each query the images in reading order.

    ``known``: every query the file names, those whose list is left out among them. ``workers``: their ids.
    """

    images: Mapping[str, Sequence[Image]]
    known: frozenset[str]
    workers: frozenset[str]


_NO_LISTS = Lists({}, frozenset(), frozenset())


@reader(lambda _file: _NO_LISTS)
def read_lists(data: bytes, problems: Problems, *, scale: Scale | None = None) -> Lists:
    """Read a file of lists; every problem with its line.

    ``scale``: the lowest and the highest relevance there can be; without one anything from 0. A list with a
    fault in it is left out whole: its other images would move.
    """
    rows = read(data, _LISTS, problems)
    place = ("position", "row") if rows.has("position") else ("row", "column")
    if rows.rows and not rows.has("position") and not rows.has("column"):
        message = "There is neither a position nor a column."
        problems.refuse("wrong-header", message, "Name one: query,position,row,relevance.", line=1)
    judged: dict[tuple[str, int, int, str], tuple[int, float]] = {}  # by image and worker: line, relevance
    faulty: set[str] = set()
    texts = map(rows.texts, ("query", "relevance", "worker", *place))
    for line, query, text, worker, *cells in zip(rows.lines.tolist(), *texts, strict=True):
        value = _relevance_in(text, scale, line, problems)
        a, b = (_place_in(*cell, line, problems) for cell in zip(place, cells, strict=True))
        if (key := (query, a, b, worker)) in judged:
            where = f"The image at {place[0]} {a}, {place[1]} {b} of the query {truncate(query)!r}"
            message = f"{where} is already on line {judged[key][0]}."
            remedy = "Keep one row per image and worker, named in a column `worker`; the query is left out."
            problems.error("duplicate-judgment", message, remedy, line=line, value=worker or cells[0])
        elif value is not None and a and b:
            judged[key] = line, value
            continue
        faulty.add(query)
    lists = {}
    for query, of_query in groupby(sorted(judged), key=itemgetter(0)):
        images: list[Image] = []
        for (_, a, b), keys in groupby(of_query, key=itemgetter(0, 1, 2)):
            lines, values = zip(*map(judged.__getitem__, keys), strict=True)
            position, row = (a, b) if rows.has("position") else (len(images) + 1, a)
            images.append(Image(min(lines), position, row, values))
        if query not in faulty and _is_whole(query, images, problems):
            lists[query] = images
    workers = {worker for query, _, _, worker in judged if query in lists}
    return Lists(lists, frozenset(rows.texts("query")), frozenset(workers - {""}))


def _place_in(name: str, cell: str, line: int, problems: Problems) -> int:
    """A whole number from 1; 0 with an error."""
    value = parse_float(cell)
    if value is not None and isfinite(value) and value == int(value) and 1 <= value <= MAX_PLACE:
        return int(value)
    message = f"The {name} {quoted(cell)} is not a whole number from 1 to {MAX_PLACE:,}; the row is left out."
    remedy = f"Count {name}s from 1, in the order in which people see them."
    problems.error("wrong-place", message, remedy, line=line, value=cell)
    return 0


def _relevance_in(cell: str, scale: Scale | None, line: int, problems: Problems) -> float | None:
    """A number on the scale, or -1 or -2; None with an error."""
    value, (low, high) = parse_float(cell), scale or (0.0, float("inf"))
    if value is None or not isfinite(value):
        message = f"The relevance {quoted(cell)} is not a number; the row is left out."
        remedy = "Write a number such as 2 or 0.75."
        problems.error("not-a-number", message, remedy, line=line, value=cell)
        return None
    if value in INVALID or low <= value <= high:
        return value
    span = f"from {low:g} to {high:g}" if scale else "0 or more"
    message = f"The relevance {truncate(cell)!r} is off the scale: {span}, or -1 or -2 for not judged."
    problems.error("off-scale", message, "Correct the value, or name another scale.", line=line, value=cell)
    return None


def _is_whole(query: str, images: Sequence[Image], problems: Problems) -> bool:
    """Whether positions are 1, 2, 3 and rows 1, 1, 2 and so on, without gaps; an error where they are not."""
    row = 0
    for number, image in enumerate(images, start=1):
        if image.position != number:
            message = f"The query {truncate(query)!r} has no position {number}, or an image in two rows"
            remedy = "Number its images 1, 2, 3; -1 is the relevance of one that could not be judged."
            rule, value = "position-gap", image.position
        elif image.row not in {row, row + 1} - {0}:
            message = (
                f"Image {number} of the query {truncate(query)!r} is in row {image.row}, after row {row}"
            )
            remedy = "Number the rows of the page 1, 2, 3 from the top, as images are read left to right."
            rule, value = "row-order", image.row
        else:
            row = image.row
            continue
        problems.error(rule, f"{message}; the query is left out.", remedy, line=image.line, value=value)
        return False
    return True


read_ratings = table_reader(_RATINGS)
"""Ratings on any scale; a person rates a query once. Every problem with its line."""


def _known(ratings: Rows, lists: Lists, problems: Problems, what: str) -> Rows:
    """The ratings of queries with a list; those of queries that ``what`` does not have are errors."""
    queries = ratings.texts("query")
    lines = dict(zip(queries[::-1], ratings.lines[::-1].tolist(), strict=True))  # of the first rows
    missing = sorted(lines.keys() - lists.known, key=lines.__getitem__)
    message = f"The query '{{value}}' is not in {what}; its ratings are left out."
    remedy = explain_id_mismatch(missing, sorted(lists.known)) or "Add its list, or remove the row."
    where = [lines[query] for query in missing]
    problems.each("error", "unknown-query", message, remedy, lines=where, values=missing)
    return ratings.where(np.array([query in lists.images for query in queries], np.bool_))


def read_study(
    lists_file: bytes, ratings_file: bytes, *, names: tuple[str, str], scale: Scale | None = None
) -> tuple[Satisfaction | None, Report]:
    """The ratings of two files, as far as they can be read; None when nothing can.

    ``names``: of the two files, for messages. ``scale``: the lowest and highest relevance there can be, which
    become 0 and 1; None: 0 and the largest in the file.
    """
    lists, report = read_lists(lists_file, file=names[0], scale=scale)
    ratings, more = read_ratings(ratings_file, file=names[1])
    report += more
    if not lists.known or not ratings.rows:
        return None, report
    problems = Problems(names[1])
    ratings = _known(ratings, lists, problems, names[0])
    report += problems.report()
    if not ratings.rows:
        return None, report
    every = (value for images in lists.images.values() for image in images for value in image.judgments)
    low, high = scale or (0.0, max((value for value in every if value > 0), default=1.0))
    queries = ratings.texts("query")
    users, user_of = np.unique(np.array(ratings.texts("user"), np.object_), return_inverse=True)
    judgments = [image.judgments for query in set(queries) for image in lists.images[query]]
    relevance, row_of, shown = _side_by_side([lists.images[query] for query in queries])
    sessions = zip(ratings.texts("session"), ratings.texts("task"), strict=True)
    return Satisfaction(
        queries=tuple(queries),
        users=tuple(users.tolist()),
        user_of=user_of.astype(np.int32),
        satisfaction=ratings.numbers("satisfaction"),
        relevance=np.where(np.isin(relevance, INVALID), np.nan, (relevance - low) / (high - low)),
        row_of=row_of,
        shown=shown,
        scale=(low, high),
        unrated=len(lists.images.keys() - set(queries)),
        what=f"{names[0]} and {names[1]}",
        sessions=tuple(session or task for session, task in sessions),
        judgments=sum(map(len, judgments)),
        workers=_workers(judgments, len(lists.workers)) if lists.workers else None,
    ), report


def _side_by_side(lists: Sequence[Sequence[Image]]) -> tuple[Floats, Ints, Bools]:
    """Relevance, row from 0, and whether an image is shown: (n, K) each."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    shown = np.arange(int(lengths.max())) < lengths[:, np.newaxis]
    relevance, row_of = np.full(shown.shape, np.nan), np.zeros(shown.shape, np.int32)
    relevance[shown] = [image.relevance for images in lists for image in images]
    row_of[shown] = [image.row - 1 for images in lists for image in images]
    return relevance, row_of, shown


def _workers(judgments: Sequence[Sequence[float]], n: int) -> Workers:
    """How far ``n`` workers agree; ``judgments``: of each image, -1 and -2 for not judged."""
    valid = [[value for value in values if value not in INVALID] for values in judgments]
    shared = [values for values in valid if len(values) > 1]
    # Alpha does not depend on whose a value is: columns are images, rows any of their judgments.
    table = np.full((max(map(len, shared), default=0), len(shared)), np.nan)
    for i, values in enumerate(shared):
        table[: len(values), i] = values
    invalid, level = sum(map(len, judgments)) - sum(map(len, valid)), level_of(table)
    return Workers(n, invalid, len(shared), alpha(table, level) if shared else float("nan"), level)


# Which ratings count, and on which scale: the steps of Shao et al. 2019, each counted, each optional.
#
# min and max of a participant are those of the queries that are left. Where they are equal, the quotient
# (s - min) / (max - min) is undefined and the participant is left out. Images that could not be judged are
# passed over: the list closes up, each image stays in its row.

REASONS: Mapping[str, str] = {
    "unrated_queries": "queries without a rating",
    "invalid_queries": "queries of which more than 90% of the images could not be judged",
    "short_queries": "queries with fewer rows than the most that are counted",
    "unjudged_queries": "queries without a judged image",
    "few_users": "participants with fewer than three queries",
    "few_queries": "queries of participants with fewer than three",
    "constant_users": "participants who were equally satisfied with everything",
    "constant_queries": "queries of participants who were equally satisfied with everything",
}
"""What is left out, in words."""
Step = Literal["invalid", "short", "few", "minmax"]
STEPS: Mapping[Step, str] = {
    "invalid": f"leave out {REASONS['invalid_queries']}",
    "short": f"leave out {REASONS['short_queries']}",
    "few": f"leave out {REASONS['few_users']}",
    "minmax": "rescale satisfaction to 0 to 1 per participant, without those for whom it is constant",
}
"""In their order."""
FEWEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Clean:
    """The m ratings that count, in the order of queries and users.

    satisfaction: shape (m,), 0 to 1 per participant where the step minmax was taken. user_of: shape (m,),
    numbered from 0 without gaps. lists: closed up, each of a rating. left_out: how many, by reason.
    """

    queries: tuple[str, ...]
    satisfaction: Floats
    user_of: Offsets
    lists: Grid
    left_out: Mapping[str, int]

    @property
    def n_queries(self) -> int:
        return len(self.satisfaction)

    @property
    def n_users(self) -> int:
        return int(self.user_of.max(initial=-1)) + 1

    def grid(self, rows: int) -> Grid:
        """The first rows of every list, in reading order."""
        lengths = np.count_nonzero(self.lists.inside & (self.lists.row_of < rows), axis=1)
        widest = int(lengths.max(initial=0))
        return Grid(self.lists.relevance[:, :widest], lengths, self.lists.row_of[:, :widest])

    def reasons(self) -> str:
        """What was left out, in words; "" for nothing."""
        return "; ".join(f"{REASONS[reason]} ({n:,})" for reason, n in self.left_out.items() if n)


def cleanse(data: Satisfaction, *, depth: int, without: Collection[Step] = ()) -> Clean:
    """Take the steps in their order, but for those named.

    ``depth``: rows of the deepest list wanted. InputError when no query is left, with what went and why.
    """
    kept, user_of, satisfaction = np.ones(len(data), np.bool_), data.user_of, data.satisfaction
    left_out = dict.fromkeys(REASONS, 0) | {"unrated_queries": data.unrated}
    judged, shown = data.judged.sum(axis=1), data.shown.sum(axis=1)

    def leave(name: str, fails: Bools) -> None:
        left_out[f"{name}_queries"] = int((kept & fails).sum())
        if f"{name}_users" in REASONS:
            left_out[f"{name}_users"] = len(np.unique(user_of[kept & fails]))
        np.logical_and(kept, ~fails, out=kept)

    if "invalid" not in without:  # in whole numbers: 9 of 10 are not more than 90%
        leave("invalid", 10 * (shown - judged) > 9 * shown)
    if "short" not in without:
        leave("short", data.n_rows < depth)
    leave("unjudged", judged == 0)
    if "few" not in without:
        leave("few", np.bincount(user_of[kept], minlength=len(data.users))[user_of] < FEWEST)
    if "minmax" not in without:
        of_user = pd.Series(np.where(kept, satisfaction, np.nan)).groupby(user_of)
        low, high = (of_user.transform(end).to_numpy() for end in ("min", "max"))
        leave("constant", low == high)
        satisfaction = (satisfaction - low) / np.where(low < high, high - low, 1.0)
    order = sorted(np.flatnonzero(kept).tolist(), key=lambda i: (data.queries[i], user_of[i]))
    rows = np.array(order, np.int64)
    front = np.argsort(~data.judged[rows], axis=1, kind="stable")
    clean = Clean(
        queries=tuple(data.queries[i] for i in rows.tolist()),
        satisfaction=satisfaction[rows],
        user_of=np.unique(user_of[rows], return_inverse=True)[1].astype(np.int64),
        lists=Grid(
            np.nan_to_num(np.take_along_axis(data.relevance[rows], front, axis=1)),
            judged[rows],
            np.take_along_axis(data.row_of[rows], front, axis=1),
        ),
        left_out=MappingProxyType(left_out),
    )
    if not len(rows):
        way_out = f"Count fewer rows than {depth}, or skip" if left_out["short_queries"] else "Skip"
        why = f"No query is left of {len(data):,}. Left out: {clean.reasons()}."
        raise InputError(f"{why} {way_out} a step of the cleansing.")
    return clean


def usual_depths(data: Satisfaction) -> tuple[int, ...]:
    """Rows to count by default: 5 and 10 where half of the lists have them, else what half have."""
    half = int(np.median(data.n_rows)) if len(data) else 5
    return tuple(depth for depth in (5, 10) if depth <= half) or (max(half, 1),)
