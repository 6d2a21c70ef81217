"""One declaration of columns serves tables, JSON and CSV."""

from __future__ import annotations

import json
from fractions import Fraction
from types import SimpleNamespace

from evalcore.cli.output import emit
from evalcore.results.rows import Column, Table, also, decimals, ends, named, titled

COLUMNS = (
    Column("numerator", head="over", text="{:+d}".format),
    *named("denominator"),
    Column(
        "half", lambda row: float(row) / 2 if row else float("nan"), "half", lambda value: decimals(value, 1)
    ),
    also("words", lambda row: "whole" if row.denominator == 1 else ""),
)
ROWS = Table([Fraction(3, 5), Fraction(12), Fraction(0)], COLUMNS)


def test_people_see_the_columns_with_a_head_in_their_words(capsys):
    emit({}, ["first", ROWS, "last"], json=False)
    assert capsys.readouterr().out.splitlines() == [
        "first",
        "over  half  words",
        "  +3   0.3",
        " +12   6.0  whole",
        "  +0     -  whole",
        "last",
    ]


def test_json_has_the_columns_with_a_name_and_null_for_no_number(capsys):
    emit({"a": 1, "rows": ROWS, "b": []}, ["never shown"], json=True)
    assert json.loads(capsys.readouterr().out) == {
        "a": 1,
        "b": [],
        "rows": [
            {"numerator": 3, "denominator": 5, "half": 0.3},
            {"numerator": 12, "denominator": 1, "half": 6.0},
            {"numerator": 0, "denominator": 1, "half": None},
        ],
    }


def test_csv_has_an_empty_cell_for_no_number_and_a_header_without_rows(capsys, tmp_path):
    for name, table in (("rows.csv", ROWS), ("none.csv", Table([], COLUMNS))):
        emit({}, [], json=True, csv=str(tmp_path / name), csv_rows=table)
    assert (tmp_path / "rows.csv").read_text() == "numerator,denominator,half\n3,5,0.3\n12,1,6.0\n0,1,\n"
    assert (tmp_path / "none.csv").read_text() == "numerator,denominator,half\n"
    assert "Wrote" in capsys.readouterr().err


def test_a_table_without_rows_is_its_header(capsys):
    emit({}, [Table([], COLUMNS)], json=False)
    assert capsys.readouterr().out == "over  half  words\n"


def test_columns_read_keys_attributes_and_what_lies_below_them(capsys):
    rows = [{"name": "a", "of": Fraction(1, 2)}, {"name": "b", "of": Fraction(3)}]
    emit({"rows": Table(rows, named("name", "of"))}, [], json=False)
    assert [one["of"] for one in Table(rows, named("of")).records()] == [Fraction(1, 2), Fraction(3)]
    below = Table(
        [SimpleNamespace(mean=SimpleNamespace(low=0.25, high=float("nan"), n=7))],
        (*ends("mean.", name="mean"), Column("n", "mean.n", "n")),
    )
    (record,) = below.records()
    assert record["mean_low"] == 0.25 and record["n"] == 7 and list(record) == ["mean_low", "mean_high", "n"]
    assert below.cells() == (["interval", "n"], [["[0.2500, -]", "7"]])
    assert Table([Fraction(3)], titled("numerator", "denominator")).cells() == (
        ["numerator", "denominator"],
        [["3", "1"]],
    )
