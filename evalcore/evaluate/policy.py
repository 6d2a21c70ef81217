"""The one place that says which queries have no value, and why.

| the query | relevance metric | label metric |
|---|---|---|
| carries no such label | - | outside the pool: never asked |
| nobody annotated it | not annotated | - |
| is annotated with nothing | no concepts | - |
| has no embedding (``cosine:SYSTEM``) | no embedding | - |
| has no judged result (``judged``, ``qrels:NAME``) | not judged | - |
| has nothing relevant to find | no relevant candidate; 0 (mean, RBP, ERR) | no relevant candidate; 0 (P) |
| is not in the run | 0, and counted as missing | 0, and counted as missing |

A query without a value is NaN in the scores; whether the mean leaves it out or counts 0 is decided by
``Settings.undefined`` in `counted`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evalcore import engine
from evalcore.ranking.metrics import METRICS, Metric, Target, by_median
from evalcore.relevance.registry import by_judgments, parse_relevance
from evalcore.stats.medians import median_of
from evalcore.stats.sums import mean_of
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import SettingError
from evalcore.values.model import (
    DEFINED,
    NO_CONCEPTS,
    NO_EMBEDDING,
    NO_RELEVANT,
    NOT_ANNOTATED,
    NOT_JUDGED,
    OUTSIDE_POOL,
    Scores,
    Study,
)
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

Reasons = npt.NDArray[np.uint8]


def reasons_of(study: Study, metric: Metric, queries: Ints, target: Target) -> Reasons:
    """Why each query of the metric's pool has no value, shape (n,); DEFINED for those that have one.

    ``queries``: image indices, shape (n,). A query has no value where nothing relevant is among its
    candidates (NO_RELEVANT, for metrics that need something), it was not judged, its system has no vector for
    it, it has no concepts that count, or it is not annotated. Where several apply, the last of these is
    given.
    """
    reasons = np.full(len(queries), DEFINED, np.uint8)
    if METRICS[metric.family].needs_something_relevant:
        most = target.n_relevant if target.ideal is None else target.ideal[:, 0]
        assert most is not None, "a target is an ideal or a number"
        reasons[most <= 0] = NO_RELEVANT
    if metric.relevance is None:
        return reasons
    if by_judgments(metric.relevance):
        reasons[~engine.has_relevance(study, metric.relevance, queries)] = NOT_JUDGED
        return reasons
    if parse_relevance(metric.relevance).system is not None:
        reasons[~engine.has_relevance(study, metric.relevance, queries)] = NO_EMBEDDING
        return reasons
    reasons[engine.concepts_counted(study, metric.relevance, queries) == 0] = NO_CONCEPTS
    reasons[~study.concepts.annotated[queries]] = NOT_ANNOTATED
    return reasons


def settings_of(scores: Sequence[Scores], settings: Settings | None) -> Settings:
    """The settings given, else those of the scores; the default ones without scores.

    Raises SettingError where no settings are given and the scores differ in how they count queries without a
    value, or in their intervals.
    """
    if settings is not None or not scores:
        return Settings() if settings is None else settings
    first, *others = (score.settings for score in scores)
    for name in ("undefined", "interval"):
        ways = dict.fromkeys(str(getattr(settings, name)) for settings in (first, *others))
        if len(ways) > 1:
            raise SettingError(name, "given here, because the scores were made with several", ", ".join(ways))
    return first


def groups_of(scores: Scores, queries: Ints) -> Ints | None:
    """The groups of some of the queries, shape (n,), -1 for a query without a group.

    ``queries``: image indices that the scores have, shape (n,). None where the study has no groups or no two
    of the queries share one, so that all are independent.
    """
    if scores.groups is None:
        return None
    return shared_groups(scores.groups[np.searchsorted(scores.queries, queries)])


def shared_groups(groups: Ints) -> Ints | None:
    """The group of each of some queries, -1 for none; None where no two of them share one."""
    named = groups[groups >= 0]
    return groups if len(np.unique(named)) < len(named) else None


def counted_or_nan(scores: Scores, settings: Settings) -> Floats:
    """The values of all queries of the scores as they enter a mean, shape (n_queries,).

    NaN for queries that do not: those outside the metric's pool, and undefined ones unless
    ``settings.undefined`` is "zero", where they are 0.
    """
    queries, values = counted(scores, settings)
    placed = np.full(len(scores.queries), np.nan)
    placed[np.searchsorted(scores.queries, queries)] = values
    return placed


def average(metric: str, values: Floats) -> float:
    """What a measure makes of its values per query: their mean, or median (MedR); NaN of none."""
    return median_of(values) if by_median(metric) else mean_of(values)


def counted(scores: Scores, settings: Settings) -> tuple[Ints, Floats]:
    """The queries that enter a mean, and their values.

    The defined ones (``undefined="skip"``), or all of the pool with 0 for the others ("zero").
    """
    if settings.undefined == "skip":
        rows = scores.reasons == DEFINED
        return scores.queries[rows], scores.values[rows]
    rows = scores.reasons != OUTSIDE_POOL
    return scores.queries[rows], np.nan_to_num(scores.values[rows], nan=0.0)
