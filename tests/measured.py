"""Measures of relevance, sweeps, standings and readings of a study through an analysis."""

from __future__ import annotations

from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.measures import metrics_by, table_metrics
from evalcore.values.settings import Settings, View


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


def sweep(study, *, metrics, systems=(), settings=Settings(), **grid):
    view = View(metrics=tuple(map(str, metrics)), systems=tuple(systems), settings=settings)
    return analyse(study, view).sweep(**grid)


def stability(study, *, metric, systems=(), settings=Settings(), **grid):
    return analyse(study, View(systems=tuple(systems), settings=settings)).stability(metric, **grid)


def readings(study, *, metric):
    return analyse(study, View()).readings(metric)
