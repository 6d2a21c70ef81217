"""Files of a study: tasks, with everything wrong in one; an id that stays; answers of a closed task."""

from __future__ import annotations

import json
import shutil
import stat
from dataclasses import replace
from datetime import timedelta

import pytest

from evalcore.cli import run
from evalcore.evaluate.readers import EVERY_CRITERION
from evalcore.features.review import store
from evalcore.features.review.files import (
    close_task,
    is_closed,
    new_material,
    parse_task,
    read_task,
    read_tasks,
    save_task,
)
from evalcore.features.review.items import items_for, lists_of, material_by_key, progress
from evalcore.features.review.page_desk import Delivery, Work, data_of, item_with_pictures
from evalcore.features.review.records import Material, Task
from evalcore.features.review.store import judgments_of, study_id
from evalcore.study import open_study
from evalcore.study.reader_judgments import read_reader_judgments
from evalcore.values.errors import InputError, UnknownName
from tests.features.review.made import CONCEPTS, NOW, judgment
from tests.study.made import png, write
from tests.ui.conftest import write_study

TASK = Task(name="chest", title="Chest", form="graded", systems=("hog",), queries=10)
HARD = Task(
    name="a-1.x",
    title="\"'\\#=[], é",
    form="preference",
    systems=("a,b", '"'),
    queries=("#", "[x]", "''"),
    depth=100,
    scale=100,
    seed=2**63 - 1,
    instructions="one \\n\n\ntwo = 2",
    reasons=("]", '"", "'),
    panel=True,
)
"""Texts that are hard to keep in TOML."""


def test_a_task_is_kept_in_the_study_and_changes_nothing_of_it(mine):
    before = open_study(mine)
    for task in (TASK, HARD):
        save_task(mine, task)
        assert read_task(mine, task.name) == task
    assert read_tasks(mine)[0] == (HARD, TASK)
    assert sorted(path.name for path in (mine / "review").iterdir()) == ["a-1.x.toml", "chest.toml", "id.txt"]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (mine / "review").iterdir()}
    assert modes == {0o600} and sorted(path.name for path in mine.iterdir()) == ["concepts.csv", "review"]
    after = open_study(mine)
    assert (after.digest, after.report.problems) == (before.digest, before.report.problems)


def test_one_broken_file_leaves_the_others(mine):
    save_task(mine, TASK)
    (mine / "review/broken.toml").write_text("title = 1\n")
    (mine / "review/.hidden.toml").write_text("title = 1\n")
    (mine / "review/a folder.toml").mkdir()
    tasks, report = read_tasks(mine)
    assert tasks == (TASK,) and {problem.file for problem in report.problems} == {"review/broken.toml"}
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
    assert judgments_of(renamed, task="chest") == (judgment(),) and judgments_of(renamed, task="u") == ()
    mine.mkdir()
    assert judgments_of(mine) == ()  # another study of the old name


def test_an_id_that_is_none(mine):
    save_task(mine, TASK)
    (mine / "review/id.txt").write_text("../../etc/passwd\n")
    with pytest.raises(InputError, match=r"review/id\.txt must contain one id of 32 signs") as caught:
        study_id(mine)
    assert caught.value.report.problems[0].line == 1


def test_a_task_that_has_judgments_is_not_replaced(mine):
    """They would count as answers to the new one, also where only they are left of the older one."""
    save_task(mine, TASK)
    save_task(mine, replace(TASK, depth=3), replace=True)
    store.add(study_id(mine), judgment())
    for change in (lambda: None, (mine / "review/chest.toml").unlink):
        change()
        with pytest.raises(InputError, match="There are judgments of a task 'chest'"):
            save_task(mine, TASK, replace=True)
    save_task(mine, replace(TASK, name="chest-2"))
    close_task(mine, replace(TASK, name="chest-2"), [judgment(task="chest-2")])
    with pytest.raises(InputError, match="There are judgments of a task 'chest-2'"):
        save_task(mine, replace(TASK, name="chest-2"), replace=True)


# Closing a task: what counts of its answers, in the study.

ANSWERS = (
    judgment("1", 1, reader="R1", value=0.25),
    judgment("2", 2, reader="R1", value=0.75, reasons=("organ",), comment="=1+1"),
    judgment("3", 3, reader="R2", status="cannot-say", value=None),
    judgment("4", 4, reader="R2", result="y", value=1.0),
    judgment("5", 5, reader="R2", result="y", status="undone", value=None),
    judgment("6", 6, kind="preference", result="", systems=("texture", "hog"), value=-0.5),
    judgment("7", 7, kind="panel", result="", systems=("hog",), value=0.5),
    judgment("8", 8, task="practice", value=0.0),
)


def test_a_closed_task_is_a_file_of_judgments_with_what_counts(mine):
    save_task(mine, TASK)
    assert not is_closed(mine, TASK)
    assert close_task(mine, TASK, ANSWERS) == 4
    assert is_closed(mine, TASK)
    rows = read_reader_judgments(mine)
    assert [(row.kind, row.reader, row.result, row.system, row.other, row.value) for row in rows] == [
        ("graded", "R1", "x", "", "", 0.75),
        ("graded", "R2", "x", "", "", None),
        ("preference", "R1", "", "texture", "hog", -0.5),
        ("panel", "R1", "", "hog", "", 0.5),
    ]
    assert {row.depth for row in rows} == {5}
    assert ",organ,'=1+1," in (mine / "judgments/chest.csv").read_text()
    text = (mine / "judgments/chest.csv").read_bytes()
    with pytest.raises(InputError, match="To close the task again, remove or rename it"):
        close_task(mine, TASK, ANSWERS[:2])
    assert (mine / "judgments/chest.csv").read_bytes() == text, "it may have answers of readers elsewhere"
    (mine / "judgments/chest.csv").unlink()
    assert close_task(mine, TASK, ANSWERS[:2]) == 1


@pytest.mark.parametrize("answers", [(), ANSWERS[4:5], ANSWERS[7:]])
def test_a_task_that_nobody_answered_stays_open(mine, answers):
    save_task(mine, TASK)
    with pytest.raises(InputError, match="No reader has answered the task 'chest' yet"):
        close_task(mine, TASK, answers)
    assert not (mine / "judgments").exists()


def test_answers_for_practice_never_reach_the_study(mine):
    practice = replace(TASK, name="practice")
    with pytest.raises(InputError, match="for practice"):
        save_task(mine, practice)
    with pytest.raises(InputError, match="for practice are not exported"):
        close_task(mine, practice, ANSWERS)
    assert not (mine / "judgments").exists() and not is_closed(mine, practice)


def test_judgments_of_others_are_not_overwritten(mine):
    (mine / "judgments").mkdir()
    (mine / "judgments/chest.csv").write_text("query,result,value\na,b,1\n")
    with pytest.raises(InputError, match=r"There is a file judgments/chest\.csv already"):
        close_task(mine, TASK, ANSWERS)
    assert (mine / "judgments/chest.csv").read_text() == "query,result,value\na,b,1\n"


# The text of a task file.

LEAST = 'title = "Chest"\nform = "graded"\nsystems = ["hog"]\nqueries = 10\n'
NEEDED, NUMBERS = ("title", "form", "systems", "queries"), ("queries", "depth", "scale", "seed")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = 1\n", [(1, "unknown-key", "'a'"), *((None, "missing-key", f"`{key}`") for key in NEEDED)]),
        (LEAST + "dept = 3\n", [(5, "unknown-key", "'dept'")]),
        (LEAST + "depth = 0\n", [(5, "wrong-value", "from 1 to 100")]),
        (LEAST + "scale = 7\n", [(5, "wrong-value", "one of 5, 100")]),
        (LEAST + f"seed = {2**63}\n", [(5, "wrong-value", "a whole number from 0 to")]),
        (LEAST + 'instructions = "\\u202e"\n', [(5, "wrong-value", "without control characters")]),
        (LEAST + f'instructions = "{"a" * 4001}"\n', [(5, "wrong-value", "at most 4,000")]),
        (LEAST + 'reasons = ["a", "a"]\n', [(5, "wrong-value", "different texts")]),
        (LEAST + 'panel = "yes"\n', [(5, "wrong-value", "true or false")]),
        (LEAST + 'criteria = ["a"]\n', [(5, "wrong-value", "left out unless the form is material")]),
        (LEAST.replace("graded", "material"), [(None, "wrong-value", "at least one criterion")]),
        (
            LEAST.replace("graded", "material") + 'criteria = ["a"]\npanel = true\n',
            [(6, "wrong-value", "`panel` must be false for the form material")],
        ),
        (LEAST.replace("graded", "preference"), [(3, "wrong-value", "at least two systems")]),
        (LEAST.replace("graded", "grade"), [(2, "wrong-value", "one of graded, preference, panel,")]),
        (LEAST.replace("Chest", "a\\nb"), [(1, "wrong-value", "one line of 1 to 120")]),
        (LEAST.replace('["hog"]', '"hog"'), [(3, "wrong-value", "a list of 1 to 20")]),
        (LEAST.replace("= 10", "= 0"), [(4, "wrong-value", "from 1 to 10,000")]),
        (LEAST.replace("= 10", '= ["a", " a"]'), [(4, "wrong-value", "a list of up to 10,000")]),
        (
            LEAST.replace("= 10", "= 0") + "depth = 0\nscale = 0\nseed = 0.5\n",
            [(n, "wrong-value", f"`{key}`") for n, key in enumerate(NUMBERS, 4)],
        ),
    ],
)
def test_everything_wrong_is_listed(text, wanted):
    parsed, report = parse_task(text.encode(), name="chest", file="review/chest.toml")
    assert parsed is None
    for problem, (line, rule, part) in zip(report.problems, wanted, strict=True):
        assert (problem.severity, problem.file) == ("error", "review/chest.toml")
        assert (problem.line, problem.rule) == (line, rule)
        assert part in problem.message and problem.remedy


@pytest.mark.parametrize("name", ["a b", "con", ".a", "../a", "a" * 81, ""])
def test_a_name_that_no_file_should_have(name):
    parsed, report = parse_task(LEAST.encode(), name=name, file="f")
    assert parsed is None and "`name` must be letters, digits" in report.problems[0].message


# Free material: read beside its task, judged blind, and the means of each team.

EXPLAIN = """title = "Explanations"
form = "material"
systems = ["A", "B"]
queries = 10
criteria = ["Relevance", "Readability"]
"""


@pytest.fixture
def folder(tmp_path):
    """A study with two images that two teams explain; B has nothing on the second."""
    rows = 'q1,A,Nodule,"Bright, round",a_1.png\nq1,B,Mass,,\nq2,A,,Nothing there,\n'
    table = "image,team,caption,explanation,heat_map\n" + rows
    files = {"explain.toml": EXPLAIN, "explain.csv": table, "explain/a_1.png": png()}
    write(write_study(tmp_path / "study") / "review", files)
    return tmp_path / "study"


def teams(task: Task) -> dict[str, str]:
    return {key: each.team for key, each in material_by_key(task).items()}


def test_a_reader_rates_every_explanation_by_every_criterion_and_sees_no_team(folder):
    task, study = read_task(folder, "explain"), open_study(folder)
    assert task.material[0] == Material("q1", "A", "Nodule", "Bright, round", "a_1.png")
    assert task.heat_maps is not None and task.heat_maps.entries[0]
    items = items_for(task, lists_of(study, task), "R1")
    assert sorted((item.query, teams(task)[item.result], item.criterion) for item in items) == sorted(
        (image, team, criterion)
        for image, team in (("q1", "A"), ("q1", "B"), ("q2", "A"))
        for criterion in task.criteria
    )
    assert {item.kind for item in items} == {"rating"}
    work = Work("0" * 32, task, "R1", items)
    sent = json.dumps(data_of(study, work, progress(items, "explain", "R1", ()), Delivery()))
    assert '"A"' not in sent and '"B"' not in sent and items[0].key in sent
    relevance = [item for item in items if (item.query, item.criterion) == ("q1", "Relevance")]
    by_team = {teams(task)[item.result]: item for item in relevance}
    heat, text = (item_with_pictures(study, task, by_team[team], 0) for team in "AB")
    assert text["question"] == "Relevance: how good is this explanation?"
    assert (text["query"]["title"], text["result"]["none"]) == ("Image", "Caption: Mass")
    assert heat["result"]["title"] == "Explanation" and "Bright, round" in heat["result"]["alt"]


RATINGS = {
    ("R1", "q1", "A", "Relevance"): 1.0,
    ("R2", "q1", "A", "Relevance"): 0.5,
    ("R1", "q2", "A", "Relevance"): 0.25,
    ("R1", "q1", "A", "Readability"): 0.0,
    ("R1", "q1", "B", "Relevance"): 0.5,
}
"""{(reader, image, team, criterion): value}"""


def test_the_means_of_teams(folder, as_json):
    study, task = open_study(folder), read_task(folder, "explain")
    for n, ((reader, *wanted), value) in enumerate(RATINGS.items()):
        items = items_for(task, lists_of(study, task), reader)
        (item,) = [i for i in items if [i.query, teams(task)[i.result], i.criterion] == wanted]
        at = NOW + timedelta(seconds=n)
        store.add(study_id(folder), *item.judgments("explain", reader, id=f"{n}", at=at, value=value))
    as_json("review", "export", folder, "explain")
    rows = as_json("readers", folder)["ratings"]
    # A by relevance: images 0.75 and 0.25; overall: (0.75 + 0) / 2 = 0.375 and 0.25. B: 0.5 on one image.
    assert {(row["system"], row["criterion"]): row["mean"] for row in rows} == {
        ("B", EVERY_CRITERION): 0.5,
        ("B", "Relevance"): 0.5,
        ("A", EVERY_CRITERION): pytest.approx(0.3125),
        ("A", "Relevance"): 0.5,
        ("A", "Readability"): 0.0,
    }
    assert [row["system"] for row in rows][:2] == ["B", "B"]
    (row,) = [row for row in rows if (row["system"], row["criterion"]) == ("A", "Relevance")]
    assert (row["queries"], row["ratings"], row["readers"]) == (2, 3, 2)
    assert 0.25 <= row["ci_low"] <= row["ci_high"] <= 0.75


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("image,team\nq1,A\n", "wrong-header"),
        ("image,team,caption\nq1,C,x\n", "unknown-team"),
        ("image,team,caption\nq1,A,\n", "wrong-value"),
        ("image,team,heat_map\nq1,A,../../concepts.csv\n", "missing-picture"),
    ],
)
def test_material_that_cannot_be_used_leaves_its_task_out(folder, text, rule):
    (folder / "review" / "explain.csv").write_text(text)
    tasks, report = read_tasks(folder)
    assert "explain" not in {task.name for task in tasks}
    assert rule in {problem.rule for problem in report.problems}
    assert {problem.file for problem in report.problems} == {"review/explain.csv"}


def test_the_command_makes_what_a_hand_written_task_is(folder, tmp_path, capsys, as_json):
    by_hand = read_task(folder, "explain")
    for path in sorted((folder / "review").iterdir()):
        path.rename(tmp_path / path.name)
    make = "--task explain --form material --title Explanations --criterion Relevance --criterion Readability"
    table = tmp_path / "explain.csv"
    words = ["review", "make", str(folder), *make.split(), "--material", str(table)]
    facts = as_json(*words, "--n-queries", 10)
    assert (facts["form"], facts["systems"], facts["items"]) == ("material", ["A", "B"], 3 * 2)
    made = read_task(folder, "explain")
    assert made.heat_maps and (folder / "review/explain" / made.heat_maps.entries[0]).is_file()
    assert replace(made, heat_maps=None) == replace(by_hand, heat_maps=None)
    assert run(words) == 2
    assert "already" in capsys.readouterr().err
    as_json(*words, "--replace")
    assert read_task(folder, "explain").queries == 2  # both images of the table
    table.write_text("image,team,caption,heat_map\nnone,A,,x.png\nq,,y,\n")
    assert run([*words, "--replace"]) == 2
    error = capsys.readouterr().err
    assert "explain.csv:3" in error and "x.png" in error


def test_material_from_elsewhere_becomes_a_task_and_everything_wrong_with_it_is_named(folder):
    table = (folder / "review" / "explain.csv").read_bytes().replace(b"B,Mass,,", b"B,Mass,,b/2.png")
    picture = (folder / "review" / "explain" / "a_1.png").read_bytes()
    for pictures, rule in (({"a_1.png": picture}, "missing-picture"), ({"b/2.png": picture}, "bad-picture")):
        with pytest.raises(InputError) as refused:
            new_material(table, {"a_1.png": picture, **pictures}, file="t.csv", task="n")
        (problem,) = refused.value.report.problems
        assert (problem.rule, problem.value) == (rule, "b/2.png")
    table = table.replace(b"b/2.png", b"")
    pictures = {"a_1.png": picture, "of no row.png": picture}
    material, beside = new_material(table, pictures, file="t.csv", task="n")
    teams = [row.team for row in material]
    assert teams == ["A", "B", "A"] and beside == {"review/n/a_1.png": picture, "review/n.csv": table}
    made = Task(name="n", title="N", form="material", systems=("A", "B"), queries=2, criteria=("Clear",))
    save_task(folder, made, in_place=True, beside=beside)
    assert read_task(folder, "n").material == material
