"""Kinds of concepts: which words mean what, tables, MRSTY, and which of them counts."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from evalcore.study import open_study
from evalcore.study.names import parse_kinds

if TYPE_CHECKING:
    from pathlib import Path

CT, CHEST, MASS, LEFT = "C0040405", "C0817096", "C0577559", "C0205091"


def test_a_table_with_every_fault() -> None:
    text = (
        f"cui,kind,note\n{CT},modality,x\n{CHEST},anatomi,x\n{CHEST},organ,x\n{CT},modality,x\n"
        f"{CT},finding,x\n,finding,x\n{MASS},,x\nc0205091,view,x\n{MASS},finding\n"
    )
    rows, report = parse_kinds(text.encode(), file="kinds.csv")
    assert rows.kinds == {CT: "modality", CHEST: "anatomy", LEFT: "plane"}
    problems = sorted(report.problems, key=lambda problem: problem.line)
    assert [str(problem) for problem in problems] == [
        "kinds.csv:3: 'anatomi' is no kind of concept; the row is left out. "
        "Write one of modality, plane, anatomy, finding, device, other.",
        f"kinds.csv:5: {CT} is already on line 2. Remove the row.",
        f"kinds.csv:6: {CT} is modality on line 2 and finding here; modality counts. "
        "Keep one of the two rows.",
        "kinds.csv:7: The row has no cui; it is left out. Fill the cell, or delete the row.",
        "kinds.csv:10: The header has 3 cells, but this row has 2 cells; it is left out. "
        "Let the first row be: cui,kind.",
    ]
    assert [problem.value for problem in problems] == ["anatomi", CT, CT, ",finding", MASS]


def test_mrsty() -> None:
    rows = (
        f"{CT}|T060|B1.3.1.2|Diagnostic Procedure|AT1|256|\n{MASS}|T023|A1|Body Part|AT2||\n"
        f"{MASS}|T033|A2.2|Finding|AT3||\n{LEFT}|T082|A2.1.5|Spatial Concept|AT4||\n{CHEST}|T999|x|x|AT5||\n"
    )
    result, report = parse_kinds(rows.encode(), file="MRSTY.RRF")
    assert result.kinds == {CT: "modality", MASS: "finding", LEFT: "plane"}
    assert [(p.rule, p.value, p.count) for p in report.problems] == [("unknown-type", "T999", 1)]
    assert parse_kinds(rows.encode(), file="M", wanted=[LEFT])[0].kinds == {LEFT: "plane"}


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_users_own_table_counts_most(tmp_path: Path) -> None:
    a, b, c, d, e = (f"C000000{i}" for i in range(1, 6))
    folder = write(tmp_path, concepts__csv=f"ID,CUIs\n1,{a};{b};{c};{d};{e}\n")
    plain = open_study(folder)
    assert plain.kinds is None
    (folder / "MRSTY.RRF.gz").write_bytes(
        gzip.compress("".join(f"{x}|T047|A|Disease or Syndrome|A||\n" for x in (a, b, c, d, e)).encode())
    )
    write(
        folder, names__csv=f"cui,name,kind\n{a},A,organ\n{b},B,organ\n", kinds__csv=f"cui,kind\n{a},device\n"
    )
    study = open_study(folder)
    assert study.kinds is not None
    assert study.kinds.of == {a: "device"} | dict.fromkeys((b, c, d, e), "finding")
    assert study.kinds.source == "kinds.csv, MRSTY.RRF.gz"
    assert study.report.total("error") == 0
    (folder / "kinds.csv").write_text(f"cui,kind\n{a},other\n")
    assert open_study(folder).digest != study.digest


def test_what_no_image_and_no_graph_knows(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        concepts__csv=f"ID,CUIs\n1,{CT};{CHEST}\n",
        kinds__csv=f"cui,kind\n{CT},modality\nC9999999,finding\n",
    )
    problems = {(p.file, p.line, p.rule, p.value) for p in open_study(folder).report.problems}
    assert ("kinds.csv", 3, "unknown-concept", "C9999999") in problems


@pytest.mark.parametrize(
    ("name", "text", "example"),
    [
        ("kinds.csv", "cui,kind\nC9999998,finding\nC9999999,anatomy\n", "C9999998"),
        ("kinds.csv", "cui,kind\nHP:1,finding\n", "HP:1"),
        ("MRSTY.RRF", "C9999998|T047|B2|Disease or Syndrome|AT1||\n", "C9999998"),
    ],
)
def test_kinds_of_other_concepts_only_are_an_error(
    tmp_path: Path, name: str, text: str, example: str
) -> None:
    write(tmp_path, concepts__csv=f"ID,CUIs\n1,{CT};{CHEST}\n2,{CT}\n")
    (tmp_path / name).write_text(text)
    study = open_study(tmp_path)
    assert study.kinds is None
    (problem,) = study.report.problems
    assert (problem.severity, problem.file, problem.rule, problem.value) == (
        "error",
        name,
        "unknown-concept",
        example,
    )
    assert CT in problem.message and example in problem.message
    assert [part.used for part in study.parts if part.kind == "concept_kinds"] == [False]
