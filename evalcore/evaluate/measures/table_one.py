"""Table 1 of the nn-IoU paper for any measures: each one searches, the labels say how well.

Every relevance measure ranks all candidates for every query, as if it were a retrieval system, and
precision is counted over each label type and each pair of label types (arXiv 2506.13509, Table 1).
Labels that were derived from the same concepts favour measures over concepts: the table compares
measures with each other and says little about image-based systems beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.evaluate.common_pool import asked_of, limited
from evalcore.evaluate.comparison import N_PERMUTATIONS, compare_all
from evalcore.evaluate.policy import counted_or_nan, groups_of, settings_of
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.targets import metrics_of
from evalcore.ranking.metrics import lower_is_better
from evalcore.relevance.registry import check_asked
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import levels_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Bools, Floats, Ints
from evalcore.values.errors import InputError, SettingError
from evalcore.values.grouping import judging_columns, label_types
from evalcore.values.model import Scores
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Interval, Study, Which
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Correction

CUTOFFS = (5, 10, 30)
"""The depths of the paper."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One measure's precision in one column.

    ``tied``: queries whose K-th rank shares its value with the next one. ``best``: no mean in the column
    is higher. ``as_good``: not the best, and not significantly different from it (corrected p of at least
    .05). ``p_corrected`` against the best, NaN for the best itself.
    """

    interval: Interval
    n_queries: int
    n_undefined: int
    tied: int
    best: bool
    as_good: bool
    p_corrected: float


@dataclass(frozen=True, slots=True)
class TableOne:
    """Rows are systems (``@measure``), columns metrics such as ``P(modality&organ)@5``.

    ``cells[row][column]``; ``n_asked`` of ``n_all`` queries were asked; ``ties`` as in the settings.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[tuple[TableCell, ...], ...]
    n_asked: int
    n_all: int
    ties: str
    test: str
    correction: str
    n_resamples: int
    seed: int


def table_metrics(study: Study, *, cutoffs: Sequence[int] = CUTOFFS) -> tuple[str, ...]:
    """Precision over every label type, then over every pair of them, at each cutoff.

    Raises
    ------
    InputError
        The study has no labels.
    """
    types = label_types(judging_columns(study))
    if not types:
        raise InputError("This study has no labels to count precision by. Add a labels.csv.")
    targets = [*types, *("&".join(pair) for pair in combinations(types, 2))]
    return tuple(f"P({target})@{k}" for target in targets for k in cutoffs)


def table_one(
    study: Study,
    measures: Sequence[str],
    *,
    metrics: Sequence[str] | None = None,
    settings: Settings = Settings(),
    queries: Which | Ints | None = None,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
    correction: Correction = "holm",
    progress: Progress | None = None,
) -> TableOne:
    """How well does each measure find images with the same labels?

    Parameters
    ----------
    measures
        Relevance names; each ranks all candidates itself.
    metrics
        The columns; None for `table_metrics` of the study.
    settings
        ``ties``: by image id, or the exact expectation over all orders of equal values.
    queries
        As for `evaluate.score`: what the measures are compared over, or image indices to ask about.
    n_resamples, seed
        Of the paired test between the best of a column and every other row, corrected over the column by
        ``correction`` (see `compare_all`). Intervals over queries: see `summarise`.

    Raises
    ------
    InputError
        The study has no labels, or no measure was given.
    UnknownName
        No such measure or label type.
    """
    columns = tuple(map(str, metrics_of(study, metrics or table_metrics(study), settings)))
    names = tuple(dict.fromkeys(f"@{measure}" for measure in measures))
    study = limited(study, names, queries=queries, settings=settings)
    asked = asked_of(study, queries)
    scores = score(study, metrics=columns, systems=names, settings=settings, queries=asked, progress=progress)
    intervals = summarise_all(scores, settings=settings, seed=seed)
    n, test, corrected = len(columns), "", ""
    cells: list[list[TableCell]] = [[] for _ in names]
    for j in range(n):
        column, means = scores[j::n], intervals[j::n]
        sign = 1 if lower_is_better(columns[j]) else -1
        order = levels_of(sign * np.array([mean.mean for mean in means]))
        best = int(np.argmin(order))
        against = compare_all(
            [(column[best], score) for score in column if score is not column[best]],
            settings=settings,
            n_resamples=n_resamples,
            seed=seed,
            correction=correction,
        )
        p = {comparison.system: comparison.p_corrected for comparison in against}
        for i, (of_row, mean) in enumerate(zip(column, means, strict=True)):
            leads = bool(order[i] == order[best]) and isfinite(mean.mean)
            cells[i].append(_cell(of_row, mean, leads=leads, p=p.get(of_row.system, float("nan"))))
        test, corrected = (against[0].test, against[0].correction) if against else ("", "")
    return TableOne(
        names,
        columns,
        tuple(map(tuple, cells)),
        len(asked),
        len(study.queries),
        settings.ties,
        test,
        corrected,
        n_resamples,
        seed,
    )


def _cell(scores: Scores, mean: Interval, *, leads: bool, p: float) -> TableCell:
    return TableCell(
        mean, scores.n_queries, scores.n_undefined, scores.tied, leads, not leads and p >= CLEAR, p
    )


# The same systems judged by several relevance measures: a value per system, query and measure.

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
        check_asked(study, name)  # nDCG takes label columns too, which are no measure.
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
    systems = tuple(dict.fromkeys(score.system for score in scores))
    if len(scores) != len(systems) * len(measures):
        raise InputError("Every system needs one score per measure.")
    columns = np.stack([counted_or_nan(score, settings) for score in scores])
    values = columns.reshape(len(systems), len(measures), len(asked)).transpose(0, 2, 1)
    common: Bools = np.asarray(~np.isnan(values).any(axis=(0, 2)))
    return MeasureScores(
        tuple(measures),
        systems,
        tuple(score.metric for score in scores[: len(measures)]),
        asked[common],
        values[:, common],
        int(len(asked) - common.sum()),
        groups_of(scores[0], asked[common]),
        scores[0].grouped_by,
    )
