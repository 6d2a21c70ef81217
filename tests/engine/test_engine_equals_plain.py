"""The engine gives what the plain functions give, bit for bit, on random studies of every awkward kind."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evalcore.engine import ideal_gains, ideal_gains_of, rank, relevance_of_pairs, relevance_under
from evalcore.relevance.neighbour import nn_iou
from evalcore.relevance.registry import RELEVANCE
from evalcore.values.settings import CountRule, Settings
from tests.toy import all_pairs, near_by_search, study_of

RULES = get_args(CountRule)
KNOWN = [f"C{k:07d}" for k in range(14)]
UNKNOWN = ["X0000001", "X0000002"]
ALPHAS = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1 / 3, 0.7, 1.0])


@st.composite
def studies(draw):
    """Sets (also none, empty, repeated) over a graph in pieces, with concepts it does not know."""
    edges = draw(st.lists(st.tuples(st.sampled_from(KNOWN), st.sampled_from(KNOWN)), max_size=20))
    one_set = st.one_of(st.none(), st.sets(st.sampled_from(KNOWN + UNKNOWN), max_size=7))
    some = draw(st.lists(one_set, min_size=1, max_size=6))
    sets = draw(st.lists(st.sampled_from(some), min_size=draw(st.integers(1, 8)), max_size=12))
    return {f"image{k:02d}": one for k, one in enumerate(sets)}, [
        edge for edge in edges if edge[0] != edge[1]
    ]


chosen_settings = st.builds(
    Settings,
    alpha=ALPHAS,
    threshold=st.integers(0, 4),
    count_rule=st.sampled_from(RULES),
    direction=st.sampled_from(["undirected", "directed"]),
    include_self=st.booleans(),
)


def plain_values(sets, edges, relevance, settings):
    """The matrix of plain values by loops over pairs; NaN rows for queries nobody annotated."""
    near = near_by_search(edges, threshold=settings.threshold, direction=settings.direction)
    measure = RELEVANCE[relevance].value
    rows = []
    for image in sorted(sets):
        a = sets[image]
        row = [
            np.nan if a is None else measure(a, sets[other] or set(), near, settings)
            for other in sorted(sets)
        ]
        rows.append(row)
    return np.array(rows)


def plain_ranking(values, query, candidates, settings):
    """Candidates by score descending, then index: the tie rule, by a plain sort."""
    offered = [c for c in sorted(set(candidates)) if c != query or settings.include_self]
    return sorted(offered, key=lambda c: (-values[query, c], c))


@effort(max_examples=150, deadline=None)
@given(studies(), st.sampled_from(sorted(RELEVANCE)), chosen_settings)
def test_values_of_all_pairs(built, relevance, settings):
    sets, edges = built
    queries, candidates = all_pairs(len(sets))
    found = relevance_of_pairs(study_of(sets, edges), relevance, queries, candidates, settings)
    np.testing.assert_array_equal(
        found.reshape(len(sets), -1), plain_values(sets, edges, relevance, settings)
    )


@effort(max_examples=150, deadline=None)
@given(studies(), chosen_settings, st.randoms(use_true_random=False))
def test_values_of_pairs_in_any_order_under_several_settings(built, settings, random):
    sets, edges = built
    study = study_of(sets, edges)
    near = near_by_search(edges, threshold=4, direction=settings.direction)
    pairs = [tuple(pair) for pair in all_pairs(len(sets)).T]
    random.shuffle(pairs)
    queries, candidates = np.array(pairs, np.int32).T
    none = replace(settings, threshold=0)
    several = [replace(settings, alpha=0.25), settings, none, replace(settings, alpha=1.0)]
    for setting, values in zip(
        several, relevance_under(study, "nn-iou", queries, candidates, several), strict=True
    ):
        how = {"alpha": setting.alpha, "threshold": setting.threshold, "rule": setting.count_rule}
        for (q, c), value in zip(pairs, values.tolist(), strict=True):
            a, b = study.concepts.of_image(q), study.concepts.of_image(c)
            expected = nn_iou(a, b, near, **how) if study.concepts.annotated[q] else nan
            assert value == expected or (isnan(value) and isnan(expected))


@effort(max_examples=150, deadline=None)
@given(
    studies(),
    st.sampled_from(sorted(RELEVANCE)),
    chosen_settings,
    st.one_of(st.none(), st.integers(0, 4), st.integers(0, 14)),
    st.booleans(),
    st.data(),
)
def test_rankings_and_ideals(built, relevance, settings, depth, whole_ties, data):
    sets, edges = built
    study = study_of(sets, edges)
    everyone = st.just(range(len(sets)))
    some = st.one_of(everyone, st.lists(st.integers(0, len(sets) - 1), max_size=len(sets)))
    queries, candidates = (np.array(data.draw(some), np.int32) for _ in range(2))
    values = plain_values(sets, edges, relevance, settings)
    run = rank(
        study,
        relevance,
        queries,
        candidates=candidates,
        depth=depth,
        settings=settings,
        whole_ties=whole_ties,
    )
    annotated = sorted({q for q in queries.tolist() if sets[f"image{q:02d}"] is not None})
    assert run.queries.tolist() == annotated
    for q in annotated:
        expected = plain_ranking(values, q, candidates.tolist(), settings)
        if depth is not None:
            last = values[q, expected[depth - 1]] if 0 < depth <= len(expected) else -1.0
            end = sum(values[q, c] >= last for c in expected) if whole_ties and depth else depth
            expected = expected[:end]
        ranked, scores = run.answer(q)
        assert ranked.tolist() == expected
        assert scores.tolist() == [values[q, c] for c in expected]
    ideal = ideal_gains(study, relevance, queries, candidates=candidates, depth=depth, settings=settings)
    for row, q in enumerate(queries.tolist()):
        best = values[q, plain_ranking(values, q, candidates.tolist(), settings)][: ideal.shape[1]]
        padded = np.pad(best, (0, ideal.shape[1] - len(best)))
        np.testing.assert_array_equal(ideal[row], padded if q in annotated else np.full(len(padded), np.nan))


@effort(max_examples=40, deadline=None)
@given(studies(), st.lists(chosen_settings, min_size=1, max_size=5))
def test_many_settings_are_the_single_ones(built, many):
    study = study_of(*built)
    everyone = study.queries
    together = ideal_gains_of(study, "nn-iou", everyone, candidates=everyone, depth=5, settings=many)
    for found, one in zip(together, many, strict=True):
        alone = ideal_gains(study, "nn-iou", everyone, candidates=everyone, depth=5, settings=one)
        np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("threshold", [1, 2])
def test_sets_of_one_and_of_two_hundred_concepts(rule, threshold):
    rng = np.random.default_rng(7)
    words = [f"C{k:07d}" for k in range(400)]
    edges = [(words[k], words[(k - 1) // 3]) for k in range(1, 380)]
    sizes = [1, 1, 63, 64, 65, 128, 190, 200]
    sets = {f"image{k:02d}": set(rng.choice(words, size, replace=False)) for k, size in enumerate(sizes)}
    settings = Settings(count_rule=rule, threshold=threshold, alpha=0.3, include_self=True)
    values = plain_values(sets, edges, "nn-iou", settings)
    study = study_of(sets, edges)
    run = rank(study, "nn-iou", study.queries, candidates=study.candidates, depth=None, settings=settings)
    for q in range(len(sets)):
        ranked, scores = run.answer(q)
        assert ranked.tolist() == plain_ranking(values, q, range(len(sets)), settings)
        assert scores.tolist() == values[q, ranked].tolist()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("relevance", ["iou", "cosine", "nn-iou"])
def test_ties_of_different_counts_at_the_cut(seed, relevance):
    # 1/3 = 2/6 and √(1/4) = √(4/16): equal values from different counts, in every order of the images.
    rng = np.random.default_rng(seed)
    kinds = [{"a", "x"}, {"a", "b", "x", "y", "z", "w"}, {"x"}, {"a", "b"}]
    if relevance == "cosine":
        kinds = [{"a", "x"}, {"a", "b", *"pqrstu"}, {"x"}, {"a", "b"}]
    sets = {f"image{k:02d}": kinds[kind] for k, kind in enumerate(rng.integers(0, 4, 14))}
    sets["image99"] = {"a", "b"}
    study, settings = study_of(sets, [("b", "p")]), Settings()
    values = plain_values(sets, [("b", "p")], relevance, settings)
    assert len(set(values[14])) < len({frozenset(one) for one in sets.values()})
    for depth in range(1, 14):
        run = rank(
            study, relevance, np.array([14]), candidates=study.candidates, depth=depth, settings=settings
        )
        expected = plain_ranking(values, 14, range(15), settings)
        assert run.candidates.tolist() == expected[:depth]
        whole = rank(
            study,
            relevance,
            np.array([14]),
            candidates=study.candidates,
            depth=depth,
            settings=settings,
            whole_ties=True,
        )
        assert whole.candidates.tolist() == [
            c for c in expected if values[14, c] >= values[14, expected[depth - 1]]
        ]


@pytest.mark.parametrize("n_words", [4, 40, 400])
@pytest.mark.parametrize("relevance", ["nn-iou", "overlap"])
def test_many_images_from_sparse_to_crowded(n_words, relevance):
    # Few words: nearly all are related and tied; many words: nearly none, and unrelated images fill places.
    rng = np.random.default_rng(n_words)
    words = [f"C{k:07d}" for k in range(n_words)]
    edges = [(words[k], words[(k - 1) // 2]) for k in range(1, n_words)]
    n = 700
    sets = {f"image{k:03d}": set(rng.choice(words, rng.integers(0, 4), replace=False)) for k in range(n)}
    study, settings = study_of(sets, edges), Settings(alpha=0.3)
    values = relevance_of_pairs(study, relevance, *all_pairs(n), settings).reshape(n, n)
    for offered in (study.candidates, study.candidates[::7]):
        ranked = np.argsort(-values[:, offered], axis=1, kind="stable")
        for depth in (1, 10, 150, None):
            run = rank(study, relevance, study.queries, candidates=offered, depth=depth, settings=settings)
            for q in range(n):
                expected = offered[ranked[q]]
                expected = expected[expected != q][:depth]
                assert run.answer(q)[0].tolist() == expected.tolist()
                assert run.answer(q)[1].tolist() == values[q, expected].tolist()
