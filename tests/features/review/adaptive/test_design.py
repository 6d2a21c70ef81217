"""From answers to rounds: several readers judge until it stops, and the same history asks the same."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from evalcore.features.review.adaptive.design import design_of, ending, state_of, verdict, with_design
from evalcore.features.review.adaptive.tables import chosen_by_need, estimates_table, state_facts, state_lines
from evalcore.features.review.items import Plan, plan_of, progress
from evalcore.features.review.judgments import taken_back
from evalcore.features.review.page.reading import BrowserState, take
from evalcore.features.review.read import database, store
from evalcore.features.review.read.task_files import check_task, parse_task, task_text
from evalcore.features.review.tasks import Task
from evalcore.values.errors import InputError

STUDY = "0123456789abcdef0123456789abcdef"
NOW = datetime(2026, 5, 1, tzinfo=UTC)
QUERIES = tuple(f"q{n}" for n in range(40))
LISTS = {
    query: {"good": (f"{query}-a", f"{query}-b", f"{query}-c"), "poor": (f"{query}-c", f"{query}-d")}
    for query in QUERIES
}


@pytest.fixture(autouse=True)
def _closed():
    yield
    database.forget()


def made(form: str = "graded", claim: str = "best", at_most: int = 90, **given: object) -> Task:
    task = Task(name="t", title="T", form=form, systems=("good", "poor"), queries=QUERIES, seed=4)
    return replace(with_design(None, task, LISTS, claim=claim, at_most=at_most, prior="none"), **given)


def plans(task: Task, *readers: str) -> list[Plan]:
    design = design_of(None, task, LISTS)
    return [plan_of(task, LISTS, reader=reader, design=design) for reader in readers]


def grade(item, rng: random.Random) -> float:
    """By the letter of the result: those of the good system are better."""
    if item.kind == "preference":
        return rng.choice([0.5, 1.0, 0.0]) * (-1 if len(item.results) == 3 else 1)
    return {"a": 0.75, "b": 1.0, "c": 0.5, "d": 0.0}[item.result[-1]] + rng.choice([0, 0, -0.25]) * (
        item.result[-1] != "d"
    )


def answer(plan: Plan, item, value: float, number: int) -> None:
    sent = {"id": f"{number:032x}", "item": item.key, "said": "value", "value": value}
    take(STUDY, plan, {"answers": [{**sent, "reasons": [], "comment": ""}]}, BrowserState())


@pytest.mark.parametrize("form", ["graded", "preference"])
def test_two_readers_at_a_desk_judge_until_it_stops(form: str) -> None:
    both = plans(made(form, at_most=90 if form == "graded" else 30), "R1", "R2")
    rng, number = random.Random(1), 0
    opened = [progress(plan, ()).open for plan in both]
    assert {one.key for one in opened[0]} == {one.key for one in opened[1]}, "the first round, for both"
    while True:
        history = store.history(STUDY)
        far = [progress(plan, history) for plan in both]
        if not any(one.open for one in far):
            break
        for plan, one in zip(both, far, strict=True):  # both see what was there before either answered
            for item in one.open[:2]:
                number += 1
                answer(plan, item, grade(item, rng), number)
    state = far[0].all
    assert state is not None and state.stopped and state.course.reason == "decided"
    assert ending(state) == "Judging stopped: which system is best is decided."
    assert verdict(state) == "good is the best system (95%)."
    limits = state_facts(state)["limits"]
    assert "about the best system only" in limits and "too large" in limits and limits in state_lines(state)
    opening = state_of(state.design, ())
    assert not state_facts(opening)["limits"] and "too large" not in " ".join(state_lines(opening))
    assert state.judged < len(both[0].items) / 2 and state.stray == state.unsure == 0
    shared = {state.design.queries[i] for i in state.course.rounds[0].queries[:2]}
    mine, yours = ({both[0].item(key).query for key in one.said} for one in far)
    assert shared <= mine & yours and len(mine - yours) > 1 and len(yours - mine) > 1
    rows = estimates_table(state).rows
    assert [row[0] for row in rows] == ["good", "poor"] and rows[1][2].low > 0
    # every machine and every order of the rows finds the same
    mixed = random.Random(2).sample(history, len(history))
    again = state_of(design_of(None, both[0].task, LISTS), mixed)
    assert [one.queries.tolist() for one in again.course.rounds] == [
        one.queries.tolist() for one in state.course.rounds
    ]
    # what is corrected later counts, and what was drawn stays; what is taken back is open again
    [last] = [one for one in history if one.id == f"{number:032x}"]
    undone = [*history, taken_back(last, id="f" * 32, at=max(one.at for one in history))]
    after = [progress(plan, undone) for plan in both]
    assert [len(one.open) for one in after] in ([1, 1], [0, 1], [1, 0], [0, 0]) and after[0].all.stopped
    assert np.isfinite(after[0].all.course.mean(0).value)


def test_progress_says_how_many_are_left_and_cannot_say_is_an_answer() -> None:
    [plan] = plans(made(), "R1")
    start = progress(plan, ())
    assert start.all is not None and (start.all.judged, start.all.left) == (0, 90)
    [item] = start.open[:1]
    [unsure] = plan.judgments(item, id="1", at=NOW, said="cannot-say")
    after = progress(plan, [unsure])
    assert (after.done, after.n, after.all.judged, after.all.left, after.all.unsure) == (
        1,
        len(start.open),
        1,
        89,
        1,
    )
    asked = {one.key for one in start.open}
    stray = [one for one in plan.items if one.key not in asked]
    elsewhere = plan.judgments(stray[0], id="2", at=NOW, value=1.0)
    assert progress(plan, [unsure, *elsewhere]).all.stray == 1


def test_a_task_file_says_what_is_wrong_and_an_older_one_reads_as_before() -> None:
    task = made()
    text = task_text(task)
    assert parse_task(text.encode(), name="t", file="review/t.toml")[0] == task
    plain = replace(task, adaptive=None)
    assert "adaptive" not in task_text(plain) and plans(plain, "R1")[0].design is None
    for line, rule in (
        ('adaptive = "first"', "`adaptive` must be one of best, order, value"),
        ("at_most = 0", "`at_most` must be a whole number"),
        ("level = 1.0", "`level` must be a number above 0 and below 1"),
        ("panel = true", "`panel` must be left out"),
        ('form = "panel"', "`adaptive` must be left out unless the form is graded or preference"),
        ('systems = ["good"]', "`systems` must be at least two"),
    ):
        key, where = line.split(" = ")[0], rule.split("`")[1]
        lines = [line if row.startswith(f"{key} = ") else row for row in text.splitlines()]
        read, report = parse_task("\n".join(lines).encode(), name="t", file="review/t.toml")
        [problem] = report.problems
        assert read is None and rule in problem.message
        assert problem.line == next(
            n for n, row in enumerate(lines, start=1) if row.startswith(f"{where} = ")
        )
    with pytest.raises(InputError, match="cannot be written"):
        check_task(replace(task, form="panel"))


def test_too_few_items_and_changed_lists_are_refused_in_words() -> None:
    with pytest.raises(InputError, match=r"`at_most` must be at least 40 .* It is 39"):
        made(at_most=39)
    task = made()
    changed = {**LISTS, "q0": {"good": ("other",), "poor": ()}}
    with pytest.raises(InputError, match="have changed since the task 't' was made"):
        design_of(None, task, changed)
    assert "T were chosen" in chosen_by_need([task]) and chosen_by_need([replace(task, adaptive=None)]) == ""
