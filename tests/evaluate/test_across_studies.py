"""Systems over several studies: means, and intervals that draw studies and queries within each."""

from __future__ import annotations

from math import isnan, nan, sqrt

import numpy as np
import pytest

from evalcore.evaluate.across_studies import across_studies, too_few_studies
from evalcore.stats.clusters import clusters_of, hierarchical_means
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.model import DEFINED, NO_CONCEPTS, Scores

N = (40, 25, 90)


def scores_of(name, values, *, metric="CUI@10", groups=None):
    values = np.asarray(values, float)
    reasons = np.where(np.isnan(values), NO_CONCEPTS, DEFINED).astype(np.uint8)
    queries = np.arange(len(values), dtype=np.int32)
    named = None if groups is None else np.asarray(groups, np.int32)
    return Scores(name, metric, queries, values, reasons, 0, 0, 0, 10, None, named, "patient")


@pytest.fixture
def tables():
    """Three studies of other sizes and levels; three systems whose values go together."""
    rng = np.random.default_rng(5)
    return [
        (rng.normal(level, 0.2, (n, 1)) + rng.normal(0, 0.1, (n, 3)) + [0, 0.05, -0.1]).clip(0, 1)
        for n, level in zip(N, (0.3, 0.5, 0.65), strict=True)
    ]


def studies_of(tables, names=("a", "b", "c")):
    return {
        f"study {i}": [scores_of(name, table[:, j]) for j, name in enumerate(names)]
        for i, table in enumerate(tables)
    }


def naive(tables, n, seed):
    """The same procedure written out: draw studies, draw the queries of each, average."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(n):
        means = []
        for place in rng.integers(0, len(tables), len(tables)):
            table = tables[place]
            means.append(table[rng.integers(0, len(table), len(table))].mean(axis=0))
        found.append(np.mean(means, axis=0))
    return np.array(found)


def test_draws_have_the_variance_of_the_formula(tables):
    """Davison & Hinkley 1997, section 3.8: that between studies and within them, over the studies."""
    draws = hierarchical_means(tables, n_resamples=40_000, seed=1)
    means = np.array([table.mean(axis=0) for table in tables])
    within = np.mean([table.var(axis=0) / len(table) for table in tables], axis=0)
    expected = (means.var(axis=0) + within) / len(tables)
    assert draws.var(axis=0) == pytest.approx(expected, rel=0.03)
    assert draws.mean(axis=0) == pytest.approx(means.mean(axis=0), abs=0.002)
    # paired: the difference of two columns is that of their differences
    pair = [table[:, :1] - table[:, 1:2] for table in tables]
    of_pair = np.array([one.mean() for one in pair]).var() + np.mean([one.var() / len(one) for one in pair])
    assert (draws[:, 0] - draws[:, 1]).var() == pytest.approx(of_pair / len(tables), rel=0.03)


def test_whole_groups_are_drawn():
    """Images of a patient that have one value count as one query: the variance of the patients' means."""
    patients = np.random.default_rng(2).normal(0.5, 0.2, (12, 1))
    groups = np.repeat(np.arange(12, dtype=np.int32), 5)
    clusters = clusters_of(np.repeat(patients, 5, axis=0), groups)
    by_group = hierarchical_means([clusters, clusters], n_resamples=20_000, seed=0)
    alone = hierarchical_means([patients, patients], n_resamples=20_000, seed=0)
    assert by_group.var() == pytest.approx(alone.var(), rel=0.05)


def test_intervals_are_those_of_the_procedure_written_out(tables):
    (found,) = across_studies(studies_of(tables), baseline="a", n_resamples=20_000, seed=3)
    draws = naive(tables, 20_000, seed=4)
    means = np.array([table.mean(axis=0) for table in tables]).mean(axis=0)
    for row in found.rows:
        j = "abc".index(row.system)
        low, high = np.quantile(draws[:, j], [0.025, 0.975])
        assert (row.mean, row.low, row.high) == pytest.approx((means[j], low, high), abs=0.006)
        if row.system != "a":
            low, high = np.quantile(draws[:, j] - draws[:, 0], [0.025, 0.975])
            expected = (means[j] - means[0], low, high)
            assert (row.difference, row.difference_low, row.difference_high) == pytest.approx(
                expected, abs=0.006
            )
    assert [row.system for row in found.rows] == ["b", "a", "c"]  # 0.05 above, and 0.1 below
    assert {row.system: row.higher for row in found.rows} == {"a": 0, "b": 3, "c": 0}
    assert found.n_queries == {f"study {i}": n for i, n in enumerate(N)}


def test_studies_count_alike_and_queries_without_a_value_are_left_out():
    studies = {
        "small": [scores_of("x", [1.0, 0.0, nan]), scores_of("y", [0.0, 0.0, nan])],
        "large": [scores_of("x", [0.2] * 90), scores_of("y", [0.4] * 90)],
    }
    (found,) = across_studies(studies)
    rows = {row.system: row for row in found.rows}
    assert rows["x"].means == {"small": 0.5, "large": 0.2} and rows["x"].mean == pytest.approx(0.35)
    assert rows["y"].mean == pytest.approx(0.2) and found.reference == "x" and not found.chosen
    assert (rows["y"].difference, rows["y"].higher) == (pytest.approx(-0.15), 1)


def test_a_system_that_a_study_lacks_is_named_and_has_no_mean(tables):
    studies = studies_of(tables)
    studies["study 1"].pop(1)
    (found,) = across_studies(studies)
    last = found.rows[-1]
    assert (last.system, last.missing) == ("b", ("study 1",)) and isnan(last.mean) and isnan(last.difference)
    assert isnan(last.means["study 1"]) and last.means["study 0"] == pytest.approx(tables[0][:, 1].mean())
    assert [row.system for row in found.rows[:2]] == ["a", "c"]
    with pytest.raises(UnknownName, match="No baseline in every study called 'b'"):
        across_studies(studies, baseline="b")
    apart = {name: [of[i]] for i, (name, of) in enumerate(list(studies_of(tables).items())[:2])}
    (found,) = across_studies(apart)
    assert found.reference == "" and all(isnan(row.mean) for row in found.rows)


def test_what_cannot_be_compared(tables):
    studies = studies_of(tables)
    with pytest.raises(InputError, match="at least two studies"):
        across_studies({"study 0": studies["study 0"]})
    with pytest.raises(InputError, match="No metric was scored in all of"):
        across_studies({"one": [scores_of("a", [1.0])], "two": [scores_of("a", [1.0], metric="P(organ)@5")]})
    with pytest.raises(InputError, match="In two no query has a value under CUI@10"):
        across_studies({"one": [scores_of("a", [1.0])], "two": [scores_of("a", [nan])]})


def test_how_much_wider_intervals_of_few_studies_would_have_to_be():
    """By a table of Student's t: 12.706, 4.303 and 2.776 for 1, 2 and 4 degrees of freedom, against 1.960."""
    for n, quantile in ((2, 12.706), (3, 4.303), (5, 2.776)):
        said = too_few_studies(n)
        assert f"from {n} studies only" in said
        assert f"about {quantile / 1.960 * sqrt(n / (n - 1)):.1f} times as wide" in said
    assert too_few_studies(10) == ""
