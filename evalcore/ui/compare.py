"""The parts of the compare page: the estimate, the two clickable figures, the table of queries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.figures.compare import (
    delta_bars,
    delta_bars_alt,
    score_scatter,
    score_scatter_alt,
    win_tie_loss,
    win_tie_loss_alt,
)
from evalcore.figures.frame import modebar
from evalcore.figures.reading import how_to_read
from evalcore.ui import cache, findings, listing, messages, pair, state, tables
from evalcore.ui.format import count, number, things
from evalcore.ui.pages import page_info
from evalcore.ui.text import md_escape, plain

if TYPE_CHECKING:
    from evalcore.model import Ints, Offsets
    from evalcore.ui.context import Context
    from evalcore.ui.pair import Pair

ROWS_SHOWN = 1000


def pickers(context: Context) -> Pair:
    """A, swap, B; and the values of both."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        a, b = pair.choose(context, width="stretch")
    return pair.values(context, a, b)


def estimate(context: Context, of: Pair) -> None:
    """The finding in words, and how often each wins."""
    if of.a == of.b:
        st.info("A and B are the same system: choose two different ones to compare.", icon=":material/info:")
        st.stop()
    found = cache.comparison(context.study, context.choice, of.a, of.b)
    messages.lead(findings.estimate(found, context.choice))
    messages.unanswered(cache.scores(context.study, context.choice, [of.a, of.b]))
    found = replace(found, metric=context.choice.metric_shown)
    st.plotly_chart(
        win_tie_loss(found, theme=context.theme), theme=None, key="wins", config=modebar("cuiscope-wins"),
        alt=win_tie_loss_alt(found),
    )  # fmt: skip


def figures(context: Context, of: Pair) -> None:
    """Difference per query, and both values per query; a click opens the query."""
    ids = [context.study.image_ids[q] for q in of.queries]
    metric, theme = context.choice.metric_shown, context.theme
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        clicked = st.plotly_chart(
            delta_bars(ids, of.deltas, a=of.a, b=of.b, metric=metric, theme=theme),
            theme=None, key="deltas", on_select="rerun", selection_mode="points",
            config=modebar("cuiscope-differences"),
            alt=delta_bars_alt(of.deltas, a=of.a, b=of.b, metric=metric),
        )  # fmt: skip
        messages.how_to_read(how_to_read("delta_bars", context.reading))
        _open_clicked(clicked)
    with right:
        clicked = st.plotly_chart(
            score_scatter(
                ids, of.values_a, of.values_b, a=of.a, b=of.b, metric=metric, good_at=of.good_at, theme=theme
            ),
            theme=None, key="scatter", on_select="rerun", selection_mode="points",
            config=modebar("cuiscope-scatter"),
            alt=score_scatter_alt(
                of.values_a, of.values_b, a=of.a, b=of.b, metric=metric, good_at=of.good_at
            ),
        )  # fmt: skip
        messages.how_to_read(how_to_read("score_scatter", context.reading))
        _open_clicked(clicked)


def _open_clicked(clicked: Any) -> None:
    """Go to the query of a clicked mark: by the id it carries, never by its position."""
    for point in clicked["selection"]["points"]:
        told = point.get("customdata")
        image = told[0] if isinstance(told, (list, tuple)) else told
        if image:
            _open(str(image))


def _open(image: str) -> None:
    state.set_value(state.QUERY, image)
    st.switch_page(page_info("query").file, query_params=state.link_params(**{state.QUERY: image}))


def queries(context: Context, of: Pair) -> None:
    """The queries behind the figures, filtered; a chosen row opens the query."""
    st.subheader("Queries", anchor=False)
    keep = pair.kept(context, of)
    chosen = listing.ordered(of, np.flatnonzero(keep), listing.BY_GAP)
    st.caption(_told(of, len(chosen), context))
    if not len(chosen):
        st.info("No query is like that.", icon=":material/search_off:")
        return
    _table(context, of, chosen)


def _told(of: Pair, n: int, context: Context) -> str:
    return (
        f"{things(n, 'query', 'queries')}, largest difference first. Choose a row to open it. “Good” means "
        f"{number(of.good_at)} or more, the middle value of both systems under "
        f"{md_escape(context.choice.metric_shown)}."
    )


def _table(context: Context, of: Pair, chosen: Offsets) -> None:
    study = context.study
    table = pd.DataFrame(
        {
            "Query": [plain(study.image_ids[q]) for q in of.queries[chosen]],
            f"A {plain(of.a)} ↑": of.values_a[chosen],
            f"B {plain(of.b)} ↑": of.values_b[chosen],
            "A − B": of.deltas[chosen],
            "Findings": study.concepts.sizes[of.queries[chosen]],
            "Caption": _captions(context, of.queries[chosen][:ROWS_SHOWN], len(chosen)),
        }
    )
    score = st.column_config.NumberColumn(format="%.3f")
    picked = st.dataframe(
        table.head(ROWS_SHOWN), hide_index=True, key="query-table", on_select="rerun",
        selection_mode="single-row", height=420,
        alt=f"Table of {things(len(table), 'query', 'queries')} with both scores",
        column_config={
            **dict.fromkeys(table.columns[1:3], score),
            "A − B": st.column_config.NumberColumn(format="%+.3f"),
            "Caption": st.column_config.TextColumn(width="large"),
        },
    )  # fmt: skip
    rows = picked["selection"]["rows"]
    if rows:
        _open(study.image_ids[int(of.queries[chosen[rows[0]]])])
    note, save = st.columns([4, 1], vertical_alignment="center")
    if len(table) > ROWS_SHOWN:
        note.caption(f"The first {count(ROWS_SHOWN)} of {count(len(table))} are shown; the file holds all.")
    save.download_button(
        "CSV", tables.csv_safe(table.drop(columns="Caption")), f"queries-{study.digest[:8]}.csv", "text/csv",
        icon=":material/download:", on_click="ignore", width="stretch",
    )  # fmt: skip


def _captions(context: Context, images: Ints, n: int) -> list[str]:
    captions = context.study.captions
    shown = [plain((captions.texts[q] if captions else None) or "", limit=120) for q in images]
    return shown + [""] * (n - len(shown))
