"""Runs that are scored without being put into the study."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.study import open_study

FILES = {
    "concepts.csv": "ID,CUIs\na,C0000001\nb,C0000001\nc,C0000002\nd,C0000002\n",
    "labels.csv": "ID,organ\na,chest\nb,chest\nc,head\nd,head\n",
}
MINE = "a Q0 b 1 2 x\na Q0 c 2 1 x\nb Q0 c 1 1 x\nc Q0 d 1 1 x\nd Q0 a 1 1 x\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / "study" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "study" / name).write_text(text)
    (tmp_path / "run.trec").write_text(MINE)
    return tmp_path


def score(folder, *more):
    return run(["score", str(folder / "study"), "--metric", "P(organ)@1", *more])


def files(folder):
    return {path: path.stat().st_mtime_ns for path in sorted(Path(folder / "study").rglob("*"))}


def test_a_study_without_systems_scores_a_run(folder, capsys):
    before = files(folder)
    assert score(folder, "--run", f"mine={folder / 'run.trec'}", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    # by hand: right for a and c, wrong for b and d
    assert [(row["system"], row["mean"], row["n_scored"]) for row in found["scores"]] == [("mine", 0.5, 4)]
    (given,) = found["runs"]
    assert (given["system"], given["file"]) == ("mine", str(folder / "run.trec")) and given["digest"]
    assert found["digest"].startswith(open_study(folder / "study").digest + "+")
    assert files(folder) == before


def test_it_scores_as_the_same_file_in_the_folder_does(folder, capsys):
    place = folder / "study" / "systems" / "kept" / "run.trec"
    place.parent.mkdir(parents=True)
    place.write_text(MINE)
    other = folder / "other.csv"
    other.write_text("query,candidate,score\na,b,1\nb,a,1\nc,d,1\nd,c,1\n")
    assert score(folder, "--run", f"mine={folder / 'run.trec'}", "--run", f"all={other}", "--json") == 0
    means = {row["system"]: row["mean"] for row in json.loads(capsys.readouterr().out)["scores"]}
    assert means == {"kept": 0.5, "mine": 0.5, "all": 1.0}


def test_standard_input(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(MINE.encode())))
    assert score(folder, "--run", "mine=-") == 0
    assert "mine    P(organ)@1  0.5000" in capsys.readouterr().out


def test_problems_are_named_by_file_and_line_all_at_once(folder, capsys):
    (folder / "bad.trec").write_text("a Q0 b 1 2 x\nb Q0 c 1 nan x\nc Q0 nobody 1 1 x\n")
    code = score(folder, "--run", f"mine={folder / 'bad.trec'}", "--run", f"gone={folder / 'gone.trec'}")
    err = capsys.readouterr().err
    assert code == 2 and "Traceback" not in err
    assert f"{folder / 'bad.trec'}:2: " in err and f"{folder / 'bad.trec'}:3: " in err
    assert f"{folder / 'gone.trec'}: The file cannot be read" in err
    assert "The runs given have 3 errors. Correct them. --set unknown=zero or drop" in err


def test_warnings_are_listed_because_check_does_not_know_the_run(folder, capsys):
    assert score(folder, "--run", f"mine={folder / 'run.trec'}") == 0
    assert f"{folder / 'run.trec'}: Answers contain 1 to 2 results." in capsys.readouterr().err
    (folder / "few.trec").write_text("a Q0 b 1 2 x\nc Q0 nobody 1 1 x\n")
    assert score(folder, "--run", f"mine={folder / 'few.trec'}", "--set", "unknown=drop") == 0


def test_nothing_on_standard_input(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert score(folder, "--run", "mine=-") == 2
    assert "standard input: There is nothing in it." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["run.trec"], "is not written NAME=FILE"),
        (["@iou=run.trec"], "the program's own rankings"),
        (["a=-", "b=-"], "only once"),
        (["a=x", "a=y"], "names two runs"),
    ],
)
def test_what_cannot_be_meant(folder, capsys, given, said):
    assert score(folder, *[word for one in given for word in ("--run", one)]) == 2
    assert said in capsys.readouterr().err


def test_a_name_that_is_taken(folder, capsys):
    place = folder / "study" / "systems" / "mine" / "run.trec"
    place.parent.mkdir(parents=True)
    place.write_text(MINE)
    assert score(folder, "--run", f"mine={folder / 'run.trec'}") == 2
    assert "has a system called mine already" in capsys.readouterr().err
