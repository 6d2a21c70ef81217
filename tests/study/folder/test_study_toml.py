import pytest

from evalcore.study.folder.layout import StudyToml, parse_study_toml

FULL = """
name = "ROCOv2"
description = "two systems"
[files]
concepts = "c.csv"
graph = ["g/a.csv", "g/b.csv"]
images = ""
[systems.hog]
run = "runs/hog.txt"
[systems."a b"]
embeddings = "v.npy"
ids = "v.txt"
[graph]
sources = ["MESH"]
rela = "isa"
"""


def read(text: str):
    toml, report = parse_study_toml(text.encode(), file="study.toml")
    return toml, [f"{p.severity} {p}" for p in report.problems]


def test_everything_it_may_say():
    toml, problems = read(FULL)
    assert problems == []
    assert toml == StudyToml(
        name="ROCOv2",
        description="two systems",
        files={"concepts": ("c.csv",), "graph": ("g/a.csv", "g/b.csv"), "images": ()},
        systems={"hog": {"run": "runs/hog.txt"}, "a b": {"embeddings": "v.npy", "ids": "v.txt"}},
        graph_sources=("MESH",),
        graph_rela=("isa",),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = \n", "error study.toml:1: The file is not TOML: Invalid value"),
        ("[files]\nconcept = 'c.csv'\n", "warning study.toml:2: Nothing is called 'files.concept' here"),
        ("name = 3\n", "error study.toml:1: `name` must be a text in quotes. Got 3."),
        ("[files]\n\ngraph = [1]\n", "error study.toml:3: `graph` must be a text or a list of texts"),
        ("files = 1\n", "error study.toml:1: `files` must be a table. Got 1."),
        ("[systems]\nhog = 'run.txt'\n", "error study.toml:2: `hog` must be a table. Got 'run.txt'."),
        ("[systems.a]\nreads = []\n[systems.b]\nreads = 'x'\n", "error study.toml:4: `reads` must be"),
    ],
)
def test_what_it_may_not_say_is_reported_by_line(text, problem):
    (reported,) = read(text)[1]
    assert reported.startswith(problem)


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("a = " + "[" * 100_000 + "]" * 100_000, "nested too deeply", None),
        ("name = 1" + "0" * 5_000, "is not TOML", None),
        ("x = 1\n" + "a." * 50_000 + "b = 1\n", "more than 100 dots", 2),
        ("# " + "x" * 300_000, "300,002 characters; at most 262,144", None),
    ],
    ids=["lists", "5,000 digits", "dots", "long"],
)
def test_what_would_stop_the_reader_is_reported_and_nothing_is_used(text, words, line):
    toml, report = parse_study_toml(text.encode(), file="study.toml")
    assert toml == StudyToml()
    assert [(p.severity, p.line) for p in report.problems] == [("error", line)]
    assert words in report.problems[0].message
    remedy = "Correct it; until then, parts of the study are recognised by their file names."
    assert report.problems[0].remedy == remedy


def test_bytes_that_are_not_utf8_are_named_and_the_rest_is_read():
    toml, report = parse_study_toml(b'name = "K\xf6ln"\ndescription = "two"\n', file="study.toml")
    assert (toml.name, toml.description) == ("K�ln", "two")
    assert [(p.rule, p.line) for p in report.of_severity("error")] == [("undecodable", 1)]
