"""Measures beside each other: how far they agree, which separates systems, Table 1."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from evalcore import engine, score
from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.measures import (
    MeasureScores,
    PairValues,
    agreement,
    disagreements,
    pair_values,
    places,
    sample_pairs,
    table_metrics,
)
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import ConceptSets
from evalcore.values.settings import Settings
from tests.measured import analysed, table_one
from tests.toy import drawn_study, study_of

MEASURES = ("iou", "overlap", "nn-iou")
OWN = ("s1", "s2", "s3")
"""The systems with runs; `seen` ranks by its vectors."""


def exact_means(study, system, measure, queries, k):
    """The mean relevance of the first k as fractions, and of these the places of equal ones."""
    fractions = []
    for query in queries:
        candidates = study.runs[system].answer(int(query))[0][:k]
        (values,) = engine.relevance_of_pairs(study, measure, np.repeat(query, k), candidates, [Settings()])
        # Relevances are fractions of small numbers, so the nearest such fraction is the one meant.
        fractions.append(sum(Fraction(value).limit_denominator(1000) for value in values.tolist()) / k)
    return [sorted(set(fractions)).index(fraction) for fraction in fractions]


@pytest.fixture(scope="module")
def study():
    """Thirty images with up to four concepts each, two of them not annotated; three random systems."""
    vectors = {"seen": {f"i{n:02}": vector for n, vector in enumerate(np.eye(20, 3) + 1)}}
    return drawn_study(11, systems=OWN, depth=12, without=("i03", "i29"), embeddings=vectors)


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


def test_samples_that_cannot_be_drawn(study):
    bare = study_of({"a": ["x"], "b": None})
    with pytest.raises(InputError, match="no pair of annotated images"):
        sample_pairs(bare)
    with pytest.raises(InputError, match="no retrieval systems"):
        sample_pairs(study_of({"a": ["x"], "b": ["y"]}), systems=())
    with pytest.raises(SettingError, match="`n` must be an integer >= 1"):
        sample_pairs(study, n=0)


def test_results_by_scipy(study):
    sample = sample_pairs(study, n=200)
    correlations = agreement("results", pair_values(study, MEASURES, sample.queries, sample.candidates))
    columns = [
        engine.relevance_of_pairs(study, name, sample.queries, sample.candidates, [Settings()])[0]
        for name in MEASURES
    ]
    for i, j in combinations(range(3), 2):
        assert correlations.spearman[i, j] == pytest.approx(stats.spearmanr(columns[i], columns[j]).statistic)
        assert correlations.kendall[j, i] == pytest.approx(stats.kendalltau(columns[i], columns[j]).statistic)
    assert (correlations.level, correlations.n, correlations.left_out) == ("results", 200, 0)


def test_queries_and_systems_by_naive_loops(study):
    scores = analysed(study, MEASURES, systems=OWN, form="mean", k=5).by_measure()
    each = {
        (cell.system, cell.metric): cell.values
        for cell in score(study, metrics=[f"mean({m})@5" for m in MEASURES], systems=OWN)
    }
    rows = ~np.isnan(np.stack(list(each.values()))).any(axis=0)
    assert scores.left_out == np.sum(~rows) and len(scores.queries) == rows.sum()
    by_query, by_system = agreement("queries", scores), agreement("systems", scores)
    exact = {(s, m): exact_means(study, s, m, np.flatnonzero(rows), 5) for s in OWN for m in MEASURES}
    for i, j in combinations(range(3), 2):
        a, b = f"mean({MEASURES[i]})@5", f"mean({MEASURES[j]})@5"
        taus = [stats.kendalltau(exact[s, MEASURES[i]], exact[s, MEASURES[j]]).statistic for s in OWN]
        assert by_query.kendall[i, j] == pytest.approx(np.mean(taus))
        means = [[each[s, m][rows].mean() for s in OWN] for m in (a, b)]
        assert by_system.kendall[i, j] == pytest.approx(stats.kendalltau(*means).statistic)
        assert by_system.spearman[i, j] == pytest.approx(stats.spearmanr(*means).statistic)
    assert (by_query.averaged_over, by_system.n) == (3, 3)


def test_means_equal_on_paper_keep_the_order_of_the_systems():
    """0.1 + 0.2 is 0.3: x, y and z have the same three values in other orders, so none passes another."""
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1 + 0.2, 0.1, 0.2]])
    both, queries = np.stack([values, values[::-1]], axis=2), np.arange(3, dtype=np.int32)
    scores = MeasureScores(("iou", "o"), ("x", "y", "z"), ("iou", "o"), queries, both, 0)
    assert places(scores.means).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert places(np.array([[0.3], [0.1 + 0.2], [np.nan], [0.4]])).tolist() == [[2], [3], [4], [1]]


def test_largest_disagreements_by_hand():
    """Places are shares of the other pairs that are below: 0, 1/3, 2/3, 1. A query is listed once."""
    pairs = PairValues(
        ("a", "b"),
        np.array([0, 0, 1, 2], np.int32),
        np.array([5, 6, 0, 5], np.int32),
        np.array([[0.0, 0.9], [0.1, 0.0], [0.2, 0.1], [0.3, 0.2]]),
        0,
    )
    largest = disagreements(pairs, "a", "b")
    assert [(d.query, d.candidate) for d in largest] == [(0, 5), (1, 0), (2, 5)]
    assert [d.gap for d in largest] == pytest.approx([-1.0, 1 / 3, 1 / 3])
    first = largest[0]
    assert (first.value_a, first.value_b, first.place_a, first.place_b) == (0.0, 0.9, 0.0, 1.0)
    assert disagreements(pairs, "a", "a") == ()
    assert len(disagreements(pairs, "a", "b", n=1)) == 1
    alone = PairValues(pairs.measures, pairs.queries[:1], pairs.candidates[:1], pairs.values[:1], 0)
    assert disagreements(alone, "a", "b") == ()


def test_pairs_of_equal_concept_sets_are_listed_once():
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


# Which measure separates the systems.


def test_discrimination_needs_two_systems_and_a_level(study):
    with pytest.raises(InputError, match="at least two"):
        analysed(study, MEASURES, systems=OWN[:1]).discrimination()
    with pytest.raises(SettingError, match="significance"):
        analysed(study, MEASURES, systems=OWN).discrimination(1.0)


# Table 1.


LABELS = {"modality": ("CT", "MR"), "organ": ("head", "chest", "")}


def test_columns_are_all_types_and_all_pairs_of_them():
    study = drawn_study(0, 6, labels=LABELS)
    columns = ("modality", "organ", "modality&organ")
    assert table_metrics(study, cutoffs=(5, 10)) == tuple(f"P({c})@{k}" for c in columns for k in (5, 10))
    with pytest.raises(InputError, match="no labels"):
        table_metrics(study_of({"a": ["x"]}))


def test_best_and_as_good():
    study = drawn_study(1, 40, labels=LABELS)
    table = table_one(study, MEASURES, seed=2, flips=500)
    for j, metric in enumerate(table.metrics):
        column = [row[j] for row in table.cells]
        highest = max(cell.mean.mean for cell in column)
        assert [cell.best for cell in column] == [cell.mean.mean == highest for cell in column]
        scores = score(study, metrics=[metric], systems=[f"@{name}" for name in MEASURES])
        first = next(i for i, cell in enumerate(column) if cell.best)
        others = [i for i in range(3) if i != first]
        pairs = [(scores[first], scores[i]) for i in others]
        for i, comparison in zip(others, compare_all(pairs, flips=500, seed=2), strict=True):
            assert column[i].p_corrected == comparison.p_corrected
            assert column[i].as_good == (not column[i].best and comparison.p_corrected >= 0.05)
        assert np.isnan(column[first].p_corrected) and not column[first].as_good
