"""Lists, who saw them, and how satisfied they were: one value, wherever it comes from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.ranking.grid import Grid
from evalcore.values.arrays import Bools, Floats, Ints, Offsets, digest_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.stats.agreement import Level

# What can be chosen of a satisfaction study, by name; loads no number library.

Step = Literal["invalid", "short", "few", "minmax"]
STEPS: Mapping[Step, str] = MappingProxyType(
    {
        "invalid": "drop queries with more than 90% of the images not judged",
        "short": "drop queries with fewer rows than the most that are counted",
        "few": "drop participants with fewer than three queries",
        "minmax": "rescale satisfaction to 0 to 1 per participant, drop participants for whom it is constant",
    }
)
"""Steps of the cleansing in their order, and what they do."""
REASONS: Mapping[str, str] = MappingProxyType(
    {
        "unrated_queries": "queries without a rating",
        "unanswered_queries": "queries without results, or without relevance",
        "invalid_queries": "queries of which more than 90% of the images could not be judged",
        "short_queries": "queries with fewer rows than the deepest that is counted",
        "unjudged_queries": "queries without a judged image",
        "few_users": "participants with fewer than three queries",
        "few_queries": "queries of participants with fewer than three",
        "constant_users": "participants who were equally satisfied with everything",
        "constant_queries": "queries of participants who were equally satisfied with everything",
    }
)
"""What is counted as dropped, in words."""
Gain = Literal["original", "context-aware"]
GAINS: tuple[Gain, Gain] = ("original", "context-aware")
Resample = Literal["users", "queries"]
DEPTHS = (5, 10)
N_RESAMPLES = 2_000
VARIANCE_ROWS = 5
Subset = Literal["lowest variance", "highest variance"]
SUBSETS: tuple[Subset, Subset] = ("lowest variance", "highest variance")

Origin = Literal["files", "study", "simulated"]
Order = Literal["rows", "columns", "snake"]
ORDERS: Mapping[Order, str] = MappingProxyType(
    {
        "rows": "row by row, from the left",
        "columns": "column by column, from the top",
        "snake": "row by row, every other row from the right",
    }
)
"""In which order people are taken to look at the images of a page."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who judged relevance, where the file says so.

    n: workers. judgments: those given, of them ``invalid`` ones. alpha: Krippendorff's over the ``shared``
    images with two valid judgments or more, at ``level``; NaN where it is undefined.
    """

    n: int
    judgments: int
    invalid: int
    shared: int
    alpha: float
    level: Level


@dataclass(frozen=True, eq=False)
class Satisfaction:
    """n ratings and the list that each is about, in reading order.

    A query rated by two people stands here twice, as two sessions. All arrays have n rows; lists shorter than
    the longest end in ranks that are not ``shown``.

    queries, users: ids, of each rating, and of all people in order. user_of: positions in ``users``.
    satisfaction: on any scale, higher is better. relevance: (n, K), 0 to 1, NaN where an image could not be
    judged and where none is shown. row_of: (n, K), row of the grid, from 0. shown: (n, K). scale: what was 0
    and 1 in the file. unrated: lists nobody rated, left out. what: in words, where it comes from.
    unanswered: ratings, left out, of queries that a system of a study did not answer or without relevance.
    column_of: (n, K), column of the grid, from 0; None: the place in the row. seen: (n, K), fixations or
    clicks (``seen_by``), NaN where none were recorded; None without any. sessions: of each rating, "" where
    unknown. judgments: of the relevance of images, each counted once. workers: who gave them, if known.
    """

    queries: tuple[str, ...]
    users: tuple[str, ...]
    user_of: Ints
    satisfaction: Floats
    relevance: Floats
    row_of: Ints
    shown: Bools
    scale: tuple[float, float]
    unrated: int
    origin: Origin
    what: str
    unanswered: int = 0
    column_of: Ints | None = None
    seen: Floats | None = None
    seen_by: str = ""
    sessions: tuple[str, ...] = ()
    judgments: int = 0
    workers: Workers | None = None

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def judged(self) -> Bools:
        """Images that were shown and have a relevance, shape (n, K)."""
        return self.shown & ~np.isnan(self.relevance)

    @property
    def n_rows(self) -> Ints:
        """Rows of the grid that each list fills, shape (n,)."""
        deepest: Ints = np.where(self.shown, self.row_of + 1, 0).max(axis=1, initial=0)
        return deepest

    @cached_property
    def digest(self) -> str:
        """Of the content, wherever it lies."""
        parts = (self.user_of, self.satisfaction, self.relevance, self.row_of, self.shown)
        more = [part for part in (self.column_of, self.seen) if part is not None]
        return digest_of(self.queries, self.users, *parts, self.scale, self.origin, *more)

    @property
    def n_images(self) -> int:
        """Images shown, those of a query that several people rated once."""
        first = np.unique(np.array(self.queries, np.object_), return_index=True)[1]
        return int(self.shown[first].sum())

    @property
    def n_sessions(self) -> int | None:
        """Search sessions: a user's ratings with the same session (or task); None where nobody says."""
        if not all(self.sessions) or not self.sessions:
            return None
        return len(set(zip(self.user_of.tolist(), self.sessions, strict=True)))


def names_of(sets: Sequence[Satisfaction]) -> list[str]:
    """Each data set by where it comes from; with a number where two come from files of the same names."""
    names = [data.what for data in sets]
    return [name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names, start=1)]


def rectangle(lists: Sequence[Sequence[Sequence[float]]]) -> tuple[Floats, Ints, Bools, Ints, Floats]:
    """Relevance, row from 0, whether an image is shown, column from 0 and attention: (n, K) each.

    ``lists``: of each query, of each image row and column from 1, relevance and attention.
    """
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    shown = np.arange(int(lengths.max(initial=0))) < lengths[:, np.newaxis]
    relevance, seen = np.full(shown.shape, np.nan), np.full(shown.shape, np.nan)
    row_of, column_of = np.zeros(shown.shape, np.int32), np.zeros(shown.shape, np.int32)
    flat = np.array([cell for one in lists for cell in one], dtype=np.float64).reshape(-1, 4)
    row_of[shown], column_of[shown] = (flat[:, i].astype(np.int32) - 1 for i in (0, 1))
    relevance[shown], seen[shown] = flat[:, 2], flat[:, 3]
    return relevance, row_of, shown, column_of, seen


def places_in_rows(row_of: Ints) -> Ints:
    """The column of each image, from 0, where rows are filled from the left; shape (n, K) as ``row_of``."""
    ranks = np.broadcast_to(np.arange(row_of.shape[1]), row_of.shape)
    new = np.diff(row_of, axis=1, prepend=-1) != 0
    first: Ints = np.maximum.accumulate(np.where(new, ranks, 0), axis=1)
    return (ranks - first).astype(np.int32)


# Which ratings count, and on which scale: the steps of Shao et al. 2019, each counted, each optional.
#
# | step | what goes | why |
# |---|---|---|
# | invalid | queries of which more than 90% of the images could not be judged | nothing is known of them |
# | short | queries with fewer rows than the deepest asked for | all depths are about the same queries |
# | few | participants with fewer than three queries | their scale cannot be told |
# | minmax | satisfaction becomes (s - min) / (max - min) of the participant | people use scales differently |
#
# min and max of a participant are those of the queries that are left. Where they are equal the quotient is
# undefined, and with the step minmax the participant goes. Images that could not be judged are passed over:
# the list closes up, each image stays in its row.

MOST_INVALID = 0.9
FEWEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Clean:
    """The ratings that count.

    kept: shape (n,), of all ratings. satisfaction: shape (m,) of those kept, 0 to 1 per participant where the
    step minmax was taken. user_of: shape (m,), numbered from 0 without gaps. relevance, row_of, lengths: the
    lists closed up, (m, K), (m, K) and (m,). dropped: how many left, by reason. Queries are in the order of
    their ids. column_of, seen: (m, K), see `Satisfaction`; attention is NaN where none was recorded.
    """

    kept: Bools
    queries: tuple[str, ...]
    satisfaction: Floats
    user_of: Offsets
    relevance: Floats
    row_of: Ints
    lengths: Offsets
    dropped: Mapping[str, int]
    column_of: Ints
    seen: Floats

    @property
    def n_queries(self) -> int:
        return len(self.satisfaction)

    @property
    def n_users(self) -> int:
        return int(self.user_of.max(initial=-1)) + 1

    def grid(self, rows: int, order: Order = "rows") -> Grid:
        """The first rows of every list, in the order in which people are taken to look at them."""
        inside = np.arange(self.relevance.shape[1]) < self.lengths[:, np.newaxis]
        lengths = np.count_nonzero(inside & (self.row_of < rows), axis=1)
        widest = int(lengths.max(initial=0))
        relevance, row_of = self.relevance[:, :widest], self.row_of[:, :widest]
        if order == "rows":
            return Grid(relevance, lengths, row_of)
        front = self._turned(rows, order)[:, :widest]
        return Grid(
            np.take_along_axis(self.relevance, front, 1), lengths, np.take_along_axis(self.row_of, front, 1)
        )

    def attention(self, rows: int, order: Order = "rows") -> Floats:
        """Mean attention at each rank of the first rows, shape (K,); 0 where none was recorded.

        Divided by its sum, so that it is a discount: how much of all that people looked at was there.
        """
        grid = self.grid(rows, order)
        front = self._turned(rows, order)[:, : grid.relevance.shape[1]]
        seen = np.where(grid.inside, np.take_along_axis(self.seen, front, 1), np.nan)
        known = ~np.isnan(seen)
        mean = np.nan_to_num(seen).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        shares: Floats = mean / max(float(mean.sum()), np.finfo(float).tiny)
        return shares

    def _turned(self, rows: int, order: Order) -> Offsets:
        """Which rank comes when, shape (m, K): the images of the first rows in order, the others behind."""
        inside = np.arange(self.relevance.shape[1]) < self.lengths[:, np.newaxis]
        width = int(self.column_of.max(initial=0)) + 1
        if order == "columns":
            place = self.column_of.astype(np.int64) * rows + self.row_of
        else:
            back = (self.row_of % 2 == 1) & (order == "snake")
            place = self.row_of.astype(np.int64) * width + np.where(
                back, width - 1 - self.column_of, self.column_of
            )
        place = np.where(inside & (self.row_of < rows), place, np.iinfo(np.int64).max)
        result: Offsets = np.argsort(place, axis=1, kind="stable")
        return result


def cleanse(data: Satisfaction, *, depth: int, without: Collection[Step] = ()) -> Clean:
    """Take the steps in their order, but for those named.

    ``depth``: rows of the deepest list asked for. InputError when no query is left, with what went and why.
    """
    steps = [step for step in STEPS if step not in without]
    kept = np.ones(len(data), np.bool_)
    dropped = dict.fromkeys(REASONS, 0)
    dropped |= {"unrated_queries": data.unrated, "unanswered_queries": data.unanswered}
    judged, shown = data.judged.sum(axis=1), data.shown.sum(axis=1)
    for step, fails in (
        # In whole numbers: 9 of 10 are not more than 90%. What has nothing judged has no value at all.
        ("invalid", 10 * (shown - judged) > round(10 * MOST_INVALID) * shown),
        ("short", data.n_rows < depth),
    ):
        if step in steps:
            dropped[f"{step}_queries"] = int((kept & fails).sum())
            kept &= ~fails
    nothing = kept & (judged == 0)
    dropped["unjudged_queries"] = int(nothing.sum())
    kept &= ~nothing
    if "few" in steps:
        sizes = np.bincount(data.user_of[kept], minlength=len(data.users))
        _leave(data, kept, (sizes > 0) & (sizes < FEWEST), "few", dropped)
    satisfaction = data.satisfaction
    if "minmax" in steps:
        low, high = _ends(data, kept)
        _leave(data, kept, low == high, "constant", dropped)
        span = np.where(low < high, high - low, 1.0)
        satisfaction = (satisfaction - low[data.user_of]) / span[data.user_of]
    if not kept.any():
        raise InputError(f"No query is left of {len(data):,}. {_why(dropped, depth)}")
    return _closed_up(data, kept, satisfaction, dropped)


def usual_depths(data: Satisfaction) -> tuple[int, ...]:
    """Rows to count where nobody says: 5 and 10 where half of the lists have them, else what half have."""
    half = int(np.median(data.n_rows)) if len(data) else DEPTHS[0]
    return tuple(depth for depth in DEPTHS if depth <= half) or (max(half, 1),)


def _why(dropped: Mapping[str, int], depth: int) -> str:
    """What went, and what to do."""
    gone = "; ".join(f"{n:,} {REASONS[reason]}" for reason, n in dropped.items() if n)
    return f"Left out: {gone}. Ask for fewer rows than {depth}, or leave out a step of the cleansing."


def _leave(data: Satisfaction, kept: Bools, users: Bools, step: str, dropped: dict[str, int]) -> None:
    """Drop whole participants, of those who still have queries."""
    theirs = kept & users[data.user_of]
    dropped[f"{step}_users"] = len(np.unique(data.user_of[theirs]))
    dropped[f"{step}_queries"] = int(theirs.sum())
    kept &= ~theirs


def _ends(data: Satisfaction, kept: Bools) -> tuple[Floats, Floats]:
    """The lowest and highest satisfaction of each participant, shape (n_users,)."""
    low, high = np.full(len(data.users), np.inf), np.full(len(data.users), -np.inf)
    np.minimum.at(low, data.user_of[kept], data.satisfaction[kept])
    np.maximum.at(high, data.user_of[kept], data.satisfaction[kept])
    gone = np.isinf(low)
    return np.where(gone, 0.0, low), np.where(gone, 1.0, high)


def _closed_up(data: Satisfaction, kept: Bools, satisfaction: Floats, dropped: Mapping[str, int]) -> Clean:
    """The kept ratings with their judged images only, in the order of queries and users."""
    names = sorted(np.flatnonzero(kept).tolist(), key=lambda i: (data.queries[i], data.user_of[i]))
    rows = np.array(names, dtype=np.int64)
    judged = data.judged[rows]
    front = np.argsort(~judged, axis=1, kind="stable")
    relevance = np.take_along_axis(data.relevance[rows], front, axis=1)
    row_of = np.take_along_axis(data.row_of[rows], front, axis=1)
    column_of = places_in_rows(data.row_of) if data.column_of is None else data.column_of
    seen = np.full(data.relevance.shape, np.nan) if data.seen is None else data.seen
    return Clean(
        kept,
        tuple(data.queries[i] for i in names),
        satisfaction[rows],
        np.unique(data.user_of[rows], return_inverse=True)[1].astype(np.int64),
        np.nan_to_num(relevance),
        row_of,
        judged.sum(axis=1),
        MappingProxyType(dict(dropped)),
        np.take_along_axis(column_of[rows], front, axis=1),
        np.take_along_axis(seen[rows], front, axis=1),
    )
