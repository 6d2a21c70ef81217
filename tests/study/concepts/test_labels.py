import csv

import pytest

from evalcore.evaluate import score
from evalcore.evaluate.measures import table_metrics
from evalcore.study import open_study
from evalcore.study.concepts.concepts import parse_concepts
from evalcore.study.concepts.labels import (
    bind_labels,
    derive_labels,
    parse_label_map,
    parse_labels,
    split_values,
)
from evalcore.values.model import ConceptSets
from tests.study.reported import reported

CT, XR, CHEST, HEAD = "C0040405", "C1306645", "C0817096", "C0018670"


def read(text: str, images=("a", "b", "c")):
    rows, report = parse_labels(text.encode(), file="labels.csv")
    columns, more = reported(bind_labels, rows, images)
    return columns, [f"{p.severity} {p.rule} {p.line}" for p in (report + more).problems]


def test_one_column_per_label_type_and_several_values_per_cell():
    columns, problems = read("ID,modality,organ\na,CT,chest; head\nb,,\nc,MR,head\n")
    assert problems == []
    assert list(columns) == ["modality", "organ"]
    assert columns["organ"].values == ("chest", "head")
    assert [columns["organ"].of_image(i) for i in range(3)] == [("chest", "head"), (), ("head",)]
    assert columns["modality"].labelled.tolist() == [True, False, True]


def test_values_of_a_cell_are_kept_once():
    assert split_values("CT; MR;;CT ") == ("CT", "MR")
    assert split_values("") == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ID,organ\na,chest\nb,head,x\n", "error wrong-columns 3"),
        ("ID,organ\na,chest\na,head\n", "error duplicate-id 3"),
        ("ID,organ\na,chest\n,head\n", "error missing-id 3"),
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


def test_a_column_nobody_filled_is_a_warning():
    columns, problems = read("ID,organ,side\na,chest,\n")
    assert problems == ["warning empty-column None"]
    assert not columns["side"].labelled.any()


def test_a_file_without_label_columns_is_an_error():
    assert read("ID\na\n") == ({}, ["error no-columns 1"])


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
    single = derive_labels(label_map, concepts, one_value=True)
    assert list(single) == ["modality", "modality_all", "organ", "organ_all"]
    assert (single["organ"].of_image(0), single["organ_all"].of_image(0)) == ((), ("chest", "head"))
    assert single["modality"].of_image(0) == ("CT",)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("organ,head,X1", "error malformed-row 3"),
        (f"organ,,{CT}", "error malformed-row 3"),
        (f"organ,chest,{CHEST}", "warning repeated-row 3"),
        ("organ,head", "error wrong-columns 3"),
    ],
)
def test_rows_of_a_map_are_checked(row, problem):
    label_map, report = parse_label_map(
        f"label_type,label,cui\norgan,chest,{CHEST}\n{row}\n".encode(), file="m.csv"
    )
    assert label_map.types == {"organ": {CHEST: ("chest",)}}
    assert [f"{p.severity} {p.rule} {p.line}" for p in report.problems] == [problem]


@pytest.mark.real
@pytest.mark.parametrize("split", ["test", "train"])
def test_the_map_gives_exactly_the_labels_made_from_it(real_dir, split):
    rows, _ = parse_concepts((real_dir / f"rocov2/{split}_concepts.csv").read_bytes(), file="c")
    label_map, report = parse_label_map((real_dir / "labels/labels_map.csv").read_bytes(), file="m")
    assert report.total("error") == 0
    concepts = ConceptSets.of(rows.sets)
    columns = derive_labels(label_map, concepts, one_value=True)
    with (real_dir / f"labels/rocov2_{split}_labels.csv").open(newline="") as file:
        table = {row["ID"]: row for row in csv.DictReader(file)}
    for name, column in columns.items():
        ours = {image: set(column.of_image(i)) for i, image in enumerate(concepts.image_ids)}
        assert ours == {image: set(filter(None, row[name].split(";"))) for image, row in table.items()}, name


@pytest.mark.parametrize(
    ("written", "called"),
    [("a=b", "a_b"), ("a, b", "a_b"), ("a & b", "a_b"), ("x\ny", "x\ny"), ("organ (all)", "organ (all)")],
)
def test_every_label_type_can_stand_in_a_measure(tmp_path, written, called):
    (tmp_path / "concepts.csv").write_text(f"ID,CUIs\ni,{CT}\nj,{CT}\n")
    (tmp_path / "labels.csv").write_text(f'ID,organ,"{written}"\ni,chest,u\nj,chest,u\n')
    (tmp_path / "label_map.csv").write_text(f'label_type,label,cui\n"also {written}",CT,{CT}\n')
    (tmp_path / "systems/s").mkdir(parents=True)
    (tmp_path / "systems/s/run.trec").write_text("i Q0 j 1 0.9 s\nj Q0 i 1 0.9 s\n")
    study = open_study(tmp_path)
    assert set(study.labels.columns) == {"organ", called, f"also {called}"}
    # Both images carry the same labels: of the first result, all are relevant.
    for metric in (f"P({called})@1", f"P(organ&{called})@1", f"P(also {called})@1"):
        assert score(study, metrics=[metric])[0].values.tolist() == [1, 1]
    assert len(table_metrics(study)) == 18, "three types, three pairs, three depths"
    renamings = [(p.file, p.severity, p.rule) for p in study.report.problems if p.rule == "renamed-type"]
    renamed = [("labels.csv", "warning", "renamed-type"), ("label_map.csv", "warning", "renamed-type")]
    assert renamings == ([] if written == called else renamed)


def test_two_label_types_that_come_to_one_name():
    _, report = parse_labels(b'ID,"a,b",a=b\ni,x,y\n', file="l.csv")
    assert [p.rule for p in report.of_severity("error")] == ["duplicate-column"]


def test_more_label_types_than_a_study_can_have():
    """Each type has a value for every image, so a file of some kilobytes would fill the memory."""
    header = ",".join(f"t{i}" for i in range(501))
    rows, report = parse_labels(f"ID,{header}\na{',x' * 501}\n".encode(), file="labels.csv")
    assert rows.columns == {}
    assert [(p.rule, p.message) for p in report.of_severity("error")] == [
        ("too-many-types", "There are 501 label types; at most 500 are read, so none is.")
    ]
    text = "label_type,label,cui\n" + "".join(f"t{i},x,C0000001\n" for i in range(501))
    found, report = parse_label_map(text.encode(), file="label_map.csv")
    assert found.types == {}
    assert [p.rule for p in report.of_severity("error")] == ["too-many-types"]
