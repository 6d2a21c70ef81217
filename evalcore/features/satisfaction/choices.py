"""What can be chosen of a satisfaction study, by name; loads no number library."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    pass


Step = Literal["invalid", "short", "few", "minmax"]
STEPS: Mapping[Step, str] = MappingProxyType(
    {
        "invalid": "queries of which more than 90% of the images could not be judged go",
        "short": "queries with fewer rows than the deepest that is counted go",
        "few": "participants with fewer than three queries go",
        "minmax": "satisfaction from 0 to 1 per participant; participants with constant satisfaction go",
    }
)
"""Steps of the cleansing in their order, and what they do."""
REASONS: Mapping[str, str] = MappingProxyType(
    {
        "unrated_queries": "queries that nobody rated",
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
