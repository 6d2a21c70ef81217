"""Gains of ranked lists, and what is expected of them when equal scores are ordered at random.

Inside a group of m equal scores covering ranks s+1..s+m every order is as good as another; over all
of them each rank holds, on average, the mean gain of the group. A measure that is linear in the gains
(P, mean, DCG, RBP; nDCG too, its ideal being fixed) has as expectation the value of these averaged
gains (McSherry & Najork 2008, doi:10.1007/978-3-540-78646-7_38).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Floats, Offsets, ranks_of


@dataclass(frozen=True, slots=True, eq=False)
class RankedGains:
    """Gains of n ranked lists, best rank first, in CSR form.

    Gains of list i: ``gains[indptr[i]:indptr[i+1]]``; an empty list is a query that got no answer.
    ``groups`` says which rows are tied (see `order.tie_groups`) when the expectation over tie orders is
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
