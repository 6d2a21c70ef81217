"""Baselines are what the libraries they name compute with the parameters that are documented."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from evalcore.features.encode.baselines import BASELINES, principal_components
from tests.features.encode.small import CAPTIONS


def vectors(name, items):
    encoder = BASELINES[name]
    rows = encoder.encode(items)
    return rows if encoder.together is None else encoder.together(rows)


def test_tfidf_by_hand():
    # two captions, "ct" in both (idf ln(3/3) + 1 = 1), the others in one (ln(3/2) + 1)
    rows = vectors("caption-tfidf", ["CT of a mass, mass", "the CT: cyst"])
    once = np.log(3 / 2) + 1
    assert sorted(rows[0].tolist()) == pytest.approx([0, 1, 2 * once])
    assert sorted(rows[1].tolist()) == pytest.approx([0, 1, once])


def test_topics_keep_the_cosines_when_there_are_as_many_as_captions_carry():
    texts = [*CAPTIONS.values(), CAPTIONS["a"]]  # rank 4 of 5 rows: four topics lose nothing
    counted = TfidfVectorizer(
        token_pattern=r"[a-z0-9]{2,}", sublinear_tf=True, stop_words="english", ngram_range=(1, 2)
    ).fit_transform(texts)
    rows = vectors("caption-tfidf-svd", texts)
    assert rows.shape == (5, 4)
    np.testing.assert_allclose(cosine_similarity(rows), cosine_similarity(counted), atol=1e-9)


def test_captions_without_a_word_are_zeros_and_one_caption_is_enough():
    for name in ("caption-tfidf", "caption-tfidf-svd"):
        assert not vectors(name, ["", "the of 5 %"]).any()
        assert vectors(name, ["lung mass"]).any()


def test_principal_components_are_those_of_scikit_learn():
    rows = np.random.default_rng(7).random((12, 40))
    expected = PCA(svd_solver="full").fit_transform(rows)
    np.testing.assert_allclose(np.abs(principal_components(rows)), np.abs(expected), atol=1e-8)  # either sign


def test_no_baseline_takes_the_kept_rows_of_another():
    assert len({baseline.digest for baseline in BASELINES.values()}) == len(BASELINES)
