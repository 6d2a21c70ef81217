"""ROUGE: common words (ROUGE-1) and the longest common subsequence (ROUGE-L) of two captions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

BETA = 1.2
"""How much more recall counts than precision in COCO's ROUGE-L."""


def rouge_n(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """F1 of the words two captions share, each counted at most as often as in the other; 0 without any.

    Lin 2004, as the rouge-score package computes ROUGE-1.

    >>> rouge_n("ct scan show liver mass".split(), "ct scan show renal mass".split())
    0.8000000000000002
    """
    shared = (Counter(reference) & Counter(candidate)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(candidate), shared / len(reference)
    return 2 * precision * recall / (precision + recall)


def coco_rouge_l(reference: str, candidate: str) -> float:
    """(1 + b²)·P·R / (R + b²·P) with b = 1.2, from the longest common subsequence of words.

    Words end at single spaces, as in pycocoevalcap; 0 without a common word.
    """
    theirs, own = reference.split(" "), candidate.split(" ")
    length = common_subsequence(theirs, own)
    if not length:
        return 0.0
    precision, recall = length / len(own), length / len(theirs)
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence, all positions of ``a`` at once as bits of one integer.

    Hyyrö 2004: bit i of ``state`` is 0 where the best length grows between i and i + 1 words of ``a``.

    >>> common_subsequence("a b c d e".split(), "b x d a e".split())
    3
    """
    places: dict[str, int] = {}
    for i, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << i
    full = (1 << len(a)) - 1
    state = full
    for word in b:
        met = state & places.get(word, 0)
        state = ((state + met) | (state - met)) & full
    return len(a) - state.bit_count()
