"""``views``: the list, and commands that give the numbers of each view."""

from __future__ import annotations

import json
import shlex
import shutil

import pytest

from evalcore.cli import run
from evalcore.study.folder.settings_toml import SettingsFile
from evalcore.study.workspace.views import SavedView, save_view
from tests.ui.conftest import write_study

CHOSEN = SettingsFile(
    {"metric": ["P(organ)@5"], "system": ["hog", "texture"], "baseline": "hog", "alpha": 0.25}
)


@pytest.fixture
def folder(tmp_path):
    shutil.copytree("data", tmp_path / "study")
    save_view(tmp_path / "study", SavedView("One", "home", {}, CHOSEN, ("a",), "n\x1b[31m"), in_place=True)
    pair = {"a": ("pixel-pca",), "b": ("hog",)}
    save_view(tmp_path / "study", SavedView("Two", "compare", pair, CHOSEN), in_place=True)
    save_view(tmp_path / "study", SavedView("Three", "concepts", {}, CHOSEN), in_place=True)
    return str(tmp_path / "study")


def test_commands_of_views_run_and_say_what_the_view_asks(folder, capsys):
    assert run(["views", folder, "--json"]) == 0
    one, two, three = json.loads(capsys.readouterr().out)["views"]
    assert (one["name"], one["tags"], one["settings"]["alpha"], three["command"]) == (
        "One",
        ["a"],
        0.25,
        None,
    )
    words = shlex.split(one["command"])[3:]
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["system"] for row in found["scores"]} == {"hog", "texture"}
    assert found["settings"]["alpha"] == 0.25 and found["comparisons"][0]["baseline"] == "hog"
    assert run([*shlex.split(two["command"])[3:], "--json"]) == 0
    assert "pixel-pca" in {row["system"] for row in json.loads(capsys.readouterr().out)["comparisons"]}


def test_the_list_for_people_is_harmless_and_a_view_can_go(folder, capsys):
    assert run(["views", folder]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "# One\npython -m evalcore score" in out and "# Three" not in out
    assert run(["views", folder, "--delete", "One", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["views"]] == ["Two", "Three"]
    assert run(["views", folder, "--delete", "One"]) == 2
    assert "No saved view called 'One'" in capsys.readouterr().err


def test_a_study_without_views(capsys):
    assert run(["views", "data"]) == 0
    assert "no saved views" in capsys.readouterr().out


def test_a_tour_is_saved_by_command(tmp_path, capsys):
    folder = write_study(tmp_path / "tiny")
    assert run(["views", str(folder), "--tour", "nnCUI@3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["views"]
    assert [view["name"] for view in found] == [
        "1. A good case",
        "2. A link to think about",
        "3. A disagreement",
        "4. Another credit for related concepts",
        "5. The verdict",
    ]
    assert {tuple(view["tags"]) for view in found} == {("tour",)}
    assert found[1]["address"]["metric"] == ["nnCUI@3"] and found[1]["address"]["why"]
    before = (folder / "views.toml").read_bytes()
    assert run(["views", str(folder), "--tour", "nonsense@3"]) == 2
    assert "nonsense" in capsys.readouterr().err and (folder / "views.toml").read_bytes() == before
