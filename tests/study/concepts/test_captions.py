import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.study.concepts.texts import bind_captions, parse_captions, texts_in
from tests.study.reported import reported


def read(text: str):
    rows, report = parse_captions(text.encode(), file="captions.csv")
    return rows, [f"{p.severity} {p.rule} {p.line}" for p in report.problems]


@pytest.mark.parametrize(
    "text",
    [
        "ID,Caption\na,CT of the chest\nb,MRI\n",
        "a,CT of the chest\nb,MRI\n",
        "ID;Caption\na;CT of the chest\nb;MRI\n",
        "ID\tLegend\na\tCT of the chest\nb\tMRI\n",
        "ID,file,caption\na,a.jpg,CT of the chest\nb,b.jpg,MRI\n",
    ],
)
def test_captions_by_image(text):
    rows, problems = read(text)
    assert texts_in(rows) == {"a": "CT of the chest", "b": "MRI"}
    assert (rows.rows, problems) == (2, [])


def test_a_quoted_caption_keeps_commas_and_line_breaks():
    rows, problems = read('ID,Caption\na,"CT, axial\nview"\nb,MRI\n')
    assert texts_in(rows) == {"a": "CT, axial\nview", "b": "MRI"}
    assert problems == []


def test_an_unquoted_comma_is_reported_with_the_way_out():
    rows, report = parse_captions(b"ID,Caption\na,CT, axial\nb,MRI\n", file="captions.csv")
    assert texts_in(rows) == {"b": "MRI"}
    assert str(report.problems[0]) == (
        "captions.csv:2: The header has 2 cells, but this row has 3 cells; it is left out. "
        'Put a caption that contains commas into double quotes: ID,"one, two".'
    )


def test_duplicates_missing_ids_and_empty_captions():
    rows, problems = read("ID,Caption\na,CT\na,MRI\n,US\nb,\n")
    assert texts_in(rows) == {"a": "CT"}
    assert problems == ["error duplicate-id 3", "error missing-id 4"]


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


def test_the_digest_sees_texts_and_order():
    digests = {
        reported(bind_captions, read(text)[0], ("a", "b"))[0].digest
        for text in ("a,CT\nb,MRI\n", "a,MRI\nb,CT\n", "a,CT\n", "b,CT\n", "a,CT\nb,MR I\n")
    }
    assert len(digests) == 5


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_nothing_makes_the_reader_raise(data):
    reported(bind_captions, parse_captions(data, file="f")[0], ("a",))


@pytest.mark.real
def test_real_captions_are_complete(real_dir):
    rows, report = parse_captions((real_dir / "rocov2/test_captions.csv").read_bytes(), file="f")
    assert (len(texts_in(rows)), report.problems) == (9_927, ())
