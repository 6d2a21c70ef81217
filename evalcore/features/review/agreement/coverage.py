"""How much of what a system returns did readers see? Judged@K, and what that does to its score.

A result nobody judged counts as not relevant, as trec_eval has it. A system whose lists no reader was shown
(it did not contribute to the pool) then looks worse than it is: its share of judged results says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from evalcore.features.review.agreement.ratings import Item

WELL_JUDGED = 0.9
"""From this share of judged results on, what was not judged hardly moves a score."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The first ``k`` results of a system for ``n_queries`` judged queries: judged, "cannot say", neither."""

    system: str
    k: int
    n_queries: int
    judged: int
    cannot_say: int
    unjudged: int

    @property
    def n_results(self) -> int:
        return self.judged + self.cannot_say + self.unjudged

    @property
    def share(self) -> float:
        """Judged@K: of the results returned, the share with a grade; NaN when none was returned."""
        return self.judged / self.n_results if self.n_results else float("nan")

    @property
    def poor(self) -> bool:
        """Whether so much is unjudged that a score by judgments is about the pool as much as the system."""
        return self.n_results > 0 and self.share < WELL_JUDGED


def coverage(
    system: str, lists: Mapping[str, Sequence[str]], judged: Set[Item],
    cannot_say: Set[Item], *, k: int,
) -> Coverage:  # fmt: skip
    """Judged@K of one system.

    Parameters
    ----------
    lists
        Of each judged query the results, best first; an empty list where it was not answered.
    judged, cannot_say
        (query, result) with a grade from anybody; with "cannot say" from somebody and a grade from nobody.
    """
    rows = [(query, result) for query, results in lists.items() for result in results[:k]]
    n = sum(row in judged for row in rows)
    unsure = sum(row in cannot_say and row not in judged for row in rows)
    return Coverage(system, k, len(lists), n, unsure, len(rows) - n - unsure)
