"""MedCAT and QuickUMLS as finders: what they say becomes terms with places and flags."""

from __future__ import annotations

import pytest

from evalcore.features.annotate.outside import outside, spans
from evalcore.features.annotate.run import annotate
from evalcore.features.annotate.tools_read.asked import ToolMatch
from evalcore.values.errors import InputError
from tests.features.annotate.tools_read.stand_in import write_environment, write_pack


def found(start, end, concept, *, score=1.0, preferred=None, **status):
    return ToolMatch("i", start, end, concept, "a name", score, preferred, status)


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
    assert terms(found(None, None, "C1")) == []


@pytest.mark.parametrize(
    ("status", "negated", "uncertain"),
    [
        ({}, None, None),
        ({"Negation": "No"}, False, False),
        ({"Negation": "Yes"}, True, False),
        ({"Presence": "Hypothetical"}, False, True),
        ({"Experiencer": "Family"}, True, False),
        ({"Time": "Past", "Presence": "True"}, False, True),
    ],
)
def test_what_the_tool_says_goes_before_the_rules(status, negated, uncertain):
    assert terms(found(0, 5, "C1", **status)) == [(0, 5, ("C1",), negated, uncertain)]


def test_captions_read_by_tools_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path))
    captions = {"a": "Chest with no effusion", "b": None, "c": "No effusion"}
    with pytest.raises(InputError, match="tools --make medcat"):
        annotate(captions, tool="medcat")
    write_environment(tmp_path / "environments" / "medcat")
    with pytest.raises(InputError, match=r"Put medcat into .*models, or name it with --weights"):
        outside("medcat")
    write_pack(tmp_path / "models" / "medcat")
    made = annotate(captions, tool="medcat")
    assert made.concepts == {"a": ("C0817096",), "b": None, "c": ()}
    assert made.left_out == {"negated": 2}
