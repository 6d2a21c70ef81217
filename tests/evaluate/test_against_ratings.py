"""Similarities of concepts beside ratings: SciPy's rho, what is left out, physicians on the real graph."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from evalcore.evaluate.ratings import against_ratings
from evalcore.relevance.concept_measures import CONCEPT_MEASURES
from evalcore.relevance.concept_pairs import concept_similarities
from evalcore.relevance.concept_table import concept_table
from evalcore.study.concept_ratings import parse_ratings
from evalcore.values.concept_values import ConceptVectors
from evalcore.values.errors import UnknownName
from tests.toy import TOY_EDGES, study_of

WORDS = sorted({word for edge in TOY_EDGES for word in edge})
STUDY = study_of({"1": WORDS, "2": {"vein", "brain"}, "3": {"nodule"}}, TOY_EDGES)
RNG = np.random.default_rng(2)
PAIRS = [tuple(RNG.choice(WORDS, 2)) for _ in range(40)]


def rated(pairs, means):
    rows = "".join(f"{a},{b},{mean}\n" for (a, b), mean in zip(pairs, means, strict=True))
    return parse_ratings(f"CUI1,CUI2,Mean\n{rows}".encode(), file="r.csv")


@pytest.mark.parametrize("texts", [[], [1]], ids=["images", "a text beside images"])
def test_rho_is_that_of_scipy_and_unknown_pairs_are_left_out(texts):
    """A query that is no image counts in no frequency, for pairs as for the table of all concepts."""
    concepts = replace(STUDY.concepts, only=np.isin(np.arange(3), texts), digest=f"{STUDY.digest}{texts}")
    study, means = replace(STUDY, concepts=concepts), RNG.integers(0, 100, 40).tolist()
    ratings, _ = rated([*PAIRS, ("vein", "unheard")], [*means, 50])
    by_measure = {agreement.measure: agreement for agreement in against_ratings(study, ratings)}
    assert set(by_measure) == set(CONCEPT_MEASURES)
    for name in ("path", "wu-palmer", "lin-corpus"):
        values = [concept_table(study, name).similar(a, b) for a, b in PAIRS]
        agreement = by_measure[name]
        assert agreement.spearman == pytest.approx(spearmanr(values, means).statistic, abs=1e-12)
        assert (agreement.n_pairs, agreement.n_known, agreement.n_connected) == (41, 40, 40)
        assert agreement.ci_low < agreement.spearman < agreement.ci_high
    with pytest.raises(UnknownName, match="path"):
        against_ratings(STUDY, ratings, ["pth"])


def test_a_pair_that_nothing_connects_counts_0_and_an_unseen_concept_has_no_corpus_information():
    study = study_of({"1": {"a", "b", "c"}}, [("a", "r"), ("b", "r"), ("d", "r"), ("c", "island")])
    ratings, _ = rated([("a", "a"), ("a", "b"), ("a", "c"), ("a", "d")], [9, 5, 1, 4])
    path, corpus = (
        against_ratings(study, ratings, ["path"])[0],
        against_ratings(study, ratings, ["lin-corpus"])[0],
    )
    assert (path.n_known, path.n_connected, corpus.n_known) == (4, 3, 3)
    assert path.spearman == pytest.approx(spearmanr([1, 1 / 3, 0, 1 / 3], [9, 5, 1, 4]).statistic)
    assert path.spearman_connected == pytest.approx(spearmanr([1, 1 / 3, 1 / 3], [9, 5, 4]).statistic)


def test_vectors_are_listed_and_measures_without_a_value_come_last():
    words = ("aorta", "brain", "vein", "zebra")
    vectors = ConceptVectors.from_arrays(words, RNG.uniform(size=(4, 3)).astype(np.float32), "cosine")
    study = replace(STUDY, concept_vectors={"v": vectors})
    ratings, _ = rated(
        [("aorta", "brain"), ("aorta", "zebra"), ("brain", "vein"), ("vein", "mass")], [1, 2, 3, 4]
    )
    agreements = against_ratings(study, ratings)
    assert concept_similarities(study)[-1] == "vectors-v"
    mine = next(agreement for agreement in agreements if agreement.measure == "vectors-v")
    assert (mine.n_known, mine.n_connected, mine.relatedness) == (3, 3, True)
    assert np.isnan(agreements[-1].spearman) and agreements[-1].measure == "cs1", "it is 0 for all of them"
