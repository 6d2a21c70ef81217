"""Composition: relevance x runs x measures -> scores, and from scores to statements.

The only place that decides what missing, empty and undefined queries count (see `policy`).
"""

from __future__ import annotations

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
