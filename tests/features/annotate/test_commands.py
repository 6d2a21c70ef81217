"""``annotate`` on folders: what it writes, and what it refuses."""

from __future__ import annotations

import csv
import gzip
import json
import re

import pytest

from evalcore.cli import run
from evalcore.features.annotate.captions import query_rows
from evalcore.features.annotate.settings import (
    TOML,
    AnnotateSettings,
    parse_settings,
    read_settings,
    settings_text,
)
from evalcore.study import open_study
from tests.study.made import write

NAMES = """cui,name,source,lang
C0000001,Fracture,MSH,ENG
C0000002,Effusion,MSH,ENG
C0000002,Erguss,MSH,GER
C0000003,Mass,A,ENG
C0000004,mass,B,ENG
C0000005,Chest,A,
"""
CAPTIONS = """ID,Caption
a,"A fracture, and effusions."
b,No fracture.
c,Nothing known.
d,Erguss
e,"=mass, chest"
"""


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "study", {"captions.csv": CAPTIONS, "names.csv": NAMES})


@pytest.fixture
def call(folder, capsys):
    def call(*arguments):
        assert run(["annotate", str(folder), *map(str, arguments)]) == 0
        return capsys.readouterr().out

    return call


def test_captions_and_names_are_enough(call, folder, tmp_path):
    out, matches = tmp_path / "found.csv", tmp_path / "matches.csv"
    text = call("--out", out, "--matches", matches)
    assert "2 of 5 images get 3 different concepts." in text and "1 image with denied terms only" in text
    assert "2 images without a term that counts: not annotated." in text
    assert out.read_text() == "ID,CUIs\na,C0000001;C0000002\nb,\nc\nd\ne,C0000005\n"
    rows = list(csv.DictReader(matches.read_text().splitlines()))
    assert [tuple(row.values()) for row in rows][1:4] == [
        ("a", "C0000002", "Effusion", "effusions", "16", "25", "0", "0", "1", ""),
        ("b", "C0000001", "Fracture", "fracture", "3", "11", "1", "0", "0", "negated"),
        ("e", "C0000003;C0000004", "Mass", "mass", "1", "5", "0", "0", "0", "ambiguous"),
    ]
    (folder / "concepts.csv").write_text(out.read_text())
    study = open_study(folder)
    assert study.concepts.annotated.tolist() == [True, True, False, False, True]
    assert study.concepts.of_image(0) == {"C0000001", "C0000002"} and study.concepts.of_image(1) == set()
    (folder / "concepts.csv").unlink()
    assert json.loads(call("--json"))["left_out"] == {"ambiguous": 1, "negated": 1}


def test_options_and_the_file_of_settings(call, folder, tmp_path):
    def concepts(*options):
        call("--out", tmp_path / "found.csv", *options)
        rows = csv.reader((tmp_path / "found.csv").read_text().splitlines())
        return {row[0]: row[1] if len(row) > 1 else None for row in rows if row[0] != "ID"}

    assert concepts("--negated", "keep")["b"] == "C0000001"
    (folder / "annotate.toml").write_text('meanings = ["mass = C0000003"]\nlanguages = ["de"]\n')
    assert concepts() == {"a": None, "b": None, "c": None, "d": "C0000002", "e": "C0000005"}
    (folder / "annotate.toml").write_text('stop = ["effusion"]\nsources = ["B"]\n')
    (tmp_path / "names.csv").write_text("cui,name\nC0000009,Nothing known\n")
    other = concepts()
    assert (other["a"], other["e"]) == ("C0000001", "C0000004;C0000005")
    (folder / "annotate.toml").unlink()
    assert concepts("--names", tmp_path / "names.csv")["c"] == "C0000009"


def test_texts_of_queries_get_their_concepts(call, folder):
    queries = (
        'id,kind,text,concepts\nq1,text,"Effusion, no fracture",\nq2,text,Fracture,C0000001\na,image,,\n'
    )
    (folder / "queries.csv").write_text(queries)
    assert "2 of 2 queries get 2 different concepts." in call("--out", folder / "queries.csv")
    assert (folder / "queries.csv").read_text() == queries.replace('fracture",', 'fracture",C0000002')


def test_ids_and_texts_are_written_as_they_are(call, folder, tmp_path):
    (folder / "captions.csv").write_text("ID,Caption\n@a,Fracture\n-b,Effusion\n")
    queries = 'id,kind,text,concepts\n=q,text,"- chest, -effusion",\n'
    (folder / "queries.csv").write_text(queries)
    out, matches = tmp_path / "found.csv", tmp_path / "matches.csv"
    call("--out", out, "--matches", matches)
    assert out.read_text() == "ID,CUIs\n-b,C0000002\n@a,C0000001\n"
    assert [line[:3] for line in matches.read_text().splitlines()[1:]] == ["-b,", "@a,"]
    call("--matches", matches, "--escape-formulas")
    assert [line[:3] for line in matches.read_text().splitlines()[1:]] == ["'-b", "'@a"]
    call("--out", folder / "queries.csv")
    assert (folder / "queries.csv").read_text() == queries.replace(
        'effusion",', 'effusion",C0000002;C0000005'
    )


def test_the_header_says_what_is_between_the_cells_of_queries():
    rows, _ = query_rows(b'id,kind,text\nq1,text,"Effusion;\nno change; no\nfracture;"\n', file="q")
    assert rows == [["id", "kind", "text"], ["q1", "text", "Effusion;\nno change; no\nfracture;"]]


def test_a_table_of_queries_is_read_as_the_study_reads_it(call, folder, tmp_path, capsys):
    out = tmp_path / "queries.csv"
    rows = 'id\tkind\ttext\nq1\ttext\t"Effusion\nq2\ttext\tFracture\n'  # with TABs a quote is a sign as any
    (folder / "queries.csv").write_text(rows)
    call("--out", out)
    with out.open(newline="") as file:
        assert [*csv.reader(file)][1:] == [
            ["q1", "text", '"Effusion', "C0000002"],
            ["q2", "text", "Fracture", "C0000001"],
        ]
    (folder / "queries.csv").unlink()
    (folder / "study.toml").write_text('[files]\nqueries = "q.csv.gz"\n')
    rows = "id,kind,text\nq1,text,Effusion\n"
    (folder / "q.csv.gz").write_bytes(gzip.compress(rows.encode("utf-8-sig")))
    call("--out", out)
    assert out.read_text() == "id,kind,text,concepts\nq1,text,Effusion,C0000002\n"
    for wrong in ("q2,text,\u00e9\n".encode("latin-1"), b'q2,text,"Chest\n'):
        (folder / "q.csv.gz").write_bytes(gzip.compress(rows.encode() + wrong))
        assert run(["annotate", str(folder), "--out", str(out)]) == 2
        assert "Error: q.csv.gz has 1 error" in capsys.readouterr().err
    assert out.read_text() == "id,kind,text,concepts\nq1,text,Effusion,C0000002\n"


# ``annotate.toml``: what is written reads back, and everything wrong with it is listed by its line.

CHOSEN = AnnotateSettings(
    languages=("de", "en"),
    sources=('a "b"\n', "MESH"),
    stop=("é",),
    meanings=("mass = C1",),
    negated="keep",
    uncertain="leave-out",
)


@pytest.mark.parametrize("settings", [CHOSEN, AnnotateSettings()])
def test_there_and_back(tmp_path, settings):
    (tmp_path / TOML).write_text('# ours\nnegated = "keep"  # as MedCAT does\n')
    (tmp_path / TOML).write_text(settings_text(settings, tmp_path))
    read, report = read_settings(tmp_path)
    assert (read, report.problems) == (settings, ())
    assert {"# ours", "# as MedCAT does"} <= {*re.findall("#.+", (tmp_path / TOML).read_text())}


def test_everything_wrong_is_listed_at_once():
    text = b'negated = "no"\n# x\nnegatted = "keep"\nstop = [1]\nmeanings = ["a"]\nsources = ["MSH"]\n'
    settings, report = parse_settings(text, file=TOML)
    assert settings == AnnotateSettings(sources=("MSH",))
    assert [(problem.line, problem.rule) for problem in report.problems] == [
        (1, "wrong-value"),
        (3, "unknown-key"),
        (4, "wrong-value"),
        (5, "wrong-value"),
    ]
    assert "Did you mean 'negated'?" in str(report.problems[1])
