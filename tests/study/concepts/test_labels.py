"""Labels of images as they follow from concepts by a map."""

import csv

import pytest

from evalcore.study.parts.concepts import parse_concepts
from evalcore.study.parts.labels import derive_labels, parse_label_map
from evalcore.study.parts.registry import KINDS
from evalcore.values.model import ConceptSets

CT, CHEST = "C0040405", "C0817096"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("organ,head,X1", "error malformed-row 3"),
        (f"organ,,{CT}", "error malformed-row 3"),
        (f"organ,chest,{CHEST}", "warning repeated-row 3"),
    ],
)
def test_rows_of_a_map_are_checked(row, problem):
    label_map, report = parse_label_map(
        f"label_type,label,cui\norgan,chest,{CHEST}\n{row}\n".encode(), file="m.csv"
    )
    assert label_map == {"organ": {CHEST: ("chest",)}}
    assert [f"{p.severity} {p.rule} {p.line}" for p in report.problems] == [problem]


@pytest.mark.real
def test_the_map_yields_the_published_labels(real_dir):
    rows, _ = parse_concepts((real_dir / "rocov2/test_concepts.csv").read_bytes(), file="c")
    label_map, report = parse_label_map((real_dir / "labels/labels_map.csv").read_bytes(), file="m")
    assert report.total("error") == 0
    concepts = ConceptSets.of(rows.sets)
    columns = derive_labels(label_map, concepts)
    with (real_dir / "labels/rocov2_test_labels.csv").open(newline="") as file:
        table = {row["ID"]: row for row in csv.DictReader(file)}
    for name, column in columns.items():
        ours = {image: set(column.of_image(i)) for i, image in enumerate(concepts.image_ids)}
        assert ours == {
            image: set(filter(None, row[f"{name}_all"].split(";"))) for image, row in table.items()
        }, name


def test_no_row_replaces_a_header_that_is_not_utf_8() -> None:
    rows, report = KINDS["labels"].parse(b"ID,modalit\xe9\na,CT\nb,MR\n", file="labels.csv")
    assert not rows.rows
    assert [(problem.rule, problem.line) for problem in report.problems] == [("undecodable", 1)]
