"""Judgments as a reader study, on lists small enough to know the readings."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from evalcore.cli import run
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.reader_study import What, analysed, readings_of, readings_of_task, what_of
from evalcore.features.review.tasks import Form, Task
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import Study
from tests.features.review.read.made import judgment
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
    assert run(["mrmc", "data", "--k", "50"]) == 2
    assert "first 50 results" in capsys.readouterr().err


BOTH = ("bad", "good")


def task(form: Form = "graded", **more: object) -> Task:
    """Two queries, the first two results of both systems: good r1 r2, bad r3 r5."""
    given = {"name": "t", "title": "T", "systems": BOTH, "queries": ("q1", "q2"), "depth": 2}
    return Task(form=form, **{**given, **more})  # type: ignore[arg-type]


def answered(n: int, reader: str, query: str, value: float | None, **more: object) -> Judgment:
    answer = {"said": "cannot-say" if value is None else "value", "value": value, "task": "t"}
    return judgment(str(n), n, reader=reader, query=query, **{"result": "", **answer, **more})


def readings(
    of: Task, judgments: list[Judgment], what: What | None = None, whole: Study | None = None
) -> dict[tuple[str, str, str], float]:
    """{(system, reader, query): reading} of those that are complete."""
    found = readings_of_task(whole or study(), of, judgments, what)
    named = product(found.systems, found.readers, found.cases)
    return {key: value for key, value in zip(named, found.ratings.flat, strict=True) if not np.isnan(value)}


def test_a_reading_of_whole_lists_is_the_satisfaction_with_one():
    every = [
        answered(1, "ann", "q1", 0.75, kind="panel", systems=("good",)),
        answered(2, "ann", "q1", 0.0, kind="panel", systems=("bad",)),
        answered(3, "bob", "q1", None, kind="panel", systems=("good",)),
        answered(5, "bob", "q2", 0.5, kind="panel", systems=("bad",), shown="another list"),
    ]
    of = task("panel")
    assert readings(of, every) == {("good", "ann", "q1"): 0.75, ("bad", "ann", "q1"): 0.0}


def test_a_reading_by_criteria_takes_every_result_and_criterion():
    of = task("ratings", criteria=("clear", "close"))
    values = {("r1", "clear"): 1.0, ("r2", "clear"): 0.5, ("r1", "close"): 0.0, ("r2", "close"): 0.25}
    every = [
        answered(n, "ann", "q1", value, kind="rating", result=result, criterion=criterion)
        for n, ((result, criterion), value) in enumerate(values.items())
    ]
    assert readings(of, every) == {("good", "ann", "q1"): pytest.approx(1.75 / 4)}
    assert readings(of, every, what_of(of, criterion="close")) == {("good", "ann", "q1"): 0.125}
    with pytest.raises(InputError, match="No reader has a complete reading yet"):
        readings(of, every[:3])
    with pytest.raises(SettingError, match="one of clear, close"):
        what_of(of, criterion="loud")
    with pytest.raises(SettingError, match="not judged by criteria"):
        what_of(task(), criterion="clear")


def test_a_reading_of_preferences_is_the_share_of_lists_that_are_liked_less():
    """With three systems: ann likes good much more than bad, sees no difference to same."""
    whole = study()
    runs = {**whole.runs, "same": replace(whole.runs["good"], system="same")}
    whole = replace(whole, runs=runs)
    of = task("preference", systems=(*BOTH, "same"), queries=("q1",))
    every = [
        answered(1, "ann", "q1", -1.0, kind="preference", systems=("good", "bad")),
        answered(2, "ann", "q1", 0.5, kind="preference", systems=("bad", "same")),
        answered(3, "bob", "q1", 0.0, kind="preference", systems=("bad", "good")),
    ]
    expected = {"good": (1 + 0.5) / 2, "same": (1 + 0.5) / 2, "bad": 0.0}
    of_bob = {("good", "bob", "q1"): 0.5}
    of_ann = {(name, "ann", "q1"): value for name, value in expected.items()}
    assert readings(of, every, whole=whole) == of_ann | of_bob, "bad was not compared with same by bob"
    with pytest.raises(InputError, match="No reader has a complete reading yet"):
        readings(of, [], whole=whole)
