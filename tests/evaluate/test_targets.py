"""Metrics by any of their names, and which results of a list they count."""

import numpy as np
import pytest

from evalcore import score
from evalcore.evaluate.targets import metric_of, metrics_of, what_counts
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.settings import Settings
from tests.measured import analysed
from tests.toy import study_of, with_parts

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
NO = float("nan")


@pytest.mark.parametrize(
    ("label", "settings", "returned", "gains", "counted", "value"),
    [
        # x3 has no label: it takes no place among the labelled, and one among all images.
        ("P(organ)@2", {}, "x3 x2 x1 x4", [NO, 1, 0, 1], [0, 1, 1, 0], 1 / 2),
        ("P(organ)@2", {"pool": "all"}, "x3 x2 x1 x4", [0, 1, 0, 1], [1, 1, 0, 0], 1 / 2),
        # Judged images only, whatever the pool.
        ("bpref(organ)", {}, "x3 x2 x1 x4", [NO, 1, 0, 1], [0, 1, 1, 1], 1 / 2),
        ("bpref(organ)", {"pool": "all"}, "x3 x2 x1 x4", [NO, 1, 0, 1], [0, 1, 1, 1], 1 / 2),
        # As many as there are relevant ones.
        ("Rprec(organ)", {}, "x3 x2 x1 x4", [NO, 1, 0, 1], [0, 1, 1, 0], 1 / 2),
        ("mean(iou)@2", {}, "x1 ? x2", [1 / 2, 0, 1], [1, 1, 0], 1 / 4),
        ("ERR(iou)@5", {"gain": "exp"}, "x2", [1 / 2], [1], 1 / 2),
        ("DCG(iou)@5", {"gain": "exp"}, "x1", [2**0.5 - 1], [1], 2**0.5 - 1),
    ],
)
def test_what_counts_of_a_list(label, settings, returned, gains, counted, value):
    earned, scored = worth(label, returned, **settings)
    np.testing.assert_allclose(earned.gains, gains, rtol=1e-14)
    assert earned.counted.tolist() == [bool(flag) for flag in counted]
    assert scored == pytest.approx(value)


def test_a_query_without_the_label_counts_nothing():
    earned, scored = worth("P(organ)@2", "x2 q", query="x3")
    assert np.isnan([*earned.gains, scored]).all() and earned.counted.tolist() == [False, False]


def worth(label, returned, *, query="q", **settings):
    """What counts of a list, and the score of the query."""
    chosen, returned = Settings(**settings), returned.split()
    runs, labels = {"run": {query: returned}}, {"organ": ORGANS}
    study = with_parts(study_of(IMAGES, ()), runs=runs, labels=labels, queries=[query])
    index = study.concepts.index
    images = np.array([-1 if image == "?" else index(image) for image in returned], np.int32)
    (scores,) = score(study, metrics=[label], settings=chosen)
    return what_counts(study, metric_of(study, label, chosen), index(query), images, chosen), scores.values[0]
