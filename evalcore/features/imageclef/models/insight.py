"""Image-caption similarity by MedImageInsight, as the package of its authors computes the vectors."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evalcore.features.imageclef.captions.vectors import NEEDS, similarity
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.models.scorers import Pairs, Scorer
from evalcore.study.trained_models import load_medimageinsight
from evalcore.values.arrays import Floats
from evalcore.values.progress import Progress

Pictures = Callable[[int], bytes | None]

_BATCH = 16


def load_insight(folder: str, *, edition: Edition, pictures: Pictures, device: str = "cpu") -> Scorer:
    """Image-caption similarity, 2.5 · max(cos(image, caption), 0), of raw captions.

    Parameters
    ----------
    folder : a clone of lion-ai/MedImageInsights with its weights.
    edition : whose rule for empty captions applies (see ``models.similarity``).
    pictures : the bytes of the picture of the i-th pair, None when there is none: its value is NaN.

    A picture or caption that the model cannot encode counts as a similarity of 1, as in the script of 2025.

    Raises
    ------
    InputError
        The folder is not what it should be, or packages its code needs are missing.
    """
    model = load_medimageinsight(folder, device=device, remedy=NEEDS["similarity"])

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        return {"similarity": _similarities(model, pairs, pictures, edition, progress)}

    return score


def _similarities(
    model: Any, pairs: Pairs, pictures: Pictures, edition: Edition, progress: Progress
) -> Floats:
    images: list[Floats | None] = []
    texts: list[Floats | None] = []
    for first in range(0, len(pairs), _BATCH):
        progress(first / len(pairs), "image-caption similarity")
        for i in range(first, min(first + _BATCH, len(pairs))):
            picture = pictures(i)
            encoded = None if picture is None else b64encode(picture).decode()
            images.append(None if encoded is None else _encode(model, "image", images=[encoded]))
            texts.append(_encode(model, "text", texts=[pairs[i][1]]))
    width = next((len(v) for v in (*images, *texts) if v is not None and len(v)), 1)
    return similarity(_stacked(images, width), _stacked(texts, width), pairs, edition=edition)


def _encode(model: Any, kind: str, **given: Any) -> Floats:
    """One vector; an empty one when the model cannot encode what it is given."""
    try:
        return np.asarray(model.encode(**given)[f"{kind}_embeddings"][0], float)
    except (ValueError, OSError, RuntimeError, IndexError, TypeError):
        return np.zeros(0)


def _stacked(vectors: Sequence[Floats | None], width: int) -> Floats:
    """Rows of one width: NaN for a picture that is not there, zeros for what could not be encoded."""
    rows = np.zeros((len(vectors), width))
    for i, vector in enumerate(vectors):
        if vector is None:
            rows[i] = np.nan
        elif len(vector):
            rows[i] = vector
    return rows
