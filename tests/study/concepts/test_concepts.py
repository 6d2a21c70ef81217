"""Files of concepts: identifiers of any scheme, shards of Hugging Face, and kinds of concepts."""

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study import open_study
from evalcore.study.parts.concepts import parse_concepts
from evalcore.study.parts.names import parse_kinds
from evalcore.values.concept_scheme import belongs, prefix_of, read_as
from evalcore.values.errors import InputError
from tests.study.made import parquet, write

SAID = {
    "HP:0002088": "HP",
    "RADLEX:RID1301": "RADLEX",
    "ENVO:01000254": "ENVO",
    "dog.n.01": "wordnet",
    "C0040405": "umls",
    "ICD10CM:A00.0": "ICD10CM",
}


@pytest.mark.parametrize("identifier", SAID)
def test_schemes_are_recognised_from_content(identifier: str) -> None:
    rows, report = parse_concepts(f"ID,concepts\na,{identifier}\nb,\n".encode(), file="concepts.csv")
    assert rows.scheme == SAID[identifier]
    assert rows.sets == {"a": (identifier,), "b": ()}
    remarks = [] if rows.scheme == "umls" else [("warning", "recognised-scheme", identifier)]
    assert [(p.severity, p.rule, p.value) for p in report.problems] == remarks


def test_malformed_identifiers_are_reported_by_line() -> None:
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


@given(st.text(max_size=30))
def test_what_is_read_as_an_identifier_belongs_to_its_scheme(text: str) -> None:
    for scheme in ("umls", "curie", "wordnet", "ids", "HP"):
        read = read_as(text, scheme)
        assert read is None or belongs(read, scheme)
        assert read is None or read.casefold() == text.casefold()
    assert belongs(text, "curie") == bool(prefix_of(text))


def test_study_toml_names_the_scheme(tmp_path: Path) -> None:
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
    assert (problem.file, problem.line, problem.rule) == ("study.toml", 2, "wrong-value")


A, B = "C0040405", "C0817096"


def shard(ids: list[str], cuis: list[list[str] | None], captions: list[str | None]) -> bytes:
    pictures = [{"bytes": b"JPEG", "path": f"{image}.jpg"} for image in ids]
    lists = pa.array(cuis, pa.list_(pa.string()))
    return parquet({"image_id": ids, "cui": lists, "image": pictures, "caption": captions})


def test_shards_give_concepts_captions_and_image_places(tmp_path: Path) -> None:
    first = shard(["b", "a"], [[A, B], []], ["CT of the\n chest", None])
    second = shard(["c"], [None], ["MRI"])
    study = open_study(write(tmp_path, {"data/test-0.parquet": first, "data/test-1.parquet": second}))
    assert not study.report.total("error") and study.image_ids == ("a", "b", "c")
    assert [study.concepts.of_image(i) for i in range(3)] == [set(), {A, B}, set()]
    assert study.concepts.annotated.tolist() == [True, True, False]
    assert study.captions.texts == (None, "CT of the\n chest", "MRI")
    assert study.images.entries == ("test-0.parquet#1", "test-0.parquet#0", "test-1.parquet#0")
    assert study.images.archive == study.images.folder == tmp_path / "data"


def test_a_shard_by_another_name_gives_no_pictures(tmp_path: Path) -> None:
    """Its rows are read as content, which does not include the place of its pictures."""
    study = open_study(write(tmp_path, {"concepts.csv": shard(["a"], [[A]], ["CT"])}))
    assert (study.image_ids, study.captions.texts, study.images) == (("a",), ("CT",), None)


CT, CHEST, MASS, LEFT = "C0040405", "C0817096", "C0577559", "C0205091"


def test_mrsty() -> None:
    rows = (
        f"{CT}|T060|B1.3.1.2|Diagnostic Procedure|AT1|256|\n{MASS}|T023|A1|Body Part|AT2||\n"
        f"{MASS}|T033|A2.2|Finding|AT3||\n{LEFT}|T082|A2.1.5|Spatial Concept|AT4||\n{CHEST}|T999|x|x|AT5||\n"
    )
    result, report = parse_kinds(rows.encode(), file="MRSTY.RRF")
    assert result.kinds == {CT: "modality", MASS: "finding", LEFT: "plane"}
    assert [(p.rule, p.value, p.count) for p in report.problems] == [("unknown-type", "T999", 1)]
    assert parse_kinds(rows.encode(), file="M", wanted=[LEFT])[0].kinds == {LEFT: "plane"}


def test_the_users_own_table_of_kinds_wins(tmp_path: Path) -> None:
    a, b, c, d, e = (f"C000000{i}" for i in range(1, 6))
    folder = write(tmp_path, {"concepts.csv": f"ID,CUIs\n1,{a};{b};{c};{d};{e}\n"})
    assert open_study(folder).kinds is None
    rows = "".join(f"{x}|T047|A|Disease or Syndrome|A||\n" for x in (a, b, c, d, e)).encode()
    names = f"cui,name,kind\n{a},A,organ\n{b},B,organ\n"
    kinds = f"cui,kind\n{a},device\nC9999999,finding\n"
    write(folder, {"MRSTY.RRF.gz": gzip.compress(rows), "names.csv": names, "kinds.csv": kinds})
    study = open_study(folder)
    assert study.kinds is not None
    assert study.kinds.kind_by_cui == {a: "device"} | dict.fromkeys((b, c, d, e), "finding")
    assert study.kinds.source == "kinds.csv, MRSTY.RRF.gz"
    assert study.report.total("error") == 0
    problems = {(p.file, p.line, p.rule, p.value) for p in study.report.problems}
    assert ("kinds.csv", 3, "unknown-concept", "C9999999") in problems, "no image and no graph knows it"
    (folder / "kinds.csv").write_text(f"cui,kind\n{a},other\n")
    assert open_study(folder).digest != study.digest
