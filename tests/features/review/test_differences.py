"""Differences between readers: the greatest first, both values beside each other."""

from __future__ import annotations

from datetime import UTC, datetime

from evalcore.features.review.differences import differences
from evalcore.features.review.items import plan_of
from evalcore.features.review.tasks import Task

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
LISTS = {"q1": {"a": ("v", "w", "x", "y", "z"), "b": ()}}


def plan(reader, form="graded", lists=LISTS):
    task = Task(name="t", title="T", form=form, systems=("a", "b"), queries=tuple(lists))
    return plan_of(task, lists, reader=reader)


def judged(of, values):
    """By result; None for *cannot say*."""
    made = []
    for item in of.items:
        value = values.get(item.results[0], "open")
        if value != "open":
            what = {"said": "cannot-say"} if value is None else {"value": value}
            made += of.judgments(item, id=f"{of.reader}{item.key}", at=NOW, **what)
    return made


FIRST = {"v": 0.0, "w": 1.0, "x": 0.5, "y": None, "z": 0.25}
SECOND = {"v": 0.5, "w": 0.0, "x": 0.5, "y": 1.0}


def test_the_farthest_apart_come_first_and_what_nobody_differs_on_not_at_all():
    said = judged(plan("R1"), FIRST) + judged(plan("R2"), SECOND)
    found = differences(plan("R3"), said)
    assert [(one.item.results[0], one.apart, one.values) for one in found] == [
        ("w", 1.0, {"R1": 1.0, "R2": 0.0}),
        ("v", 0.5, {"R1": 0.0, "R2": 0.5}),
        ("y", None, {"R1": None, "R2": 1.0}),
    ]
    assert found[2].said["R1"].said == "cannot-say"


def test_three_readers_differ_by_their_farthest_two():
    said = [one for r, v in (("R1", 0.0), ("R2", 0.25), ("R3", 0.75)) for one in judged(plan(r), {"v": v})]
    [found] = differences(plan("R4"), said)
    assert (found.apart, found.values) == (0.75, {"R1": 0.0, "R2": 0.25, "R3": 0.75})


def test_sides_are_turned_as_they_are_shown():
    """Many queries, so that readers see the sides differently; both say that the list of `a` is better."""
    lists = {f"q{n}": {"a": ("x",), "b": ("y",)} for n in range(30)}
    plans = [plan(reader, "preference", lists) for reader in ("R1", "R2", "R3")]

    def better(of, item, system, by):
        left = of.subjects(item)[0][0] == system
        return of.judgments(item, id=f"{of.reader}{item.query}", at=NOW, value=-by if left else by)

    agreed = [one for of in plans[:2] for item in of.items for one in better(of, item, "a", 1.0)]
    assert {one.value for one in agreed} == {-1.0, 1.0}
    assert differences(plans[2], agreed) == ()
    apart = [
        one
        for of, by in zip(plans, (1.0, 0.5), strict=False)
        for item in of.items
        for one in better(of, item, "a", by)
    ]
    for one in differences(plans[2], apart):
        sign = -1.0 if plans[2].subjects(one.item)[0][0] == "a" else 1.0
        assert one.values == {"R1": sign, "R2": sign * 0.5} and one.apart == 0.25
