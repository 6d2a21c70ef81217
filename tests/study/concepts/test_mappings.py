"""Mappings: SSSOM with exact matches only, or ``from,to``; what they translate, and what is said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalcore.study import open_study
from evalcore.study.concepts.mappings import joined, parse_mapping, translated

if TYPE_CHECKING:
    from pathlib import Path

SSSOM = """#curie_map:
#  HP: http://purl.obolibrary.org/obo/HP_
#mapping_set_id: made by hand
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification
HP:0002088\tlung\tskos:exactMatch\t\tUMLS:C0000001\tsemapv:ManualMappingCuration
HP:0002089\tlobe\tskos:exactMatch\t\tUMLS:C0000002\tsemapv:ManualMappingCuration
HP:0002090\tother\tskos:broadMatch\t\tUMLS:C0000003\tsemapv:ManualMappingCuration
HP:0002091\tnot\tskos:exactMatch\tNot\tUMLS:C0000004\tsemapv:ManualMappingCuration
http://purl.obolibrary.org/obo/HP_0002092\ttwo\tskos:exactMatch\t\tUMLS:C0000005\tsemapv:ManualMappingCuration
HP:0002092\ttwo\tskos:exactMatch\t\tUMLS:C0000006\tsemapv:ManualMappingCuration
"""


def test_exact_matches_count_both_ways_and_the_others_are_named() -> None:
    rows, report = parse_mapping(SSSOM.encode(), file="x.sssom.tsv")
    assert (rows.format, rows.rows) == ("SSSOM", 4)
    ids = ("HP:0002088", "HP:0002090", "HP:0002091", "HP:0002092", "C0000009")
    matches = joined([rows])
    done = translated(ids, matches, "umls")
    assert done.ids == {"HP:0002088": "C0000001"}
    assert (done.ambiguous, done.lost) == (("HP:0002092",), ("HP:0002090", "HP:0002091"))
    assert translated(("C0000001", "C0000005", "C0000006"), matches, "HP").ids == {
        "C0000001": "HP:0002088",
        "C0000005": "HP:0002092",
        "C0000006": "HP:0002092",
    }
    assert [(p.severity, p.line, p.rule, p.count) for p in report.problems] == [
        ("warning", 7, "not-exact", 2)
    ]
    assert "skos:broadMatch 1" in report.problems[0].message


def test_from_and_to_and_several_files() -> None:
    first, report = parse_mapping(b"from,to\ndog.n.01,WN:1\ncat.n.01,WN:2\n", file="mapping.csv")
    second, _ = parse_mapping(b"to;from\nWN:3;cat.n.01\n", file="more.csv")
    assert report.problems == ()
    matches = joined([first, second])
    assert (first.rows, second.rows, first.format) == (2, 1, "csv")
    done = translated(("dog.n.01", "cat.n.01", "WN:9"), matches, "WN")
    assert (done.ids, done.ambiguous, done.lost) == ({"dog.n.01": "WN:1"}, ("cat.n.01",), ())
    # In a study of any CURIEs only what stands under "from" can be meant.
    assert translated(("WN:1", "dog.n.01"), matches, "curie").ids == {"dog.n.01": "WN:1"}


BROKEN = {
    "another table": ("a,b\n1,2\n", "wrong-header", 1, "a", "from,to"),
    "half of SSSOM": ("subject_id\tobject_id\nHP:1\tHP:2\n", "wrong-header", 1, "subject_id", "SSSOM"),
    "a missing cell": ("from,to\nHP:1\n", "wrong-columns", 2, "HP:1", "from,to"),
    "an empty cell": ("#x\nfrom,to\nHP:1,\n", "empty-cell", 3, "HP:1,", "Fill"),
    "nothing exact": (SSSOM.replace("exactMatch", "closeMatch"), "no-mappings", 1, "", "exact"),
    "no text": ("from,to\n\0,b\n", "not-text", 2, "", "UTF-8"),
    "nothing": ("", "empty-file", None, "", "saved"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_mappings_are_named_by_line_and_value(case: str) -> None:
    text, rule, line, value, remedy = BROKEN[case]
    rows, report = parse_mapping(text.encode(), file="mapping.csv")
    problem = next(p for p in report.problems if p.severity == "error")
    assert (problem.file, problem.rule, problem.line, problem.value) == ("mapping.csv", rule, line, value)
    assert remedy in problem.remedy
    assert rows.rows == 0


def study(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_graph_and_names_are_translated_into_the_scheme_of_the_study(tmp_path: Path) -> None:
    opened = open_study(
        study(
            tmp_path,
            concepts_dot_csv="ID,CUIs\na,C0000001\nb,C0000002\n",
            graph__hp_dot_csv="child,parent\nHP:0002089,HP:0002088\nHP:0002088,HP:0000001\n",
            names_dot_csv="cui,name\nHP:0002088,Lung\nC0000002,Lobe\nHP:0002089,Lobe of a lung\n",
            map_dot_sssom_dot_tsv=SSSOM,
        )
    )
    assert opened.scheme == "umls"
    assert opened.graph.cuis == ("C0000001", "C0000002", "HP:0000001")
    assert dict(opened.names) == {"C0000001": "Lung", "C0000002": "Lobe"}
    said = [p.message for p in opened.report.problems if p.rule == "mapped"]
    assert said == [
        "Of 3 other ids in graph/hp.csv: 2 mapped to CUIs, 0 ambiguous, 1 lost for want of an exact match.",
        "Of 2 other ids in names.csv: 2 mapped to CUIs, 0 ambiguous, 0 lost for want of an exact match.",
    ]


def test_concepts_are_translated_into_the_scheme_that_study_toml_names(tmp_path: Path) -> None:
    opened = open_study(
        study(
            tmp_path,
            study_dot_toml='scheme = "HP"\n',
            map_dot_sssom_dot_tsv=SSSOM,
            concepts_dot_csv="ID,CUIs\na,C0000001;C0000009\nb,C0000009\nc,C0000002;HP:0002088\nd,\n",
        )
    )
    assert opened.scheme == "HP"
    found = {image: opened.concepts.of_image(i) for i, image in enumerate(opened.image_ids)}
    assert found == {"a": {"HP:0002088"}, "b": set(), "c": {"HP:0002088", "HP:0002089"}, "d": set()}
    # What b carries is not known in this scheme; d was annotated with nothing.
    assert opened.concepts.annotated.tolist() == [True, False, True, True]
    (problem,) = [p for p in opened.report.problems if p.rule == "mapped"]
    assert (problem.file, problem.value, problem.count) == ("map.sssom.tsv", "C0000009", 3)
    assert problem.remedy == "They are left out of their images."
