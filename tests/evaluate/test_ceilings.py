"""The highest value lists of some length allow: against trec_eval of the best such list, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.evaluate import score
from evalcore.evaluate.scoring import ceilings_of
from evalcore.evaluate.summary import ceiling_of
from evalcore.ranking.metrics import Target, parse_metric
from evalcore.values.model import DEFINED, NO_RELEVANT, Scores
from evalcore.values.settings import Settings
from tests.toy import study_of
from tests.toy_runs import with_parts

EVERY = np.ones(4, np.bool_)


def test_average_precision_of_the_best_short_lists_by_hand():
    target = Target(n_relevant=np.array([4, 4, 4, 2]))
    found = ceilings_of(parse_metric("AP(organ)"), target, np.array([1, 3, 9, 0]), EVERY)
    assert found.tolist() == [1 / 4, 3 / 4, 1.0, 0.0]


def test_ndcg_of_the_best_short_lists_by_hand():
    ideal = np.array([[1.0, 0.5, 0.5, 0.0]] * 4)
    found = ceilings_of(parse_metric("CUI@4"), Target(ideal=ideal), np.array([1, 2, 3, 4]), EVERY)
    whole = 1 + 0.5 / np.log2(3) + 0.5 / 2
    assert found == pytest.approx([1 / whole, (1 + 0.5 / np.log2(3)) / whole, 1.0, 1.0])


def test_lists_that_are_long_enough_have_none():
    target = Target(n_relevant=np.array([4, 4, 4, 2]))
    assert (ceilings_of(parse_metric("AP(organ)"), target, np.array([4, 5, 9, 2]), EVERY) == 1).all()
    assert (ceilings_of(parse_metric("AP(organ)@3"), target, np.array([3, 3, 3, 2]), EVERY) == 1).all()
    assert (ceilings_of(parse_metric("P(organ)@10"), Target(), np.array([1, 1, 1, 1]), EVERY) == 1).all()
    # A query without a value limits nothing.
    assert (
        ceilings_of(parse_metric("RR(organ)"), target, np.array([1, 1, 1, 0]), EVERY & [1, 1, 1, 0]) == 1
    ).all()


def test_the_best_short_lists_score_the_same_in_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(5)
    n_relevant, lengths = rng.integers(1, 30, 50), rng.integers(1, 20, 50)
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(n)} for q, n in enumerate(n_relevant)}
    runs = {f"q{q}": {f"d{d}": 100.0 - d for d in range(length)} for q, length in enumerate(lengths)}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(runs)
    target = Target(n_relevant=n_relevant.astype(np.int64))
    found = ceilings_of(parse_metric("AP(organ)"), target, lengths, np.ones(50, np.bool_))
    assert found == pytest.approx([oracle[f"q{q}"]["map"] for q in range(50)])


def test_the_mean_of_a_study_and_no_value_above_its_ceiling():
    ids = [f"i{n}" for n in range(9)]
    study = study_of({i: {"a"} for i in ids})
    organs = {i: "left" if n < 6 else "right" for n, i in enumerate(ids)}
    runs = {
        "short": {q: [c for c in ids if c != q][:2] for q in ids[:8]},
        "whole": {q: [c for c in ids if c != q] for q in ids},
    }
    study = with_parts(study, runs=runs, labels={"organ": organs})
    settings = Settings(undefined="zero")
    short, whole = score(study, metrics=["AP(organ)"], settings=settings)
    # Two of five relevant images for six queries; both of two for two; the ninth query is not answered.
    assert ceiling_of(short, settings) == pytest.approx((6 * 2 / 5 + 2 * 1 + 0) / 9)
    assert (short.values <= short.ceiling + 1e-12).all()
    assert whole.ceiling is None and ceiling_of(whole, settings) is None


def test_a_ceiling_of_a_query_that_does_not_count_limits_nothing():
    reasons = np.array([DEFINED, NO_RELEVANT], np.uint8)
    queries, values, ceiling = np.arange(2, dtype=np.int32), np.array([0.5, np.nan]), np.array([1.0, 0.4])
    one = Scores("s", "AP(organ)", queries, values, reasons, 0, 0, 0, None, ceiling)
    assert ceiling_of(one, Settings()) is None
    assert ceiling_of(one, Settings(undefined="zero")) == pytest.approx(0.7)
