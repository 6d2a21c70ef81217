"""``--settings FILE``: the same numbers as the options it stands for; options win; the rest is said."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import main, run
from evalcore.cli.program import iter_commands

TWO = 'system = ["hog", "texture"]\nbaseline = "texture"\n'
FILE = f'metric = ["nnCUI@10", "P(organ)@5"]\n{TWO}alpha = 0.25\nwhere = ["organ=brain"]\ncorrection = "bh"\n'
OPTIONS = [
    "--metric",
    "nnCUI@10",
    "--metric",
    "P(organ)@5",
    "--system",
    "hog",
    "--system",
    "texture",
    "--baseline",
    "texture",
    "--alpha",
    "0.25",
    "--where",
    "organ=brain",
    "--correction",
    "bh",
]


@pytest.fixture
def ask(capsys, tmp_path):
    """ask(text, command, ...) -> (exit code, JSON or None, standard error) with that settings file."""

    def go(text, *arguments):
        file = tmp_path / "settings.toml"
        file.write_text(text)
        code = run([*arguments, "--settings", str(file), "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return go


def test_score_is_the_same_by_file_and_by_options(ask, capsys):
    code, by_file, err = ask(FILE, "score", "data")
    assert run(["score", "data", *OPTIONS, "--json"]) == code == 0
    assert by_file == json.loads(capsys.readouterr().out)
    assert by_file["settings"]["alpha"] == 0.25 and "no use" not in err


def test_what_a_command_has_no_use_for_is_named_where_it_says_something(ask):
    code, _, err = ask(FILE + 'gain = "linear"\n', "check", "data")
    assert code == 0
    unused = "metric, system, baseline, alpha, where, correction"
    assert f"settings.toml: `check` has no use for {unused}." in err


def test_a_command_of_one_metric_takes_one(ask):
    code, _, err = ask(FILE, "queries", "data")
    assert code == 2 and "names 2, but this command takes only one: give --metric." in err
    code, found, _ = ask(FILE, "queries", "data", "--metric", "CUI@5")
    assert code == 0 and found


def test_faults_are_listed_and_nothing_runs(ask):
    code, found, err = ask("alhpa = 1\nthreshold = 9\n", "score", "data", "--metric", "CUI@5")
    assert (code, found) == (2, None) and "Traceback" not in err
    assert "settings.toml:1: No setting is called 'alhpa'." in err and "settings.toml:2: `threshold`" in err


def test_another_version_of_the_study_is_said(ask):
    made = '[made_with]\nstudy = "Other"\ndigest = "0123456789"\n'
    _, _, err = ask(FILE + made, "score", "data")
    assert "saved for the study Other (01234567; here it is " in err


def test_every_command_that_takes_a_shared_setting_takes_a_file():
    shared = {"alpha", "threshold", "count_rule", "direction", "where", "unknown"}
    for words, command in iter_commands(main):
        names = {param.name for param in command.params}
        if words.split()[0] in {"imageclef", "serve"}:
            continue  # their settings are of a run, and of a server
        assert ("settings" in names) == bool(names & shared), words
