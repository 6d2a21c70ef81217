"""What the paper on context-aware gain reports, row by row, to stand beside one's own numbers.

Data set 1: 1,248 queries with ten rows or more. Data set 2: 850 queries with fifteen rows or more.
Table 3 holds all queries, Table 2 the quarters with the lowest and the highest variance of relevance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from evalcore.features.satisfaction.read.published_file import SOURCE, published_rows

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
            int(row["table"]), int(row["data_set"]), int(row["depth"]), int(row["n_queries"]), row["metric"],
            row["gain"], row["subset"], float(row["spearman"]), said[row["significant"]],
        )
        for row in published_rows()
    )  # fmt: skip


def find(metric: str, gain: str, depth: int, *, data_set: int, subset: str = "all") -> Published | None:
    """One of them; None where the paper has no such number."""
    asked = (metric, gain, depth, data_set, subset)
    return next((p for p in published() if (p.metric, p.gain, p.depth, p.data_set, p.subset) == asked), None)
