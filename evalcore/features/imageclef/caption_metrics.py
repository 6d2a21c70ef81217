"""Metrics of captions per image: those of the words alone, and what follows from values that models gave.

Own code where the official numbers differ from a library's of today: BLEU of 2017 is that of NLTK 3.2.2,
which treats an order of n-grams without a match in another way; BLEU-1 to BLEU-4, ROUGE-L and CIDEr-D are
those of pycocoevalcap, whose package brings a Java program. ROUGE-1 equals the package rouge-score. The
stemmer is NLTK's, the longest common subsequence rapidfuzz's.
"""

from __future__ import annotations

import json
import re
import string
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from math import exp, log, sqrt
from types import MappingProxyType

import numpy as np
from rapidfuzz.distance import LCSseq

from evalcore.features.imageclef.concepts import stripped
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats
from evalcore.values.bundled import bundled
from evalcore.values.progress import Progress

Pairs = Sequence[tuple[str, str]]
"""(true caption, candidate caption) of every image."""
Grams = Sequence[Counter[tuple[str, ...]]]
"""How often each run of 1, 2, 3 and 4 words occurs in a caption."""

# How captions become words before they are compared, edition by edition.
#
# 2017 to 2019, 2022: lower case, ASCII punctuation deleted (so "x-ray" is "xray" and "3.5" is "35"), NLTK's
# word_tokenize, stop words left out; 2017 to 2019 also stemmed (Snowball). Without punctuation
# word_tokenize does little but split at spaces, "cannot" and five more contractions; newer versions also
# split off typographic quotes. From 2023 on: lower case, runs of digits to "number", punctuation deleted.

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CONTRACTED = re.compile(r"(?i)\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b")
_QUOTES = re.compile("([«“‘„»”’])")
_DIGITS = re.compile(r"\d+")
_ROUGE = re.compile("[^a-z0-9]+")


@cache
def stop_words(year: str) -> frozenset[str]:
    """English stop words of NLTK: "2017", the 153 words of 2016 to 2017, or "later", with apostrophes.

    NLTK's stopwords corpus, which took the words from the Snowball project (BSD licence, Porter and Boulton);
    kept as ``stopwords.json``, so that nothing is downloaded.
    """
    lists = json.loads(bundled("evalcore.features.imageclef", "stopwords.json"))
    names = {"2017": "nltk_2016_to_2017_153_words", "later": "nltk_later_with_apostrophes"}
    return frozenset(lists[names[year]])


def words(
    caption: str, *, stop: Set[str], stem: Callable[[str], str] | None = None, split_quotes: bool = False
) -> list[str]:
    """Words of a caption as the scripts of 2017 to 2022 compare them.

    >>> words("CT of the X-ray cannot show 3.5 cm.", stop={"of", "the", "not"})
    ['ct', 'xray', 'can', 'show', '35', 'cm']
    """
    text = caption.lower().translate(_NO_PUNCTUATION)
    if split_quotes:
        text = _QUOTES.sub(r" \1 ", text)
    text = _CONTRACTED.sub(lambda hit: " ".join(part for part in hit.groups() if part), text)
    kept = [word for word in text.split() if word not in stop]
    return kept if stem is None else [stem(word) for word in kept]


def stemmer() -> Callable[[str], str]:
    """NLTK's English Snowball stemmer, which remembers the words it was asked for."""
    from nltk.stem.snowball import SnowballStemmer  # type: ignore[import-untyped]

    return cache(SnowballStemmer("english").stem)


def normalised(caption: str) -> str:
    """The caption as the scripts from 2023 on compare it.

    >>> normalised("Axial CT at L4-5, 3.5 cm mass.")
    'axial ct at lnumbernumber numbernumber cm mass'
    """
    return _DIGITS.sub("number", caption.lower()).translate(_NO_PUNCTUATION)


def rouge_words(text: str) -> list[str]:
    """Words as the rouge-score package sees them: runs of a-z and 0-9, lower case."""
    return _ROUGE.sub(" ", text.lower()).split()


# BLEU = BP · exp(sum over n = 1..4 of 1/4 · ln p_n),   BP = 1 if c > r else exp(1 - r/c)
#
# p_n is the share of the candidate's n-grams that the reference has too, each counted at most as often
# (Papineni et al. 2002, doi:10.3115/1073083.1073135). What happens to an order without a match differs:
#
# ===========  ============================================================================================
# NLTK 3.2.2   used in 2017: that order and all higher ones are dropped, the weights stay 1/4 each, so that
#              unmatched orders act as if they were perfect
# later NLTK   p_n is replaced by the smallest float, which makes BLEU practically 0
# COCO         (matches + 1e-15) / (n-grams + 1e-9) at every order, geometric mean of the first k orders
# ===========  ============================================================================================

ORDERS = 4
_TINY, _SMALL = 1e-15, 1e-9


def ngrams(words: Sequence[str]) -> Grams:
    """Every run of 1 to 4 words, in order of first occurrence, with its count."""
    return [Counter(zip(*(words[i:] for i in range(n)), strict=False)) for n in range(1, ORDERS + 1)]


def matches(reference: Grams, candidate: Grams) -> list[int]:
    """Clipped n-gram matches of the orders 1 to 4."""
    return [(theirs & own).total() for theirs, own in zip(reference, candidate, strict=True)]


def sentence_bleu(reference: Sequence[str], candidate: Sequence[str], *, later: bool = False) -> float:
    """How alike are two captions, by their common runs of up to four words?

    ``later`` as NLTK computes it since; else as NLTK 3.2.2 did. Both empty: 1, as in the script of 2017; one
    empty or no common word: 0. In [0, 1].

    >>> sentence_bleu(["b", "a"], ["a", "b"]), sentence_bleu(["b", "a"], ["a", "b"], later=True) < 1e-100
    (1.0, True)
    """
    if not reference and not candidate:
        return 1.0
    shared = matches(ngrams(reference), ngrams(candidate))
    if not shared[0]:
        return 0.0
    total = 0.0
    for n, k in enumerate(shared, start=1):
        if not k and not later:
            break
        total += log(k / max(1, len(candidate) - n + 1) if k else sys.float_info.min) / ORDERS
    r, c = len(reference), len(candidate)
    return (1.0 if c > r else exp(1 - r / c)) * exp(total)


def coco_bleu(pairs: Sequence[tuple[Grams, Grams]]) -> tuple[Floats, Floats]:
    """BLEU-1 to BLEU-4 in the COCO sense.

    Parameters
    ----------
    pairs : n-grams of reference and candidate, n of them.

    Returns
    -------
    corpus, shape (4,), from the counts of all pairs added up; per pair, shape (n, 4). NaN without pairs.
    """
    if not pairs:
        return np.full(ORDERS, np.nan), np.empty((0, ORDERS))
    hits = np.array([matches(*pair) for pair in pairs], float)
    lengths = np.array([(theirs[0].total(), own[0].total()) for theirs, own in pairs], float)
    guesses = np.maximum(lengths[:, 1:] - np.arange(ORDERS), 0)
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


def cider_d(pairs: Sequence[tuple[Grams, Grams]]) -> Floats:
    """How much of the informative wording do captions share? One value per (reference, candidate) pair.

    For n = 1..4: weight of an n-gram = count · (ln N - ln max(1, df)) over the N reference captions;
    sum of min(candidate, reference) · reference over both norms, times exp(-(difference of lengths)² / 72);
    mean over n, times 10. From 0 to 10; the corpus score is the mean. The lengths are numbers of
    bigrams, as in pycocoevalcap. All 0 with a single pair, because then nothing is rare.
    """
    frequency = Counter(gram for theirs, _ in pairs for order in theirs for gram in order)
    size = log(len(pairs)) if pairs else 0.0

    def weighted(counts: Counter[tuple[str, ...]]) -> Vector:
        return {gram: k * (size - log(max(1, frequency[gram]))) for gram, k in counts.items()}

    values = np.zeros(len(pairs))
    for i, (theirs, own) in enumerate(pairs):
        lengths = own[1].total() - theirs[1].total()
        total = 0.0
        for reference, candidate in zip(theirs, own, strict=True):
            total += _clipped_cosine(weighted(reference), weighted(candidate))
        values[i] = 10 * total / ORDERS * exp(-(lengths**2) / (2 * SIGMA**2))
    return values


def _clipped_cosine(reference: Vector, candidate: Vector) -> float:
    norms = sqrt(sum(w * w for w in reference.values())) * sqrt(sum(w * w for w in candidate.values()))
    if not norms:
        return 0.0
    common = ((w, reference[gram]) for gram, w in candidate.items() if gram in reference)
    return sum(min(own, other) * other for own, other in common) / norms


# ROUGE: common words (ROUGE-1) and the longest common subsequence (ROUGE-L) of two captions.

BETA = 1.2
"""How much more recall counts than precision in COCO's ROUGE-L."""


def rouge_1(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """F1 of the words two captions share, each counted at most as often as in the other; 0 without any.

    Lin 2004, as the rouge-score package computes ROUGE-1.

    >>> rouge_1("ct scan show liver mass".split(), "ct scan show renal mass".split())
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
    length = LCSseq.similarity(theirs, own)
    if not length:
        return 0.0
    precision, recall = length / len(own), length / len(theirs)
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def text_metrics(
    pairs: Pairs, *, official: Sequence[str], progress: Progress
) -> tuple[dict[str, Floats], dict[str, float]]:
    """Metrics of captions that follow from the words alone.

    Parameters
    ----------
    pairs : raw captions, n of them.
    official : which of ``OFFICIAL`` to add.
    progress : called with the share done and what is being done.

    Returns
    -------
    {metric: values, shape (n,)} and {metric: corpus value} for BLEU-1 to BLEU-4, which COCO computes
    from the counts of the whole corpus. BLEU-n, ROUGE-L and CIDEr-D see the text as ROUGE-1 of 2023
    and later does (lower case, digits to "number", no punctuation); COCO's own Java tokenizer is not used.
    """
    values: dict[str, Floats] = {}
    for metric, make in (*((name, OFFICIAL[name]) for name in official), ("ROUGE-1", _rouge_1_later)):
        progress(len(values) / (len(official) + 3), metric)
        values[metric] = np.array([score(true, own) for score in [make()] for true, own in pairs], float)
    plain = [(normalised(true), normalised(own)) for true, own in pairs]
    progress(len(values) / (len(official) + 3), "ROUGE-L, BLEU-1 to BLEU-4, CIDEr-D")
    values["ROUGE-L"] = np.array([coco_rouge_l(true, own) for true, own in plain], float)
    grams = [(ngrams(true.split()), ngrams(own.split())) for true, own in plain]
    corpus, single = coco_bleu(grams)
    values |= {f"BLEU-{n + 1}": single[:, n] for n in range(ORDERS)}
    values["CIDEr-D"] = cider_d(grams)
    progress(1.0, "")
    return values, {f"BLEU-{n + 1}": float(corpus[n]) for n in range(ORDERS)}


Metric = Callable[[str, str], float]
"""Of a true and a candidate caption as they are written."""


def _bleu_2017() -> Metric:
    stop, stem = stop_words("2017"), stemmer()
    return lambda true, own: sentence_bleu(*(words(text, stop=stop, stem=stem) for text in (true, own)))


def _bleu_2022() -> Metric:
    return lambda true, own: sentence_bleu(_words_2022(true), _words_2022(own), later=True)


def _words_2022(caption: str) -> list[str]:
    return words(caption, stop=stop_words("later"), split_quotes=True)


def _rouge_1_2022() -> Metric:
    def score(true: str, own: str) -> float:
        theirs, mine = (" ".join(_words_2022(text)) for text in (true, own))
        return 1.0 if not theirs and not mine else rouge_1(rouge_words(theirs), rouge_words(mine))

    return score


def _rouge_1_later() -> Metric:
    def score(true: str, own: str) -> float:
        theirs, mine = normalised(true), normalised(own)
        return 1.0 if not theirs and not mine else rouge_1(rouge_words(theirs), rouge_words(mine))

    return score


OFFICIAL: Mapping[str, Callable[[], Metric]] = MappingProxyType(
    {"BLEU (2017)": _bleu_2017, "BLEU (2022)": _bleu_2022, "ROUGE-1 (2022)": _rouge_1_2022}
)
"""Scores of 2017 to 2022, computed only where an edition asks for them."""


# What follows from concepts of captions, and from vectors and values of models.


def concept_f1(true: Set[str], predicted: Set[str]) -> float:
    """F1 of two concept sets; 0 when they share nothing, two empty sets included (MedCAT arithmetic)."""
    shared = len(true & predicted)
    return 2 * shared / (len(true) + len(predicted)) if shared else 0.0


def umls_f1(
    pairs: Pairs,
    images: Sequence[str],
    true: Mapping[str, Sequence[str]],
    predicted: Mapping[str, Sequence[str]],
) -> Floats:
    """F1 of the concepts of both captions; 1 where both captions are empty, as in 2025."""
    values = [
        concept_f1(stripped(true.get(image, ())), stripped(predicted.get(image, ()))) if any(texts) else 1.0
        for image, texts in zip(images, pairs, strict=True)
    ]
    return np.array(values, float)


SCALE = 2.5
"""What the similarity of 2025 multiplies cosines with, as CLIPScore does (Hessel et al. 2021)."""


def similarity(images: Floats, texts: Floats, pairs: Pairs, *, zero_when_empty: bool) -> Floats:
    """Image-caption similarity from embeddings: 2.5 · max(cos, 0), rows aligned with the pairs.

    A row of NaN (no embedding at all) stays NaN. 2025: 1 where a vector is zero, because its script gives
    1 for any failure, and where both captions are empty. 2026 (``zero_when_empty``): 0 for an empty
    candidate.
    """
    norms = np.linalg.norm(images, axis=1) * np.linalg.norm(texts, axis=1)
    products = column_sums((images * texts).T)
    cosines = np.divide(products, norms, out=np.full(len(norms), np.nan), where=norms > 0)
    values = np.asarray(SCALE * np.maximum(cosines, 0.0), float)
    values[np.isnan(values)] = 1.0
    empty = [not own if zero_when_empty else not (true or own) for true, own in pairs]
    values[np.array(empty, bool)] = 0.0 if zero_when_empty else 1.0
    values[np.isnan(images).any(axis=1) | np.isnan(texts).any(axis=1)] = np.nan
    return values


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
