"""Words keep their places; terms by hand, and of random texts against a regular expression."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.annotate.captions import annotate
from evalcore.features.annotate.settings import FLAGGED, AnnotateSettings
from evalcore.features.annotate.terms import Term, dictionary, key_of, other_numbers, words_of
from evalcore.features.annotate.tool_output import ToolOutput
from evalcore.study.naming import names_in
from evalcore.study.parts.captions import parse_captions, texts_in
from evalcore.study.parts.concepts import parse_concepts
from evalcore.study.parts.names import Name

USUAL = AnnotateSettings()


def table(*rows: tuple[str, ...]) -> list[Name]:
    """From (concept, name[, source[, language]]), each once."""
    return [Name(*row) for row in dict.fromkeys(rows)]


NAMES = table(
    ("C1", "Lung"),
    ("C2", "Lung cancer"),
    ("C3", "Pleural effusion"),
    ("C4", "X-ray"),
    ("C5", "Ménière's disease"),
    ("C6", "CAT", "acronyms"),
    ("C7", "Cat"),
    ("C8", "PET"),
    ("C9", "Cold"),
    ("C10", "Cold"),
    ("C11", "Common cold"),
    ("C12", "Cold chest"),
    ("C13", "Große Leber"),
    ("C14", "Lunge", "", "de"),
    ("C15", "12"),
    ("C16", "CT"),
    ("C17", "Image"),
)


def terms(text: str, settings: AnnotateSettings = USUAL) -> list[tuple[str, ...]]:
    """(what stands there, concepts...) of each term."""
    matches = dictionary(NAMES, settings).terms_of("", text)
    return [(text[term.start : term.end], *term.concepts) for term in matches]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lung cancer of the lung", [("Lung cancer", "C2"), ("lung", "C1")]),
        ("Lungs, a lunge and long", [("Lungs", "C1")]),
        ("PLEURAL\n EFFUSIONS.", [("PLEURAL\n EFFUSIONS", "C3")]),
        ("pleural, effusion", []),
        ("X ray, x-ray, xrays, x-rays", [(text, "C4") for text in ("X ray", "x-ray", "xrays", "x-rays")]),
        ("Morbus Meniere, Me\u0301nie\u0300re disease", [("Me\u0301nie\u0300re disease", "C5")]),
        ("a common cold, a cold", [("common cold", "C11"), ("cold", "C10", "C9")]),
        ("PET of a pet; PETs", [("PET", "C8"), ("PETs", "C8")]),
        ("CAT or cat", [("CAT", "C6"), ("cat", "C7")]),
        ("GROSSE LEBER İ große leber", [("GROSSE LEBER", "C13"), ("große leber", "C13")]),
        ("12 images by CT", []),
        ("", []),
    ],
)
def test_spans_by_hand(text, expected):
    assert terms(text) == expected


def test_settings_say_what_is_looked_for_and_the_rest_is_counted():
    assert terms("CT image", replace(USUAL, stop=())) == [("image", "C17")]
    assert terms("eine Lunge", replace(USUAL, languages=("de",))) == [("Lunge", "C14")]
    assert terms("eine Lunge", replace(USUAL, languages=())) == [("Lunge", "C14")]
    names = dictionary(NAMES, USUAL).names
    assert names.dropped == {"another language": 1, "no letters": 1, "too short": 1, "on the stop list": 1}
    assert (names.names, names.concepts, names.ambiguous) == (13, 13, 2)  # cold and colds


WORDS = st.sampled_from(["ace", "acer", "bed", "bend", "cab", "cabin"])
PHRASES = st.lists(WORDS, min_size=1, max_size=4)


@given(
    st.lists(PHRASES, min_size=1, max_size=8),
    st.lists(st.tuples(WORDS, st.sampled_from([" ", "-", "  ", ", ", ". ", "\n"])), max_size=14),
)
def test_the_same_as_a_regular_expression(phrases, pieces):
    names = sorted({" ".join(words) for words in phrases}, key=len, reverse=True)
    text = "".join(word + sign for word, sign in pieces)
    expression = "|".join(name.replace(" ", r"[\s-]+") for name in names)
    expected = [match.span() for match in re.finditer(rf"(?<!\w)(?:{expression})(?!\w)", text)]
    rows = [(f"C{place}", name) for place, name in enumerate(names)]
    matches = [*dictionary(table(*rows), USUAL).terms_of("", text)]
    assert [(term.start, term.end) for term in matches] == expected
    assert all(
        names[int(term.concepts[0][1:])] == re.sub(r"[\s-]+", " ", text[term.start : term.end])
        for term in matches
    )


def test_what_an_ambiguous_name_means_can_be_said():
    """For that name in any number, before sources; a meaning that is none of its concepts changes nothing."""
    names = table(("C1", "Mass", "B"), ("C2", "mass", "A"), ("C2", "Tumour", "B"), ("C3", "MASSES", "B"))
    for sources, meanings, text, means in (
        ((), (), "mass", ("C1", "C2")),
        ((), (), "Two masses", ("C3",)),
        ((), ("MASS = C1",), "mass", ("C1",)),
        (("A",), ("mass = C1",), "mass", ("C1",)),
        (("a", "b"), (), "mass", ("C2",)),
        (("B",), (), "mass", ("C1",)),
        (("other",), ("mass = C9",), "mass", ("C1", "C2")),
    ):
        settings = AnnotateSettings(sources=sources, meanings=meanings)
        assert [term.concepts for term in dictionary(names, settings).terms_of("", text)] == [means]


LETTERS = st.text(
    st.one_of(st.sampled_from("aB ß-İﬁ½é\u0301\u00ad\u200b™'’sＬ²…_,.\nŉΣς"), st.characters()), max_size=30
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Große Leber", [("grosse", "Große"), ("leber", "Leber")]),
        ("İstanbul sign", [("istanbul", "İstanbul"), ("sign", "sign")]),
        ("ﬁbrosis, no mass", [("fibrosis", "ﬁbrosis"), (",", ","), ("no", "no"), ("mass", "mass")]),
        ("Me\u0301nie\u0300re's", [("meniere", "Me\u0301nie\u0300re")]),
        ("tomo\u00adgraphy", [("tomography", "tomo\u00adgraphy")]),
        ("½ Ｌung™", [("½", "½"), ("lung", "Ｌung"), ("™", "™")]),
        ("x-ray x‑ray", [("x", "x"), ("ray", "ray"), ("x", "x"), ("ray", "ray")]),
    ],
)
def test_folding_shifts_no_place(text, words):
    assert [(word.text, text[word.start : word.end]) for word in words_of(text)] == words


@given(LETTERS)
def test_every_word_is_what_stands_at_its_place(text):
    words = words_of(text)
    assert all(word.end <= other.start for word, other in pairwise(words))
    assert [key_of(text[word.start : word.end]) for word in words] == [word.text for word in words]
    assert key_of(text) == " ".join(word.text for word in words)


NOUNS = """effusion effusions, mass masses, biopsy biopsies, metastasis metastases, bronchus bronchi,
atrium atria, vertebra vertebrae, ganglion ganglia, appendix appendices, adenoma adenomata,
phalanx phalanges, box boxes, fracture fractures, disease diseases"""
BACK = {"effusions", "biopsies", "metastases", "masses", "vertebrae", "boxes", "fractures", "diseases"}


@pytest.mark.parametrize("nouns", [noun.split() for noun in NOUNS.split(",")])
def test_both_numbers_of_a_noun(nouns):
    singular, plural = nouns
    assert plural in other_numbers(singular)
    assert plural not in BACK or singular in other_numbers(plural)


def test_a_singular_on_s_is_no_plural_and_a_name_goes_before_the_plural_of_another():
    for word, wrong in (("pelvis", "pelvi"), ("virus", "viru"), ("mass", "mas")):
        assert wrong not in other_numbers(word)
    names = dictionary(table(("C1", "Hearing aid"), ("C2", "Hearing aids")), USUAL)
    assert [term.concepts for term in names.terms_of("", "hearing aids, hearing aid")] == [("C2",), ("C1",)]


# Captions as a whole: what counts, and what an image gets when nothing is found.

CAPTION_NAMES = table(
    ("C1", "Fracture"), ("C2", "Effusion"), ("C3", "Mass"), ("C4", "mass"), ("C5", "Pneumonia")
)
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


def test_what_each_image_gets_and_why():
    for changes, expected in (
        ({}, {"a": ("C1",), "b": (), "f": ("C2", "C5")}),
        ({"negated": "keep"}, {"a": ("C1", "C2"), "b": ("C1",), "f": ("C2", "C5"), "h": ("C1",)}),
    ):
        settings = replace(USUAL, **changes)
        annotation = annotate(CAPTIONS, dictionary(CAPTION_NAMES, settings), settings)
        assert annotation.concepts == dict.fromkeys(CAPTIONS) | expected
    settings = replace(USUAL, uncertain="leave-out")
    annotation = annotate(CAPTIONS, dictionary(CAPTION_NAMES, settings), settings)
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


# Real captions: the figures of docs/results/roco.md.


@pytest.mark.real
def test_the_first_row_of_the_readme(images_dir):
    data = (images_dir / "roco" / "metadata.csv").read_bytes()
    captions = texts_in(parse_captions(data, file="metadata.csv")[0])
    names, _ = names_in([images_dir / "roco" / "cui_names.csv"])
    data = (images_dir / "roco" / "concepts.csv").read_bytes()
    reference = {image: set(some) for image, some in parse_concepts(data, file="c")[0].sets.items() if some}
    scores = {}
    for negated in FLAGGED:
        settings = AnnotateSettings(negated=negated)
        concepts = annotate(captions, dictionary(names, settings), settings).concepts
        pairs = [(some, set(concepts.get(image) or ())) for image, some in reference.items()]
        both, n_reference, n_found = (
            sum(map(len, sets)) for sets in zip(*((a & b, a, b) for a, b in pairs), strict=True)
        )
        scores[negated] = (both / n_found, both / n_reference, 2 * both / (n_found + n_reference))
    assert [round(value, 3) for value in scores["leave-out"]] == [0.953, 0.358, 0.521]
    assert [round(value, 3) for value in scores["keep"]] == [0.939, 0.360, 0.520]
