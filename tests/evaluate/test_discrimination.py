"""Discriminative power against a naive loop over pairs of systems, and the curves by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from evalcore.evaluate import compare
from evalcore.evaluate.measures import MeasureScores, discriminative_power
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import Scores

SYSTEMS = ("s1", "s2", "s3", "s4")


def scores_of(n=40, seed=0, measures=("iou", "nn-iou")):
    rng = np.random.default_rng(seed)
    values = rng.normal(np.arange(4)[:, None, None] * 0.15, 0.3, (4, n, len(measures)))
    return MeasureScores(measures, SYSTEMS, measures, np.arange(n, dtype=np.int32), values, 0)


def one(scores, system, measure):
    values = scores.values[SYSTEMS.index(system), :, scores.measures.index(measure)]
    reasons = np.zeros(len(values), np.uint8)
    return Scores(system, measure, scores.queries, values, reasons, 0, 0, 0, 10)


def test_p_of_every_pair_is_that_of_the_comparison():
    scores = scores_of()
    for power in discriminative_power(scores, n_resamples=2000, seed=5):
        assert power.pairs == tuple(combinations(SYSTEMS, 2))
        for (a, b), p, difference in zip(power.pairs, power.p, power.differences, strict=True):
            alone = compare(
                one(scores, a, power.measure), one(scores, b, power.measure), n_resamples=2000, seed=5
            )
            assert (p, difference) == pytest.approx((alone.p, alone.difference))


def test_without_queries_nothing_is_separated():
    empty = MeasureScores(("iou",), SYSTEMS, ("iou",), np.array([], np.int32), np.empty((4, 0, 1)), 5)
    (power,) = discriminative_power(empty)
    assert np.isnan(power.p).all() and power.separated == 0 and power.n_queries == 0


def test_refused():
    scores = scores_of()
    single = MeasureScores(scores.measures, ("s1",), scores.measures, scores.queries, scores.values[:1], 0)
    with pytest.raises(InputError, match="at least two"):
        discriminative_power(single)
    with pytest.raises(SettingError, match="level"):
        discriminative_power(scores, level=1.0)
