"""One query and what the systems returned for it, as cards, as many small images, or as tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

import pandas as pd
import streamlit as st

from evalcore.evaluate.systems import about_lists
from evalcore.evaluate.targets import metric_of
from evalcore.ui.components import cards, dense, download, results, table, tiles, viewer
from evalcore.ui.components import places as side
from evalcore.ui.components.places import Place, ask
from evalcore.ui.components.results import Result
from evalcore.ui.frame import pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.query import best_order
from evalcore.values.label_types import repeated_by
from evalcore.values.markdown import md_escape, plain
from evalcore.values.writing import number, pluralize

Lists = Sequence[tuple[str, str, Sequence[Result]]]
"""(side, system, its results) of A, B and so on."""

# The result lists as tables a screen reader can read, and as one file.

OF_TWO = "Rank in the other system"


def show(context: Context, query: int, lists: Lists) -> None:
    """One table per system, the question Why?, and the file of all."""
    for letter, system, found in lists:
        st.markdown(f"**{letter} · {md_escape(system)}**")
        if found:
            with st.container(key=f"results-of-{letter}"):
                table.wrapped(
                    _table(context, found, _against(lists, letter)),
                    alt=f"{pluralize(len(found), 'result')} of system {letter} with their scores",
                )
        else:
            st.caption("This system returned nothing for this query.")
    ask, save = st.columns([3, 1], vertical_alignment="bottom")
    known = {
        r.image: f"{letter} {r.rank}" for letter, _, found in reversed(lists) for r in found if r.image >= 0
    }
    ids = context.study.image_ids
    asked = {ids[image]: f"{place} · {plain(ids[image], limit=60)}" for image, place in known.items()}
    ask.selectbox(
        "Why does a result count?",
        list(asked),
        index=None,
        placeholder="Select a result",
        key=pages.ASK_WHY,
        format_func=lambda image: asked.get(image, image),
        on_change=_why,
    )
    with save:
        download.file(
            "CSV",
            lambda: download.csv_safe(table.scored(context, evidence(context, query, lists))),
            f"results-{download.safe_file(ids[query])}-{context.study.digest[:8]}.csv",
            "text/csv",
            key="results-csv",
            width="stretch",
        )


def _why() -> None:
    """Callback: open the drawer about the chosen result, and be ready to be asked about the same again."""
    chosen = state.get(pages.ASK_WHY)
    if chosen:
        ask(str(chosen), "")
        state.drop(pages.ASK_WHY)


def _against(lists: Lists, side: str) -> str:
    """The heading of the ranks in the list that results of this side are held against; "" for none."""
    if len(lists) == 2:
        return OF_TWO
    return "" if side == lists[0][0] else f"Rank in {lists[0][0]} · {md_escape(lists[0][1], limit=30)}"


def _table(context: Context, found: Sequence[Result], against: str) -> pd.DataFrame:
    study = context.study
    rows = []
    for result in found:
        known = result.image >= 0
        own = cards.score_rows(context, result)
        scores = {md_escape(label): number(value) for label, value in own}
        rows.append(
            {
                "Rank": str(result.rank),
                "Image": md_escape(study.image_ids[result.image], limit=60) if known else "unknown image",
                **({"Counts": md_escape(result.mark.words)} if result.mark else {}),
                **({against: "–" if result.elsewhere is None else str(result.elsewhere)} if against else {}),
                **({} if against == OF_TWO else {"Also in": pluralize(result.also_in, "other list")}),
                **scores,
                "Concepts": _names(context, result.image) if known else "",
            }
        )
    return pd.DataFrame(rows)


def _names(context: Context, image: int) -> str:
    study = context.study
    names = sorted(study.name_of(cui) for cui in study.concepts.of_image(image))
    return md_escape(", ".join(names), limit=160)


def evidence(context: Context, query: int, lists: Lists) -> pd.DataFrame:
    """Every result of all systems with every score, full precision; one row per result.

    ``place_in_other_list``: of two systems in that of the other, of more in that of the first.
    """
    ids = context.study.image_ids
    return pd.DataFrame(
        [
            {
                "query": ids[query],
                "system": system,
                "place": r.rank,
                "image": ids[r.image] if r.image >= 0 else "",
                "place_in_other_list": r.elsewhere,
                "in_other_lists": r.also_in,
                "iou": r.iou,
                "nn_iou": r.nn_iou,
                "cosine": r.cosine,
                "metric": r.mark.metric if r.mark else None,
                "gain_of_result": r.mark.gain if r.mark else None,
                "counted": r.mark.counted if r.mark else None,
            }
            for _, system, found in lists
            for r in found
        ]
    )


CARDS, DENSE, TABLE = "Cards", "Dense", "Table"
LAYOUTS, WITHOUT_PICTURES = (CARDS, DENSE, TABLE), (CARDS, TABLE)
CAPTION = 320
"""Characters of the query's caption at first."""
NARROWEST = 132
"""Pixels of a list where more than two stand side by side; on narrower screens they wrap."""


class Listed(NamedTuple):
    """What one system returned: its letter and name, the results looked at, how many in all, its score."""

    side: str
    system: str
    results: list[Result]
    returned: int
    score: float

    @property
    def name(self) -> str:
        return f"{self.side} · {self.system}"


def draw(context: Context, systems: Sequence[str], query: int, *, layout: str, depth: int) -> list[Place]:
    """The query and the first ``depth`` results of every system, whose places are returned."""
    found, few = _found(context, systems, query, depth), side.how_many(context, systems)
    closest = best_order.closest(context, query)
    shown = [result for one in found for result in one.results]
    warning = cards.of_lists(context.study, query, shown, closest=best_order.reachable(context, query))
    if layout != TABLE:
        under = " · Under each image: its rank, and whether it counts" if layout == DENSE else ""
        explained = cards.legend(context, [one.system for one in found], against=found[0].name)
        legend = " · ".join(filter(None, (closest, few, f"{explained}{under}", _marks(context))))
        # A paragraph of its own: it says how far the scores below can be trusted.
        legend = "\n\n".join(filter(None, (f":material/info: {warning}." if warning else "", legend)))
        with st.container(key="legend-above"):
            st.caption(legend)
    elif few or closest or warning:
        st.caption(f"{' · '.join(filter(None, (closest, warning, few)))}.")
    for line in about_lists(context.study, systems):
        st.caption(f"{md_escape(line)} The score is the mean over all seeds.")
    with st.container(key=viewer.RESULTS):
        _board(context, query, found, layout=layout)
    if layout != TABLE:
        with st.container(key="legend-below"):  # on narrow screens: the images come first
            st.caption(legend)
    return [Place(one.side, one.system, r.rank, r.image) for one in found for r in one.results]


def _board(context: Context, query: int, listed: Sequence[Listed], *, layout: str) -> None:
    """What was found, in the layout chosen."""
    if layout == DENSE:
        titles = [
            f"{listed.name} · {best_order.scored(context, listed.score).replace('*', '')}"
            for listed in listed
        ]
        lists = [(listed.system, title, listed.results) for listed, title in zip(listed, titles, strict=True)]
        dense.board(context, query, lists)
    elif layout == TABLE:
        left, right = st.columns([1, 4], gap="small")
        with left:
            _query(context, query)
        with right:
            show(context, query, [(listed.side, listed.system, listed.results) for listed in listed])
    else:
        _cards(context, query, listed)


def _marks(context: Context) -> str:
    """What the marks of the chosen measure mean."""
    choice = context.choice
    metric = metric_of(context.study, choice.metric, choice.settings)
    return results.legend(metric, plain_words=choice.plain)


def _lists(
    context: Context, systems: Sequence[str], query: int, depth: int
) -> list[tuple[list[Result], int]]:
    choice = context.choice
    return results.side_by_side(
        context.study, query, systems, depth=depth, settings=choice.settings, metric=choice.metric
    )


def _found(context: Context, systems: Sequence[str], query: int, depth: int) -> list[Listed]:
    lists = _lists(context, systems, query, depth)
    scores = side.scores_at(context, systems, query)
    return [
        Listed(letter, name, rows, returned, score)
        for letter, name, (rows, returned), score in zip(side.LETTERS, systems, lists, scores, strict=False)
    ]


def _cards(context: Context, query: int, listed: Sequence[Listed]) -> None:
    """The query on the left, the result lists beside it; where they are many, all in one grid that wraps."""
    with st.container(key="board"):
        if len(listed) == 2:
            places = st.columns([1.15, 2.1, 2.1], gap="small")
        else:
            grid = st.grid(1 + len(listed), min_column_width=NARROWEST, gap="small")
            places = [grid.container() for _ in range(1 + len(listed))]
        with places[0]:
            _query(context, query)
        for place, one in zip(places[1:], listed, strict=True):
            with place:
                cards.column(
                    context,
                    one.system,
                    query,
                    one.results,
                    side=one.side,
                    returned=one.returned,
                    scored=best_order.scored(context, one.score),
                    narrow=len(listed) > 2,
                    counts=not isnan(one.score),
                )


def _query(context: Context, query: int) -> None:
    """The query image with its caption, concepts and labels."""
    study = context.study
    st.markdown("**Query**")
    with st.container(border=True, key="query", gap="xxsmall"):
        cards.picture(study, query)
        cards.words(study, query, caption=CAPTION, key="query", technical=not context.choice.plain)
        if study.labels is not None:
            st.caption(_labels(context, query))


def make_ready(context: Context, systems: Sequence[str], query: int, *, layout: str, depth: int) -> None:
    """Make the tiles of a query while another is looked at; the arrow key then finds them done."""
    if context.study.images is None or layout == TABLE:
        return
    size = dense.TILE if layout == DENSE else tiles.CARD
    tiles.tile(context.study, query)
    for found, _ in _lists(context, systems, query, depth):
        for result in found:
            if result.image >= 0:
                tiles.tile(context.study, result.image, size=size, framed=result.shared and layout == CARDS)


def _labels(context: Context, query: int) -> str:
    values = {name: column.of_image(query) for name, column in context.study.label_columns.items()}
    return " · ".join(
        f"{md_escape(name)}: {md_escape(', '.join(value), limit=60)}"
        for name, value in values.items()
        if value and ((single := repeated_by(name, values)) is None or value != values[single])
    )
