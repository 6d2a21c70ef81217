"""What the paper on context-aware gain reports, row by row, to stand beside one's own numbers.

Data set 1: 1,248 queries with ten rows or more. Data set 2: 850 queries with fifteen rows or more.
Table 3 holds all queries, Table 2 the quarters with the lowest and the highest variance of relevance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore import engine
from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.systems import lists_of, name_of, resolve_lists
from evalcore.features.satisfaction.data import Satisfaction, Workers, rectangle
from evalcore.features.satisfaction.read import (
    INVALID,
    SOURCE,
    Ratings,
    bind_ratings,
    parse_relevance,
    parse_satisfaction,
    published_rows,
)
from evalcore.stats.agreement import alpha, level_of
from evalcore.values.errors import InputError, Report, SettingError
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.satisfaction.read import Rating, Scale
    from evalcore.values.arrays import Bools, Floats, Ints
    from evalcore.values.model import Study

__all__ = ["SOURCE", "Published", "find", "published"]


@dataclass(frozen=True, slots=True)
class Published:
    """One number. ``significant``: whether context-aware differs from original, None where not said."""

    table: int
    data_set: int
    depth: int
    n_queries: int
    metric: str
    gain: str
    subset: str
    spearman: float
    significant: bool | None


@cache
def published() -> tuple[Published, ...]:
    """Every number of Tables 2 and 3."""
    answers = {"yes": True, "no": False, "": None}
    return tuple(
        Published(
            int(row["table"]),
            int(row["data_set"]),
            int(row["depth"]),
            int(row["n_queries"]),
            row["metric"],
            row["gain"],
            row["subset"],
            float(row["spearman"]),
            answers[row["significant"]],
        )
        for row in published_rows()
    )


def find(metric: str, gain: str, depth: int, *, data_set: int, subset: str = "all") -> Published | None:
    """One of them; None where the paper has no such number."""
    asked = (metric, gain, depth, data_set, subset)
    return next((p for p in published() if (p.metric, p.gain, p.depth, p.data_set, p.subset) == asked), None)


# Simulated users who say how satisfied they are: to see what a measure can find when the truth is known.
#
# Images lie in rows of three to six, and each person looks at them row by row, going on from image to image
# with a chance of their own. What an image is worth to them is its relevance; to people who compare, that
# times its share of the best relevance they have seen so far. The mean worth of what they look at, some
# noise, and a habit of their own to praise or to complain make a mark from 1 to 5. Half of the lists have
# one outstanding image among the first four.
#
# People who compare are of the kind that context-aware gain assumes (Shao et al. 2019), except that they
# know no window of ten images. They say nothing about real people.

N_USERS, QUERIES_EACH = 36, 30
ROWS, WIDTHS = 10, (3, 6)
EARLY = 4
"""An outstanding image is among so many first."""
NOISE = 0.2
"""Standard deviation of what else decides, beside a worth of 0 to 1."""
WHAT = "simulated users, no real data"


def simulated(
    *,
    seed: int,
    compare: bool = True,
    n_users: int = N_USERS,
    queries_each: int = QUERIES_EACH,
    noise: float = NOISE,
) -> Satisfaction:
    """Lists, and ratings by people who compare each image with the best so far, or who do not.

    The same seed gives the same lists and the same people either way.
    """
    rng, n = np.random.default_rng(seed), n_users * queries_each
    row_of, shown = _grids(rng, n)
    relevance = _relevance(rng, shown)
    user_of = np.repeat(np.arange(n_users, dtype=np.int32), queries_each)
    latent = _worth(relevance, shown, rng.uniform(0.93, 0.99, n_users)[user_of], compare=compare)
    latent = latent + rng.normal(0.0, noise, n)
    middle, width = rng.normal(0.45, 0.15, n_users)[user_of], rng.uniform(0.1, 0.3, n_users)[user_of]
    marks = np.clip(np.round(3 + (latent - middle) / width), 1, 5)
    number = len(str(n))
    return Satisfaction(
        queries=tuple(f"sim-{i:0{number}d}" for i in range(n)),
        users=tuple(f"simulated {i + 1:02d}" for i in range(n_users)),
        user_of=user_of,
        satisfaction=marks,
        relevance=np.where(shown, relevance, np.nan),
        row_of=row_of,
        shown=shown,
        scale=(0.0, 1.0),
        unrated=0,
        origin="simulated",
        judgments=int(shown.sum()),
        what=WHAT,
    )


def _grids(rng: np.random.Generator, n: int) -> tuple[Ints, Bools]:
    """The row of each rank, and which ranks hold an image, shape (n, K)."""
    widths = rng.integers(WIDTHS[0], WIDTHS[1] + 1, (n, ROWS))
    ends = np.cumsum(widths, axis=1)
    ranks = np.arange(int(ends[:, -1].max()))
    shown = ranks < ends[:, -1:]
    row_of = (ranks[np.newaxis, :, np.newaxis] >= ends[:, np.newaxis, :]).sum(axis=2)
    return np.where(shown, row_of, 0).astype(np.int32), shown


def _relevance(rng: np.random.Generator, shown: Bools) -> Floats:
    """Lists of their own mean, spread and trend, half of them with an outstanding image; in hundredths."""
    n, k = shown.shape
    middle, spread = rng.uniform(0.3, 0.75, (n, 1)), rng.uniform(0.0, 0.2, (n, 1))
    trend = rng.uniform(-0.2, 0.4, (n, 1)) * (np.arange(k) / k - 0.5)
    values: Floats = middle - trend + spread * rng.normal(size=(n, k))
    at = rng.integers(0, EARLY, (n,))
    height = rng.uniform(0.85, 1.0, (n,))
    outstanding = np.flatnonzero(rng.random(n) < 0.5)
    first = at[outstanding]
    values[outstanding, first] = np.maximum(values[outstanding, first], height[outstanding])
    result: Floats = np.clip(np.round(values, 2), 0.0, 1.0)
    return result


def _worth(relevance: Floats, shown: Bools, going_on: Floats, *, compare: bool) -> Floats:
    """Mean worth of what each person looks at, shape (n,)."""
    best = np.maximum.accumulate(relevance, axis=1)
    worth = relevance * np.divide(relevance, best, out=np.ones_like(best), where=best > 0)
    looked = np.where(shown, going_on[:, np.newaxis] ** np.arange(relevance.shape[1]), 0.0)
    result: Floats = ((worth if compare else relevance) * looked).sum(axis=1) / looked.sum(axis=1)
    return result


# A satisfaction study from its two files, or from ratings of what the systems of an open study return.

_NO_LIST = np.empty(0)
ROWS_FROM_FILES = 20
"""Rows of the page that are looked at where nobody says how many."""


def from_files(
    relevance: bytes, satisfaction: bytes, *, names: tuple[str, str], scale: Scale | None = None
) -> tuple[Satisfaction | None, Report]:
    """The study in two files, by whatever can be read of them; None when nothing can.

    Parameters
    ----------
    names
        Of the two files, for messages.
    scale
        The lowest and highest relevance there can be, which become 0 and 1; None: 0 and the largest found.
    """
    check_scale(scale)
    lists, report = parse_relevance(relevance, file=names[0], scale=scale)
    ratings, of_ratings = parse_satisfaction(satisfaction, file=names[1])
    report += of_ratings
    if not lists.known or not ratings.rows:
        return None, report
    ratings, unknown = bind_ratings(ratings, lists.known, what=names[0])
    report += unknown
    rows = [row for row in ratings.rows if row.query in lists.of]
    if not rows:
        return None, report
    low, high = scale or (0.0, lists.largest or 1.0)
    values, row_of, shown, column_of, seen = rectangle([lists.of[row.query] for row in rows])
    given = [images for query in {row.query for row in rows} for images in lists.judgments[query]]
    values = np.where(np.isin(values, INVALID), np.nan, (values - low) / (high - low))
    return Satisfaction(
        **_people(rows),
        relevance=values,
        row_of=row_of,
        shown=shown,
        scale=(low, high),
        unrated=len(lists.of.keys() - {row.query for row in rows}),
        origin="files",
        what=f"{names[0]} and {names[1]}",
        column_of=column_of,
        seen=seen if lists.seen_by else None,
        seen_by=lists.seen_by,
        judgments=sum(map(len, given)),
        workers=workers_of(given, len(lists.workers)) if lists.workers else None,
    ), report


def workers_of(given: Sequence[Sequence[float]], n: int) -> Workers:
    """How far ``n`` workers agree who gave these judgments of each image; -1 and -2: could not be judged."""
    valid = [[value for value in values if value not in INVALID] for values in given]
    shared = [values for values in valid if len(values) > 1]
    # Who gave which value plays no part in alpha: columns are images, rows any of their judgments.
    table = np.full((max(map(len, shared), default=0), len(shared)), np.nan)
    for i, values in enumerate(shared):
        table[: len(values), i] = values
    level = level_of(table)
    total = sum(map(len, given))
    invalid = total - sum(map(len, valid))
    return Workers(n, total, invalid, len(shared), alpha(table, level) if shared else float("nan"), level)


def check_scale(scale: Scale | None) -> None:
    """SettingError unless 0 <= LOW < HIGH: -1 and -2 mean that an image could not be judged."""
    if scale is not None and not (0 <= scale[0] < scale[1] < float("inf")):
        raise SettingError("scale", "LOW:HIGH with 0 <= LOW < HIGH", f"{scale[0]:g}:{scale[1]:g}")


def from_study(
    study: Study,
    ratings: Ratings,
    *,
    by: str,
    system: str | None = None,
    width: int = 1,
    rows: int = ROWS_FROM_FILES,
    settings: Settings = Settings(),
) -> tuple[Satisfaction | None, Report]:
    """Ratings of what systems of a study return, images as queries; their relevance by one of its measures.

    Parameters
    ----------
    by
        A relevance measure, such as nn-iou. A negative cosine counts as 0.
    system
        Whose lists were rated, where the ratings do not say; where they do, only those of this system count.
    width
        Images in a row of the page that people saw.
    rows
        Rows of that page that are looked at.

    Raises
    ------
    UnknownName, InputError
        No such system or measure; nobody says whose lists were rated.
    """
    if width < 1:
        raise SettingError("width", "at least 1", width)
    asked = name_of(study, system) if system else ""
    if not asked and any(not row.system for row in ratings.rows):
        raise InputError(
            f"{ratings.file} does not name the rated system in every row. Add a column `system`, or "
            "name the system."
        )
    queries = [study.image_ids[q] for q in study.queries]
    bound, report = bind_ratings(ratings, queries, what="the queries of the study")
    named = [(row, name_of(study, row.system) if row.system else asked) for row in bound.rows]
    named = [(one, name) for one, name in named if asked in {"", name}]
    systems = sorted({name for _, name in named})
    lists = {name: _lists(study, name, by, rows * width, settings) for name in systems}
    at = study.concepts.index
    shown_to = [(one, lists[name].get(at(one.query), _NO_LIST)) for one, name in named]
    kept = [(one, values) for one, values in shown_to if len(values) and not np.isnan(values).any()]
    if not kept:
        return None, report
    cells = [
        [(1 + i // width, 1 + i % width, value, np.nan) for i, value in enumerate(values.tolist())]
        for _, values in kept
    ]
    values, row_of, shown, column_of, _ = rectangle(cells)
    what = f"{study.name}: {', '.join(systems)} by {by}"
    return Satisfaction(
        **_people([one for one, _ in kept]),
        relevance=values,
        row_of=row_of,
        shown=shown,
        scale=(0.0, 1.0),
        unrated=0,
        origin="study",
        what=what,
        unanswered=len(shown_to) - len(kept),
        column_of=column_of,
    ), report


def _lists(study: Study, name: str, by: str, depth: int, settings: Settings) -> dict[int, Floats]:
    """Relevance of what a system returns, best first, for every query of the study."""
    (system,) = resolve_lists(study, [name])
    pool = pool_of(study, (), study.queries, settings)
    result = lists_of(study, system, pool, study.queries, depth=depth, settings=settings)
    values = engine.relevance_of_pairs(study, by, result.query_of_row, result.candidates, settings)
    ends = np.maximum(values, 0.0)
    return {
        int(q): ends[start : min(end, start + depth)]
        for q, start, end in zip(result.queries, result.indptr[:-1], result.indptr[1:], strict=True)
    }


def _people(rows: Sequence[Rating]) -> dict[str, Any]:
    """Who rated what and how, of ratings in the order given."""
    users = tuple(sorted({rating.user for rating in rows}))
    number = {user: i for i, user in enumerate(users)}
    return {
        "queries": tuple(rating.query for rating in rows),
        "users": users,
        "user_of": np.fromiter((number[rating.user] for rating in rows), np.int32, len(rows)),
        "satisfaction": np.fromiter((rating.satisfaction for rating in rows), np.float64, len(rows)),
        "sessions": tuple(rating.session for rating in rows),
    }
