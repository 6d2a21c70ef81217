"""Matches of MedCAT and QuickUMLS become terms with places and flags, and concepts of images."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run
from evalcore.features.annotate.run import spans
from evalcore.study.concepts.tool_output import ToolMatch
from tests.study.concepts.test_tool_output import ENTITIES, MATCHES, NO, medcat

STUDY = "ID,Caption\na,Chest with no effusion\nb,No effusion\nc,Knee\n"


def found(start, end, concept, *, score=1.0, preferred=False, **status):
    return ToolMatch(start, end, concept, "a name", score, preferred, status)


def terms(*matches):
    return [(one.start, one.end, one.concepts, one.negated, one.uncertain) for one in spans(matches)]


def test_none_over_another_and_the_longest_first():
    assert terms(found(4, 8, "C2"), found(0, 5, "C1"), found(0, 3, "C3"), found(5, 9, "C4")) == [
        (0, 5, ("C1",), None, None),
        (5, 9, ("C4",), None, None),
    ]


def test_several_concepts_in_a_place():
    same = [found(0, 5, "C3", score=0.9), found(0, 5, "C2"), found(0, 5, "C1")]
    assert [one[2] for one in terms(*same)] == [("C1", "C2")]
    assert [one[2] for one in terms(*same, found(0, 5, "C4", preferred=True))] == [("C4",)]
    assert terms() == []


@pytest.mark.parametrize(
    ("status", "negated", "uncertain"),
    [
        ({}, None, None),
        ({"Negation": "No"}, False, False),
        ({"Negation": "Yes"}, True, False),
        ({"Presence": "Hypothetical"}, False, True),
        ({"Presence": "Not present (False)"}, True, False),
        ({"Experiencer": "Family"}, True, False),
        ({"Time": "Past", "Presence": "True"}, False, True),
        ({"Status": "Other"}, False, True),
        ({"Temporality": "Future"}, False, True),
        ({"nobody knows": "Yes"}, False, False),
    ],
)
def test_what_the_tool_says_goes_before_the_rules(status, negated, uncertain):
    assert terms(found(0, 5, "C1", **status)) == [(0, 5, ("C1",), negated, uncertain)]


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "captions.csv").write_text(STUDY)
    return folder


def test_a_file_of_medcat_gives_the_concepts(study, tmp_path, capsys):
    entities = {**ENTITIES, "b": {"entities": {"0": medcat("C0032227", 3, 11, "effusion", meta_anns=NO)}}}
    (tmp_path / "medcat.json").write_text(json.dumps(entities))
    words = ["annotate", str(study), "--from", str(tmp_path / "medcat.json")]
    assert run([*words, "--out", str(tmp_path / "concepts.csv"), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["tool"], made["left_out"], made["counts"]["matches"]) == ("medcat", {"negated": 2}, 3)
    assert (tmp_path / "concepts.csv").read_text() == "ID,CUIs\na,C0817096\nb,\nc\n"
    assert run([*words, "--negated", "keep", "--matches", str(tmp_path / "terms.csv")]) == 0
    assert "a,C0032227,effusion,effusion,14,22,1,0,,1,,denied" in (tmp_path / "terms.csv").read_text()


def test_a_file_of_quickumls_gives_the_concepts(study, tmp_path, capsys):
    (tmp_path / "q.jsonl").write_text("".join(json.dumps({k: one}) + "\n" for k, one in MATCHES.items()))
    assert run(["annotate", str(study), "--from", str(tmp_path / "q.jsonl"), "--json"]) == 0
    written = capsys.readouterr()
    made = json.loads(written.out)
    # QuickUMLS says nothing of negation: the rules do
    assert (made["tool"], made["left_out"], made["counts"]["with_concepts"]) == (
        "quickumls",
        {"negated": 1},
        1,
    )
    assert "1 captions are not in the file" in written.err


def test_a_file_with_errors_is_refused(study, tmp_path, capsys):
    (tmp_path / "x.json").write_text('{"a": [[{"cui": "C1", "start": 0, "end": 99}]], "zzz": []}')
    assert run(["annotate", str(study), "--from", str(tmp_path / "x.json")]) == 2
    said = capsys.readouterr().err
    assert "0 to 99 is no part of its 22 characters" in said and "no caption of 'zzz'" in said
    assert run(["annotate", str(study), "--from", str(tmp_path / "none.json")]) == 2
    assert "The file cannot be read" in capsys.readouterr().err


def test_options_of_the_dictionary_are_refused_beside_a_file(capsys):
    assert run(["annotate", "data", "--from", "x.json", "--lang", "de"]) == 2
    assert "--lang has no use here: the terms come from --from" in capsys.readouterr().err
