"""Names of relevances, and what is told about them."""

from __future__ import annotations

import pytest

from evalcore.errors import UnknownName
from evalcore.relevance.registry import (
    EMBEDDING,
    RELEVANCE,
    Relevance,
    check_relevance,
    describe,
    parse_relevance,
)


@pytest.mark.parametrize("name", [*RELEVANCE, "cosine:hog", "cosine:my system:v2"])
def test_names_round_trip(name):
    assert str(parse_relevance(name)) == name


def test_cosine_alone_is_the_one_of_concept_sets():
    assert parse_relevance("cosine") == Relevance("cosine")
    assert parse_relevance("cosine:hog") == Relevance(EMBEDDING, "hog")


@pytest.mark.parametrize("name", ["", "IoU", "nn_iou", "cosine:", "dice:hog"])
def test_unknown_names_offer_the_known_ones(name):
    with pytest.raises(UnknownName, match=rf"No relevance called '{name}'\."):
        parse_relevance(name)


def test_a_near_miss_is_told():
    with pytest.raises(UnknownName, match=r"No relevance called 'nn-io'\. Did you mean: nn-iou"):
        parse_relevance("nn-io")


def test_a_system_must_have_embeddings():
    assert check_relevance("cosine:hog", {"hog": 1}).system == "hog"
    assert check_relevance("iou", ()) == Relevance("iou")
    with pytest.raises(UnknownName, match=r"No system with embeddings called 'lbp'\."):
        check_relevance("cosine:lbp", ["hog"])


@pytest.mark.parametrize("name", [*RELEVANCE, "cosine:hog"])
def test_everything_is_described(name):
    measure = describe(name)
    assert all([measure.title, measure.formula, measure.reference, measure.plain])
    assert measure.plain.endswith(".")
    assert (measure.value is None) == (name == "cosine:hog")
