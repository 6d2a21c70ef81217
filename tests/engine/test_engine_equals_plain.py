"""The engine gives what the plain functions give, bit for bit, on random studies of every awkward kind."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evalcore.engine import loops_semantic as loops
from evalcore.engine import relevance_of_pairs
from evalcore.relevance.explain import explain
from evalcore.relevance.registry import parse_relevance
from evalcore.values.settings import Settings
from tests.engine.plain import (
    BY_CONCEPTS,
    COUNTED,
    RULES,
    SOME_KINDS,
    WEIGHED,
    check_lists,
    chosen_settings,
    plain_ranking,
    plain_values,
    ranked,
    studies,
    values_of,
    with_kinds,
)
from tests.toy import all_pairs, study_of


@pytest.mark.parametrize("names", [COUNTED, WEIGHED, BY_CONCEPTS], ids=["counted", "weighed", "by concepts"])
@effort(max_examples=80)
@given(st.data(), studies(), SOME_KINDS, chosen_settings)
def test_values_rankings_and_ideals(names, data, built, kinds, settings):
    (sets, edges), name = built, data.draw(names)
    study = with_kinds(study_of(sets, edges), kinds)
    values, plain = values_of(study, name, settings), plain_values(study, edges, name, settings)
    if name.startswith("cosine["):  # the root of a quotient of weights
        np.testing.assert_allclose(values, plain, atol=1e-12)
    else:
        np.testing.assert_array_equal(values, plain)
    every = st.just(list(range(len(sets))))
    some = st.one_of(every, st.lists(st.integers(0, len(sets) - 1), max_size=len(sets)))
    depth = st.one_of(st.none(), st.integers(0, 4), st.integers(0, 14))
    lists = {"depth": data.draw(depth), "whole_ties": data.draw(st.booleans())}
    check_lists(study, name, values, data.draw(some), data.draw(some), settings, **lists)


@effort(max_examples=60)
@given(studies(), SOME_KINDS, WEIGHED, chosen_settings)
def test_shares_of_concepts_add_up_to_the_value(built, kinds, name, settings):
    study, label = with_kinds(study_of(*built), kinds), str(parse_relevance(name))
    if study.concepts.annotated[[0, -1]].all():
        value = values_of(study, name, settings)[0, -1]
        ends = study.image_ids[0], study.image_ids[-1]
        explanation = explain(study, *ends, settings=settings, measures=[name])
        assert explanation.values[label] == value
        assert sum(share.adds for share in explanation.weighed[label]) == pytest.approx(value, abs=1e-12)


@effort(max_examples=60)
@given(studies(), chosen_settings, st.randoms(use_true_random=False))
def test_values_of_pairs_in_any_order_under_several_settings(built, settings, random):
    study = study_of(*built)
    pairs = all_pairs(len(study.image_ids)).T.tolist()
    random.shuffle(pairs)
    queries, candidates = np.array(pairs, np.int32).T
    none = replace(settings, threshold=0)
    several = [replace(settings, alpha=0.25), settings, none, replace(settings, alpha=1.0)]
    every = relevance_of_pairs(study, "nn-iou", queries, candidates, several)
    for setting, values in zip(several, every, strict=True):
        np.testing.assert_array_equal(values, values_of(study, "nn-iou", setting)[queries, candidates])


@effort(max_examples=150)
@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from([2, 4, 2**38]), st.integers(0, 2**32 - 1))
def test_matching_is_that_of_scipy(n_a, n_b, grain, seed):
    # Coarse tables are full of ties; the largest sum is unique all the same.
    rng = np.random.default_rng(seed)
    table = rng.integers(0, grain + 1, (n_a + n_b, n_a + n_b)) / grain
    table = np.maximum(table, table.T)
    indptr, indices = np.array([0, n_a, n_a + n_b]), np.arange(n_a + n_b, dtype=np.int32)
    pair = np.array([0, 1])
    value, _ = loops.of_pairs(loops.MATCHING, table, indptr, indices, pair, 1 - pair)
    block = table[:n_a, n_a:]
    rows, columns = linear_sum_assignment(block, maximize=True)
    assert value == block[rows, columns].sum() / min(n_a, n_b)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("threshold", [1, 2])
def test_sets_of_1_to_200_concepts(rule, threshold):
    rng = np.random.default_rng(7)
    words = [f"C{k:07d}" for k in range(400)]
    edges = [(words[k], words[(k - 1) // 3]) for k in range(1, 380)]
    sizes = [1, 1, 63, 64, 65, 128, 190, 200]
    sets = {f"image{k:02d}": set(rng.choice(words, size, replace=False)) for k, size in enumerate(sizes)}
    settings = Settings(count_rule=rule, threshold=threshold, alpha=0.3, include_self=True)
    study = study_of(sets, edges)
    values, everyone = plain_values(study, edges, "nn-iou", settings), range(len(sets))
    check_lists(study, "nn-iou", values, everyone, everyone, settings)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("relevance", ["iou", "cosine", "nn-iou"])
def test_ties_of_different_counts_at_the_cut(seed, relevance):
    # 1/3 = 2/6 and √(1/4) = √(4/16): equal values from different counts, in every order of the images.
    rng = np.random.default_rng(seed)
    kinds = [{"a", "x"}, {"a", "b", "x", "y", "z", "w"}, {"x"}, {"a", "b"}]
    if relevance == "cosine":
        kinds[1] = {"a", "b", *"pqrstu"}
    sets = {f"image{k:02d}": kinds[kind] for k, kind in enumerate(rng.integers(0, 4, 14))}
    sets["image99"] = {"a", "b"}
    study, settings = study_of(sets, [("b", "p")]), Settings()
    values = plain_values(study, [("b", "p")], relevance, settings)
    assert len(set(values[14])) < len({frozenset(concepts) for concepts in sets.values()})
    for depth in range(1, 14):
        for whole_ties in (False, True):
            check_lists(
                study, relevance, values, [14], range(15), settings, depth=depth, whole_ties=whole_ties
            )


@pytest.mark.parametrize("n_words", [4, 40, 400])
@pytest.mark.parametrize("relevance", ["nn-iou", "overlap"])
def test_many_images_from_sparse_to_crowded(n_words, relevance):
    # Few words: nearly all are related and tied; many words: nearly none, and unrelated images fill places.
    rng, n = np.random.default_rng(n_words), 500
    words = [f"C{k:07d}" for k in range(n_words)]
    edges = [(words[k], words[(k - 1) // 2]) for k in range(1, n_words)]
    sets = {f"image{k:03d}": set(rng.choice(words, rng.integers(0, 4), replace=False)) for k in range(n)}
    study, settings = study_of(sets, edges), Settings(alpha=0.3)
    values = values_of(study, relevance, settings)
    for offered in (study.candidates, study.candidates[::7]):
        rankings = {q: plain_ranking(values, q, offered.tolist(), settings) for q in range(0, n, 9)}
        for depth in (1, 10, 150, None):
            run = ranked(study, relevance, candidates=offered, depth=depth, settings=settings)
            for q, ranking in rankings.items():
                images, scores = run.answer(q)
                assert images.tolist() == ranking[:depth]
                assert scores.tolist() == values[q, ranking[:depth]].tolist()
