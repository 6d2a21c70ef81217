"""Which queries are on the list: search, filters and order. Pure: no page, no cache but the search text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.ui.shared import shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.model import Bools, Offsets, Study
    from evalcore.ui.pair import Pair

ALL, A_WINS, B_WINS, BOTH_GOOD, BOTH_POOR, DIFFER, NO_FINDINGS = (
    "All", "A wins", "B wins", "Both good", "Both poor", "Measures differ", "No findings",
)  # fmt: skip
FILTERS = (ALL, A_WINS, B_WINS, BOTH_GOOD, BOTH_POOR, DIFFER, NO_FINDINGS)
BY_ID, BY_GAP, BY_SCORE = "By id", "Largest difference", "Lowest scores"
ORDERS = (BY_ID, BY_GAP, BY_SCORE)


def kept(pair: Pair, show: str, *, differ: Bools | None, sizes: Offsets) -> Bools:
    """Which queries a filter keeps, aligned with ``pair.queries``.

    ``differ`` is needed by "Measures differ" only; ``sizes`` are the numbers of concepts per image.
    Undefined values win nothing and are neither good nor poor.
    """
    a, b, cut = pair.values_a, pair.values_b, pair.good_at
    with np.errstate(invalid="ignore"):
        if show == A_WINS:
            return np.asarray(a > b)
        if show == B_WINS:
            return np.asarray(b > a)
        if show == BOTH_GOOD:
            return np.asarray((a >= cut) & (b >= cut))
        if show == BOTH_POOR:
            return np.asarray((a < cut) & (b < cut))
    if show == DIFFER:
        return np.zeros(len(pair.queries), bool) if differ is None else differ
    if show == NO_FINDINGS:
        return np.asarray(sizes[pair.queries] == 0)
    return np.ones(len(pair.queries), bool)


def ordered(pair: Pair, chosen: Offsets, order: str) -> Offsets:
    """Positions ``chosen`` of the pair's queries in the asked order; ties by id, undefined last."""
    if order == BY_GAP:
        rank = -np.abs(pair.deltas[chosen])
    elif order == BY_SCORE:
        rank = pair.values_a[chosen] + pair.values_b[chosen]
    else:
        return chosen
    return chosen[np.argsort(rank, kind="stable")]


def found(study: Study, text: str) -> Bools:
    """Images whose id, caption or concepts (CUI or name) contain every word of ``text``; all for none."""
    words = text.casefold().split()
    if not words:
        return np.ones(len(study.image_ids), bool)
    texts = _search_texts(study.digest, study)
    return np.fromiter((all(word in text for word in words) for text in texts), bool, len(texts))


@shared()
def _search_texts(digest: str, _study: Study) -> Sequence[str]:  # noqa: ARG001
    named = [f"{cui} {_study.name_of(cui)}".casefold() for cui in _study.concepts.vocabulary]
    captions = _study.captions.texts if _study.captions else (None,) * len(_study.image_ids)
    return [
        "\n".join([image.casefold(), (caption or "").casefold(), *(named[c] for c in _study.concepts.row(i))])
        for i, (image, caption) in enumerate(zip(_study.image_ids, captions, strict=True))
    ]
