"""What an analysis adds to the comparisons of `test_comparison`: its baseline, ties."""

from dataclasses import replace

import pytest

import evalcore as cs
from evalcore.evaluate.analysis import analyse
from evalcore.values.settings import Settings, View
from tests.conftest import ROOT

METRIC = "CUI@10"


@pytest.fixture(scope="module")
def study():
    return cs.open_study(ROOT / "data")


def rounded(study, system, places):
    """The run of a system with scores of so many decimals, so that many are equal."""
    answers = {}
    for query in study.queries.tolist():
        results, scores = study.runs[system].answer(query)
        answers[study.image_ids[query]] = {
            study.image_ids[image]: round(float(score), places)
            for image, score in zip(results, scores, strict=True)
        }
    return answers


def test_a_baseline_of_the_study_is_in_no_view_that_leaves_it_out(study):
    named = replace(study, baseline="hog")
    assert analyse(named, View(metrics=(METRIC,))).view.baseline == "hog"
    few = analyse(named, View(metrics=(METRIC,), systems=("texture", "pixel-pca"))).view
    assert (few.baseline, few.systems) == ("", ("texture", "pixel-pca"))
    view = View(metrics=(METRIC,), systems=("texture",), baseline="hog")
    two = analyse(named, view)
    assert two.view.systems == ("hog", "texture")
    with pytest.raises(cs.UnknownName, match="pixel-pca"):
        two.comparison("hog", "pixel-pca")


def test_where_ties_decide_the_average_over_their_orders_is_given(study):
    """By hand: the same two systems scored with ``ties="expected"``."""
    runs = {"coarse hog": rounded(study, "hog", 1), "coarse texture": rounded(study, "texture", 1)}
    tied = cs.with_runs(study, runs)
    board = cs.score(tied, METRIC, systems=list(runs))
    averaged = board.analysis.averaged_over_ties(*runs)
    by_hand = cs.score(tied, METRIC, systems=list(runs), settings=Settings(ties="expected"))
    assert averaged.difference == pytest.approx(
        by_hand.mean("coarse hog", METRIC) - by_hand.mean("coarse texture", METRIC), abs=1e-12
    )
    assert averaged.difference != board.analysis.comparison(*runs).difference
    sentence = "This depends on the order of results with equal scores: averaged over all their orders, "
    assert sentence in board.verdict() and sentence in cs.compare(board, *runs).verdict()
    assert f"scores {averaged.difference:.3f} higher" in board.verdict()
    assert sentence not in by_hand.verdict()
    assert sentence not in cs.score(study, METRIC).verdict(), "no scores are equal"
