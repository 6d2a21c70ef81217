"""The rules of NegEx on sentences: what is denied, what doubted, and how far a trigger reaches."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.annotate.negation import TRIGGERS, flags_of, sentence_ends

TERM = re.compile(r"fracture|pneumonia|effusion|mass|edema|Erguss|chest|lung cancer", re.IGNORECASE)


def said(text: str, window: int = 5) -> str:
    """One letter for each term: n negated, u uncertain, b both, - neither."""
    found = flags_of(text, [match.span() for match in TERM.finditer(text)], window=window)
    letters = {(False, False): "-", (True, False): "n", (False, True): "u", (True, True): "b"}
    return "".join(letters[no is not None, maybe is not None] for no, maybe, _ in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No fracture.", "n"),
        ("There is no evidence of fracture, effusion, or edema.", "nnn"),
        ("No fracture but effusion.", "n-"),
        ("Fracture. No effusion. Mass.", "-n-"),
        ("Fracture is seen but effusion was ruled out.", "-n"),
        ("Pneumonia was not seen.", "n"),
        ("Possible pneumonia", "u"),
        ("Pneumonia cannot be excluded.", "u"),
        ("Rule out pneumonia.", "u"),
        ("No increase in effusion.", "-"),
        ("Gram negative pneumonia", "-"),
        ("CT without contrast shows a mass", "-"),
        ("Mass not only in the chest", "--"),
        ("No mass due to pneumonia", "n-"),
        ("no definite mass, suspicious for lung cancer", "nb"),
        ("Kein Erguss, keine Pneumonia", "nn"),
        ("Mass, 3.5 cm. No. 3 fracture", "--"),
        ("See Fig. 2 without effusion", "n"),
        ("absent mass; fracture", "n-"),
        ("effusion", "-"),
        ("", ""),
    ],
)
def test_sentences_by_hand(text: str, expected: str) -> None:
    assert said(text) == expected


def test_the_window_counts_the_words_between_and_a_term_as_one() -> None:
    for between in range(4):
        text = f"no {'very ' * between}fracture"
        assert said(text, window=2) == ("n" if between <= 2 else "-")
        assert said(text, window=0) == "n"
    assert said("no lung cancer lung cancer mass", window=2) == "nnn"
    assert said("no old lung cancer lung cancer mass", window=2) == "nn-"
    assert said("mass a b was ruled out", window=1) == "-" and said("mass a was ruled out", window=1) == "n"


def test_the_trigger_and_how_far_it_reaches() -> None:
    text = "Fracture; there is no evidence of mass or edema, but an effusion."
    flags = flags_of(text, [match.span() for match in TERM.finditer(text)], window=5)
    assert [no is None for no, *_ in flags] == [True, False, False, True]
    flag = flags[1][0]
    assert flag is not None and flag == flags[2][0]
    assert text[flag.start : flag.end] == flag.trigger == "no evidence of"
    assert text[flag.scope_start : flag.scope_end] == "mass or edema"


def test_a_term_is_no_trigger_of_itself() -> None:
    text = "no evidence of disease"
    assert flags_of(text, [(0, len(text))], window=5) == [(None, None, None)]


def test_sentences_end_where_they_end() -> None:
    text = "See Fig. 2. No mass (3.5 cm). e.g. this! Or that\n\nEnd"
    ends = sentence_ends(text)
    pieces = [text[a:b].strip() for a, b in zip([0, *ends], ends, strict=False)]
    assert pieces == ["See Fig. 2.", "No mass (3.5 cm).", "e.g. this!", "Or that", "End"]


PIECES = [*(phrase for some in TRIGGERS.values() for phrase in some[:3]), "mass", ".", ",", "x"]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.integers(0, 6))
def test_laws_of_the_rules(pieces: list[str], window: int) -> None:
    """A wider window never takes a flag away; scopes and triggers lie in the term's own sentence."""
    text = " ".join(pieces)
    terms = [match.span() for match in TERM.finditer(text)]
    near = flags_of(text, terms, window=window or 1)
    far = flags_of(text, terms, window=(window or 1) + 1)
    whole = flags_of(text, terms, window=0)
    for term, *some in zip(terms, near, far, whole, strict=True):
        for kind in (0, 1):
            held = [one[kind] is not None for one in some]
            assert held == sorted(held)
            flag = some[2][kind]
            if flag is not None:
                assert "." not in text[min(flag.start, term[0]) : max(flag.end, term[1])].replace(
                    "v . a .", ""
                )
                assert flag.scope_start <= term[0] and term[1] <= flag.scope_end
                assert flag.trigger == text[flag.start : flag.end]
