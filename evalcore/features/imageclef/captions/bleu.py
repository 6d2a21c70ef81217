"""BLEU of single captions as NLTK computes it, and of single captions and corpora as COCO does.

    BLEU = BP · exp(sum over n = 1..4 of 1/4 · ln p_n),   BP = 1 if c > r else exp(1 - r/c)

p_n is the share of the candidate's n-grams that the reference has too, each counted at most as often
(Papineni et al. 2002, doi:10.3115/1073083.1073135). What happens to an order without a match differs:

========  ===============================================================================================
nltk322   NLTK 3.2.2, used in 2017: that order and all higher ones are dropped, the weights stay 1/4 each,
          so that unmatched orders act as if they were perfect
modern    later NLTK: p_n is replaced by the smallest float, which makes BLEU practically 0
COCO      (matches + 1e-15) / (n-grams + 1e-9) at every order, geometric mean of the first k orders
========  ===============================================================================================
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from math import exp, log

import numpy as np

from evalcore.features.imageclef.captions.tokens import Nltk
from evalcore.values.arrays import Floats

ORDERS = 4
_TINY, _SMALL = 1e-15, 1e-9


def ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each run of n words occurs."""
    return Counter(zip(*(words[i:] for i in range(n)), strict=False))


def matches(reference: Sequence[str], candidate: Sequence[str]) -> list[int]:
    """Clipped n-gram matches of the orders 1 to 4."""
    found = []
    for n in range(1, ORDERS + 1):
        theirs = ngrams(reference, n)
        found.append(sum(min(k, theirs[gram]) for gram, k in ngrams(candidate, n).items() if gram in theirs))
        if not found[-1]:
            break  # no common run of n words: no longer one either
    return found + [0] * (ORDERS - len(found))


def sentence_bleu(reference: Sequence[str], candidate: Sequence[str], *, nltk: Nltk = "nltk322") -> float:
    """How alike are two captions, by their common runs of up to four words?

    Both empty: 1, as in the script of 2017; one empty or no common word: 0. In [0, 1].

    >>> sentence_bleu(["b", "a"], ["a", "b"]), sentence_bleu(["b", "a"], ["a", "b"], nltk="modern") < 1e-100
    (1.0, True)
    """
    if not reference and not candidate:
        return 1.0
    found = matches(reference, candidate)
    if not found[0]:
        return 0.0
    total = 0.0
    for n, k in enumerate(found, start=1):
        if k:
            total += log(k / max(1, len(candidate) - n + 1)) / ORDERS
        elif nltk == "modern":
            total += log(sys.float_info.min) / ORDERS
        else:
            break
    r, c = len(reference), len(candidate)
    return (1.0 if c > r else exp(1 - r / c)) * exp(total)


def coco_bleu(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> tuple[Floats, Floats]:
    """BLEU-1 to BLEU-4 in the COCO sense.

    Parameters
    ----------
    pairs : (reference words, candidate words), n of them.

    Returns
    -------
    corpus, shape (4,), from the counts of all pairs added up; per pair, shape (n, 4). NaN without pairs.
    """
    hits = np.array([matches(r, c) for r, c in pairs], float).reshape(-1, ORDERS)
    lengths = np.array([(len(r), len(c)) for r, c in pairs], float).reshape(-1, 2)
    guesses = np.maximum(lengths[:, 1:] - np.arange(ORDERS), 0)
    if not len(pairs):
        return np.full(ORDERS, np.nan), np.empty((0, ORDERS))
    corpus = _from_counts(hits.sum(axis=0)[None], guesses.sum(axis=0)[None], lengths.sum(axis=0)[None])
    return corpus[0], _from_counts(hits, guesses, lengths)


def _from_counts(hits: Floats, guesses: Floats, lengths: Floats) -> Floats:
    products = np.cumprod((hits + _TINY) / (guesses + _SMALL), axis=1)
    values = products ** (1 / np.arange(1, ORDERS + 1))
    ratio = (lengths[:, 1] + _TINY) / (lengths[:, 0] + _SMALL)
    penalty: Floats = np.exp(np.minimum(1 - 1 / ratio, 0.0))
    return np.asarray(values * penalty[:, None], float)
