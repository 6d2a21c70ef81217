"""Names with slips in them find their concept; exact CUIs win; nothing finds nothing."""

import pytest

from evalcore.graph.search import A_WORD, ALIKE, BEGINS, EXACT, best_matches, folded, name_index

NAMED = [
    ("C1", "Pneumonia"),
    ("C1", "Lung inflammation"),
    ("C2", "Viral pneumonia"),
    ("C3", "Pneumothorax"),
    ("C4", "Heart"),
    ("C5", "Hartnup disease"),
    ("C6", "Brain Stem"),
    ("C7", "Menière Disease"),
    ("C8", "CT"),
    ("C9", "Lung"),
    ("C10", "Heart"),
]
INDEX = name_index(NAMED)


@pytest.mark.parametrize(
    ("text", "cui", "how"),
    [
        ("Pneumonia", "C1", EXACT),
        ("pneumona", "C1", ALIKE),
        ("pneumonai", "C1", ALIKE),
        ("lung infl", "C1", BEGINS),
        ("PNEUMOT", "C3", BEGINS),
        ("brian stem", "C6", ALIKE),
        ("stem brain", "C6", ALIKE),
        ("stem", "C6", A_WORD),
        ("meniere", "C7", BEGINS),
        ("  ct ", "C8", EXACT),
        ("viral  pneumonia", "C2", EXACT),
    ],
)
def test_the_best_match(text: str, cui: str, how: int) -> None:
    first = best_matches(INDEX, text)[0]
    assert (first.cui, first.how) == (cui, how)


def test_all_names_of_a_concept_are_searched_and_the_concept_comes_once() -> None:
    matches = best_matches(INDEX, "lung")
    assert [(match.cui, match.name) for match in matches] == [("C9", "Lung"), ("C1", "Lung inflammation")]


def test_concepts_in_use_come_first_among_equal_matches() -> None:
    assert [match.cui for match in best_matches(INDEX, "heart")][:2] == ["C10", "C4"]
    assert [match.cui for match in best_matches(INDEX, "heart", weight={"C4": 3})][:2] == ["C4", "C10"]
    assert best_matches(INDEX, "hart", weight={"C4": 1})[0].cui == "C4"
    assert best_matches(INDEX, "hart", weight={"C5": 1})[0].cui == "C5"


@pytest.mark.parametrize("text", ["", "  ", "?!", "zzzzzzz", "\n"])
def test_empty_text_matches_nothing(text: str) -> None:
    assert best_matches(INDEX, text) == []


def test_the_number_of_matches_is_limited() -> None:
    assert len(best_matches(INDEX, "p", limit=2)) == 2
    assert best_matches(name_index([]), "lung") == []


def test_names_are_folded_before_they_are_compared() -> None:
    assert folded("STRASSE") == folded("straße") == "strasse"
    assert name_index([("C1", "A"), ("C1", "A"), ("C2", "")]).names == ("A",)
