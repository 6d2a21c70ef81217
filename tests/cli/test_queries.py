"""``queries``: the same numbers as ``score --per-query``, put in order beside pandas."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from evalcore.cli import run


def test_values_and_order_are_those_of_pandas(capsys, tmp_path):
    study, file = ["data", "--metric", "P(organ)@5"], tmp_path / "values.csv"
    assert run(["score", *study, "--per-query", str(file)]) == 0
    table = pd.read_csv(file).pivot_table(index="query", columns="system", values="value", dropna=False)
    means = table.mean(axis=1, skipna=False).round(9)
    for sort, ordered in (("hardest", means), ("easiest", -means)):
        capsys.readouterr()
        assert run(["queries", *study, "--sort", sort, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["queries"]
        assert [row["query"] for row in rows] == list(ordered.sort_values(kind="stable").index)
        for row in rows:
            assert row["values"] == pytest.approx(table.loc[row["query"]].to_dict())
            assert row["mean"] == pytest.approx(means[row["query"]], abs=1e-9)
