"""Times of scoring by measure and threshold; what cannot be timed is refused."""

import os

import pytest

from evalcore.evaluate.cost import machine, measure_cost
from evalcore.values.errors import InputError, SettingError
from tests.toy import TOY_EDGES, study_of

SETS = {"a": {"vein"}, "b": {"artery", "brain"}, "c": {"vessel"}, "none": None}


def test_iou_first_then_nn_iou_at_each_threshold():
    shares = []
    costs = measure_cost(
        study_of(SETS, TOY_EDGES), thresholds=(1, 2), repeats=2, progress=lambda done, _: shares.append(done)
    )
    assert [(cost.relevance, cost.threshold) for cost in costs] == [("iou", 0), ("nn-iou", 1), ("nn-iou", 2)]
    assert {(cost.n_queries, cost.pairs, cost.repeats) for cost in costs} == {(3, 12, 2)}
    assert costs[0].dictionary == 0 and all(cost.dictionary > 0 for cost in costs[1:])
    assert all(cost.scoring > 0 for cost in costs)
    assert shares[-1] == 1.0
    assert measure_cost(study_of(SETS, TOY_EDGES), n_queries=2, repeats=1)[0].pairs == 8


def test_refusals():
    with pytest.raises(InputError, match="no concept graph"):
        measure_cost(study_of(SETS, None))
    with pytest.raises(SettingError, match="`repeats` must be an integer >= 1"):
        measure_cost(study_of(SETS, TOY_EDGES), repeats=0)


def test_the_machine_is_described_without_its_name():
    assert "Python 3" in machine() and "processors" in machine()
    assert os.uname().nodename not in machine()
