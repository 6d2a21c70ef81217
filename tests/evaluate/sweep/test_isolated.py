"""The isolated subset against plain Python over rankings made pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore import engine
from evalcore.evaluate.sweep import isolated
from evalcore.ranking.metrics import parse_metric
from evalcore.values.settings import Settings
from tests.swept import sweep
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

CONCEPTS = sorted({concept for edge in TOY_EDGES for concept in edge})
P2 = parse_metric("P(organ)@2")


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(5)
    images = [f"i{k:02}" for k in range(26)]
    sets = {i: set(rng.choice(CONCEPTS, rng.integers(0, 4), replace=False)) for i in images}
    labels = {"organ": {i: str(rng.choice(["a", "b", ""])) for i in images}}
    return with_parts(study_of(sets, TOY_EDGES), labels=labels)


def top(study, relevance, query, depth, settings):
    """The best labelled images, pair by pair: value descending, then image id."""
    column = study.labels.columns["organ"]
    pool = [i for i in range(len(study.image_ids)) if column.labelled[i] and i != query]
    values = engine.relevance_of_pairs(
        study, relevance, np.full(len(pool), query, np.int32), np.array(pool, np.int32), settings
    )
    return [pool[j] for j in sorted(range(len(pool)), key=lambda j: (-values[j], pool[j]))][:depth]


@pytest.mark.parametrize("settings", [Settings(), Settings(alpha=1.0, threshold=2)])
def test_the_subset_against_rankings_made_by_hand(study, settings):
    column = study.labels.columns["organ"]
    of = [column.indices[column.indptr[i] : column.indptr[i + 1]].tolist() for i in range(26)]
    scores = set()
    for query in np.flatnonzero(column.labelled).tolist():
        iou, near = (top(study, name, query, 2, settings) for name in ("iou", "nn-iou"))
        if sum(of[i] == of[query] for i in iou) != sum(of[i] == of[query] for i in near):
            scores.add(query)
    assert 0 < len(scores) < 26
    assert isolated(study, [P2], settings=settings)[P2].tolist() == sorted(scores)


def test_nothing_is_isolated_where_nn_iou_is_iou(study):
    assert len(isolated(study, [P2], settings=Settings(threshold=0))[P2]) == 0


def test_sweep_over_rules_and_directions_names_them(study):
    rows = sweep(
        study,
        alphas=[0, 1],
        thresholds=[1, 2],
        metrics=["P(organ)@3"],
        systems=["@nn-iou"],
        count_rules=["concepts", "pairs"],
        directions=["undirected", "directed"],
    )
    assert [(r.count_rule, r.direction, r.threshold, r.alpha) for r in rows] == [
        (rule, direction, threshold, alpha)
        for rule in ("concepts", "pairs")
        for direction in ("undirected", "directed")
        for threshold in (1, 2)
        for alpha in (0, 1)
    ]
    at = {(r.count_rule, r.direction, r.threshold, r.alpha): r.interval.mean for r in rows}
    # No credit, or one step: the direction cannot matter (spec: they differ from two steps on).
    assert len({mean for (*_, alpha), mean in at.items() if alpha == 0}) == 1
    for rule in ("concepts", "pairs"):
        assert at[rule, "undirected", 1, 1] == at[rule, "directed", 1, 1]
    alone = sweep(
        study,
        alphas=[1],
        thresholds=[2],
        metrics=["P(organ)@3"],
        systems=["@nn-iou"],
        settings=Settings(count_rule="pairs", direction="directed"),
    )
    assert alone[0].interval.mean == at["pairs", "directed", 2, 1]
