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

Origin = Literal["files", "study"]


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
    sessions: of each rating, "" where unknown. judgments: of the relevance of images, each counted once.
    workers: who gave them, if known.
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
        return digest_of(self.queries, self.users, *parts, self.scale, self.origin)

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


def rectangle(lists: Sequence[Sequence[tuple[int, float]]]) -> tuple[Floats, Ints, Bools]:
    """Relevance, row from 0, and whether an image is shown: (n, K) each.

    ``lists``: of each query, of each image the row from 1 and the relevance.
    """
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    shown = np.arange(int(lengths.max(initial=0))) < lengths[:, np.newaxis]
    relevance, row_of = np.full(shown.shape, np.nan), np.zeros(shown.shape, np.int32)
    flat = np.array([cell for one in lists for cell in one], dtype=np.float64).reshape(-1, 2)
    row_of[shown], relevance[shown] = flat[:, 0].astype(np.int32) - 1, flat[:, 1]
    return relevance, row_of, shown


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
    their ids.
    """

    kept: Bools
    queries: tuple[str, ...]
    satisfaction: Floats
    user_of: Offsets
    relevance: Floats
    row_of: Ints
    lengths: Offsets
    dropped: Mapping[str, int]

    @property
    def n_queries(self) -> int:
        return len(self.satisfaction)

    @property
    def n_users(self) -> int:
        return int(self.user_of.max(initial=-1)) + 1

    def grid(self, rows: int) -> Grid:
        """The first rows of every list, in reading order."""
        inside = np.arange(self.relevance.shape[1]) < self.lengths[:, np.newaxis]
        lengths = np.count_nonzero(inside & (self.row_of < rows), axis=1)
        widest = int(lengths.max(initial=0))
        return Grid(self.relevance[:, :widest], lengths, self.row_of[:, :widest])


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
    return Clean(
        kept,
        tuple(data.queries[i] for i in names),
        satisfaction[rows],
        np.unique(data.user_of[rows], return_inverse=True)[1].astype(np.int64),
        np.nan_to_num(relevance),
        row_of,
        judged.sum(axis=1),
        MappingProxyType(dict(dropped)),
    )
