"""Judgments that travel with a study: in its folder and its zip, beside those of the database."""

from __future__ import annotations

import io
import zipfile

import pytest

from evalcore.features.review.judgments import in_order
from evalcore.features.review.read import store
from evalcore.features.review.read.judgment_files import judgment_lines
from evalcore.features.review.read.store import study_id
from evalcore.features.review.read.task_files import save_task
from evalcore.features.review.read.together import judgments_in, judgments_of
from evalcore.features.review.tasks import Task
from evalcore.study import open_study
from evalcore.study.workspace import workspace
from tests.features.review.read.made import EVERY_KIND, judgment


@pytest.fixture
def mine():
    folder = workspace.study_folder("mine")
    (folder / "review").mkdir(parents=True)
    (folder / "concepts.csv").write_text("ID,CUIs\na,C0000001\n")
    return folder


def put(folder, name, judgments):
    (folder / "review" / name).write_text("".join(judgment_lines(judgments)), encoding="utf-8")


def test_those_of_the_folder_stand_beside_those_of_the_database(mine):
    one, two, three = judgment("1"), judgment("2", 1), judgment("3", 2, task="other")
    store.add(study_id(mine), one, two)
    put(mine, "chest.judgments.csv", [two, judgment("4", 3)])
    put(mine, "more.judgments.csv", [three])
    assert judgments_of(mine) == (one, two, three, judgment("4", 3))
    assert judgments_of(mine, "other") == (three,)
    assert judgments_in(mine)[0] == (two, three, judgment("4", 3))


def test_reading_writes_nothing_and_the_study_stays_the_same(mine):
    before = open_study(mine)
    put(mine, "chest.judgments.csv", [judgment("1")])
    assert judgments_of(mine) == (judgment("1"),)
    after = open_study(mine)
    assert (after.digest, after.report.problems) == (before.digest, before.report.problems)
    assert not (workspace.home() / "review").exists()


def test_a_file_that_changed_is_read_again(mine):
    put(mine, "chest.judgments.csv", [judgment("1")])
    assert len(judgments_of(mine)) == 1
    put(mine, "chest.judgments.csv", [judgment("1"), judgment("2", 1)])
    assert len(judgments_of(mine)) == 2


def test_a_broken_file_says_so_and_the_rest_is_there(mine):
    put(mine, "a.judgments.csv", [judgment("1")])
    (mine / "review/b.judgments.csv").write_text("nonsense\n")
    found, report = judgments_in(mine)
    assert found == (judgment("1"),)
    assert [(one.file, one.rule) for one in report.problems] == [("review/b.judgments.csv", "wrong-header")]


def test_a_zip_carries_them_when_asked_and_a_colleague_sees_them(mine, monkeypatch, tmp_path):
    task = Task(name="chest", title="Chest", form="graded", systems=("hog",), draw=10)
    save_task(mine, task)
    store.add(study_id(mine), *EVERY_KIND, keep_times=True)
    names = zipfile.ZipFile(io.BytesIO(workspace.zip_study(mine))).namelist()
    assert names == ["mine/concepts.csv", "mine/review/chest.toml", "mine/review/id.txt"]
    data = workspace.zip_study(mine, judgments=True)
    assert data == workspace.zip_study(mine, judgments=True)
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert {"mine/review/chest.judgments.csv", "mine/review/judgments.judgments.csv"} < set(names)
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "of a colleague"))
    folder, report = workspace.add_study_zip("mine", data)
    assert not report.total("error") and judgments_of(folder) == in_order(EVERY_KIND)
    store.add(study_id(folder), judgment("new", 99))
    assert judgments_of(folder)[-1].id == "new"


def test_no_name_of_a_task_leads_out_of_the_zip(mine):
    store.add(study_id(mine), judgment("1", task="../../x"))
    names = zipfile.ZipFile(io.BytesIO(workspace.zip_study(mine, judgments=True))).namelist()
    assert names == ["mine/concepts.csv", "mine/review/x.judgments.csv"]
