"""Where a score comes from: by hand, and parts that sum to the whole."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as effort

from evalcore.engine import relevance_of_pairs
from evalcore.engine.sets import adds_of_pairs
from evalcore.evaluate.by_kind import from_kinds, kind_codes
from evalcore.relevance.registry import parse_relevance
from evalcore.values.concept_values import KINDS, UNKNOWN, ConceptKinds, ConceptVectors
from evalcore.values.errors import InputError
from tests.engine.plain import SOME_KINDS, WEIGHED, chosen_settings, studies
from tests.toy import TOY_EDGES, all_pairs, study_of

KIND = {"ct": "modality", "mr": "modality", "chest": "anatomy", "nodule": "finding", "mass": "finding"}
SETS = {
    "a": {"ct", "chest", "nodule"},
    "b": {"ct", "chest"},
    "c": {"ct", "chest", "mass", "odd"},
    "d": {"mr"},
    "e": set(),
    "f": None,
}


def toy():
    study = study_of(SETS, TOY_EDGES)
    return replace(study, kinds=ConceptKinds.of_concepts(KIND, "a test"), queries=study.queries[:1])


def test_one_query_by_hand():
    """a against b to e by nn-IoU: b shares ct and chest of 3, c both of 5, where nodule is near to mass."""
    (sources,) = from_kinds(toy(), relevance="nn-iou", systems=["@nn-iou"], k=4)
    by_b, by_c = 1 / 3, 1 / 5
    near = 2 * 0.5 / 5
    total = 2 * by_b + 2 * by_c + near
    assert sources.total == pytest.approx(total)
    assert sources.shares == pytest.approx(
        {"modality": (by_b + by_c) / total, "anatomy": (by_b + by_c) / total, "finding": near / total}
    )
    assert (sources.only_setting, sources.with_more, sources.nothing) == (0.25, 0.25, 0.5)
    assert (sources.n_queries, sources.n_with_finding, sources.n_results) == (1, 1, 4)
    (alone,) = from_kinds(toy(), relevance="iou", systems=["@iou"], k=2)
    assert (alone.only_setting, alone.with_more, alone.nothing) == (1.0, 0.0, 0.0)
    assert alone.shares == {"modality": 0.5, "anatomy": 0.5}


def test_measures_that_cannot_be_divided_by_kind():
    with pytest.raises(InputError, match="no sum over concepts"):
        from_kinds(toy(), relevance="matching:path", systems=["@iou"])
    vectors = ConceptVectors.from_arrays(("ct", "mr"), np.eye(2, dtype=np.float32), "cosine")
    with pytest.raises(InputError, match="no sum over concepts"):
        from_kinds(
            replace(toy(), concept_vectors={"v": vectors}), relevance="matching:vectors-v", systems=["@iou"]
        )
    with pytest.raises(InputError, match=r"kinds\.csv"):
        from_kinds(replace(toy(), kinds=None), relevance="iou", systems=["@iou"])


@effort(max_examples=100, deadline=None)
@given(studies(), SOME_KINDS, WEIGHED, chosen_settings)
def test_parts_sum_to_the_value(built, kinds, name, settings):
    """Every measure, with weights and without, under every count rule."""
    sets, edges = built
    assume(edges or not name.startswith("nn-iou"))
    study = replace(study_of(sets, edges), kinds=ConceptKinds.of_concepts(kinds, "a test"))
    pairs = all_pairs(len(sets))
    for measure in (name, name.partition("[")[0]):
        values = np.nan_to_num(relevance_of_pairs(study, measure, *pairs, [settings])[0])
        adds = adds_of_pairs(study, parse_relevance(measure), *pairs, kind_codes(study), 7, settings)
        np.testing.assert_allclose(adds.sum(axis=1), values, rtol=0, atol=1e-12)
        assert (adds >= 0).all()
    there = {*kinds.values(), UNKNOWN}
    absent = [code for code, kind in enumerate((*KINDS, UNKNOWN)) if kind not in there]
    assert not adds[:, absent].any()
