"""Labels of images: as tables, and as they follow from concepts by a map."""

import csv

import pytest

from evalcore.study.concepts.concepts import parse_concepts
from evalcore.study.concepts.labels import bind_labels, derive_labels, parse_label_map, parse_labels
from evalcore.study.tables.ids import KnownIds
from evalcore.values.model import ConceptSets
from tests.study.reported import reported

CT, XR, CHEST, HEAD = "C0040405", "C1306645", "C0817096", "C0018670"


def read(text: str, images=("a", "b", "c")):
    rows, report = parse_labels(text.encode(), file="labels.csv")
    columns, more = reported(bind_labels, rows, KnownIds(images))
    return columns, [f"{p.severity} {p.rule} {p.line}" for p in (report + more).problems]


def test_one_column_per_label_type_and_several_values_per_cell():
    columns, problems = read("ID,modality,organ\na,CT,chest; head\nb,,\nc,MR,head\n")
    assert problems == []
    assert list(columns) == ["modality", "organ"]
    assert columns["organ"].values == ("chest", "head")
    assert [columns["organ"].of_image(i) for i in range(3)] == [("chest", "head"), (), ("head",)]
    assert columns["modality"].labelled.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ID,organ,organ\na,chest,head\n", "error duplicate-column 1"),
        ("ID,organ,\na,chest,head\n", "error unnamed-column 1"),
        ("chest_1,organ\na,chest\n", "warning no-header 1"),
        ("ID,organ\na,chest\nzz,head\n", "warning unknown-id None"),
    ],
)
def test_what_can_be_wrong_is_reported_and_the_rest_stays(text, problem):
    columns, problems = read(text)
    assert problems == [problem]
    assert columns["organ"].of_image(0) == ("chest",)


def test_labels_follow_from_concepts():
    text = (
        f"label_type,label,cui\nmodality,CT,{CT}\nmodality,XR,{XR}\norgan,chest,{CHEST}\norgan,head,{HEAD}\n"
    )
    label_map, report = parse_label_map(text.encode(), file="label_map.csv")
    assert report.problems == ()
    concepts = ConceptSets.of({"a": [CT, CHEST, HEAD], "b": [XR, "C0000001"], "c": None, "d": []})
    columns = derive_labels(label_map, concepts)
    assert list(columns) == ["modality", "organ"]
    assert [columns["modality"].of_image(i) for i in range(4)] == [("CT",), ("XR",), (), ()]
    assert columns["organ"].of_image(0) == ("chest", "head")


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
    assert label_map.types == {"organ": {CHEST: ("chest",)}}
    assert [f"{p.severity} {p.rule} {p.line}" for p in report.problems] == [problem]


@pytest.mark.real
def test_the_map_gives_exactly_the_labels_made_from_it(real_dir):
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
