"""What a score is a share of: how close the closest image to a query is, of all that could be returned."""

from __future__ import annotations

from math import isfinite, nan

import numpy as np

from evalcore import engine
from evalcore.evaluate.targets import metric_of
from evalcore.ui.frame.context import Context
from evalcore.values.writing import brief, md_escape, share

SHARES = {"CUI", "nnCUI", "nDCG"}
"""Families whose values are shares of the best order."""


def scored(context: Context, score: float) -> str:
    """What a system scores on the query, plain text; as a share of the best order where it is one."""
    if not isfinite(score):
        return "no score for this query"
    if context.choice.plain and _shared_relevance(context):
        return f"{share(score)} of the best achievable score"
    return f"scores {brief(score)}"


def closest(context: Context, query: int) -> str:
    """How relevant the best image to return is, where scores are shares of the best order; else ""."""
    result = reachable(context, query)
    if not isfinite(result):
        return ""
    if result <= 0:
        return "No image of this study has anything in common with the query"
    named = "" if context.choice.plain else f" ({md_escape(_shared_relevance(context))})"
    return f"The best match in the collection scores {brief(result)}{named}"


def reachable(context: Context, query: int) -> float:
    """The relevance of the best image to return; NaN where scores are no shares of the best order."""
    relevance = _shared_relevance(context)
    if not relevance:
        return nan
    study = context.study
    result = engine.ideal_gains(
        study,
        relevance,
        np.array([query], np.int32),
        candidates=study.candidates,
        depth=1,
        settings=context.choice.settings,
    )[0, 0]
    return float(result)


def _shared_relevance(context: Context) -> str:
    """The relevance whose best order the chosen measure divides by; "" where it divides by none."""
    metric = metric_of(context.study, context.choice.metric, context.choice.settings)
    return (metric.relevance or "") if metric.family in SHARES else ""
