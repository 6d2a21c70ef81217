"""Ranked lists in CSR form: the one tie rule that orders them, where they are cut, and gains along them.

Score descending, then image id ascending. Image indices are positions in the sorted ids, so "id ascending" is
"index ascending". Every ranking of the program is ordered here and nowhere else. (trec_eval breaks ties by
*descending* id.)

Where equal scores are ordered at random instead: inside a group of m equal scores covering ranks s+1..s+m
every order is as good as another; over all of them each rank holds, on average, the mean gain of the group. A
measure that is linear in the gains (P, mean, DCG, RBP; nDCG too, its ideal being fixed) has as expectation
the value of these averaged gains (McSherry & Najork 2008, doi:10.1007/978-3-540-78646-7_38).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Floats, Ints, Offsets, indptr_of, ranks_of


def ranked_order(queries: Ints, scores: Floats, candidates: Ints) -> npt.NDArray[np.intp]:
    """In which order do the rows of a run stand: by query, then best first, ties by candidate index.

    Parameters
    ----------
    queries, scores, candidates
        Aligned, shape (m,). Scores must not be NaN (a reader reports those before ranking).

    Returns
    -------
    permutation, shape (m,)
        Rows taken in this order are grouped by ascending query index and ranked inside each group.
        Rows equal in all three keep their given order.
    """
    lengths = [len(queries), len(scores), len(candidates)]
    if len(set(lengths)) != 1:
        raise ValueError(f"Columns of a run must be equally long. Got {lengths}.")
    same_query, same_score = queries[1:] == queries[:-1], scores[1:] == scores[:-1]
    if not np.all((queries[1:] > queries[:-1]) | (same_query & (scores[1:] <= scores[:-1]))):
        return np.lexsort((candidates, -scores, queries))
    # Most files stand by query and score already; sorting only what is tied is several times faster.
    tied = same_query & same_score
    rows = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    order = np.arange(len(queries))
    order[rows] = rows[np.lexsort((candidates[rows], -scores[rows], queries[rows]))]
    return order


def offsets_of(sorted_queries: Ints) -> tuple[Ints, Offsets]:
    """The distinct values of a sorted query column and where each one's rows begin (and the last ends).

    Shapes (n,) and (n+1,); an empty column gives no queries and the single offset 0.
    """
    later = np.flatnonzero(sorted_queries[1:] != sorted_queries[:-1]) + 1
    starts = np.concatenate([np.zeros(min(len(sorted_queries), 1), np.int64), later])
    return sorted_queries[starts].astype(np.int32), np.append(starts, len(sorted_queries))


def tie_groups(indptr: Offsets, scores: Floats) -> Offsets:
    """Where each group of equal scores begins, for ranked lists in CSR form: a group never spans lists.

    Returns the starts of the groups with the total number of rows appended, shape (groups + 1,).
    """
    first = np.zeros(len(scores), np.bool_)
    first[indptr[:-1][np.diff(indptr) > 0]] = True
    first[1:] |= scores[1:] != scores[:-1]
    return np.append(np.flatnonzero(first), len(scores)).astype(np.int64)


def first_places(
    indptr: Offsets, candidates: Ints, scores: Floats, depth: int, *, whole_ties: bool
) -> tuple[Offsets, Ints, Floats]:
    """The first ``depth`` entries of each ranked list, or as many as are no worse than the last of these."""
    first = ranks_of(indptr) <= depth
    if whole_ties and depth and len(scores):
        last = np.clip(np.minimum(indptr[:-1] + depth, indptr[1:]) - 1, 0, None)
        first |= scores >= np.repeat(scores[last], np.diff(indptr))
    return indptr_of(first)[indptr], candidates[first], scores[first]


@dataclass(frozen=True, slots=True, eq=False)
class RankedGains:
    """Gains of n ranked lists, best rank first, in CSR form.

    Gains of list i: ``gains[indptr[i]:indptr[i+1]]``; an empty list is a query that got no answer.
    ``groups`` says which rows are tied (see `tie_groups`) when the expectation over tie orders is
    wanted; None when the order given is the order meant.
    """

    indptr: Offsets
    gains: Floats
    groups: Offsets | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def ranks(self) -> Offsets:
        """1-based rank of every row in its list."""
        return ranks_of(self.indptr)

    @property
    def parts(self) -> Offsets:
        """Where each group of equal scores begins, then the number of rows; without ``groups`` each row."""
        return np.arange(len(self.gains) + 1) if self.groups is None else self.groups

    @property
    def relevant_by_part(self) -> Floats:
        """How many images of each part gain anything, shape (parts,)."""
        relevant = self.relevant.gains
        return relevant if self.groups is None else np.add.reduceat(relevant, self.groups[:-1])

    def by_row(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values of the parts, for each row of a part."""
        return values if self.groups is None else np.repeat(values, np.diff(self.groups))

    def ahead(self, amounts: Floats) -> tuple[Floats, Offsets]:
        """Of ``amounts`` by part: what the parts before each one hold in its list, and which list that is."""
        # The part that each list begins with.
        first = self.indptr if self.groups is None else np.searchsorted(self.groups[:-1], self.indptr)
        before, n_parts = np.append(0.0, np.cumsum(amounts)), np.diff(first)
        return before[:-1] - np.repeat(before[first[:-1]], n_parts), np.repeat(np.arange(len(self)), n_parts)

    @property
    def relevant(self) -> RankedGains:
        """The same lists with gain 1 for every image that gains anything, else 0."""
        return RankedGains(self.indptr, (self.gains > 0).astype(float), self.groups)

    @property
    def expected(self) -> Floats:
        """The gain each rank holds on average; the gains themselves when no ties are declared."""
        if self.groups is None:
            return self.gains
        return self.by_row(list_sums(self.groups, self.gains) / np.diff(self.groups))

    def top(self, cutoff: int) -> Floats:
        """Expected gains of the first ``cutoff`` ranks; 0 where a list is shorter.

        Shape (n, cutoff), or narrower when no list is so long.
        """
        lengths = np.diff(self.indptr)
        width = min(cutoff, int(lengths.max(initial=0)))
        if not width:
            return np.zeros((len(self), 0))
        rows = self.indptr[:-1, None] + np.arange(width)
        gains: Floats = self.expected[np.minimum(rows, len(self.gains) - 1)]
        return gains if lengths.min() >= width else np.where(rows < self.indptr[1:, None], gains, 0.0)


def filled(gains: Floats, width: int) -> Floats:
    """Gains by rank, shape (n, K), with zeros up to so many ranks."""
    return np.pad(gains, ((0, 0), (0, width - gains.shape[1])))


def share_of(result: Floats, totals: npt.NDArray[np.number[Any]]) -> Floats:
    """``result / totals``, of any shape; NaN where ``totals`` is 0: there was nothing to find."""
    shares: Floats = np.divide(result, totals, out=np.full(result.shape, np.nan), where=totals > 0)
    return shares
