"""CIDEr-D: n-grams weighted by how rare they are among the true captions (Vedantam et al. 2015)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np

from evalcore.features.imageclef.captions.bleu import ORDERS, ngrams
from evalcore.values.arrays import Floats

SIGMA = 6.0
"""Width of the penalty for captions of different length, in words."""

Vector = dict[tuple[str, ...], float]


def cider_d(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Floats:
    """How much of the informative wording do captions share? One value per (reference, candidate) pair.

    For n = 1..4: weight of an n-gram = count · (ln N - ln max(1, df)) over the N reference captions;
    sum of min(candidate, reference) · reference over both norms, times exp(-(difference of lengths)² / 72);
    mean over n, times 10. From 0 to 10; the corpus score is the mean. The lengths are numbers of
    bigrams, as in pycocoevalcap. All 0 with a single pair, because then nothing is rare.
    """
    grams = [(_counts(r), _counts(c)) for r, c in pairs]
    frequency: Counter[tuple[str, ...]] = Counter()
    for theirs, _ in grams:
        for order in theirs:
            frequency.update(order.keys())
    size = log(len(pairs)) if pairs else 0.0
    values = np.zeros(len(pairs))
    for i, (theirs, own) in enumerate(grams):
        lengths = own[1].total() - theirs[1].total()
        total = 0.0
        for reference, candidate in zip(theirs, own, strict=True):
            total += _alike(_weighted(reference, frequency, size), _weighted(candidate, frequency, size))
        values[i] = 10 * total / ORDERS * exp(-(lengths**2) / (2 * SIGMA**2))
    return values


def _counts(words: Sequence[str]) -> list[Counter[tuple[str, ...]]]:
    return [ngrams(words, n) for n in range(1, ORDERS + 1)]


def _weighted(counts: Counter[tuple[str, ...]], frequency: Counter[tuple[str, ...]], size: float) -> Vector:
    return {gram: k * (size - log(max(1, frequency[gram]))) for gram, k in counts.items()}


def _alike(reference: Vector, candidate: Vector) -> float:
    norms = sqrt(sum(w * w for w in reference.values())) * sqrt(sum(w * w for w in candidate.values()))
    if not norms:
        return 0.0
    common = ((w, reference[gram]) for gram, w in candidate.items() if gram in reference)
    return sum(min(own, other) * other for own, other in common) / norms
