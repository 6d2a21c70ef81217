"""Shared options are offered only where they can change what a command computes."""

from __future__ import annotations

from evalcore.cli import main, run
from evalcore.cli.program import iter_commands

LEAVES = dict(iter_commands(main))


def test_a_quiet_command_keeps_its_errors(capsys):
    assert run(["score", "data", "-m", "P(organ)@5", "-s", "hog", "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert run(["-q", "score", "data", "-m", "P(organ)@5", "-s", "nobody"]) == 2
    assert "No system called 'nobody'" in capsys.readouterr().err


def test_every_command_that_corrects_p_takes_flips():
    takes = {name: {param.name for param in command.params} for name, command in LEAVES.items()}
    corrects = {name for name, params in takes.items() if "correction" in params}
    assert {name for name, params in takes.items() if "flips" in params} == corrects | {"readers"}
    assert {"score", "compare", "report", "figures", "discrimination", "table1"} == corrects


def test_names_in_csv_files_are_as_they_are_unless_formulas_are_escaped(tmp_path, capsys):
    """So that tables can be joined by them; an option protects who opens them in a spreadsheet."""
    out = tmp_path / "board.csv"
    words = ["score", "data", "--metric", "CUI@5", "--system", "@iou", "--system", "hog", "--csv", str(out)]
    assert run(words) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["@iou", "hog"]
    assert run([*words, "--escape-formulas"]) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["'@iou", "hog"]
