"""Captions as a whole: what counts, and what an image gets when nothing is found."""

from __future__ import annotations

from dataclasses import replace

from evalcore.features.annotate.captions import annotate
from evalcore.features.annotate.settings import AnnotateSettings
from evalcore.features.annotate.terms import Term, dictionary
from evalcore.features.annotate.tool_output import ToolOutput
from tests.features.annotate.names import table

NAMES = table(("C1", "Fracture"), ("C2", "Effusion"), ("C3", "Mass"), ("C4", "mass"), ("C5", "Pneumonia"))
CAPTIONS = {
    "a": "A fracture, no effusion.",
    "b": "No fracture.",
    "c": "Nothing known here.",
    "d": None,
    "e": "A mass.",
    "f": "History: pneumonia. Findings: possible effusion. Effusion.",
    "g": "",
    "h": "No fracture but a mass.",
}
USUAL = AnnotateSettings()


def test_what_each_image_gets_and_why():
    for changes, expected in (
        ({}, {"a": ("C1",), "b": (), "f": ("C2", "C5")}),
        ({"negated": "keep"}, {"a": ("C1", "C2"), "b": ("C1",), "f": ("C2", "C5"), "h": ("C1",)}),
    ):
        settings = replace(USUAL, **changes)
        annotation = annotate(CAPTIONS, dictionary(NAMES, settings), settings)
        assert annotation.concepts == dict.fromkeys(CAPTIONS) | expected
    settings = replace(USUAL, uncertain="leave-out")
    annotation = annotate(CAPTIONS, dictionary(NAMES, settings), settings)
    why = {row.image: [(term.name, term.why) for term in row.terms] for row in annotation.captions}
    assert why["a"] == [("Fracture", ""), ("Effusion", "negated")]
    assert why["e"] == [("Mass", "ambiguous")]
    assert why["f"] == [("Pneumonia", ""), ("Effusion", "uncertain"), ("Effusion", "")]
    assert annotation.left_out == {"negated": 3, "ambiguous": 2, "uncertain": 1}
    assert [tuple(row) for row in annotation.counts[:2]] == [
        ("Effusion", ("C2",), 3, 1, 2),
        ("Fracture", ("C1",), 3, 1, 3),
    ]


def test_a_tool_that_says_what_is_denied_is_believed():
    fracture = Term(3, 11, ("C1",), "Fracture", by_tool=True)
    terms = (fracture, Term(16, 20, ("C3",), "Mass", negated="", by_tool=True))
    (caption,) = annotate({"a": "No fracture, a mass."}, ToolOutput("medcat", {"a": terms})).captions
    assert [term.why for term in caption.terms] == ["", "negated"] and caption.concepts == ("C1",)
