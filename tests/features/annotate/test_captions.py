"""Captions as a whole: what counts, and what an image gets when nothing is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalcore.features.annotate.captions import Annotation, annotate
from evalcore.features.annotate.settings import AnnotateSettings
from evalcore.features.annotate.terms import Term, dictionary
from evalcore.features.annotate.tool_output import ToolOutput
from evalcore.values.errors import InputError
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


def annotated(settings: AnnotateSettings = USUAL) -> Annotation:
    return annotate(CAPTIONS, dictionary(NAMES, settings), settings)


def test_what_each_image_gets() -> None:
    none = dict.fromkeys("cdegh")
    assert annotated().concepts == {"a": ("C1",), "b": (), "f": ("C2", "C5"), **none}
    kept = annotated(replace(USUAL, negated="keep")).concepts
    assert (kept["a"], kept["b"]) == (("C1", "C2"), ("C1",))


def test_every_term_says_why_it_counts_or_not() -> None:
    captions = annotated(replace(USUAL, uncertain="leave-out")).captions
    by_image = {caption.image: [(term.name, term.why) for term in caption.terms] for caption in captions}
    assert by_image["a"] == [("Fracture", ""), ("Effusion", "negated")]
    assert by_image["e"] == [("Mass", "ambiguous")]
    assert by_image["f"] == [("Pneumonia", ""), ("Effusion", "uncertain"), ("Effusion", "")]
    assert captions[5].terms[1].uncertain == "possible"
    assert annotated().left_out == {"negated": 3, "ambiguous": 2}


def test_counts_of_names() -> None:
    whole = annotated()
    assert [(row.name, row.n, row.kept, row.images) for row in whole.counts] == [
        ("Effusion", 3, 2, 2),
        ("Fracture", 3, 1, 3),
        ("Mass", 2, 0, 2),
        ("Pneumonia", 1, 1, 1),
    ]
    assert whole.totals["matches"] == 9


def test_a_tool_that_says_what_is_denied_is_believed() -> None:
    terms = (
        Term(3, 11, ("C1",), "Fracture", by_tool=True),
        Term(16, 20, ("C3",), "Mass", negated="", by_tool=True),
    )
    (caption,) = annotate({"a": "No fracture, a mass."}, ToolOutput("medcat", {"a": terms})).captions
    assert [term.why for term in caption.terms] == ["", "negated"] and caption.concepts == ("C1",)


def test_progress_goes_up_and_stops_the_work() -> None:
    captions, shares = {str(k): "mass" for k in range(1000)}, []
    annotate(captions, dictionary(NAMES, USUAL), progress=lambda done, _: shares.append(done))
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) > 4

    def stop(done: float, _: str) -> None:
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        annotate(captions, dictionary(NAMES, USUAL), progress=stop)


def test_without_names() -> None:
    with pytest.raises(InputError, match=r"no names to look for.*--names"):
        dictionary(table(), USUAL)
