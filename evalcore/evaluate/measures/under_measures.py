"""The same systems judged by several relevance measures: a value per system, query and measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.evaluate.policy import counted_or_nan, groups_of, settings_of
from evalcore.evaluate.scoring import score
from evalcore.relevance.registry import check_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Bools, Floats, Ints
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import Scores
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.compared import Which
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress

Form = Literal["nDCG", "mean"]
"""``nDCG``: as nn-CUI@K, against the best possible list; ``mean``: average relevance of the first K."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasureScores:
    """Systems under measures over the queries that have a value for all of them.

    ``values``: shape (systems, queries, measures). ``left_out``: queries asked that some measure or
    system has no value for. ``groups``: that of each query, None where all are independent. ``metric`` is the
    label of each measure's metric.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    queries: Ints
    values: Floats
    left_out: int
    groups: Ints | None = None
    grouped_by: str = ""

    @property
    def means(self) -> Floats:
        """Mean of each system under each measure, shape (systems, measures); NaN without queries."""
        if not len(self.queries):
            return np.full((len(self.systems), len(self.measures)), np.nan)
        systems, queries, measures = self.values.shape
        columns = self.values.transpose(1, 0, 2).reshape(queries, systems * measures)
        means: Floats = column_sums(columns).reshape(systems, measures) / queries
        return means


def score_under(
    study: Study,
    measures: Sequence[str],
    *,
    systems: Sequence[str] | None = None,
    form: Form = "nDCG",
    k: int = 10,
    settings: Settings = Settings(),
    queries: Which | Ints | None = None,
    progress: Progress | None = None,
) -> MeasureScores:
    """How good is each system when this, that or the other measure says what is relevant?

    Parameters
    ----------
    measures
        Relevance names, each counted once.
    systems
        None for all systems of the study.
    form, k
        The metric: ``nDCG(measure)@k`` or ``mean(measure)@k``.
    queries
        As for `evaluate.score`: what systems are compared over, or image indices to ask about.

    Returns
    -------
    MeasureScores
        Over common queries, so that differences between measures are not differences between
        queries; ``settings.undefined="zero"`` keeps all queries and counts 0.

    Raises
    ------
    SettingError
        No measure.
    InputError, UnknownName
        As `scoring.score`.
    """
    names = tuple(dict.fromkeys(measures))
    if not names:
        raise SettingError("measures", "at least one relevance, such as iou", list(measures))
    for name in names:
        check_of(study, name)  # nDCG takes label columns too, which are no measure.
    metrics = [f"{form}({name})@{k}" for name in names]
    scores = score(
        study, metrics=metrics, systems=systems, settings=settings, queries=queries, progress=progress
    )
    return of_scores(scores, names, settings=settings)


def of_scores(
    scores: Sequence[Scores], measures: Sequence[str], *, settings: Settings | None = None
) -> MeasureScores:
    """`MeasureScores` of scores that stand system by system, one metric per measure."""
    asked, settings = scores[0].queries, settings_of(scores, settings)
    systems = tuple(dict.fromkeys(one.system for one in scores))
    if len(scores) != len(systems) * len(measures):
        raise InputError("Every system needs one score per measure.")
    columns = np.stack([counted_or_nan(one, settings) for one in scores])
    values = columns.reshape(len(systems), len(measures), len(asked)).transpose(0, 2, 1)
    common: Bools = np.asarray(~np.isnan(values).any(axis=(0, 2)))
    return MeasureScores(
        tuple(measures), systems, tuple(one.metric for one in scores[: len(measures)]), asked[common],
        values[:, common], int(len(asked) - common.sum()), groups_of(scores[0], asked[common]),
        scores[0].grouped_by,
    )  # fmt: skip
