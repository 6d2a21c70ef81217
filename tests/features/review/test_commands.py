"""``review``: tasks are made, listed and shown; what readers said goes out and comes in."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.review import store
from evalcore.features.review.files import read_task
from evalcore.features.review.items import items_for, lists_of
from evalcore.features.review.store import study_id
from evalcore.study import open_study
from tests.features.review.made import NOW

MAKE = ("--task", "chest", "--n-queries", "3", "--system", "hog", "--system", "texture", "--depth", "2")


@pytest.fixture
def folder(tmp_path):
    return str(shutil.copytree("data", tmp_path / "study", ignore=shutil.ignore_patterns("review")))


def called(capsys, line, *words):
    """The document of a command that works."""
    assert run([*shlex.split(f"review {line}"), *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def judge(folder, reader, values):
    """The first items of a reader in the order of their keys, so that readers judge the same ones."""
    study, path = open_study(folder), Path(folder)
    task = read_task(path, "chest")
    items = sorted(items_for(task, lists_of(study, task), reader), key=lambda item: item.key)
    for n, (item, value) in enumerate(zip(items, values, strict=False)):
        answer = {"status": "cannot-say"} if value is None else {"value": value}
        about = {"id": f"{reader}-{n}", "at": NOW, "comment": "=1+1"}
        store.add(study_id(path), *item.judgments("chest", reader, **about, **answer))


def test_a_task_is_made_listed_and_shown(folder, capsys):
    more = "--seed 1 --steps 100 --panel --title Chest --reason organ --instructions 'Would it help?'"
    made = called(capsys, f"make {folder} {more}", *MAKE)
    task = read_task(Path(folder), "chest")
    assert (task.title, task.scale, task.seed, task.panel) == ("Chest", 100, 1, True)
    assert (task.reasons, task.instructions) == (("organ",), "Would it help?")
    n = len(items_for(task, lists_of(open_study(folder), task), "anybody"))
    assert made["items"] == n and len(made["queries"]) == 3
    listing = called(capsys, f"show {folder}")
    [listed] = listing["tasks"]
    assert listing["database"].endswith("/review/judgments.db")
    assert (listed["name"], listed["systems"]) == ("chest", ["hog", "texture"])
    assert (listed["readers"], listed["judgments"]) == (0, 0)
    judge(folder, "R1", [1.0, None])
    judge(folder, "R2", [0.0, 0.5, 0.5])
    assert called(capsys, f"show {folder} chest")["readers"] == [
        {"reader": "R1", "done": 2, "of": n, "cannot_say": 1},
        {"reader": "R2", "done": 3, "of": n, "cannot_say": 0},
    ]
    assert called(capsys, f"show {folder}")["tasks"][0]["judgments"] == 5


def test_what_goes_out_comes_in_again(folder, capsys, tmp_path, monkeypatch):
    assert run(["review", "make", folder, *MAKE]) == 0
    judge(folder, "R1", [1.0, None, 0.25])
    judge(folder, "R2", [0.0, 0.5])
    history = store.history(study_id(Path(folder)))
    for name in ("j.csv", "j.json.gz"):
        capsys.readouterr()
        out = str(tmp_path / name)
        assert called(capsys, f"export {folder} chest --out {out}")["judgments"] == 5
        known = called(capsys, f"import {folder} {out}")
        assert (known["study"], known["new"], known["known"], known["tasks"]) == (folder, 0, 5, [])
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("CUISCOPE_HOME", str(tmp_path / f"home of {name}"))
            assert called(capsys, f"import {folder} {out}")["new"] == 5
            assert store.history(study_id(Path(folder))) == history
    assert "'=1+1" in (tmp_path / "j.csv").read_text()
    capsys.readouterr()
    assert run(["review", "export", folder, "chest", "--out", "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "j.csv").read_text()
