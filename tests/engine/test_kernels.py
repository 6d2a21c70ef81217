"""Every relevance has a kernel, and the registries decide which: nothing else asks for names."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from evalcore.engine import has_relevance, ideal_gains, rank, relevance_of_pairs, sets
from evalcore.engine.interface import kernel_of
from evalcore.engine.sets import key_of_sets
from evalcore.engine.space import payload_of
from evalcore.relevance import registry
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, SET_MEASURES
from evalcore.relevance.overlap import Overlap
from evalcore.relevance.registry import RELEVANCE, describe, parse_relevance
from evalcore.values.errors import UnknownName
from evalcore.values.settings import Settings
from tests.engine.test_engine_habits import random_study
from tests.toy import TOY_EDGES, all_pairs, study_of

NAMES = [*RELEVANCE, "cosine:hog", *(f"{one}:{two}" for one in SET_MEASURES for two in CONCEPT_MEASURES)]


def study():
    vectors = {"hog": {"q": np.array([1.0, 0.0]), "c": np.array([1.0, 1.0])}}
    return study_of({"q": {"vein", "head"}, "c": {"vessel"}, "n": None}, TOY_EDGES, embeddings=vectors)


@pytest.mark.parametrize("name", NAMES)
def test_every_relevance_has_a_kernel_or_counts(name):
    relevance, kernel = kernel_of(study(), name)
    assert str(relevance) == name and (kernel is None) == (describe(name).family in {"overlap", "neighbours"})


@pytest.mark.parametrize("name", ["matching:path", "cosine:hog"])
def test_blocks_and_pairs_give_the_same_values(name):
    """Within the margin, where a kernel has one."""
    _, kernel = kernel_of(study(), name)
    images = np.array([0, 2], np.int32)  # with a vector, and annotated
    block = kernel.block(images, kernel.pool(images))
    pairs = kernel.pairs(np.repeat(images, 2), np.tile(images, 2)).reshape(2, 2)
    assert np.abs(block - pairs).max() <= kernel.margin / 2


def test_a_system_without_vectors_has_none():
    with pytest.raises(UnknownName, match="No system with embeddings called 'lbp'"):
        kernel_of(study(), "cosine:lbp")


@pytest.mark.parametrize("name", ["iou", "matching:path", "cosine:hog"])
def test_which_queries_have_such_a_relevance(name):
    # Images by id: c, n (not annotated, without a vector), q.
    everyone = np.arange(3, dtype=np.int32)
    assert np.flatnonzero(has_relevance(study(), name, everyone)).tolist() == [0, 2]
    pairs = relevance_of_pairs(study(), name, everyone, everyone, Settings())
    assert np.flatnonzero(~np.isnan(pairs)).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("name", "one", "other", "same"),
    [
        ("iou", {"alpha": 0.1}, {"alpha": 0.9, "threshold": 3}, True),
        ("nn-iou", {"alpha": 0.1, "threshold": 0}, {"alpha": 0.9, "threshold": 0}, True),
        ("nn-iou", {"alpha": 0.1}, {"alpha": 0.9}, False),
        ("nn-iou", {"threshold": 1}, {"threshold": 2}, False),
        ("nn-iou", {"count_rule": "pairs"}, {"count_rule": "query"}, False),
    ],
)
def test_equal_keys_mean_equal_values(name, one, other, same):
    keys = [key_of_sets(study(), parse_relevance(name), Settings(**chosen)) for chosen in (one, other)]
    assert (keys[0] == keys[1]) is same


def test_what_a_worker_gets():
    settings = [Settings(threshold=1), Settings(threshold=2)]
    part = payload_of(study(), parse_relevance("nn-iou"), settings)
    assert part.neighbours.threshold == 2 and not part.embeddings and part.graph is None
    part = payload_of(study(), parse_relevance("cosine:hog"), settings)
    assert part.neighbours.threshold == 0 and list(part.embeddings) == ["hog"]
    assert payload_of(study(), parse_relevance("matching:path"), settings) is None


@Overlap
def tversky(shared, a, b):
    """A toy: what is the candidate's own counts a quarter."""
    return 4 * shared / (3 * shared + a + 0 * b)


def test_a_new_overlap_measure_is_a_formula_and_an_entry(monkeypatch):
    entry = replace(RELEVANCE["iou"], name="tversky", overlap=tversky, symmetric=False)
    with_it = MappingProxyType({**RELEVANCE, "tversky": entry})
    for module in (registry, sets):
        monkeypatch.setattr(module, "RELEVANCE", with_it)
    many, settings = random_study(120), Settings()
    n = len(many.concepts)
    concepts = [many.concepts.of_image(k) for k in range(n)]
    plain = np.array(
        [[4 * len(a & b) / (3 * len(a & b) + len(a)) if a & b else 0.0 for b in concepts] for a in concepts]
    )
    values = relevance_of_pairs(many, "tversky", *all_pairs(n), settings).reshape(n, n)
    np.testing.assert_array_equal(values, plain)
    run = rank(many, "tversky", many.queries, candidates=many.candidates, depth=9, settings=settings)
    best = ideal_gains(many, "tversky", many.queries, candidates=many.candidates, depth=9, settings=settings)
    for q in range(n):
        order = sorted((c for c in range(n) if c != q), key=lambda c: (-plain[q, c], c))[:9]
        assert run.answer(q)[0].tolist() == order
        assert best[q].tolist() == [plain[q, c] for c in order]
