"""How do systems do over several studies? Means of each study, and over studies with a paired interval.

Studies count alike, however many queries they have. The interval of a mean over studies, and of a difference
of two such means, comes from draws of studies and of queries within each (see `hierarchical_means`): it is
about studies and queries like these. Few studies say little about others, see `too_few_studies`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from scipy.special import stdtrit

from evalcore.evaluate.pairs.every_pair import common_values
from evalcore.evaluate.policy import average, counted, settings_of
from evalcore.evaluate.summary import N_BOOTSTRAP
from evalcore.ranking.metrics import by_median, sign_of
from evalcore.stats.bootstrap import percentile_interval
from evalcore.stats.clusters import clusters_of, hierarchical_means
from evalcore.stats.levels import best_first, difference
from evalcore.stats.sums import column_sums, mean_of
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.model import Scores
from evalcore.values.portable_math import quantile
from evalcore.values.settings import Settings

FEW_STUDIES = 10
"""Below so many, an interval over studies is too narrow by more than a fifth."""


@dataclass(frozen=True, slots=True)
class AcrossRow:
    """One system over several studies under one metric.

    ``means``: by study, NaN where the system is missing (``missing``: these studies) or no query has a value.
    ``mean``: over all studies, with its interval; NaN where one is missing. ``difference``: minus the
    reference, with its interval; NaN for the reference itself and where there is no ``mean``. ``higher``: in
    how many studies it is above the reference. ``reference``: as in `AcrossStudies`.
    """

    system: str
    metric: str
    means: Mapping[str, float]
    missing: tuple[str, ...]
    mean: float = nan
    low: float = nan
    high: float = nan
    difference: float = nan
    difference_low: float = nan
    difference_high: float = nan
    higher: int = 0
    reference: str = ""


@dataclass(frozen=True, slots=True)
class AcrossStudies:
    """Systems under one metric over several studies.

    ``rows``: those that every study has, best mean first, then the others by name. ``reference``: the
    baseline, or the system with the best mean, "" where no system is in every study; ``chosen``: whether
    it was fixed as baseline. ``n_queries``: by study.
    """

    metric: str
    studies: tuple[str, ...]
    rows: tuple[AcrossRow, ...]
    reference: str
    chosen: bool
    n_queries: Mapping[str, int]
    level: float
    n_resamples: int
    seed: int


def across_studies(
    scores: Mapping[str, Sequence[Scores]],
    *,
    baseline: str | None = None,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> tuple[AcrossStudies, ...]:
    """Compare systems over several studies, metric by metric.

    Parameters
    ----------
    scores
        By study what `score` returned for it. Systems of the same name are the same system. A metric that a
        study lacks is left out, as nothing can be averaged over it.
    baseline
        The system that the others are compared with; None: the one with the best mean over the studies, of
        real systems unless there are rankings of the program's own (``@iou``) only.
    settings
        None: as the scores were scored.

    Raises
    ------
    InputError
        Fewer than two studies; no metric that all have; one that is a median; a study in which no query has a
        value.
    UnknownName
        The baseline is not in every study.
    """
    if len(scores) < 2:
        raise InputError("A comparison over studies takes at least two studies.")
    settings = settings_of([score for of in scores.values() for score in of], settings)
    first, *others = ([*dict.fromkeys(score.metric for score in of)] for of in scores.values())
    metrics = [name for name in first if all(name in of for of in others)]
    if not metrics:
        raise InputError(f"No metric was scored in all of {', '.join(scores)}.")
    if medians := [name for name in metrics if by_median(name)]:
        raise InputError(
            f"{', '.join(medians)} is a median, which has no average over studies. Use MeanR or RR instead."
        )
    return tuple(
        _under(
            metric,
            {
                study: {score.system: score for score in of if score.metric == metric}
                for study, of in scores.items()
            },
            baseline,
            settings,
            level,
            n_resamples,
            seed,
        )
        for metric in metrics
    )


def _under(
    metric: str,
    scores: Mapping[str, Mapping[str, Scores]],
    baseline: str | None,
    settings: Settings,
    level: float,
    n_resamples: int,
    seed: int,
) -> AcrossStudies:
    systems = list(dict.fromkeys(name for of in scores.values() for name in of))
    missing = {name: tuple(study for study, of in scores.items() if name not in of) for name in systems}
    complete = [name for name in systems if not missing[name]]
    if baseline is not None and baseline not in complete:
        raise UnknownName("baseline in every study", baseline, complete)
    partly = {
        name: {
            study: average(metric, counted(of[name], settings)[1]) if name in of else nan
            for study, of in scores.items()
        }
        for name in systems
    }
    n_queries = dict.fromkeys(scores, 0)
    rows: list[AcrossRow] = []
    reference = ""
    if complete:
        tables, means = [], []
        for study, of in scores.items():
            common = common_values([of[name] for name in complete], settings)
            if not len(common.values):
                raise InputError(f"In {study} no query has a value under {metric}. Leave out that study.")
            n_queries[study] = len(common.values)
            means.append(column_sums(common.values) / len(common.values))
            groups = common.groups
            tables.append(common.values if groups is None else clusters_of(common.values, groups))
        draws = hierarchical_means(tables, n_resamples=n_resamples, seed=seed)
        rows = _rows(metric, complete, list(scores), np.array(means), draws, baseline, level)
        reference = rows[0].reference
    rows += [
        AcrossRow(name, metric, partly[name], missing[name], reference=reference)
        for name in sorted(systems)
        if missing[name]
    ]
    return AcrossStudies(
        metric,
        tuple(scores),
        tuple(rows),
        reference,
        baseline is not None,
        n_queries,
        level,
        n_resamples,
        seed,
    )


def _rows(
    metric: str,
    systems: Sequence[str],
    studies: Sequence[str],
    means: Floats,
    draws: Floats,
    baseline: str | None,
    level: float,
) -> list[AcrossRow]:
    """The systems of every study, best mean first; ``means``: (studies, systems), draws (n, systems)."""
    overall = column_sums(means) / len(means)
    order = best_first(list(systems), (sign_of(metric) * overall).tolist())
    against = systems.index(baseline or _leader([systems[i] for i in order]))
    low, high = percentile_interval(draws, level=level)
    apart = difference(means, means[:, [against]])
    apart_low, apart_high = percentile_interval(draws - draws[:, [against]], level=level)
    rows = []
    for i in order:
        own = dict(zip(studies, means[:, i].tolist(), strict=True))
        ends = (nan, nan, nan)
        if i != against:
            ends = (mean_of(apart[:, i]), float(apart_low[i]), float(apart_high[i]))
        whole = (float(overall[i]), float(low[i]), float(high[i]))
        higher = int(np.count_nonzero(apart[:, i] > 0))
        rows.append(AcrossRow(systems[i], metric, own, (), *whole, *ends, higher, systems[against]))
    return rows


def _leader(in_order: Sequence[str]) -> str:
    """The first real system, unless there are references only."""
    return next((name for name in in_order if not name.startswith("@")), in_order[0])


def too_few_studies(n: int, level: float = 0.95) -> str:
    """What intervals over so few studies can mean; "" for `FEW_STUDIES` or more.

    How much wider they would have to be is what Student's t says of n values whose spread is estimated, over
    what the bootstrap takes: t(n - 1) / z * sqrt(n / (n - 1)).
    """
    if n >= FEW_STUDIES:
        return ""
    tail = (1 + level) / 2
    wider = float(stdtrit(n - 1, tail)) / quantile(tail) * sqrt(n / (n - 1))
    return (
        f"The intervals are drawn from {n} studies only, so they are weak evidence about other "
        "studies: where "
        f"studies differ more than their queries do, they would have to be about {wider:.1f} times as wide."
    )
