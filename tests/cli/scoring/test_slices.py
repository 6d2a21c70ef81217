"""``--where`` on every command that counts queries, and ``score --by``."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from evalcore.cli import run

TWO = ["--system", "hog", "--system", "texture", "--baseline", "texture"]
BRAIN = ["--where", "organ=brain"]


def document(capsys, *arguments):
    assert run([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


@pytest.fixture(scope="module")
def brains():
    labels = pd.read_csv("data/labels.csv", dtype=str).set_index("ID")["organ"].str.split(";")
    return set(labels.index[labels.apply(lambda row: "brain" in [part.strip() for part in row])])


def test_score_of_chosen_queries_is_the_mean_of_their_values(capsys, tmp_path, brains):
    every = tmp_path / "every.csv"
    whole, _ = document(capsys, "score", "data", "--metric", "nnCUI@10", "--per-query", str(every), *TWO)
    found, err = document(capsys, "score", "data", "--metric", "nnCUI@10", *TWO, *BRAIN)
    values = pd.read_csv(every)
    means = values[values["query"].isin(brains)].groupby("system")["value"].mean()
    assert {row["system"]: row["mean"] for row in found["scores"]} == pytest.approx(dict(means))
    assert found["comparisons"][0]["difference"] == pytest.approx(means["hog"] - means["texture"])
    assert {row["n_queries"] for row in found["scores"]} == {len(brains)} == {42}
    assert found["digest"] == whole["digest"]
    assert found["settings"] == {**whole["settings"], "where": ["organ=brain"]} != whole["settings"]
    assert "Only organ=brain: 42 of 160 queries." in err


@pytest.mark.parametrize(
    ("command", "where_is"),
    [
        (["measures", "--unit", "queries", "--relevance", "iou", "--relevance", "nn-iou"], "settings"),
        (["discrimination", "--relevance", "iou"], "settings"),
        (["table1", "--relevance", "iou", "--metric", "P(organ)@5"], "settings"),
        (["rank", "--system", "@iou", "--depth", "3"], "settings"),
        (["sweep", "--metric", "nnCUI@10", "--alphas", "0.5", "--thresholds", "1"], "settings"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_every_command_records_the_conditions(capsys, command, where_is):
    name, *options = command
    found, err = document(capsys, *name.split(), "data", *options, *BRAIN)
    assert (found[where_is] if where_is else found)["where"] == ["organ=brain"]
    assert "Only organ=brain: 42 of 160 queries." in err
    without, _ = document(capsys, *name.split(), "data", *options)
    assert "where" not in (without[where_is] if where_is else without)


def test_a_slice_is_the_score_of_its_condition(capsys):
    options = ["score", "data", "--metric", "P(organ)@5", *TWO]
    found, _ = document(capsys, *options, "--by", "organ")
    alone, _ = document(capsys, *options, *BRAIN)
    of_slice = [row for row in found["slices"] if row["slice"] == "brain"]
    for row, same in zip(of_slice, alone["scores"], strict=True):
        assert {key: row[key] for key in same if key in row} == {key: same[key] for key in same if key in row}
    difference = next(row for row in found["slice_comparisons"] if row["slice"] == "brain")
    (same,) = alone["comparisons"]
    kept = {"difference", "ci_low", "ci_high", "p", "n_pairs"}
    assert {key: difference[key] for key in kept} == {key: same[key] for key in kept}


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--where", "organ=brian"], "No value of organ called 'brian'. Did you mean: brain, breast."),
        (["--where", "brain"], "'brain' is no condition"),
        (["--where", "organ="], "None of the 160 queries fits organ=."),
        (["--by", "orgn"], "No label column called 'orgn'. Did you mean: organ."),
    ],
)
def test_what_is_not_there_is_refused(capsys, option, said):
    assert run(["score", "data", "--metric", "CUI@10", *option]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err
