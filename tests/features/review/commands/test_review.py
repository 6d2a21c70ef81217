"""``review``: tasks are made, listed and shown; what readers said goes out and comes in."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.review.items import lists_of, plan_of
from evalcore.features.review.read import store
from evalcore.features.review.read.store import study_id
from evalcore.features.review.read.task_files import read_task, read_tasks
from evalcore.study import open_study

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
MAKE = ("--task", "chest", "--n-queries", "3", "--system", "hog", "--system", "texture", "--depth", "2")


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample") / "study"
    shutil.copytree("data", folder, ignore=shutil.ignore_patterns("review"))
    return folder


@pytest.fixture
def folder(sample, tmp_path):
    shutil.copytree(sample, tmp_path / "study")
    return str(tmp_path / "study")


def called(capsys, *words):
    """The document of a command that works."""
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def judge(folder, reader, values):
    """The first items of a reader in the order of their keys, so that readers judge the same ones."""
    study, path = open_study(folder), Path(folder)
    task = read_task(path, "chest")
    plan = plan_of(task, lists_of(study, task), reader=reader)
    items = sorted(plan.items, key=lambda item: item.key)
    for number, value in enumerate(values):
        what = {"said": "cannot-say"} if value is None else {"value": value}
        made = plan.judgments(items[number], id=f"{reader}-{number}", at=NOW, comment="=1+1", **what)
        store.add(study_id(path), *made)
    return [(item.query, item.results[0]) for item in items]


def test_a_task_is_made_listed_and_shown(folder, capsys):
    made = called(
        capsys,
        "review",
        "make",
        folder,
        *MAKE,
        "--seed",
        "1",
        "--steps",
        "100",
        "--panel",
        "--title",
        "Chest",
        "--reason",
        "organ",
        "--instructions",
        "Would it help?",
    )
    task = read_task(Path(folder), "chest")
    assert (task.title, task.scale, task.seed, task.panel, task.reasons) == (
        "Chest",
        100,
        1,
        True,
        ("organ",),
    )
    plan = plan_of(task, lists_of(open_study(folder), task), reader="anybody")
    assert made["items"] == len(plan.items) and set(made["queries"]) == set(plan.lists)
    found = called(capsys, "review", "tasks", folder)
    assert found["database"].endswith("/review/judgments.db")
    [listed] = found["tasks"]
    assert (listed["name"], listed["systems"], listed["readers"], listed["judgments"]) == (
        "chest",
        ["hog", "texture"],
        0,
        0,
    )
    judge(folder, "R1", [1.0, None])
    judge(folder, "R2", [0.0, 0.5, 0.5])
    shown = called(capsys, "review", "show", folder, "chest")
    assert shown["readers"] == [
        {"reader": "R1", "done": 2, "of": len(plan.items), "cannot_say": 1},
        {"reader": "R2", "done": 3, "of": len(plan.items), "cannot_say": 0},
    ]
    assert shown["differences"] == 2
    assert called(capsys, "review", "tasks", folder)["tasks"][0]["judgments"] == 5
    assert run(["review", "show", folder, "chest"]) == 0
    assert "Readers differ on 2." in capsys.readouterr().out


def test_what_goes_out_comes_in_again(folder, capsys, tmp_path, monkeypatch):
    assert run(["review", "make", folder, *MAKE]) == 0
    judge(folder, "R1", [1.0, None, 0.25])
    judge(folder, "R2", [0.0, 0.5])
    said = store.history(study_id(Path(folder)))
    for name in ("j.csv", "j.json", "j.csv.gz"):
        capsys.readouterr()
        out = str(tmp_path / name)
        assert called(capsys, "review", "export", folder, "chest", "--out", out)["judgments"] == 5
        assert called(capsys, "review", "import", folder, out) | {"file": ""} == {
            "study": folder,
            "file": "",
            "new": 0,
            "known": 5,
            "tasks": [],
        }
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("CUISCOPE_HOME", str(tmp_path / f"home of {name}"))
            assert called(capsys, "review", "import", folder, out)["new"] == 5
            assert store.history(study_id(Path(folder))) == said
    assert "'=1+1" in (tmp_path / "j.csv").read_text()
    capsys.readouterr()
    assert run(["review", "export", folder, "chest", "--out", "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "j.csv").read_text()
    one = called(
        capsys, "review", "export", folder, "chest", "--out", str(tmp_path / "k.csv"), "--reader", "R2"
    )
    assert one["judgments"] == 2 and one["readers"] == ["R2"]


def test_qrels_hold_the_median_and_count_what_is_left_out(folder, capsys, tmp_path):
    assert run(["review", "make", folder, *MAKE]) == 0
    pairs = judge(folder, "R1", [1.0, None, 0.25])
    judge(folder, "R2", [0.0, 0.5])
    judge(folder, "R3", [0.75])
    capsys.readouterr()
    out = tmp_path / "j.qrels"
    told = called(capsys, "review", "export", folder, "chest", "--out", str(out))
    wanted = sorted(
        f"{query} 0 {image} {grade}" for (query, image), grade in zip(pairs, (3, 2, 1), strict=False)
    )
    assert sorted(out.read_text().splitlines()) == wanted
    assert (told["rows"], told["cannot_say"], told["of_several"], told["readers"]) == (
        3,
        1,
        1,
        ["R1", "R2", "R3"],
    )
    called(capsys, "review", "export", folder, "chest", "--out", str(out), "--reader", "R1", "--grades", "8")
    assert sorted(line.split()[-1] for line in out.read_text().splitlines()) == ["2", "8"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("make", *MAKE[:2], "--system", "hog"), "Give one of --n-queries N and --query ID"),
        (("make", *MAKE, "--query", "x"), "Give one of --n-queries N and --query ID"),
        (("make", *MAKE, "--system", "none"), "No system with a run called 'none'"),
        (("make", "--task", "../x", *MAKE[2:]), "A task file must be called by letters"),
        (("make", *MAKE, "--depth", "0"), "`depth` must be a whole number from 1 to 100"),
        (("make", *MAKE, "--kind", "ratings"), "at least one criterion"),
        (("show", "chst"), "No task called 'chst'"),
        (("export", "chest", "--out", "x.tsv"), "--out must end in .csv, .json, .qrels"),
        (("export", "chest", "--out", "x.csv", "--grades", "4"), "--grades is of qrels only"),
        (("export", "chest", "--out", "x.csv"), "No task called 'chest'"),
        (("import", "none.csv"), "none.csv cannot be read"),
        (("import", "README.md"), "README.md has 1 error, so nothing of it was stored"),
    ],
)
def test_what_cannot_be_is_said(folder, capsys, words, said):
    assert run(["review", words[0], folder, *words[1:]]) == 2
    out, err = capsys.readouterr()
    assert said in err and "Traceback" not in err and out == ""
    assert not read_tasks(Path(folder))[0]


def test_the_sample_stays_as_it_is_and_no_folder_is_no_study(capsys, tmp_path):
    assert run(["review", "make", "data", *MAKE]) == 2
    assert "it is never changed" in capsys.readouterr().err
    assert run(["review", "tasks", str(tmp_path / "none")]) == 2
    assert run(["review", "tasks", "data"]) == 0
    assert "simulated-lists" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("tasks",), ("export", "chest", "--out", "x.csv"), ("import", "x.csv")])
def test_what_opens_no_study_takes_no_option_of_opening_one(capsys, words):
    assert run(["review", words[0], "data", *words[1:], "--unknown", "drop"]) == 2
    assert "--unknown" in capsys.readouterr().err


def test_problems_of_files_are_said_beside_what_is_fine(folder, capsys):
    assert run(["review", "make", folder, *MAKE]) == 0
    (Path(folder) / "review/b.toml").write_text("depth = 0\n")
    (Path(folder) / "review/c.judgments.csv").write_text("nonsense\n")
    capsys.readouterr()
    assert run(["review", "tasks", folder]) == 0
    out, err = capsys.readouterr()
    assert "chest" in out and "review/b.toml:1: `depth`" in err and "review/c.judgments.csv:1:" in err
