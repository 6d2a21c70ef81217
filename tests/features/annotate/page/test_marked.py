"""Marked captions show the text as it is written; a review changes what it says and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from evalcore.features.annotate.page.review import LOOK_FOR, reviewed
from evalcore.features.annotate.page.sections import marked, reason
from evalcore.features.annotate.values import STOP, AnnotateSettings, Flag, Match
from evalcore.values.writing import plain


def match(text, start, end, *, negated=None, uncertain=None, why="", concepts=("C1",), section=""):
    return Match(start, end, text[start:end], concepts, "name", "", negated, uncertain, section, why)


CAPTION = "No effusion; possible mass [of] the lung"
NO, MAYBE = Flag("no", 0, 2, 3, 11), Flag("possible", 13, 21, 22, 26)


def test_each_fate_has_its_mark_and_its_reason():
    found = [
        match(CAPTION, 3, 11, negated=NO, why="negated"),
        match(CAPTION, 22, 26, uncertain=MAYBE),
        match(CAPTION, 36, 40),
    ]
    assert marked(CAPTION, found) == (
        "No :gray-background[~~effusion~~]; possible :orange-background[*mass*] "
        "\\[of\\] the :green-background[**lung**]"
    )
    assert [reason(one, CAPTION) for one in found] == [
        "left out: denied, because of “No”",
        "counts, though in doubt, because of “possible”",
        "counts",
    ]
    unclear = match(CAPTION, 36, 40, concepts=("C1", "C2"), why="ambiguous")
    assert marked("lung", [match("lung", 0, 4, why="ambiguous")]) == ":violet-background[lung]"
    assert reason(unclear, CAPTION) == "left out: the name of 2 concepts"
    assert "as the tool says" in reason(match(CAPTION, 3, 11, negated=Flag("", 3, 11, 3, 11)), CAPTION)


@settings(max_examples=60)
@given(some.text(max_size=40), some.lists(some.tuples(some.integers(0, 40), some.integers(1, 8)), max_size=3))
def test_marks_and_escapes_aside_it_is_the_caption(text, places):
    found = [match(text, a, a + n) for a, n in places if plain(text[a : a + n]) and a + n <= len(text)]
    shown = re.sub(r":green-background\[\*\*(.*?)(?<!\\)\*\*\]", r"\1", marked(text, found))
    bare = re.sub(r"\\(.)", r"\1", shown).replace("\u2060", "")
    assert "".join(bare.split()) == "".join(plain(text).replace("\u2060", "").split())


@pytest.mark.parametrize(
    ("edited", "means", "stop", "meanings"),
    [
        ({}, {}, ("older",), ()),
        ({0: {LOOK_FOR: True}}, {}, (), ()),
        ({"1": {LOOK_FOR: False}}, {}, ("older", "Chest"), ()),
        ({}, {"Mass": "C1", "Cold": "Nothing"}, ("older",), ("Mass = C1",)),
    ],
)
def test_a_review_becomes_settings(edited, means, stop, meanings):
    before = AnnotateSettings(stop=(*STOP, "older"), window=3)
    after = reviewed(before, ["older", "Chest"], edited, means)
    assert (after.stop, after.meanings, after.window) == ((*STOP, *stop), meanings, 3)
