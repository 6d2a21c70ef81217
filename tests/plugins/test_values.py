"""Registered functions give what the program's own give, through the same engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import evalcore as cs
from evalcore.relevance.registry import describe
from evalcore.values.grouping import groups_of_column
from evalcore.values.model import Study
from evalcore.values.settings import Settings


def one_pair(query: frozenset[str], candidate: frozenset[str]) -> float:
    return len(query & candidate) / len(query | candidate)


def blocks(queries: sparse.csr_array, candidates: sparse.csr_array) -> np.ndarray:
    """Jaccard, block by block."""
    both = (queries @ candidates.T).toarray()
    return both / (queries.sum(axis=1)[:, None] + candidates.sum(axis=1)[None] - both)


def both_forms() -> None:
    cs.register_relevance("own")(one_pair)
    cs.register_relevance("own-block", block=True)(blocks)


def test_it_is_described_and_explained(sample: Study) -> None:
    both_forms()
    assert describe("own-block").plain == "Jaccard, block by block."
    explained = cs.explain(sample, sample.image_ids[0], sample.image_ids[18]).values
    assert 0 < explained["own"] == explained["own-block"] == explained["iou"]


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(
    "settings", [Settings(include_self=True, undefined="zero"), Settings(ties="expected", pool="all")]
)
def test_every_family_takes_it_as_it_takes_iou(sample: Study, settings: Settings, grouped: bool) -> None:
    """Lists, ideals, rankings, ties, pools and groups: bit for bit those of the IoU of the program."""
    both_forms()
    if grouped:
        sample = replace(sample, groups=groups_of_column(sample.labels.columns["organ"]))
    families = ("mean({})@5", "nDCG({})@10", "RBP({},p=0.8)", "DCG({},gain=exp)@3", "HP({})@4")
    systems = ["hog", "caption-tfidf", "@{}"]

    def scored(relevance: str) -> list[cs.Settings]:
        metrics = [family.format(relevance) for family in families] + ["P(organ)@5"]
        names = [system.format(relevance) for system in systems]
        return cs.score(sample, metrics, systems=names, settings=settings)

    expected = scored("iou")
    for name in ("own", "own-block"):
        for mine, theirs in zip(scored(name), expected, strict=True):
            np.testing.assert_array_equal(mine.values, theirs.values)
            counts = [(scores.tied, scores.short, scores.n_undefined) for scores in (mine, theirs)]
            assert counts[0] == counts[1]


def test_a_metric_of_ones_own_is_the_same_by_the_program(sample: Study) -> None:
    @cs.register_metric("Balance@K")
    def balance(gains: np.ndarray, k: int, ideal: np.ndarray) -> float:
        return 2 * gains.sum() / (len(gains) + len(ideal))

    ours, own = cs.score(sample, ["F1(organ)@10", "Balance(organ)@10"], systems=["hog"])
    np.testing.assert_allclose(own.values, ours.values)


def test_a_block_may_ask_for_the_concepts_of_its_columns(sample: Study) -> None:
    """Of the concepts in common those with an even number."""
    even = {cui: float(int(cui[-1]) % 2 == 0) for cui in sample.concepts.vocabulary}

    @cs.register_relevance("even", block=True)
    def by_block(
        queries: sparse.csr_array, candidates: sparse.csr_array, cuis: tuple[str, ...]
    ) -> np.ndarray:
        shared = ((queries * np.array([even[cui] for cui in cuis])) @ candidates.T).toarray()
        return shared / queries.sum(axis=1)[:, None]

    @cs.register_relevance("even-one")
    def by_pair(query: frozenset[str], candidate: frozenset[str]) -> float:
        return sum(even[cui] for cui in query & candidate) / len(query)

    block, pair = (cs.score(sample, [f"nDCG({name})@5"], systems=["hog"])[0] for name in ("even", "even-one"))
    np.testing.assert_array_equal(block.values, pair.values)
    assert 0 < np.nanmean(block.values) < 1
