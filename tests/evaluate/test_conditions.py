"""Conditions on queries against pandas and by hand; refusals name value, rule and what there is."""

import pytest

from evalcore.evaluate.common_pool import searched_pool
from evalcore.evaluate.conditions import merge_alternatives, parse_condition, select
from evalcore.results.method import chosen_of
from evalcore.values.errors import InputError, UnknownName
from tests.toy import TOY_EDGES, study_of, with_parts

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
        ("organ!=", {"q1", "q2", "q3", "q6"}),
        ("organ = CHEST", {"q1", "q2", "q3"}),
        # One of several labels is enough; none of them is "not".
        ("organ=chest|Head & neck", {"q1", "q2", "q3", "q6"}),
        ("organ=HEAD | head & neck", {"q1", "q6"}),
        ("organ!=head|Head & neck", {"q2", "q3"}),
        # The sign belongs to the value where the column has such a value.
        ("side=left|right", {"q1"}),
        ("side=left|none", {"q2", "q3"}),
        ("organ=Head & neck", {"q6"}),
        ("a<b=x", {"q1"}),
        ("a<b!=x", {"q2"}),
        ("a<b=y=z", {"q2"}),
    ],
)
def test_what_fits(study, text, expected):
    assert fits(study, text) == expected


def test_several_conditions_select_queries_that_fit_all(study):
    chosen = select(study, ["organ = CHEST", "side!=left", "organ=chest"])
    assert [chosen.image_ids[q] for q in chosen.queries] == ["q1", "q3"]
    assert chosen.where == ("organ=chest", "side!=left") and chosen.unfiltered is study
    assert (chosen.candidates == study.candidates).all() and chosen.labels is study.labels
    assert chosen_of(chosen) == "organ=chest, side!=left: 2 of 6 queries" and chosen_of(study) == ""
    assert chosen.digest != study.digest == chosen.content == study.content


@pytest.mark.parametrize(
    ("text", "problem", "parts"),
    [
        ("organ=chst", UnknownName, ["value of organ", "'chst'", "Did you mean: chest"]),
        ("orgn=chest", UnknownName, ["'orgn'", "Did you mean: organ"]),
        ("chest", InputError, ["'chest'", "such as organ=chest", "organ, concepts, a<b"]),
        ("", InputError, ["is no condition"]),
        ("=3", InputError, ["is no condition"]),
        ("organ=chest|hed", UnknownName, ["'hed'"]),
        ("organ=chest|", InputError, ["a value is missing"]),
        ("organ=|chest", InputError, ["a value is missing"]),
        ("organ>chest", InputError, ["'organ>chest' is no condition", "= or !=", "organ=chest"]),
    ],
)
def test_refusals(study, text, problem, parts):
    with pytest.raises(problem) as refused:
        select(study, [text])
    for part in parts:
        assert part in str(refused.value)


def test_conditions_that_leave_nothing_are_counted_one_by_one(study):
    with pytest.raises(InputError) as refused:
        select(study, ["concepts=many", "organ="])
    assert str(refused.value) == (
        "None of the 6 queries fits all of concepts=many, organ=. Queries that fit one of them: "
        "concepts=many: 1, organ=: 2. Leave one out: every condition must hold."
    )


def test_a_filter_changes_no_pool():
    """A system searches ten of 200 images: this shows also where only its own queries are chosen."""
    images = [f"x{i:03d}" for i in range(200)]
    some = images[:10]
    study = with_parts(
        study_of({image: {"vein"} for image in images}, TOY_EDGES),
        runs={"few": {query: [other for other in some if other != query] for query in some}},
        labels={"side": {image: "left" if image in some else "right" for image in images}},
    )
    whole, chosen = (searched_pool(version, "few") for version in (study, select(study, ["side=left"])))
    assert whole.n == 10 and chosen.source == whole.source == "run"
    assert (chosen.images == whole.images).all()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        # No image has two sides, so two of them are alternatives; organs can be carried together.
        (["side=left", "organ!=", "side=none"], ["side=left|none", "organ!="]),
        (["organ=head", "organ=chest"], ["organ=head", "organ=chest"]),
        (["side=left", "side!=none", "side="], ["side=left", "side!=none", "side="]),
        (["side=left", "side=up", "?"], ["side=left", "side=up", "?"]),
    ],
)
def test_labels_no_image_has_together_become_alternatives(study, where, expected):
    assert merge_alternatives(study, where) == expected


def test_a_study_without_labels_says_how_it_gets_some():
    with pytest.raises(UnknownName, match=r"no labels: add a labels\.csv"):
        select(study_of(SETS), ["organ=chest"])
