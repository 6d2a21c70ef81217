"""What is done and what is open: the last on a subject counts, and what was undone is open again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from evalcore.features.review.items import plan_of, progress
from evalcore.features.review.judgments import current, in_order, merged, taken_back
from evalcore.features.review.tasks import Task

LISTS = {"q1": {"a": ("x", "y"), "b": ("y",)}, "q2": {"a": ("x",), "b": ("x",)}}
NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def at(second):
    return NOW + timedelta(seconds=second)


def plan(reader="R1", **said):
    given = {"name": "t", "title": "T", "form": "graded", "systems": ("a", "b"), "queries": ("q1", "q2")}
    return plan_of(Task(**{**given, **said}), LISTS, reader=reader)


def test_a_reader_goes_on_where_they_left():
    mine = plan()
    said = [mine.judgments(item, id=str(n), at=at(n), value=1.0)[0] for n, item in enumerate(mine.items)]
    for n in range(len(said)):
        now = progress(mine, said[:n])
        assert (now.done, now.n, now.next) == (n, 3, mine.items[n])
    assert progress(mine, said).next is None


def test_others_and_other_tasks_do_not_count():
    mine, other = plan(), plan("R2")
    of_other = [one for item in other.items for one in other.judgments(item, id=item.key, at=NOW, value=1.0)]
    elsewhere = plan(name="u")
    of_task = [one for item in elsewhere.items for one in elsewhere.judgments(item, id="u", at=NOW, value=1)]
    assert progress(mine, of_other + of_task).done == 0
    assert progress(other, of_other + of_task).done == 3


def test_cannot_say_is_an_answer_and_undone_is_none():
    mine = plan()
    [unsure] = mine.judgments(mine.items[0], id="1", at=at(1), said="cannot-say", comment="too dark")
    assert progress(mine, [unsure]).said == {mine.items[0].key: unsure}
    back = taken_back(unsure, id="2", at=at(2))
    assert (back.said, back.value, back.comment, back.subject) == ("undone", None, "", unsure.subject)
    assert progress(mine, [unsure, back]).done == 0
    [again] = mine.judgments(mine.items[0], id="3", at=at(3), value=0.25)
    assert progress(mine, [again, unsure, back]).said == {mine.items[0].key: again}


def test_the_last_counts_whatever_order_they_come_in():
    mine = plan()
    first, second = (mine.judgments(mine.items[0], id=i, at=at(int(i)), value=int(i) / 4)[0] for i in "12")
    assert current([second, first]) == current([first, second]) == (second,)
    assert in_order([second, first]) == (first, second)
    assert merged([second], [first, second]) == (first, second)


def test_two_lists_swapped_are_the_same_two():
    one = plan(form="preference")
    [item] = one.items
    [left] = one.judgments(item, id="1", at=at(1), value=-1.0)
    swapped = one.judgments(item, id="2", at=at(2), value=1.0)[0]
    swapped = replace(swapped, systems=left.systems[::-1])
    assert current([left, swapped]) == (swapped,)
    assert progress(one, [swapped]).done == 1


def test_the_list_of_two_systems_is_done_when_both_have_it():
    one = plan(form="panel")
    [shared] = [item for item in one.items if item.query == "q2"]
    a, b = one.judgments(shared, id="1", at=NOW, value=0.5)
    assert progress(one, [a]).done == 0
    assert progress(one, [a, b]).done == 1


@pytest.mark.parametrize("form", ["panel", "preference"])
def test_lists_that_changed_since_are_open_again(form):
    """A new run of `a`: what was said of its older list is no answer about this one."""
    before = plan(form=form)
    said = [one for item in before.items for one in before.judgments(item, id=item.key, at=NOW, value=0.5)]
    said = [replace(one, id=f"{one.id}{n}") for n, one in enumerate(said)]
    assert progress(before, said).next is None
    lists = {"q1": {"a": ("x", "w"), "b": ("y",)}, "q2": LISTS["q2"]}
    after = plan_of(before.task, lists, reader="R1")
    changed = [item for item in after.items if ("x", "w") in (item.results, item.others)]
    assert len(changed) == 1 and list(progress(after, said).open) == changed
    unknown = [replace(one, shown="") for one in said]
    assert progress(after, unknown).next is None  # nobody knows what was shown
