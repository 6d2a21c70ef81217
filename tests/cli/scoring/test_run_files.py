"""Run files in place of systems: scored without being put into the study, and the gate for a new one."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evalcore.cli import run
from tests.study.made import write

FILES = {
    "concepts.csv": "ID,CUIs\na,C0000001\nb,C0000001\nc,C0000002\nd,C0000002\n",
    "labels.csv": "ID,organ\na,chest\nb,chest\nc,head\nd,head\n",
}
MINE = "a Q0 b 1 2 x\na Q0 c 2 1 x\nb Q0 c 1 1 x\nc Q0 d 1 1 x\nd Q0 a 1 1 x\n"


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "study", FILES)
    return write(tmp_path, {"mine.trec": MINE})


def test_it_scores_as_the_same_file_in_the_folder_does(folder, as_json):
    every = "query,candidate,score\na,b,1\nb,a,1\nc,d,1\nd,c,1\n"
    write(folder, {"study/systems/kept/run.trec": MINE, "all.csv": every})
    files = f"--system=kept --system={folder / 'mine.trec'} --system={folder / 'all.csv'}"
    answer = as_json("score", folder / "study", "--metric", "P(organ)@1", *files.split())
    means = {row["system"]: row["mean"] for row in answer["scores"]}
    assert means == {"kept": 0.5, "mine": 0.5, "all": 1.0}


def test_problems_are_named_by_file_and_line_all_at_once(folder, capsys):
    bad = "a Q0 b 1 2 x\nb Q0 c 1 nan x\nc Q0 nobody 1 1 x\n"
    write(folder, {"bad.trec": bad, "worse.trec": "a Q0 b\n"})
    assert run(["score", str(folder / "study"), "--system", str(folder / "*.trec")]) == 2
    err = capsys.readouterr().err
    assert f"{folder / 'bad.trec'}:2: " in err and f"{folder / 'bad.trec'}:3: " in err
    assert f"{folder / 'worse.trec'}" in err
    assert "The run files have " in err and "unknown" in err


# The gate: a new checkpoint against the last one.


@pytest.fixture
def checkpoints(tmp_path, monkeypatch):
    """24 images of two organs; step2 is always right, step10 wrong for eight queries."""
    images = [f"{organ}{i:02}" for organ in ("chest", "head") for i in range(12)]
    files = {
        "study/concepts.csv": "ID,CUIs\n" + "".join(f"{image},C0000001\n" for image in images),
        "study/labels.csv": "ID,organ\n" + "".join(f"{image},{image[:-2]}\n" for image in images),
    }
    files["step2.trec"] = files["study/systems/last/run.trec"] = run_of(images, wrong=())
    files["step10.trec"] = run_of(images, wrong=images[:8])
    monkeypatch.chdir(write(tmp_path, files))
    return tmp_path


def run_of(images, *, wrong):
    """For each query another image of its organ; of another organ for those that it gets wrong."""
    rows = []
    for query in images:
        others = (i for i in images if i != query and (i[:4] == query[:4]) != (query in wrong))
        rows.append(f"{query} Q0 {next(others)} 1 1 x\n")
    return "".join(rows)


def gated(*words):
    return "compare", "study", *words, "--metric", "P(organ)@1"


@pytest.mark.usefixtures("checkpoints")
def test_a_decline_ends_in_3_with_one_line_that_says_why(capsys):
    assert run(gated("step10.trec", "step2.trec", "--fail-below", "-0.01", "--json")) == 3
    out, err = capsys.readouterr()
    answer = json.loads(out)
    (row,) = answer["comparisons"]
    # by hand: 8 of 24 queries fall from 1 to 0
    assert row["difference"] == pytest.approx(-8 / 24)
    assert (row["system"], row["baseline"]) == ("step10", "step2")
    means = [(system["system"], system["mean"]) for system in answer["systems"]]
    assert means == [("step10", 16 / 24), ("step2", 1.0)]
    assert {"bound": -0.01, "significance": 0.05, "declined": True}.items() <= answer["gate"].items()
    (line,) = (line for line in err.splitlines() if line.startswith("Declined"))
    assert "step10 under P(organ)@1, -0.3333 from step2" in line and "below -0.01" in line
    # the bound decides: falling by 1/3 is no proof of falling by more than 0.3
    assert run(gated("step10.trec", "step2.trec", "--fail-below", "-0.3")) == 0
    assert "No decline below -0.3 is established (1 comparison)." in capsys.readouterr().out
    # nothing but the comparison without a bound
    assert run(gated("step10.trec", "step2.trec")) == 0
    assert "-0.3333" in capsys.readouterr().out


def test_the_gate_compares_just_what_it_is_given(checkpoints, as_json):
    """A baseline of study.toml, or a name that the study has too, takes no part in it."""
    again = (checkpoints / "step10.trec").read_bytes()
    write(checkpoints, {"study/study.toml": 'name = "x"\nbaseline = "last"\n', "last.trec": again})
    answer = as_json(*gated("last.trec", "step2.trec", "--fail-below", "-0.01"), code=3)
    assert [row["system"] for row in answer["systems"]] == ["last.trec", "step2"]
    answer = as_json(*gated("last.trec", "last", "--fail-below", "-0.01"), code=3)
    assert answer["comparisons"][0]["n_family"] == 1


@pytest.mark.usefixtures("checkpoints")
def test_a_run_file_stands_wherever_a_system_is_named(as_json, capsys):
    answer = as_json(*gated("rrf:step10.trec+last", "step2.trec", "--csv", "both.csv"))
    assert [row["system"] for row in answer["systems"]] == ["rrf:last+step10", "step2"]
    assert answer["comparisons"][0]["n_family"] == 1
    (row,) = csv.DictReader(Path("both.csv").read_text().splitlines())
    assert (row["system"], row["study"], row["alpha"]) == ("rrf:last+step10", "study", "0.5")
    rows = as_json("queries", "study", "-m", "P(organ)@1", "--against-rest", "step10.trec")["queries"]
    # by hand: for the first eight queries step10 is wrong and last is right
    assert sorted(row["difference"] for row in rows) == [-1.0] * 8 + [0.0] * 16
    assert run(gated("rrf:step*.trec+last", "last")) == 2
    assert "matches 2 files. Name one of them." in capsys.readouterr().err
