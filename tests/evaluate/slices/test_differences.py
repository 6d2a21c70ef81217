"""Means and differences by slice against pandas and brute force on the files of the sample study."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

from evalcore.evaluate import compare, score, summarise
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.conditions import select
from evalcore.evaluate.slices import clear_winners, means_by_slice, slice_queries
from evalcore.study import open_study
from evalcore.values.settings import Settings, View

K = 5
A, B = "texture", "hog"


def holm_by_hand(p):
    """Each p times the number of p at least as large; never below a smaller one's; 1 at most."""
    found = {}
    for rank, place in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        before = max(found.values(), default=0.0)
        found[place] = min(1.0, max(before, (len(p) - rank) * p[place]))
    return [found[i] for i in range(len(p))]


@pytest.fixture(scope="module")
def labels():
    return pd.read_csv("data/labels.csv", dtype=str).set_index("ID")


def precision_by_pandas(system, labels):
    """P(modality)@5 per query, from the run file and the labels alone."""
    run = pd.read_csv(
        f"data/systems/{system}/run.trec.gz",
        sep=r"\s+",
        names=["query", "_", "image", "rank", "score", "run"],
    )
    run = run[(run["query"] != run["image"]) & run["image"].isin(labels.index[labels["modality"].notna()])]
    run = run.sort_values(["query", "score", "image"], ascending=[True, False, True])
    top = run.groupby("query").head(K)
    modality = labels["modality"]
    same = top["image"].map(modality).to_numpy() == top["query"].map(modality).to_numpy()
    return pd.Series(same.astype(float)).groupby(top["query"].to_numpy()).sum() / K


@pytest.fixture(scope="module")
def study():
    return open_study("data")


@pytest.fixture(scope="module")
def scores(study):
    return dict(zip([A, B], score(study, metrics=[f"P(modality)@{K}"], systems=[A, B]), strict=True))


def differences(study, first, second, by="organ", **how):
    """The second minus the first in every slice, of an analysis of just these two."""
    view = View(metrics=(first.metric,), systems=(first.system, second.system), baseline=first.system, **how)
    return Analysis(study, view, lambda: (first, second)).slice_comparisons(second.system, first.system, by)


@pytest.fixture(scope="module")
def slicing(study):
    return slice_queries(study, "organ", scores=(), settings=Settings())


def organs(labels):
    rows = labels["organ"].str.split(";").explode().str.strip()
    return rows.reset_index()


def test_means_are_those_of_a_groupby(study, scores, slicing, labels):
    values = precision_by_pandas(A, labels)
    expected = organs(labels).assign(value=lambda rows: rows["ID"].map(values)).groupby("organ")["value"]
    found = means_by_slice([scores[A]], slicing)[0]
    for part, mean in zip(slicing.slices, found, strict=True):
        group = expected.get_group(part.name)
        assert (mean.mean, mean.n) == (pytest.approx(group.mean(), abs=1e-12), len(group))


def test_differences_and_holm(study, scores, slicing, labels):
    gap = precision_by_pandas(A, labels) - precision_by_pandas(B, labels)
    expected = organs(labels).assign(value=lambda rows: rows["ID"].map(gap)).groupby("organ")["value"]
    found = differences(study, scores[B], scores[A])
    for part, one in zip(slicing.slices, found, strict=True):
        group = expected.get_group(part.name)
        assert one.difference == pytest.approx(group.mean(), abs=1e-12)
        assert (one.n_pairs, one.wins, one.losses) == (len(group), (group > 0).sum(), (group < 0).sum())
        if len(group) <= 12:
            signs = np.array(list(product([1, -1], repeat=len(group))))
            far = np.abs(signs @ group.to_numpy()) >= abs(group.sum()) - 1e-9
            assert one.p == pytest.approx(far.mean(), abs=1e-12)
    assert [one.p_corrected for one in found] == pytest.approx(holm_by_hand([one.p for one in found]))
    assert {one.correction for one in found} == {"Holm"} and len(found) == 10


def test_the_correction_asked_for_is_over_the_slices(study, scores):
    found = differences(study, scores[B], scores[A], correction="bh")
    expected = false_discovery_control([one.p for one in found])
    assert [one.p_corrected for one in found] == pytest.approx(expected.tolist())
    assert {one.correction for one in found} == {"Benjamini-Hochberg"}


def test_a_slice_is_compared_as_its_queries_alone_are(study, scores, slicing):
    """The interval and the p of a slice are those of the comparison over its queries."""
    found = differences(study, scores[B], scores[A])
    for part, one in zip(slicing.slices, found, strict=True):
        alone = compare(scores[A].among(part.queries), scores[B].among(part.queries))
        family = {name: getattr(one, name) for name in ("family", "n_family", "p_corrected", "correction")}
        assert replace(alone, **family) == one
    means = means_by_slice([scores[A]], slicing)
    assert means == (tuple(summarise(scores[A].among(part.queries)) for part in slicing.slices),)


def test_a_slice_without_a_value_has_no_number(study):
    one, other = score(study, metrics=["nnCUI@10"], systems=[A, B])
    parts = slice_queries(study, "concepts", scores=(), settings=Settings())
    compared = differences(study, other, one, "concepts")
    found = dict(zip([p.name for p in parts.slices], compared, strict=True))
    means = dict(zip([p.name for p in parts.slices], means_by_slice([one], parts)[0], strict=True))
    for empty in ("no concepts", "not annotated"):
        assert found[empty].n_pairs == 0 == means[empty].n
        assert all(np.isnan([found[empty].difference, found[empty].p, found[empty].p_corrected]))
        assert np.isnan(means[empty].mean)
    tested = [one for one in found.values() if one.n_pairs]
    assert [one.p_corrected for one in tested] == pytest.approx(holm_by_hand([one.p for one in tested]))


def against(like, *found):
    """Comparisons with the leader, slice by slice: (difference, corrected p, queries)."""
    return tuple(replace(like, difference=gap, p_corrected=p, n_pairs=n) for gap, p, n in found)


def test_another_system_wins_a_slice_only_where_that_is_clear(scores):
    """By slice: clear for b; p = 1 on 10 queries; clear on 4 queries; worse; clear for both; no value."""
    like, nothing = compare(scores[B], scores[A]), (np.nan, np.nan, 0)
    b = [(0.3, 0.01, 9), (0.2, 1.0, 10), (0.9, 0.001, 4), (-0.4, 0.001, 50), (0.1, 0.04, 9), nothing]
    c = [(0.4, 0.05, 9), (0.1, 0.9, 10), (0.1, 0.8, 4), (0.0, 1.0, 50), (0.2, 0.03, 9), nothing]
    rivals = {"b": against(like, *b), "c": against(like, *c)}
    assert clear_winners(rivals) == {0: "b", 4: "c"}


@pytest.mark.parametrize(
    ("n_pairs", "p", "wins"), [(5, 0.04, True), (4, 0.04, False), (5, 0.05, False), (6, 0.0, True)]
)
def test_a_clear_winner_needs_five_queries_and_a_p_below_05(n_pairs, p, wins):
    one = SimpleNamespace(n_pairs=n_pairs, p_corrected=p, difference=0.1, lead=0.1)
    assert clear_winners({"b": [one]}) == ({0: "b"} if wins else {})


def test_slices_are_corrected_over_systems_and_slices(study):
    """With the baseline over all others times the slices, else over all pairs times the slices."""
    systems = (A, B, "pixel-pca")
    scores = score(study, metrics=[f"P(modality)@{K}"], systems=systems)
    alone = differences(study, scores[0], scores[1])
    for baseline, pairs in (
        (A, [(B, A), ("pixel-pca", A)]),
        ("", [(B, A), ("pixel-pca", A), ("pixel-pca", B)]),
    ):
        view = View(metrics=(f"P(modality)@{K}",), systems=systems, baseline=baseline)
        analysis = Analysis(study, view, lambda: scores)
        found = {pair: analysis.slice_comparisons(*pair, "organ") for pair in pairs}
        flat = [one for row in found.values() for one in row]
        assert [one.p_corrected for one in flat] == pytest.approx(holm_by_hand([one.p for one in flat]))
        assert {one.n_family for one in flat} == {len(flat)}
        assert [(one.difference, one.p) for one in found[B, A]] == [(one.difference, one.p) for one in alone]
        assert analysis.slice_comparisons(A, B, "organ")[0].difference == -found[B, A][0].difference


def test_groups_go_with_their_queries(study, scores, slicing):
    """Grouped queries of a slice are compared as the same queries scored alone are."""
    groups = np.arange(len(study.queries), dtype=np.int32) // 4
    everyone = {name: replace(one, groups=groups, grouped_by="patient") for name, one in scores.items()}
    found = differences(study, everyone[B], everyone[A])
    for part, one in zip(slicing.slices, found, strict=True):
        alone = select(study, part.where)
        few = [
            replace(same, groups=groups[np.isin(study.queries, alone.queries)], grouped_by="patient")
            for same in score(alone, metrics=[f"P(modality)@{K}"], systems=[B, A])
        ]
        alone = compare(*reversed(few))
        same = {"p_corrected": one.p, "correction": "none", "family": "", "n_family": 1}
        assert replace(one, **same) == alone
    assert any(one.n_pairs < len(study.queries) for one in found)
