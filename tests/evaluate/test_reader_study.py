"""Judgments as a reader study, on lists small enough to know the readings."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from evalcore.evaluate.reader_study import analyse_readings, kinds_of, readings_of
from evalcore.study.reader_judgments import ReaderJudgment
from evalcore.values.errors import InputError, SettingError
from tests.evaluate.test_readers import grade, judged, study, vote

ROWS = judged(
    *("ann q1 r1 1", "ann q1 r2 0.5", "ann q1 r4 0", "ann q1 r3 0", "ann q1 r5 0.25"),
    *("ann q2 r1 0.5", "ann q2 r2 0"),
    *("bob q1 r1 0.75", "bob q1 r2 0.25", "bob q1 r3 0", "bob q1 r5 0.5"),
    *("bob q2 r1 1", "bob q2 r2 1", "bob q2 r3 0"),
)


def readings(rows, whole=None, **options):
    """{(system, reader, query): reading} of those that are complete."""
    table = readings_of(whole or study(), rows, **options)
    named = product(table.systems, table.readers, table.cases)
    return {key: value for key, value in zip(named, table.ratings.flat, strict=True) if not np.isnan(value)}


def test_a_reading_is_the_mean_of_all_first_results_of_a_list():
    """good finds r1 r2 r4, bad r3 r5 r4; a list that is not graded to its end gives no reading."""
    every = [*ROWS, grade("ann", "q2", "r3", 0.0), grade("cy", "q2", "r5", None)]
    table = readings_of(study(), every, k=2)
    assert (table.systems, table.readers, table.cases) == (("bad", "good"), ("ann", "bob"), ("q1", "q2"))
    nothing = np.nan
    expected = [[[0.125, nothing], [0.25, nothing]], [[0.75, 0.25], [0.5, 1.0]]]
    np.testing.assert_array_equal(table.ratings, expected)
    unsure = readings_of(study(), [*every, grade("ann", "q2", "r2", None)], k=2)
    assert np.isnan(unsure.ratings[1, 0, 1])
    with pytest.raises(InputError, match="No reader has a complete reading yet"):
        readings_of(study(), [row for row in ROWS if row.result != "r4"], k=3)


def test_a_system_whose_lists_nobody_saw_has_no_readings():
    """Of the four results of bad, three were graded by somebody, as good returned them too."""
    assert readings_of(study(), ROWS, k=2).systems == ("good",)


def test_systems_are_compared_for_other_readers():
    rows = [*ROWS, grade("ann", "q2", "r3", 0.0)]
    (only,) = analyse_readings(readings_of(study(), rows, k=1)).differences
    assert (only.a, only.b) == ("bad", "good") and only.estimate.value == -0.8125
    with pytest.raises(InputError, match="Only one reader"):
        analyse_readings(readings_of(study(), [row for row in rows if row.reader == "ann"], k=1))


def panel(reader: str, query: str, system: str, value: float | None, criterion: str = "") -> ReaderJudgment:
    return ReaderJudgment(reader, query, "", system, "", criterion, 0, value)


def test_a_reading_of_whole_lists_is_the_satisfaction_with_one():
    rows = [
        panel("ann", "q1", "good", 0.75),
        panel("ann", "q1", "bad", 0.0),
        panel("bob", "q1", "good", None),
    ]
    assert readings(rows) == {("good", "ann", "q1"): 0.75, ("bad", "ann", "q1"): 0.0}


def test_a_reading_by_criteria_takes_every_result_and_criterion():
    values = {("r1", "clear"): 1.0, ("r2", "clear"): 0.5, ("r1", "close"): 0.0, ("r2", "close"): 0.25}
    rows = [ReaderJudgment("ann", "q1", *key[:1], "", "", key[1], 2, value) for key, value in values.items()]
    assert kinds_of(rows) == ("rating",)
    assert readings(rows) == {("good", "ann", "q1"): pytest.approx(1.75 / 4)}
    assert readings(rows, criterion="close") == {("good", "ann", "q1"): 0.125}
    with pytest.raises(InputError, match="No reader has a complete reading yet"):
        readings(rows[:3])
    with pytest.raises(SettingError, match="one of those judged: clear, close"):
        readings(rows, criterion="loud")
    with pytest.raises(SettingError, match="one of those judged: rating"):
        readings(rows, kind="panel")


def test_a_reading_of_what_a_team_says_takes_every_criterion():
    rows = [panel("ann", "q1", "A", 1.0, "clear"), panel("ann", "q1", "A", 0.5, "close")]
    rows += [panel("ann", "q1", "B", 0.25, "clear")]
    assert readings(rows) == {("A", "ann", "q1"): 0.75}
    assert readings(rows, criterion="clear") == {("A", "ann", "q1"): 1.0, ("B", "ann", "q1"): 0.25}


def test_a_reading_of_preferences_is_the_share_of_lists_that_are_liked_less():
    """With three systems: ann likes good much more than bad; same has the lists of good."""
    whole = study()
    whole = replace(whole, runs={**whole.runs, "same": replace(whole.runs["good"], system="same")})
    rows = [
        vote("ann", "q1", "good", "bad", -1.0),
        vote("ann", "q1", "bad", "same", 0.5),
        vote("bob", "q1", "bad", "good", 0.0),
    ]
    expected = {"good": (1 + 0.5) / 2, "same": (1 + 0.5) / 2, "bad": 0.0}
    of_ann = {(name, "ann", "q1"): value for name, value in expected.items()}
    of_bob = {("good", "bob", "q1"): 0.5}
    assert readings(rows, whole) == of_ann | of_bob, "bob did not compare bad with same"
    with pytest.raises(InputError, match="no judgments of readers yet"):
        readings([], whole)
