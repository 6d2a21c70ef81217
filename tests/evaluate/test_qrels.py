"""Judgments of others as a relevance: against trec_eval, and what has no value."""

from __future__ import annotations

import numpy as np
import pytest

import evalcore as cs
from evalcore.values.model import NO_RELEVANT, NOT_JUDGED

OURS = {
    "map": "AP(qrels:trec)",
    "map_cut_10": "AP(qrels:trec)@10",
    "recip_rank": "RR(qrels:trec)",
    "Rprec": "Rprec(qrels:trec)",
    "bpref": "bpref(qrels:trec)",
    "infAP": "infAP(qrels:trec)",
    "P_5": "P(qrels:trec)@5",
    "recall_10": "Recall(qrels:trec)@10",
    "success_1": "Success(qrels:trec)@1",
    "ndcg_cut_10": "nDCG(qrels:trec)@10",
}
"""Our label by trec_eval's name."""


def random_material(rng, *, n_queries=40, n_images=50, grades=(-1, 0, 0, 1, 2, 3)):
    """Grades, some of them below 0, and lists in an order without ties."""
    images = [f"d{i:02}" for i in range(n_images)]
    qrels, run = {}, {}
    for q in range(n_queries):
        judged = rng.permutation(images)[: rng.integers(1, 30)]
        qrels[f"q{q:02}"] = {str(image): int(rng.choice(grades)) for image in judged}
        listed = rng.permutation(images)[: rng.integers(1, n_images)]
        run[f"q{q:02}"] = {str(image): float(n_images - place) for place, image in enumerate(listed)}
    return qrels, run


def by_trec_eval(qrels, run, **how):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    names = {"map", "map_cut", "recip_rank", "Rprec", "bpref", "infAP", "P", "recall", "success", "ndcg_cut"}
    return pytrec_eval.RelevanceEvaluator(qrels, names, **how).evaluate(run)


@pytest.mark.parametrize(("level", "only"), [(1, False), (1, True), (2, False), (3, True)])
def test_ties_levels_and_unjudged_results_are_those_of_trec_eval(level, only):
    """``-l`` and ``-J``; equal scores are by descending id there, so ids are the other way round here."""
    rng = np.random.default_rng(level)
    qrels, run = random_material(rng, n_queries=80)
    run = {query: {image: float(rng.integers(0, 5)) for image in row} for query, row in run.items()}
    ours = {query: {f"d{99 - int(i[1:])}": value for i, value in row.items()} for query, row in run.items()}
    judged = {query: {f"d{99 - int(i[1:])}": g for i, g in row.items()} for query, row in qrels.items()}
    study = cs.make_study(runs={"a": ours}, judgments={"trec": judged})
    oracle = by_trec_eval(qrels, run, relevance_level=level, judged_docs_only_flag=only)
    for name, label in OURS.items():
        passed_over = ",only=judged" if only and name != "bpref" else ""
        of_level = f",rel={level}" if level > 1 and name != "ndcg_cut_10" else ""
        (score,) = cs.score(study, [label.replace(":trec", f":trec{passed_over}{of_level}")], queries="all")
        expected = [oracle[study.image_ids[query]][name] for query in score.queries]
        known = ~np.isnan(score.values)
        assert known.sum() > 50
        assert score.values[known] == pytest.approx(np.array(expected)[known], rel=1e-12, abs=1e-15), label
        assert not np.nan_to_num(np.array(expected)[~known]).any()  # theirs is 0, or NaN


def test_a_lowest_relevant_grade_that_cannot_be_is_refused():
    study = cs.make_study(runs={"a": {"q": {"d": 1.0}}}, judgments={"trec": {"q": {"d": 2}}})
    for label, why in (
        ("P(qrels:trec,rel=0)@5", "a grade above 0"),
        ("nDCG(qrels:trec,rel=2)@5", "option of"),
    ):
        with pytest.raises(cs.CuiscopeError, match=why):
            cs.score(study, [label])


def test_missing_empty_zero_and_undefined_are_four_things():
    judged = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"a": -1}}
    run = {"q1": {"a": 1.0}, "q3": {"a": 1.0}, "q4": {"a": 1.0}, "q5": {"a": 1.0}}
    study = cs.make_study(runs={"s": run}, judgments={"trec": judged})
    ap, precision, share = cs.score(
        study, ["AP(qrels:trec)", "P(qrels:trec)@1", "Judged(qrels:trec)@2"], queries="all"
    )
    assert [study.image_ids[query] for query in ap.queries] == ["q1", "q2", "q3", "q4", "q5"]
    assert np.array_equal(ap.values, [1, 0, np.nan, np.nan, np.nan], equal_nan=True)  # q2: not in the run
    assert ap.reasons.tolist() == [0, 0, NO_RELEVANT, NOT_JUDGED, NOT_JUDGED] and ap.missing == 1
    assert np.array_equal(precision.values, [1, 0, 0, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(share.values, [0.5, 0, 0.5, np.nan, np.nan], equal_nan=True)


def test_expected_reciprocal_rank_of_grades_is_that_of_the_published_example():
    """Grades 3, 2, 4 of 4: Chapelle et al. 2009, Eq. 3 and 4, chances 7/16, 3/16, 15/16 by hand."""
    study = cs.make_study(
        runs={"s": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}}, judgments={"g": {"q": {"a": 3, "b": 2, "c": 4}}}
    )
    (score,) = cs.score(study, ["ERR(qrels:g,gain=exp)@3"])
    a, b, c = 7 / 16, 3 / 16, 15 / 16
    assert score.values[0] == pytest.approx(a + (1 - a) * b / 2 + (1 - a) * (1 - b) * c / 3, rel=1e-14)
