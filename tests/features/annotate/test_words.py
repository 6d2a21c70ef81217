"""Words keep their place in the text as it is written, whatever folding does to its length."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.annotate.dictionary import key_of, other_numbers, words_of

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
def test_folding_shifts_no_place(text: str, words: list[tuple[str, str]]) -> None:
    assert [(word.text, text[word.start : word.end]) for word in words_of(text)] == words


@given(LETTERS)
def test_every_word_is_what_stands_at_its_place(text: str) -> None:
    words = words_of(text)
    assert all(one.end <= other.start for one, other in pairwise(words))
    assert [key_of(text[word.start : word.end]) for word in words] == [word.text for word in words]
    assert key_of(text) == " ".join(word.text for word in words)


def test_hyphens_can_be_kept() -> None:
    assert key_of("X-ray", hyphens=False) == "x - ray"
    assert key_of("Crohn’s disease") == key_of("crohn disease")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("effusion", "effusions"),
        ("mass", "masses"),
        ("biopsy", "biopsies"),
        ("metastasis", "metastases"),
        ("bronchus", "bronchi"),
        ("vertebra", "vertebrae"),
        ("atrium", "atria"),
        ("ganglion", "ganglia"),
        ("appendix", "appendices"),
        ("adenoma", "adenomata"),
        ("phalanx", "phalanges"),
        ("box", "boxes"),
        ("fracture", "fractures"),
        ("disease", "diseases"),
    ],
)
def test_both_numbers_of_a_noun(one: str, other: str) -> None:
    assert other in other_numbers(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("effusions", "effusion"),
        ("biopsies", "biopsy"),
        ("metastases", "metastasis"),
        ("masses", "mass"),
        ("vertebrae", "vertebra"),
        ("boxes", "box"),
        ("fractures", "fracture"),
        ("diseases", "disease"),
    ],
)
def test_and_back(one: str, other: str) -> None:
    assert other in other_numbers(one)
    assert not {"pelvi", "viru", "mas"} & {
        *other_numbers("pelvis"),
        *other_numbers("virus"),
        *other_numbers("mass"),
    }
