"""Shared options stand only where they can change what a command computes; elsewhere they are refused."""

from __future__ import annotations

import pytest

from evalcore.cli import main, run

NN_IOU = {"alpha", "threshold", "count-rule", "form", "direction"}
LISTS = {"ties", "include-self", "same-group", "undefined", "gain"}
EVERY = NN_IOU | LISTS | {"pool", "interval", "unknown", "where"}
TAKES = {
    # No label metric is in them, and they report no interval of a mean.
    "agreement": NN_IOU | LISTS | {"unknown", "where"},
    "discrimination": NN_IOU | LISTS | {"unknown", "where"},
    "queries": EVERY - {"interval"},
    # Votes compare the nDCG of two lists; nothing is averaged over queries with and without a value.
    "readers": NN_IOU | {"ties", "include-self", "same-group", "gain", "unknown"},
    "compare": EVERY,
    "overlap": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "score": EVERY,
    "sweep": EVERY,
    "stability": EVERY,
    "effect": EVERY,
    "table1": EVERY,
    "fuse": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "bounds": EVERY - {"interval"},
    "rank": NN_IOU | {"ties", "pool", "include-self", "same-group", "unknown", "where"},
    "export": NN_IOU | {"pool", "include-self", "same-group", "unknown", "where"},
    "explain": NN_IOU | {"unknown"},
    "kinds": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "neighbours": {"threshold", "direction", "unknown"},
    "cost": {"count-rule", "direction", "unknown"},
    "path": {"direction", "unknown"},
    "neighbourhood": {"direction", "unknown"},
    "distances": {"direction", "unknown"},
    "check": {"unknown"},
    "duplicates": {"unknown"},
    "systems": {"unknown"},
    "relations": {"unknown"},
    "embed": {"unknown"},
    "search": {"unknown"},
    "measures": {"unknown"},
    "views": {"unknown"},
    "concept-ratings": {"unknown"},
    "concept-vectors": {"unknown"},
    "report": EVERY,
    "figures": EVERY,
    "satisfaction": NN_IOU | {"unknown"},
    "annotate": {"unknown"},
    "annotate-score": EVERY,
}
VALUES = {
    "alpha": ["0.5"],
    "threshold": ["1"],
    "count-rule": ["concepts"],
    "form": ["additive"],
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


def test_every_command_on_a_study_stands_in_the_table():
    without_study = {"imageclef", "review", "wsi", "wsi-ablation", "wsi-copies", "wsi-distances"}
    without_study |= {"tools"}
    assert set(main.commands) - without_study == set(TAKES)


@pytest.mark.parametrize("command", TAKES)
def test_what_can_matter_is_offered(command):
    flags = {flag.removeprefix("--") for one in main.commands[command].params for flag in one.opts}
    hidden = [one.name for one in main.commands[command].params if getattr(one, "hidden", False)]
    assert (flags & EVERY, hidden) == (TAKES[command], [])


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for command in TAKES for option in sorted(EVERY - TAKES[command])],
)
def test_what_cannot_matter_is_refused_by_name(capsys, command, option):
    assert run([command, "data", f"--{option}", *VALUES[option]]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    if (command, option) == ("cost", "threshold"):
        assert "Did you mean '--thresholds'?" in err
        return
    reason, remedy = err.splitlines()[-1].split(": leave it out. ")
    assert reason.startswith(f"Error: `{command}` has no use for --{option}, which acts on ")
    elsewhere = remedy.removeprefix("It matters in ").removesuffix(".").split(", ")
    assert set(elsewhere) == {name for name, options in TAKES.items() if option in options}


def test_scoring_concepts_takes_what_nn_f1_reads(capsys):
    assert run(["imageclef", "concepts", "--pool", "all"]) == 2
    err = capsys.readouterr().err
    assert "`imageclef concepts` has no use for --pool, which acts on label metrics" in err


def test_an_option_nobody_has_is_unknown(capsys):
    assert run(["measures", "data", "--alhpa", "1"]) == 2
    assert "No such option" in capsys.readouterr().err
