"""``--where`` on every command that counts queries, and ``score --by``."""

from __future__ import annotations

import pandas as pd
import pytest

from evalcore.cli import run

TWO = ["--system", "hog", "--system", "texture", "--baseline", "texture"]
BRAIN = ["--where", "organ=brain"]


@pytest.fixture(scope="module")
def brains():
    labels = pd.read_csv("data/labels.csv", dtype=str).set_index("ID")["organ"].str.split(";")
    return set(labels.index[labels.apply(lambda row: "brain" in [part.strip() for part in row])])


def test_score_of_chosen_queries_is_the_mean_of_their_values(as_json, capsys, tmp_path, brains):
    every = tmp_path / "every.csv"
    whole = as_json("score", "data", "--metric", "nnCUI@10", "--per-query", every, *TWO)
    chosen = as_json("score", "data", "--metric", "nnCUI@10", *TWO, *BRAIN)
    values = pd.read_csv(every)
    means = values[values["query"].isin(brains)].groupby("system")["value"].mean()
    assert {row["system"]: row["mean"] for row in chosen["scores"]} == pytest.approx(dict(means))
    assert chosen["comparisons"][0]["difference"] == pytest.approx(means["hog"] - means["texture"])
    assert {row["n_queries"] for row in chosen["scores"]} == {len(brains)} == {42}
    assert chosen["digest"] == whole["digest"]
    assert chosen["settings"] == {**whole["settings"], "where": ["organ=brain"]} != whole["settings"]
    ranked = as_json("rank", "data", "--system", "@iou", "--depth", "3", *BRAIN)
    assert ranked["settings"]["where"] == ["organ=brain"] and set(ranked["run"]) == brains
    assert run(["score", "data", "--metric", "CUI@10", *BRAIN]) == 0
    assert "Only organ=brain: 42 of 160 queries." in capsys.readouterr().err
