"""The rules of NegEx on sentences: what is denied, what doubted, and how far a trigger reaches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.annotate.negation import TRIGGERS, WINDOW, flags_of

TERM = re.compile(r"fracture|pneumonia|effusion|mass|edema|Erguss|chest|lung cancer", re.IGNORECASE)


def flag_letters(text: str) -> str:
    """One letter for each term: n negated, u uncertain, b both, - neither."""
    flags = flags_of(text, [match.span() for match in TERM.finditer(text)])
    letters = {(False, False): "-", (True, False): "n", (False, True): "u", (True, True): "b"}
    return "".join(letters[no is not None, maybe is not None] for no, maybe in flags)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is no evidence of fracture, effusion, or edema.", "nnn"),
        ("Fracture is seen but effusion was ruled out.", "-n"),
        ("Pneumonia cannot be excluded.", "u"),
        ("CT without contrast shows a mass", "-"),
        ("No mass due to pneumonia", "n-"),
        ("no definite mass, suspicious for lung cancer", "nb"),
        ("Kein Erguss, keine Pneumonia", "nn"),
        ("Mass, 3.5 cm. No. 3 fracture", "--"),
        ("See Fig. 2 without effusion", "n"),
        ("No edema (3.5 cm). e.g. mass! Or fracture\n\neffusion", "n---"),
        ("absent mass; fracture", "n-"),
        ("effusion", "-"),
        ("", ""),
    ],
)
def test_sentences_by_hand(text, expected):
    assert flag_letters(text) == expected


def test_the_trigger_is_given_as_it_is_written_and_is_no_term_itself():
    text = "Fracture; there is No evidence of mass"
    assert flags_of(text, [(0, 8), (34, 38)]) == [(None, None), ("No evidence of", None)]
    assert flags_of("no evidence of disease", [(0, 22)]) == [(None, None)]


def test_the_words_between_are_counted_and_a_term_as_one():
    for between in range(8):
        assert flag_letters(f"no {'very ' * between}fracture") == ("n" if between <= WINDOW else "-")
    assert flag_letters("no lung cancer " + "lung cancer " * 4 + "mass") == "n" * 6
    assert flag_letters("no old lung cancer " + "lung cancer " * 4 + "mass") == "nnnnn-"
    assert (
        flag_letters("mass a a a a a a was ruled out") == "-"
        and flag_letters("mass a a a was ruled out") == "n"
    )


PIECES = [*(phrase for some in TRIGGERS.values() for phrase in some[:3]), "mass", ",", "thing"]


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_sentences_do_not_reach_into_each_other(pieces):
    """A sentence more, before or after, changes the flags of none."""
    text = " ".join(pieces)
    assert flag_letters(f"No mass. {text}. Possible mass") == "n" + flag_letters(f"{text}.") + "u"


MARKED = re.compile(r"\{([^|}]+)\|([-+?<])\}")
SENTENCES = [
    line
    for line in (Path(__file__).parent / "assertions.txt").read_text(encoding="utf-8").splitlines()
    if line and line[0] != "#"
]


def unmarked(line: str) -> tuple[str, list[tuple[int, int]], str]:
    """The sentence without marks, the places of its terms, and their accepted readings."""
    text, places, at = "", [], 0
    for match in MARKED.finditer(line):
        text += line[at : match.start()]
        places.append((len(text), len(text) + len(match[1])))
        text += match[1]
        at = match.end()
    return text + line[at:], places, "".join(match[2] for match in MARKED.finditer(line)).replace("<", "+")


def test_at_least_nine_of_ten_sentences_are_read_as_accepted():
    assert len(SENTENCES) >= 200
    wrong = []
    for line in SENTENCES:
        text, places, readings = unmarked(line)
        read = "".join("-" if no else "?" if maybe else "+" for no, maybe in flags_of(text, places))
        wrong += [f"{line}  ->  {read}"] if read != readings else []
    assert len(wrong) <= 0.1 * len(SENTENCES), "\n".join(wrong)
