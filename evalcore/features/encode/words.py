"""Vectors of captions without a trained model: weighted words, and the topics behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.values.arrays import Floats

WORD = r"[a-z0-9]{2,}"
"""A word: two letters or digits and more, in lower case; CT, MR and T2 are words of captions."""
STOP = "english"
"""Words that say nothing (the, of, with) are left out: scikit-learn's list."""
MOST_WORDS, MOST_TERMS = 2_048, 4_096
"""Words, and words and pairs of words, of a study that are counted, the most frequent first."""
TOPICS = 128
SEED = 0


def tfidf(
    captions: Sequence[str], *, most: int | None = MOST_WORDS, word: str = WORD, stop: str | None = STOP
) -> Floats:
    """How often each word, weighted by how few captions hold it: tf times ln((1 + n) / (1 + df)) + 1.

    As scikit-learn's ``TfidfVectorizer`` computes it, without a norm: the cosine needs none. A caption
    without any word is a row of zeros.
    """
    counted = _weighted(captions, word, most, stop_words=stop, norm=None)
    return np.asarray(counted.toarray(), dtype=float)


def tfidf_svd(captions: Sequence[str], *, topics: int = TOPICS) -> Floats:
    """TF-IDF of words and pairs of words brought to a few dimensions: latent semantic analysis.

    scikit-learn's ``TfidfVectorizer`` (1 + ln tf, one and two words, rows of length 1), then ``TruncatedSVD``
    with the ARPACK solver and seed ``SEED``; no more topics than captions or words less one. Captions that
    share no word but speak of the same can then be near each other.
    """
    from sklearn.decomposition import TruncatedSVD

    weighted = _weighted(
        captions, WORD, MOST_TERMS, stop_words=STOP, sublinear_tf=True, ngram_range=(1, 2)
    )  # fmt: skip
    n = min(topics, min(weighted.shape) - 1)
    if n < 1:
        return np.asarray(weighted.toarray(), dtype=float)
    found = TruncatedSVD(n, algorithm="arpack", random_state=SEED).fit_transform(weighted)
    return np.asarray(found, dtype=float)


def _weighted(captions: Sequence[str], word: str, most: int | None, **how: Any) -> Any:
    """The weights as a sparse array; one column of zeros where no caption holds a word."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        return TfidfVectorizer(token_pattern=word, max_features=most, **how).fit_transform(captions)
    except ValueError:
        from scipy.sparse import csr_array

        return csr_array((len(captions), 1))
