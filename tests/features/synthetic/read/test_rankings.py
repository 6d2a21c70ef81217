"""Rankings of people: both forms, and everything that can be wrong with them."""

from __future__ import annotations

import pytest

from evalcore.features.synthetic.read.feature_files import parse_rankings


def read(text):
    return parse_rankings(text if isinstance(text, bytes) else text.encode(), file="people.csv")


def test_ranks_are_turned_and_scores_kept():
    ranks, report = read("ID,rank\na,1\nb,2.5\n")
    assert (dict(ranks.values), ranks.kind, report.problems) == ({"a": -1.0, "b": -2.5}, "rank", ())
    scores, _ = read("image;rating\na;4\nb;5")
    assert (dict(scores.values), scores.kind) == ({"a": 4.0, "b": 5.0}, "score")


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
    assert judged is None or dict(judged.values) == {"a": -1.0}


def test_both_columns():
    judged, report = read("ID,score,rank\na,9,2\n")
    assert judged.kind == "rank" and [one.rule for one in report.problems] == ["two-columns"]
