"""All names of all concepts: tables and MRCONSO, the same from both."""

from __future__ import annotations

from pathlib import Path

from evalcore.sources.names.all_names import all_names, mrconso_names, table_names
from evalcore.study import open_study
from evalcore.study.concept_search import index_of, search_concepts


def row(cui: str, name: str, *, language: str = "ENG", suppress: str = "N") -> str:
    return f"{cui}|{language}|P|L|PF|S|Y|A||M||MSH|MH|D|{name}|0|{suppress}||\n"


def test_synonyms_stay() -> None:
    table = b"cui,name,source\nC1,Lung,X\nC1,Lungs  (both),Y\nC2,,X\nC3,Heart,X\n"
    assert list(table_names(table)) == [("C1", "Lung"), ("C1", "Lungs (both)"), ("C3", "Heart")]
    assert list(table_names(table, wanted={"C3"})) == [("C3", "Heart")]
    assert list(table_names(b"nothing")) == []


def test_english_names_that_are_not_suppressed() -> None:
    data = row("C1", "Lung") + row("C1", "Lunge", language="GER") + row("C1", "Old lung", suppress="O")
    data += row("C2", "Menière")
    assert list(mrconso_names(data.encode())) == [("C1", "Lung"), ("C2", "Menière")]
    assert list(mrconso_names(data.encode(), wanted={"C1"})) == [("C1", "Lung")]
    assert list(mrconso_names(b"\x1f\x8bxx")) == []


def test_a_study_is_searched_by_its_synonyms(tmp_path: Path) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\ni1,C0000001;C0000009\ni2,C0000001\n")
    (tmp_path / "names.csv").write_text(
        "cui,name\nC0000001,Lung\nC0000001,Pulmo\nC0000002,Heart\nC0000007,Elsewhere\n"
    )
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "edges.csv").write_text("child,parent\nC0000001,C0000002\n")
    study = open_study(tmp_path)
    (one,) = search_concepts(study, "pulmo")
    assert (one.cui, one.preferred, one.name, one.images, one.in_graph) == (
        "C0000001",
        "Lung",
        "Pulmo",
        2,
        True,
    )
    (bare,) = search_concepts(study, "c0000009")
    assert (bare.cui, bare.preferred, bare.images, bare.in_graph) == ("C0000009", "", 1, False)
    assert search_concepts(study, "elsewhere") == []
    assert all_names(tmp_path, wanted={"C0000002"}) == [("C0000002", "Heart")]
    (tmp_path / "names.csv").unlink()
    assert index_of(open_study(tmp_path)).names == ()


def test_the_real_files_hold_the_same_names(real_dir: Path) -> None:
    table = set(table_names((real_dir / "kg/names.csv").read_bytes()))
    umls = set(mrconso_names((real_dir / "kg/MRCONSO.RRF").read_bytes()))
    assert len(table) > 50_000 and umls == table
