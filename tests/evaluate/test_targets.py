"""Metrics asked for by any of their names, of the study they are asked about."""

from __future__ import annotations

import pytest

from evalcore.evaluate import score
from evalcore.evaluate.targets import metric_of, metrics_of
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.settings import Settings
from tests.measured import analysed
from tests.toy import study_of
from tests.toy_runs import with_parts

SETS = {image: {"a"} for image in ("x1", "x2", "x3", "x4")}
ORGAN = {"x1": "lung", "x2": "lung", "x3": "liver", "x4": "lung"}
RUNS = {"run": {"x1": ["x3", "x2", "x4"], "x2": ["x1", "x4", "x3"], "x4": ["x3", "x1"]}}


def the_study(**labels):
    return with_parts(study_of(SETS, [("a", "b")]), runs=RUNS, labels=labels or {"organ": ORGAN})


def test_several_cutoffs_are_several_metrics():
    study, settings = the_study(), Settings()
    named = [str(m) for m in metrics_of(study, ["P(organ)@5, 10,30", "p( organ )@5"], settings)]
    assert named == ["P(organ)@5", "P(organ)@10", "P(organ)@30"]
    with pytest.raises(SettingError, match="`cutoff` must be an integer >= 1"):
        metric_of(study, "P(organ)@5,10", settings)
    with pytest.raises(SettingError, match="`cutoff` must be an integer >= 1"):
        metrics_of(study, ["P(organ)@5,ten"], settings)


def test_a_metric_without_a_known_expectation_over_ties_is_refused():
    with pytest.raises(SettingError, match=r"`ties` must be id for CAG-MAX\(iou,w=3\)@5"):
        score(the_study(), metrics=["CAG-MAX(iou,w=3)@5"], settings=Settings(ties="expected"))


def test_labels_that_are_not_there_are_named():
    with pytest.raises(UnknownName, match=r"No relevance or label column called 'organs'"):
        metrics_of(the_study(), ["nDCG(organs)@5"], Settings())
    with pytest.raises(UnknownName, match=r"No label column called 'organs'"):
        metrics_of(the_study(), ["Recall(organs)@5"], Settings())


def test_bpref_passes_over_images_without_the_label_whatever_the_pool():
    labels = {"organ": ORGAN | {"x3": ""}}
    study = with_parts(study_of(SETS, ()), runs=RUNS, labels=labels)
    for pool in ("labelled", "all"):
        (found,) = score(study, metrics=["bpref(organ)"], settings=Settings(pool=pool))
        # Without x3 nothing else stands before the lungs; x4 finds one of its two.
        assert found.values[[0, 1, 3]].tolist() == [1, 1, 1 / 2]


def test_a_measure_to_compare_is_a_relevance_and_no_label_column():
    with pytest.raises(UnknownName, match="No relevance called 'organ'"):
        analysed(the_study(), ["organ"], k=2).by_measure()
