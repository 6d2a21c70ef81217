"""Fused systems: in ``score``, and written as a run."""

from __future__ import annotations

import pandas as pd

from evalcore.cli import run


def test_rrf_of_the_command_by_rank(tmp_path):
    out = tmp_path / "fused.csv"
    assert run(["rank", "data", "--system", "rrf:hog+texture", "--depth", "5", "--out", str(out)]) == 0
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
        one["adds"] = 1 / (60 + one.groupby("query").cumcount() + 1)
        runs.append(one)
    sums = pd.concat(runs).groupby(["query", "candidate"])["adds"].sum()
    best = sums.groupby("query").max()
    first = found[found["rank"] == 1].set_index("query")["score"]
    pd.testing.assert_series_equal(first, best.loc[first.index], check_names=False)
