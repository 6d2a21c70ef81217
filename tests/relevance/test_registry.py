"""Names of relevances, and their descriptions."""

from dataclasses import replace

import pytest

from evalcore.graph import neighbours
from evalcore.relevance import registry
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, CURATED, SET_MEASURES
from evalcore.values.concept_values import ConceptKinds
from evalcore.values.errors import UnknownName
from tests.toy import TOY_EDGES, study_of

BY_TAXONOMY = [f"{kind}:{concept}" for kind in SET_MEASURES for concept in CONCEPT_MEASURES]


@pytest.mark.parametrize("name", [*registry.RELEVANCE, "cosine:hog", "cosine:my system:v2", *BY_TAXONOMY])
def test_names_round_trip(name):
    assert str(registry.parse_relevance(name)) == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nn-io", r"No relevance called 'nn-io'\. Did you mean: nn-iou"),
        ("matching:pth", r"No similarity of two concepts called 'pth'\. Did you mean: path"),
        ("bestmatch:path", "Did you mean: best-match:path"),
        *((name, f"No relevance called '{name}'") for name in ("", "IoU", "cosine:", "dice:hog", "path")),
    ],
)
def test_unknown_names_offer_the_known_ones(name, message):
    with pytest.raises(UnknownName, match=message):
        registry.parse_relevance(name)


@pytest.mark.parametrize("name", [*registry.RELEVANCE, "cosine:hog", *BY_TAXONOMY])
def test_everything_is_described(name):
    measure = registry.describe(name)
    assert all([measure.title, measure.formula, measure.reference, measure.plain, measure.edges])
    assert all(case and value for case, value in measure.edges)
    assert measure.plain.endswith(".")
    assert measure.family in {"overlap", "neighbours", "taxonomy", "embedding"}
    assert (measure.value is None) == (name not in registry.RELEVANCE)
    # Metric labels are cut at these: nDCG(matching:path)@10.
    assert not set("(),&@=") & set(name)


def test_measures_available_to_a_study():
    sets = {"q": {"vein"}, "c": {"vessel"}}
    assert registry.available(study_of(sets)) == ("iou", "dice", "cosine", "overlap")
    names = registry.available(study_of(sets, TOY_EDGES))
    assert names == ("iou", "dice", "cosine", "overlap", "nn-iou", *CURATED)
    assert set(CURATED) <= set(BY_TAXONOMY)
    assert {registry.parse_relevance(name).kind for name in CURATED} == set(SET_MEASURES)


def test_a_dictionary_of_neighbours_gives_nn_iou_and_nothing_else_that_needs_a_graph():
    sets = {"q": {"vein"}, "c": {"vessel"}}
    kinds = ConceptKinds.of_concepts({"vein": "anatomy"}, "kinds.csv")
    bare = replace(study_of(sets), kinds=kinds)
    near = neighbours(study_of(sets, TOY_EDGES).graph, ("vein", "vessel"), threshold=1)
    study = replace(bare, neighbours=near)
    assert registry.available(study) == ("iou", "dice", "cosine", "overlap", "nn-iou")
    assert registry.weighted_relevances(study) == ("nn-iou[anatomy]",)
    assert registry.weighted_relevances(bare) == ("iou[anatomy]",)
