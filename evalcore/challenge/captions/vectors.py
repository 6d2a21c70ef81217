"""The arithmetic of the metrics that need a model, without the model.

What the models give (token vectors, entailment probabilities, embeddings, concepts) goes in; the
numbers that the official scripts make of it come out.
"""

from __future__ import annotations

from collections import Counter
from math import log
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.stats.sums import column_sums, sum_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence, Set

    from evalcore.model import Floats

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


def align_score(entailment: Floats) -> float:
    """Mean over claim sentences of the best entailment probability among the context's chunks.

    ``entailment`` shape (chunks, sentences). Zha et al. 2023 (AlignScore), mode nli_sp. 0 when empty.
    """
    return float(entailment.max(axis=0).mean()) if entailment.size else 0.0


def clip_score(cosines: Floats) -> Floats:
    """2.5 · max(cos(image, caption), 0) (Hessel et al. 2021); also the similarity of 2025."""
    return np.asarray(SCALE * np.maximum(cosines, 0.0), float)


def ref_clip_score(image_cosines: Floats, reference_cosines: Floats) -> Floats:
    """Harmonic mean of CLIPScore and the best cosine with a reference (at least 0); 0 when both are 0."""
    a, b = clip_score(image_cosines), np.maximum(reference_cosines, 0.0)
    return np.asarray(np.divide(2 * a * b, a + b, out=np.zeros_like(a), where=a + b > 0), float)


def cosines_of_rows(images: Floats, texts: Floats) -> Floats:
    """Cosine of aligned rows; NaN where a vector is zero."""
    norms = np.linalg.norm(images, axis=1) * np.linalg.norm(texts, axis=1)
    product = column_sums((images * texts).T)
    return np.asarray(np.divide(product, norms, out=np.full(len(norms), np.nan), where=norms > 0), float)


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
        "head2025": (bert + rouge + similarity) / 3, "head2026": relevance, "factuality": factuality,
        "mean6": (bert + rouge + similarity + bleurt + umls + align) / 6,
        "aspects4": (relevance + factuality) / 2,
    }  # fmt: skip


SIX = ("BERTScore", "ROUGE-1", "similarity", "BLEURT", "UMLS F1", "AlignScore")
"""The six metrics of 2025."""
PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "head2025": SIX[:3], "head2026": SIX[:4], "factuality": SIX[4:], "mean6": SIX, "aspects4": SIX,
})  # fmt: skip
"""What each overall number is made of."""


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
