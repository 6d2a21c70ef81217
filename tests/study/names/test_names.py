"""Names: the first of a table, the preferred one of MRCONSO."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from evalcore.study.names import parse_mrconso, parse_names, read_names

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


def test_the_first_name_of_a_table_counts() -> None:
    names, report = parse_names(
        b'cui,name,source\nC2,"Brain,\nwhole",X\nC1,Head,X\nC2,Encephalon,Y\nC3,,X\n', file="n"
    )
    assert names == {"C1": "Head", "C2": "Brain, whole"}
    assert list(names) == ["C1", "C2"]
    assert report.problems == ()


def test_without_a_header_and_with_other_names_of_columns() -> None:
    assert parse_names(b"C0000001\tHead\n", file="n")[0] == {"C0000001": "Head"}
    assert parse_names(b"Canonical name;CUI\nHead;C0000001\n", file="n")[0] == {"C0000001": "Head"}
    names, report = parse_names(b"x,y\nC0000001,Head\n", file="n")
    assert names == {}
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
    names, report = parse_mrconso((worse + better if first else better + worse).encode(), file="M")
    assert names["C1"] == "Menière disease"
    assert report.problems == ()


def test_each_flag_weighs_more_than_all_after_it() -> None:
    """English but suppressed before German and preferred; preferred term before preferred form."""
    lines = atom("C1", "Kopf", lat="GER") + atom("C1", "head", suppress="O", ts="S", stt="VO", pref="N")
    lines += atom("C2", "form", ts="S") + atom("C2", "term", stt="VO", pref="N")
    lines += atom("C3", "one") + atom("C3", "two")
    assert parse_mrconso(lines.encode(), file="M")[0] == {"C1": "head", "C2": "term", "C3": "one"}


def test_a_broken_file_is_reported() -> None:
    assert parse_mrconso(b"", file="M")[1].total("error") == 1
    names, report = parse_mrconso(b"x|y\n" + atom("C1", "head").encode(), file="M")
    assert names == {"C1": "head"}
    assert str(report.problems[0]).startswith("M:1: A row has 18 cells, but this one has 1")


def test_several_files_the_first_one_wins(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("cui,name\nC1,ours\n")
    (tmp_path / "MRCONSO.RRF").write_text(atom("C1", "theirs") + atom("C2", "theirs"))
    paths = [
        tmp_path / "names.csv",
        tmp_path / "MRCONSO.RRF",
        tmp_path / "absent.csv",
        tmp_path / "absent.rrf",
    ]
    names, report, parts = read_names(paths, root=tmp_path)
    assert names == {"C1": "ours", "C2": "theirs"}
    assert [(part.file, part.format, part.rows, part.used) for part in parts] == [
        ("names.csv", "csv", 1, True),
        ("MRCONSO.RRF", "MRCONSO", 2, True),
        ("absent.csv", "csv", 0, False),
        ("absent.rrf", "MRCONSO", 0, False),
    ]
    assert [p.rule for p in report.problems] == ["unreadable-file", "unreadable-file"]


def test_the_real_files_agree(real_dir: Path) -> None:
    names, report, parts = read_names([real_dir / "kg/names.csv"], root=real_dir)
    umls, _, _ = read_names([real_dir / "kg/MRCONSO.RRF"], root=real_dir)
    assert report.problems == ()
    assert names.keys() == umls.keys()
    assert parts[0].rows == len(names)
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
