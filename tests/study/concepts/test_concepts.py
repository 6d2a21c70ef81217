"""Concept files: what is a CUI, and what is wrong with a row."""

import pytest

from evalcore.study.concepts.concepts import parse_concepts
from evalcore.values.model import ConceptSets

A, B, C = "C0040405", "C0817096", "C1306645"


def read(text: str | bytes, **options):
    data = text if isinstance(text, bytes) else text.encode()
    rows, report = parse_concepts(data, file="concepts.csv", **options)
    return rows, [f"{p.severity} {p.rule} {p.line}" for p in report.problems], report


@pytest.mark.parametrize(
    "text",
    [f"a,{A};{B}\nb,{C}\n", f"a\t{A};{B}\nb\t{C}\n", f"ID,caption,CUIs\na,an image,{A};{B}\nb,another,{C}"],
)
def test_every_format_gives_the_same_sets(text):
    rows, problems, _ = read(text)
    assert rows.sets == {"a": (A, B), "b": (C,)} and (rows.rows, problems) == (2, [])


def test_malformed_concepts_are_left_out_and_named():
    rows, problems, report = read(f"ID,CUIs\na,{A};C12;D0040405\nb,X1\n")
    assert rows.sets == {"a": (A,), "b": None}, "an image of which nothing is known is not annotated"
    assert problems == ["error malformed-cui 2", "error malformed-cui 2", "error malformed-cui 3"]
    assert "C and seven digits" in report.problems[0].remedy


@pytest.mark.parametrize(
    "bad", ["C00404050", "C004040", "CO040405", "C004040٥", "C0040405 C0817096", "0040405"]
)
def test_only_c_and_seven_plain_digits_are_a_cui(bad):
    assert read(f"a,{A};{bad}\n")[1] == ["error malformed-cui 1"]


@pytest.mark.real
@pytest.mark.parametrize(
    ("file", "images", "concepts", "empty"),
    [
        ("rocov2/test_concepts.csv", 9_927, 1_750, 0),
        ("roco/test_concepts.csv", 8_179, 3_410, 173),
        ("imageclef/2019_test_run_ionpetro.tsv", 10_000, None, 0),
        ("imageclef/2024_dev_run_aueb_densenet_original.csv", 7_973, None, 36),
    ],
)
def test_real_files_are_read_without_a_problem(real_dir, file, images, concepts, empty):
    rows, report = parse_concepts((real_dir / file).read_bytes(), file=file)
    sets = ConceptSets.of(rows.sets)
    assert (len(sets), report.total("error")) == (images, 0)
    assert concepts is None or len(sets.vocabulary) == concepts
    assert int((sets.sizes == 0).sum()) == empty
