"""Conditions on queries against pandas, networkx and by hand; refusals name value, rule and what there is."""

from __future__ import annotations

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from evalcore.evaluate import score
from evalcore.evaluate.common_pool import searched_pool
from evalcore.evaluate.conditions import chosen_of, parse_condition, select, together
from evalcore.study import open_study
from evalcore.values.errors import InputError, UnknownName
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

SETS = {
    "q1": {"vein", "brain", "nodule"},
    "q2": {"aorta"},
    "q3": {"vein", "elsewhere"},
    "q4": set(),
    "q5": None,
    "q6": {"cyst", "mass", "artery"},
}
LABELS = {
    "organ": {"q1": ("head", "chest"), "q2": "chest", "q3": "chest", "q6": "Head & neck"},
    "concepts": {"q1": "many", "q2": "few"},
    "a<b": {"q1": "x", "q2": "y=z"},
    "side": {"q1": "left|right", "q2": "left", "q3": "none"},
}


@pytest.fixture
def study():
    answers = {query: [other for other in SETS if other != query] for query in SETS}
    return with_parts(study_of(SETS, TOY_EDGES), runs={"one": answers}, labels=LABELS)


def fits(study, text):
    return {
        image for image, kept in zip(study.image_ids, parse_condition(study, text).fits, strict=True) if kept
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("organ=chest", {"q1", "q2", "q3"}),
        # Carries a label, and not this one; images without a label are in neither.
        ("organ!=chest", {"q6"}),
        ("organ=", {"q4", "q5"}),
        ("id=q5; q1;", {"q1", "q5"}),
        ("id!=q5;q1", {"q2", "q3", "q4", "q6"}),
        ("organ!=", {"q1", "q2", "q3", "q6"}),
        ("organ = CHEST", {"q1", "q2", "q3"}),
        # One of several labels is enough; none of them is "not".
        ("organ=chest|Head & neck", {"q1", "q2", "q3", "q6"}),
        ("organ=HEAD | head & neck", {"q1", "q6"}),
        ("organ!=head|Head & neck", {"q2", "q3"}),
        # The sign belongs to the value where the column has such a value.
        ("side=left|right", {"q1"}),
        ("side=left|right|left", {"q1", "q2"}),
        ("side=left|none", {"q2", "q3"}),
        ("concept=aorta|vein", {"q1", "q2", "q3"}),
        ("concept!=aorta|vein", {"q4", "q6"}),
        ("organ=Head & neck", {"q6"}),
        ("concepts=3", {"q1", "q6"}),
        ("concepts!=3", {"q2", "q3", "q4"}),
        ("concepts>=1", {"q1", "q2", "q3", "q6"}),
        ("concepts<1", {"q4"}),
        ("label:concepts=many", {"q1"}),
        ("label:concepts!=many", {"q2"}),
        ("a<b=x", {"q1"}),
        ("a<b!=x", {"q2"}),
        ("a<b=y=z", {"q2"}),
        ("concept=vein", {"q1", "q3"}),
        # Annotated with nothing carries no vein; nobody annotated q5, so nobody knows.
        ("concept!=vein", {"q2", "q4", "q6"}),
        ("concept=root", set()),
        ("below=artery", {"q2", "q6"}),
        ("below!=artery", {"q1", "q3", "q4"}),
    ],
)
def test_what_fits(study, text, expected):
    assert fits(study, text) == expected


@pytest.mark.parametrize("text", ["concepts>=3", "id=q1;q3", "a<b=y=z", "label:concepts=few", "organ="])
def test_a_condition_reads_back_as_itself(study, text):
    one = parse_condition(study, text)
    again = parse_condition(study, one.text)
    assert again.text == one.text and (again.fits == one.fits).all()


@pytest.mark.parametrize("concept", ["body", "finding", "mass", "brain", "root", "artery"])
def test_below_is_every_descendant(study, concept):
    downward = nx.DiGraph([(parent, child) for child, parent in TOY_EDGES])
    wanted = {concept, *nx.descendants(downward, concept)}
    assert fits(study, f"below={concept}") == {i for i, found in SETS.items() if wanted & set(found or ())}


def test_a_cycle_ends():
    study = study_of(SETS, (*TOY_EDGES, ("root", "aorta")))
    assert fits(study, "below=aorta") == {"q1", "q2", "q3", "q6"}


def test_several_must_all_hold_and_only_queries_change(study):
    found = select(study, ["organ=chest", "concepts>=2", "organ=chest"])
    assert [found.image_ids[q] for q in found.queries] == ["q1", "q3"]
    assert found.where == ("organ=chest", "concepts>=2") and found.unfiltered is study
    assert (found.candidates == study.candidates).all() and found.labels is study.labels
    assert chosen_of(found) == "organ=chest, concepts>=2: 2 of 6 queries" and chosen_of(study) == ""
    assert found.digest != study.digest == found.content == study.content


def test_conditions_add_up(study):
    twice = select(select(study, ["organ=chest"]), ["concepts>=2"])
    assert (twice.digest, twice.where) == (select(study, ["organ=chest", "concepts>=2"]).digest, twice.where)


def test_no_condition_is_the_study_itself(study):
    assert select(study, []) is study


def test_only_the_queries_of_the_study_count(study):
    some = replace(study, queries=np.array([0, 5], np.int32))
    assert select(some, ["organ=chest"]).queries.tolist() == [0]
    assert chosen_of(select(some, ["organ=chest"])) == "organ=chest: 1 of 2 queries"


def test_a_score_of_chosen_queries_is_that_of_the_same_queries_among_all(study):
    """Candidates, ideals and relevant candidates stay those of the whole study."""
    metrics = ["nnCUI@3", "P(organ)@2", "AP(organ)"]
    some = select(study, ["organ=chest"])
    for one, whole in zip(score(some, metrics=metrics), score(study, metrics=metrics), strict=True):
        kept = np.isin(whole.queries, some.queries)
        assert len(one.values) == 3
        np.testing.assert_array_equal(one.values, whole.values[kept])


@pytest.mark.parametrize(
    ("text", "problem", "parts"),
    [
        ("organ=chst", UnknownName, ["value of organ", "'chst'", "Did you mean: chest"]),
        ("orgn=chest", UnknownName, ["'orgn'", "Did you mean: organ"]),
        ("chest", InputError, ["'chest'", "organ=chest or concepts>=5", "organ, concepts, a<b", "below"]),
        ("", InputError, ["is no condition"]),
        ("=3", InputError, ["is no condition"]),
        ("organ>chest", InputError, ["'organ>chest'", "= or !=", "organ=chest"]),
        ("concepts>=many", InputError, ["'concepts>=many'", "a whole number", "'many'"]),
        ("concepts>=nan", InputError, ["a whole number"]),
        ("concepts>=1_0", InputError, ["a whole number"]),
        ("concepts>=1e999", InputError, ["a whole number"]),
        ("concepts>=2.5", InputError, ["a whole number"]),
        ("concept>=vein", InputError, ["takes = or != and a CUI or a name", "below=vein"]),
        ("concept=vain", UnknownName, ["'vain'"]),
        ("below=elsewhere", InputError, ["does not contain elsewhere", "concept=elsewhere"]),
        ("label:finding=x", UnknownName, ["'finding'", "organ"]),
    ],
)
def test_refusals(study, text, problem, parts):
    with pytest.raises(problem) as refused:
        select(study, [text])
    for part in parts:
        assert part in str(refused.value)


def test_concepts_of_another_scheme_are_no_cuis(study):
    with pytest.raises(InputError, match="takes = or != and a concept id or a name"):
        select(replace(study, scheme="wordnet"), ["concept>=vein"])


def test_nothing_left_says_what_each_condition_leaves(study):
    with pytest.raises(InputError) as refused:
        select(study, ["label:concepts=many", "concepts=0"])
    assert str(refused.value) == (
        "None of the 6 queries fits all of label:concepts=many, concepts=0. Queries that fit one of them: "
        "label:concepts=many: 1, concepts=0: 1. Leave one out: every condition must hold."
    )


def test_graph_conditions_without_a_graph():
    study = study_of(SETS)
    with pytest.raises(InputError, match=r"needs a concept graph.*edges\.csv"):
        select(study, ["below=vein"])


@pytest.fixture(scope="module")
def sample():
    return open_study("data")


def test_sample_study_against_pandas(sample):
    labels = pd.read_csv("data/labels.csv", dtype=str).set_index("ID").reindex(list(sample.image_ids))
    sets = pd.read_csv("data/concepts.csv", dtype=str).set_index("ID")["CUIs"].reindex(list(sample.image_ids))
    several = labels["organ"].str.split(";").apply(lambda row: [part.strip() for part in row])
    lists = sets.fillna("").str.split(";").apply(lambda row: [cui for cui in row if cui])
    expected = {
        "organ=brain": several.apply(lambda row: "brain" in row),
        "modality!=CT": labels["modality"].ne("CT"),
        "concepts>=4": lists.apply(len).ge(4),
    }
    for text, wanted in expected.items():
        np.testing.assert_array_equal(parse_condition(sample, text).fits, wanted.to_numpy(bool), text)
        assert 0 < wanted.sum() < len(wanted)


def test_a_filter_changes_no_pool():
    """A system searches ten of 200 images: this shows also where only its own queries are chosen."""
    images = [f"x{i:03d}" for i in range(200)]
    some = images[:10]
    study = with_parts(
        study_of({image: {"vein"} for image in images}, TOY_EDGES),
        runs={"few": {query: [other for other in some if other != query] for query in some}},
        labels={"side": {image: "left" if image in some else "right" for image in images}},
    )
    whole, chosen = (searched_pool(one, "few") for one in (study, select(study, ["side=left"])))
    assert whole.n == 10 and chosen.source == whole.source == "run"
    assert (chosen.images == whole.images).all()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        # No image has two sides, so two of them are alternatives; organs can be carried together.
        (["side=left", "concepts>=1", "side=none"], ["side=left|none", "concepts>=1"]),
        (["side=left|none", "side=LEFT|right"], ["side=left|none|left|right"]),
        (["organ=head", "organ=chest"], ["organ=head", "organ=chest"]),
        (["side=left", "side!=none", "side="], ["side=left", "side!=none", "side="]),
        (["side=left", "side=up", "?"], ["side=left", "side=up", "?"]),
    ],
)
def test_labels_no_image_has_together_become_alternatives(study, where, expected):
    assert together(study, where) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("organ=chest|hed", "'hed'"),
        ("organ=chest|", "a value is missing beside |"),
        ("organ=|chest", "a value is missing beside |"),
        ("concept=vein|nothing at all", "nothing at all"),
    ],
)
def test_an_alternative_that_means_nothing_is_named(study, text, said):
    with pytest.raises((InputError, UnknownName), match=re.escape(said)):
        parse_condition(study, text)


def test_alternatives_are_recorded_as_they_can_be_read_again(study):
    recorded = parse_condition(study, "organ = HEAD|chest | head").text
    assert recorded == "organ=head|chest"
    assert parse_condition(study, recorded).text == recorded
