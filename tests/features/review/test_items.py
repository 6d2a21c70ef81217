"""What a reader is shown: pooled, shuffled, the same again for the same reader, and blind."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.review.items import check_items, items_for, lists_of, progress, same_lists
from evalcore.features.review.records import Task, current
from evalcore.study import open_study
from evalcore.values.errors import InputError, UnknownName
from tests.features.review.made import NOW
from tests.study.made import write

LISTS = {
    "q1": {"secret-a": ("x", "y", "z"), "secret-b": ("y", "w", "x"), "secret-c": ("x", "y", "z")},
    "q2": {"secret-a": ("x",), "secret-b": (), "secret-c": ("v",)},
}
SYSTEMS = ("secret-a", "secret-b", "secret-c")


def task(form="graded", systems=SYSTEMS, queries=("q1", "q2"), **more):
    return Task(**{"name": "t", "title": "T", "form": form, "systems": systems, "queries": queries, **more})


def test_two_lists_of_every_pair_but_those_that_are_the_same():
    items = items_for(task("preference"), LISTS, "R1")
    shown = {(item.query, frozenset([item.left, item.right])) for item in items}
    q1, q2 = LISTS["q1"], LISTS["q2"]
    a, b, c = SYSTEMS
    assert shown == {
        ("q1", frozenset([q1[a], q1[b]])),
        ("q1", frozenset([q1[b], q1[c]])),
        ("q2", frozenset([q2[a], q2[b]])),
        ("q2", frozenset([q2[a], q2[c]])),
        ("q2", frozenset([q2[b], q2[c]])),
    }
    assert same_lists(task("preference"), LISTS) == 1
    for item in items:
        [(left, right)] = item.subjects
        assert (LISTS[item.query][left], LISTS[item.query][right]) == (item.left, item.right)


def test_a_list_that_two_systems_returned_is_asked_once_and_stored_for_both():
    items = items_for(task("panel"), LISTS, "R1")
    assert Counter((item.query, item.left) for item in items) == Counter(
        [("q1", ("x", "y", "z")), ("q1", ("y", "w", "x")), ("q2", ("x",)), ("q2", ("v",))]
    )
    [both] = [item for item in items if item.left == ("x", "y", "z")]
    made = both.judgments("t", "R1", id="one", at=NOW, value=0.75)
    assert [(judgment.systems, judgment.id, judgment.value) for judgment in made] == [
        (("secret-a",), "one", 0.75),
        (("secret-c",), "one.1", 0.75),
    ]


def big(n=60):
    return {f"q{i}": {s: tuple(f"{s[-1]}{j}" for j in range(3)) for s in SYSTEMS[:2]} for i in range(n)}


MANY = big()


@pytest.mark.parametrize("form", ["graded", "preference", "panel"])
def test_the_order_follows_from_task_seed_and_reader(form):
    def items(reader="R1", lists=MANY, **more):
        return items_for(task(form, SYSTEMS[:2], **more), lists, reader)

    assert items() == items(lists=dict(reversed(MANY.items()))), "in whatever order the lists are given"
    for other in (items("R2"), items(seed=1), items(name="u")):
        assert [(i.query, i.left) for i in other] != [(i.query, i.left) for i in items()]
        assert len(other) == len(items())


def test_the_order_is_the_same_on_every_machine():
    """Written down once: a reader who goes on next year, elsewhere, meets the same order."""
    items = items_for(task("preference", SYSTEMS[:2]), big(8), "R1")
    left = [item.subjects[0][0][-1] for item in items]
    assert ([item.query for item in items], "".join(left)) == (
        ["q0", "q4", "q2", "q6", "q7", "q3", "q1", "q5"],
        "abbbbaba",
    )


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.fixed_dictionaries(
            {s: st.lists(st.sampled_from("uvwxyz"), unique=True, max_size=4).map(tuple) for s in SYSTEMS}
        ),
    )
)
def test_the_pool_is_the_union_and_keys_are_one_each(lists):
    items = items_for(task(panel=True), lists, "R1")
    graded = [(item.query, item.left[0]) for item in items if item.kind == "graded"]
    assert len(graded) == len(set(graded))
    assert set(graded) == {
        (q, r) for q, by_system in lists.items() for results in by_system.values() for r in results
    }
    assert len({item.key for item in items}) == len(items)
    covered = Counter((i.query, s) for i in items if i.kind == "panel" for (s,) in i.subjects)
    assert covered == Counter(
        (q, s) for q, by_system in lists.items() for s, results in by_system.items() if results
    )


# The lists that are judged: the first results of each system, as they count when it is scored.

RUN = "a Q0 a 1 9 s\na Q0 b 2 8 s\na Q0 c 3 7 s\na Q0 d 4 6 s\nb Q0 d 1 5 s\nb Q0 c 2 5 s\n"
STUDY = {
    "concepts.csv": "ID,CUIs\na,C0000001\nb,C0000002\nc,C0000003\nd,C0000004\n",
    "systems/one/run.trec": RUN,
    "systems/two/run.trec": "b Q0 a 1 2 s\nc Q0 a 1 1 s\n",
}
BOTH = {"systems": ("one", "two"), "queries": ("b", "a")}


def test_the_first_results_without_the_query_itself(tmp_path):
    opened = open_study(write(tmp_path, STUDY))
    assert lists_of(opened, task(**BOTH, depth=2)) == {
        "b": {"one": ("c", "d"), "two": ("a",)},  # equal scores stand by id
        "a": {"one": ("b", "c"), "two": ()},
    }
    assert list(lists_of(opened, task(**BOTH))) == ["b", "a"]
    assert lists_of(opened, task(**BOTH))["a"]["one"] == ("b", "c", "d")


def test_only_candidates_are_judged_as_only_they_are_scored(tmp_path):
    opened = open_study(write(tmp_path, STUDY | {"candidates.txt": "c\nd\n"}))
    assert lists_of(opened, task(**BOTH, depth=1)) == {
        "b": {"one": ("c",), "two": ()},
        "a": {"one": ("c",), "two": ()},
    }


@pytest.mark.parametrize(
    ("files", "changes", "error", "message"),
    [
        ({}, {"systems": ("two",), "queries": ("a", "d")}, InputError, "its systems returned no result"),
        ({"systems/two/run.trec": RUN}, {"form": "preference"}, InputError, "systems are the same"),
        ({}, {"queries": ("x",)}, UnknownName, "No query called 'x'"),
        ({}, {"systems": ("three",)}, UnknownName, "No system with a run called 'three'"),
        ({"queries.txt": "d\n"}, {"systems": ("two",), "queries": 5}, InputError, "answer no query"),
    ],
)
def test_a_task_with_nothing_to_judge_is_refused_in_words(tmp_path, files, changes, error, message):
    with pytest.raises(error, match=message):
        check_items(open_study(write(tmp_path, STUDY | files)), task(**BOTH | changes))


# What is done and what is open.

TWO = {"q1": {"a": ("x", "y"), "b": ("y",)}, "q2": {"a": ("x",), "b": ("x",)}}


def two(form="graded", lists=TWO):
    return items_for(task(form, ("a", "b")), lists, "R1")


def answer(item, second=0, value=1.0):
    at = NOW + timedelta(seconds=second)
    return item.judgments("t", "R1", id=f"{item.key}{second}", at=at, value=value)


def test_two_lists_swapped_are_the_same_two():
    [item] = two("preference")
    [left] = answer(item, 1, value=-1.0)
    swapped = replace(answer(item, 2)[0], systems=left.systems[::-1])
    assert current([left, swapped]) == (swapped,)
    assert progress([item], "t", "R1", [swapped]).done == 1


def test_the_list_of_two_systems_is_done_when_both_have_it():
    items = two("panel")
    [shared] = [item for item in items if item.query == "q2"]
    a, b = answer(shared, value=0.5)
    assert progress(items, "t", "R1", [a]).done == 0
    assert progress(items, "t", "R1", [a, b]).done == 1


@pytest.mark.parametrize("form", ["panel", "preference"])
def test_lists_that_changed_since_are_open_again(form):
    """A new run of `a`: what was answered about its older list is no answer about this one."""
    answers = [judgment for n, item in enumerate(two(form)) for judgment in answer(item, n, value=0.5)]
    assert progress(two(form), "t", "R1", answers).open == ()
    after = two(form, {"q1": {"a": ("x", "w"), "b": ("y",)}, "q2": TWO["q2"]})
    changed = tuple(item for item in after if ("x", "w") in (item.left, item.right))
    assert len(changed) == 1 and progress(after, "t", "R1", answers).open == changed
    unknown = [replace(judgment, lists_digest="") for judgment in answers]
    assert progress(after, "t", "R1", unknown).open == (), "nobody knows what was shown"
