"""Measures of relevance through an analysis, as commands and pages ask for them."""

from __future__ import annotations

from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.measures import metrics_by, table_metrics
from evalcore.values.settings import View


def analysed(study, measures, *, systems=(), form="nDCG", k=10, **chosen):
    """The systems under the metric of each measure; ``chosen``: of the view."""
    metrics = metrics_by(study, measures, k=k)
    metrics = tuple(metric.replace("nDCG", form) for metric in metrics)
    return analyse(study, View(metrics=metrics, systems=tuple(systems), where=study.where, **chosen))


def table_one(study, measures, *, metrics=None, queries=None, **chosen):
    """Each measure as a system."""
    names = tuple(f"@{name}" for name in measures)
    view = View(metrics=tuple(metrics or table_metrics(study)), systems=names, where=study.where, **chosen)
    return analyse(study, view, queries=queries).table_one()


def judged(study, metric, judge):
    """All systems by people's judgments and a judge of the other queries."""
    return analyse(study, View(metrics=(metric,), where=study.where)).judged(judge)


def compare(a, b, **how):
    """Scores of one system minus those of another."""
    return compare_all([(b, a)], **how)[0]
