"""Agreement among readers, and of measures with them; judgments as a reader study."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau

from evalcore.evaluate.against_readers import Votes, best_first, measure_agreement
from evalcore.evaluate.reader_study import analyse_readings, kinds_of, readings_of, systems_not_read
from evalcore.evaluate.readers import differ_most, grades, reader_agreement, reader_results, usual_measures
from evalcore.study.reader_judgments import ReaderJudgment
from evalcore.values.errors import InputError, SettingError
from tests.toy import study_of, with_parts


def grade(reader: str, query: str, result: str, value: float | None) -> ReaderJudgment:
    return ReaderJudgment(reader, query, result, "", "", "", 0, value)


def vote(reader: str, query: str, system: str, other: str, value: float) -> ReaderJudgment:
    return ReaderJudgment(reader, query, "", system, other, "", 0, value)


def judged(*rows: str) -> list[ReaderJudgment]:
    """``reader query result value`` by line; a value of x is "cannot say"."""
    words = [row.split() for row in rows]
    return [grade(*fields[:3], None if fields[3] == "x" else float(fields[3])) for fields in words]


def test_the_last_row_counts():
    table = grades(judged("a q r 0", "a q r 1", "a q t x", "b q r 0.25"))
    assert table.readers == ("a", "b") and table.items == (("q", "r"),)
    assert table.values.tolist() == [[1.0], [0.25]]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "Nothing has been judged yet."),
        (["a q r 1", "a q s 0"], "Only one reader has judged: agreement needs two."),
        (["a q r 1", "b q s 0"], "No two readers have judged the same result."),
        (
            ["a q r 1", "b q r 1", "a q s 1", "b q s 1"],
            "All judgments are equal: agreement beyond chance is undefined.",
        ),
    ],
)
def test_reasons_without_alpha(rows, why):
    agreement = reader_agreement(grades(judged(*rows)))
    assert agreement.why_none == why and np.isnan(agreement.alpha.mean) and np.isnan(agreement.alpha.low)


# On a study small enough to know the answers.

SETS = {
    "q1": {"a", "b", "c", "d"},
    "q2": {"x", "y"},
    "r1": {"a", "b", "c", "d"},
    "r2": {"a", "b", "x"},
    "r3": {"z"},
    "r4": {"a", "x", "y"},
    "r5": None,
}


def study():
    """q1 and q2 and two systems: good returns r1 r2 r4, bad r3 r5 r4, both in this order."""
    lists = {"bad": ["r3", "r5", "r4"], "good": ["r1", "r2", "r4"]}
    runs = {name: dict.fromkeys(("q1", "q2"), results) for name, results in lists.items()}
    return with_parts(study_of(SETS), runs=runs, queries=["q1", "q2"])


GRADES = judged(
    *("a q1 r1 1", "a q1 r2 0.25", "a q1 r3 0.5"),
    *("a q2 r1 0", "a q2 r2 0.5", "a q2 r4 1"),
    *("b q1 r1 0.5", "b q1 r4 x", "b q2 r3 0"),
)


def test_a_measure_against_the_readers():
    results = reader_results(study(), GRADES, measures=["iou", "overlap"], k=3)
    iou, _ = results.measures
    # q1: grades .75 .25 .5 of IoU 1, 2/5, 0. q2: 0 .5 1 0 of 0, 1/4, 2/3, 0.
    of_q1 = kendalltau([0.75, 0.25, 0.5], [1, 0.4, 0]).statistic
    of_q2 = kendalltau([0, 0.5, 1, 0], [0, 0.25, 2 / 3, 0]).statistic
    assert iou.within.mean == pytest.approx((of_q1 + of_q2) / 2) and iou.within.n == 2
    assert results.pairs.measures == ("readers", "iou", "overlap") and len(results.pairs.queries) == 7
    assert (results.readers, results.elsewhere) == (("a", "b"), 0)
    assert results.between.alpha.n == 1 and results.between.pairs[0].n == 1


def test_votes_between_two_lists():
    ballots = [
        vote("a", "q1", "good", "bad", -1.0),
        vote("b", "q1", "bad", "good", 0.5),
        vote("a", "q2", "bad", "good", -0.25),
        vote("b", "q2", "bad", "good", 0.0),
        vote("a", "q2", "bad", "elsewhere", 1.0),
        vote("a", "q9", "bad", "good", 1.0),
    ]
    results = reader_results(study(), [*GRADES, *ballots], measures=["iou"], k=3)
    (iou,) = results.measures
    # Both prefer good for q1, as IoU does; a prefers bad for q2, where IoU has good ahead.
    assert (results.n_votes, results.no_preference, results.not_comparable) == (3, 1, 2)
    assert iou.votes.mean == pytest.approx(2 / 3) and iou.votes.n_groups == 2
    assert iou.votes.low < iou.votes.mean < iou.votes.high
    assert results.between_votes.level == "nominal" and results.between_votes.alpha.n == 2


def test_nothing_judged_yet_and_nothing_of_this_study():
    for judgments, elsewhere in (([], 0), ([grade("a", "s1", "s2", 1.0)], 1)):
        results = reader_results(study(), judgments)
        assert (results.measures, results.pairs, results.elsewhere) == ((), None, elsewhere)
        assert differ_most(results, "iou") == () and results.between.why_none


def test_results_undefined_under_any_measure_are_left_out():
    vectors = {"good": {"r1": np.ones(2), "q1": np.ones(2), "q2": np.ones(2), "r2": np.array([1.0, 0.0])}}
    embedded = replace(study(), embeddings=study_of(SETS, embeddings=vectors).embeddings)
    assert usual_measures(embedded) == ("iou", "dice", "cosine", "overlap"), "it knows 4 of 7 images"
    results = reader_results(embedded, GRADES, measures=["iou", "cosine:good"], k=3)
    assert results.pairs.left_out == 3 and len(results.pairs.queries) == 4
    assert results.without == {"cosine:good": 3}
    whole = {"good": {image: np.arange(1.0, 3.0) for image in SETS}}
    assert "cosine:good" in usual_measures(study_of(SETS, embeddings=whole))


# Measures against readers: taus within queries, votes, corrections.


def some(seed: int = 3, n: int = 40, n_queries: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values with ties, grades of five steps, and the query of each."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 5, n) / 4
    value = np.round(np.clip(grade + rng.normal(0, 0.4, n), 0, 1), 1)
    return value, grade, np.sort(rng.integers(0, n_queries, n)).astype(np.int32)


def test_every_statistic_of_two_measures():
    x, y, cluster = some()
    level = np.zeros_like(x)
    agreements = measure_agreement(("good", "level"), y, np.stack([x, level], 1), cluster)
    good, nothing = agreements
    taus = [kendalltau(x[cluster == q], y[cluster == q]).statistic for q in range(6)]
    assert good.within.mean == pytest.approx(np.mean(taus))
    assert nothing.within.mean == 0.0
    assert good.against is None and nothing.against.reference == "good"
    assert nothing.against.difference == pytest.approx(-good.within.mean)
    assert nothing.against.low < nothing.against.high < 0
    flipped = [abs(np.dot(signs, taus)) for signs in product((-1, 1), repeat=6)]
    p = np.mean(np.array(flipped) >= abs(np.sum(taus)) - 1e-9)
    assert nothing.against.p == pytest.approx(p) == nothing.against.p_corrected
    assert [agreement.measure for agreement in best_first(agreements[::-1])] == ["good", "level"]


def test_a_query_whose_grades_are_all_equal_is_left_out():
    x, y = np.array([0.1, 0.2, 0.3, 0.9]), np.array([0.5, 0.5, 0.0, 1.0])
    (agreement,) = measure_agreement(("m",), y, x[:, None], np.array([0, 0, 1, 1], np.int32))
    assert (agreement.within.mean, agreement.within.n) == (1.0, 1)


def test_votes_won_lost_level_and_undefined():
    scores = np.array([[[0.1, 0.5]], [[0.5, 0.1]], [[0.3, 0.3]], [[np.nan, 0.2]]])
    voted = Votes(np.array([1.0, 1.0, -1.0, 1.0]), scores, np.array([0, 0, 1, 1], np.int32), 2)
    judged = ("m",), np.array([0.0, 1.0]), np.array([[0.0], [1.0]]), np.zeros(2, np.int32)
    (agreement,) = measure_agreement(*judged, voted)
    assert (agreement.votes.mean, agreement.votes.n, agreement.votes.n_groups) == (0.5, 4, 2)


# Judgments as a reader study.


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


def test_a_system_whose_lists_were_not_judged_has_no_readings():
    """Of the four results of bad, three were graded, as good returned them too."""
    readings = readings_of(study(), ROWS, k=2)
    assert readings.systems == ("good",)
    assert systems_not_read(study(), readings) == ["Without a complete reading: bad."]
    more = [grade("ann", "q2", "r3", 0.0), grade("cy", "q2", "r5", None)]
    every = readings_of(study(), [*ROWS, *more], k=2)
    assert systems_not_read(study(), every) == []


def test_systems_are_compared_for_other_readers():
    rows = [*ROWS, grade("ann", "q2", "r3", 0.0)]
    (only,) = analyse_readings(readings_of(study(), rows, k=1)).differences
    assert (only.a, only.b) == ("bad", "good") and only.estimate.value == -0.8125
    with pytest.raises(InputError, match="Only one reader"):
        analyse_readings(readings_of(study(), [row for row in rows if row.reader == "ann"], k=1))


def panel(reader: str, query: str, system: str, value: float | None, criterion: str = "") -> ReaderJudgment:
    return ReaderJudgment(reader, query, "", system, "", criterion, 0, value)


def test_a_reading_of_a_whole_list_is_its_satisfaction():
    rows = [
        panel("ann", "q1", "good", 0.75),
        panel("ann", "q1", "bad", 0.0),
        panel("bob", "q1", "good", None),
    ]
    assert readings(rows) == {("good", "ann", "q1"): 0.75, ("bad", "ann", "q1"): 0.0}


def test_a_reading_by_criteria_needs_every_result_and_criterion():
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


def test_a_reading_of_material_needs_every_criterion():
    rows = [panel("ann", "q1", "A", 1.0, "clear"), panel("ann", "q1", "A", 0.5, "close")]
    rows += [panel("ann", "q1", "B", 0.25, "clear")]
    assert readings(rows) == {("A", "ann", "q1"): 0.75}
    assert readings(rows, criterion="clear") == {("A", "ann", "q1"): 1.0, ("B", "ann", "q1"): 0.25}


def test_a_reading_of_preferences_is_the_share_of_lists_preferred_to():
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
