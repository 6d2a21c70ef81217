"""Feature tables, weights and judgments of pairs: what is read, and every fault with its line."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from evalcore.features.synthetic import uploads
from evalcore.features.synthetic.files import parse_features, parse_weights
from evalcore.features.synthetic.people import parse_pairs
from evalcore.study.workspace.home import home
from evalcore.values.errors import InputError
from tests.study.made import content, png, zipped

NAMES = pd.Index(["red.mean", "blue.mean"])


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
    ("parse", "data", "rule"),
    [
        (parse_features, b"", "empty-file"),
        (parse_features, b"\n\n", "empty-file"),
        (parse_features, b"ID,f\n", "no-rows"),
        (parse_features, b"ID\na\n", "no-features"),
        (parse_features, b"0.1,0.2\n0.3,0.4\n", "wrong-header"),
        (parse_features, b"ID,f\na\n", "wrong-columns"),
        (partial(parse_weights, names=NAMES), b"feature,weight\nred,0\nblue,0\n", "no-weight"),
        (parse_pairs, b"", "empty-file"),
        (parse_pairs, b"a,b,a\n", "wrong-header"),
        (parse_pairs, b"first,second,better\n", "no-rows"),
        (parse_pairs, b"\xff\xfe\x00\xd8", "not-text"),
        (parse_pairs, b"PK\x03\x04", "wrong-header"),
    ],
)
def test_files_of_which_nothing_can_be_read(parse, data, rule):
    parsed, report = parse(data, file="f.csv")
    assert parsed is None and rule in {problem.rule for problem in report.of_severity("error")}


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
    data = b"weight,feature\n1,red.mean\n1,rad.mean\n2,blue\n"
    weights, report = parse_weights(data, file="w.csv", names=NAMES)
    assert weights == {"red.mean": 1, "blue": 2}
    assert faults(report) == [("unknown-feature", 3, "rad.mean")]


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


# Uploaded files: kept whole or not at all, hostile ones refused, the study untouched.

FEATURES = b"ID,x\na,1\n"


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "my study"
    folder.mkdir()
    return folder


def names(study, role="generated"):
    return [file.name for file in uploads.files(study, role)]


def test_pictures_of_a_group_and_a_table_in_their_place(study):
    uploads.add(study, "generated", "GAN 1.zip", zipped(x__a_png=png(), x__b_png=png()))
    (group,) = uploads.generated_images(study)
    assert (group.name, [*group.pictures.places]) == ("GAN 1", ["x/a", "x/b"])
    uploads.add(study, "generated", "GAN 1.csv", FEATURES)
    (group,) = uploads.generated_images(study)
    assert group.pictures is None and list(group.features) == ["x"]
    assert list(study.iterdir()) == [] and (home() / "synthetic").stat().st_mode & 0o077 == 0
    uploads.remove(study, *uploads.files(study, "generated"))
    assert names(study) == []


GOOD = {
    "generated": FEATURES,
    "real": FEATURES,
    "people": b"first,second,better\na,b,a\n",
    "weights": b"feature,weight\na,2\n",
}


@pytest.mark.parametrize(
    ("role", "name", "data", "message"),
    [
        ("generated", "text.zip", zipped(a_txt=b"no picture"), "There are no images here"),
        ("generated", "cut.zip", zipped(a_png=png())[:60], "cannot be listed"),
        ("generated", "f.csv", b"", "The file is empty"),
        ("generated", "f.csv", b"x,y\n1,2\n", "The header must name the columns id"),
        ("generated", "a.png", b"\x89PNG no picture", "was not kept"),
        ("people", "f.csv", b"first,second,better\n", "was not kept"),
        ("weights", "f.csv", b"feature,weight\na,-1\n", "was not kept"),
        ("real", "f.csv", b"ID\na\n", "was not kept"),
    ],
)
def test_what_cannot_be_used_is_refused_and_changes_nothing(study, role, name, data, message):
    """And the next file takes the place of the one before, but where there can be several."""
    uploads.add(study, role, "good.csv", GOOD[role])
    before = content(home() / "synthetic")
    with pytest.raises(InputError, match=message):
        uploads.add(study, role, name, data)
    assert content(home() / "synthetic") == before and names(study, role) == ["good.csv"]
    uploads.add(study, role, "third.csv", GOOD[role])
    assert names(study, role) == [*["good.csv"] * (role == "generated"), "third.csv"]
    assert uploads.read(uploads.files(study, role)[-1], role)[0] is not None


def test_a_zip_is_never_unpacked_wherever_its_names_lead(study):
    uploads.add(study, "generated", "up.zip", zipped(**{"../../evil.png": png(), "/evil.png": png()}))
    (group,) = uploads.generated_images(study)
    assert [*group.pictures.places] == ["/evil"]
    assert [path.name for path in home().rglob("synthetic/**/*") if path.is_file()] == ["up.zip"]
    assert not list(home().parent.rglob("evil.png"))


def test_names_of_groups_are_safe_and_stay_apart(study):
    for name in ("A.csv", "a.csv", "../../x.csv", "a:b.csv", "CON.csv", ".csv"):
        uploads.add(study, "generated", name, FEATURES)
    files = uploads.files(study, "generated")
    assert len({file.name.casefold() for file in files}) == 6
    assert {file.parent for file in files} == {uploads.folder_of(study) / "generated"}


def test_no_more_groups_than_can_be_told_apart(study, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_GROUPS", 1)
    uploads.add(study, "generated", "a.csv", FEATURES)
    uploads.add(study, "generated", "a.csv", FEATURES)
    with pytest.raises(InputError, match="There are 1 groups already"):
        uploads.add(study, "generated", "b.csv", FEATURES)
