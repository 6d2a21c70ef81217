"""``queries``: the same numbers as ``score --per-query``, put in order beside pandas."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from evalcore.cli import run

LABELS = ["queries", "data", "--metric", "P(organ)@5"]


def document(capsys, *arguments):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """{metric: queries x systems} as ``score --per-query`` writes them; NaN where there is no value."""
    file = tmp_path_factory.mktemp("per-query") / "values.csv"
    assert (
        run(["score", "data", "--metric", "P(organ)@5", "--metric", "nnCUI@10", "--per-query", str(file)])
        == 0
    )
    rows = pd.read_csv(file)
    return {
        m: of.pivot_table(index="query", columns="system", values="value", dropna=False)
        for m, of in rows.groupby("metric")
    }


def test_values_and_order_are_those_of_pandas(capsys, values):
    table = values["P(organ)@5"]
    means = table.mean(axis=1, skipna=False).round(9)
    got = document(capsys, *LABELS)
    expected = means.sort_values(kind="stable").index
    assert [row["query"] for row in got["queries"]] == list(expected)
    for row in got["queries"]:
        assert row["values"] == pytest.approx(table.loc[row["query"]].to_dict())
        assert row["mean"] == pytest.approx(means[row["query"]], abs=1e-9)
    easiest = document(capsys, *LABELS, "--sort", "easiest")["queries"]
    assert [row["query"] for row in easiest] == list((-means).sort_values(kind="stable").index)
