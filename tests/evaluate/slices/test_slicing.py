"""Slices of queries against pandas: by label, number of concepts and difficulty."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalcore.evaluate import score
from evalcore.evaluate import slices as slicing_module
from evalcore.evaluate.conditions import select
from evalcore.evaluate.slices import Slicing, offered, remarks, slice_queries
from evalcore.study import open_study
from evalcore.values.errors import UnknownName
from evalcore.values.settings import Settings
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

SYSTEMS = ["hog", "texture", "pixel-pca"]


@pytest.fixture(scope="module")
def sample():
    return open_study("data")


def sliced(study, by, scores=(), **settings):
    return slice_queries(study, by, scores=scores, settings=Settings(**settings))


def named(study, slicing):
    return {one.name: {study.image_ids[q] for q in one.queries} for one in slicing.slices}


def test_by_label_against_pandas(sample):
    frame = pd.read_csv("data/labels.csv", dtype=str)
    rows = frame.assign(organ=frame["organ"].str.split(";")).explode("organ")
    rows["organ"] = rows["organ"].str.strip()
    expected = {name: set(group["ID"]) for name, group in rows.groupby("organ")}
    found = sliced(sample, "organ")
    assert named(sample, found) == expected
    sizes = [len(one.queries) for one in found.slices]
    assert sizes == sorted(sizes, reverse=True)
    assert found.several == rows["ID"].duplicated().sum() > 0 == found.outside == found.hidden


def test_each_slice_is_what_its_conditions_choose(sample):
    for by in ("organ", "modality", "concepts"):
        for one in sliced(sample, by).slices:
            if one.where:
                assert select(sample, one.where).queries.tolist() == one.queries.tolist()


def test_rare_values_are_counted_not_shown(sample):
    found = sliced(sample, "finding")
    n_values = len(sample.labels.columns["finding"].values)
    assert found.hidden == n_values - slicing_module.MOST > 0
    shown = {q for one in found.slices for q in one.queries.tolist()}
    assert found.outside == len(sample.queries) - len(shown) > 0


@pytest.mark.parametrize(
    ("n", "rest"), [(20, None), (21, "1 rarer one is not."), (22, "2 rarer ones are not.")]
)
def test_twenty_values_are_slices(n, rest):
    images = {f"i{i:02}": {"vein"} for i in range(n)}
    labels = {image: f"v{image}" for image in images}
    found = sliced(with_parts(study_of(images), labels={"finding": labels}), "finding")
    assert (len(found.slices), found.hidden) == (20, n - 20)
    said = " ".join(remarks(found))
    assert (f"The 20 most frequent values are shown, {rest}" in said) if rest else "rarer" not in said


def test_by_number_of_concepts(sample):
    counts = pd.read_csv("data/concepts.csv", dtype=str).set_index("ID")["CUIs"].str.split(";").str.len()
    found = named(sample, sliced(sample, "concepts"))
    assert found["4 concepts"] == set(counts.index[counts == 4])
    assert found["5 to 6 concepts"] == set(counts.index[counts.between(5, 6)])
    assert sum(map(len, found.values())) == len(sample.queries)
    # An image nobody annotated is none with 0 concepts.
    assert len(found["not annotated"]) == 1 and len(found["no concepts"]) == 2


def test_by_difficulty_is_pandas_qcut(sample):
    scores = score(sample, metrics=["P(organ)@10"], systems=SYSTEMS)
    means = pd.Series(np.mean([one.values for one in scores], axis=0), index=scores[0].queries)
    expected = means.groupby(pd.qcut(means.round(9), 4, duplicates="drop"), observed=True)
    found = sliced(sample, "difficulty", scores)
    assert [set(one.queries.tolist()) for one in found.slices] == [set(group.index) for _, group in expected]
    assert len(found.slices) > 2
    assert [one.name.partition(" (")[2] for one in found.slices] == ["hardest)", "", "", "easiest)"]


def test_difficulty_needs_a_value_under_every_system(sample):
    scores = score(sample, metrics=["nnCUI@10"], systems=SYSTEMS)
    without = int(np.isnan(scores[0].values).sum())
    skipped, zero = (sliced(sample, "difficulty", scores, undefined=how) for how in ("skip", "zero"))
    assert (skipped.outside, zero.outside) == (without, 0) and without > 0
    assert sum(len(one.queries) for one in zero.slices) == len(sample.queries)


def test_equal_means_are_one_slice():
    sets = {f"q{i}": {"vein"} for i in range(6)}
    answers = {query: [other for other in sets if other != query] for query in sets}
    study = with_parts(study_of(sets, TOY_EDGES), runs={"one": answers})
    found = sliced(study, "difficulty", score(study, metrics=["nnCUI@3"]))
    assert [(one.name, len(one.queries)) for one in found.slices] == [("mean 1 to 1", 6)]


def test_no_query_with_a_value_leaves_no_slice():
    study = with_parts(study_of({"a": set(), "b": set()}, TOY_EDGES), runs={"one": {"a": ["b"], "b": ["a"]}})
    found = sliced(study, "difficulty", score(study, metrics=["nnCUI@3"]))
    assert (found.slices, found.outside) == ((), 2)


def test_only_chosen_queries_are_in_slices(sample):
    some = select(sample, ["modality=CT"])
    found = sliced(some, "organ")
    assert {q for one in found.slices for q in one.queries.tolist()} == set(some.queries.tolist())
    (only,) = sliced(some, "modality").slices
    assert only.name == "CT"


def test_columns_that_tell_no_groups_apart_are_not_offered():
    sets = {f"q{i}": {"vein"} for i in range(9)}
    labels = {
        "patient": {image: image for image in sets},
        "organ": dict.fromkeys(sets, "head"),
        "difficulty": dict.fromkeys(sets, "hard"),
    }
    study = with_parts(study_of(sets, TOY_EDGES), labels=labels)
    assert offered(study) == ("organ", "label:difficulty", "concepts", "difficulty")
    assert [one.name for one in sliced(study, "label:difficulty").slices] == ["hard"]
    assert offered(study_of(sets, TOY_EDGES)) == ("concepts", "difficulty")


def test_what_has_to_be_known_is_said(sample):
    told = " ".join(remarks(sliced(sample, "organ")))
    assert "4 queries have several values and count in each" in told and "fewer than 5 queries" in told
    hard = sliced(sample, "difficulty", score(sample, metrics=["nnCUI@10"], systems=SYSTEMS))
    assert "descriptive only" in " ".join(remarks(hard))


def test_unknown_way(sample):
    with pytest.raises(UnknownName, match=r"'orgn'.*Did you mean: organ"):
        sliced(sample, "orgn")


@pytest.mark.parametrize("by", ["organ", "difficulty"])
def test_one_query_is_spoken_of_in_the_singular(by):
    told = " ".join(remarks(Slicing(by, (), several=1, outside=1, hidden=0)))
    assert "1 query has several values and counts in each of its groups." in told
    assert ("1 query has no value" if by == "difficulty" else "1 query is in no group shown") in told
    assert "1 queries" not in told
