"""Measures of relevance, sweeps, standings and readings of a study through an analysis."""

from __future__ import annotations

import pytrec_eval

from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.measures import metrics_by, table_metrics
from evalcore.evaluate.sweep import covered, grid_points, reading_points, refuse_nothing_to_vary
from evalcore.values.settings import Settings, View

TREC_EVAL = {
    "map": "AP({})",
    "map_cut_10": "AP({})@10",
    "recip_rank": "RR({})",
    "Rprec": "Rprec({})",
    "bpref": "bpref({})",
    "infAP": "infAP({})",
    "P_5": "P({})@5",
    "recall_10": "Recall({})@10",
    "success_1": "Success({})@1",
    "ndcg_cut_10": "nDCG({})@10",
}
"""Our label, of labels or judgments, by trec_eval's name."""


def by_trec_eval(qrels, run, **how):
    """{query: {its name: value}} by trec_eval's own code."""
    names = {"map", "map_cut", "recip_rank", "Rprec", "bpref", "infAP", "P", "recall", "success", "ndcg_cut"}
    return pytrec_eval.RelevanceEvaluator(qrels, names, **how).evaluate(run)


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


def grid(study, points, *, metrics, systems=(), settings=Settings(), queries=None, **how):
    view = View(metrics=tuple(map(str, metrics)), systems=tuple(systems), settings=settings)
    return analyse(study, view, queries=queries).grid(points, **how)


def sweep(study, *, metrics, alphas, thresholds, systems=(), settings=Settings(), count_rules=(), **how):
    refuse_nothing_to_vary(study)
    axes = {"alphas": alphas, "thresholds": covered(study, thresholds)[0], "count_rules": count_rules}
    points = grid_points(settings, **axes)
    return grid(study, points, metrics=metrics, systems=systems, settings=settings, **how).rows()


def stability(study, *, metric, alphas, thresholds, systems=(), settings=Settings(), **how):
    points = grid_points(settings, alphas=sorted(alphas), thresholds=sorted(thresholds))
    return grid(study, points, metrics=[metric], systems=systems, settings=settings, **how).stability(metric)


def readings(study, *, metric):
    return grid(study, reading_points(Settings()), metrics=[metric]).standings(metric)
