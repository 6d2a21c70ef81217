"""Task files: what is written reads back, and everything wrong with one is listed at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.review.read.task_files import is_task_name, parse_task, task_text
from evalcore.features.review.tasks import FORMS, REASONS, SCALES, Task

LEAST = 'title = "Chest"\nform = "graded"\nsystems = ["hog"]\nqueries = 10\n'
_line = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(
    lambda text: text.isprintable() and text == text.strip()
)
_lines = st.lists(_line, unique=True, max_size=4).map(tuple)


@st.composite
def tasks(draw):
    form = draw(st.sampled_from(FORMS))
    named = draw(st.lists(_line, unique=True, max_size=4).map(tuple))
    return Task(
        name=draw(st.sampled_from(["chest", "a-1", "x.y"])),
        title=draw(_line),
        form=form,
        systems=draw(st.lists(_line, unique=True, min_size=2, max_size=4).map(tuple)),
        queries=named,
        draw=0 if named else draw(st.integers(1, 10_000)),
        depth=draw(st.integers(1, 100)),
        scale=draw(st.sampled_from(SCALES)),
        seed=draw(st.integers(0, 2**63 - 1)),
        instructions=draw(st.lists(_line, max_size=3).map("\n".join)),
        reasons=draw(_lines),
        criteria=draw(_lines.filter(bool)) if form in ("ratings", "material") else (),
        panel=draw(st.booleans()),
    )


@given(tasks())
def test_what_is_written_reads_back(task):
    found, report = parse_task(task_text(task).encode(), name=task.name, file="review/t.toml")
    assert found == task and not report.problems


def test_what_may_be_left_out():
    found, report = parse_task(LEAST.encode(), name="chest", file="review/chest.toml")
    assert not report.problems
    assert found == Task(
        name="chest",
        title="Chest",
        form="graded",
        systems=("hog",),
        draw=10,
        depth=5,
        scale=5,
        seed=0,
        reasons=REASONS,
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", [(None, "empty-file", "")]),
        ("title = ", [(None, "bad-toml", "not TOML")]),
        ("\0", [(1, "not-text", "zero bytes")]),
        (
            "a = 1\n",
            [
                (1, "unknown-key", "'a'"),
                (None, "missing-key", "`queries`"),
                (None, "missing-key", "`title`"),
                (None, "missing-key", "`form`"),
                (None, "missing-key", "`systems`"),
            ],
        ),
        (LEAST + "dept = 3\n", [(5, "unknown-key", "'dept'")]),
        (LEAST + "depth = 0\n", [(5, "wrong-value", "from 1 to 100")]),
        (LEAST + "depth = true\n", [(5, "wrong-value", "from 1 to 100")]),
        (LEAST + 'depth = "5"\n', [(5, "wrong-value", "from 1 to 100")]),
        (LEAST + "scale = 7\n", [(5, "wrong-value", "5 (steps) or 100")]),
        (LEAST + "scale = 5.0\n", [(5, "wrong-value", "5 (steps) or 100")]),
        (LEAST + "seed = -1\n", [(5, "wrong-value", "from 0 on")]),
        (LEAST + f"seed = {2**63}\n", [(5, "wrong-value", "from 0 on")]),
        (LEAST + 'instructions = "\\u202e"\n', [(5, "wrong-value", "without control signs")]),
        (LEAST + f'instructions = "{"a" * 4001}"\n', [(5, "wrong-value", "at most 4,000")]),
        (LEAST + 'reasons = ["a", "a"]\n', [(5, "wrong-value", "different lines")]),
        (LEAST + "reasons = [1]\n", [(5, "wrong-value", "different lines")]),
        (LEAST + "reasons = [[]]\n", [(5, "wrong-value", "different lines")]),
        (LEAST + 'panel = "yes"\n', [(5, "wrong-value", "true or false")]),
        (LEAST + 'criteria = ["a"]\n', [(5, "wrong-value", "left out unless the form is ratings")]),
        (LEAST.replace("graded", "ratings"), [(None, "missing-key", "at least one criterion")]),
        (LEAST.replace("graded", "ratings") + "criteria = []\n", [(5, "wrong-value", "at least one")]),
        (LEAST.replace("graded", "preference"), [(3, "wrong-value", "at least two systems")]),
        (LEAST.replace("graded", "grade"), [(2, "wrong-value", "one of graded, preference, panel,")]),
        (LEAST.replace("Chest", ""), [(1, "wrong-value", "one line of at most 120")]),
        (LEAST.replace("Chest", "a\\nb"), [(1, "wrong-value", "one line of at most 120")]),
        (LEAST.replace('["hog"]', "[]"), [(3, "wrong-value", "1 to 20 different lines")]),
        (LEAST.replace('["hog"]', '"hog"'), [(3, "wrong-value", "1 to 20 different lines")]),
        (LEAST.replace("= 10", "= 0"), [(4, "wrong-value", "from 1 to 10,000")]),
        (LEAST.replace("= 10", "= []"), [(4, "wrong-value", "a list of as many different ids")]),
        (LEAST.replace("= 10", '= ["a", " a"]'), [(4, "wrong-value", "a list of as many different ids")]),
        (LEAST.replace("= 10", "= 2026-05-01"), [(4, "wrong-value", "from 1 to 10,000")]),
        (
            LEAST.replace("= 10", "= 0") + "depth = 0\nscale = 0\nseed = 0.5\n",
            [
                (4, "wrong-value", "`queries`"),
                (5, "wrong-value", "`depth`"),
                (6, "wrong-value", "`scale`"),
                (7, "wrong-value", "`seed`"),
            ],
        ),
    ],
)
def test_everything_wrong_is_listed(text, wanted):
    found, report = parse_task(text.encode(), name="chest", file="review/chest.toml")
    assert found is None
    said = [(one.line, one.rule, f"{one.message}") for one in report.problems]
    assert [(line, rule) for line, rule, _ in said] == [(line, rule) for line, rule, _ in wanted]
    for (_, _, message), (_, _, part) in zip(said, wanted, strict=True):
        assert part in message
    assert all(
        one.remedy and one.file == "review/chest.toml" and one.severity == "error" for one in report.problems
    )


@pytest.mark.parametrize("name", ["a b", "con", ".a", "../a", "a" * 81, "chest.judgments", ""])
def test_a_name_that_no_file_should_have(name):
    assert not is_task_name(name)
    found, report = parse_task(LEAST.encode(), name=name, file="f")
    assert found is None and report.problems[0].rule == "bad-name"
