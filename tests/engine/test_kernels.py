"""Every relevance has a kernel, and the registries decide which: nothing else asks for names."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from evalcore.engine import counts, ideal_gains, kernels, rank, relevance_of_pairs
from evalcore.engine.kernels import KERNELS, kernel_of
from evalcore.relevance import registry
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, SET_MEASURES
from evalcore.relevance.overlap import Overlap
from evalcore.relevance.registry import RELEVANCE, describe
from evalcore.values.errors import UnknownName
from evalcore.values.settings import Settings
from tests.engine.test_engine_habits import random_study
from tests.toy import TOY_EDGES, all_pairs, study_of

ENGINE = Path(kernels.__file__).parent
NAMES = [*RELEVANCE, "cosine:hog", *(f"{one}:{two}" for one in SET_MEASURES for two in CONCEPT_MEASURES)]


def study():
    vectors = {"hog": {"q": np.array([1.0, 0.0]), "c": np.array([1.0, 1.0])}}
    return study_of({"q": {"vein", "head"}, "c": {"vessel"}, "n": None}, TOY_EDGES, embeddings=vectors)


@pytest.mark.parametrize("name", NAMES)
def test_every_relevance_has_a_kernel(name):
    relevance, kernel = kernel_of(study(), name)
    assert str(relevance) == name and kernel is KERNELS[describe(name).family]


def test_a_system_without_vectors_has_none():
    with pytest.raises(UnknownName, match="No system with embeddings called 'lbp'"):
        kernel_of(study(), "cosine:lbp")


@pytest.mark.parametrize(
    ("name", "queries"), [("iou", [0, 2]), ("matching:path", [0, 2]), ("cosine:hog", [0, 2])]
)
def test_which_queries_have_such_a_relevance(name, queries):
    # Images by id: c, n (not annotated, without a vector), q.
    relevance, kernel = kernel_of(study(), name)
    everyone = np.arange(3, dtype=np.int32)
    assert np.flatnonzero(kernel.defined(study(), relevance, everyone)).tolist() == queries
    pairs = kernel.pairs(study(), relevance, everyone, everyone, Settings())
    assert np.flatnonzero(~np.isnan(pairs)).tolist() == queries


@pytest.mark.parametrize(
    ("name", "one", "other", "same"),
    [
        ("iou", {"alpha": 0.1}, {"alpha": 0.9, "threshold": 3}, True),
        ("nn-iou", {"alpha": 0.1, "threshold": 0}, {"alpha": 0.9, "threshold": 0}, True),
        ("nn-iou", {"alpha": 0.1}, {"alpha": 0.9}, False),
        ("nn-iou", {"threshold": 1}, {"threshold": 2}, False),
        ("nn-iou", {"count_rule": "pairs"}, {"count_rule": "query"}, False),
        ("matching:path", {"alpha": 0.1}, {"alpha": 0.9}, True),
        ("cosine:hog", {"threshold": 1}, {"threshold": 2}, True),
        *(
            (name, {"include_self": True}, {}, False)
            for name in ("iou", "nn-iou", "matching:path", "cosine:hog")
        ),
    ],
)
def test_equal_keys_mean_equal_values(name, one, other, same):
    relevance, kernel = kernel_of(study(), name)
    keys = [kernel.key(study(), relevance, Settings(**chosen)) for chosen in (one, other)]
    assert (keys[0] == keys[1]) is same


def test_what_a_worker_gets():
    relevance, kernel = kernel_of(study(), "nn-iou")
    held = kernel.sent(study(), relevance, [Settings(threshold=1), Settings(threshold=2)])
    assert held.neighbours.threshold == 2 and held.embeddings == ()
    relevance, kernel = kernel_of(study(), "cosine:hog")
    held = kernel.sent(study(), relevance, [Settings(threshold=2)])
    assert held.neighbours.threshold == 0 and [one.system for one in held.embeddings] == ["hog"]
    assert kernel_of(study(), "matching:path")[1].sent is None


@Overlap
def tversky(shared, a, b):
    """A toy: what is the candidate's own counts a quarter."""
    return 4 * shared / (3 * shared + a + 0 * b)


def test_a_new_overlap_measure_is_a_formula_and_an_entry(monkeypatch):
    entry = replace(RELEVANCE["iou"], name="tversky", overlap=tversky, symmetric=False)
    with_it = MappingProxyType({**RELEVANCE, "tversky": entry})
    for module in (registry, counts):
        monkeypatch.setattr(module, "RELEVANCE", with_it)
    many, settings = random_study(120), Settings()
    n = len(many.concepts)
    sets = [many.concepts.of_image(k) for k in range(n)]
    plain = np.array(
        [[4 * len(a & b) / (3 * len(a & b) + len(a)) if a & b else 0.0 for b in sets] for a in sets]
    )
    values = relevance_of_pairs(many, "tversky", *all_pairs(n), settings).reshape(n, n)
    np.testing.assert_array_equal(values, plain)
    run = rank(many, "tversky", many.queries, candidates=many.candidates, depth=9, settings=settings)
    best = ideal_gains(many, "tversky", many.queries, candidates=many.candidates, depth=9, settings=settings)
    for q in range(n):
        order = sorted((c for c in range(n) if c != q), key=lambda c: (-plain[q, c], c))[:9]
        assert run.answer(q)[0].tolist() == order
        assert best[q].tolist() == [plain[q, c] for c in order]


def test_no_file_of_the_engine_asks_for_a_relevance_by_name():
    """But for nn-IoU and the IoU it becomes without neighbours; "overlap" is a family too."""
    allowed = {"counts.py": {"iou"}, "changes.py": {"iou", "nn-iou"}, "kernels.py": {"overlap"}}
    for path in ENGINE.glob("*.py"):
        texts = {n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)}
        assert texts & {*RELEVANCE, *SET_MEASURES} <= allowed.get(path.name, set()), path.name
