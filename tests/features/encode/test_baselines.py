"""Baselines are what the libraries they name compute with the parameters that are documented."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from evalcore.features.encode.baselines import BASELINES, baseline_named, principal_components, small_pixels
from evalcore.values.errors import UnknownName
from tests.features.encode.small import CAPTIONS, pictures


def vectors(name, items):
    encoder = baseline_named(name).encoder()
    rows = encoder.encode(items)
    return rows if encoder.together is None else encoder.together(rows)


@pytest.fixture(scope="module")
def drawn():
    return list(pictures(12, side=96).values())


def small(picture):
    return np.asarray(picture.convert("L").resize((96, 96), Image.Resampling.BOX), float) / 255


def test_tfidf_by_hand():
    # two captions, "ct" in both (idf ln(3/3) + 1 = 1), the others in one (ln(3/2) + 1)
    found = vectors("caption-tfidf", ["CT of a mass, mass", "the CT: cyst"])
    once = np.log(3 / 2) + 1
    assert sorted(found[0].tolist()) == pytest.approx([0, 1, 2 * once])
    assert sorted(found[1].tolist()) == pytest.approx([0, 1, once])


def test_topics_keep_the_cosines_when_there_are_as_many_as_captions_carry():
    texts = [*CAPTIONS.values(), CAPTIONS["a"]]  # rank 4 of 5 rows: four topics lose nothing
    counted = TfidfVectorizer(
        token_pattern=r"[a-z0-9]{2,}", sublinear_tf=True, stop_words="english", ngram_range=(1, 2)
    ).fit_transform(texts)
    found = vectors("caption-tfidf-svd", texts)
    assert found.shape == (5, 4)
    np.testing.assert_allclose(cosine_similarity(found), cosine_similarity(counted), atol=1e-9)


def test_captions_without_a_word_are_zeros_and_one_caption_is_enough():
    for name in ("caption-tfidf", "caption-tfidf-svd"):
        assert not vectors(name, ["", "the of 5 %"]).any()
        assert vectors(name, ["lung mass"]).any()


def test_principal_components_are_those_of_scikit_learn(drawn):
    rows = small_pixels([small(one) for one in drawn])
    wanted = PCA(svd_solver="full").fit_transform(rows)
    found = principal_components(rows)
    np.testing.assert_allclose(np.abs(found), np.abs(wanted), atol=1e-8)  # signs are arbitrary


def test_names():
    with pytest.raises(UnknownName, match="Did you mean: texture"):
        baseline_named("baseline:textur")
    digests = {one.encoder().digest for one in BASELINES.values()}
    assert len(digests) == len(BASELINES)
