"""Agreement of measures: by hand, by scipy, and by naive loops over a small study."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from evalcore import engine, evaluate
from evalcore.evaluate.measures import (
    MeasureScores,
    PairValues,
    agree_on_queries,
    agree_on_results,
    agree_on_systems,
    disagreements,
    pair_values,
    places,
    sample_pairs,
    sample_queries,
)
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import ConceptSets
from evalcore.values.settings import Settings
from tests.measured import analysed
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

CONCEPTS = sorted({concept for edge in TOY_EDGES for concept in edge})
MEASURES = ("iou", "overlap", "nn-iou")
OWN = ("s1", "s2", "s3")
"""The systems with runs; `seen` ranks by its vectors."""


def exact_means(study, system, measure, queries, k):
    """The mean relevance of the first k as fractions, and of these the places of equal ones."""
    fractions = []
    for query in queries:
        candidates = study.runs[system].answer(int(query))[0][:k]
        values = engine.relevance_of_pairs(study, measure, np.repeat(query, k), candidates, Settings())
        # Relevances are fractions of small numbers, so the nearest such fraction is the one meant.
        fractions.append(sum(Fraction(value).limit_denominator(1000) for value in values.tolist()) / k)
    return [sorted(set(fractions)).index(one) for one in fractions]


@pytest.fixture(scope="module")
def study():
    """Thirty images with up to four concepts each, two of them not annotated; three random systems."""
    rng = np.random.default_rng(11)
    sets = {f"i{n:02d}": list(rng.choice(CONCEPTS, rng.integers(0, 5), replace=False)) for n in range(30)}
    sets |= {"i03": None, "i29": None}
    vectors = {"seen": {image: rng.normal(size=3) for image in list(sets)[:20]}}
    made = study_of(sets, TOY_EDGES, embeddings=vectors)
    runs = {
        name: {
            image: [str(c) for c in rng.permutation([i for i in sets if i != image])[:12]] for image in sets
        }
        for name in OWN
    }
    return with_parts(made, runs=runs)


def test_all_pairs_when_few_enough(study):
    sample = sample_pairs(study, n=10_000)
    known = [i for i in range(30) if study.concepts.annotated[i]]
    expected = [(q, c) for q in known for c in known if q != c]
    assert list(zip(sample.queries.tolist(), sample.candidates.tolist(), strict=True)) == expected
    assert (sample.population, sample.n_queries, len(sample)) == (28 * 27, 28, 28 * 27)


def test_a_sample_is_seeded_distinct_and_even(study):
    sample = sample_pairs(study, n=100, seed=4)
    pairs = set(zip(sample.queries.tolist(), sample.candidates.tolist(), strict=True))
    assert len(pairs) == len(sample) == 100 and sample.population == 28 * 27
    assert all(q != c and study.concepts.annotated[[q, c]].all() for q, c in pairs)
    again, other = sample_pairs(study, n=100, seed=4), sample_pairs(study, n=100, seed=5)
    assert (again.queries == sample.queries).all() and (again.candidates == sample.candidates).all()
    assert not (
        np.array_equal(other.queries, sample.queries) and np.array_equal(other.candidates, sample.candidates)
    )
    drawn = np.zeros(30)
    for seed in range(200):
        drawn += np.bincount(sample_pairs(study, n=100, seed=seed).queries, minlength=30)
    expected = 200 * 100 / 28
    assert (np.abs(drawn[study.concepts.annotated] - expected) < 5 * np.sqrt(expected)).all()


def test_results_are_what_the_systems_returned(study):
    sample = sample_pairs(study, drawn="results", systems=OWN, depth=4, n=10_000)
    expected = {
        (int(q), int(c))
        for run in study.runs.values()
        for q in run.queries
        if study.concepts.annotated[q]
        for c in run.answer(int(q))[0][:4]
    }
    assert set(zip(sample.queries.tolist(), sample.candidates.tolist(), strict=True)) == expected
    assert sample.population == len(expected)
    fewer = sample_pairs(study, drawn="results", systems=OWN, depth=4, n=50)
    assert len(fewer) == 50 and fewer.population == len(expected)
    assert set(zip(fewer.queries.tolist(), fewer.candidates.tolist(), strict=True)) <= expected


def test_samples_that_cannot_be_drawn(study):
    bare = study_of({"a": ["x"], "b": None})
    with pytest.raises(InputError, match="no pair of annotated images"):
        sample_pairs(bare)
    with pytest.raises(InputError, match="no retrieval systems"):
        sample_pairs(study_of({"a": ["x"], "b": ["y"]}), drawn="results")
    with pytest.raises(SettingError, match="`n` must be an integer >= 1"):
        sample_pairs(study, n=0)
    with pytest.raises(SettingError, match="`n`"):
        sample_queries(study, n=0)


def test_results_by_scipy(study):
    sample = sample_pairs(study, n=200)
    found = agree_on_results(pair_values(study, MEASURES, sample))
    columns = [
        engine.relevance_of_pairs(study, name, sample.queries, sample.candidates, Settings())
        for name in MEASURES
    ]
    for i, j in combinations(range(3), 2):
        assert found.spearman[i, j] == pytest.approx(stats.spearmanr(columns[i], columns[j]).statistic)
        assert found.kendall[j, i] == pytest.approx(stats.kendalltau(columns[i], columns[j]).statistic)
    assert (found.level, found.n, found.left_out) == ("results", 200, 0)


def test_queries_and_systems_by_naive_loops(study):
    scores = analysed(study, MEASURES, systems=OWN, form="mean", k=5).by_measure()
    each = {
        (one.system, one.metric): one.values
        for one in evaluate.score(study, metrics=[f"mean({m})@5" for m in MEASURES], systems=OWN)
    }
    rows = ~np.isnan(np.stack(list(each.values()))).any(axis=0)
    assert scores.left_out == np.sum(~rows) and len(scores.queries) == rows.sum()
    by_query, by_system = agree_on_queries(scores), agree_on_systems(scores)
    exact = {(s, m): exact_means(study, s, m, np.flatnonzero(rows), 5) for s in OWN for m in MEASURES}
    for i, j in combinations(range(3), 2):
        a, b = f"mean({MEASURES[i]})@5", f"mean({MEASURES[j]})@5"
        taus = [stats.kendalltau(exact[s, MEASURES[i]], exact[s, MEASURES[j]]).statistic for s in OWN]
        assert by_query.kendall[i, j] == pytest.approx(np.mean(taus))
        means = [[each[s, m][rows].mean() for s in OWN] for m in (a, b)]
        assert by_system.kendall[i, j] == pytest.approx(stats.kendalltau(*means).statistic)
        assert by_system.spearman[i, j] == pytest.approx(stats.spearmanr(*means).statistic)
    assert (by_query.averaged_over, by_system.n) == (3, 3)


def test_two_systems_are_too_few_to_correlate(study):
    scores = analysed(study, MEASURES, systems=["s1", "s2"], k=5).by_measure()
    assert np.isnan(agree_on_systems(scores).kendall).all()


def test_means_equal_on_paper_keep_the_order_of_the_systems():
    """0.1 + 0.2 is 0.3: x, y and z hold the same three values in other orders, so nobody passes anybody."""
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1 + 0.2, 0.1, 0.2]])
    both, queries = np.stack([values, values[::-1]], axis=2), np.arange(3, dtype=np.int32)
    scores = MeasureScores(("iou", "o"), ("x", "y", "z"), ("iou", "o"), queries, both, 0)
    assert places(scores.means).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert places(np.array([[0.3], [0.1 + 0.2], [np.nan], [0.4]])).tolist() == [[2], [3], [4], [1]]


def test_largest_disagreements_by_hand():
    """Places are shares of the other pairs that lie below: 0, 1/3, 2/3, 1. A query is listed once."""
    pairs = PairValues(
        ("a", "b"),
        np.array([0, 0, 1, 2], np.int32),
        np.array([5, 6, 0, 5], np.int32),
        np.array([[0.0, 0.9], [0.1, 0.0], [0.2, 0.1], [0.3, 0.2]]),
        0,
    )
    found = disagreements(pairs, "a", "b")
    assert [(d.query, d.candidate) for d in found] == [(0, 5), (1, 0), (2, 5)]
    assert [d.gap for d in found] == pytest.approx([-1.0, 1 / 3, 1 / 3])
    assert (found[0].value_a, found[0].value_b, found[0].place_a, found[0].place_b) == (0.0, 0.9, 0.0, 1.0)
    assert disagreements(pairs, "a", "a") == ()
    assert len(disagreements(pairs, "a", "b", n=1)) == 1


def test_pairs_of_the_same_concept_sets_are_one():
    """Images 0 and 2, and 1 and 3, carry the same concepts: two pairs say the same, the third is new."""
    concepts = ConceptSets.of({"i0": ["x"], "i1": ["y"], "i2": ["x"], "i3": ["y"], "i4": ["z"]})
    values = np.array([[0.0, 1.0], [0.0, 1.0], [0.5, 0.1]])
    queries, candidates = np.array([0, 3, 4], np.int32), np.array([1, 2, 0], np.int32)
    pairs = PairValues(("iou", "nn-iou"), queries, candidates, values, 0)
    listed = disagreements(pairs, "iou", "nn-iou", concepts=concepts)
    assert [(d.query, d.candidate) for d in listed] == [(4, 0), (0, 1)]
    assert len(disagreements(pairs, "iou", "nn-iou")) == 3
    seen = PairValues(("iou", "cosine:s"), queries, candidates, values, 0)
    assert len(disagreements(seen, "iou", "cosine:s", concepts=concepts)) == 3
