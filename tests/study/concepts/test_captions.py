import pytest

from evalcore.study.concepts.texts import bind_captions, parse_captions, texts_in
from tests.study.reported import reported


def read(text: str):
    rows, report = parse_captions(text.encode(), file="captions.csv")
    return rows, [f"{p.severity} {p.rule} {p.line}" for p in report.problems]


def test_an_unquoted_comma_is_reported_with_the_way_out():
    rows, report = parse_captions(b"ID,Caption\na,CT, axial\nb,MRI\n", file="captions.csv")
    assert texts_in(rows) == {"b": "MRI"}
    assert str(report.problems[0]) == (
        "captions.csv:2: The header has 2 cells, but this row has 3 cells; it is left out. "
        'Put a caption that contains commas into double quotes: ID,"one, two".'
    )


def test_binding_counts_images_without_text_and_unknown_ids():
    rows, _ = read("ID,Caption\na,CT\nb.jpg,MRI\n")
    captions, report = reported(bind_captions, rows, ("a", "b", "c"))
    assert captions.texts == ("CT", None, None)
    assert [(p.severity, p.rule, p.count) for p in report.problems] == [
        ("warning", "unknown-id", 1),
        ("warning", "no-caption", 2),
    ]


def test_captions_of_no_image_are_an_error():
    rows, _ = read("ID,Caption\na.jpg,CT\nb.jpg,MRI\n")
    captions, report = reported(bind_captions, rows, ("a", "b", "c"))
    assert captions is None
    assert [(p.severity, p.rule, p.count) for p in report.problems] == [("error", "unknown-id", 2)]
    assert report.problems[0].remedy == "Apart from a file ending such as .jpg both match."


@pytest.mark.real
def test_real_captions_are_complete(real_dir):
    rows, report = parse_captions((real_dir / "rocov2/test_captions.csv").read_bytes(), file="f")
    assert (len(texts_in(rows)), report.problems) == (9_927, ())
