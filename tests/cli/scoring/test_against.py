"""``score --against``: what a file of an earlier run must hold, and when a decline ends in exit code 3."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run

IMAGES = [f"{organ}{i:02}" for organ in ("chest", "head") for i in range(12)]
METRIC = ("--metric", "P(organ)@1")


def run_file(path, wrong=()):
    """Every query gets an image of its own organ, the ``wrong`` ones one of the other."""
    rows = []
    for query in IMAGES:
        others = [one for one in IMAGES if one != query and (one[:4] == query[:4]) != (query in wrong)]
        rows.append(f"{query} Q0 {others[0]} 1 1 x")
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    study = tmp_path / "study"
    study.mkdir()
    concepts = "".join(f"{one},C000000{1 + (one[0] == 'h')}\n" for one in IMAGES)
    (study / "concepts.csv").write_text("ID,CUIs\n" + concepts)
    (study / "labels.csv").write_text("ID,organ\n" + "".join(f"{one},{one[:-2]}\n" for one in IMAGES))
    (tmp_path / "ckpts").mkdir()
    run_file(tmp_path / "ckpts" / "step2.trec")
    run_file(tmp_path / "ckpts" / "step10.trec", IMAGES[:8])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def saved(folder, capsys):
    score = ("score", "study", *METRIC, "--run", "mine=ckpts/step2.trec")
    assert run([*score, "--per-query", "last.json"]) == 0
    capsys.readouterr()
    return folder / "last.json"


def against(*more, metric=METRIC):
    return run(["score", "study", *metric, "--against", "last.json", *more])


def test_runs_by_a_pattern_are_called_as_their_files(folder, capsys):
    (folder / "ckpts" / "notes").mkdir()
    assert run(["score", "study", *METRIC, "--run", "ckpts/step*.trec", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["scores"]
    assert {row["system"]: row["mean"] for row in rows} == {"step2": 1.0, "step10": 16 / 24}
    assert run(["score", "study", *METRIC, "--run", "ckpts/none*.trec"]) == 2
    assert "No file matches 'ckpts/none*.trec'" in capsys.readouterr().err
    assert run(["score", "study", "--run", "ckpts/step2.trec", "ckpts/step10.trec"]) == 2
    assert "Put a pattern of --run in quotes" in capsys.readouterr().err
    run_file(folder / "ckpts" / "step2.csv")
    assert run(["score", "study", *METRIC, "--run", "ckpts/step2.*"]) == 2
    err = capsys.readouterr().err
    assert "would both be called 'step2'" in err and "--run NAME=ckpts/step2.trec" in err


@pytest.mark.usefixtures("saved")
def test_a_decline_ends_in_3_with_one_line_that_says_why(capsys):
    given = ("--run", "mine=ckpts/step10.trec", "--fail-below", "-0.01")
    assert against(*given, "--json", metric=()) == 3
    out, err = capsys.readouterr()
    found = json.loads(out)["against"]
    (row,) = found["changes"]
    # by hand: 8 of 24 queries fall from 1 to 0
    assert row["difference"] == pytest.approx(-8 / 24) and (row["then"], row["now"]) == (1.0, 16 / 24)
    assert found["declined"] and row["declined"] and (found["bound"], found["significance"]) == (-0.01, 0.05)
    (line,) = (one for one in err.splitlines() if one.startswith("Declined"))
    assert "mine under P(organ)@1 from 1.0000 to 0.6667, -0.3333" in line and "below -0.01" in line
    # the bound decides: falling by 1/3 is no proof of falling by more than 0.3
    assert against("--run", "mine=ckpts/step10.trec", "--fail-below", "-0.3") == 0
    assert "No decline below -0.3 is established (1 comparison)." in capsys.readouterr().out
    # nothing but the comparison without a bound
    assert against("--run", "mine=ckpts/step10.trec") == 0
    assert "-0.3333" in capsys.readouterr().out


@pytest.mark.usefixtures("saved")
def test_markdown_for_a_comment(capsys):
    given = ("--run", "mine=ckpts/step10.trec", "--fail-below", "-0.01", "--markdown", "-")
    assert against(*given) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("**Declined: mine under P(organ)@1 from 1.0000 to 0.6667")
    head, _, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:5])
    cells = dict(zip(head, row, strict=True))
    assert (cells["System"], cells["Metric"], cells["Then"], cells["Now"]) == (
        *("mine", "P(organ)@1"),
        *("1.0000", "0.6667"),
    )
    assert (cells["Difference"], cells["Declined"]) == ("−0.3333", "yes")
    assert any(line.startswith("| System | P(organ)@1 |") for line in lines)  # the board below


@pytest.mark.usefixtures("saved")
def test_checkpoints_of_other_names_are_compared_with_the_only_system_of_the_file(capsys):
    assert against("--run", "ckpts/*.trec", "--fail-below", "-0.01", "--json") == 3
    found = json.loads(capsys.readouterr().out)["against"]
    rows = {(row["system"], row["system_then"], row["declined"]) for row in found["changes"]}
    assert rows == {("step2", "mine", False), ("step10", "mine", True)}


def test_systems_of_only_one_side_are_named(folder, saved, capsys):
    two = json.loads(saved.read_text())
    two["scores"].append(two["scores"][0] | {"system": "older"})
    saved.write_text(json.dumps(two))
    assert against("--run", "mine=ckpts/step2.trec", "--run", "new=ckpts/step10.trec") == 0
    out = capsys.readouterr().out
    assert "Not in last.json and not compared: new." in out
    assert "In last.json and not scored now: older." in out
    assert against("--run", "new=ckpts/step10.trec") == 2
    assert "contains mine, older; scored now: new." in capsys.readouterr().err


@pytest.mark.usefixtures("saved")
def test_what_does_not_fit_is_named(folder, capsys):
    given = ("--run", "mine=ckpts/step2.trec")
    assert against(*given, "--set", "pool=all", metric=("--metric", "CUI@1")) == 2
    err = capsys.readouterr().err
    assert "no values under CUI@1; it has P(organ)@1" in err
    assert "It was scored with pool = labelled; now it is all." in err
    assert against(*given, "--where", "organ=head") == 2
    err = capsys.readouterr().err
    assert "12 queries that only the file has: chest00, chest01, chest02, chest03, chest04 and 7 more" in err
    (folder / "study" / "candidates.txt").write_text("\n".join(IMAGES[1:]) + "\n")
    assert against(*given) == 2
    err = capsys.readouterr().err
    assert "compared over 24 queries and 24 candidates; now over 24 queries and 23 candidates" in err
    labels = folder / "study" / "labels.csv"
    labels.write_text(labels.read_text().replace("head05,head", "head05,chest"))
    assert against(*given) == 2
    assert "It was scored on other data (study; here study): labels." in capsys.readouterr().err
    assert run(["score", "study", *METRIC, *given, "--fail-below", "-0.1"]) == 2
    assert "--fail-below goes with --against" in capsys.readouterr().err


SCORE = {"system": "mine", "metric": "P(organ)@1", "values": [1.0] * 24}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "last.json:1: The file is not JSON"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"scores": []}', "which cannot be paired by query"),
        ("7", "does not contain the value of every query"),
        ({"version": 2}, "The file has version 2.0, not 1."),
        ({"basis": None, "queries": [1]}, "'queries' is not a list of image ids"),
        ({"queries": ["chest00"] * 24}, "'queries' names an image twice"),
        ({"scores": [SCORE, SCORE]}, "mine under P(organ)@1 is there twice"),
        ({"scores": [SCORE | {"values": [1.0] * 23}]}, "Score 1 must be a system, a metric, and a number"),
        ({"scores": [SCORE | {"values": [float("nan")] * 24}]}, "Score 1 must be a system"),
        ({"scores": [SCORE | {"values": ["1"] * 24}]}, "Score 1 must be a system"),
        ({"scores": [SCORE | {"values": [None] + [1.0] * 23}]}, "have a value under P(organ)@1 in only one"),
        ({"settings": {}, "compared_over": {}}, "It was scored with alpha = missing; now it is 0.5."),
    ],
)
def test_a_hurt_file_is_refused(saved, capsys, text, message):
    if isinstance(text, dict):
        text = json.dumps(json.loads(saved.read_text()) | text)
    saved.write_text(text)
    assert against("--run", "mine=ckpts/step2.trec") == 2
    err = capsys.readouterr().err
    assert message in err and "Traceback" not in err
