"""``board``: systems over several studies."""

from __future__ import annotations

import csv
import json

import pytest

from evalcore.cli import run

IMAGES = [f"{organ}{i}" for organ in ("chest", "head") for i in range(6)]
METRIC = ("--metric", "P(organ)@1")


def rows_of(wrong):
    """Every query gets an image of its own organ, the first ``wrong`` ones one of the other."""
    rows = []
    for place, query in enumerate(IMAGES):
        others = [one for one in IMAGES if one != query and (one[:4] == query[:4]) != (place < wrong)]
        rows.append(f"{query} Q0 {others[0]} 1 1 x\n")
    return rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """{study: {system: wrong answers of 12}}; "two" lacks a system of "one" and has another."""
    wrong = {"one": {"cnn": 3, "hog": 6, "old": 0}, "two": {"cnn": 6, "hog": 12, "new": 1}}
    for study, systems in wrong.items():
        for system, n in systems.items():
            place = tmp_path / study / "systems" / system / "run.trec"
            place.parent.mkdir(parents=True)
            place.write_text("".join(rows_of(n)))
        concepts = "".join(f"{one},C000000{1 + (one[0] == 'h')}\n" for one in IMAGES)
        (tmp_path / study / "concepts.csv").write_text("ID,CUIs\n" + concepts)
        labels = "".join(f"{one},{one[:-1]}\n" for one in IMAGES)
        (tmp_path / study / "labels.csv").write_text("ID,organ\n" + labels)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_means_differences_and_who_is_missing(folder, capsys):
    assert run(["board", "one", "two", *METRIC, "--baseline", "hog", "--json", "--csv", "rows.csv"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["system"]: row for row in found["rows"]}
    # by hand: 9 and 6 of 12 right, 6 and 0 of 12
    cnn = rows["cnn"]
    assert (cnn["mean:one"], cnn["mean:two"], cnn["mean"]) == (0.75, 0.5, 0.625)
    assert cnn["difference"] == pytest.approx(0.375) and cnn["higher"] == 2 and cnn["reference"] == "hog"
    assert cnn["difference_ci_low"] < 0.375 < cnn["difference_ci_high"]
    assert rows["old"]["missing"] == ["two"] and rows["old"]["mean"] is None and rows["old"]["mean:one"] == 1
    assert rows["new"]["missing"] == ["one"]
    assert [one["folder"] for one in found["studies"]] == ["one", "two"] and "2 studies" in found["caution"]
    with (folder / "rows.csv").open(newline="") as file:
        assert [row["system"] for row in csv.DictReader(file)] == list(rows)


@pytest.mark.usefixtures("folder")
def test_in_words(capsys):
    assert run(["board", "one", "two", *METRIC]) == 0
    out = capsys.readouterr().out
    assert "cnn has the highest mean over 2 studies: 0.625 under P(organ)@1. hog follows at −0.375" in out
    assert "Missing in two, so without a mean over studies: old." in out
    assert "Missing in one, so without a mean over studies: new." in out
    assert "12 in one and 12 in two" in out and "drawn from 2 studies only" in out
    assert run(["board", "one", "two"]) == 0  # what both offer
    assert "under CUI@10" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["one"], "takes at least two studies"),
        (["one", "two", "./one"], "A study is given twice"),
        (["one", "none"], "none: "),
        (["one", "two", "--baseline", "old"], "No baseline in every study called 'old'"),
        (["one", "two", "--system", "cnm"], "No system in any of these studies called 'cnm'"),
        (["one", "two", "--system", "new"], "one has none of the systems"),
        (["one", "two", "--metric", "P(plane)@1"], "one: No label column called 'plane'"),
    ],
)
def test_what_cannot_be_compared(capsys, given, message):
    assert run(["board", *METRIC, *given]) == 2
    err = capsys.readouterr().err
    assert message in err and "Traceback" not in err
