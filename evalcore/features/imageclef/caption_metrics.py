"""Metrics of captions per image: those of the words alone, and what follows from values that models gave.

BLEU of 2022 and the stemmer are NLTK's. Own code where the official numbers differ from a library's of today:
BLEU of 2017 is that of NLTK 3.2.2, which treats an order of n-grams without a match in another way; BLEU-1 to
BLEU-4, ROUGE-L and CIDEr-D are those of pycocoevalcap, whose package brings a Java program. ROUGE-1 equals
the package rouge-score without its stemmer.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, partial
from math import exp, log, sqrt
from typing import TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np
from rapidfuzz.distance import LCSseq

from evalcore.stats.sums import sum_of
from evalcore.values.arrays import Floats
from evalcore.values.bundled import bundled

T = TypeVar("T")
Pairs = Sequence[tuple[str, str]]
"""(true caption, candidate caption) of every image."""
Gram = tuple[str, ...]
Grams = Sequence[Counter[Gram]]
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
    return frozenset(json.loads(bundled("evalcore.features.imageclef", "stopwords.json"))[year])


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
    text = _CONTRACTED.sub(lambda hit: f" {' '.join(part for part in hit.groups() if part)} ", text)
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


# BLEU = BP · exp(sum over n = 1..4 of 1/4 · ln p_n),   BP = 1 if c > r else exp(1 - r/c)
#
# p_n is the share of the candidate's n-grams that the reference has too, each counted at most as often
# (Papineni et al. 2002, doi:10.3115/1073083.1073135). What happens to an order without a match differs: NLTK
# 3.2.2, used in 2017, drops that order and all higher ones while the weights stay 1/4 each, so that unmatched
# orders act as if they were perfect. Later NLTK replaces p_n by the smallest float, which makes BLEU
# practically 0. COCO adds 1e-15 to the matches and 1e-9 to the n-grams of every order; its BLEU-k is the
# geometric mean of the first k orders.

ORDERS = 4


def ngrams(words: Sequence[str]) -> Grams:
    """Every run of 1 to 4 words, in order of first occurrence, with its count."""
    return [Counter(zip(*(words[i:] for i in range(n)), strict=False)) for n in range(1, ORDERS + 1)]


def matches(reference: Grams, candidate: Grams) -> list[int]:
    """Clipped matches of the runs of 1 to 4 words."""
    return [(ref & cand).total() for ref, cand in zip(reference, candidate, strict=True)]


def bleu_2017(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """How similar are two captions, by their common runs of up to four words, as NLTK 3.2.2 computed it?

    Both empty: 1, as in the script of 2017; one empty or no common word: 0. In [0, 1].

    >>> bleu_2017(["b", "a"], ["a", "b"]), round(bleu_2017(["the", "cat"], ["the", "the", "the"]), 4)
    (1.0, 0.7598)
    """
    if not reference and not candidate:
        return 1.0
    shared = matches(ngrams(reference), ngrams(candidate))
    if not shared[0]:
        return 0.0
    r, c, total = len(reference), len(candidate), 0.0
    for n, k in enumerate(shared):
        if not k:
            break
        total += log(k / (c - n)) / ORDERS
    return (1.0 if c > r else exp(1 - r / c)) * exp(total)


def bleu_2022(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """The same by NLTK since, where an order without a match makes it practically 0."""
    from nltk.translate.bleu_score import sentence_bleu  # type: ignore[import-untyped]

    if not reference and not candidate:
        return 1.0
    with catch_warnings():
        simplefilter("ignore")  # NLTK warns of every order without a match
        return float(sentence_bleu([reference], candidate))


# COCO's: BLEU-1 to BLEU-4, the longest common subsequence, and n-grams by how rare they are.


def coco_bleu(pairs: Sequence[tuple[Grams, Grams]]) -> tuple[Floats, Floats]:
    """BLEU-1 to BLEU-4 of n pairs of reference and candidate.

    Of each pair, shape (n, 4), and of the corpus, shape (1, 4): from the counts of all pairs added up.
    """
    hits = np.array([matches(*pair) for pair in pairs], float)
    lengths = np.array([[grams[0].total() for grams in pair] for pair in pairs], float)
    guesses = np.maximum(lengths[:, 1:] - np.arange(ORDERS), 0)

    def values(hits: Floats, guesses: Floats, lengths: Floats) -> Floats:
        products = np.cumprod((hits + 1e-15) / (guesses + 1e-9), axis=1)
        ratio = (lengths[:, 1] + 1e-15) / (lengths[:, 0] + 1e-9)
        penalty = np.exp(np.minimum(1 - 1 / ratio, 0.0))
        return np.asarray(products ** (1 / np.arange(1, ORDERS + 1)) * penalty[:, np.newaxis], np.float64)

    counts = hits, guesses, lengths
    return values(*counts), values(*(count.sum(axis=0, keepdims=True) for count in counts))


def coco_rouge_l(reference: str, candidate: str) -> float:
    """(1 + b²)·P·R / (R + b²·P) with b = 1.2, from the longest common subsequence of words.

    Words end at single spaces, as in pycocoevalcap; 0 without a common word.

    >>> round(coco_rouge_l("chest x ray show pneumonia", "chest x ray"), 6)
    0.717647
    """
    ref, cand, weight = reference.split(" "), candidate.split(" "), 1.2**2
    length = LCSseq.similarity(ref, cand)
    precision, recall = length / len(cand), length / len(ref)
    return (1 + weight) * precision * recall / (recall + weight * precision) if length else 0.0


def cider_d(pairs: Sequence[tuple[Grams, Grams]]) -> Floats:
    """How much of the informative wording do captions share? Of each (reference, candidate), shape (n,).

    For n = 1..4: weight of an n-gram = count · (ln N - ln max(1, df)) over the N reference captions;
    sum of min(candidate, reference) · reference over both norms, times exp(-(difference of lengths)² / 72);
    mean over n, times 10. From 0 to 10; the corpus score is the mean. The lengths are numbers of bigrams, as
    in pycocoevalcap. All 0 with a single pair, because then nothing is rare. Vedantam et al. 2015.
    """
    frequency = Counter(gram for reference, _ in pairs for order in reference for gram in order)

    def weighted(counts: Counter[Gram]) -> dict[Gram, float]:
        return {gram: k * (log(len(pairs)) - log(max(1, frequency[gram]))) for gram, k in counts.items()}

    def cosine(reference: Mapping[Gram, float], candidate: Mapping[Gram, float]) -> float:
        norms = sqrt(sum(w * w for w in reference.values())) * sqrt(sum(w * w for w in candidate.values()))
        common = ((reference[gram], w) for gram, w in candidate.items() if gram in reference)
        return sum(min(cand, ref) * ref for ref, cand in common) / norms if norms else 0.0

    def value(reference: Grams, candidate: Grams) -> float:
        total = sum(cosine(weighted(a), weighted(b)) for a, b in zip(reference, candidate, strict=True))
        return 10 * total / ORDERS * exp(-((candidate[1].total() - reference[1].total()) ** 2) / 72)

    return np.array([value(*pair) for pair in pairs], float)


def rouge_1(reference: str, candidate: str) -> float:
    """F1 of the words two captions share, each counted at most as often as in the other.

    Lin 2004, as the rouge-score package computes ROUGE-1: words are runs of a-z and 0-9, lower case. 0
    without a shared word; 1 where both captions are empty, as the scripts count.

    >>> rouge_1("CT scan: liver mass", "CT scan showing a renal mass")
    0.6
    """
    if not reference and not candidate:
        return 1.0
    ref, cand = (Counter(_ROUGE.sub(" ", text.lower()).split()) for text in (reference, candidate))
    shared = (ref & cand).total()
    if not shared:
        return 0.0
    precision, recall = shared / cand.total(), shared / ref.total()
    return 2 * precision * recall / (precision + recall)


def text_metrics(pairs: Pairs, *, official: Sequence[str]) -> tuple[dict[str, Floats], dict[str, float]]:
    """Metrics of captions that follow from the words alone.

    Parameters
    ----------
    pairs : raw captions, n of them, at least one.
    official : which of ``OFFICIAL`` to add to ROUGE-1 as the scripts since 2023 compute it.

    Returns
    -------
    {metric: values, shape (n,)}, and {metric: corpus value} for BLEU-1 to BLEU-4, which COCO computes from
    the counts of the whole corpus. Its metrics see the text as ROUGE-1 does (lower case, digits to "number",
    no punctuation); COCO's own Java tokenizer is not used.
    """
    metrics = {name: OFFICIAL[name]() for name in official} | {"ROUGE-1": _compared(rouge_1, normalised)}
    values = {name: np.array([score(*pair) for pair in pairs], float) for name, score in metrics.items()}
    plain = [(normalised(true), normalised(own)) for true, own in pairs]
    values["ROUGE-L"] = np.array([coco_rouge_l(true, own) for true, own in plain], float)
    grams = [(ngrams(true.split()), ngrams(own.split())) for true, own in plain]
    single, corpus = coco_bleu(grams)
    values |= {f"BLEU-{n + 1}": single[:, n] for n in range(ORDERS)} | {"CIDEr-D": cider_d(grams)}
    return values, {f"BLEU-{n + 1}": float(corpus[0, n]) for n in range(ORDERS)}


Metric = Callable[[str, str], float]
"""Of a true and a candidate caption as they are written."""


def _compared(score: Callable[[T, T], float], prepare: Callable[[str], T]) -> Metric:
    return lambda true, own: score(prepare(true), prepare(own))


def _words_2022(caption: str) -> list[str]:
    return words(caption, stop=stop_words("later"), split_quotes=True)


OFFICIAL: Mapping[str, Callable[[], Metric]] = {
    "BLEU (2017)": lambda: _compared(bleu_2017, partial(words, stop=stop_words("2017"), stem=stemmer())),
    "BLEU (2022)": lambda: _compared(bleu_2022, _words_2022),
    "ROUGE-1 (2022)": lambda: _compared(rouge_1, lambda caption: " ".join(_words_2022(caption))),
}
"""Scores of 2017 to 2022, computed only where an edition asks for them."""


# What follows from concepts of captions, and from vectors and values of models.


def umls_f1(
    pairs: Pairs,
    images: Sequence[str],
    true: Mapping[str, Sequence[str]],
    predicted: Mapping[str, Sequence[str]],
) -> Floats:
    """F1 of the concepts of both captions, 0 where they share none; 1 where both captions are empty."""
    values = np.ones(len(images))
    for i, (image, texts) in enumerate(zip(images, pairs, strict=True)):
        if any(texts):
            ref, cand = set(true.get(image, ())), set(predicted.get(image, ()))
            values[i] = 2 * len(ref & cand) / max(len(ref) + len(cand), 1)
    return values


SCALE = 2.5
"""What the similarity of 2025 multiplies cosines with, as CLIPScore does (Hessel et al. 2021)."""


def similarity(
    image: Floats | None, text: Floats | None, pair: tuple[str, str], *, zero_when_empty: bool
) -> float:
    """Image-caption similarity from two embeddings: 2.5 · max(cos, 0).

    2025: 1 where a vector is zero or missing (None), because its script gives 1 for any failure, and where
    both captions are empty. 2026 (``zero_when_empty``): 0 for an empty candidate.
    """
    true, own = pair
    if not own and (zero_when_empty or not true):
        return 0.0 if zero_when_empty else 1.0
    if image is None or text is None:
        return 1.0
    norm = sqrt(np.add.reduce(image * image)) * sqrt(np.add.reduce(text * text))
    return SCALE * max(sum_of(image * text) / norm, 0.0) if norm else 1.0


RELEVANCE = ("similarity", "BERTScore recall", "ROUGE-1", "BLEURT")
FACTUALITY = ("UMLS F1", "AlignScore")
OVERALL: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Relevance (script of 2025)": (("BERTScore", "ROUGE-1", "similarity"),),
    "Relevance (script of 2026)": (("BERTScore", "ROUGE-1", "similarity", "BLEURT"),),
    "Factuality": (FACTUALITY,),
    "Overall": (RELEVANCE, FACTUALITY),
}
"""The aspects that each is the mean of, and the metrics that each aspect is the mean of.

The scripts of 2025 and 2026 print a relevance each, with F1 of BERTScore (that of 2025 leaves BLEURT out),
and the factuality. ``Overall``, by which the task ranks, takes the relevance of the task's page, with recall
of BERTScore.
"""


def overall_values(name: str, values: Mapping[str, Floats]) -> Floats:
    """One of ``OVERALL`` per image, from the values of all its metrics: a mean of means."""
    means = [sum(values[metric] for metric in aspect) / len(aspect) for aspect in OVERALL[name]]
    return np.asarray(sum(means) / len(means))
