"""What the paper on context-aware gain reports, row by row, to stand beside one's own numbers.

Data set 1: 1,248 queries with ten rows or more. Data set 2: 850 queries with fifteen rows or more.
Table 3 holds all queries, Table 2 the quarters with the lowest and the highest variance of relevance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.satisfaction.data import Satisfaction
from evalcore.features.satisfaction.read import SOURCE, published_rows

if TYPE_CHECKING:
    from evalcore.values.arrays import Bools, Floats, Ints

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
    said = {"yes": True, "no": False, "": None}
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
            said[row["significant"]],
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
    found: Floats = np.clip(np.round(values, 2), 0.0, 1.0)
    return found


def _worth(relevance: Floats, shown: Bools, going_on: Floats, *, compare: bool) -> Floats:
    """Mean worth of what each person looks at, shape (n,)."""
    best = np.maximum.accumulate(relevance, axis=1)
    worth = relevance * np.divide(relevance, best, out=np.ones_like(best), where=best > 0)
    looked = np.where(shown, going_on[:, np.newaxis] ** np.arange(relevance.shape[1]), 0.0)
    found: Floats = ((worth if compare else relevance) * looked).sum(axis=1) / looked.sum(axis=1)
    return found
