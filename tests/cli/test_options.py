"""Shared options are offered only where they can change what a command computes."""

from __future__ import annotations

import pytest

from evalcore.cli import main, run
from evalcore.cli.program import iter_commands

LEAVES = dict(iter_commands(main))
NN_IOU = {"alpha", "threshold", "count-rule", "direction"}
LISTS = {"ties", "include-self", "same-group", "undefined", "gain"}
EVERY = NN_IOU | LISTS | {"pool", "interval", "unknown", "where"}
TAKES = {
    # No label metric is in them, and they report no interval of a mean.
    "measures": NN_IOU | LISTS | {"unknown", "where"},
    "discrimination": NN_IOU | LISTS | {"unknown", "where"},
    "queries": EVERY - {"interval"},
    # Votes compare the nDCG of two lists; nothing is averaged over queries with and without a value.
    "readers": NN_IOU | {"ties", "include-self", "same-group", "gain", "unknown"},
    "compare": EVERY,
    "overlap": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "score": EVERY,
    "labels": {"unknown"},
    "sweep": EVERY,
    "cost": {"count-rule", "direction", "unknown"},
    "table1": EVERY,
    "rank": NN_IOU | {"ties", "pool", "include-self", "same-group", "unknown", "where"},
    "qrels": NN_IOU | {"pool", "include-self", "same-group", "unknown", "where"},
    "explain": NN_IOU,
    "kinds": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "dictionary": {"threshold", "direction"},
    "path": {"direction"},
    "neighbours": {"direction"},
    "check": {"unknown"},
    "duplicates": set(),
    "fix": {"unknown"},
    "encode": set(),
    "search": set(),
    "metrics": set(),
    "ratings": set(),
    "report": EVERY,
    "figures": EVERY,
    "satisfaction": set(),
    "annotate": set(),
    "review make": {"unknown"},
    "review show": {"unknown"},
}


def test_every_command_on_a_study_is_in_the_table():
    by_files = {"imageclef", "synthetic"}
    folder_only = {"review tasks", "review export", "review import", "mrmc", "open", "serve"}
    assert {path for path in LEAVES if path.split()[0] not in by_files} - folder_only == set(TAKES)


@pytest.mark.parametrize("words", TAKES)
def test_what_can_matter_is_offered(words):
    assert {flag.removeprefix("--") for one in LEAVES[words].params for flag in one.opts} & EVERY == TAKES[
        words
    ]


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
