"""``queries``: the same numbers as ``score --per-query``, put in order beside pandas."""

from __future__ import annotations

import csv
import json

import pandas as pd
import pytest

from evalcore.cli import run
from evalcore.cli.queries import KINDS, RESTS, SORTS, WAYS, queries
from evalcore.evaluate import per_query

LABELS = ["queries", "data", "--metric", "P(organ)@5"]
CONCEPTS = ["queries", "data", "--metric", "nnCUI@10"]


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


def test_names_of_the_options_are_those_of_the_computation():
    assert (SORTS, KINDS, WAYS, RESTS) == (per_query.ORDERS, per_query.KINDS, per_query.WAYS, per_query.RESTS)
    assert queries.name == "queries"


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


def test_undefined_queries_are_counted_null_and_last(capsys):
    got = document(capsys, *CONCEPTS)
    assert got["n_queries"] - got["n_scored"] == sum(got["undefined"].values()) == 3
    last = got["queries"][-3:]
    assert all(row["mean"] is None and set(row["values"].values()) == {None} for row in last)
    assert {row["undefined"] for row in last} == set(got["undefined"])
    listed = document(capsys, *CONCEPTS, "--show", "undefined")["queries"]
    assert [row["query"] for row in listed] == [row["query"] for row in last]


def test_hard_and_good_for_all_by_a_fixed_value(capsys, values):
    table = values["P(organ)@5"]
    for show, rows in (("hard", (table < 0.5).all(axis=1)), ("good", (table >= 0.5).all(axis=1))):
        got = document(
            capsys, *LABELS, "--show", show, "--good-by", "fixed", "--good-at", "0.5", "--sort", "id"
        )
        assert [row["query"] for row in got["queries"]] == list(table.index[rows])
        assert got[f"n_{show}_for_all"] == got["n_listed"] == rows.sum() > 0


@pytest.mark.parametrize("other", ["mean", "best"])
def test_one_against_the_rest(capsys, values, other):
    table = values["P(organ)@5"]
    others = table.drop(columns="hog")
    expected = (table["hog"] - (others.max(axis=1) if other == "best" else others.mean(axis=1))).round(9)
    expected = expected.sort_values(ascending=False, kind="stable")
    got = document(capsys, *LABELS, "--against-rest", "hog", "--rest", other)
    assert [row["query"] for row in got["queries"]] == list(expected.index)
    assert [row["difference"] for row in got["queries"]] == pytest.approx(expected.tolist(), abs=1e-9)
    assert got["against_rest"] == {"system": "hog", "rest": other}


def test_file_holds_every_query_with_the_conditions(capsys, tmp_path):
    file = tmp_path / "rows.csv"
    arguments = [*LABELS, "--where", "organ=brain", "--csv", str(file), "--top", "2"]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    with file.open() as rows:
        written = list(csv.DictReader(rows))
    assert len(written) == 42 and {row["where"] for row in written} == {"organ=brain"}
    assert "2 of 42 queries listed" in out
    got = document(capsys, *LABELS, "--where", "organ=brain")["queries"]
    for row, other in zip(written, got, strict=True):
        assert row["query"] == other["query"] and float(row["mean"]) == other["mean"]
        assert float(row["value:hog"]) == other["values"]["hog"]
        assert row["best"].split("; ") == other["best"]


def test_top_0_lists_all(capsys):
    brain = [*LABELS, "--where", "organ=brain"]
    assert run([*brain, "--top", "0"]) == 0
    every = capsys.readouterr().out
    assert run([*brain, "--top", "42"]) == 0
    assert capsys.readouterr().out == every and every.endswith("42 of 42 queries listed.\n")
    assert run([*brain, "--top", "41"]) == 0
    assert capsys.readouterr().out.endswith("41 of 42 queries listed. --top 0 lists all.\n")


def test_a_file_without_a_row_has_its_header(capsys, tmp_path):
    file = tmp_path / "rows.csv"
    assert run([*LABELS, "--show", "undefined", "--csv", str(file), "--against-rest", "hog"]) == 0
    (header,) = file.read_text().splitlines()
    assert header.startswith("query,metric,mean") and header.endswith("difference")
    assert "0 of 0 queries listed" in capsys.readouterr().out


def test_fewer_than_four_systems_say_that_none_can_depart(capsys):
    two = ["--system", "hog", "--system", "texture"]
    assert document(capsys, *LABELS, *two)["n_departs"] is None
    assert run([*LABELS, *two]) == 0
    assert "Outliers need four systems." in capsys.readouterr().out
    four = [*two, "--system", "pixel-pca", "--system", "intensity-histogram"]
    assert document(capsys, *LABELS, *four)["n_departs"] is not None


def test_a_departure_nearer_than_what_matters_is_none(capsys):
    every = document(capsys, *LABELS, "--show", "departs")
    far = document(capsys, *LABELS, "--show", "departs", "--departs-by", "0.5")
    assert 0 < far["n_departs"] < every["n_departs"]
    for row in far["queries"]:
        middle = sorted(row["values"].values())[2]
        assert all(abs(row["values"][name] - middle) >= 0.5 - 1e-9 for name in row["departs"])


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--good-at", "0.4", "--good-by", "middle"], "--good-at has no effect without --good-by fixed"),
        (["--rest", "best"], "--rest has no effect without --against-rest"),
        (["--against-rest", "hog", "--sort", "easiest"], "has an order of its own"),
        (["--against-rest", "nobody"], "No system called 'nobody'"),
        (["--against-rest", "hog", "--system", "hog"], "at least two"),
    ],
)
def test_what_cannot_be_is_refused(capsys, extra, message):
    assert run([*LABELS, *extra]) == 2
    assert message in capsys.readouterr().err
