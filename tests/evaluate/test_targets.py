"""Metrics asked for by any of their names, and what of a list they count."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.evaluate.scoring import score
from evalcore.evaluate.targets import metric_of, metrics_of, what_counts
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


def test_a_measure_to_compare_is_a_relevance_and_no_label_column():
    with pytest.raises(UnknownName, match="No relevance called 'organ'"):
        analysed(the_study(), ["organ"], k=2).by_measure()


# What counts of a list, image by image.


IMAGES = {"q": {"a", "b"}, "x1": {"a"}, "x2": {"a", "b"}, "x3": {"c"}, "x4": {"a", "b"}}
ORGANS = {"q": "lung", "x1": "liver", "x2": ("lung", "heart"), "x3": "", "x4": "lung"}
RETURNED = ["x3", "x2", "x1", "x4"]


def worth(label, *, returned=RETURNED, query="q", **settings):
    labels, chosen = {"organ": ORGANS}, Settings(**settings)
    study = with_parts(study_of(IMAGES, ()), runs={"run": {query: returned}}, labels=labels, queries=[query])
    index = study.concepts.index
    images = np.array([-1 if image == "?" else index(image) for image in returned], np.int32)
    earned = what_counts(study, metric_of(study, label, chosen), index(query), images, chosen)
    (scores,) = score(study, metrics=[label], settings=chosen)
    return (
        [None if np.isnan(gain) else gain for gain in earned.gains],
        earned.counted.tolist(),
        scores.values[0],
    )


def test_an_image_without_the_label_takes_no_place_among_the_labelled():
    gains, counted, value = worth("P(organ)@2")
    assert (gains, counted) == ([None, 1, 0, 1], [False, True, True, False])
    assert value == 1 / 2
    gains, counted, value = worth("P(organ)@2", pool="all")
    assert (gains, counted) == ([0, 1, 0, 1], [True, True, False, False])
    assert value == 1 / 2


def test_judged_images_only_whatever_the_pool():
    for pool in ("labelled", "all"):
        gains, counted, _ = worth("bpref(organ)", pool=pool)
        assert (gains, counted) == ([None, 1, 0, 1], [False, True, True, True])


def test_r_precision_looks_at_as_many_as_there_are():
    _, counted, value = worth("Rprec(organ)")
    assert counted == [False, True, True, False]
    assert value == 1 / 2


def test_a_graded_metric_shows_its_gain():
    gains, counted, value = worth("mean(iou)@2", returned=["x1", "?", "x2"])
    assert (gains, counted) == ([1 / 2, 0, 1], [True, True, False])
    assert value == pytest.approx(1 / 4)
    assert worth("ERR(iou)@5", returned=["x2"], gain="exp")[0] == [1 / 2]
    assert worth("CUI@5", returned=["x1"], gain="exp")[0] == pytest.approx([2**0.5 - 1], rel=1e-14)


def test_a_query_without_the_label_counts_nothing():
    gains, counted, value = worth("P(organ)@2", query="x3", returned=["x2", "q"])
    assert (gains, counted) == ([None, None], [False, False])
    assert np.isnan(value)
