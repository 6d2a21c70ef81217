"""Shared options stand only where they can change what a command computes; elsewhere they are refused."""

from __future__ import annotations

import json
import re

import click
import pytest

from evalcore.cli import main, run
from evalcore.cli.options import Setting, leaves
from evalcore.values.settings import BY_SET

NN_IOU = {"alpha", "threshold", "count-rule", "direction"}
LISTS = {"ties", "include-self", "same-group", "undefined", "gain"}
GRIDS = {"alpha", "threshold", "count-rule", "direction"}
"""What `sweep` takes several of, under names of their own."""
EVERY = NN_IOU | LISTS | {"pool", "interval", "unknown", "where"}
TAKES = {
    # No label metric is in them, and they report no interval of a mean.
    "measures agreement": NN_IOU | LISTS | {"unknown", "where"},
    "measures discrimination": NN_IOU | LISTS | {"unknown", "where"},
    "queries": EVERY - {"interval"},
    # Votes compare the nDCG of two lists; nothing is averaged over queries with and without a value.
    "review readers": NN_IOU | {"ties", "include-self", "same-group", "gain", "unknown"},
    "compare": EVERY,
    "compare --overlap": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "score": EVERY,
    "score --labels": EVERY,
    "sweep": EVERY - GRIDS,
    "sweep --stability": EVERY,
    "sweep --cost": {"count-rule", "direction", "unknown"},
    "measures discrimination --table1": EVERY,
    "export run --fuse": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "export run": NN_IOU | {"ties", "pool", "include-self", "same-group", "unknown", "where"},
    "export qrels": NN_IOU | {"pool", "include-self", "same-group", "unknown", "where"},
    "explain": NN_IOU,
    "score --kinds": NN_IOU | {"include-self", "same-group", "unknown", "where"},
    "graph neighbours --dictionary": {"threshold", "direction"},
    "graph path": {"direction"},
    "graph neighbours": {"direction"},
    "graph neighbours --distances": {"direction"},
    "check": {"unknown"},
    "check --duplicates": set(),
    "fix": {"unknown"},
    "study systems": {"unknown"},
    "graph neighbours --relations": set(),
    "encode": set(),
    "graph search": set(),
    "measures list": set(),
    "graph ratings": set(),
    "graph vectors": set(),
    "report": EVERY,
    "report --figures": EVERY,
    "satisfaction": NN_IOU | {"unknown"},
    "annotate run": set(),
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


def command_of(words: str) -> click.Command:
    """The command of some words, a flag that asks for a mode among them."""
    path, _, flag = words.partition(" --")
    command = dict(leaves(main))[path]
    return command.modes[f"--{flag}"] if flag else command


def test_every_command_on_a_study_stands_in_the_table():
    words = dict(leaves(main))
    modes = {f"{path} {flag}": mode for path, one in words.items() for flag, mode in modes_of(one).items()}
    by_files = {"imageclef", "synthetic"}
    folder_only = {
        "review show --tasks",
        "review export",
        "review import",
        "annotate run --list-tools",
        "study systems --uploaded",
        "mrmc",
        "open",
        "serve",
    }
    assert {path for path in words | modes if path.split()[0] not in by_files} - folder_only == set(TAKES)


def modes_of(command: click.Command) -> dict[str, click.Command]:
    return getattr(command, "modes", {})


@pytest.mark.parametrize("words", TAKES)
def test_what_can_matter_is_offered(words):
    command = command_of(words)
    own = [one for one in command.params if " " not in one.name]  # else it is of a mode
    assert {flag.removeprefix("--") for one in own for flag in one.opts} & EVERY == TAKES[words]


@pytest.mark.parametrize("words", TAKES)
def test_what_has_no_option_of_its_own_is_named_by_the_help_of_set(words):
    command = command_of(words)
    hidden = {one.name for one in command.params if getattr(one, "hidden", False) and one.expose_value}
    own = {one.name for one in command.params if isinstance(one, Setting)}
    shown = next((one.help for one in command.params if one.name == "settings"), "")
    assert set(re.findall(r"^(\w+)=", shown, flags=re.M)) == hidden <= set(BY_SET) | own


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
    if (words, option) == ("sweep --cost", "threshold"):
        assert "Did you mean '--thresholds'?" in err
        return
    if (words, option) == ("graph neighbours", "threshold"):
        assert "--threshold goes with --dictionary." in err
        return
    reason, remedy = err.splitlines()[-1].split(": leave it out. ")
    assert reason.startswith(f"Error: `{words}` has no use for --{option}, which acts on ")
    elsewhere = remedy.removeprefix("It matters in ").removesuffix(".").split(", ")
    usual = {name for name, options in TAKES.items() if option in options and " --" not in name}
    assert set(elsewhere) - {"imageclef concepts", "sweep"} == usual - {"sweep"}


@pytest.mark.parametrize("given", ["gain=exp", "same-group=keep"])
def test_a_setting_that_cannot_matter_is_refused_by_name(capsys, given):
    assert run(["check", "data", "--set", given]) == 2
    name = given.split("=")[0].replace("-", "_")
    assert f"`check` has no use for --set {name}, which acts on " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("gian=exp", "`score` has no setting called 'gian'. It has "),
        ("gain=more", "Invalid value for --set gain: 'more' is not one of 'linear', 'exp'."),
        ("threshold=9", "Invalid value for --set threshold: 9 is not in the range 0<=x<=4."),
        ("include_self=perhaps", "Invalid value for --set include_self: 'perhaps' is not a valid boolean"),
        ("flips=" + "9" * 400, "Invalid value for --set flips: "),
    ],
)
def test_a_setting_with_a_fault_is_named(capsys, given, message):
    assert run(["score", "data", "--metric", "CUI@10", "--set", given]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and "Traceback" not in err


def test_a_setting_is_given_by_set_only(capsys):
    asked = ["score", "data", "--metric", "P(organ)@5", "--system", "hog", "--json"]
    assert run([*asked, "--set", "pool=all", "--set", "include_self=true", "--set", "where=organ=brain"]) == 0
    by_set = json.loads(capsys.readouterr().out)["settings"]
    assert by_set["include_self"] is True and by_set["where"] == ["organ=brain"]
    for option, form in (("--pool=all", "pool=labelled|all"), ("--flips=10", "flips=N")):
        assert run([*asked, option]) == 2
        out, err = capsys.readouterr()
        name = option.partition("=")[0]
        assert out == "" and f"No such option '{name}'" in err and f"--set {form}" in err


def test_settings_win_over_a_file_and_options_over_both(capsys, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('gain = "exp"\nthreshold = 2\nalpha = 0.25\n')
    asked = ["score", "data", "--metric", "CUI@10", "--system", "hog", "--json", "--alpha", "1"]
    assert run([*asked, "--set", "threshold=3", "--settings", str(file), "--set", "alpha=0"]) == 0
    found = json.loads(capsys.readouterr().out)["settings"]
    assert (found["gain"], found["threshold"], found["alpha"]) == ("exp", 3, 1)


def test_scoring_concepts_takes_what_nn_f1_reads(capsys):
    assert run(["imageclef", "concepts", "--pool", "all"]) == 2
    err = capsys.readouterr().err
    assert "`imageclef concepts` has no use for --pool, which acts on label metrics" in err


def test_an_option_nobody_has_is_unknown(capsys):
    assert run(["measures", "list", "data", "--alhpa", "1"]) == 2
    assert "No such option" in capsys.readouterr().err
