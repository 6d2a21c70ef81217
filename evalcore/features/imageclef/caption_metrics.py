"""Metrics of captions per image: those of the words alone, and what follows from values that models gave.

Own code where the official numbers differ from a library's of today: BLEU of 2017 is that of NLTK 3.2.2,
which treats an order of n-grams without a match in another way; BLEU-1 to BLEU-4, ROUGE-L and CIDEr-D are
those of pycocoevalcap, whose package brings a Java program. ROUGE-1 equals the package rouge-score,
BERTScore the package bert-score, which cannot be imported beside the transformers that encoders need. The
stemmer is NLTK's.
"""

from __future__ import annotations

import re
import string
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from functools import cache, partial
from math import exp, log, sqrt
from types import MappingProxyType
from typing import Literal

import numpy as np

from evalcore.features.imageclef.concepts import cleaned
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.read import stop_words
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats

# How captions become words before they are compared, edition by edition.
#
# 2017 to 2019, 2022: lower case, ASCII punctuation deleted (so "x-ray" is "xray" and "3.5" is "35"), NLTK's
# word_tokenize, stop words left out; 2017 to 2019 also stemmed (Snowball). Without punctuation
# word_tokenize does little but split at spaces, "cannot" and five more contractions; newer versions also
# split off typographic quotes. From 2023 on: lower case, runs of digits to "number", punctuation deleted.

Nltk = Literal["nltk322", "modern"]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CONTRACTED = re.compile(r"(?i)\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b")
_QUOTES = re.compile("([«“‘„»”’])")
_DIGITS = re.compile(r"\d+")
_ROUGE = re.compile("[^a-z0-9]+")


def words(
    caption: str, *, stop_words: Set[str], stem: Callable[[str], str] | None, nltk: Nltk = "nltk322"
) -> list[str]:
    """Words of a caption as the scripts of 2017 to 2022 compare them.

    ``stem`` None leaves words as they are; ``nltk`` "modern" splits off typographic quotes.

    >>> words("CT of the X-ray cannot show 3.5 cm.", stop_words={"of", "the", "not"}, stem=None)
    ['ct', 'xray', 'can', 'show', '35', 'cm']
    """
    text = caption.lower().translate(_NO_PUNCTUATION)
    if nltk == "modern":
        text = _QUOTES.sub(r" \1 ", text)
    text = _CONTRACTED.sub(lambda hit: " ".join(part for part in hit.groups() if part), text)
    kept = [word for word in text.split() if word not in stop_words]
    return kept if stem is None else [stem(word) for word in kept]


def normalised(caption: str) -> str:
    """The caption as the scripts from 2023 on compare it.

    >>> normalised("Axial CT at L4-5, 3.5 cm mass.")
    'axial ct at lnumbernumber numbernumber cm mass'
    """
    return _DIGITS.sub("number", caption.lower()).translate(_NO_PUNCTUATION)


def rouge_words(text: str) -> list[str]:
    """Words as the rouge-score package sees them: runs of a-z and 0-9, lower case."""
    return _ROUGE.sub(" ", text.lower()).split()


class Words:
    """Captions to words by a rule for single words; what it makes of a word is worked out once.

    ``cut`` gives the words of a text that has no spaces in it and is in lower case. Words longer than
    ``LONGEST`` are not kept, and no more than ``MOST`` of them.
    """

    LONGEST, MOST = 64, 100_000

    def __init__(self, cut: Callable[[str], Sequence[str]]) -> None:
        self._cut = cut
        self._of: dict[str, tuple[str, ...]] = {}

    def __call__(self, caption: str) -> list[str]:
        """The words of a caption, in their order."""
        result: list[str] = []
        for word in caption.lower().split():
            parts = self._of.get(word)
            result += self._new(word) if parts is None else parts
        return result

    def _new(self, word: str) -> tuple[str, ...]:
        parts = tuple(self._cut(word))
        if len(word) <= self.LONGEST:
            if len(self._of) >= self.MOST:
                self._of.clear()
            self._of[word] = parts
        return parts


def stemmer() -> Callable[[str], str]:
    """NLTK's English Snowball stemmer."""
    from nltk.stem.snowball import SnowballStemmer  # type: ignore[import-untyped]

    stem: Callable[[str], str] = SnowballStemmer("english").stem
    return stem


# BLEU of single captions as NLTK computes it, and of single captions and corpora as COCO does.
#
#     BLEU = BP · exp(sum over n = 1..4 of 1/4 · ln p_n),   BP = 1 if c > r else exp(1 - r/c)
#
# p_n is the share of the candidate's n-grams that the reference has too, each counted at most as often
# (Papineni et al. 2002, doi:10.3115/1073083.1073135). What happens to an order without a match differs:
#
# ========  ===============================================================================================
# nltk322   NLTK 3.2.2, used in 2017: that order and all higher ones are dropped, the weights stay 1/4 each,
#           so that unmatched orders act as if they were perfect
# modern    later NLTK: p_n is replaced by the smallest float, which makes BLEU practically 0
# COCO      (matches + 1e-15) / (n-grams + 1e-9) at every order, geometric mean of the first k orders
# ========  ===============================================================================================

ORDERS = 4
_TINY, _SMALL = 1e-15, 1e-9


def ngrams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Every run of n words, in order."""
    return list(zip(*(words[i:] for i in range(n)), strict=False))


def common(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """How many items do two lists share, each counted at most as often as in the other?"""
    ours = set(a)
    both = ours.intersection(b)
    if not both or len(ours) == len(a) or len(set(b)) == len(b):
        return len(both)
    return sum((Counter(x for x in a if x in both) & Counter(x for x in b if x in both)).values())


def matches(reference: Sequence[str], candidate: Sequence[str]) -> list[int]:
    """Clipped n-gram matches of the orders 1 to 4."""
    result = [common(reference, candidate)]
    for n in range(2, ORDERS + 1):
        if not result[-1]:
            break  # no common run of n words: no longer one either
        result.append(common(ngrams(reference, n), ngrams(candidate, n)))
    return result + [0] * (ORDERS - len(result))


def sentence_bleu(reference: Sequence[str], candidate: Sequence[str], *, nltk: Nltk = "nltk322") -> float:
    """How alike are two captions, by their common runs of up to four words?

    Both empty: 1, as in the script of 2017; one empty or no common word: 0. In [0, 1].

    >>> sentence_bleu(["b", "a"], ["a", "b"]), sentence_bleu(["b", "a"], ["a", "b"], nltk="modern") < 1e-100
    (1.0, True)
    """
    if not reference and not candidate:
        return 1.0
    result = matches(reference, candidate)
    if not result[0]:
        return 0.0
    total = 0.0
    for n, k in enumerate(result, start=1):
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


# CIDEr-D: n-grams weighted by how rare they are among the true captions (Vedantam et al. 2015).

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
    return [Counter(ngrams(words, n)) for n in range(1, ORDERS + 1)]


def _weighted(counts: Counter[tuple[str, ...]], frequency: Counter[tuple[str, ...]], size: float) -> Vector:
    return {gram: k * (size - log(max(1, frequency[gram]))) for gram, k in counts.items()}


def _alike(reference: Vector, candidate: Vector) -> float:
    norms = sqrt(sum(w * w for w in reference.values())) * sqrt(sum(w * w for w in candidate.values()))
    if not norms:
        return 0.0
    common = ((w, reference[gram]) for gram, w in candidate.items() if gram in reference)
    return sum(min(own, other) * other for own, other in common) / norms


# ROUGE: common words (ROUGE-1) and the longest common subsequence (ROUGE-L) of two captions.

BETA = 1.2
"""How much more recall counts than precision in COCO's ROUGE-L."""


def rouge_n(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """F1 of the words two captions share, each counted at most as often as in the other; 0 without any.

    Lin 2004, as the rouge-score package computes ROUGE-1.

    >>> rouge_n("ct scan show liver mass".split(), "ct scan show renal mass".split())
    0.8000000000000002
    """
    shared = common(reference, candidate)
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


WORD_METRICS = ("BLEU (2017)", "BLEU (2022)", "ROUGE-1 (2022)")
"""Scores of 2017 to 2022, computed only where an edition asks for them."""
_BLOCK = 500


def text_metrics(
    pairs: Sequence[tuple[str, str]],
    *,
    official: Sequence[str],
    nltk: Nltk,
    progress: Callable[[float, str], None],
) -> tuple[dict[str, Floats], dict[str, float]]:
    """Metrics of (truth, candidate) captions that follow from the words alone.

    Parameters
    ----------
    pairs : raw captions, n of them.
    official : which of ``WORD_METRICS`` to add.
    nltk : which behaviour "BLEU (2017)" follows.
    progress : called with the share done and what is being done.

    Returns
    -------
    {metric: values, shape (n,)} and {metric: corpus value} for BLEU-1 to BLEU-4, which COCO computes
    from the counts of the whole corpus. BLEU-n, ROUGE-L and CIDEr-D see the text as ROUGE-1 of 2023
    and later does (lower case, digits to "number", no punctuation); COCO's own Java tokenizer is not used.
    """
    values: dict[str, Floats] = {}
    for metric in official:
        values[metric] = _each(_one_of(metric, nltk), pairs, metric, progress)
    values["ROUGE-1"] = _each(_one_of("ROUGE-1", nltk), pairs, "ROUGE-1", progress)
    normal = [(normalised(truth), normalised(own)) for truth, own in pairs]
    values["ROUGE-L"] = _each(coco_rouge_l, normal, "ROUGE-L", progress)
    tokens = [(truth.split(), own.split()) for truth, own in normal]
    progress(0.0, "BLEU-1 to BLEU-4, CIDEr-D")
    corpus, single = coco_bleu(tokens)
    values |= {f"BLEU-{n + 1}": single[:, n] for n in range(4)}
    values["CIDEr-D"] = cider_d(tokens)
    progress(1.0, "")
    return values, {f"BLEU-{n + 1}": float(corpus[n]) for n in range(4)}


def concept_f1(true: Set[str], predicted: Set[str]) -> float:
    """F1 of two concept sets; 0 when they share nothing, two empty sets included (MedCAT arithmetic)."""
    shared = len(true & predicted)
    return 2 * shared / (len(true) + len(predicted)) if shared else 0.0


def umls_f1(
    pairs: Sequence[tuple[str, str]],
    images: Sequence[str],
    true: Mapping[str, Sequence[str]],
    predicted: Mapping[str, Sequence[str]],
) -> Floats:
    """F1 of the concepts of both captions; 1 where both captions are empty, as in 2025."""
    values = [
        concept_f1(cleaned(true.get(image, ())), cleaned(predicted.get(image, ()))) if any(texts) else 1.0
        for image, texts in zip(images, pairs, strict=True)
    ]
    return np.array(values)


@cache
def _one_of(metric: str, nltk: Nltk) -> Callable[[str, str], float]:
    """A metric of 2017 to 2022, or ROUGE-1, for one pair of raw captions."""
    if metric == "ROUGE-1":
        later = Words(lambda word: rouge_words(normalised(word)))

        def rouge_1(r: str, c: str) -> float:
            theirs, own = later(r), later(c)
            if not theirs and not own:
                return float(not normalised(r) and not normalised(c))
            return rouge_n(theirs, own)

        return rouge_1
    if metric == "BLEU (2017)":
        stop, stem = stop_words("2017"), stemmer()
        stemmed = Words(lambda word: words(word, stop_words=stop, stem=stem, nltk=nltk))
        return lambda r, c: sentence_bleu(stemmed(r), stemmed(c), nltk=nltk)
    kept = Words(partial(words, stop_words=stop_words("later"), stem=None, nltk="modern"))
    if metric == "BLEU (2022)":
        return lambda r, c: sentence_bleu(kept(r), kept(c), nltk="modern")

    def rouge(r: str, c: str) -> float:
        theirs, own = " ".join(kept(r)), " ".join(kept(c))
        return 1.0 if not theirs and not own else rouge_n(rouge_words(theirs), rouge_words(own))

    return rouge


def _each(
    metric: Callable[[str, str], float],
    pairs: Sequence[tuple[str, str]],
    title: str,
    progress: Callable[[float, str], None],
) -> Floats:
    values = np.empty(len(pairs))
    for first in range(0, len(pairs), _BLOCK):
        progress(first / len(pairs), title)
        block = pairs[first : first + _BLOCK]
        values[first : first + len(block)] = [metric(truth, own) for truth, own in block]
    return values


# Image-caption similarity, from vectors of a model.

SCALE = 2.5
"""What the similarity of 2025 multiplies cosines with, as CLIPScore does (Hessel et al. 2021)."""


def similarity(
    images: Floats, texts: Floats, pairs: Sequence[tuple[str, str]], *, edition: Edition
) -> Floats:
    """Image-caption similarity from embeddings: 2.5 · max(cos, 0), rows aligned with the pairs.

    A row of NaN (no embedding at all) stays NaN. 2025: 1 where a vector is zero, because its script gives
    1 for any failure, and where both captions are empty. 2026: 0 for an empty candidate.
    """
    norms = np.linalg.norm(images, axis=1) * np.linalg.norm(texts, axis=1)
    cosines = np.divide(
        column_sums((images * texts).T), norms, out=np.full(len(norms), np.nan), where=norms > 0
    )
    values = np.asarray(SCALE * np.maximum(cosines, 0.0), float)
    values[np.isnan(values)] = 1.0
    if edition.zero_when_empty:
        values[np.array([not own for _, own in pairs], bool)] = 0.0
    else:
        values[np.array([not any(pair) for pair in pairs], bool)] = 1.0
    values[np.isnan(images).any(axis=1) | np.isnan(texts).any(axis=1)] = np.nan
    return values


# Overall numbers, means of several metrics.

RELEVANCE = ("similarity", "BERTScore recall", "ROUGE-1", "BLEURT")
FACTUALITY = ("UMLS F1", "AlignScore")
OVERALL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "relevance_2025": ("BERTScore", "ROUGE-1", "similarity"),
        "relevance_2026": ("BERTScore", "ROUGE-1", "similarity", "BLEURT"),
        "factuality": FACTUALITY,
        "overall": (*RELEVANCE, *FACTUALITY),
    }
)
"""What each is made of. The scripts of 2025 and 2026 print a relevance each, with F1 of BERTScore (that of
2025 leaves BLEURT out), and the factuality. ``overall``, by which the task ranks, is the mean of the
relevance of the task's page, with recall of BERTScore, and the factuality."""
PARTIAL = "overall (partial)"


def overall_values(values: Mapping[str, Floats]) -> dict[str, Floats]:
    """The overall numbers per image, those whose parts are all there: means of means are official numbers.

    Where parts of ``overall`` are missing, ``PARTIAL`` is the same mean of means over those that are there.
    """
    means = {
        name: np.asarray(sum(values[part] for part in parts) / len(parts))
        for name, parts in OVERALL.items()
        if name != "overall" and all(part in values for part in parts)
    }
    aspects = [[values[part] for part in parts if part in values] for parts in (RELEVANCE, FACTUALITY)]
    there = [np.asarray(sum(columns) / len(columns)) for columns in aspects if columns]
    name = "overall" if all(part in values for part in OVERALL["overall"]) else PARTIAL
    return means | ({name: np.asarray(sum(there) / len(there))} if there else {})
