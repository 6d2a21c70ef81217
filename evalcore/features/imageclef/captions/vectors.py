"""The arithmetic of the metrics that need a model, without the model.

What the models give (token vectors, entailment probabilities, embeddings, concepts) goes in; the
numbers that the official scripts make of it come out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence, Set
from math import log
from types import MappingProxyType
from typing import Any

import numpy as np

from evalcore.features.imageclef.editions import Edition
from evalcore.stats.sums import column_sums, sum_of
from evalcore.values.arrays import Floats

SCALE = 2.5
"""What CLIPScore and the image-caption similarity of 2025 multiply cosines with."""


def inverse_frequency(documents: Sequence[Sequence[Hashable]]) -> tuple[dict[Hashable, float], float]:
    """ln((M + 1) / (df + 1)) of every token over M documents, and the value of unseen tokens (df = 0).

    Zhang et al. 2020 (BERTScore), as in the bert-score package.
    """
    m = len(documents)
    frequency = Counter(token for document in documents for token in set(document))
    return {token: log((m + 1) / (df + 1)) for token, df in frequency.items()}, log(m + 1)


def bert_score(cosines: Floats, reference: Floats, candidate: Floats) -> tuple[float, float, float]:
    """Precision, recall and F1 of greedy token matching.

    Parameters
    ----------
    cosines : shape (reference tokens, candidate tokens).
    reference, candidate : weight of each token (idf, or all 1).

    Returns
    -------
    P = sum over candidate tokens of weight · best cosine / sum of weights, R likewise over the
    reference, F = 2PR / (P + R). 0 where a quotient is 0/0.
    """
    if not cosines.size:
        return 0.0, 0.0, 0.0
    precision = _share(sum_of(candidate * cosines.max(axis=0)), sum_of(candidate))
    recall = _share(sum_of(reference * cosines.max(axis=1)), sum_of(reference))
    return precision, recall, _share(2 * precision * recall, precision + recall)


def clip_score(cosines: Floats) -> Floats:
    """2.5 · max(cos(image, caption), 0) (Hessel et al. 2021); also the similarity of 2025."""
    return np.asarray(SCALE * np.maximum(cosines, 0.0), float)


def cosines_of_rows(images: Floats, texts: Floats) -> Floats:
    """Cosine of aligned rows; NaN where a vector is zero."""
    norms = np.linalg.norm(images, axis=1) * np.linalg.norm(texts, axis=1)
    product = column_sums((images * texts).T)
    return np.asarray(np.divide(product, norms, out=np.full(len(norms), np.nan), where=norms > 0), float)


def similarity(
    images: Floats, texts: Floats, pairs: Sequence[tuple[str, str]], *, edition: Edition
) -> Floats:
    """Image-caption similarity from embeddings: 2.5 · max(cos, 0), rows aligned with the pairs.

    A row of NaN (no embedding at all) stays NaN. 2025: 1 where a vector is zero, because its script gives
    1 for any failure, and where both captions are empty. 2026: 0 for an empty candidate.
    """
    values = clip_score(cosines_of_rows(images, texts))
    values[np.isnan(values)] = 1.0
    if edition.zero_when_empty:
        values[np.array([not own for _, own in pairs], bool)] = 0.0
    else:
        values[np.array([not any(pair) for pair in pairs], bool)] = 1.0
    values[np.isnan(images).any(axis=1) | np.isnan(texts).any(axis=1)] = np.nan
    return values


def concept_f1(true: Set[str], predicted: Set[str]) -> float:
    """F1 of two concept sets; 0 when they share nothing, two empty sets included (MedCAT arithmetic)."""
    shared = len(true & predicted)
    return 2 * shared / (len(true) + len(predicted)) if shared else 0.0


def aggregates(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The overall numbers of 2025 and 2026 from the six metrics (numbers, or arrays of values per image).

    NaN where one of them is missing.

    head2025 = mean(BERTScore, ROUGE-1, similarity): BLEURT is left out by the code of 2025.
    head2026 = mean of these and BLEURT. factuality = mean(UMLS F1, AlignScore). mean6 = mean of the
    six. aspects4 = mean(head2026, factuality), the other reading of the page.
    """
    bert, rouge, similarity, bleurt, umls, align = (metrics.get(name, float("nan")) for name in SIX)
    relevance, factuality = (bert + rouge + similarity + bleurt) / 4, (umls + align) / 2
    return {
        "head2025": (bert + rouge + similarity) / 3,
        "head2026": relevance,
        "factuality": factuality,
        "mean6": (bert + rouge + similarity + bleurt + umls + align) / 6,
        "aspects4": (relevance + factuality) / 2,
    }


SIX = ("BERTScore", "ROUGE-1", "similarity", "BLEURT", "UMLS F1", "AlignScore")
"""The six metrics of 2025."""
PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"head2025": SIX[:3], "head2026": SIX[:4], "factuality": SIX[4:], "mean6": SIX, "aspects4": SIX}
)
"""What each overall number is made of."""


_OR = "or its values per image (column {} of a scores file)."
NEEDS: Mapping[str, str] = MappingProxyType(
    {
        "BERTScore": f"Needs the model microsoft/deberta-xlarge-mnli, {_OR.format('BERTScore')}",
        "BERTScore recall": "Needs the model microsoft/deberta-xlarge-mnli, "
        + _OR.format("BERTScore recall"),
        "BLEURT": f"Needs the model lucadiliello/BLEURT-20-D12, {_OR.format('BLEURT')}",
        "AlignScore": f"Needs AlignScore-base.ckpt (yzha/AlignScore), {_OR.format('AlignScore')}",
        "similarity": "Needs MedImageInsight and the images, or image and caption embeddings, "
        + _OR.format("similarity"),
        "UMLS F1": "Needs a concept file of the true captions and one of the run's captions (imageclef "
        "extract makes them of the JSON of MedCAT or QuickUMLS), " + _OR.format("UMLS F1"),
    }
)
"""What to bring for a metric that cannot be computed from the captions alone."""


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
