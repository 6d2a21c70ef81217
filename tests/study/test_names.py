"""Names of concepts: of tables, MRCONSO and ontologies; by them concepts are shown and found."""

from dataclasses import replace
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.naming import find_concept, index_of, names_in, names_of_study, search_concepts
from evalcore.study.parts.names import parse_names
from evalcore.values.errors import InputError, UnknownName
from tests.studies import HERE
from tests.study.made import write
from tests.toy import study_of


def atom(cui, name, *, lat="ENG", ts="P", stt="PF", pref="Y", suppress="N"):
    return f"{cui}|{lat}|{ts}|L1|{stt}|S1|{pref}|A1||||MSH|MH|D1|{name}|0|{suppress}||\n"


@pytest.mark.parametrize(
    "worse", [{"lat": "GER"}, {"ts": "S"}, {"stt": "VO"}, {"pref": "N"}, {"suppress": "O"}]
)
@pytest.mark.parametrize("first", [True, False])
def test_the_preferred_english_name(worse: dict[str, str], first: bool) -> None:
    rows = [atom("C1", "Menière  disease"), atom("C1", "worse", **worse)]
    names, report = parse_names("".join(rows if first else rows[::-1]).encode(), file="M")
    assert names.names["C1"] == "Menière disease" and report.problems == ()


def test_names_of_all_languages_that_are_not_suppressed(tmp_path: Path) -> None:
    rows = atom("C1", "Lung") + atom("C1", "Lunge", lat="GER") + atom("C1", "Old lung", suppress="O")
    for name in ("MRCONSO.RRF", "names.txt"):
        names, _ = names_in([write(tmp_path, {name: rows}) / name])
        assert names == [("C1", "Lung", "MSH", "en"), ("C1", "Lunge", "MSH", "de")]


def test_synonyms_of_an_ontology_are_names_too(tmp_path: Path) -> None:
    obo = (
        "format-version: 1.2\n\n[Term]\nid: UBERON:0002048\nname: lung\n"
        'synonym: "pulmo" EXACT []\nxref: UMLS:C0024109\n'
    )
    study = open_study(write(tmp_path, {"concepts.csv": "ID,CUIs\ni1,C0024109\n", "graph/lung.obo": obo}))
    assert names_of_study(study) == [("C0024109", "lung", "UBERON", ""), ("C0024109", "pulmo", "UBERON", "")]
    (result,) = search_concepts(study, "pulmo")
    assert (result.cui, result.name) == ("C0024109", "pulmo")


def test_names_of_a_study_are_those_of_its_own_ids() -> None:
    """A term of the study's vocabulary is named by its own id, whatever CUI it also refers to."""
    study = open_study(HERE / "envo")
    named = {name.text: name.concept for name in names_of_study(study)}
    assert named["shore"] == "ENVO:01000687" and {*study.concepts.vocabulary} <= {*named.values()}


def test_a_study_is_searched_by_its_synonyms(tmp_path: Path) -> None:
    files = {
        "concepts.csv": "ID,CUIs\ni1,C0000001;C0000009\ni2,C0000001\n",
        "names.csv": "cui,name\nC0000001,Lung\nC0000001,Pulmo\nC0000002,Heart\nC0000007,Elsewhere\n",
        "graph/edges.csv": "child,parent\nC0000001,C0000002\n",
    }
    study = open_study(write(tmp_path, files))
    (lung,) = search_concepts(study, "pulmo")
    assert (lung.cui, lung.name) == ("C0000001", "Pulmo")
    (named,) = search_concepts(study, " C0000001\n")
    assert (named.cui, named.name) == ("C0000001", "Lung")
    (bare,) = search_concepts(study, "c0000009")
    assert (bare.cui, bare.name) == ("C0000009", "")
    assert search_concepts(study, "elsewhere") == []
    assert names_of_study(study, wanted={"C0000002"}) == [("C0000002", "Heart", "", "")]
    (tmp_path / "names.csv").unlink()
    assert index_of(open_study(tmp_path)).names == ()


def test_the_real_files_have_the_same_names(real_dir: Path) -> None:
    table, umls = (names_in([real_dir / "kg" / name])[0] for name in ("names.csv", "MRCONSO.RRF"))
    of_table, of_umls = ({name[:2] for name in names} for names in (table, umls))
    assert len(of_table) > 50_000 and of_table == of_umls


NAMES = {"C1": "Vein", "C2": "Vessel", "C8": "Vessel", "C3": "twin", "C4": "Twin"}
NAMED = replace(study_of({"a": {"C7"}}, [("C1", "C2")]), names=NAMES)


@pytest.mark.parametrize(
    ("text", "cui"),
    [("C1", "C1"), (" c1 ", "C1"), ("vEIN", "C1"), ("C7", "C7"), ("C8", "C8"), ("vessel", "C2")],
)
def test_a_concept_by_its_cui_or_name(text: str, cui: str) -> None:
    assert find_concept(NAMED, text) == cui


def test_unknown_and_ambiguous_names_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"No concept called 'Vien'\. Did you mean: Vein"):
        find_concept(NAMED, "Vien")
    with pytest.raises(InputError, match=r"Several concepts are called 'twin': C3, C4\. Give the CUI"):
        find_concept(NAMED, "twin")
