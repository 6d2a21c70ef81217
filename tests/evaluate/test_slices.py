"""Slices of queries, against pandas; means and differences in them, as of their queries alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evalcore import score
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.slices import clear_winners, offered, slice_queries
from evalcore.evaluate.summary import summarise
from evalcore.stats.correction import holm
from evalcore.study import open_study
from evalcore.values.settings import View
from tests.measured import compare
from tests.toy import TOY_EDGES, study_of, with_parts


@pytest.fixture(scope="module")
def sample():
    return open_study("data")


def test_by_label_against_pandas(sample):
    frame = pd.read_csv("data/labels.csv", dtype=str)
    rows = frame.assign(organ=frame["organ"].str.split(";")).explode("organ")
    rows["organ"] = rows["organ"].str.strip()
    expected = {name: set(group["ID"]) for name, group in rows.groupby("organ")}
    slicing = slice_queries(sample, "organ")
    assert {part.name: {sample.image_ids[q] for q in part.queries} for part in slicing.slices} == expected
    sizes = [len(part.queries) for part in slicing.slices]
    assert sizes == sorted(sizes, reverse=True)
    assert slicing.several == rows["ID"].duplicated().sum() > 0 == slicing.outside == slicing.hidden


def test_columns_of_one_value_for_each_query_are_not_offered():
    sets = {f"q{i}": {"vein"} for i in range(9)}
    labels = {"patient": {image: image for image in sets}, "organ": dict.fromkeys(sets, "head")}
    study = with_parts(study_of(sets, TOY_EDGES), labels=labels)
    assert offered(study) == ("organ",)
    assert offered(study_of(sets, TOY_EDGES)) == ()


# Means and differences by slice.

K = 5
A, B = "texture", "hog"


@pytest.fixture(scope="module")
def scores(sample):
    return dict(zip([A, B], score(sample, metrics=[f"P(modality)@{K}"], systems=[A, B]), strict=True))


def of_two(study, first, second):
    """An analysis of just these two, the first its baseline."""
    view = View(metrics=(first.metric,), systems=(first.system, second.system), baseline=first.system)
    return Analysis(study, view, lambda: (first, second))


def differences(study, first, second, by="organ"):
    """The second minus the first in every slice."""
    return of_two(study, first, second).slice_comparisons(second.system, first.system, by)


@pytest.mark.parametrize("grouped", [False, True])
def test_a_slice_is_compared_as_its_queries_alone_are(sample, scores, grouped):
    """The interval and the p of a slice are those of the comparison over its queries, groups included."""
    if grouped:
        groups = {"groups": np.arange(len(sample.queries), dtype=np.int32) // 4, "grouped_by": "patient"}
        scores = {name: replace(score, **groups) for name, score in scores.items()}
    rows = of_two(sample, scores[B], scores[A]).sliced(["organ"])
    slicing = slice_queries(sample, "organ")
    for part, row, base in zip(slicing.slices, rows[len(rows) // 2 :], rows, strict=False):
        alone = compare(scores[A].among(part.queries), scores[B].among(part.queries))
        same = {
            name: getattr(row.against, name) for name in ("family", "n_family", "p_corrected", "correction")
        }
        assert replace(alone, **same) == row.against and base.against is None
        assert (row.by, row.name, row.scores.system) == ("organ", part.name, A)
        assert row.mean == summarise(scores[A].among(part.queries))


def test_a_slice_without_a_value_has_no_number(sample):
    """No query of a slice has a value, and p of the others is corrected over these alone."""
    sets = {f"q{i}": {"vein"} if i < 6 else set() for i in range(9)}
    answers = {query: [other for other in sets if other != query] for query in sets}
    labels = {"side": {query: "left" if i < 6 else "right" for i, query in enumerate(sets)}}
    study = with_parts(study_of(sets, TOY_EDGES), runs={"a": answers, "b": answers}, labels=labels)
    a, b = score(study, metrics=["nnCUI@3"])
    left, right = differences(study, b, a, "side")
    mean = of_two(study, a, b).slice_means("side")[0][1]
    assert (right.n_pairs, mean.n, left.n_pairs, left.n_family) == (0, 0, 6, 1)
    assert all(np.isnan([right.difference, right.p, right.p_corrected, mean.mean]))


def against(like, *rows):
    """Comparisons with the leader, slice by slice: (difference, corrected p, queries)."""
    return tuple(replace(like, difference=gap, p_corrected=p, n_pairs=n) for gap, p, n in rows)


def test_another_system_wins_a_slice_only_where_that_is_clear(scores):
    """By slice: clear for b on 5 queries; p = 1 on 10; clear on 4; worse; clear for both; no value."""
    like, nothing = compare(scores[B], scores[A]), (np.nan, np.nan, 0)
    b = [(0.3, 0.01, 5), (0.2, 1.0, 10), (0.9, 0.001, 4), (-0.4, 0.001, 50), (0.1, 0.04, 9), nothing]
    c = [(0.4, 0.05, 9), (0.1, 0.9, 10), (0.1, 0.8, 4), (0.0, 1.0, 50), (0.2, 0.03, 9), nothing]
    rivals = {"b": against(like, *b), "c": against(like, *c)}
    assert clear_winners(rivals) == {0: "b", 4: "c"}


def test_slices_are_corrected_over_systems_and_slices(sample):
    """With the baseline over all others times the slices, else over all pairs times the slices."""
    systems = (A, B, "pixel-pca")
    scores = score(sample, metrics=[f"P(modality)@{K}"], systems=systems)
    alone = differences(sample, scores[0], scores[1])
    for baseline, pairs in (
        (A, [(B, A), ("pixel-pca", A)]),
        ("", [(B, A), ("pixel-pca", A), ("pixel-pca", B)]),
    ):
        view = View(metrics=(f"P(modality)@{K}",), systems=systems, baseline=baseline)
        analysis = Analysis(sample, view, lambda: scores)
        by_pair = {pair: analysis.slice_comparisons(*pair, "organ") for pair in pairs}
        flat = [comparison for row in by_pair.values() for comparison in row]
        assert [comparison.p_corrected for comparison in flat] == holm(
            np.array([comparison.p for comparison in flat])
        ).tolist()
        assert {comparison.n_family for comparison in flat} == {len(flat)}
        assert [(comparison.difference, comparison.p) for comparison in by_pair[B, A]] == [
            (comparison.difference, comparison.p) for comparison in alone
        ]
        assert analysis.slice_comparisons(A, B, "organ")[0].difference == -by_pair[B, A][0].difference
