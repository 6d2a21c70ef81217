"""Weights learnt from people: what is there is learnt, what is not there is not claimed."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic import learning
from evalcore.features.synthetic.evaluation.evaluate import evaluate
from evalcore.features.synthetic.evaluation.scores import WsiSettings
from evalcore.features.synthetic.features import table
from evalcore.features.synthetic.learning import EQUAL, SELECTED, WEIGHTS, _filled, _wsi, learn, learn_from
from evalcore.features.synthetic.tversky import all_present, presence, wsi_matrix
from evalcore.values.errors import InputError

NAMES = [f"f{i}" for i in range(20)]


def images(seed=0, n=80):
    rng = np.random.default_rng(seed)
    return rng.random((n, len(NAMES))) < 0.6, rng


def test_features_that_people_look_at_are_learnt():
    has, rng = images()
    result = learn(presence(has), has[:, :2] @ [3.0, 2.0] + rng.normal(0, 1, len(has)), NAMES)
    by = {row.how: row for row in result.rows}
    assert [row.how for row in result.rows] == [EQUAL, WEIGHTS, SELECTED]
    assert by[EQUAL].outer < 0.3 and by[WEIGHTS].outer > 0.6 and by[SELECTED].outer > 0.6
    assert set(np.argsort(-result.weights)[:2]) == {0, 1} and result.weights.mean() == pytest.approx(1)
    assert result.kept[:2].min() > 0.8 > result.kept[2:].max()
    assert "agree better with people than equal weights" in result.sentence


def test_noise_teaches_nothing_and_the_outer_score_says_so(monkeypatch):
    """The same images, and the folds that chose, say otherwise: over five sets of random judgments."""
    monkeypatch.setattr(learning, "N_RESAMPLES", 99)
    rows = []
    for seed in range(5):
        has, rng = images(seed, 60)
        result = learn(presence(has), rng.normal(size=60), NAMES, seed=seed)
        rows += [(row.outer, row.inner, row.apparent) for row in result.rows[1:]]
        assert result.rows[1].low < 0 < result.rows[1].high or abs(result.rows[1].outer) < 0.4
    outer, inner, apparent = np.mean(rows, axis=0)
    assert abs(outer) < 0.15 and inner > outer and apparent > 0.2


def test_versions_of_one_picture_are_never_divided(monkeypatch):
    """Five versions with one random judgment: divided over folds, they would teach each other."""
    monkeypatch.setattr(learning, "N_RESAMPLES", 9)
    outer = {True: [], False: []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        has = np.repeat(rng.random((16, 12)) < 0.6, 5, axis=0) ^ (rng.random((80, 12)) < 0.03)
        judged, units = np.repeat(rng.normal(size=16), 5), [str(i // 5) for i in range(80)]
        for together in outer:
            result = learn(presence(has), judged, NAMES[:12], units=units if together else None)
            outer[together].append(result.rows[1].outer)
    assert np.mean(outer[False]) > 0.3 > 0.2 > np.mean(outer[True])


def test_its_score_is_wsi():
    has, rng = images()
    known = rng.random(has.shape) < 0.9
    weights, of = rng.random(len(NAMES)), presence(has, known)
    expected = wsi_matrix(of, all_present(len(NAMES)), weights=weights, beta=0.7)[:, 0]
    assert _wsi(of, weights, 0.7) == pytest.approx(expected)
    assert _filled(of)[~known].min() > 0


def test_judgments_of_a_few_or_all_alike_are_refused():
    has, _ = images()
    with pytest.raises(InputError, match="25 judged images or more; 3 of these"):
        learn(presence(has), np.r_[1.0, 2, 3, np.full(77, np.nan)], NAMES)
    with pytest.raises(InputError, match="All judgments are the same"):
        learn(presence(has), np.ones(80), NAMES)


def test_groups_that_share_ids_are_named():
    rng = np.random.default_rng(0)
    values, ids = rng.normal(size=(30, 3)), [f"i{k}" for k in range(30)]
    real, one, other = (table(ids, "abc", values + k, name=name) for k, name in enumerate(("r", "x", "y")))
    judged = {f"{name}/{image}": float(k) for name in "xy" for k, image in enumerate(ids)}
    assert learn_from(evaluate(real, [one, other]), judged).n == 60
    with pytest.raises(InputError, match="not against each"):
        learn_from(evaluate(real, [one], settings=WsiSettings(archetype="each")), judged)
