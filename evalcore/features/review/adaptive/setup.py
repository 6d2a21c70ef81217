"""What a task file says of a task that asks only what decides."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.features.review.adaptive.course import Claim

AT_MOST = 1_000_000
OF_FORMS = ("graded", "preference")
"""What is asked where judging can stop early."""
NO_PRIOR = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """The keys of a task file that make it adaptive; ``claim`` is called ``adaptive`` there.

    claim
        best: which system is best; order: the order of all; value: the score of each.
    at_most
        Items judged at most, each counted once.
    level
        Of the claim, and of all intervals together.
    within
        Of the claim value: half the width of the intervals that is enough.
    prior
        A relevance that predicts answers; it makes estimates sharper, and need not be right. "none" for none.
    shared
        Queries that every reader judges, for agreement.
    lists
        A fingerprint of the lists and of the prior, as they were when the task was made; "" is not checked.
    """

    claim: Claim
    at_most: int
    level: float = 0.95
    within: float = 0.05
    prior: str = NO_PRIOR
    shared: int = 2
    lists: str = ""
