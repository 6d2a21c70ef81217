"""Lists, who saw them, and how satisfied they were: one value, wherever it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.values.arrays import Bools, Floats, Ints, digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Origin = Literal["files", "study", "simulated"]


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


def rectangle(lists: Sequence[Sequence[tuple[int, float]]]) -> tuple[Floats, Ints, Bools]:
    """Relevance, row from 0, whether an image is shown: (n, K) each, of lists of (row from 1, relevance)."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    shown = np.arange(int(lengths.max(initial=0))) < lengths[:, np.newaxis]
    relevance, row_of = np.full(shown.shape, np.nan), np.zeros(shown.shape, np.int32)
    flat = np.array([cell for one in lists for cell in one], dtype=np.float64).reshape(-1, 2)
    row_of[shown] = flat[:, 0].astype(np.int32) - 1
    relevance[shown] = flat[:, 1]
    return relevance, row_of, shown
