"""Broken files: each is met with its name, line, value, rule and a way out, all problems at once."""

from __future__ import annotations

import gzip

import pytest

from evalcore.features.satisfaction.published import from_files
from evalcore.features.satisfaction.read import bind_ratings, parse_relevance, parse_satisfaction

HEAD = "query,position,row,relevance\n"
GOOD = f"{HEAD}q1,1,1,3\nq1,2,1,0\nq2,1,1,2\n"
RATED = "query,user,satisfaction\n"

RELEVANCE = [
    # what is in the file, line, value, rule, part of the message or of the remedy
    ("", None, "", "empty-file", "empty"),
    ("   \n\n", None, "", "empty-file", "empty"),
    ("\0\1\2PNG\0", 1, "", "not-text", "zero bytes"),
    (HEAD, 1, "", "no-rows", "no row below the header"),
    ("query,position,relevance\nq1,1,3\n", 1, "query", "wrong-header", "row is not among"),
    ("a,b\n1,2\n", 1, "a", "wrong-header", "query, position, row and relevance are not among"),
    ("query,position,row,relevance,row\nq1,1,1,3,1\n", 1, "row", "duplicate-column", "Keep one of them"),
    (f"{GOOD}q3,1,1\n", 5, "q3", "wrong-columns", "has 3 cells"),
    (f"{GOOD}q3,1,1,2,9\n", 5, "q3", "wrong-columns", "has 5 cells"),
    (f"{GOOD},1,1,2\n", 5, ",1,1,2", "empty-cell", "no query"),
    (f"{GOOD}q3,1,1,\n", 5, "q3,1,1,", "empty-cell", "-1 for an image that could not be judged"),
    (f"{GOOD}q3,one,1,2\n", 5, "one", "wrong-place", "'one' is not a whole number"),
    (f"{GOOD}q3,0,1,2\n", 5, "0", "wrong-place", "from 1 to 10,000"),
    (f"{GOOD}q3,1.5,1,2\n", 5, "1.5", "wrong-place", "'1.5'"),
    (f"{GOOD}q3,1,-1,2\n", 5, "-1", "wrong-place", "row '-1'"),
    (f"{GOOD}q3,99999999,1,2\n", 5, "99999999", "wrong-place", "from 1 to 10,000"),
    (f"{GOOD}q3,1,1,good\n", 5, "good", "not-a-number", "Write a number such as"),
    (f"{GOOD}q3,1,1,nan\n", 5, "nan", "not-a-number", "'nan' is not a number"),
    (f"{GOOD}q3,1,1,inf\n", 5, "inf", "not-a-number", "'inf' is not a number"),
    (f"{GOOD}q3,1,1,1_000\n", 5, "1_000", "not-a-number", "'1_000'"),
    (f"{GOOD}q3,1,1,4\n", 5, "4", "off-scale", "from 0 to 3"),
    (f"{GOOD}q3,1,1,-3\n", 5, "-3", "off-scale", "-1 or -2 for not judged"),
    (f"{GOOD}q1,2,1,1\n", 5, "2", "duplicate-position", "already on line 3"),
    (f"{GOOD}q3,1,1,2\nq3,3,1,2\n", 6, "3", "position-gap", "no position 2"),
    (f"{GOOD}q3,2,1,2\n", 5, "2", "position-gap", "no position 1"),
    (f"{GOOD}q3,1,1,2\nq3,2,3,2\n", 6, "3", "row-order", "after row 1"),
    (f"{GOOD}q3,1,1,2\nq3,2,2,2\nq3,3,1,2\n", 7, "1", "row-order", "after row 2"),
    (f"{GOOD}q3,1,2,2\n", 5, "2", "row-order", "after row 0"),
    (f'{GOOD}"q3,1,1,2\n', 5, "", "broken-quotes", "Close the quote"),
]
SATISFACTION = [
    ("", None, "", "empty-file", "empty"),
    ("query,satisfaction\nq1,3\n", 1, "query", "wrong-header", "user is not among"),
    (f"{RATED}q1,anna,happy\n", 2, "happy", "not-a-number", "'happy' is not a number"),
    (f"{RATED}q1,anna,NaN\n", 2, "NaN", "not-a-number", "if there is no rating"),
    (f"{RATED}q1,,3\n", 2, "q1,,3", "empty-cell", "no user"),
    (f"{RATED}q1,anna,3\nq1,anna,4\n", 3, "q1", "duplicate-rating", "on line 2 already"),
    (f"{RATED}q1;anna;3\n", 2, "q1;anna;3", "wrong-columns", "has 1 cell"),
]


def only_error(report):
    (problem,) = [p for p in report.problems if p.severity == "error"]
    return problem


@pytest.mark.parametrize(("text", "line", "value", "rule", "says"), RELEVANCE)
def test_relevance(text, line, value, rule, says):
    lists, report = parse_relevance(text.encode(), file="relevance.csv", scale=(0, 3))
    problem = only_error(report)
    assert (problem.file, problem.line, problem.value, problem.rule) == ("relevance.csv", line, value, rule)
    assert says in str(problem) and problem.remedy
    if text.startswith(GOOD) and rule != "duplicate-position":
        assert set(lists.of) == {"q1", "q2"}, "what is sound is read all the same"


@pytest.mark.parametrize(("text", "line", "value", "rule", "says"), SATISFACTION)
def test_satisfaction(text, line, value, rule, says):
    _, report = parse_satisfaction(text.encode(), file="satisfaction.csv")
    problem = only_error(report)
    assert (problem.file, problem.line, problem.value, problem.rule) == (
        "satisfaction.csv",
        line,
        value,
        rule,
    )
    assert says in str(problem) and problem.remedy


def test_undecodable_row():
    _, report = parse_satisfaction(f"{RATED}q1,Ren\xe9,3\nq2,anna,2\n".encode("latin-1"), file="s.csv")
    assert only_error(report).rule == "undecodable" and only_error(report).line == 2


def test_damaged_gzip():
    data = gzip.compress(GOOD.encode() * 50)[:-20]
    _, report = parse_relevance(data, file="relevance.csv.gz")
    assert only_error(report).rule == "unreadable-container"


def test_rated_queries_that_nobody_listed():
    ratings, _ = parse_satisfaction(f"{RATED}q1,anna,3\nq9,anna,3\nq8,bob,2\n".encode(), file="s.csv")
    bound, report = bind_ratings(ratings, {"q1", "q2"}, what="r.csv")
    assert [(p.line, p.value, p.rule) for p in report.problems] == [
        (3, "q9", "unknown-query"),
        (4, "q8", "unknown-query"),
    ]
    assert "not in r.csv" in report.problems[0].message and len(bound.rows) == 1


def test_rated_queries_that_all_miss_in_the_same_way():
    ratings, _ = parse_satisfaction(f"{RATED}Q1.jpg,anna,3\nQ2.jpg,anna,3\n".encode(), file="s.csv")
    _, report = bind_ratings(ratings, {"q1", "q2"}, what="r.csv")
    (problem,) = report.problems
    assert problem.count == 2 and "both match" in problem.remedy


def test_all_problems_of_both_files_at_once():
    found, report = from_files(
        f"{GOOD}q3,1,1,x\nq4,2,1,1\nq5,1,1,1\n".encode(),
        f"{RATED}q1,a,1\nq2,a,?\nq7,a,2\nq3,a,1\n".encode(),
        names=("r.csv", "s.csv"),
    )
    assert [(p.file, p.line, p.rule) for p in report.problems] == [
        ("r.csv", 5, "not-a-number"),
        ("r.csv", 6, "position-gap"),
        ("s.csv", 3, "not-a-number"),
        ("s.csv", 4, "unknown-query"),
    ]
    assert found is not None and found.queries == ("q1",) and found.unrated == 2


def test_other_columns_are_mentioned_and_not_used():
    _, report = parse_satisfaction(b"query,user,satisfaction,mood\nq1,a,1,good\n", file="s.csv")
    assert [(p.severity, p.rule) for p in report.problems] == [("warning", "unused-column")]


def test_a_sound_file_in_any_order_and_form():
    lists, report = parse_relevance(
        b"\xef\xbb\xbfPosition;Query;Relevance;Row\r\n2;q;-2;1\r\n1;q;0.75;1\r\n3;q;3e0;2\r\n", file="r.csv"
    )
    (cells,) = lists.of.values()
    assert report.problems == () and cells == ((1, 0.75), (1, -2), (2, 3))
    assert lists.largest == 3
