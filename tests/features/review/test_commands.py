"""``review``: tasks are made, listed and shown; what readers said goes out and comes in."""

from __future__ import annotations

import pytest

from evalcore.cli import run
from evalcore.features.review import store
from evalcore.features.review.files import read_task
from evalcore.features.review.items import items_for, lists_of
from evalcore.features.review.store import study_id
from evalcore.study import open_study
from tests.features.review.made import NOW

MAKE = ["--task", "chest", "--n-queries", "3", "--system", "alpha", "--system", "beta", "--depth", "2"]


@pytest.fixture
def review(study_folder, as_json):
    return lambda what, *words: as_json("review", what, study_folder, *words)


def judge(folder, reader, values):
    """The first items of a reader in the order of their keys, so that readers judge the same ones."""
    study, task = open_study(folder), read_task(folder, "chest")
    items = sorted(items_for(task, lists_of(study, task), reader), key=lambda item: item.key)
    for n, (item, value) in enumerate(zip(items, values, strict=False)):
        answer = {"status": "cannot-say"} if value is None else {"value": value}
        about = {"id": f"{reader}-{n}", "at": NOW, "comment": "=1+1"}
        store.add(study_id(folder), *item.judgments("chest", reader, **about, **answer))


def test_a_task_is_made_listed_and_shown(study_folder, review):
    more = [
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
    ]
    made = review("make", *more, "Would it help?", *MAKE)
    task = read_task(study_folder, "chest")
    assert (task.title, task.scale, task.seed, task.panel) == ("Chest", 100, 1, True)
    assert (task.reasons, task.instructions) == (("organ",), "Would it help?")
    n = len(items_for(task, lists_of(open_study(study_folder), task), "anybody"))
    assert made["items"] == n and len(made["queries"]) == 3
    judge(study_folder, "R1", [1.0, None])
    judge(study_folder, "R2", [0.0, 0.5, 0.5])
    assert review("show", "chest")["readers"] == [
        {"reader": "R1", "done": 2, "of": n, "cannot_say": 1},
        {"reader": "R2", "done": 3, "of": n, "cannot_say": 0},
    ]
    listing = review("show")
    (listed,) = listing["tasks"]
    assert (listed["name"], listed["systems"], listed["judgments"]) == ("chest", ["alpha", "beta"], 5)
    assert listing["database"].endswith("/review/judgments.db")


def test_what_goes_out_comes_in_again(study_folder, review, capsys, tmp_path, monkeypatch):
    review("make", *MAKE)
    judge(study_folder, "R1", [1.0, None, 0.25])
    judge(study_folder, "R2", [0.0, 0.5])
    history = store.history(study_id(study_folder))
    for name in ("j.csv", "j.json.gz"):
        out = tmp_path / name
        assert review("export", "chest", "--out", out)["judgments"] == 5
        known = review("import", out)
        counts = (known["study"], known["new"], known["known"], known["tasks"])
        assert counts == (str(study_folder), 0, 5, [])
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("CUISCOPE_HOME", str(tmp_path / f"home of {name}"))
            assert review("import", out)["new"] == 5
            assert store.history(study_id(study_folder)) == history
    assert "'=1+1" in (tmp_path / "j.csv").read_text()
    assert run(["review", "export", str(study_folder), "chest", "--out", "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "j.csv").read_text()
