"""Free material: read beside its task, judged blind, and the means of each team."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from PIL import Image

from evalcore.cli import run
from evalcore.evaluate.readers import EVERY_CRITERION
from evalcore.features.review import store
from evalcore.features.review.files import new_material, read_task, read_tasks, save_task
from evalcore.features.review.items import items_for, lists_of, material_by_key, progress
from evalcore.features.review.page_desk import Delivery, Work, data_of, item_with_pictures
from evalcore.features.review.records import Material, Task
from evalcore.features.review.store import study_id
from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.features.review.made import NOW
from tests.ui.conftest import write_study

TASK = """title = "Explanations"
form = "material"
systems = ["A", "B"]
queries = 10
criteria = ["Relevance", "Readability"]
"""


@pytest.fixture
def folder(tmp_path):
    """A study with two images that two teams explain; B has nothing on the second."""
    made = write_study(tmp_path / "study")
    (made / "review" / "explain").mkdir(parents=True)
    (made / "review" / "explain.toml").write_text(TASK)
    (made / "review" / "explain.csv").write_text(
        "image,team,caption,explanation,heat_map\n"
        'q1,A,Nodule,"Bright, round",a_1.png\nq1,B,Mass,,\nq2,A,,Nothing there,\n'
    )
    Image.new("RGB", (8, 8), "red").save(made / "review" / "explain" / "a_1.png")
    return made


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


def test_the_means_of_teams(folder, capsys):
    study, task = open_study(folder), read_task(folder, "explain")
    for n, ((reader, *wanted), value) in enumerate(RATINGS.items()):
        items = items_for(task, lists_of(study, task), reader)
        (item,) = [i for i in items if [i.query, teams(task)[i.result], i.criterion] == wanted]
        at = NOW + timedelta(seconds=n)
        store.add(study_id(folder), *item.judgments("explain", reader, id=f"{n}", at=at, value=value))
    assert run(["review", "export", str(folder), "explain"]) == 0
    capsys.readouterr()
    assert run(["readers", str(folder), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["ratings"]
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
        ("image,caption\na,b\n", "wrong-header"),
        ("image,team,caption\nq1,C,x\n", "unknown-team"),
        ("image,team,caption\nq1,A,\n", "wrong-value"),
        ("image,team,caption\nq1,A,x\nq1,A,y\n", "repeated-row"),
        ("image,team,heat_map\nq1,A,../../concepts.csv\n", "missing-picture"),
        ("image,team,caption\n", "no-rows"),
    ],
)
def test_material_that_cannot_be_used_leaves_its_task_out(folder, text, rule):
    (folder / "review" / "explain.csv").write_text(text)
    tasks, report = read_tasks(folder)
    assert "explain" not in {task.name for task in tasks}
    assert rule in {problem.rule for problem in report.problems}
    assert {problem.file for problem in report.problems} == {"review/explain.csv"}


def test_the_command_makes_what_a_hand_written_task_is(folder, tmp_path, capsys):
    by_hand = read_task(folder, "explain")
    for path in sorted((folder / "review").iterdir()):
        path.rename(tmp_path / path.name)
    make = "--task explain --form material --title Explanations --criterion Relevance --criterion Readability"
    words, table = ["review", "make", str(folder), *make.split()], tmp_path / "explain.csv"
    assert run([*words, "--material", f"{table}", "--n-queries", "10", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["form"], facts["systems"], facts["items"]) == ("material", ["A", "B"], 3 * 2)
    made = read_task(folder, "explain")
    pictures = made.heat_maps
    assert pictures is not None and (folder / "review/explain" / pictures.entries[0]).is_file()
    assert replace(made, heat_maps=None) == replace(by_hand, heat_maps=None)
    assert run([*words, "--material", f"{table}"]) == 2
    assert "already" in capsys.readouterr().err
    assert run([*words, "--material", f"{table}", "--replace"]) == 0
    assert read_task(folder, "explain").queries == 2  # both images of the table
    table.write_text("image,team,caption,heat_map\nnone,A,,x.png\nq,,y,\n")
    assert run([*words, "--material", f"{table}", "--replace"]) == 2
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
