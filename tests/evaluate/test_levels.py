"""Levels of labels and whole ideals through `score`: a naive evaluation by query; refusals."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.evaluate.scoring import score
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings
from tests.evaluate.test_naive import random_study

LEVELS = "levels(modality>organ)"
METRICS = [
    f"HAP({LEVELS})",
    f"HAP({LEVELS},a=2,count_query=yes)",
    f"HAP({LEVELS})@3",
    f"HAP({LEVELS},match=equal)",
    f"ASI({LEVELS})",
    f"ASI({LEVELS})@2",
    f"HP({LEVELS})@3",
    f"AHP({LEVELS})@4",
    f"AHP({LEVELS},area=trapezoid)@4",
    f"nDCG({LEVELS},gain=exp)@3",
]


def level(labels, a, b, match):
    """How many of modality and organ, from the top, two images share."""
    n = 0
    for column in ("modality", "organ"):
        cells = labels[column]
        x, y = (
            {v for v in ([cell] if isinstance(cell, str) else cell) if v}
            for cell in (cells[a], cells.get(b, ()))
        )
        if not x or not (x == y if match == "equal" else x & y):
            return n
        n += 1
    return n


def expected(metric, ranked, offered, *, extra=False):
    """A measure of the levels in rank order, and of those of all candidates; NaN where none is above 0.

    extra: one more is of the top level.
    """
    top = sorted(offered, reverse=True)
    cut = int(metric.rpartition("@")[2]) if "@" in metric else None
    if not any(top):
        return np.nan
    if metric.startswith("HAP"):
        power = 2 if "a=2" in metric else 1
        worth = {v: v**power / (offered.count(v) + extra * (v == 2)) for v in {1, 2} & set(offered)}
        rel = [worth.get(v, 0.0) for v in ranked]
        total = sum(worth.get(v, 0.0) for v in offered)
        ks = range(1, min(len(rel), cut or len(rel)) + 1)
        return sum(sum(min(rel[k - 1], r) for r in rel[:k]) / k for k in ks) / total
    if metric.startswith("ASI"):
        last = min(np.count_nonzero(top), cut or len(top))
        shared = [
            sum(min(ranked[:k].count(v), top[:k].count(v)) for v in (1, 2)) / k for k in range(1, last + 1)
        ]
        return sum(shared) / last
    if metric.startswith("nDCG"):
        dcg = [
            sum((2**v - 1) / np.log2(i + 2) for i, v in enumerate(levels[:cut])) for levels in (ranked, top)
        ]
        return dcg[0] / dcg[1]
    shares = [sum(ranked[:k]) / sum(top[:k]) for k in range(1, cut + 1)]
    if metric.startswith("HP"):
        return shares[-1]
    return (sum(shares) - (shares[0] + shares[-1]) / 2 * ("trapezoid" in metric)) / cut


@pytest.mark.parametrize("seed", range(6))
def test_levels_are_those_of_a_naive_evaluation(seed):
    study, _, labels, answers = random_study(seed)
    images = study.image_ids
    candidates = {images[c] for c in study.candidates}
    labelled = {i for i in images if labels["modality"][i] and len(labels["organ"][i])}
    for settings in (Settings(), Settings(include_self=True)):
        board = score(study, metrics=METRICS, systems=["run"], settings=settings)
        for scores, metric in zip(board, METRICS, strict=True):
            match = "equal" if "match=equal" in metric else "any"
            for q, value in zip(scores.queries, scores.values, strict=True):
                query = images[q]
                if query not in labelled:
                    assert np.isnan(value)
                    continue
                pool = [c for c in sorted(candidates & labelled) if settings.include_self or c != query]
                ranked = sorted(
                    (c for c in answers.get(query, {}) if c in pool), key=lambda c: (-answers[query][c], c)
                )
                levels, offered = ([level(labels, query, c, match) for c in some] for some in (ranked, pool))
                extra = "count_query" in metric and query not in pool  # once, where it is a candidate
                ours = expected(metric, levels, offered, extra=extra)
                assert value == pytest.approx(ours, abs=1e-12, nan_ok=True), (metric, query)


@pytest.mark.parametrize("seed", range(3))
def test_one_level_is_the_measure_by_labels_and_the_ideal_of_relevance_is_whole(seed):
    study = random_study(seed)[0]
    names = ["HAP(organ)", "HAP(levels(organ))", "AP(organ)", "HP(levels(organ))@3", "nDCG(organ)@3"]
    both, one_level, ap, *_ = score(study, metrics=names, systems=["run"])
    np.testing.assert_allclose(both.values, ap.values, atol=1e-12)
    np.testing.assert_allclose(one_level.values, ap.values, atol=1e-12)
    (perfect,) = score(study, metrics=["HAP(nn-iou)"], systems=["@nn-iou"])
    defined = perfect.values[~np.isnan(perfect.values)]
    np.testing.assert_allclose(defined, 1, atol=1e-12)


def test_ties_are_refused_where_their_expectation_is_not_known():
    study = random_study(0)[0]
    with pytest.raises(SettingError, match="no formula"):
        score(study, metrics=[f"ASI({LEVELS})"], systems=["run"], settings=Settings(ties="expected"))
    score(study, metrics=[f"HAP({LEVELS})"], systems=["run"], settings=Settings(ties="expected"))
