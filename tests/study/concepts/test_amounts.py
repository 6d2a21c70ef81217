"""Concepts with amounts in files of concepts."""

from __future__ import annotations

import pytest

from evalcore.study.concepts.concepts import parse_concepts

A, B = "C0040405", "C0817096"


def read(text, **options):
    rows, report = parse_concepts(text.encode(), file="concepts.csv", **options)
    return rows, [(p.severity, p.rule, p.line, p.value) for p in report.problems]


@pytest.mark.parametrize(
    "text",
    [
        f"ID,CUIs\na,{A}:0.4;{B}:2\nb,{A}:1e-3\n",
        f"a\t{A}:0.4,{B}:2\nb\t{A}:.001\n",
        f"a\t{A}:0.4\t{B}:2.0\nb\t{A} : 0.001\n",
        f"a,UMLS:{A}:0.4;c0817096:2\nb,{A}:0.0010000004\n",
    ],
)
def test_every_format_takes_amounts(text):
    rows, problems = read(text)
    assert rows.sets == {"a": {A: 0.4, B: 2.0}, "b": {A: 0.001}}
    assert [kind for kind, *_ in problems if kind == "error"] == []


def test_identifiers_with_a_colon_of_their_own_keep_it():
    rows, problems = read("a,HP:0002088:0.5;HP:0001250\nb,HP:0001250\n")
    assert (rows.scheme, rows.sets["a"]) == ("HP", {"HP:0002088": 0.5, "HP:0001250": None})
    assert ("warning", "no-amount", None, "HP:0001250") in problems
    assert read("a,RID1301:0.5\n", scheme="ids")[0].sets == {"a": ("RID1301:0.5",)}
    assert read("a,dog.n.01:0.5\nb,cat.n.01\n")[0].sets["a"] == {"dog.n.01": 0.5}


@pytest.mark.parametrize("amount", ["-1", "0", "nan", "inf", "high", "", "1_0", "0.0000001", "1000001"])
def test_what_is_no_amount_is_an_error_with_its_line(amount):
    rows, problems = read(f"a,{B}:1\nb,{A}:{amount};{B}:1\n")
    assert rows.sets == {"a": {B: 1.0}, "b": {B: 1.0}}
    assert problems == [("error", "malformed-amount", 2, f"{A}:{amount}")]
    assert read(f"b,{A}:{amount}\n")[0].sets == {"b": None}


def test_without_an_amount_it_is_1_and_of_two_the_larger_counts():
    rows, problems = read(f"a,{A};{B}:0.5\nb,{A}:0.2;{A}:0.6\nc,{B}\nd,\n")
    assert rows.sets == {"a": {A: None, B: 0.5}, "b": {A: 0.6}, "c": (B,), "d": ()}
    assert ("warning", "no-amount", None, A) in problems
    assert ("warning", "repeated-cui", 2, A) in problems
    assert read(f"a,{A};{B}\n")[0].sets == {"a": (A, B)}
