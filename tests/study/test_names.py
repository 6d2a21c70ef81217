"""Names: the first of a table, the preferred one of MRCONSO."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from evalcore.study import open_study
from evalcore.study.names import parse_names
from evalcore.study.parts.reading import parse_path
from evalcore.study.tables.problems import Problems

if TYPE_CHECKING:
    from pathlib import Path


def atom(
    cui: str,
    name: str,
    lat: str = "ENG",
    ts: str = "P",
    stt: str = "PF",
    pref: str = "Y",
    suppress: str = "N",
) -> str:
    return f"{cui}|{lat}|{ts}|L1|{stt}|S1|{pref}|A1||||MSH|MH|D1|{name}|0|{suppress}||\n"


def test_without_a_header_and_with_other_names_of_columns() -> None:
    assert parse_names(b"C0000001\tHead\n", file="n")[0].names == {"C0000001": "Head"}
    assert parse_names(b"Canonical name;CUI\nHead;C0000001\n", file="n")[0].names == {"C0000001": "Head"}
    rows, report = parse_names(b"x,y\nC0000001,Head\n", file="n")
    assert rows.names == {}
    assert report.problems[0].rule == "wrong-header"


@pytest.mark.parametrize(
    "worse",
    [
        atom("C1", "worse", lat="GER"),
        atom("C1", "worse", ts="S"),
        atom("C1", "worse", stt="VO"),
        atom("C1", "worse", pref="N"),
        atom("C1", "worse", suppress="O"),
        atom("C2", "other"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_the_preferred_english_name(worse: str, *, first: bool) -> None:
    better = atom("C1", "Menière  disease")
    rows, report = parse_names((worse + better if first else better + worse).encode(), file="M")
    assert rows.names["C1"] == "Menière disease"
    assert report.problems == ()


def test_each_flag_weighs_more_than_all_after_it() -> None:
    """English but suppressed before German and preferred; preferred term before preferred form."""
    lines = atom("C1", "Kopf", lat="GER") + atom("C1", "head", suppress="O", ts="S", stt="VO", pref="N")
    lines += atom("C2", "form", ts="S") + atom("C2", "term", stt="VO", pref="N")
    lines += atom("C3", "one") + atom("C3", "two")
    assert parse_names(lines.encode(), file="M")[0].names == {"C1": "head", "C2": "term", "C3": "one"}


def test_several_files_the_first_one_wins(tmp_path: Path) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0000001;C0000002\n")
    (tmp_path / "names.csv").write_text("cui,name\nC0000001,ours\n")
    (tmp_path / "MRCONSO.RRF").write_text(atom("C0000001", "theirs") + atom("C0000002", "theirs"))
    (tmp_path / "study.toml").write_text('[files]\nnames = ["names.csv", "MRCONSO.RRF"]\n')
    study = open_study(tmp_path)
    assert study.names == {"C0000001": "ours", "C0000002": "theirs"}
    parts = [part for part in study.parts if part.kind == "names"]
    assert [(part.file, part.format, part.rows, part.used) for part in parts] == [
        ("names.csv", "csv", 1, True),
        ("MRCONSO.RRF", "MRCONSO", 2, True),
    ]


@pytest.mark.parametrize(
    ("edges", "names", "rules"),
    [
        ("", "C0000009,Heart\n", ["unknown-concept"]),
        ("", "HP:0001627,Heart\n", ["unknown-concept"]),
        ("child,parent\nC0000001,C0000009\n", "C0000009,Heart\n", []),
        ("", "C0000009,Heart\nC0000001,Lung\n", []),
    ],
)
def test_names_of_other_concepts_only_are_an_error(
    tmp_path: Path, edges: str, names: str, rules: list[str]
) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0000001\n")
    (tmp_path / "names.csv").write_text("cui,name\n" + names)
    if edges:
        (tmp_path / "edges.csv").write_text(edges)
    study = open_study(tmp_path)
    problems = study.report.of_file("names.csv").of_severity("error")
    assert [problem.rule for problem in problems] == rules
    assert bool(study.names) is not bool(rules)
    for problem in problems:
        assert "C0000001" in problem.message and problem.value == names.partition(",")[0]
        assert ("another vocabulary" in problem.remedy) == names.startswith("HP")


def test_the_real_files_agree(real_dir: Path) -> None:
    problems = Problems("names")
    files = [real_dir / "kg/names.csv", real_dir / "kg/MRCONSO.RRF"]
    names, umls = (parse_path(parse_names, path, problems).names for path in files)
    assert problems.report().problems == ()
    assert names.keys() == umls.keys()
    with (real_dir / "kg/names.csv").open(encoding="utf-8", newline="") as file:
        best: dict[str, dict[str, set[str]]] = {}
        for row in csv.DictReader(file):
            best.setdefault(row["cui"], {}).setdefault(row["source"], set()).add(
                " ".join(row["name"].split())
            )
    # One source can have several names of a concept; the table sorts them by name, MRCONSO by code.
    for cui, name in names.items():
        same_source = next(iter(best[cui].values()))
        assert name in same_source
        assert umls[cui] in same_source
