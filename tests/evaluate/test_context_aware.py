"""Context-aware gain as a metric: rank by rank by its formulas, in scores, in sweeps, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import evalcore as cs
from evalcore import explain
from evalcore.evaluate import scoring
from evalcore.study import open_study
from tests.ranking.test_grid import by_definition

METRIC = "CAG-AVG(nn-iou,w=3,row=2)@6"


@pytest.fixture(scope="module")
def study():
    return open_study("data")


def top(study, system: str, query: int, k: int) -> list[float]:
    """nn-IoU of the first k results, each by `explain`."""
    ids = study.image_ids
    results, _ = study.runs[system].answer(query, include_self=False)
    return [explain(study, ids[query], ids[result]).values["nn-iou"] for result in results[:k]]


def test_scores_are_those_of_the_formula_rank_by_rank(study) -> None:
    (scores,) = scoring.score(study, metrics=[METRIC], systems=["hog"])
    for place in (0, 17, 93):
        worth = by_definition(top(study, "hog", int(scores.queries[place]), 6), 3)
        rows = [np.mean(worth[i : i + 2]) for i in (0, 2, 4)]
        assert scores.values[place] == pytest.approx(np.mean(rows), rel=1e-9)


GRADED = ("MAX", "DCG", "mean", "RBP", "ERR")


@pytest.mark.parametrize("highest", [1, 2, 10])
def test_grades_count_as_their_share_of_the_highest_with_context_or_without(highest) -> None:
    """Three results of the highest grade are worth what three relevances of 1 are; no context lowers them."""
    concepts = {image: ["C0000001"] for image in "abcdefg"}
    runs = {"x": {"a": {"b": 4, "c": 3, "d": 2, "e": 1}, "e": {"f": 3, "g": 2, "a": 1}}}
    grades = {"a": dict.fromkeys("bcd", highest), "e": {"f": 0, "g": 0, "a": 0}}
    study = cs.make_study(concepts=concepts, runs=runs, judgments={"j": grades})
    labels = [f"{name}(qrels:j)@3" for name in GRADED] + [
        f"CAG-{name}(qrels:j)@3" for name in ("MAX", "DCG", "RBP")
    ]
    scores = {score.metric.split("(")[0]: score.values[0] for score in cs.score(study, labels)}
    dcg = sum(1 / np.log2(k + 1) for k in (1, 2, 3))
    rbp = 1 - 0.95**3  # the usual persistence
    assert scores["MAX"] == scores["mean"] == scores["CAG-MAX"] == 1.0
    assert scores["DCG"] == pytest.approx(dcg) == scores["CAG-DCG"]
    assert scores["RBP"] == pytest.approx(rbp) == scores["CAG-RBP"]
