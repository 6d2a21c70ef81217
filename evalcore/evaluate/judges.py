"""Scores by few people and a program that judges all.

A program is a judge, never a reader: what it says counts as far as it agrees with people where both judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.summary import groups_of
from evalcore.ranking.families import METRICS
from evalcore.ranking.metrics import sign_of
from evalcore.relevance.registry import by_judgments, check_of
from evalcore.stats.prediction_powered import Powered, powered_mean
from evalcore.values.errors import SettingError
from evalcore.values.model import DEFINED, NOT_JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Scores, Study


@dataclass(frozen=True, slots=True)
class JudgedScore:
    """A system under a metric by people: by them alone, and with what ``judge`` says of the other queries.

    ``lead``: the same of its difference from the system with the highest score; None for that system.
    """

    system: str
    metric: str
    judge: str
    people: Powered
    powered: Powered
    lead: Powered | None
    level: float


def by_judge(study: Study, metric: Metric, judge: str) -> Metric:
    """A metric by judgments of people as a judge would have it.

    ``judge``: another relevance, ``qrels:NAME`` of a program, or one of concepts such as ``nn-iou``, for
    families that take it.

    Raises
    ------
    UnknownName, SettingError
        A metric that is not by judgments, a judge that the metric does not take, or that is the metric's own
        relevance.
    """
    check_of(study, judge)
    family, judged = METRICS[metric.family], by_judgments(judge)
    if not by_judgments(metric.relevance):
        rule = "used with metrics by judgments, such as nDCG(qrels:NAME)@10"
        raise SettingError("judge", rule, str(metric))
    if family.centre == "median":
        rule = "used with means, such as MeanR; a median has no such interval"
        raise SettingError("judge", rule, str(metric))
    if judge == metric.relevance:
        raise SettingError("judge", f"another relevance than that of {metric}", judge)
    if family.needs == "labels" and not judged:
        rule = f"judgments for {metric}, which needs yes or no; nDCG and mean take any relevance"
        raise SettingError("judge", rule, judge)
    return replace(metric, relevance=judge, only=metric.only if judged else None)


def judged_scores(
    people: Sequence[Scores], program: Sequence[Scores], judge: str, *, level: float = 0.95
) -> list[JudgedScore]:
    """How good is each system by people's judgments, where a judge says something of all queries?

    Prediction-powered inference (see `stats.prediction_powered`) over queries: the judge is what a metric is
    computed with on the queries that people did not judge. ``people``: scores of systems under one metric by
    judgments of people; ``program``: of the same systems under the metric `by_judge`.

    The systems with the best score come first. Queries that people judged and that have no value all the same
    (nothing is relevant) are left out, as in every mean. Intervals of a study with groups, such as patients,
    are of groups drawn at random.
    """
    # Which queries have a value lies with the queries: it is the same for all systems.
    known, reasons = program[0].reasons == DEFINED, people[0].reasons
    both, more, groups = known & (reasons == DEFINED), known & (reasons == NOT_JUDGED), None
    grouped = groups_of(people[0], people[0].queries[both | more])
    if grouped is not None:
        every = np.full(len(both), -1)
        every[both | more] = grouped
        groups = every[both], every[more]

    def powered(y: Floats, f: Floats) -> Powered:
        return powered_mean(y[both], f[both], f[more], level=level, groups=groups)

    def alone(y: Floats, f: Floats) -> Powered:
        only = None if groups is None else (groups[0], groups[1][:0])
        return powered_mean(y[both], f[both], np.empty(0), level=level, groups=only)

    sign, metric = sign_of(people[0].metric), people[0].metric
    rows = [
        (scores.system, scores.values, by_program.values, powered(scores.values, by_program.values))
        for scores, by_program in zip(people, program, strict=True)
    ]
    rows.sort(key=lambda row: (np.nan_to_num(-sign * row[3].mean, nan=np.inf), row[0]))
    _, best_y, best_f, _ = rows[0]
    leads = [None, *(powered(y - best_y, f - best_f) for _, y, f, _ in rows[1:])]
    return [
        JudgedScore(system, metric, judge, alone(y, f), estimate, lead, level)
        for (system, y, f, estimate), lead in zip(rows, leads, strict=True)
    ]
