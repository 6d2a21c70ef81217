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
from tests.study.made import content, png, zipped


def faults(report):
    return [(problem.rule, problem.line, problem.value) for problem in report.of_severity("error")]


def test_a_table_with_everything_a_cell_can_be():
    data = b'ID,red.mean,"size, mm",blue\na,0.5,1e3,-2\nb,,NaN,NA\nc,undefined,n/a,7\n'
    table, report = parse_features(data, file="f.csv")
    assert report.counts == {} and list(table.index) == ["a", "b", "c"]
    assert list(table) == ["red.mean", "size, mm", "blue"]
    np.testing.assert_array_equal(table, [[0.5, 1000, -2], [np.nan] * 3, [np.inf, np.nan, 7]])


def test_all_faults_at_once():
    """But those that any table can have: see `tests/study/tables`."""
    data = (
        b"ID,f,,f,g\n"  # 1: a column without a name, and one twice
        b"a,1,,2,3\n"
        b"c,high,,2,1_000\n"  # 3: two cells that are no numbers
        b"d,inf,,2,\xd9\xa1\n"  # 4: infinite, and a digit of another script
        b"f,1.5,,2,1e101\n"  # 5: sums of such numbers would overflow
    )
    table, report = parse_features(data, file="f.csv")
    assert [(line, rule) for rule, line, _ in faults(report)] == [
        *((1, rule) for rule in ("unnamed-column", "duplicate-column")),
        *((line, "not-a-number") for line in (3, 4, 3, 4, 5)),
    ]
    np.testing.assert_array_equal(table, [[1, 3], [np.nan] * 2, [np.nan] * 2, [1.5, np.nan]])
    (high,) = (problem for problem in report.problems if problem.value == "high")
    assert "f.csv:3: 'high' under 'f' is not a number within ±1e+100" in str(
        high
    ) and "Write a number" in str(high)
    nothing, report = parse_features(b"ID\na\n", file="f.csv")
    assert nothing is None and faults(report) == [("no-features", 1, "")]


def test_weights_and_their_faults():
    names = pd.Index(["red.mean", "blue.mean"])
    data = b"weight,feature\n1,red.mean\n1,rad.mean\n2,blue\n-1,blue.mean\n1e101,red\n"
    weights, report = parse_weights(data, file="w.csv", names=names)
    assert weights == {"red.mean": 1, "blue": 2}
    wrong = [("wrong-weight", 5, "blue.mean"), ("wrong-weight", 6, "red")]
    assert faults(report) == [("unknown-feature", 3, "rad.mean"), *wrong]
    nothing, report = parse_weights(b"feature,weight\nred,0\nblue,0\n", file="w.csv", names=names)
    assert nothing is None and faults(report) == [("no-weight", None, "")]


def test_pairs_that_cannot_be_used_are_named():
    pairs, report = parse_pairs(b"first,second,better\nx,y,x\na,b,c\na,a,a\n", file="p.csv")
    assert [(rule, line) for rule, line, _ in faults(report)] == [("wrong-choice", 3), ("wrong-choice", 4)]
    assert pairs == (("x", "y", "first"),)
    assert parse_pairs(b"first,second,better\na,a,a\n", file="p.csv")[0] is None


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
    ids=lambda value: value if isinstance(value, str) else "data",  # a zip holds the time it was made
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
