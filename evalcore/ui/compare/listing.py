"""Which queries are on the list: search, filters and order. Pure: no page, no cache but the search text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.per_query.good import FIXED, MIDDLE
from evalcore.figures.numbers import number
from evalcore.stats.levels import difference
from evalcore.ui.frame import cache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.per_query.found import Found
    from evalcore.values.arrays import Bools, Floats, Ints, Offsets
    from evalcore.values.model import Study

ALL, A_WINS, B_WINS, BOTH_GOOD, BOTH_POOR, DIFFER, NO_CONCEPTS = (
    "All", "A wins", "B wins", "Both good", "Both poor", "Measures differ", "No findings",
)  # fmt: skip
FILTERS = (ALL, A_WINS, B_WINS, BOTH_GOOD, BOTH_POOR, DIFFER, NO_CONCEPTS)
BY_ID, BY_GAP, BY_SCORE = "By id", "Largest difference", "Lowest scores"
ORDERS = (BY_ID, BY_GAP, BY_SCORE)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two systems and, aligned with ``queries`` (image indices), their values; NaN where undefined.

    A result list counts as good from ``good_at`` on and as poor below ``poor_below`` (see `good.limits`).
    """

    a: str
    b: str
    queries: Ints
    values_a: Floats
    values_b: Floats
    good_at: float
    poor_below: float

    @property
    def deltas(self) -> Floats:
        return difference(self.values_a, self.values_b)


def limits_in_words(pair: Pair | Found, *, by: str, metric: str, of: str = "both systems") -> str:
    """What good and poor mean in the list, as sentences; ``of`` whose values they follow from."""
    good = f"“Good” means {number(pair.good_at)} or more"
    if by == FIXED:
        return f"“Good” means at least {pair.good_at:.0%} of the best possible score; “poor” means less."
    if by == MIDDLE:
        return f"{good}, the middle value of {of} under {metric}; “poor” means less."
    best = f"{good}, the best quarter of the values of {of} under {metric}"
    if pair.poor_below == pair.good_at:
        return f"{best}; “poor” means less, because most values are equal."
    return f"{best}; “poor” means {number(pair.poor_below)} or less, the poorest quarter."


def kept(pair: Pair, show: str, *, differ: Bools | None, sizes: Offsets) -> Bools:
    """Which queries a filter keeps, aligned with ``pair.queries``.

    ``differ`` is needed by "Measures differ" only; ``sizes`` are the numbers of concepts per image.
    Undefined values win nothing and are neither good nor poor.
    """
    a, b = pair.values_a, pair.values_b
    with np.errstate(invalid="ignore"):
        if show == A_WINS:
            return np.asarray(a > b)
        if show == B_WINS:
            return np.asarray(b > a)
        if show == BOTH_GOOD:
            return np.asarray((a >= pair.good_at) & (b >= pair.good_at))
        if show == BOTH_POOR:
            return np.asarray((a < pair.poor_below) & (b < pair.poor_below))
    if show == DIFFER:
        return np.zeros(len(pair.queries), bool) if differ is None else differ
    if show == NO_CONCEPTS:
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
    """Images whose id, caption, labels or concepts (CUI, name) contain every word of ``text``; all for none.

    A label is found by its value and as ``organ=chest``.
    """
    words = text.casefold().split()
    if not words:
        return np.ones(len(study.image_ids), bool)
    texts = cache.share(("search texts", study.content, study.image_ids[:1]), partial(_search_texts, study))
    return np.fromiter((all(word in text for word in words) for text in texts), bool, len(texts))


def _search_texts(study: Study) -> Sequence[str]:
    named = [f"{cui} {study.name_of(cui)}".casefold() for cui in study.concepts.vocabulary]
    columns = study.label_columns
    labels = {name: [f"{name}={value}".casefold() for value in one.values] for name, one in columns.items()}

    def of_image(i: int) -> Iterator[str]:
        yield study.image_ids[i].casefold()
        yield (study.caption_of(i) or "").casefold()
        for name, one in columns.items():
            yield from (labels[name][v] for v in one.indices[one.indptr[i] : one.indptr[i + 1]])
        yield from (named[c] for c in study.concepts.row(i))

    return ["\n".join(of_image(i)) for i in range(len(study.image_ids))]
