"""``--settings FILE``: the same numbers as the options it stands for; options win; the rest is said."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import main, run
from evalcore.cli.program import iter_commands

FILE = """metric = ["nnCUI@10", "P(organ)@5"]
system = ["hog", "texture"]
baseline = "texture"
alpha = 0.25
where = ["organ=brain"]
correction = "bh"
"""
OPTIONS = (
    "--metric nnCUI@10 --metric P(organ)@5 --system hog --system texture --baseline texture --alpha 0.25 "
    "--where organ=brain --correction bh"
)


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


def test_score_is_the_same_by_file_and_by_options_which_win(ask, as_json):
    code, by_file, err = ask(FILE, "score", "data")
    assert (code, by_file) == (0, as_json("score", "data", *OPTIONS.split())) and "no use" not in err
    words = ["score", "data", "--metric", "CUI@10", "--system", "hog", "--alpha", "1", "--threshold", "3"]
    _, answer, _ = ask('gain = "exp"\nthreshold = 2\nalpha = 0.25\n', *words)
    assert [answer["settings"][name] for name in ("gain", "threshold", "alpha")] == ["exp", 3, 1]


def test_what_a_command_has_no_use_for_is_named_where_it_says_something(ask):
    code, _, err = ask(FILE + 'gain = "linear"\n', "check", "data")
    unused = "metric, system, baseline, alpha, where, correction"
    assert code == 0 and f"settings.toml: `check` has no use for {unused}." in err
    code, _, err = ask(FILE, "queries", "data")
    assert code == 2 and "names 2, but this command takes only one: give --metric." in err


def test_faults_and_another_version_of_the_study_are_said(ask):
    code, answer, err = ask("alhpa = 1\nthreshold = 9\n", "score", "data", "--metric", "CUI@5")
    assert (code, answer) == (2, None) and "Traceback" not in err
    assert "settings.toml:1: Nothing is called 'alhpa' here." in err and "settings.toml:2: `threshold`" in err
    made = '[made_with]\nstudy = "Other"\ndigest = "0123456789"\n'
    _, _, err = ask(FILE + made, "score", "data")
    assert "saved for the study Other (01234567; here it is " in err


def test_every_command_that_takes_a_shared_setting_takes_a_file():
    shared = {"alpha", "threshold", "count_rule", "direction", "where", "unknown"}
    for words, command in iter_commands(main):
        flags = (flag for param in command.params for flag in param.opts)
        names = {flag.lstrip("-").replace("-", "_") for flag in flags}
        if words.split()[0] in {"imageclef", "serve"}:
            continue  # their settings are of a run, and of a server
        assert ("settings" in names) == bool(names & shared), words
