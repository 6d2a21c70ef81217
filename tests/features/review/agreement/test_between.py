"""Agreement among readers: published examples, and what is undefined."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evalcore.features.review.agreement.between import agreement
from evalcore.features.review.agreement.ratings import grades, votes
from evalcore.features.review.judgments import Judgment
from evalcore.stats.agreement import alpha, cohen, counts_of, fleiss, resampled_alphas

N = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
)
"""Krippendorff 2011, section C: four observers, twelve units."""
FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ],
    float,
)
"""The worked example of ten subjects and fourteen raters."""


class EveryOnce:
    """Draws every row once, so that a resample is the whole."""

    def integers(self, _low: int, _high: int, shape: tuple[int, int], dtype: type) -> np.ndarray:
        return np.tile(np.arange(shape[1], dtype=dtype), (shape[0], 1))


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example(level, published):
    assert alpha(KRIPPENDORFF, level) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_a_resample_of_everything_is_the_library_s_alpha(level):
    again = resampled_alphas(KRIPPENDORFF, level, np.arange(12) // 2, n_resamples=2, rng=EveryOnce())
    whole = krippendorff.alpha(reliability_data=KRIPPENDORFF, level_of_measurement=level)
    assert again == pytest.approx([whole, whole])


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_a_resample_counts_a_query_as_often_as_it_was_drawn(level):
    clusters = np.arange(12) // 3
    of_three = np.delete(clusters, np.s_[6:9])
    columns = np.delete(KRIPPENDORFF, np.s_[6:9], axis=1)
    (again,) = resampled_alphas(
        columns, level, np.where(of_three == 3, 2, of_three), n_resamples=1, rng=_Rng([[0, 0, 2]])
    )
    drawn = np.concatenate([columns[:, :3], columns[:, :3], columns[:, 6:]], axis=1)
    assert again == pytest.approx(
        krippendorff.alpha(reliability_data=drawn, level_of_measurement=level), abs=1e-12
    )


class _Rng:
    def __init__(self, rows):
        self.rows = rows

    def integers(self, _low, _high, _shape, dtype):
        return np.array(self.rows, dtype)


def test_fleiss_of_the_published_example():
    assert fleiss(FLEISS) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_takes_equal_numbers_of_ratings():
    with pytest.raises(ValueError, match="same number of ratings"):
        fleiss(np.array([[2.0, 0.0], [1.0, 0.0]]))


def test_fleiss_is_over_the_items_everybody_judged():
    # Units 2 to 9 of the table carry four values.
    assert len(counts_of(KRIPPENDORFF)) == 8
    assert np.isnan(fleiss(counts_of(KRIPPENDORFF[:1])))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30),
    st.sampled_from(["linear", "quadratic"]),
)
def test_weighted_kappa_is_that_of_all_five_steps(pairs, weights):
    a, b = np.array(pairs).T
    if len({*a, *b}) < 2:
        assert np.isnan(cohen(a / 4, b / 4, weights=weights))
        return
    expected = cohen_kappa_score(a, b, labels=range(5), weights=weights)
    assert cohen(a / 4, b / 4, weights=weights) == pytest.approx(expected, nan_ok=True)


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=2, max_size=30))
def test_kappa_of_votes_is_unweighted_and_knows_both_sides(pairs):
    a, b = np.array(pairs, float).T
    if len({*a, *b}) > 1:
        expected = cohen_kappa_score(a, b)
        assert cohen(a, b, weights="none") == pytest.approx(expected, nan_ok=True)


@given(
    st.lists(st.tuples(st.integers(-3, 7), st.integers(-3, 7)), min_size=2, max_size=30),
    st.sampled_from(["linear", "quadratic"]),
    st.sampled_from([0.1, 1.0, 25.0]),
)
def test_weighted_kappa_depends_on_neither_zero_nor_unit_of_the_scale(pairs, weights, unit):
    a, b = np.array(pairs).T
    if len({*a, *b}) > 1:
        expected = cohen_kappa_score(a, b, labels=range(-3, 8), weights=weights)
        assert cohen(a * unit, b * unit, weights=weights) == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(
        st.lists(st.sampled_from([N, -1.0, 0.0, 0.5, 4.0]), min_size=3, max_size=3), min_size=1, max_size=20
    ),
    st.sampled_from(["nominal", "ordinal", "interval"]),
)
def test_alpha_is_the_library_s(items, level):
    table = np.array(items).T
    paired = table[:, np.count_nonzero(~np.isnan(table), axis=0) > 1]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert np.isnan(alpha(table, level))
        return
    expected = krippendorff.alpha(reliability_data=paired, level_of_measurement=level)
    assert alpha(table, level) == pytest.approx(expected, abs=1e-12)


def judged(*rows: str) -> list[Judgment]:
    """``reader query result value`` by line; a value of x is "cannot say", - takes back."""
    found = []
    for i, row in enumerate(rows):
        reader, query, result, value = row.split()
        said = {"x": "cannot-say", "-": "undone"}.get(value, "value")
        found.append(
            Judgment(
                id=f"{i:03}",
                task="t",
                reader=reader,
                kind="graded",
                query=query,
                result=result,
                said=said,
                value=float(value) if said == "value" else None,
                at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=i),
            )
        )
    return found


def test_the_latest_word_counts_and_what_was_taken_back_does_not():
    table = grades(judged("a q r 0", "a q r 1", "a q s 0.5", "a q s -", "a q t x", "b q r 0.25"))
    assert table.readers == ("a", "b") and table.items == (("q", "r"),)
    assert table.values.tolist() == [[1.0], [0.25]]
    assert table.cannot_say == {("q", "t"): 1}


def test_a_vote_is_the_same_whichever_list_stood_left():
    at = datetime(2026, 1, 1, tzinfo=UTC)
    said = [
        Judgment(
            id=reader,
            task="t",
            reader=reader,
            kind="preference",
            query="q",
            systems=systems,
            value=value,
            at=at,
        )
        for reader, systems, value in (("a", ("x", "y"), 0.5), ("b", ("y", "x"), -1.0), ("c", ("x", "y"), 0))
    ]
    table = votes(said)
    assert table.items == (("q", "x", "y"),) and table.values.tolist() == [[1.0], [1.0], [0.0]]
    assert table.level == "nominal"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "Nothing has been judged yet."),
        (["a q r 1", "a q s 0"], "Only one reader has judged: agreement needs two."),
        (["a q r 1", "b q s 0"], "No two readers have judged the same result."),
        (
            ["a q r 1", "b q r 1", "a q s 1", "b q s 1"],
            "All judgments are equal: agreement beyond chance is undefined.",
        ),
    ],
)
def test_why_there_is_no_alpha(rows, why):
    found = agreement(grades(judged(*rows)))
    assert found.why_none == why and np.isnan(found.alpha.mean) and np.isnan(found.alpha.low)


def test_agreement_says_over_what():
    rows = [
        f"{who} q{q} r{r} {(q + r + (who == 'b' and r == 0)) % 5 / 4}"
        for who in "ab"
        for q in range(4)
        for r in range(3)
    ]
    found = agreement(grades(judged(*rows, "c q0 r0 0.5")), n_resamples=200)
    assert (found.level, found.n_items, found.alpha.n, found.n_queries) == ("ordinal", 12, 12, 4)
    assert [(one.a, one.b, one.n) for one in found.pairs] == [("a", "b", 12), ("a", "c", 1), ("b", "c", 1)]
    assert found.pairs[0].same == pytest.approx(8 / 12)
    assert found.alpha.low < found.alpha.mean < found.alpha.high and found.n_by_all == 1


def test_the_items_of_one_query_have_no_interval():
    """Whole queries are drawn, and every draw would be the same."""
    rows = [f"{who} q r{r} {(r + (who == 'b' and r == 0)) / 4}" for who in "ab" for r in range(4)]
    found = agreement(grades(judged(*rows)), n_resamples=20).alpha
    assert 0 < found.mean < 1 and np.isnan([found.low, found.high]).all()
