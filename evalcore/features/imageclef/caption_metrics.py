"""Metrics of captions per image: those of the words alone, and what follows from values that models gave.

BLEU of 2022 and the stemmer are NLTK's. Own code where the official numbers differ from a library's of today:
BLEU of 2017 is that of NLTK 3.2.2, which treats an order of n-grams without a match in another way. ROUGE-1
equals the package rouge-score without its stemmer.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, partial
from math import exp, log, sqrt
from types import MappingProxyType
from typing import TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np

from evalcore.features.imageclef.concepts import stripped
from evalcore.stats.sums import sum_of
from evalcore.values.arrays import Floats
from evalcore.values.bundled import bundled
from evalcore.values.progress import Progress

T = TypeVar("T")
Pairs = Sequence[tuple[str, str]]
"""(true caption, candidate caption) of every image."""

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
# (Papineni et al. 2002, doi:10.3115/1073083.1073135). What happens to an order without a match differs: NLTK
# 3.2.2, used in 2017, drops that order and all higher ones while the weights stay 1/4 each, so that unmatched
# orders act as if they were perfect. Later NLTK replaces p_n by the smallest float, which makes BLEU
# practically 0.

ORDERS = 4


def matches(reference: Sequence[str], candidate: Sequence[str]) -> list[int]:
    """Clipped matches of the runs of 1 to 4 words."""
    theirs, own = (
        [Counter(zip(*(words[i:] for i in range(n)), strict=False)) for n in range(1, ORDERS + 1)]
        for words in (reference, candidate)
    )
    return [(a & b).total() for a, b in zip(theirs, own, strict=True)]


def bleu_2017(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """How alike are two captions, by their common runs of up to four words, as NLTK 3.2.2 computed it?

    Both empty: 1, as in the script of 2017; one empty or no common word: 0. In [0, 1].

    >>> bleu_2017(["b", "a"], ["a", "b"]), round(bleu_2017(["the", "cat"], ["the", "the", "the"]), 4)
    (1.0, 0.7598)
    """
    if not reference and not candidate:
        return 1.0
    shared = matches(reference, candidate)
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


def text_metrics(pairs: Pairs, *, official: Sequence[str], progress: Progress) -> dict[str, Floats]:
    """Metrics of captions that follow from the words alone: {metric: values, shape (n,)}.

    Parameters
    ----------
    pairs : raw captions, n of them.
    official : which of ``OFFICIAL`` to add to ROUGE-1 as the scripts since 2023 compute it.
    progress : called with the share done and what is being done.
    """
    values: dict[str, Floats] = {}
    metrics = {name: OFFICIAL[name]() for name in official} | {"ROUGE-1": _compared(_rouge, normalised)}
    for metric, score in metrics.items():
        progress(len(values) / len(metrics), metric)
        values[metric] = np.array([score(true, own) for true, own in pairs], float)
    progress(1.0, "")
    return values


Metric = Callable[[str, str], float]
"""Of a true and a candidate caption as they are written."""


def _compared(score: Callable[[T, T], float], prepare: Callable[[str], T]) -> Metric:
    return lambda true, own: score(prepare(true), prepare(own))


def _rouge(reference: str, candidate: str) -> float:
    return rouge_1(rouge_words(reference), rouge_words(candidate)) if reference or candidate else 1.0


def _words_2022(caption: str) -> list[str]:
    return words(caption, stop=stop_words("later"), split_quotes=True)


OFFICIAL: Mapping[str, Callable[[], Metric]] = MappingProxyType(
    {
        "BLEU (2017)": lambda: _compared(bleu_2017, partial(words, stop=stop_words("2017"), stem=stemmer())),
        "BLEU (2022)": lambda: _compared(bleu_2022, _words_2022),
        "ROUGE-1 (2022)": lambda: _compared(_rouge, lambda caption: " ".join(_words_2022(caption))),
    }
)
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
            theirs, own = stripped(true.get(image, ())), stripped(predicted.get(image, ()))
            values[i] = 2 * len(theirs & own) / max(len(theirs) + len(own), 1)
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
