"""Broken files but for what any table can have, each with its line, value and rule; the cleansing by hand."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest

from evalcore.features.satisfaction.data import (
    STEPS,
    cleanse,
    parse_scale,
    read_lists,
    read_ratings,
    read_study,
)
from evalcore.values.errors import InputError, SettingError

HEAD = "query,position,row,relevance\n"
GOOD = f"{HEAD}q1,1,1,3\nq1,2,1,0\nq2,1,1,2\n"
RATED = "query,user,satisfaction\n"

LISTS = [
    # what is in the file, line, value, rule, part of the message or of the remedy
    ("query,row,relevance\nq1,1,3\n", 1, "", "wrong-header", "neither a position nor a column"),
    (f"{GOOD}q3,1,1,\n", 5, "q3,1,1,", "empty-cell", "-1 for an image that could not be judged"),
    (f"{GOOD}q3,one,1,2\n", 5, "one", "wrong-place", "'one' is not a whole number"),
    (f"{GOOD}q3,0,1,2\n", 5, "0", "wrong-place", "from 1 to 10,000"),
    (f"{GOOD}q3,1.5,1,2\n", 5, "1.5", "wrong-place", "'1.5'"),
    (f"{GOOD}q3,1,-1,2\n", 5, "-1", "wrong-place", "row '-1'"),
    (f"{GOOD}q3,99999999,1,2\n", 5, "99999999", "wrong-place", "from 1 to 10,000"),
    (f"{GOOD}q3,1,1,good\n", 5, "good", "not-a-number", "Write a number such as"),
    (f"{GOOD}q3,1,1,nan\n", 5, "nan", "not-a-number", "'nan' is not a number"),
    (f"{GOOD}q3,1,1,inf\n", 5, "inf", "not-a-number", "'inf' is not a number"),
    (f"{GOOD}q3,1,1,4\n", 5, "4", "off-scale", "from 0 to 3"),
    (f"{GOOD}q3,1,1,-3\n", 5, "-3", "off-scale", "-1 or -2 for not judged"),
    (f"{GOOD}q1,2,1,1\n", 5, "2", "duplicate-judgment", "already on line 3"),
    (f"{GOOD}q3,1,1,2\nq3,3,1,2\n", 6, "3", "position-gap", "no position 2"),
    (f"{GOOD}q3,2,1,2\n", 5, "2", "position-gap", "no position 1"),
    (f"{GOOD}q3,1,1,2\nq3,2,3,2\n", 6, "3", "row-order", "after row 1"),
    (f"{GOOD}q3,1,1,2\nq3,2,2,2\nq3,3,1,2\n", 7, "1", "row-order", "after row 2"),
    (f"{GOOD}q3,1,2,2\n", 5, "2", "row-order", "after row 0"),
]
RATINGS = [
    (f"{RATED}q1,anna,NaN\n", 2, "nan", "not-a-number", "if there is no rating"),
    (f"{RATED}q1,anna,3\nq1,anna,4\n", 3, "q1 anna", "duplicate-rating", "already rated on line 2"),
]
READERS = (partial(read_lists, scale=(0, 3)), LISTS), (read_ratings, RATINGS)


@pytest.mark.parametrize(("read", "fault"), [(read, fault) for read, faults in READERS for fault in faults])
def test_faults(read, fault):
    text, line, value, rule, says = fault
    content, report = read(text.encode(), file="f.csv")
    (problem,) = report.of_severity("error")
    assert (problem.file, problem.line, problem.value, problem.rule) == ("f.csv", line, value, rule)
    assert says in str(problem) and problem.remedy
    if text.startswith(GOOD) and rule != "duplicate-judgment":
        assert set(content.images) == {"q1", "q2"}, "what is sound is read all the same"


@pytest.mark.parametrize(
    ("rows", "problems", "says"),
    [
        ("q1,anna,3\nq9,anna,3\nq8,bob,2\n", [(3, "q9", 1), (4, "q8", 1)], "not in r.csv"),
        ("Q1.jpg,anna,3\nQ2.jpg,anna,3\n", [(2, "Q1.jpg", 1), (3, "Q2.jpg", 1)], "both match"),
    ],
)
def test_rated_queries_without_a_list(rows, problems, says):
    """Each by its line, and why where all miss in the same way."""
    _, report = read_study(GOOD.encode(), f"{RATED}{rows}".encode(), names=("r.csv", "s.csv"))
    assert [(p.line, p.value, p.count) for p in report.problems] == problems
    assert {p.rule for p in report.problems} == {"unknown-query"} and says in str(report.problems[0])


def test_other_columns_are_mentioned_and_not_used():
    _, report = read_ratings(b"query,user,satisfaction,mood\nq1,a,1,good\n", file="s.csv")
    assert [(p.severity, p.rule) for p in report.problems] == [("warning", "unused-column")]


def test_a_sound_file_in_any_order_and_form():
    lists, report = read_lists(
        b"\xef\xbb\xbfPosition;Query;Relevance;Row\r\n2;q;-2;1\r\n1;q;0.75;1\r\n3;q;3e0;2\r\n", file="r.csv"
    )
    (cells,) = lists.images.values()
    assert report.problems == ()
    assert [(cell.row, cell.relevance) for cell in cells] == [(1, 0.75), (1, -2), (2, 3)]


LOG = (
    "query,row,column,relevance,worker\nq1,2,1,50,b\nq1,1,2,20,a\nq1,1,1,80,a\nq1,1,1,60,b\n"
    "q1,1,2,-2,b\nq2,1,1,-1,a\n"
)


def test_places_and_workers():
    """Images by row and column; workers averaged, without those who could not judge."""
    lists, report = read_lists(LOG.encode(), file="r.csv")
    assert report.problems == () and lists.workers == {"a", "b"}
    assert [(image.row, image.relevance) for image in lists.images["q1"]] == [(1, 70), (1, 20), (2, 50)]
    assert lists.images["q2"][0].relevance == -1


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("q1,1,1,80,a", "duplicate-judgment"),
        ("q1,1,3,-3,a", "off-scale"),
        ("q1,1,0,3,a", "wrong-place"),
        ("q1,4,1,3,a", "row-order"),
    ],
)
def test_faults_of_a_log(row, rule):
    lists, report = read_lists(f"{LOG}{row}\n".encode(), file="r.csv")
    assert [p.rule for p in report.problems] == [rule] and set(lists.images) == {"q2"}


def test_judgments_of_an_image_agree_on_its_row():
    text = "query,position,row,relevance,worker\nq,1,1,3,a\nq,1,2,3,b\n"
    (problem,) = read_lists(text.encode(), file="r.csv")[1].problems
    assert problem.rule == "position-gap" and "an image in two rows" in problem.message


# The steps of the cleansing by hand: what goes, how it is counted, and what is left on which scale.

PEOPLE = f"""a1 3 0 3, a2 1 1 1, a3 0 0 3, a4 2 2 2
b1 3 3 3, b2 2 1 0, b3 1 2 3
c1 1 1 1, c2 2 2 2
d1 1 2 1, d2 2 0 2, d3 3 3 0
e1 {"-1 " * 19} 3, e2 -1 -2 3, e3 1 1, e4 -1 -1 -1, e5 3 1 1, e6 2 2 1
x1 1 1 1"""
"""Queries of a person a line, each with the relevance of its images, one image a row."""
SHOWN = {query: [*map(int, values)] for query, *values in map(str.split, re.split("[,\n]", PEOPLE))}
MARKS = dict(zip(SHOWN, [1, 3, 5, 5, 2, 4, 4, 1, 5, 3, 3, 3, 5, 1, 2, 3, 2, 4], strict=False))


def study(lists=SHOWN, marks=MARKS):
    rows = [f"{q},{i},{i},{value}" for q, values in lists.items() for i, value in enumerate(values, start=1)]
    rated = [f"{query},{query[0]},{mark}" for query, mark in marks.items()]
    data, report = read_study(
        "\n".join(["query,position,row,relevance", *rows]).encode(),
        "\n".join(["query,user,satisfaction", *rated]).encode(),
        names=("r", "s"),
        scale=(0, 3),
    )
    assert report.problems == () and data is not None
    return data


def test_every_step():
    """e1 and e4 have more than 90 % invalid, e3 too few rows; then c has 2 queries, d always says 3."""
    clean = cleanse(study(), depth=3)
    left_out = {"unrated_queries": 1, "invalid_queries": 2, "short_queries": 1, "unjudged_queries": 0}
    left_out |= {"few_users": 1, "few_queries": 2, "constant_users": 1, "constant_queries": 3}
    assert clean.left_out == left_out
    assert clean.queries == ("a1", "a2", "a3", "a4", "b1", "b2", "b3", "e2", "e5", "e6")
    assert clean.satisfaction.tolist() == pytest.approx([0, 0.5, 1, 1, 0, 1, 1, 0, 1 / 3, 1])
    assert (clean.n_queries, clean.n_users, clean.user_of.tolist()) == (10, 3, [0] * 4 + [1] * 3 + [2] * 3)


def test_images_nobody_could_judge_are_passed_over_and_rows_stay():
    clean = cleanse(study(), depth=3)
    at = clean.queries.index("e2")
    lists = clean.lists
    assert lists.lengths[at] == 1 and lists.relevance[at, 0] == 1 and lists.row_of[at, 0] == 2
    assert clean.grid(2).lengths[at] == 0 and clean.grid(3).lengths[at] == 1


def test_nine_of_ten_invalid_are_not_more_than_90_percent():
    lists = {"a1": [-1] * 9 + [3], "a2": [-1] * 10 + [3], "a3": [1] * 10, "a4": [2] * 10, "a5": [3] * 10}
    clean = cleanse(study(lists, dict(zip(lists, [1, 2, 3, 4, 5], strict=True))), depth=1)
    assert clean.queries == ("a1", "a3", "a4", "a5") and clean.left_out["invalid_queries"] == 1


@pytest.mark.parametrize(
    ("step", "back", "gone"),
    [
        ("invalid", {"e1"}, {"invalid_queries": 0, "unjudged_queries": 1}),
        ("short", {"e3"}, {"short_queries": 0}),
        ("few", {"c1", "c2"}, {"few_users": 0, "few_queries": 0}),
        ("minmax", {"d1", "d2", "d3"}, {"constant_users": 0, "constant_queries": 0}),
    ],
)
def test_each_step_can_be_left_out(step, back, gone):
    usual, clean = cleanse(study(), depth=3), cleanse(study(), depth=3, without=[step])
    assert set(clean.queries) - set(usual.queries) == back
    assert {reason: clean.left_out[reason] for reason in gone} == gone


def test_without_any_step_satisfaction_stays_as_it_is():
    clean = cleanse(study(), depth=3, without=list(STEPS))
    assert clean.satisfaction.tolist() == [MARKS[query] for query in clean.queries]
    assert set(MARKS) - set(clean.queries) == {"e4"}, "nothing judged: no measure has a value"


def test_nothing_left_says_why_and_what_to_do():
    words = r"No query is left of 18\. Left out: .*queries with fewer rows.* \(16\).*Count fewer rows than 20"
    with pytest.raises(InputError, match=words):
        cleanse(study(), depth=20)


def test_nothing_left_for_another_reason_than_rows():
    with pytest.raises(InputError, match=r"fewer than three queries \(1\).*\. Skip a step of"):
        cleanse(study({"a1": [1, 2]}, {"a1": 3}), depth=1)


def test_scales_that_cannot_be():
    for scale in ("1:1", "-1:3", "3:0", "0:inf", "nan:1", "3", "a:b", "0:", ":3", "1:2:3", ""):
        with pytest.raises(SettingError, match="LOW:HIGH with 0 <= LOW < HIGH"):
            parse_scale(scale)


def test_without_a_scale_the_largest_value_is_1():
    data, _ = read_study(
        b"query,position,row,relevance\nq,1,1,40\nq,2,1,80\nq,3,1,-1\n",
        b"query,user,satisfaction\nq,u,1\n",
        names=("r", "s"),
    )
    assert data.scale == (0, 80) and data.relevance[0].tolist()[:2] == [0.5, 1.0]
    assert np.isnan(data.relevance[0, 2])
