"""Captions as a whole: what counts, and what an image gets when nothing is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalcore.features.annotate.captions import Annotation, annotate, annotation_of
from evalcore.features.annotate.settings import AnnotateSettings
from evalcore.features.annotate.terms import Span
from evalcore.features.annotate.tool_output import ToolOutput
from evalcore.values.errors import InputError, SettingError
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


def found(settings: AnnotateSettings = USUAL) -> Annotation:
    return annotate(CAPTIONS, names=NAMES, settings=settings)


def test_what_each_image_gets() -> None:
    assert found().concepts == {
        "a": ("C1",),
        "b": (),
        "c": None,
        "d": None,
        "e": None,
        "f": ("C2", "C5"),
        "g": None,
        "h": None,
    }
    assert found(replace(USUAL, negated="keep")).concepts["a"] == ("C1", "C2")
    assert found(replace(USUAL, negated="keep")).concepts["b"] == ("C1",)


def test_every_term_says_why_it_counts_or_not() -> None:
    by_image = {one.image: one.matches for one in found(replace(USUAL, uncertain="leave-out")).captions}
    assert [(one.text, one.why, one.kept) for one in by_image["a"]] == [
        ("fracture", "", True),
        ("effusion", "negated", False),
    ]
    assert [(one.name, one.concepts, one.why) for one in by_image["e"]] == [
        ("Mass", ("C3", "C4"), "ambiguous")
    ]
    assert [(one.uncertain, one.why) for one in by_image["f"]] == [
        (None, ""),
        ("possible", "uncertain"),
        (None, ""),
    ]
    assert found().left_out == {"negated": 3, "ambiguous": 2}


def test_counts_of_names() -> None:
    whole = found()
    counted = {one.name: (one.n, one.kept, one.images) for one in whole.counts}
    assert counted == {
        "Effusion": (3, 2, 2),
        "Fracture": (3, 1, 3),
        "Mass": (2, 0, 2),
        "Pneumonia": (1, 1, 1),
    }
    assert [one.name for one in whole.counts] == ["Effusion", "Fracture", "Mass", "Pneumonia"]
    assert whole.totals["matches"] == 9


def test_a_tool_that_says_what_is_denied_is_believed() -> None:
    spans = [Span(3, 11, ("C1",), "Fracture", negated=False), Span(16, 20, ("C3",), "Mass", negated=True)]
    output = ToolOutput("medcat", {"a": tuple(spans)})
    (one,) = annotation_of({"a": "No fracture, a mass."}, output).captions
    assert [match.why for match in one.matches] == ["", "negated"]
    assert one.matches[1].negated == "" and one.concepts == ("C1",)


def test_progress_goes_up_and_stops_the_work() -> None:
    told: list[float] = []
    annotate({str(k): "mass" for k in range(1000)}, names=NAMES, progress=lambda done, _: told.append(done))
    assert told == sorted(told) and told[-1] == 1.0 and len(told) > 4

    def stop(done: float, _: str) -> None:
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        annotate({str(k): "mass" for k in range(1000)}, names=NAMES, progress=stop)


def test_without_names() -> None:
    with pytest.raises(InputError, match=r"no names to look for.*--names"):
        annotate(CAPTIONS, names=table())


@pytest.mark.parametrize("wrong", [{"negated": "both"}, {"uncertain": True}, {"meanings": ("mass",)}])
def test_settings_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        AnnotateSettings(**wrong)  # type: ignore[arg-type]
