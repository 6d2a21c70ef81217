"""Concepts of any scheme: recognised or named, malformed ones by their line; CUIs as ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study import open_study
from evalcore.study.concepts.concepts import parse_concepts
from evalcore.study.concepts.labels import parse_label_map
from evalcore.values.concept_scheme import belongs, prefix_of, read_as, recognised
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

SAID = {
    "HP:0002088": "HP",
    "MONDO:0005002": "MONDO",
    "RADLEX:RID1301": "RADLEX",
    "ENVO:01000254": "ENVO",
    "dog.n.01": "wordnet",
    "C0040405": "umls",
    "st._bernard.n.01": "wordnet",
    "ICD10CM:A00.0": "ICD10CM",
}


@pytest.mark.parametrize("identifier", SAID)
def test_schemes_are_recognised_from_content(identifier: str) -> None:
    rows, report = parse_concepts(f"ID,concepts\na,{identifier}\nb,\n".encode(), file="concepts.csv")
    assert rows.scheme == SAID[identifier]
    assert rows.sets == {"a": (identifier,), "b": ()}
    remarks = [] if rows.scheme == "umls" else [("warning", "recognised-scheme", identifier)]
    assert [(p.severity, p.rule, p.value) for p in report.problems] == remarks


def test_malformed_identifiers_are_named_by_line() -> None:
    data = b"ID,concepts\na,HP:0002088;hp:0000001\nb,lung disease\nc,MONDO:1;HP:0002088;HP:0002088\n"
    rows, report = parse_concepts(data, file="c.csv", scheme="HP")
    assert rows.sets == {"a": ("HP:0002088", "HP:0000001"), "b": None, "c": ("HP:0002088",)}
    assert [(p.severity, p.line, p.rule, p.value) for p in report.problems] == [
        ("warning", 2, "lower-case-concept", "hp:0000001"),
        ("error", 3, "malformed-concept", "lung disease"),
        ("error", 4, "malformed-concept", "MONDO:1"),
        ("warning", 4, "repeated-concept", "HP:0002088"),
    ]
    assert "begins with HP:" in report.problems[1].remedy


def test_a_file_of_cuis_with_some_other_ids_stays_one_of_cuis() -> None:
    rows, report = parse_concepts(b"ID,CUIs\na,C0000001;HP:0002088\nb,C0000002\n", file="c.csv")
    assert (rows.scheme, rows.sets) == ("umls", {"a": ("C0000001",), "b": ("C0000002",)})
    assert [(p.line, p.rule, p.value) for p in report.problems] == [(2, "malformed-cui", "HP:0002088")]


@given(st.text(max_size=30))
def test_what_is_read_as_an_identifier_belongs_to_its_scheme(text: str) -> None:
    for scheme in ("umls", "curie", "wordnet", "ids", "HP"):
        read = read_as(text, scheme)
        assert read is None or belongs(read, scheme)
        assert read is None or read.casefold() == text.casefold()
    assert belongs(text, "curie") == bool(prefix_of(text))


@given(st.lists(st.sampled_from([*SAID, "?", ""]), max_size=9))
def test_cuis_are_the_default_unless_another_kind_has_more_than_half(texts: list[str]) -> None:
    of = recognised(texts)
    share = sum(belongs(text, of) for text in texts)
    assert of == "umls" or 2 * share > len(texts)
    assert recognised(reversed(texts)) == of


def test_study_toml_says_the_scheme(tmp_path: Path) -> None:
    (tmp_path / "concepts.csv").write_text("ID,ids\na,RID1301;RID28569\n")
    with pytest.raises(InputError) as none:
        open_study(tmp_path)
    assert {p.rule for p in none.value.report.problems} == {"malformed-cui"}
    assert 'scheme = "ids"' in str(none.value)
    (tmp_path / "study.toml").write_text('scheme = "ids"\n')
    opened = open_study(tmp_path)
    assert (opened.scheme, opened.concepts.vocabulary) == ("ids", ("RID1301", "RID28569"))
    (tmp_path / "study.toml").write_text('name = "x"\nscheme = "H P"\n')
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0000001\n")
    (problem,) = open_study(tmp_path).report.problems
    assert (problem.file, problem.line, problem.rule, problem.value) == (
        "study.toml",
        2,
        "wrong-value",
        "H P",
    )


def test_shards_have_a_scheme_too(tmp_path: Path) -> None:
    for name, cuis in (("a", [["HP:1"], ["HP:2", "C0000001"]]), ("b", [None, ["HP:3"]])):
        table = pa.table({"image_id": [f"{name}1", f"{name}2"], "cui": pa.array(cuis, pa.list_(pa.string()))})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    opened = open_study(tmp_path)
    assert (opened.scheme, opened.concepts.vocabulary) == ("HP", ("HP:1", "HP:2", "HP:3"))
    assert [(p.rule, p.file) for p in opened.report.problems] == [
        ("recognised-scheme", "a.parquet"),
        ("malformed-concept", "a.parquet"),
    ]


def test_a_label_map_holds_concepts_of_the_study() -> None:
    data = b"label_type,label,concept\norgan,lung,HP:0002088\norgan,head,lung\n"
    rows, report = parse_label_map(data, file="label_map.csv", scheme="HP")
    assert rows.types == {"organ": {"HP:0002088": ("lung",)}}
    (problem,) = report.problems
    assert (problem.line, problem.rule, problem.value) == (3, "malformed-row", "lung")
    assert "HP identifier" in problem.message
