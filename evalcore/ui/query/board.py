"""One query and what two systems returned for it, as cards, as many small images, or as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore.evaluate.seeds import about_lists
from evalcore.evaluate.wanted import metric_of
from evalcore.label_types import repeated_by
from evalcore.ui.components import cards, dense, results, tiles, worth
from evalcore.ui.components.text import md_escape
from evalcore.ui.query import table as results_table

if TYPE_CHECKING:
    from evalcore.ui.compare.listing import Pair
    from evalcore.ui.components.results import Result
    from evalcore.ui.frame.context import Context

    Found = tuple[list[Result], list[Result], tuple[int, int]]

CARDS, DENSE, TABLE = "Cards", "Dense", "Table"
LAYOUTS, WITHOUT_PICTURES = (CARDS, DENSE, TABLE), (CARDS, TABLE)


def draw(context: Context, of: Pair, query: int, *, layout: str, depth: int) -> None:
    """The query and the first ``depth`` results of both systems."""
    if layout != TABLE:
        under = " · Under each image: its rank, and whether it counts" if layout == DENSE else ""
        st.caption(f"{cards.legend(context)}{under} · {_marks(context)}")
    for line in about_lists(context.study, (of.a, of.b)):
        st.caption(f"{md_escape(line)} The score is the mean over all seeds.")
    found = _found(context, of, query, depth)
    at = int(np.flatnonzero(of.queries == query)[0])
    scores = float(of.values_a[at]), float(of.values_b[at])
    if layout == DENSE:
        shown = [cards.scored(score).replace("*", "") for score in scores]
        titles = f"A · {of.a} · {shown[0]}", f"B · {of.b} · {shown[1]}"
        dense.board(context, query, list(zip(titles, found[:2], strict=True)))
    elif layout == TABLE:
        left, right = st.columns([1, 4], gap="small")
        with left:
            _query(context, query)
        with right:
            results_table.show(context, query, (("A", of.a, found[0]), ("B", of.b, found[1])))
    else:
        _cards(context, of, query, found, scores)


def _marks(context: Context) -> str:
    """What the marks of the chosen measure mean."""
    choice = context.choice
    metric = metric_of(context.study, choice.metric, choice.settings)
    return worth.legend(metric, plain_words=choice.plain)


def _found(context: Context, of: Pair, query: int, depth: int) -> Found:
    choice = context.choice
    return results.side_by_side(
        context.study, query, of.a, of.b, depth=depth, settings=choice.settings, metric=choice.metric
    )


def _cards(context: Context, of: Pair, query: int, found: Found, scores: tuple[float, float]) -> None:
    """The query on the left, the two result lists beside it."""
    with st.container(key="board"):
        left, middle, right = st.columns([1.15, 2.1, 2.1], gap="small")
        with left:
            _query(context, query)
        of_a, of_b, returned = found
        with middle:
            cards.column(context, of.a, of_a, side="A", returned=returned[0], score=scores[0])
        with right:
            cards.column(context, of.b, of_b, side="B", returned=returned[1], score=scores[1])


def _query(context: Context, query: int) -> None:
    """The query image with its caption, concepts and labels."""
    study = context.study
    st.markdown("**Query**")
    with st.container(border=True, key="query", gap="xxsmall"):
        if study.images is not None:
            cards.picture(study, query)
        cards.words(study, query, technical=not context.choice.plain)
        if study.labels is not None:
            st.caption(_labels(context, query))


def make_ready(context: Context, of: Pair, query: int, *, layout: str, depth: int) -> None:
    """Make the tiles of a query while another is looked at; the arrow key then finds them done."""
    if context.study.images is None or layout == TABLE:
        return
    of_a, of_b, _ = _found(context, of, query, depth)
    size = dense.TILE if layout == DENSE else tiles.CARD
    tiles.tile(context.study, query)
    for result in (*of_a, *of_b):
        if result.image >= 0:
            tiles.tile(context.study, result.image, size=size, framed=result.shared and layout == CARDS)


def _labels(context: Context, query: int) -> str:
    assert context.study.labels is not None
    columns = context.study.labels.columns
    values = {name: column.of_image(query) for name, column in columns.items()}
    return " · ".join(
        f"{md_escape(name)}: {md_escape(', '.join(found), limit=60)}"
        for name, found in values.items()
        if found and ((single := repeated_by(name, values)) is None or found != values[single])
    )
