"""Similarities by vectors of concepts: gensim's and SciPy's numbers, and a table that keeps its laws."""

from dataclasses import replace

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.poincare import PoincareKeyedVectors
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from evalcore import score
from evalcore.relevance import concept_table as of_table
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.concept_table import concept_table
from evalcore.relevance.concept_vectors import pair_similarity
from evalcore.relevance.explain import explain
from evalcore.relevance.registry import available, check_of, describe
from evalcore.values.concept_values import METRICS, ConceptVectors
from evalcore.values.errors import UnknownName
from tests.toy import study_of

WORDS = ("aorta", "brain", "cyst", "head", "mass", "vein")
SETS = {"1": {"aorta", "brain"}, "2": {"vein", "cyst"}, "3": {"aorta", "head", "mass"}, "4": set(), "5": None}
RNG = np.random.default_rng(1)
VECTORS = (RNG.normal(size=(5, 4)) * 0.3).astype(np.float32)


def with_vectors(metric, vectors=VECTORS, words=WORDS[:5], name="mine"):
    """The sets above, "vein" without a vector."""
    study = study_of(SETS)
    concept_vectors = ConceptVectors.from_arrays(words, vectors, metric)
    return replace(
        study, concept_vectors={name: concept_vectors}, digest=study.digest + concept_vectors.digest
    )


def outside(metric):
    """The similarities of the five words by another program."""
    if metric == "cosine":
        keyed = KeyedVectors(4)
        keyed.add_vectors(list(WORDS[:5]), VECTORS)
        return [[max(0.0, float(keyed.similarity(a, b))) for b in WORDS[:5]] for a in WORDS[:5]]
    if metric == "poincare":
        keyed = PoincareKeyedVectors(4, 5)
        keyed.add_vectors(list(WORDS[:5]), VECTORS)
        return [[1 / (1 + float(keyed.distance(a, b))) for b in WORDS[:5]] for a in WORDS[:5]]
    return 1 / (1 + cdist(VECTORS.astype(float), VECTORS.astype(float)))


@pytest.mark.parametrize("metric", METRICS)
def test_the_table_is_that_of_other_programs(metric):
    table = concept_table(with_vectors(metric), "vectors-mine")
    np.testing.assert_allclose(table.values[:5, :5], outside(metric), atol=3e-6)
    assert table.values[5].tolist() == [0, 0, 0, 0, 0, 1], "a concept without a vector is like itself only"


@effort(max_examples=60)
@given(
    st.lists(st.tuples(*[st.sampled_from([-0.5, -0.25, 0.125, 0.25])] * 3), min_size=5, max_size=5),
    st.sampled_from(METRICS),
    st.sampled_from([1, 2, 512]),
)
def test_a_table_is_symmetric_between_0_and_1_and_that_of_the_pairs(vectors, metric, rows):
    study = with_vectors(metric, np.array(vectors, np.float32))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(of_table, "ROWS", rows)
        of_table.forget()
        values = concept_table(study, "vectors-mine").values
    assert (values == values.T).all() and (values >= 0).all() and (values.diagonal() == 1).all()
    left, right = zip(*[(a, b) for a in WORDS for b in WORDS], strict=True)
    pairs = pair_similarity(study.concept_vectors["mine"], list(left), list(right)).reshape(6, 6)
    assert np.isnan(pairs[5]).all() and np.isnan(pairs[:, 5]).all()
    np.testing.assert_allclose(values[:5, :5], pairs[:5, :5], atol=1e-11)


def test_other_vectors_give_other_values_and_are_not_mixed_up():
    name = "best-match:vectors-mine"
    values = {}
    for metric in METRICS:
        (scores,) = score(with_vectors(metric), metrics=[f"mean({name})@3"], systems=["@iou"])
        values[metric] = scores.values[0]
    assert len(set(values.values())) == 3


def test_vectors_are_listed_as_measures_of_relatedness():
    study = with_vectors("cosine")
    names = ("best-match:vectors-mine", "matching:vectors-mine")
    assert available(study)[-2:] == names and str(check_of(study, names[1])) == names[1]
    assert describe(names[0]).relatedness and not describe("best-match:path").relatedness
    explanation = explain(study, "1", "3", measures=names)
    assert explanation.values[names[0]] == concept_value(study)
    assert explanation.alignments[names[0]][0].ancestor is None


def concept_value(study):
    similar = concept_table(study, "vectors-mine").similar
    return SET_MEASURES["best-match"].value(SETS["1"], SETS["3"], similar)


@pytest.mark.parametrize("name", ["best-match:vectors-other", "matching:vectors-"])
def test_unknown_vectors_are_refused(name):
    with pytest.raises(UnknownName, match=r"vectors|similarity"):
        check_of(with_vectors("cosine"), name)
    with pytest.raises(UnknownName):
        score(with_vectors("cosine"), metrics=[f"nDCG({name})@3"], systems=["@iou"])
