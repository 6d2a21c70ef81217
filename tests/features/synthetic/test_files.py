"""Feature tables, weights and judgments of pairs: what is read, and every fault with its line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalcore.features.synthetic import uploads
from evalcore.features.synthetic.files import parse_features, parse_weights
from evalcore.features.synthetic.people import parse_pairs
from evalcore.study.workspace.home import home
from evalcore.values.errors import InputError
from tests.study.made import png, zipped


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


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("text.zip", zipped(a_txt=b"no picture"), "There are no images here"),
        ("cut.zip", zipped(a_png=png())[:60], "cannot be listed"),
        ("f.csv", b"", "The file is empty"),
        ("f.csv", b"x,y\n1,2\n", "The header must name the columns id"),
        ("a.png", b"\x89PNG no picture", "was not kept"),
    ],
)
def test_what_cannot_be_used_is_refused_and_changes_nothing(study, name, data, message):
    uploads.add(study, "generated", "good.csv", FEATURES)
    before = sorted(home().rglob("synthetic/**/*"))
    with pytest.raises(InputError, match=message):
        uploads.add(study, "generated", name, data)
    assert sorted(home().rglob("synthetic/**/*")) == before and names(study) == ["good.csv"]


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


@pytest.mark.parametrize(
    ("role", "bad", "good"),
    [
        ("people", b"first,second,better\n", b"first,second,better\na,b,a\n"),
        ("weights", b"feature,weight\na,-1\n", b"feature,weight\na,2\n"),
        ("real", b"ID\na\n", FEATURES),
    ],
)
def test_a_file_takes_the_place_of_the_one_before_or_changes_nothing(study, role, bad, good):
    uploads.add(study, role, "first.csv", good)
    with pytest.raises(InputError, match="was not kept"):
        uploads.add(study, role, "second.csv", bad)
    assert names(study, role) == ["first.csv"]
    uploads.add(study, role, "third.csv", good)
    assert names(study, role) == ["third.csv"]
    assert uploads.read(*uploads.files(study, role), role)[0] is not None


def test_no_more_groups_than_can_be_told_apart(study, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_GROUPS", 1)
    uploads.add(study, "generated", "a.csv", FEATURES)
    uploads.add(study, "generated", "a.csv", FEATURES)
    with pytest.raises(InputError, match="There are 1 groups already"):
        uploads.add(study, "generated", "b.csv", FEATURES)
