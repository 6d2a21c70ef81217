"""Sweeps give what a score at each setting gives, and what the formulas say about alpha and threshold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.evaluate import score, summarise
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings
from tests.swept import sweep
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

CONCEPTS = sorted({concept for edge in TOY_EDGES for concept in edge})
METRICS = ["nnCUI@3", "CUI@3", "mean(nn-iou)@2", "RBP(nn-iou,p=0.9)", "P(organ)@2", "nDCG(nn-iou,gain=exp)@5"]
SYSTEMS = ["run", "@iou", "@nn-iou"]


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(4)
    images = [f"i{k:02}" for k in range(24)]
    sets = {i: set(rng.choice(CONCEPTS, rng.integers(0, 5), replace=False)) for i in images} | {"none": None}
    run = {i: [str(c) for c in rng.permutation(images) if c != i][:10] for i in images[2:]}
    labels = {"organ": {i: str(rng.choice(["a", "b", ""])) for i in images}}
    return with_parts(study_of(sets, TOY_EDGES), runs={"run": run}, labels=labels)


@pytest.mark.parametrize(
    "settings", [Settings(), Settings(gain="exp", ties="expected"), Settings(count_rule="pairs")]
)
def test_each_row_is_the_score_at_its_setting(study, settings):
    rows = iter(
        sweep(
            study, alphas=[0, 0.3, 1], thresholds=[0, 2], metrics=METRICS, systems=SYSTEMS, settings=settings
        )
    )
    for threshold in (0, 2):
        for alpha in (0, 0.3, 1):
            at = replace(settings, alpha=alpha, threshold=threshold)
            for scores in score(study, metrics=METRICS, systems=SYSTEMS, settings=at):
                row, interval = next(rows), summarise(scores, settings=at)
                ends = (interval.low, interval.high)
                assert (row.alpha, row.threshold) == (alpha, threshold)
                assert (row.system, row.metric, row.n_scored) == (
                    scores.system,
                    scores.metric,
                    scores.n_scored,
                )
                found = (row.interval.mean, row.interval.low, row.interval.high)
                assert found == pytest.approx((interval.mean, *ends), rel=0, abs=0, nan_ok=True)
    assert next(rows, None) is None


def test_alpha_0_and_threshold_0_are_plain_iou(study):
    rows = sweep(study, alphas=[0, 0.5], thresholds=[0, 1, 2], metrics=["nnCUI@3"], systems=["run"])
    (plain,) = score(study, metrics=["CUI@3"], systems=["run"])
    same = [row for row in rows if row.alpha == 0 or row.threshold == 0]
    assert len(same) == 4
    for row in same:
        assert row.interval.mean == summarise(plain).mean
    others = {row.interval.mean for row in rows} - {row.interval.mean for row in same}
    assert len(others) == 2


def test_the_disagreeing_subset_holds_the_queries_the_two_relevances_serve_differently(study):
    (row, *_) = sweep(
        study, alphas=[0.5], thresholds=[1], metrics=["P(organ)@2"], systems=["@iou"], subset="disagree"
    )
    by_iou, by_nn = score(study, metrics=["P(organ)@2"], systems=["@iou", "@nn-iou"])
    different = by_iou.values[np.nan_to_num(by_iou.values) != np.nan_to_num(by_nn.values)]
    assert 0 < len(different) < by_iou.n_scored
    assert (row.n_scored, row.interval.mean) == (len(different), pytest.approx(different.mean()))


def test_a_subset_without_queries_has_no_mean(study):
    (row,) = sweep(
        study,
        alphas=[0.5],
        thresholds=[1],
        metrics=["P(organ)@2"],
        systems=["run"],
        subset="disagree",
        settings=Settings(threshold=0),
    )
    assert row.n_scored == 0 and np.isnan(row.interval.mean)


def test_progress_and_refusals(study):
    seen = []
    sweep(
        study,
        alphas=[0, 1],
        thresholds=[1],
        metrics=["nnCUI@3", "CUI@3"],
        systems=SYSTEMS,
        progress=lambda done, _: seen.append(done),
    )
    assert seen[-1] == 1.0 and min(seen) >= 0
    with pytest.raises(SettingError, match="at least one alpha, one threshold and one metric"):
        sweep(study, alphas=[], thresholds=[1], metrics=["CUI@3"])
    with pytest.raises(SettingError, match="`alpha` must be a number from 0 to 1"):
        sweep(study, alphas=[2], thresholds=[1], metrics=["CUI@3"])
    with pytest.raises(SettingError, match="`subset` must be one of all, disagree"):
        sweep(study, alphas=[0], thresholds=[1], metrics=["CUI@3"], subset="some")


def test_a_row_says_which_interval_it_has_and_over_how_many(study):
    settings = Settings(interval="bca", undefined="zero")
    (row,) = sweep(
        study, alphas=[0.5], thresholds=[1], metrics=["P(organ)@1"], systems=["run"], settings=settings
    )
    labelled = [column.of_image(q) for column in [study.labels.columns["organ"]] for q in study.queries]
    asked = sum(bool(values) for values in labelled)
    found = row.interval
    assert (found.method, found.n_resamples, found.level, found.n) == ("BCa bootstrap", 2000, 0.95, asked)
