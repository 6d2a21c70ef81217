"""Feature tables, weights and judgments of pairs: what is read, and every fault with its line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalcore.features.synthetic.files import parse_features, parse_weights
from evalcore.features.synthetic.people import parse_pairs


def faults(report):
    return [(problem.rule, problem.line, problem.value) for problem in report.of_severity("error")]


def test_a_table_with_everything_a_cell_can_be():
    data = b'ID,red.mean,"size, mm",blue\na,0.5,1e3,-2\nb,,NaN,NA\nc,undefined,n/a,7\n'
    table, report = parse_features(data, file="f.csv")
    assert report.counts == {} and list(table.index) == ["a", "b", "c"]
    assert list(table) == ["red.mean", "size, mm", "blue"]
    np.testing.assert_array_equal(table, [[0.5, 1000, -2], [np.nan] * 3, [np.inf, np.nan, 7]])


def test_all_faults_at_once():
    data = (
        b"ID,f,,f,g\n"  # 1: a column without a name, and one twice
        b"a,1,,2,3\n"
        b"a,2,,2,3\n"  # 3: the same image
        b"b,1,,2\n"  # 4: a cell too few
        b",1,,2,3\n"  # 5: no image
        b"c,high,,2,1_000\n"  # 6: two cells that are no numbers
        b"d,inf,,2,\xd9\xa1\n"  # 7: infinite, and a digit of another script
        b"e,1,5,2,3,4\n"  # 8: a cell too many
        b"f,1.5,,2,-4\n"
    )
    table, report = parse_features(data, file="f.csv")
    assert {(line, rule) for rule, line, _ in faults(report)} == {
        *((1, "unnamed-column"), (1, "duplicate-column"), (3, "duplicate-id"), (4, "wrong-columns")),
        *((5, "missing-id"), (6, "not-a-number"), (7, "not-a-number"), (8, "wrong-columns")),
    }
    assert (list(table.index), list(table)) == (["a", "c", "d", "f"], ["f", "g"])
    np.testing.assert_array_equal(table, [[1, 3], [np.nan] * 2, [np.nan] * 2, [1.5, -4]])
    assert len(faults(report)) == 10
    (high,) = (problem for problem in report.problems if problem.value == "high")
    assert "f.csv:6: 'high' under 'f' is not a finite number" in str(high) and "Write a number" in str(high)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "empty-file"),
        (b"\n\n", "empty-file"),
        (b"ID,f\n", "no-rows"),
        (b"ID\na\n", "no-features"),
        (b"0.1,0.2\n0.3,0.4\n", "wrong-header"),
        (b"ID,f\na\n", "wrong-columns"),
    ],
)
def test_files_that_are_no_feature_table(data, rule):
    table, report = parse_features(data, file="f.csv")
    assert table is None and rule in {problem.rule for problem in report.of_severity("error")}


def test_weights_and_their_faults():
    data = (
        b"feature,weight\nred.mean,2\nblue,0.5\nred.mean,3\nred.std,-1\nblue.std,heavy\ngreen,1,2\n"
        b"red.p5,inf\n"
    )
    weights, report = parse_weights(data, file="w.csv")
    assert weights == {"red.mean": 2, "blue": 0.5}
    rules = {line: rule for rule, line, _ in faults(report)}
    assert rules.pop(4) == "duplicate-weight" and rules.pop(7) == "wrong-columns"
    assert rules == dict.fromkeys((5, 6, 8), "wrong-weight")


def test_weights_of_features_that_are_not_there():
    names = pd.Index(["red.mean", "blue.mean"])
    data = b"weight,feature\n1,red.mean\n1,rad.mean\n2,blue\n"
    weights, report = parse_weights(data, file="w.csv", names=names)
    assert weights == {"red.mean": 1, "blue": 2}
    assert faults(report) == [("unknown-feature", 3, "rad.mean")]
    nothing, report = parse_weights(b"feature,weight\nred,0\nblue,0\n", file="w.csv", names=names)
    assert nothing is None and faults(report) == [("no-weight", None, "")]


def test_pairs_that_cannot_be_used_are_named():
    wrong = {
        "a,b,c": "wrong-choice",
        "a,a,a": "wrong-choice",
        "a,,a": "empty-cell",
        "a,b": "wrong-columns",
        "x,y,y": "duplicate-pair",
    }
    data = "\n".join(["first,second,better", "x,y,x", *wrong])
    pairs, report = parse_pairs(data.encode(), file="p.csv")
    assert {p.line: p.rule for p in report.problems} == dict(enumerate(wrong.values(), 3))
    assert pairs == (("x", "y", "first"),)


@pytest.mark.parametrize(
    "data", [b"", b"a,b,a\n", b"first,second,better\n", b"\xff\xfe\x00\xd8", b"PK\x03\x04"]
)
def test_files_that_are_no_judgments(data):
    pairs, report = parse_pairs(data, file="p.csv")
    assert pairs is None and all(problem.message for problem in report.of_severity("error"))
    assert report.total("error")
