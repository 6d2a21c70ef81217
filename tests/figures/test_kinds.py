"""Concepts by kind: their groups, and those of the match matrix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.figures.explain import match_matrix, pairs_in_order
from evalcore.figures.theme import DARK, LIGHT
from evalcore.figures.words import HEADS, grouped, place_of
from evalcore.relevance.explain import Explanation, NeighbourMatch
from evalcore.values.concept_values import KINDS, UNKNOWN, ConceptKinds

NAMES = {
    "M": "CT",
    "A": "Chest",
    "F": "Nodule",
    "G": "Mass",
    "P": "Axial",
    "L": "Lateral",
    "U": "Left",
    "D": "Stent",
}
KIND = ConceptKinds.of_concepts(
    {
        "M": "modality",
        "A": "anatomy",
        "F": "finding",
        "G": "finding",
        "P": "plane",
        "L": "plane",
        "D": "device",
    },
    "by hand",
)


def test_pairs_are_listed_once_findings_first_then_what_adds_most() -> None:
    """Of both sides each, as the measure counts them; the anatomy pair is nearer and adds as much."""
    ends = [("A", "U", 1, 0.1), ("F", "G", 2, 0.1), ("M", "P", 1, 0.05), ("A", "V", 1, 0.2)]
    near = [NeighbourMatch("query", a, b, d, (a, b), adds) for a, b, d, adds in ends]
    near += [NeighbourMatch("candidate", b, a, d, (b, a), adds) for a, b, d, adds in ends]
    why = Explanation("q", "c", (), 0.2, tuple(near), {"query": (), "candidate": ()}, {"nn-iou": 0.9})
    pairs = [(one.query, one.candidate) for one in pairs_in_order(why, KIND)]
    assert pairs == [("F", "G"), ("A", "V"), ("A", "U"), ("M", "P")]
    assert [one.adds for one in pairs_in_order(why, KIND)] == pytest.approx([0.2, 0.4, 0.2, 0.1])
    assert [one.query for one in pairs_in_order(why, None)] == ["A", "A", "F", "M"]


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
        "Nodule",
        "Chest",
        "CT",
        "Left",
    ]
    heads = ["Findings", "Anatomy", "Modality", "Not classified"]
    assert all(head in one[0] for head, one in zip(heads, rows, strict=True))
    lines = [(one.x0, one.y0) for one in by_kind.figure.layout.shapes]
    assert lines == [(0, 0.5), (0, 1.5), (0, 2.5), (0.5, 0), (1.5, 0)]
    dots = by_kind.figure.data[1]
    assert [tuple(pair) for pair in dots.customdata] == [("A", "A"), ("M", "M"), ("F", "G")]
    assert list(zip(dots.x, dots.y, strict=True)) == [(1, 1), (2, 2), (0, 0)]
    assert "Dashed lines" in by_kind.how_to_read.plain
    without = match_matrix(why, names=NAMES, theme=theme)
    assert not without.figure.layout.shapes and "Dashed" not in without.how_to_read.plain
