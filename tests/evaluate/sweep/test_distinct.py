"""Which settings are identical by definition: counted by hand, and against their scores."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.evaluate import score
from evalcore.evaluate.sweep import grid_points, repeated, tried
from evalcore.ranking.metrics import parse_metric
from evalcore.study import open_study
from evalcore.values.settings import Settings
from tests.swept import stability
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

TWENTIETHS = [round(0.05 * i, 2) for i in range(21)]
NN, IOU = [parse_metric("mean(nn-iou)@3")], [parse_metric("mean(iou)@3")]


def study_with(sets, edges=TOY_EDGES):
    images = sorted(sets)
    return with_parts(study_of(sets, edges), runs={"a": {i: [j for j in images if j != i] for i in images}})


@pytest.fixture(scope="module")
def study():
    """Vein and vessel are 1 step apart, vein and artery 2."""
    return study_with({"i1": {"vein"}, "i2": {"vessel", "brain"}, "i3": {"artery"}, "i4": {"vein", "head"}})


def points(alphas=TWENTIETHS, thresholds=(0, 1, 2), **settings):
    return grid_points(Settings(**settings), alphas=alphas, thresholds=thresholds)


def test_iou_is_one_setting(study):
    """21 alphas at 3 distances: IoU, and 20 alphas at each of 2 distances."""
    found = tried(study, points(), NN)
    assert found == (63, 41)
    assert found.in_words() == "63 settings, 41 of them different; the others are identical by definition."
    assert tried(study, points([0.5, 1], [1]), NN).in_words() == "2 settings, all different."
    assert tried(study, points([0.5, 0.6], [0]), NN).others() == "the other is identical by definition"


def test_a_distance_that_relates_no_further_concepts_changes_nothing(study):
    """Nothing is 3 or 4 steps from any of these concepts that was not 2 away, where only two are related."""
    near = study_with({"i1": {"vein"}, "i2": {"vessel"}, "i3": {"vein"}})
    assert tried(near, points([0.0, 0.5, 1.0], [0, 1, 2, 3, 4]), NN) == (15, 3)


def test_where_nothing_is_related_there_is_one_setting():
    far = study_with({"i1": {"x"}, "i2": {"y"}, "i3": {"x", "y"}})
    assert tried(far, points(), NN) == (63, 1)


def test_a_measure_without_related_concepts_has_one_setting_unless_a_system_moves(study):
    assert tried(study, points(), IOU) == (63, 1)
    assert tried(study, points(), IOU, ["a"]) == (63, 1)
    assert tried(study, points(), IOU, ["a", "@nn-iou"]) == (63, 41)


def test_settings_counted_as_one_score_the_same_and_others_do_not(study):
    grid = points([0.0, 0.3, 0.7, 1.0], (0, 1, 2))
    seen: list[tuple[float, ...]] = []
    for point, again in zip(grid, repeated(study, grid, NN), strict=True):
        values = tuple(np.round(score(study, metrics=NN, systems=["a"], settings=point)[0].values, 12))
        assert (values in seen) == again, point
        seen.append(values)


def test_stability_counts_what_is_different(study):
    found = stability(study, metric="mean(nn-iou)@3", alphas=TWENTIETHS, thresholds=[0, 1, 2])
    assert found.tried == (63, 41) and len(found.standings) == 63
    assert [one.settings.alpha for one in found.different[:2]] == [0.0, 0.05]
    assert {one.settings.threshold for one in found.different[1:]} == {1, 2}


def test_the_sample_study_has_41_of_63():
    """As docs/papers/nn-iou.md says: IoU, and 20 alphas at 1 step and at 2, which relate more."""
    assert tried(open_study("data"), points(), NN) == (63, 41)
