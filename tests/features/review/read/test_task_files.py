"""Tasks in a study: written only where that is allowed, with an id that stays with the study."""

from __future__ import annotations

import shutil
import stat
from dataclasses import replace

import pytest

from evalcore.features.review.read import store, task_files
from evalcore.features.review.read.store import study_id
from evalcore.features.review.read.task_files import read_task, read_tasks, save_task
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.tasks import Task
from evalcore.study import open_study
from evalcore.study.workspace import workspace
from evalcore.study.workspace.change import tidy
from evalcore.values.errors import InputError, UnknownName
from tests.features.review.read.made import judgment

TASK = Task(name="chest", title="Chest", form="graded", systems=("hog",), draw=10)
CONCEPTS = "ID,CUIs\na,C0000001\nb,C0000001\n"


@pytest.fixture
def mine():
    """A study of the workspace."""
    folder = workspace.study_folder("mine")
    folder.mkdir(parents=True)
    (folder / "concepts.csv").write_text(CONCEPTS)
    return folder


@pytest.fixture
def theirs(tmp_path):
    """A folder opened where it is."""
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o755)
    (folder / "concepts.csv").write_text(CONCEPTS)
    return folder


def test_a_task_is_kept_in_the_study_and_changes_nothing_of_it(mine):
    before = open_study(mine)
    save_task(mine, TASK)
    assert read_tasks(mine)[0] == (TASK,) and read_task(mine, "chest") == TASK
    assert sorted(path.name for path in (mine / "review").iterdir()) == ["chest.toml", "id.txt"]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (mine / "review").iterdir()}
    assert modes == {0o600} and sorted(path.name for path in mine.iterdir()) == ["concepts.csv", "review"]
    after = open_study(mine)
    assert (after.digest, after.report.problems) == (before.digest, before.report.problems)


def test_a_study_keeps_so_many_tasks_and_any_of_them_can_be_replaced(mine, monkeypatch):
    monkeypatch.setattr(task_files, "MOST", 2)
    first, second, third = (replace(TASK, name=name) for name in ("one", "two", "three"))
    save_task(mine, first)
    save_task(mine, second)
    with pytest.raises(InputError, match="keeps at most 2 tasks; remove one first"):
        save_task(mine, third)
    save_task(mine, replace(first, title="Other"), replace=True)
    assert [task.title for task in read_tasks(mine)[0]] == ["Other", "Chest"]


def test_a_task_that_is_there_is_replaced_only_when_asked(mine):
    save_task(mine, TASK)
    other = Task(name="chest", title="Other", form="graded", systems=("hog",), draw=3)
    with pytest.raises(InputError, match="There is a task 'chest' already"):
        save_task(mine, other)
    assert read_task(mine, "chest") == TASK
    save_task(mine, other, replace=True)
    assert read_task(mine, "chest") == other


def test_a_folder_opened_in_place_only_when_allowed(theirs):
    with pytest.raises(InputError, match="is not an uploaded study"):
        save_task(theirs, TASK)
    assert [path.name for path in theirs.iterdir()] == ["concepts.csv"]
    save_task(theirs, TASK, in_place=True)
    assert read_tasks(theirs)[0] == (TASK,)
    assert stat.S_IMODE((theirs / "review").stat().st_mode) == 0o755
    assert stat.S_IMODE((theirs / "review/chest.toml").stat().st_mode) == 0o644


def test_a_task_that_cannot_be_is_not_written(mine):
    for wrong in (
        Task(name="../x", title="T", form="graded", systems=("hog",), draw=1),
        Task(name="x", title="T", form="graded", systems=(), draw=1),
    ):
        with pytest.raises(InputError, match="cannot be written") as caught:
            save_task(mine, wrong)
        assert caught.value.report.problems
    assert not (mine / "review").exists()


def test_one_broken_file_leaves_the_others(mine):
    save_task(mine, TASK)
    (mine / "review/broken.toml").write_text("title = 1\n")
    (mine / "review/.hidden.toml").write_text("title = 1\n")
    (mine / "review/a folder.toml").mkdir()
    tasks, report = read_tasks(mine)
    assert tasks == (TASK,) and {one.file for one in report.problems} == {"review/broken.toml"}
    with pytest.raises(InputError, match=r"The task 'broken' has errors\. Correct review/broken\.toml"):
        read_task(mine, "broken")
    with pytest.raises(UnknownName, match=r"No task called 'chst'\. Did you mean: chest"):
        read_task(mine, "chst")


def test_no_file_outside_the_study_is_read(mine, tmp_path):
    (tmp_path / "secret.toml").write_text("title = 'secret'\n")
    (mine / "review").mkdir()
    (mine / "review/a.toml").symlink_to(tmp_path / "secret.toml")
    assert read_tasks(mine) == ((), read_tasks(tmp_path)[1])
    shutil.rmtree(mine / "review")
    (mine / "review").symlink_to(tmp_path)
    with pytest.raises(InputError, match="review is a link"):
        save_task(mine, TASK)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.toml"]


def test_judgments_stay_with_a_study_that_is_edited_or_renamed(mine):
    save_task(mine, TASK)
    store.add(study_id(mine), judgment())
    (mine / "concepts.csv").write_text(CONCEPTS + "c,C0000002\n")
    assert judgments_of(mine) == (judgment(),)
    renamed = mine.rename(mine.with_name("renamed"))
    assert judgments_of(renamed, "chest") == (judgment(),) and judgments_of(renamed, "other") == ()
    mine.mkdir()
    assert judgments_of(mine) == ()  # another study of the old name


def test_what_was_judged_before_the_first_task_stays_too(mine, theirs):
    """A link of the terminology, say, in a folder that may not be changed."""
    store.add(study_id(theirs), judgment())
    assert study_id(theirs) == study_id(theirs) != study_id(mine)
    save_task(theirs, TASK, in_place=True)
    assert judgments_of(theirs) == (judgment(),)
    tidy()
    assert judgments_of(theirs) == (judgment(),)


def test_a_path_is_no_identity_beyond_this_workspace(theirs, monkeypatch, tmp_path):
    here = study_id(theirs)
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "another home"))
    assert study_id(theirs) != here


def test_an_id_that_is_none(mine):
    save_task(mine, TASK)
    (mine / "review/id.txt").write_text("../../etc/passwd\n")
    with pytest.raises(InputError, match=r"review/id\.txt must contain one id of 32 signs") as caught:
        study_id(mine)
    assert caught.value.report.problems[0].line == 1
