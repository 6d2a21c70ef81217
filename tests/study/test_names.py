"""Names: the first of a table, the preferred one of MRCONSO."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalcore.study import open_study
from evalcore.study.names import parse_names

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
