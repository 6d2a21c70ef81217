"""Two systems side by side: which ones, and their value for every query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from evalcore.evaluate.per_query import GOOD_AT, PerQuery
from evalcore.evaluate.summary import leading
from evalcore.ranking.metrics import lower_is_better
from evalcore.stats.levels import difference
from evalcore.ui.components import select
from evalcore.ui.frame import cache, measures, pages, state
from evalcore.ui.frame.choices import systems_on_offer
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import Bools, Floats, Ints, Offsets
from evalcore.values.model import Scores, Study
from evalcore.values.writing import number

# Which queries are on the list: search, filters and order. Pure: no page, no cache but the search text.

ALL, A_WINS, B_WINS, BOTH_GOOD, BOTH_POOR, DIFFER, NO_CONCEPTS = (
    "All",
    "A wins",
    "B wins",
    "Both good",
    "Both poor",
    "Measures differ",
    "No concepts",
)
FILTERS = (ALL, A_WINS, B_WINS, BOTH_GOOD, BOTH_POOR, DIFFER, NO_CONCEPTS)
BY_ID, BY_GAP, BY_SCORE = "By id", "Largest difference", "Lowest scores"
ORDERS = (BY_ID, BY_GAP, BY_SCORE)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two systems and, aligned with ``queries`` (image indices), their values; NaN where undefined.

    A result list counts as good from ``good_at`` on, else as poor.
    """

    a: str
    b: str
    queries: Ints
    values_a: Floats
    values_b: Floats
    good_at: float
    lower_is_better: bool = False

    @property
    def deltas(self) -> Floats:
        return difference(self.values_a, self.values_b)


def describe_direction(measure: Pair | PerQuery) -> str:
    """What good and poor mean, as a sentence."""
    if measure.lower_is_better if isinstance(measure, Pair) else measure.sign < 0:
        return f"“Good” means rank {number(measure.good_at)} or better; “poor” means worse."
    return f"“Good” means at least {measure.good_at:.0%} of the best possible score; “poor” means less."


def ordered(pair: Pair, chosen: Offsets, order: str) -> Offsets:
    """Positions ``chosen`` of the pair's queries in the asked order; ties by id, undefined last."""
    if order == BY_GAP:
        rank = -np.abs(pair.deltas[chosen])
    elif order == BY_SCORE:
        rank = pair.values_a[chosen] + pair.values_b[chosen]
        rank = -rank if pair.lower_is_better else rank
    else:
        return chosen
    return chosen[np.argsort(rank, kind="stable")]


def matching_queries(study: Study, text: str) -> Bools:
    """Images whose id, caption, labels or concepts (CUI, name) contain every word of ``text``; all for none.

    A label is found by its value and as ``organ=chest``.
    """
    words = text.casefold().split()
    if not words:
        return np.ones(len(study.image_ids), bool)
    texts = cache.cached(("search texts", study.content, study.image_ids[:1]), partial(_search_texts, study))
    return np.fromiter((all(word in text for word in words) for text in texts), bool, len(texts))


def _search_texts(study: Study) -> Sequence[str]:
    named = [f"{cui} {study.name_of(cui)}".casefold() for cui in study.concepts.vocabulary]
    columns = study.labels
    labels = {
        name: [f"{name}={value}".casefold() for value in column.values] for name, column in columns.items()
    }

    def of_image(i: int) -> Iterator[str]:
        yield study.image_ids[i].casefold()
        yield (study.caption_of(i) or "").casefold()
        for name, column in columns.items():
            yield from (labels[name][v] for v in column.indices[column.indptr[i] : column.indptr[i + 1]])
        yield from (named[c] for c in study.concepts.row(i))

    return ["\n".join(of_image(i)) for i in range(len(study.image_ids))]


def choose(context: Context, **look: Any) -> tuple[str, str]:
    """The pickers of A and B with a swap button between, for a horizontal row. At first the best two."""
    offered = systems_on_offer(context.study)
    ranked = leading(cache.analysis(context.study, context.choice).means_of())
    first = (*ranked, *(name for name in offered if name not in ranked))
    a = select.selectbox("System A", offered, param=pages.SYSTEM_A, first=first[0], **look)
    st.button("Swap", key="swap", icon=":material/swap_horiz:", help="Swap A and B", on_click=_swap)
    second = first[min(1, len(first) - 1)]
    b = select.selectbox("System B", offered, param=pages.SYSTEM_B, first=second, **look)
    return a, b


def _swap() -> None:
    a, b = state.get(pages.SYSTEM_A), state.get(pages.SYSTEM_B)
    state.set_value(pages.SYSTEM_A, b)
    state.set_value(pages.SYSTEM_B, a)


def values(context: Context, a: str, b: str) -> Pair:
    """The values of both systems under the sidebar's measure, for every query of the study."""
    result = cache.scores(context.study, context.choice, [a, b])
    return _aligned(context, a, b, *result)


def _aligned(context: Context, a: str, b: str, of_a: Scores, of_b: Scores) -> Pair:
    queries, lower = context.study.queries, lower_is_better(of_a.metric)
    limit = 1 / GOOD_AT if lower else GOOD_AT
    return Pair(a, b, queries, at(of_a, queries), at(of_b, queries), limit, lower)


def at(scores: Scores, queries: Ints) -> Floats:
    """Values aligned with ``queries``; NaN for those the scores do not hold."""
    result, known = np.full(len(queries), np.nan), np.isin(queries, scores.queries)
    result[known] = scores.values[np.searchsorted(scores.queries, queries[known])]
    return result


def filtered(context: Context, chosen: Pair) -> Bools:
    """The filter buttons; which queries they keep, aligned with ``chosen.queries``.

    Undefined values win nothing and are neither good nor poor. Without related concepts no measures differ.
    """
    study, sign = context.study, -1 if chosen.lower_is_better else 1
    words = {A_WINS: f"{chosen.a} better", B_WINS: f"{chosen.b} better"}
    offered = {name: words.get(name, name) for name in FILTERS if name != DIFFER or study.knows_neighbours}
    show = select.segments("Show", offered, param=pages.SHOW, label_visibility="collapsed")
    if show == NO_CONCEPTS:
        return np.asarray(study.concepts.sizes[chosen.queries] == 0)
    if show == DIFFER:
        return measures_differ(context, chosen.a, chosen.b)
    a, b, good = sign * chosen.values_a, sign * chosen.values_b, sign * chosen.good_at
    with np.errstate(invalid="ignore"):
        kept = {
            ALL: np.ones(len(a), bool),
            A_WINS: a > b,
            B_WINS: b > a,
            BOTH_GOOD: (a >= good) & (b >= good),
            BOTH_POOR: (a < good) & (b < good),
        }
    return np.asarray(kept[show])


def measures_differ(context: Context, a: str, b: str) -> Bools:
    """Queries on which the winner changes when related concepts count beside identical ones."""
    study, choice = context.study, context.choice
    same = cache.scores(study, choice, [a, b], measure=measures.SAME_FIRST)
    related = cache.scores(study, choice, [a, b], measure=measures.RELATED_FIRST)
    strict = _aligned(context, a, b, *same).deltas
    loose = _aligned(context, a, b, *related).deltas
    with np.errstate(invalid="ignore"):
        return np.asarray(strict * loose < 0)
