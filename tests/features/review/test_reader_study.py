"""Judgments as a reader study, on lists small enough to know the readings."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evalcore.cli import run
from evalcore.features.review.reader_study import analysed, readings_of
from evalcore.values.errors import InputError
from tests.features.review.readers.test_results import said, study

GRADES = {
    "ann": {"q1": {"r1": 1.0, "r2": 0.5, "r4": 0.0, "r3": 0.0, "r5": 0.25}, "q2": {"r1": 0.5, "r2": 0.0}},
    "bob": {"q1": {"r1": 0.75, "r2": 0.25, "r3": 0.0, "r5": 0.5}, "q2": {"r1": 1.0, "r2": 1.0, "r3": 0.0}},
}


def judgments(more=()):
    every = [
        said(reader, query, result, value)
        for reader, queries in GRADES.items()
        for query, results in queries.items()
        for result, value in results.items()
    ]
    return [*every, *more]


def test_a_reading_is_the_mean_of_all_first_results_of_a_list():
    """good finds r1 r2 r4, bad r3 r5 r4; a list that is not graded to its end gives no reading."""
    readings = readings_of(study(), judgments(), k=2)
    assert (readings.systems, readings.readers, readings.cases) == (
        ("bad", "good"),
        ("ann", "bob"),
        ("q1", "q2"),
    )
    nothing = np.nan
    expected = [[[0.125, nothing], [0.25, nothing]], [[0.75, 0.25], [0.5, 1.0]]]
    np.testing.assert_array_equal(readings.ratings, expected)
    unsure = readings_of(study(), judgments([said("ann", "q2", "r2", None)]), k=2)
    assert np.isnan(unsure.ratings[1, 0, 1])
    assert readings_of(study(), judgments(), k=2, systems=("good",)).systems == ("good",)
    with pytest.raises(InputError, match="No reader has graded all of the first 3 results"):
        readings_of(study(), [one for one in judgments() if one.result != "r4"], k=3)


def test_systems_are_compared_for_other_readers_beside_other_queries():
    judged = analysed(readings_of(study(), judgments(), k=1))
    apart = judged.queries_only[0]
    assert (apart.a, apart.b) == ("bad", "good") and apart.low <= judged.study.differences[0].of.value
    with pytest.raises(InputError, match="Only one reader"):
        analysed(readings_of(study(), [one for one in judgments() if one.reader == "ann"], k=1))


def test_the_command_takes_a_study(capsys):
    assert run(["mrmc", "data", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["n_readers"], found["n_cases"], len(found["rows"])) == (3, 10, 3)
    assert "3 of them simulated" in err
    assert run(["mrmc", "data", "--measure", "auc"]) == 2
    assert run(["mrmc", "data", "--set", "k=50"]) == 2
    assert "first 50 results" in capsys.readouterr().err
