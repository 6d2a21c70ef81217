"""Concepts by kind: their groups, and those of the match matrix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.figures.explain import pairs_in_order
from evalcore.figures.words import HEADS, grouped
from evalcore.relevance.explain import Explanation, NeighbourMatch
from evalcore.values.concept_values import ConceptKinds

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


@given(st.lists(st.sampled_from(sorted(NAMES)), unique=True))
def test_groups_hold_every_concept_once_in_the_order_given(concepts: list[str]) -> None:
    found = grouped(concepts, KIND)
    assert sorted(one for ones in found.values() for one in ones) == sorted(concepts)
    for kind, ones in found.items():
        assert ones == [one for one in concepts if KIND.kind_of(one) == kind]
    assert list(found) == [kind for kind in HEADS if kind in found]
