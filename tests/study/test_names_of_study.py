"""All names of all concepts: tables and MRCONSO, the same from both."""

from __future__ import annotations

from pathlib import Path

from evalcore.study import open_study
from evalcore.study.naming import index_of, names_in, names_of_study, search_concepts
from tests.other_schemes import write_envo


def row(cui: str, name: str, *, language: str = "ENG", suppress: str = "N") -> str:
    return f"{cui}|{language}|P|L|PF|S|Y|A||M||MSH|MH|D|{name}|0|{suppress}||\n"


def table_of(path: Path, content: str) -> list[tuple[object, ...]]:
    """The names in a file."""
    path.write_text(content)
    names, _ = names_in([path])
    columns = names.concepts, names.texts, names.sources, names.languages, names.preferred.tolist()
    return list(zip(*columns, strict=True))


def test_names_of_all_languages_that_are_not_suppressed(tmp_path: Path) -> None:
    data = row("C1", "Lung") + row("C1", "Lunge", language="GER") + row("C1", "Old lung", suppress="O")
    names = [("C1", "Lung", "MSH", "en", True), ("C1", "Lunge", "MSH", "de", True)]
    names.append(("C2", "Menière", "MSH", "en", True))
    for name in ("MRCONSO.RRF", "names.txt"):
        assert table_of(tmp_path / name, data + row("C2", "Menière")) == names
    assert table_of(tmp_path / "MRCONSO.RRF", "\x1f\x8bxx") == []


def test_synonyms_of_an_ontology_are_names_too(tmp_path: Path) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\ni1,C0024109\n")
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "lung.obo").write_text(
        "format-version: 1.2\n\n[Term]\nid: UBERON:0002048\nname: lung\n"
        'synonym: "pulmo" EXACT []\nxref: UMLS:C0024109\n'
    )
    study = open_study(tmp_path)
    table = names_of_study(study)
    assert list(zip(table.concepts, table.texts, table.sources, strict=True)) == [
        ("C0024109", "lung", "UBERON"),
        ("C0024109", "pulmo", "UBERON"),
    ]
    assert table.preferred.tolist() == [True, False]
    (result,) = search_concepts(study, "pulmo")
    assert (result.cui, result.name) == ("C0024109", "pulmo")


def test_names_of_a_study_are_those_of_its_own_ids(tmp_path: Path) -> None:
    """A term of the study's vocabulary goes by its own id, whatever CUI it refers to as well."""
    study = open_study(write_envo(tmp_path))
    table = names_of_study(study)
    named = dict(zip(table.texts, table.concepts, strict=True))
    assert named["shore"] == "ENVO:01000687" and named["conifer wood"] == "ENVO:01000174"
    assert {*study.concepts.vocabulary} <= {*table.concepts}


def test_a_study_is_searched_by_its_synonyms(tmp_path: Path) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\ni1,C0000001;C0000009\ni2,C0000001\n")
    (tmp_path / "names.csv").write_text(
        "cui,name\nC0000001,Lung\nC0000001,Pulmo\nC0000002,Heart\nC0000007,Elsewhere\n"
    )
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "edges.csv").write_text("child,parent\nC0000001,C0000002\n")
    study = open_study(tmp_path)
    (entry,) = search_concepts(study, "pulmo")
    assert (entry.cui, entry.preferred, entry.name, entry.images, entry.in_graph) == (
        "C0000001",
        "Lung",
        "Pulmo",
        2,
        True,
    )
    (bare,) = search_concepts(study, "c0000009")
    assert (bare.cui, bare.preferred, bare.images, bare.in_graph) == ("C0000009", "", 1, False)
    assert search_concepts(study, "elsewhere") == []
    assert names_of_study(study, wanted={"C0000002"}).texts == ("Heart",)
    (tmp_path / "names.csv").unlink()
    assert index_of(open_study(tmp_path)).names == ()


def test_the_real_files_hold_the_same_names(real_dir: Path) -> None:
    table, umls = (names_in([real_dir / "kg" / name])[0] for name in ("names.csv", "MRCONSO.RRF"))
    of_table, of_umls = (set(zip(names.concepts, names.texts, strict=True)) for names in (table, umls))
    assert len(of_table) > 50_000 and of_table == of_umls
