"""Context-aware gain as a metric: rank by rank by its formulas, in scores, in sweeps, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore import evaluate, explain
from evalcore.evaluate.sweep.grid import sweep
from evalcore.study import open_study
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings
from tests.ranking.test_grid import by_definition

METRICS = (
    "CAG-DCG(nn-iou,w=3)@5",
    "CAG-CG(nn-iou,w=10)@7",
    "CAG-MAX(nn-iou,w=2)@4",
    "CAG-AVG(nn-iou,w=3,row=2)@6",
)


@pytest.fixture(scope="module")
def study():
    return open_study("data")


def top(study, system: str, query: int, k: int) -> list[float]:
    """nn-IoU of the first k results, each by `explain`."""
    ids = study.image_ids
    found, _ = study.runs[system].answer(query, include_self=False)
    return [explain(study, ids[query], ids[one]).values["nn-iou"] for one in found[:k]]


def by_hand(metric: str, worth: list[float]) -> float:
    if metric.startswith("CAG-DCG"):
        return sum(g / np.log2(k + 2) for k, g in enumerate(worth))
    if metric.startswith("CAG-CG"):
        return sum(worth)
    if metric.startswith("CAG-MAX"):
        return max(worth)
    return float(np.mean([np.mean(worth[i : i + 2]) for i in range(0, len(worth), 2)]))


@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_the_formulas_rank_by_rank(study, metric: str) -> None:
    (scores,) = evaluate.score(study, metrics=[metric], systems=["hog"])
    k, window = int(metric.partition("@")[2]), int(metric.partition("w=")[2].split(",")[0].split(")")[0])
    for place in (0, 17, 93):
        worth = by_definition(top(study, "hog", int(scores.queries[place]), k), window)
        assert scores.values[place] == pytest.approx(by_hand(metric, worth), rel=1e-9)


def test_a_sweep_has_the_values_of_single_scores(study) -> None:
    label = "CAG-RBP(nn-iou,p=0.9,w=5)"
    rows = sweep(
        study, metrics=[label], systems=["hog"], alphas=(0.0, 1.0), thresholds=(1,), settings=Settings()
    )
    for row in rows:
        setting = Settings(alpha=row.alpha, threshold=row.threshold)
        (alone,) = evaluate.score(study, metrics=[label], systems=["hog"], settings=setting)
        (mean,) = evaluate.summarise_all([alone], settings=setting)
        assert row.interval.mean == mean.mean
    assert rows[0].interval.mean != rows[1].interval.mean


def test_the_expectation_over_ties_is_refused_with_the_reason(study) -> None:
    with pytest.raises(SettingError, match="whose mean over all orders of equal scores has no formula"):
        evaluate.score(study, metrics=METRICS, settings=Settings(ties="expected"))
