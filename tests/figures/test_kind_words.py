"""Concepts by kind: sentences of what two images share, and the groups of the match matrix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.concept_values import KINDS, UNKNOWN, ConceptKinds
from evalcore.figures.explain import match_matrix
from evalcore.figures.kind_words import HEADS, grouped, place_of, shared_in_words
from evalcore.figures.theme import DARK, LIGHT
from evalcore.relevance.explain import Explanation, NeighbourMatch

NAMES = {"M": "CT", "A": "Chest", "F": "Nodule", "G": "Mass", "P": "Axial", "U": "Left", "D": "Stent"}
KIND = ConceptKinds.of_concepts(
    {"M": "modality", "A": "anatomy", "F": "finding", "G": "finding", "P": "plane", "D": "device"}, "by hand"
)


@pytest.mark.parametrize(
    ("shared", "either", "sentence"),
    [
        ("MA", "MAFG", "Same modality (CT) and region (Chest). No shared finding."),
        ("MAF", "MAF", "Shared finding: Nodule. Same modality (CT) and region (Chest)."),
        ("FG", "FGM", "Shared findings: Mass and Nodule."),
        ("MPA", "MPA", "Same modality (CT), plane (Axial) and region (Chest)."),
        ("MU", "MU", "Same modality (CT). Also in both: Left."),
        ("U", "UF", "Also in both: Left. No shared finding."),
        ("D", "D", "Same device (Stent)."), ("", "FG", "No shared finding."), ("", "MA", ""),
    ],
)  # fmt: skip
def test_what_is_shared_is_said_by_kind_findings_first(shared: str, either: str, sentence: str) -> None:
    assert shared_in_words(shared, either, KIND, NAMES.__getitem__) == sentence


def test_every_kind_has_a_group_and_the_unknown_one_is_its_own() -> None:
    assert set(HEADS) == {*KINDS, UNKNOWN} and next(iter(HEADS)) == "finding"
    assert HEADS[UNKNOWN] == "Not classified" != HEADS["other"]
    assert place_of("F", None) == place_of("U", None) == 0


@given(st.lists(st.sampled_from(sorted(NAMES)), unique=True))
def test_groups_hold_every_concept_once_in_the_order_given(concepts: list[str]) -> None:
    found = grouped(concepts, KIND)
    assert sorted(one for ones in found.values() for one in ones) == sorted(concepts)
    for kind, ones in found.items():
        assert ones == [one for one in concepts if KIND.kind_of(one) == kind]
    assert list(found) == [kind for kind in HEADS if kind in found]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_matrix_stands_in_groups_with_heads_and_lines_between(theme) -> None:
    near = NeighbourMatch("query", "F", "G", 1, ("F", "G"), 0.1)
    why = Explanation("q", "c", ("A", "M"), 0.2, (near,), {"query": ("U",), "candidate": ()}, {"nn-iou": 0.5})
    by_kind = match_matrix(why, names=NAMES, theme=theme, kinds=KIND)
    rows = [text.split("<br>") for text in by_kind.figure.layout.yaxis.ticktext]
    assert [one[-1].split(">")[-2 if one[-1].endswith("</span>") else -1].split("<")[0] for one in rows] == [
        "Nodule", "CT", "Chest", "Left"
    ]  # fmt: skip
    heads = ["Findings", "Modality", "Region", "Not classified"]
    assert all(head in one[0] for head, one in zip(heads, rows, strict=True))
    lines = [(one.x0, one.y0) for one in by_kind.figure.layout.shapes]
    assert lines == [(0, 0.5), (0, 1.5), (0, 2.5), (0.5, 0), (1.5, 0)]
    dots = by_kind.figure.data[1]
    assert [tuple(pair) for pair in dots.customdata] == [("A", "A"), ("M", "M"), ("F", "G")]
    assert list(zip(dots.x, dots.y, strict=True)) == [(2, 2), (1, 1), (0, 0)]
    assert "Dashed lines" in by_kind.how_to_read.plain
    without = match_matrix(why, names=NAMES, theme=theme)
    assert not without.figure.layout.shapes and "Dashed" not in without.how_to_read.plain
