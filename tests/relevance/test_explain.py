"""Explanations: who matches whom, over which path, and parts that add up to the value."""

from itertools import product
from typing import get_args

import numpy as np
import pytest

from evalcore.engine import relevance_of_pairs
from evalcore.relevance.explain import NeighbourMatch, explain
from evalcore.relevance.registry import available
from evalcore.values.errors import UnknownName
from evalcore.values.settings import CountRule, Settings
from tests.toy import PAIRS, TOY_EDGES, study_of

SETS = {f"{pair}{side}": PAIRS[pair][side == "B"] for pair, side in product(PAIRS, "AB")} | {"nobody": None}
VECTORS = {"hog": {"P1A": [3, 4], "P1B": [4, 3], "P2A": [0, 0], "P2B": [1, 0]}}
STUDY = study_of(SETS, TOY_EDGES, embeddings=VECTORS)


@pytest.mark.parametrize("rule", get_args(CountRule))
def test_parts_add_up_to_the_value(rule):
    directions = "undirected", "directed"
    for pair, alpha, threshold, direction in product(PAIRS, (0, 0.3, 1 / 3, 1), range(4), directions):
        settings = Settings(alpha=alpha, threshold=threshold, count_rule=rule, direction=direction)
        for query, candidate in ((f"{pair}A", f"{pair}B"), (f"{pair}B", f"{pair}A")):
            explanation = explain(STUDY, query, candidate, settings=settings)
            parts = [explanation.exact_adds] * len(explanation.exact) + [
                m.adds for m in explanation.neighbours
            ]
            assert abs(sum(parts) - explanation.values["nn-iou"]) < 1e-12


def test_a_pair_read_by_hand():
    # P1: vein and vessel are linked, nodule and mass are linked, brain is in both; union of 5.
    explanation = explain(STUDY, "P1A", "P1B")
    assert explanation.exact == ("brain",)
    assert explanation.exact_adds == 0.2
    assert explanation.neighbours == (
        NeighbourMatch("query", "nodule", "mass", 1, ("nodule", "mass"), 0.1),
        NeighbourMatch("query", "vein", "vessel", 1, ("vein", "vessel"), 0.1),
        NeighbourMatch("candidate", "mass", "nodule", 1, ("mass", "nodule"), 0.1),
        NeighbourMatch("candidate", "vessel", "vein", 1, ("vessel", "vein"), 0.1),
    )
    assert explanation.unmatched == {"query": (), "candidate": ()}
    assert explanation.values["nn-iou"] == 0.6
    assert explanation.values["iou"] == 0.2


def test_the_nearest_match_is_shown_and_then_the_first_by_name():
    # cerebral_artery is 1 from artery and 2 from vessel; vein is 1 from vessel only.
    explanation = explain(STUDY, "P5A", "P5B", settings=Settings(threshold=2, count_rule="query"))
    matches = {match.cui: (match.matched, match.distance, match.path) for match in explanation.neighbours}
    assert matches == {
        "aorta": ("artery", 1, ("aorta", "artery")),
        "cerebral_artery": ("artery", 1, ("cerebral_artery", "artery")),
        "vein": ("vessel", 1, ("vein", "vessel")),
    }
    backwards = explain(STUDY, "P2A", "P2B", settings=Settings(count_rule="query"))
    assert [(match.cui, match.matched) for match in backwards.neighbours] == [("vessel", "artery")]
    assert backwards.unmatched == {"query": (), "candidate": ("vein",)}


def test_a_matching_uses_each_concept_once():
    matches = explain(STUDY, "P5A", "P5B", settings=Settings(count_rule="matching")).neighbours
    assert len(matches) == 2
    assert len({match.cui for match in matches}) == len({match.matched for match in matches}) == 2
    both = explain(STUDY, "P5A", "P5B", settings=Settings(count_rule="matching2")).neighbours
    assert [match.side for match in both] == ["query", "candidate"] * 2


def test_what_is_not_defined_is_not_listed():
    assert explain(STUDY, "P1A", "P1B").values["cosine:hog"] == pytest.approx(24 / 25, rel=1e-15)
    assert "cosine:hog" not in explain(STUDY, "P1A", "P3A").values  # no vector
    assert "cosine:hog" not in explain(STUDY, "P2A", "P2B").values  # a vector of zeros
    nobody = explain(STUDY, "nobody", "P1A")
    assert nobody.values == {}
    assert nobody.exact == nobody.neighbours == ()
    empty = explain(STUDY, "P8A", "P8B")
    assert (empty.exact, empty.neighbours, empty.values["nn-iou"]) == ((), (), 0)


def test_values_of_selected_measures():
    names = [*available(STUDY), "best-match:path", "cosine:hog"]
    for pair in PAIRS:
        values = explain(STUDY, f"{pair}A", f"{pair}B", measures=names).values
        assert set(names) - {"cosine:hog"} <= values.keys()
        for name in set(names) - {"cosine:hog"}:
            images = [np.array([STUDY.concepts.index(f"{pair}{side}")]) for side in "AB"]
            assert values[name] == relevance_of_pairs(STUDY, name, *images, [Settings()])[0]
    assert "matching:path" not in explain(STUDY, "P1A", "P1B").values
    assert explain(STUDY, "nobody", "P1A", measures=["matching:path"]).values == {}
    with pytest.raises(UnknownName, match="No relevance called 'matching'"):
        explain(STUDY, "P1A", "P1B", measures=["matching"])


def test_aligned_concepts_and_their_common_ancestors():
    alignments = explain(STUDY, "P5A", "P5B", measures=["best-match:lin-seco", "matching:path"]).alignments
    # vein, aorta and cerebral_artery against vessel and artery.
    by_lin = [
        (pair.side, pair.cui, pair.partner, pair.ancestor) for pair in alignments["best-match:lin-seco"]
    ]
    assert by_lin == [
        ("query", "aorta", "artery", "artery"),
        ("query", "cerebral_artery", "artery", "artery"),
        ("query", "vein", "vessel", "vessel"),
        ("candidate", "artery", "aorta", "artery"),
        ("candidate", "vessel", "aorta", "vessel"),  # as alike as vein: all leaves say as much
    ]
    pairs = alignments["matching:path"]
    (vein,) = (pair for pair in pairs if pair.cui == "vein")
    assert (vein.partner, vein.similarity, vein.ancestor) == ("vessel", 0.5, None)
    assert len(pairs) == len({pair.partner for pair in pairs}) == 2
    # A concept that is not in the graph is similar to none; an equal one needs no ancestor.
    study = study_of({"q": {"brain", "x"}, "c": {"brain", "cyst"}}, TOY_EDGES)
    alignments = explain(study, "q", "c", measures=["best-match:wu-palmer"]).alignments[
        "best-match:wu-palmer"
    ]
    assert [(pair.cui, pair.partner, pair.similarity, pair.ancestor) for pair in alignments] == [
        ("brain", "brain", 1, None),
        ("x", "brain", 0, None),
        ("brain", "brain", 1, None),
        ("cyst", "brain", pytest.approx(2 / 8, abs=1e-9), "root"),
    ]
    assert explain(study, "q", "c").alignments == {}
    assert explain(STUDY, "P8A", "P1B", measures=["matching:path"]).alignments == {"matching:path": ()}
