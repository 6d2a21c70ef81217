"""What the judgments of a study say, on a study small enough to know the answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np
import pytest
from scipy.stats import kendalltau

from evalcore.features.review.judgments import Judgment
from evalcore.features.review.readers import differ_most, reader_results, usual_measures
from evalcore.values.model import Run
from tests.toy import study_of

SETS = {
    "q1": {"a", "b", "c", "d"},
    "q2": {"x", "y"},
    "r1": {"a", "b", "c", "d"},
    "r2": {"a", "b", "x"},
    "r3": {"z"},
    "r4": {"a", "x", "y"},
    "r5": None,
}


def said(reader: str, query: str, result: str, value: float | None) -> Judgment:
    return Judgment(
        id=f"{reader}{query}{result}",
        task="t",
        reader=reader,
        kind="graded",
        query=query,
        result=result,
        said="cannot-say" if value is None else "value",
        value=value,
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def vote(reader: str, query: str, systems: tuple[str, str], value: float) -> Judgment:
    return Judgment(
        id=f"{reader}{query}{systems}",
        task="t",
        reader=reader,
        kind="preference",
        query=query,
        systems=systems,
        value=value,
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def study():
    """q1 and q2 asked of two systems: good finds r1 r2 r4, bad r3 r5 r4, both in this order."""
    whole = study_of(SETS)
    at = whole.image_ids.index
    queries = np.array([at("q1"), at("q2")], np.int32)

    def run(name: str, *results: str) -> Run:
        found = np.array([at(one) for one in results] * 2, np.int32)
        n = len(results)
        return Run.from_arrays(
            name, queries, np.array([0, n, 2 * n]), found, np.tile(np.arange(n, 0, -1.0), 2)
        )

    runs = {"bad": run("bad", "r3", "r5", "r4"), "good": run("good", "r1", "r2", "r4")}
    return replace(whole, runs=MappingProxyType(runs), queries=queries)


GRADES = [
    said("a", "q1", "r1", 1.0),
    said("a", "q1", "r2", 0.25),
    said("a", "q1", "r3", 0.5),
    said("a", "q2", "r1", 0.0),
    said("a", "q2", "r2", 0.5),
    said("a", "q2", "r4", 1.0),
    said("b", "q1", "r1", 0.5),
    said("b", "q1", "r4", None),
    said("b", "q2", "r3", 0.0),
]


def test_a_measure_against_the_readers():
    found = reader_results(study(), GRADES, measures=["iou", "overlap"], k=3)
    iou, _ = found.measures
    # q1: grades .75 .25 .5 of IoU 1, 2/5, 0. q2: 0 .5 1 0 of 0, 1/4, 2/3, 0.
    of_q1 = kendalltau([0.75, 0.25, 0.5], [1, 0.4, 0]).statistic
    of_q2 = kendalltau([0, 0.5, 1, 0], [0, 0.25, 2 / 3, 0]).statistic
    assert iou.within.mean == pytest.approx((of_q1 + of_q2) / 2) and iou.within.n == 2
    assert found.pairs.measures == ("readers", "iou", "overlap") and len(found.pairs.queries) == 7
    assert (found.readers, found.simulated, found.elsewhere) == (("a", "b"), (), 0)
    assert found.between.alpha.n == 1 and found.between.pairs[0].n == 1


def test_how_much_of_each_list_was_judged():
    bad, good = reader_results(study(), GRADES, measures=["iou"], k=3).coverage
    # bad: r3 of q1 and of q2 judged; r4 of q1 cannot say, of q2 judged; r5 twice not.
    assert (bad.system, bad.judged, bad.cannot_say, bad.unjudged, bad.poor) == ("bad", 3, 1, 2, True)
    assert (good.judged, good.cannot_say, good.unjudged) == (5, 1, 0) and good.share == pytest.approx(5 / 6)
    (alone,) = reader_results(study(), GRADES, measures=["iou"], systems=["bad"], k=1).coverage
    assert (alone.judged, alone.n_results, alone.n_queries) == (2, 2, 2)


def test_votes_between_two_lists():
    ballots = [
        vote("a", "q1", ("good", "bad"), -1.0),
        vote("b", "q1", ("bad", "good"), 0.5),
        vote("a", "q2", ("bad", "good"), -0.25),
        vote("b", "q2", ("bad", "good"), 0.0),
        vote("a", "q2", ("bad", "elsewhere"), 1.0),
        vote("a", "q9", ("bad", "good"), 1.0),
    ]
    found = reader_results(study(), [*GRADES, *ballots], measures=["iou"], k=3)
    (iou,) = found.measures
    # Both prefer good for q1, as IoU does; a prefers bad for q2, where IoU has good ahead.
    assert (found.n_votes, found.no_preference, found.not_comparable) == (3, 1, 2)
    assert iou.votes.mean == pytest.approx(2 / 3) and iou.votes.n_groups == 2
    assert found.between_votes.level == "nominal" and found.between_votes.alpha.n == 2


def test_results_on_which_reader_and_measure_differ():
    found = reader_results(study(), GRADES, measures=["iou"], k=3)
    ids = study().image_ids
    first = differ_most(found, "iou")[0]
    assert (ids[first.query], ids[first.candidate]) == ("q1", "r3")
    assert (first.value_a, first.value_b) == (0.5, 0.0)
    assert len({one.query for one in differ_most(found, "iou")}) == len(differ_most(found, "iou"))


def test_nothing_judged_yet_and_nothing_of_this_study():
    for judgments, elsewhere in (([], 0), ([said("a", "s1", "s2", 1.0)], 1)):
        found = reader_results(study(), judgments)
        assert (found.measures, found.coverage, found.pairs, found.elsewhere) == ((), (), None, elsewhere)
        assert differ_most(found, "iou") == () and found.between.why_none


def test_results_without_a_value_under_one_measure_are_left_out_under_all():
    vectors = {"good": {"q1": np.ones(2), "q2": np.ones(2), "r1": np.ones(2), "r2": np.array([1.0, 0.0])}}
    embedded = replace(study(), embeddings=study_of(SETS, embeddings=vectors).embeddings)
    assert usual_measures(embedded) == ("iou", "dice", "cosine", "overlap"), "it knows 4 of 7 images"
    found = reader_results(embedded, GRADES, measures=["iou", "cosine:good"], k=3)
    assert found.pairs.left_out == 3 and len(found.pairs.queries) == 4
    assert found.without == {"cosine:good": 3}
    whole = {"good": {image: np.arange(1.0, 3.0) for image in SETS}}
    assert "cosine:good" in usual_measures(study_of(SETS, embeddings=whole))
