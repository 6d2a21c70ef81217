"""A table on a page, in one call: what is shown, the line under it, its file, and the row that is chosen.

`results_table` draws rows by the declaration of their columns, `wrapped` sentences in its
cells, `caption_and_download` the line and the file alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeAlias

import pandas as pd
import streamlit as st

from evalcore.results.method import of_metric, of_settings, of_study
from evalcore.results.rows import Column, Table
from evalcore.results.writers import all_numbers
from evalcore.ui.components import download
from evalcore.ui.frame.context import Context

Saved: TypeAlias = pd.DataFrame | Callable[[], pd.DataFrame]
Facts: TypeAlias = Callable[[Context], dict[str, object]]
"""What every row of a file contains beside its own values."""

ROWS_SHOWN = 20_000
"""More rows slow the browser down, and a column is sorted there: by the rows it has. The file holds all."""
NAME_LETTER, NAME_EDGES, MOST_OF_NAMES = 7, 24, 260
"""Pixels of a letter in a cell, of the edges of a column of names, and of such a column at most."""
ROW_HEIGHT, USUAL_HEIGHT, SCREEN = 35, 400, 800
"""Pixels of a row, and the most of a table, as Streamlit draws it; the head is one. And of a page that has
room for wide tables."""


def results_table(
    context: Context,
    rows: Table,
    *,
    key: str,
    alt: str,
    file: str = "",
    stem: str = "",
    note: str = "",
    columns: Mapping[str, Any] | None = None,
    choose: bool = False,
    saved: Table | None = None,
    about: Facts | None = None,
    **look: Any,
) -> int | None:
    """Draw rows by their declaration (`results.rows`): what it shows on pages, and all of it in the file.

    Return the position of the row that is chosen, if any.

    ``file``: as the study's own (`Context.stem`) without it, none where left out, ``stem`` the whole name
    of a file that is not about the study and so holds the rows alone; ``saved``: what it holds,
    where that is not ``rows``; ``about``: what is added to every row, by default the settings.
    ``note``: Markdown beside the file, for example the method; what is not shown is added to it.
    ``columns``: how columns look that need more than a form. ``choose``: whether a row can be; columns can be
    sorted, the position is that in ``rows``. A ``height`` in pixels is the most that it takes: a few rows
    take their own.
    """
    cells = rows.on_page(plain=context.choice.plain)
    written = {
        column.title: _look(column, cells[column.title]) for column in rows.columns if column.title in cells
    }
    look = {"height": USUAL_HEIGHT, "placeholder": "–", **look}  # its room is kept while it is not there yet
    n, most = len(rows.rows), look["height"]
    if isinstance(most, int) and ROW_HEIGHT * (n + 1) < most:
        look["height"] = "content"
    if choose:
        look |= {"on_select": "rerun", "selection_mode": "single-row"}
    shown = pd.DataFrame(cells).head(ROWS_SHOWN)
    look |= {"column_config": written | dict(columns or {})}
    picked: Any = st.dataframe(shown, hide_index=True, key=key, alt=alt, **look)
    if file or stem:
        if n > ROWS_SHOWN:
            some = f"The first {ROWS_SHOWN:,} of {n:,} are shown and sorted; the file contains all."
            note = f"{note} {some}".strip()
        alone: Facts = (lambda _: {}) if stem else with_settings
        held = partial(in_file, context, saved or rows, about or alone)
        caption_and_download(note, held, stem or context.stem(file))
    chosen = [row for row in picked["selection"]["rows"] if row < n] if choose else []
    return int(chosen[0]) if chosen else None


def _look(column: Column, cells: Sequence[object]) -> Any:
    """How a declared column looks: numbers in their form and to the right, its meaning beside its title."""
    if column.form:
        return st.column_config.NumberColumn(format=column.form, help=column.help or None)
    right = all_numbers(cells[:ROWS_SHOWN])
    return st.column_config.Column(help=column.help or None, alignment="right" if right else None)


def names(context: Context, column: str, texts: Sequence[str] = ()) -> dict[str, Any]:
    """A column of names, for ``columns``: pinned only where a narrow screen scrolls the table, because
    Streamlit draws pinned columns in grey.

    ``texts``: its cells, where the other columns must leave room for them on a wide screen.
    """
    narrow = context.theme.width < SCREEN
    longest = max(map(len, texts), default=0)
    width = None if narrow or not longest else min(MOST_OF_NAMES, NAME_EDGES + NAME_LETTER * longest)
    return {column: st.column_config.TextColumn(pinned=narrow, width=width)}


def caption_and_download(note: str, saved: Saved, file: str) -> None:
    """A line of Markdown, for example the method, and a table as a file next to it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"beside-{file}"):
        if note:
            st.caption(note, width="stretch")
        download.csv(saved, file)


def wrapped(table: pd.DataFrame, *, alt: str, cards: str = "", **look: Any) -> None:
    """Draw a small table: every cell is Markdown and shows all of its words.

    ``cards``: a key; the rows are sentences, which a narrow screen shows as cards without the head. Other
    tables can be scrolled there.
    """
    with st.container(key=f"cards-{cards}") if cards else nullcontext():
        st.table(table, border="horizontal", hide_index=True, alt=alt, **look)


# What a file takes along: beside its rows everything that decides their numbers.


def with_settings(context: Context) -> dict[str, object]:
    """Of rows that name their measure themselves, or have none: every setting, the filter and the study."""
    choice = context.choice
    return of_settings(context.study, choice.settings, queries=choice.chosen.queries)


def scored(context: Context) -> dict[str, object]:
    """Of rows about the sidebar's measure: metric, k, every setting, the filter and the study."""
    return {**of_metric(context.choice.metric), **with_settings(context)}


def studied(context: Context) -> dict[str, object]:
    """Of rows about the images, the graph or the concepts: the steps of the graph, and the study."""
    s = context.choice.settings
    return {"threshold": s.threshold, "direction": s.direction, **of_study(context.study)}


def in_file(context: Context, rows: Table, about: Facts = with_settings) -> pd.DataFrame:
    """What a file holds of declared rows: their facts, which win, and those ``about`` all of them."""
    more = {name: fact for name, fact in about(context).items() if name not in rows.facts}
    return pd.DataFrame(rows._replace(facts={**rows.facts, **more}).saved())
