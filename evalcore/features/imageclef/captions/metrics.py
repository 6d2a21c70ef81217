"""Every metric of captions that needs no model, per image."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evalcore.features.imageclef.captions.bleu import coco_bleu, sentence_bleu
from evalcore.features.imageclef.captions.cider import cider_d
from evalcore.features.imageclef.captions.rouge import coco_rouge_l, rouge_n
from evalcore.features.imageclef.captions.tokens import Nltk, normalised, rouge_words, stemmer, words
from evalcore.features.imageclef.captions.vectors import concept_f1
from evalcore.features.imageclef.concepts.scores import cleaned
from evalcore.features.imageclef.read.bundled import stop_words
from evalcore.values.arrays import Floats

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
    normal = [(normalised(truth), normalised(own)) for truth, own in pairs]
    both_empty = np.array([not truth and not own for truth, own in pairs], bool)
    rouge = _each(lambda r, c: rouge_n(rouge_words(r), rouge_words(c)), normal, "ROUGE-1", progress)
    values["ROUGE-1"] = np.where(both_empty, 1.0, rouge)
    values["ROUGE-L"] = _each(coco_rouge_l, normal, "ROUGE-L", progress)
    tokens = [(truth.split(), own.split()) for truth, own in normal]
    progress(0.0, "BLEU-1 to BLEU-4, CIDEr-D")
    corpus, single = coco_bleu(tokens)
    values |= {f"BLEU-{n + 1}": single[:, n] for n in range(4)}
    values["CIDEr-D"] = cider_d(tokens)
    progress(1.0, "")
    return values, {f"BLEU-{n + 1}": float(corpus[n]) for n in range(4)}


def umls_f1(
    pairs: Sequence[tuple[str, str]],
    images: Sequence[str],
    true: Mapping[str, Sequence[str]],
    predicted: Mapping[str, Sequence[str]],
) -> Floats:
    """F1 of the concepts found in both captions; 1 where both captions are empty, as in 2025."""
    return np.array([
        1.0 if not any(texts) else concept_f1(cleaned(true.get(image, ())), cleaned(predicted.get(image, ())))
        for image, texts in zip(images, pairs, strict=True)
    ])  # fmt: skip


def _one_of(metric: str, nltk: Nltk) -> Callable[[str, str], float]:
    """A metric of 2017 to 2022 for one pair of raw captions."""
    if metric == "BLEU (2017)":
        stop, stem = stop_words("2017"), stemmer()
        return lambda r, c: sentence_bleu(
            words(r, stop_words=stop, stem=stem, nltk=nltk), words(c, stop_words=stop, stem=stem, nltk=nltk),
            nltk=nltk,
        )  # fmt: skip
    later = stop_words("later")

    def kept(text: str) -> list[str]:
        return words(text, stop_words=later, stem=None, nltk="modern")

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
