"""The metrics asked for, of the study they are asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.engine.judged import NO_JUDGMENTS
from evalcore.evaluate.pools import label_column
from evalcore.ranking.metrics import METRICS, Metric, parse_metric, parse_metrics
from evalcore.relevance.registry import JUDGED, check_of
from evalcore.values.errors import InputError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Study
    from evalcore.values.settings import Settings


def metrics_of(study: Study, labels: Sequence[str | Metric], settings: Settings) -> tuple[Metric, ...]:
    """The metrics these labels name in a study, each once, in the order given.

    Names of trec_eval are read where they are clear (see `ranking.trec_names`).

    Raises
    ------
    UnknownName
        A relevance, system or label column that is not there.
    SettingError
        A label that cannot be parsed; ``ties="expected"`` and a metric without a known expectation.
    InputError
        A metric by judgments, and the study has none.
    """
    columns = study.label_columns
    wanted = tuple(dict.fromkeys(metric for label in labels for metric in parse_metrics(label, columns)))
    for metric in wanted:
        if metric.relevance:
            check_of(study, metric.relevance)
        if metric.relevance == JUDGED and study.judged is None:
            raise InputError(NO_JUDGMENTS)
        for name in metric.labels:
            label_column(study, name)
        if settings.ties == "expected" and not METRICS[metric.family].exact_ties:
            rule = f"id for {metric}, whose mean over all orders of equal scores has no formula"
            raise SettingError("ties", rule, settings.ties)
    return wanted


def metric_of(study: Study, label: str | Metric, settings: Settings) -> Metric:
    """The one metric a label names in a study; SettingError where it stands for several, else as above."""
    (found,) = metrics_of(study, [parse_metric(label, study.label_columns)], settings)
    return found
