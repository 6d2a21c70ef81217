"""Sweeps, standings and readings of a study in one call, as an analysis gives them."""

from __future__ import annotations

from evalcore.evaluate.analysis import analyse
from evalcore.values.settings import Settings, View


def sweep(study, *, metrics, systems=(), settings=Settings(), **grid):
    view = View(metrics=tuple(map(str, metrics)), systems=tuple(systems), settings=settings)
    return analyse(study, view).sweep(**grid)


def stability(study, *, metric, systems=(), settings=Settings(), **grid):
    return analyse(study, View(systems=tuple(systems), settings=settings)).stability(metric, **grid)


def readings(study, *, metric):
    return analyse(study, View()).readings(metric)
