"""Shared options stand only where they can change what a command computes; elsewhere they are refused."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import main, run
from evalcore.cli.options import leaves

LEAVES = dict(leaves(main))
NN_IOU = {"alpha", "threshold", "count-rule", "direction"}
LISTS = {"ties", "include-self", "same-group", "undefined", "gain"}
GRIDS = {"alpha", "threshold", "count-rule", "direction"}
"""What `sweep` takes several of, under names of their own."""
EVERY = NN_IOU | LISTS | {"pool", "interval", "unknown", "where"}
TAKES = {
    # No label metric is in them, and they report no interval of a mean.
    "measures": NN_IOU | LISTS | {"unknown", "where"},
    "discrimination": NN_IOU | LISTS | {"unknown", "where"},
    "queries": EVERY - {"interval"},
    # Votes compare the nDCG of two lists; nothing is averaged over queries with and without a value.
    "review readers": NN_IOU | {"ties", "include-self", "same-group", "gain", "unknown"},
    "compare": EVERY,
    "overlap": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "score": EVERY,
    "labels": EVERY,
    "sweep": EVERY - GRIDS,
    "stability": EVERY,
    "cost": {"count-rule", "direction", "unknown"},
    "table1": EVERY,
    "rank": NN_IOU | {"ties", "include-self", "same-group", "unknown", "where"},
    "run": NN_IOU | {"ties", "pool", "include-self", "same-group", "unknown", "where"},
    "qrels": NN_IOU | {"pool", "include-self", "same-group", "unknown", "where"},
    "explain": NN_IOU,
    "kinds": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "dictionary": {"threshold", "direction"},
    "path": {"direction"},
    "neighbours": {"direction"},
    "distances": {"direction"},
    "check": {"unknown"},
    "duplicates": set(),
    "fix": {"unknown"},
    "systems": {"unknown"},
    "relations": set(),
    "encode": set(),
    "search": set(),
    "metrics": set(),
    "ratings": set(),
    "report": EVERY,
    "figures": EVERY,
    "satisfaction": NN_IOU | {"unknown"},
    "annotate": set(),
    "review make": {"unknown"},
    "review show": {"unknown"},
}
VALUES = {
    "alpha": ["0.5"],
    "threshold": ["1"],
    "count-rule": ["concepts"],
    "direction": ["undirected"],
    "ties": ["id"],
    "pool": ["all"],
    "undefined": ["zero"],
    "gain": ["exp"],
    "interval": ["bca"],
    "unknown": ["error"],
    "include-self": [],
    "same-group": ["keep"],
    "where": ["organ=brain"],
}


def test_every_command_on_a_study_is_in_the_table():
    by_files = {"imageclef", "synthetic"}
    folder_only = {"review tasks", "review export", "review import", "studies", "mrmc", "open", "serve"}
    assert {path for path in LEAVES if path.split()[0] not in by_files} - folder_only == set(TAKES)


@pytest.mark.parametrize("words", TAKES)
def test_what_can_matter_is_offered(words):
    assert {flag.removeprefix("--") for one in LEAVES[words].params for flag in one.opts} & EVERY == TAKES[
        words
    ]


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (words, option)
        for words in TAKES
        for option in sorted(EVERY - TAKES[words] - {"unknown"} - (GRIDS if words == "sweep" else set()))
    ],
)
def test_what_cannot_matter_is_refused_by_name(capsys, words, option):
    assert run([*words.split(), "data", f"--{option}", *VALUES[option]]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    if (words, option) == ("cost", "threshold"):
        assert "Did you mean '--thresholds'?" in err
        return
    reason, remedy = err.splitlines()[-1].split(": leave it out. ")
    assert reason.startswith(f"Error: `{words}` has no use for --{option}, which acts on ")
    elsewhere = remedy.removeprefix("It matters in ").removesuffix(".").split(", ")
    usual = {name for name, options in TAKES.items() if option in options}
    assert set(elsewhere) - {"imageclef concepts", "sweep"} == usual - {"sweep"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--gian", "exp"], "No such option '--gian'"),
        (["--gain", "more"], "Invalid value for '--gain': 'more' is not one of 'linear', 'exp'."),
        (["--threshold", "9"], "Invalid value for '--threshold': 9 is not in the range 0<=x<=4."),
        (["--flips", "9" * 400], "Invalid value for '--flips': "),
    ],
)
def test_a_setting_with_a_fault_is_named(capsys, given, message):
    assert run(["score", "data", "--metric", "CUI@10", *given]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and "Traceback" not in err


def test_a_quiet_command_keeps_its_errors(capsys):
    assert run(["score", "data", "-m", "P(organ)@5", "-s", "hog", "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert run(["-q", "score", "data", "-m", "P(organ)@5", "-s", "nobody"]) == 2
    assert "No system called 'nobody'" in capsys.readouterr().err


def test_options_win_over_a_file(capsys, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('gain = "exp"\nthreshold = 2\nalpha = 0.25\n')
    asked = ["score", "data", "--metric", "CUI@10", "--system", "hog", "--json", "--alpha", "1"]
    assert run([*asked, "--threshold", "3", "--settings", str(file)]) == 0
    found = json.loads(capsys.readouterr().out)["settings"]
    assert (found["gain"], found["threshold"], found["alpha"]) == ("exp", 3, 1)


def test_scoring_concepts_takes_what_nn_f1_reads(capsys):
    assert run(["imageclef", "concepts", "--pool", "all"]) == 2
    err = capsys.readouterr().err
    assert "`imageclef concepts` has no use for --pool, which acts on label metrics" in err


def test_an_option_nobody_has_is_unknown(capsys):
    assert run(["metrics", "data", "--alhpa", "1"]) == 2
    assert "No such option" in capsys.readouterr().err
