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
from evalcore.ui import cache, charts, findings, listing, messages, pair, state, tables
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
    messages.few([found.n_pairs])
    messages.unanswered(cache.scores(context.study, context.choice, [of.a, of.b]))
    found = replace(found, metric=context.choice.metric_shown)
    figure = win_tie_loss(found, theme=context.theme)
    charts.show(context, "win_tie_loss", figure, key="wins", alt=win_tie_loss_alt(found))
    messages.go_to("measures", label="Would another measure say the same?")


def figures(context: Context, of: Pair) -> None:
    """Difference per query, and both values per query; a click opens the query."""
    ids = [context.study.image_ids[q] for q in of.queries]
    metric, theme = context.choice.metric_shown, context.theme
    side_by_side = st.grid(2, min_column_width=charts.NARROWEST, gap="medium")
    with side_by_side.container():
        figure = delta_bars(ids, of.deltas, a=of.a, b=of.b, metric=metric, theme=theme)
        alt = delta_bars_alt(of.deltas, a=of.a, b=of.b, metric=metric)
        _open_clicked(
            charts.show(context, "delta_bars", figure, key="deltas", alt=alt, file="differences", clicks=True)
        )
    with side_by_side.container():
        both = of.values_a, of.values_b
        labels: dict[str, Any] = {"a": of.a, "b": of.b, "metric": metric, "good_at": of.good_at}
        figure = score_scatter(ids, *both, **labels, theme=theme)
        alt = score_scatter_alt(*both, **labels)
        _open_clicked(charts.show(context, "score_scatter", figure, key="scatter", alt=alt, clicks=True))


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
