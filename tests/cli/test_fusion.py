"""Fused systems: in ``score``, and written as a run."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest

from evalcore.cli import run
from evalcore.evaluate.fusion import METHODS

METRICS = ["--metric", "nnCUI@10", "--metric", "P(organ)@5"]


def document(capsys, *arguments):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def means(found, table="scores"):
    return {(row["system"], row["metric"]): row["mean"] for row in found[table]}


@pytest.mark.parametrize("method", METHODS)
def test_a_fused_run_scores_like_the_name(capsys, tmp_path, method):
    copy = tmp_path / "study"
    shutil.copytree("data", copy)
    (copy / "systems" / "both").mkdir()
    out = copy / "systems" / "both" / "run.trec"
    assert run(["rank", "data", "--system", f"{method}:hog+texture", "--out", str(out)]) == 0
    found = document(
        capsys, "score", str(copy), *METRICS, "--system", "both", "--system", f"{method}:texture+hog"
    )
    of = means(found)
    for metric in ("nnCUI@10", "P(organ)@5"):
        assert of["both", metric] == of[f"{method}:hog+texture", metric]


def test_rrf_of_the_command_by_rank(tmp_path):
    out = tmp_path / "fused.csv"
    assert run(["rank", "data", "--system", "rrf(k=10):hog+texture", "--depth", "5", "--out", str(out)]) == 0
    found = pd.read_csv(out)
    assert found.groupby("query").size().max() == 5
    runs = []
    for system in ("hog", "texture"):
        one = pd.read_csv(
            f"data/systems/{system}/run.trec.gz",
            sep=r"\s+",
            header=None,
            names=["query", "q0", "candidate", "rank", "score", "tag"],
        )
        one = one[one["query"] != one["candidate"]].sort_values(
            ["query", "score", "candidate"], ascending=[True, False, True]
        )
        one["adds"] = 1 / (10 + one.groupby("query").cumcount() + 1)
        runs.append(one)
    sums = pd.concat(runs).groupby(["query", "candidate"])["adds"].sum()
    best = sums.groupby("query").max()
    first = found[found["rank"] == 1].set_index("query")["score"]
    pd.testing.assert_series_equal(first, best.loc[first.index], check_names=False)
