"""Feature tables and weights: what is read, and every fault with its line, all at once."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic.read.feature_files import bind_weights, parse_features, parse_weights


def faults(report):
    return [(one.rule, one.line, one.value) for one in report.of_severity("error")]


def test_a_table_with_everything_a_cell_can_be():
    data = b'ID,red.mean,"size, mm",blue\na,0.5,1e3,-2\nb,,NaN,NA\nc,undefined,n/a,7\n'
    found, report = parse_features(data, file="f.csv", name="real")
    assert report.counts == {} and (found.name, found.ids) == ("real", ("a", "b", "c"))
    assert found.names == ("red.mean", "size, mm", "blue")
    np.testing.assert_array_equal(found.values, [[0.5, 1000, -2], [np.nan] * 3, [np.inf, np.nan, 7]])
    assert found.missing.sum() == 4 and found.undefined.sum() == 1


@pytest.mark.parametrize("data", [b"ID\tf\na\t1.5\n", b"ID;f\na;1.5\n", b"image_id,f\r\na,1.5\r\n"])
def test_other_delimiters_and_line_ends(data):
    found, report = parse_features(data, file="f.csv")
    assert (found.values.tolist(), report.counts) == ([[1.5]], {})


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
    found, report = parse_features(data, file="f.csv")
    assert faults(report) == [
        ("unnamed-column", 1, ""),
        ("duplicate-column", 1, "f"),
        ("duplicate-id", 3, "a"),
        ("wrong-columns", 4, "b"),
        ("missing-id", 5, "123"),
        ("wrong-columns", 8, "e"),
        ("not-a-number", 6, "high"),
        ("not-a-number", 6, "1_000"),
        ("not-a-number", 7, "inf"),
        ("not-a-number", 7, "\u0661"),
    ]
    assert (found.ids, found.names) == (("a", "c", "d", "f"), ("f", "g"))
    np.testing.assert_array_equal(found.values, [[1, 3], [np.nan] * 2, [np.nan] * 2, [1.5, -4]])
    assert str(report.problems[-4]) == (
        "f.csv:6: 'high' under 'f' is not a finite number; it is left out. Write a number with a decimal "
        'point, leave the cell empty (not measured), or write "undefined".'
    )


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
    found, report = parse_features(data, file="f.csv")
    assert found is None and rule in {one.rule for one in report.of_severity("error")}


def test_weights_and_their_faults():
    data = (
        b"feature,weight\nred.mean,2\nblue,0.5\nred.mean,3\nred.std,-1\nblue.std,heavy\ngreen,1,2\n"
        b"red.p5,inf\n"
    )
    rows, report = parse_weights(data, file="w.csv")
    assert dict(rows.weights) == {"red.mean": 2, "blue": 0.5}
    assert faults(report) == [
        ("duplicate-weight", 4, "red.mean"),
        ("wrong-weight", 5, "-1"),
        ("wrong-weight", 6, "heavy"),
        ("wrong-columns", 7, "green"),
        ("wrong-weight", 8, "inf"),
    ]


def test_weights_of_features_that_are_not_there():
    rows, _ = parse_weights(b"weight,feature\n1,red.mean\n1,rad.mean\n2,blue\n", file="w.csv")
    wanted, report = bind_weights(rows, ["red.mean", "blue.mean"])
    assert wanted == {"red.mean": 1, "blue": 2}
    assert faults(report) == [("unknown-feature", 3, "rad.mean")]
    rows, _ = parse_weights(b"feature,weight\nred,0\n", file="w.csv")
    assert faults(bind_weights(rows, ["red.mean"])[1]) == [("no-weight", None, "")]


@pytest.mark.parametrize(
    ("data", "rule"), [(b"", "empty-file"), (b"a,b\nc,1\n", "wrong-header"), (b"feature,weight\n", "no-rows")]
)
def test_files_that_hold_no_weights(data, rule):
    rows, report = parse_weights(data, file="w.csv")
    assert not rows.weights and [one.rule for one in report.problems] == [rule]
