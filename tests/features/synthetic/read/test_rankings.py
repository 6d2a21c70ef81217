"""Rankings of people: both forms, and everything that can be wrong with them."""

from __future__ import annotations

import pytest

from evalcore.features.synthetic.read.feature_files import parse_rankings


def read(text):
    return parse_rankings(text if isinstance(text, bytes) else text.encode(), file="people.csv")


def test_ranks_are_turned_and_scores_kept():
    ranks, report = read("ID,rank\na,1\nb,2.5\n")
    assert (ranks, report.problems) == ({"a": -1.0, "b": -2.5}, ())
    scores, _ = read("image;rating\na;4\nb;5")
    assert scores == {"a": 4.0, "b": 5.0}


def test_an_image_has_the_mean_of_its_raters():
    means, report = read("ID,score,rater\na,1,anna\na,3,ben\na,2,cleo\nb,2,anna\nb,3,ben\n")
    assert report.problems == () and means == {"a": 2.0, "b": 2.5}
    ranks, report = read("ID,rank,rater\na,1,x\na,2,y\na,3,x\nb,2,x\n")
    assert ranks == {"a": -1.5, "b": -2} and [one.line for one in report.problems] == [4]


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("", "empty-file", None),
        ("a,1\nb,2\n", "wrong-header", 1),
        ("ID,rank\na,1\na,2\n", "duplicate-id", 3),
        ("ID,rank\na,1\nb,first\n", "not-a-number", 3),
        ("ID,rank\na,1\nb,nan\n", "not-a-number", 3),
        ("ID,rank\na,1\nb\n", "wrong-columns", 3),
        ("ID,rank\na,1\n,2\n", "missing-id", 3),
        ("ID,rank\n", "no-rows", None),
        (b"\xff\xfe\x00\xd8", None, None),
        (b"PK\x03\x04", None, None),
    ],
)
def test_what_is_wrong_is_said_with_line_and_remedy(text, rule, line):
    judged, report = read(text)
    errors = report.of_severity("error")
    assert errors and all(one.message for one in errors)
    assert rule is None or [(one.rule, one.line) for one in errors] == [(rule, line)]
    assert judged is None or judged == {"a": -1.0}


def test_both_columns():
    judged, report = read("ID,score,rank\na,9,2\n")
    assert judged == {"a": -2.0} and [one.rule for one in report.problems] == ["two-columns"]
