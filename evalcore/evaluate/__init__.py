"""Composition: relevance x runs x measures -> scores, and from scores to statements.

The only place that decides what missing, empty and undefined queries count (see `policy`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.values.lazy import lazy

if TYPE_CHECKING:
    from evalcore.evaluate.comparison import compare, compare_all
    from evalcore.evaluate.scoring import score
    from evalcore.evaluate.summary import counted, summarise, summarise_all
    from evalcore.evaluate.systems import System, common_queries, resolve_systems
    from evalcore.evaluate.targets import label_column

__all__ = [
    "System",
    "common_queries",
    "compare",
    "compare_all",
    "counted",
    "label_column",
    "resolve_systems",
    "score",
    "summarise",
    "summarise_all",
]

_HOME = {
    "evalcore.evaluate.comparison": ("compare", "compare_all"),
    "evalcore.evaluate.scoring": ("score",),
    "evalcore.evaluate.summary": ("counted", "summarise", "summarise_all"),
    "evalcore.evaluate.systems": ("System", "common_queries", "resolve_systems"),
    "evalcore.evaluate.targets": ("label_column",),
}

__getattr__ = lazy(__name__, _HOME)
