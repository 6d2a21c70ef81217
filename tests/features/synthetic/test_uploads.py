"""Uploaded groups: kept whole or not at all, hostile files refused, the study untouched."""

from __future__ import annotations

import io
import zipfile

import pytest
from PIL import Image

from evalcore.features.synthetic import uploads as uploaded
from evalcore.study.workspace.home import home


def png(value=9):
    out = io.BytesIO()
    Image.new("L", (8, 8), value).save(out, "PNG")
    return out.getvalue()


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "my study"
    folder.mkdir()
    return folder


def rules(report):
    return {rule for severity, _, rule in report.counts if severity == "error"}


def test_pictures_of_a_group_and_a_table_in_their_place(study):
    pictures = zipped({"x/a.png": png(), "x/b.png": png()})
    assert not uploaded.add(study, "generated", "GAN 1", "a.zip", pictures).total("error")
    (group,) = uploaded.groups(study)
    assert (group.name, group.role, group.source().pictures.ids) == ("GAN 1", "generated", ["x/a", "x/b"])
    uploaded.add(study, "generated", "GAN 1", "f.csv", b"ID,x\na,1\n")
    (group,) = uploaded.groups(study)
    assert group.source().pictures is None and list(group.source().features) == ["x"]
    assert list(study.iterdir()) == [] and (home() / "synthetic").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("name", "data", "rule"),
    [
        ("text.zip", zipped({"a.txt": b"no picture"}), "not-kept"),
        ("cut.zip", zipped({"a.png": png()})[:60], "unreadable-container"),
        ("f.csv", b"", "not-kept"),
        ("f.csv", b"x,y\n1,2\n", "not-kept"),
        ("a.png", b"\x89PNG no picture", "not-kept"),
    ],
    ids=["no picture", "cut short", "empty", "other columns", "broken"],
)
def test_what_cannot_be_used_is_refused_and_changes_nothing(study, name, data, rule):
    uploaded.add(study, "generated", "good", "f.csv", b"ID,x\na,1\n")
    before = sorted(home().rglob("synthetic/**/*"))
    report = uploaded.add(study, "generated", "bad", name, data)
    assert rule in rules(report) and sorted(home().rglob("synthetic/**/*")) == before
    assert [one.name for one in uploaded.groups(study)] == ["good"]
    assert not list(home().rglob("evil*"))


def test_a_zip_is_never_unpacked_wherever_its_names_lead(study):
    uploaded.add(study, "generated", "up", "up.zip", zipped({"../../evil.png": png(), "/evil.png": png()}))
    (group,) = uploaded.groups(study)
    assert group.source().pictures.ids == ["/evil"]
    assert [path.name for path in home().rglob("synthetic/**/*") if path.is_file()] == ["images.zip"]
    assert not list(home().parent.rglob("evil*"))


def test_names_of_groups_are_safe_and_stay_apart(study):
    for name in ("A", "a", "../../x", "a/b", "CON"):
        uploaded.add(study, "generated", name, "f.csv", b"ID,x\na,1\n")
    folders = [one.folder for one in uploaded.groups(study)]
    assert len(set(folders)) == 5 and len({str(one).casefold() for one in folders}) == 5
    assert {one.parent for one in folders} == {uploaded.folder_of(study) / "generated"}


@pytest.mark.parametrize(
    ("kind", "bad", "good"),
    [
        (uploaded.PEOPLE, b"first,second,better\n", b"first,second,better\na,b,a\n"),
        (uploaded.WEIGHTS, b"feature,weight\na,-1\n", b"feature,weight\na,2\n"),
    ],
)
def test_a_file_takes_the_place_of_the_one_before_or_changes_nothing(study, kind, bad, good):
    assert uploaded.kept(study, kind) is None
    assert rules(uploaded.add(study, kind, "", "p.csv", bad)) >= {"not-kept"}
    uploaded.add(study, kind, "", "p.csv", good)
    assert rules(uploaded.add(study, kind, "", "p.csv", bad)) >= {"not-kept"}
    kept = uploaded.kept(study, kind)
    assert kept == (("a", "b", "first"),) if kind == uploaded.PEOPLE else kept.texts("feature") == ["a"]
    uploaded.remove(study, kind)
    assert uploaded.kept(study, kind) is None


def test_a_generated_group_with_the_name_of_real_ones_says_so(study):
    for role in ("real", "generated"):
        uploaded.add(study, role, "lungs", "f.csv", b"ID,x\na,1\n")
    assert [group.name for group in uploaded.groups(study)] == ["lungs", "lungs (generated)"]
    uploaded.remove(study, "generated", "lungs (generated)")
    assert [group.role for group in uploaded.groups(study)] == ["real"]
