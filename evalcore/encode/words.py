"""Vectors of captions without a trained model: weighted words, and the topics behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.arrays import Floats

WORD = r"[a-z]{3,}"
"""A word: three letters or more, in lower case."""
MOST_WORDS = 4_096
"""Words of a study that are counted, the most frequent first."""
TOPICS = 128
SEED = 0


def tfidf(captions: Sequence[str], *, most: int | None = MOST_WORDS) -> Floats:
    """How often each word, weighted by how few captions hold it: tf times ln((1 + n) / (1 + df)) + 1.

    As scikit-learn's ``TfidfVectorizer`` computes it with ``WORD`` as its pattern, without a norm: the cosine
    needs none. A caption without such a word is a row of zeros.
    """
    return np.asarray(_weighted(captions, most, sublinear=False).toarray(), dtype=float)


def tfidf_svd(captions: Sequence[str], *, topics: int = TOPICS) -> Floats:
    """TF-IDF (1 + ln tf, rows of length 1) brought to a few dimensions: latent semantic analysis.

    scikit-learn's ``TruncatedSVD`` with the ARPACK solver and seed ``SEED``; no more topics than words or
    captions less one. Captions that share no word but speak of the same can then be near each other.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    weighted = normalize(_weighted(captions, MOST_WORDS, sublinear=True))
    n = min(topics, min(weighted.shape) - 1)
    if n < 1:
        return np.asarray(weighted.toarray(), dtype=float)
    found = TruncatedSVD(n, algorithm="arpack", random_state=SEED).fit_transform(weighted)
    return np.asarray(found, dtype=float)


def _weighted(captions: Sequence[str], most: int | None, *, sublinear: bool) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    counted = TfidfVectorizer(token_pattern=WORD, norm=None, max_features=most, sublinear_tf=sublinear)
    try:
        return counted.fit_transform(captions)
    except ValueError:  # no caption holds a word
        from scipy.sparse import csr_array

        return csr_array((len(captions), 1))
