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
from evalcore.evaluate.systems import lists_of, name_of, resolve_lists
from evalcore.evaluate.targets import pool_of
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
    from evalcore.values.arrays import Floats
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
    values, row_of, shown = rectangle([lists.of[row.query] for row in rows])
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
    cells = [[(1 + i // width, value) for i, value in enumerate(values.tolist())] for _, values in kept]
    values, row_of, shown = rectangle(cells)
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
