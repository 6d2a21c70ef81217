"""Uploaded files: kept whole or not at all, hostile ones refused, the study untouched."""

from __future__ import annotations

import pytest

from evalcore.features.synthetic import uploads
from evalcore.study.workspace.home import home
from evalcore.values.errors import InputError
from tests.study.made import png, zipped

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
