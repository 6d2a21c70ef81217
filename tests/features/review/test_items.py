"""What a reader is shown: pooled, shuffled, the same again for the same reader, and blind."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from json import dumps

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.review.items import plan_of
from evalcore.features.review.tasks import Task, steps
from evalcore.values.errors import UnknownName

LISTS = {
    "q1": {"secret-a": ("x", "y", "z"), "secret-b": ("y", "w", "x"), "secret-c": ("x", "y", "z")},
    "q2": {"secret-a": ("x",), "secret-b": (), "secret-c": ("v",)},
}
SYSTEMS = ("secret-a", "secret-b", "secret-c")
NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def task(form="graded", **said):
    criteria = ("faithful", "clear") if form == "ratings" else ()
    given = {"name": "t", "title": "T", "form": form, "systems": SYSTEMS, "queries": ("q1", "q2"), **said}
    return Task(**{"criteria": criteria, **given})


def test_results_of_several_systems_are_one_pool():
    plan = plan_of(task(), LISTS, reader="R1")
    seen = Counter((item.query, *item.results) for item in plan.items)
    assert seen == Counter([("q1", "w"), ("q1", "x"), ("q1", "y"), ("q1", "z"), ("q2", "v"), ("q2", "x")])


def test_each_criterion_is_asked_of_each_result():
    plan = plan_of(task("ratings"), LISTS, reader="R1")
    seen = [(item.query, *item.results, item.criterion) for item in plan.items]
    assert len(seen) == len(set(seen)) == 6 * 2
    assert [item.criterion for item in plan.items] == ["faithful", "clear"] * 6


def test_two_lists_of_every_pair_but_those_that_are_the_same():
    plan = plan_of(task("preference"), LISTS, reader="R1")
    shown = {(item.query, frozenset([item.results, item.others])) for item in plan.items}
    q1, q2 = LISTS["q1"], LISTS["q2"]
    a, b, c = SYSTEMS
    assert shown == {
        ("q1", frozenset([q1[a], q1[b]])),
        ("q1", frozenset([q1[b], q1[c]])),
        ("q2", frozenset([q2[a], q2[b]])),
        ("q2", frozenset([q2[a], q2[c]])),
        ("q2", frozenset([q2[b], q2[c]])),
    }
    assert plan.equal == (("q1", a, c),)
    for item in plan.items:
        [(left, right)] = plan.subjects(item)
        assert (LISTS[item.query][left], LISTS[item.query][right]) == (item.results, item.others)


def test_a_list_that_two_systems_returned_is_asked_once_and_stored_for_both():
    plan = plan_of(task("panel"), LISTS, reader="R1")
    assert Counter((item.query, item.results) for item in plan.items) == Counter(
        [("q1", ("x", "y", "z")), ("q1", ("y", "w", "x")), ("q2", ("x",)), ("q2", ("v",))]
    )
    [both] = [item for item in plan.items if item.results == ("x", "y", "z")]
    made = plan.judgments(both, id="one", at=NOW, value=0.75)
    assert [(one.systems, one.id, one.value) for one in made] == [
        (("secret-a",), "one", 0.75),
        (("secret-c",), "one.1", 0.75),
    ]


@pytest.mark.parametrize("form", ["graded", "preference", "panel", "ratings"])
def test_nothing_that_is_drawn_names_a_system(form):
    plan = plan_of(task(form, panel=True), LISTS, reader="R1")
    said = dumps([asdict(item) for item in plan.items]) + repr(plan.items)
    assert plan.items and "secret" not in said


def test_whole_lists_come_after_the_single_results_of_their_query():
    kinds = [(item.query, item.kind) for item in plan_of(task(panel=True), LISTS, reader="R1").items]
    for query in LISTS:
        of_query = [kind for q, kind in kinds if q == query]
        assert of_query == sorted(of_query) and set(of_query) == {"graded", "panel"}
    assert len({q for q, _ in kinds[: len([1 for q, _ in kinds if q == kinds[0][0]])]}) == 1  # one by one


def big(n=60):
    return {f"q{i}": {s: tuple(f"{s[-1]}{j}" for j in range(3)) for s in SYSTEMS[:2]} for i in range(n)}


@pytest.mark.parametrize("form", ["graded", "preference", "panel"])
def test_the_order_follows_from_task_seed_and_reader(form):
    one = task(form, systems=SYSTEMS[:2])
    first, again = (plan_of(one, big(), reader="R1").items for _ in range(2))
    assert first == again
    for other in (
        plan_of(one, big(), reader="R2").items,
        plan_of(task(form, systems=SYSTEMS[:2], seed=1), big(), reader="R1").items,
        plan_of(task(form, systems=SYSTEMS[:2], name="u"), big(), reader="R1").items,
    ):
        assert [(i.query, i.results) for i in other] != [(i.query, i.results) for i in first]
        assert len(other) == len(first)
    # In whatever order the lists are given.
    assert plan_of(one, dict(reversed(big().items())), reader="R1").items == first


def test_the_order_is_the_same_on_every_machine():
    """Written down once: a reader who goes on next year, elsewhere, meets the same order."""
    plan = plan_of(task("preference", systems=SYSTEMS[:2]), big(8), reader="R1")
    left = [plan.subjects(item)[0][0][-1] for item in plan.items]
    assert ([item.query for item in plan.items], "".join(left)) == (
        ["q0", "q4", "q2", "q6", "q7", "q3", "q1", "q5"],
        "abbbbaba",
    )


def test_each_of_two_systems_stands_left_about_half_the_time():
    """Binomial(400, 1/2): outside 160 to 240 with a chance below 1 in 10,000."""
    plan = plan_of(task("preference", systems=SYSTEMS[:2]), big(400), reader="R1")
    left = Counter(plan.subjects(item)[0][0] for item in plan.items)
    assert 160 <= left["secret-a"] <= 240 and sum(left.values()) == 400


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.fixed_dictionaries(
            {s: st.lists(st.sampled_from("uvwxyz"), unique=True, max_size=4).map(tuple) for s in SYSTEMS}
        ),
    )
)
def test_the_pool_is_the_union_and_keys_are_one_each(lists):
    plan = plan_of(task(panel=True), lists, reader="R1")
    graded = [(item.query, item.results[0]) for item in plan.items if item.kind == "graded"]
    assert len(graded) == len(set(graded))
    assert set(graded) == {(q, r) for q, of in lists.items() for results in of.values() for r in results}
    assert len({item.key for item in plan.items}) == len(plan.items)
    assert all(plan.item(item.key) == item for item in plan.items)
    covered = Counter((i.query, s) for i in plan.items if i.kind == "panel" for (s,) in plan.subjects(i))
    assert covered == Counter((q, s) for q, of in lists.items() for s, results in of.items() if results)


def test_a_key_that_is_not_there():
    with pytest.raises(UnknownName):
        plan_of(task(), LISTS, reader="R1").item("nothing")


def test_a_scale_runs_from_0_to_1():
    assert steps(5) == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert steps(100)[::50] == (0.0, 0.5, 1.0)
