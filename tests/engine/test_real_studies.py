"""The engine on real ROCOv2 concept sets and the open graph: equal to the plain functions on samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalcore.engine import ideal_gains, relevance_of_pairs
from evalcore.graph import neighbours
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.concept_table import concept_table
from evalcore.relevance.neighbour import near_of
from evalcore.relevance.registry import RELEVANCE
from evalcore.values.settings import Settings
from tests.engine.plain import RULES, ranked
from tests.toy import study_of

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def edges(real_dir):
    table = pd.read_csv(real_dir / "kg" / "edges.csv", keep_default_na=False)
    return [edge for edge in zip(table.child_cui, table.parent_cui, strict=True) if edge[0] != edge[1]]


@pytest.fixture(scope="module")
def rocov2(real_dir, edges):
    """All 9,927 test images with the graph of 67,000 edges."""
    concepts = pd.read_csv(real_dir / "rocov2" / "test_concepts.csv", keep_default_na=False)
    sets = {image: cuis.split(";") for image, cuis in zip(concepts.ID, concepts.CUIs, strict=True)}
    return study_of(sets, edges)


def check_a_sample(study, relevance, plain, seed, settings=Settings()):
    """Values, ranking and ideal of some queries over some images, those with many concepts among them."""
    rng, many = np.random.default_rng(seed), np.argsort(study.concepts.sizes)[-30:].astype(np.int32)
    some = np.unique(np.append(rng.choice(study.candidates, 150, replace=False), many))
    queries = np.unique(np.append(rng.choice(study.candidates, 3, replace=False), many[-1]))
    asked = {"candidates": some, "depth": 12, "settings": settings}
    run, best = (
        ranked(study, relevance, queries=queries, **asked),
        ideal_gains(study, relevance, queries, **asked),
    )
    for q, gains in zip(queries, best, strict=True):
        a = study.concepts.of_image(q)
        expected = np.array([plain(a, study.concepts.of_image(c)) for c in some])
        values = relevance_of_pairs(study, relevance, np.full(len(some), q), some, settings)
        np.testing.assert_array_equal(values, expected)
        order = [c for c in np.lexsort((some, -expected)) if some[c] != q][:12]
        assert run.answer(q)[0].tolist() == some[order].tolist()
        assert run.answer(q)[1].tolist() == gains.tolist() == expected[order].tolist()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("threshold", "direction"), [(1, "undirected"), (2, "undirected"), (3, "directed")])
def test_values_and_rankings_by_counts(rocov2, rule, threshold, direction):
    settings = Settings(count_rule=rule, threshold=threshold, direction=direction, alpha=0.3)
    vocabulary = rocov2.concepts.vocabulary
    near = near_of(neighbours(rocov2.graph, vocabulary, threshold=threshold, direction=direction), vocabulary)
    for relevance in RELEVANCE if rule == "concepts" else ["nn-iou"]:
        measure = RELEVANCE[relevance].value
        check_a_sample(
            rocov2, relevance, lambda a, b, of=measure: of(a, b, near, settings), threshold, settings
        )


@pytest.mark.parametrize("kind", SET_MEASURES)
@pytest.mark.parametrize("concept", ["path", "lin-corpus", "cs3-sanchez"])
def test_values_and_rankings_by_concepts(rocov2, kind, concept):
    similar, measure = concept_table(rocov2, concept).similar, SET_MEASURES[kind].value
    plain = lambda a, b: measure(a, b, similar) if a and b else 0.0  # noqa: E731
    check_a_sample(rocov2, f"{kind}:{concept}", plain, 5)


def test_all_queries_over_all_images(rocov2):
    everyone, settings = rocov2.candidates, Settings()
    run = ranked(rocov2, "nn-iou", depth=100)
    assert np.diff(run.indptr).tolist() == [100] * len(everyone)
    queries = np.repeat(run.queries, 100)
    assert np.all(run.candidates != queries)
    values = relevance_of_pairs(rocov2, "nn-iou", queries, run.candidates, settings)
    np.testing.assert_array_equal(values, run.scores)
    ideal = ideal_gains(rocov2, "nn-iou", everyone, candidates=everyone, depth=100, settings=settings)
    np.testing.assert_array_equal(ideal.ravel(), run.scores)
