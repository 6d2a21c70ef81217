"""Every cell of the sensitivity is an evaluation of its own with that setting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.features.synthetic import tversky
from evalcore.features.synthetic.evaluation.evaluate import evaluate
from evalcore.features.synthetic.evaluation.scores import WsiSettings
from evalcore.features.synthetic.evaluation.sensitivity import over_levels, sensitivity
from evalcore.features.synthetic.features import table
from evalcore.values.errors import SettingError

NAMES = ("red.a", "red.b", "red.c", "blue.a")
WEIGHTS = np.array([1, 1 / 3, 0.2, 2])


def group(name, n, shift, seed):
    values = np.random.default_rng(seed).normal(shift, 1, (n, 4))
    values[0, 0] = np.nan
    return table([f"{name}{i}" for i in range(n)], NAMES, values, name=name)


TABLES = [group("real", 30, 0, 0), group("near", 12, 0.5, 1), group("far", 9, 2.5, 2)]


def mean_of(tables, weights, settings):
    found = evaluate(tables[0], tables[1:], weights=weights, settings=settings)
    return [one.distribution.mean for one in found.everyone]


@pytest.mark.parametrize("reading", ["tolerance", "each"])
@pytest.mark.parametrize("undefined", ["nan", "one"])
def test_every_cell_is_an_evaluation(reading, undefined, monkeypatch):
    monkeypatch.setattr(tversky, "BLOCK_CELLS", 100)  # several blocks
    settings = WsiSettings(archetype=reading, undefined=undefined, n_resamples=10)
    base = evaluate(TABLES[0], TABLES[1:], weights=WEIGHTS, settings=settings)
    found = sensitivity(
        base, TABLES, alphas=(0, 1), betas=(0.5, 2), levels=(0.5, 0.9), weightings={"all": np.ones(4)}
    )
    assert found.groups == ("real", "near", "far") and found.weightings == ("all",)
    for i, alpha in enumerate((0, 1)):
        for j, beta in enumerate((0.5, 2)):
            expected = mean_of(TABLES, WEIGHTS, replace(settings, alpha=alpha, beta=beta))
            assert found.sides[:, i, j] == pytest.approx(expected)
    for j, quantiles in enumerate([(0.25, 0.75), (0.05, 0.95)]):
        expected = mean_of(TABLES, WEIGHTS, replace(settings, quantiles=quantiles))
        assert found.by_level[:, j] == pytest.approx(expected)
    assert found.by_weights[:, 0] == pytest.approx(mean_of(TABLES, np.ones(4), settings))
    for j in range(4):
        left = [k for k in range(4) if k != j]
        rest = [one.of([NAMES[k] for k in left]) for one in TABLES]
        assert found.without[:, j] == pytest.approx(mean_of(rest, WEIGHTS[left], settings))


def test_without_the_only_feature_nothing_is_left():
    one = [one.of(["red.b"]) for one in TABLES]
    found = sensitivity(evaluate(one[0], one[1:]))
    assert np.isnan(found.without).all() and found.by_level is None and found.by_weights.shape == (3, 0)


def test_levels_out_of_range():
    base = evaluate(TABLES[0], TABLES[1:])
    with pytest.raises(SettingError, match=r"`levels` must be shares above 0, at most 1. Got 1.5."):
        over_levels(base, TABLES, [1.5])


def test_the_base_is_the_evaluation_itself():
    base = evaluate(TABLES[0], TABLES[1:], weights=WEIGHTS)
    found = sensitivity(base, TABLES, alphas=(1,), betas=(1,), levels=(0.9,))
    assert found.base == pytest.approx(mean_of(TABLES, WEIGHTS, WsiSettings()))
    assert found.base == pytest.approx(found.sides[:, 0, 0]) and found.base == pytest.approx(
        found.by_level[:, 0]
    )
