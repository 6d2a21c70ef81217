"""Slopes, and areas whose truth differs by reading, as means of readings, whose variance `mrmc` gives.

A statistic of readings is to first order a mean: its value plus how far each reading moves it (Hampel 1974,
doi:10.1080/01621459.1974.10482962). In place of the ratings these pseudo-values go into the analysis of a
mean, readers and cases random, as pseudo-values of the area do in Dorfman, Berbaum & Metz 1992
(doi:10.1097/00004424-199209000-00015).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalcore.stats.mrmc.moments import comparisons
from evalcore.stats.mrmc.readings import Readings
from evalcore.values.arrays import Bools, Floats, frozen

LEAST = 0.1
"""What a residual is divided by at least, where one case decides the slope."""


def slopes(readings: Readings, x: Floats) -> Readings:
    """How much do ratings rise with a number of the case? Pseudo-values whose mean is the slope.

    ``x``: shape (cases,), NaN where a case has none; its readings are left out. Least squares by system,
    every reading with the same weight; variances follow from the residuals, so they need not be equal. A
    system whose cases all have the same ``x`` has no slope: NaN everywhere.
    """
    result = np.full(readings.ratings.shape, np.nan)
    for values, into in zip(readings.ratings, result, strict=True):
        read = ~np.isnan(values) & ~np.isnan(x)
        if not read.any():
            continue
        across = np.broadcast_to(x, values.shape)[read]
        away = across - across.mean()
        square = float(away @ away)
        if square <= 1e-12 * len(away) * max(1.0, float(np.abs(across).max())) ** 2:
            continue
        slope = float(away @ values[read]) / square
        rest = values[read] - values[read].mean() - slope * away
        # Without its own case a residual is larger, as that case draws the line towards itself: by its share
        # of the fit (a jackknife over cases; Bell & McCaffrey 2002, Survey Methodology 28, 169-181).
        own = np.where(read, 1 / len(away) + (x - across.mean()) ** 2 / square, 0.0).sum(axis=0)
        rest /= np.broadcast_to(np.maximum(1 - own, LEAST), values.shape)[read]
        moves = away * rest
        into[read] = slope + len(away) * (moves - moves.mean()) / square
    return replace(readings, ratings=frozen(result), truth=None)


def right_from_wrong(readings: Readings, right: Bools) -> Readings:
    """Do ratings tell a reader's right answers from the wrong ones? Pseudo-values whose mean is that area.

    The share of pairs of a right and a wrong answer of one reader with one system in which the right one has
    the higher rating, equal ratings half. ``right``: shape of the ratings. A reader without both kinds has no
    pair and moves nothing; a system without any pair is NaN everywhere.
    """
    result = np.full(readings.ratings.shape, np.nan)
    for values, correct, into in zip(readings.ratings, right, result, strict=True):
        read = ~np.isnan(values)
        won, pairs = np.zeros(values.shape), np.zeros(values.shape)
        for reader in range(len(values)):
            yes, no = (np.flatnonzero(read[reader] & (correct[reader] == kind)) for kind in (True, False))
            higher = comparisons(values[reader, no][None], values[reader, yes][None])[0]
            won[reader, no], won[reader, yes] = higher.sum(axis=1), higher.sum(axis=0)
            pairs[reader, no], pairs[reader, yes] = len(yes), len(no)
        n_pairs = pairs.sum() / 2
        if not n_pairs:
            continue
        area = won.sum() / 2 / n_pairs
        moves = (won - area * pairs) / n_pairs
        # A pair has two cases but one reader, whose part is counted twice so far.
        moves -= (moves.sum(axis=1) / np.maximum(read.sum(axis=1), 1))[:, None] / 2
        into[read] = (area + read.sum() * moves)[read]
    return replace(readings, ratings=frozen(result), truth=None)
