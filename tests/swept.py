"""Sweeps, standings and readings of a study in one call, as an analysis gives them."""

from __future__ import annotations

from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.sweep import covered, grid_points, reading_points, refuse_nothing_to_vary
from evalcore.values.settings import Settings, View


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
