"""The engine on real ROCOv2 concept sets and the open graph: equal to the plain functions on samples."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pandas as pd
import pytest

from evalcore.engine import ideal_gains, rank, relevance_of_pairs
from evalcore.graph import neighbours
from evalcore.relevance.neighbour import near_of
from evalcore.relevance.registry import RELEVANCE
from evalcore.values.settings import CountRule, Settings
from tests.toy import study_of

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def rocov2(real_dir):
    """All 9,927 test images with the graph of 67,000 edges."""
    concepts = pd.read_csv(real_dir / "rocov2" / "test_concepts.csv", keep_default_na=False)
    edges = pd.read_csv(real_dir / "kg" / "edges.csv", keep_default_na=False)
    sets = {image: cuis.split(";") for image, cuis in zip(concepts.ID, concepts.CUIs, strict=True)}
    return study_of(sets, list(zip(edges.child_cui, edges.parent_cui, strict=True)))


@pytest.mark.parametrize("rule", get_args(CountRule))
@pytest.mark.parametrize(("threshold", "direction"), [(1, "undirected"), (2, "undirected"), (3, "directed")])
def test_values_and_rankings_of_a_sample(rocov2, rule, threshold, direction):
    settings = Settings(count_rule=rule, threshold=threshold, direction=direction, alpha=0.3)
    near = near_of(
        neighbours(rocov2.graph, rocov2.concepts.vocabulary, threshold=threshold, direction=direction)
    )
    rng = np.random.default_rng(threshold)
    everyone = rocov2.candidates
    queries = rng.choice(everyone, 3, replace=False)
    # Images with many concepts beside ordinary ones: rare matches must be met, too.
    sample = np.union1d(rng.choice(everyone, 150, replace=False), np.argsort(-rocov2.concepts.sizes)[:50])
    sample = sample.astype(np.int32)
    sets = {c: rocov2.concepts.of_image(c) for c in [*queries.tolist(), *sample.tolist()]}
    for relevance in ("nn-iou", "iou", "dice", "cosine", "overlap"):
        measure = RELEVANCE[relevance].value
        for q in queries.tolist():
            plain = {c: measure(sets[q], sets[c], near, settings) for c in sample.tolist()}
            found = relevance_of_pairs(rocov2, relevance, np.full(len(sample), q), sample, settings)
            assert found.tolist() == list(plain.values())
            order = sorted((c for c in plain if c != q), key=lambda c: (-plain[c], c))[:30]
            run = rank(rocov2, relevance, np.array([q]), candidates=sample, depth=30, settings=settings)
            assert run.candidates.tolist() == order
            assert run.scores.tolist() == [plain[c] for c in order]


def test_all_queries_over_all_images(rocov2):
    everyone, settings = rocov2.candidates, Settings()
    run = rank(rocov2, "nn-iou", everyone, candidates=everyone, depth=100, settings=settings)
    assert np.diff(run.indptr).tolist() == [100] * len(everyone)
    queries = np.repeat(run.queries, 100)
    assert np.all(run.candidates != queries)
    found = relevance_of_pairs(rocov2, "nn-iou", queries, run.candidates, settings)
    np.testing.assert_array_equal(found, run.scores)
    ideal = ideal_gains(rocov2, "nn-iou", everyone, candidates=everyone, depth=100, settings=settings)
    np.testing.assert_array_equal(ideal.ravel(), run.scores)
