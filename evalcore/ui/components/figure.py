"""A figure on a page, in one call: chart, toolbar, alternative text, the line under it, what was clicked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import streamlit as st

from evalcore.figures.frame import AccessibleFigure, modebar
from evalcore.ui.frame.context import Context
from evalcore.values.writing import md_escape


def show(
    context: Context,
    drawn: AccessibleFigure,
    *,
    key: str,
    file: str | None = None,
    clicked: Callable[[Any], None] | None = None,
    opens: Callable[[Any], None] | None = None,
    note: bool = True,
    square: bool = False,
    **look: Any,
) -> None:
    """Draw a figure with its download button and the line on how to read it; of a constant map what it says.

    ``file``: name of the downloaded file without "cuiscope-" (default: the key). It is a PNG for slides in
    the plain reading and an SVG for print in the technical one: Plotly's button knows one format at a time.
    ``clicked``: called with what a clicked mark carries (its ``customdata``; one value by itself), before the
    page is drawn again. Marks that carry nothing do nothing. ``opens``: the same for a click that leaves the
    page, which a callback cannot: called at once. ``square``: whether it cannot become narrow, such as a
    square of all with all: a small screen scrolls it. ``note``: whether the line on how to read it is drawn;
    several panels of one kind share one (`how_to_read`).
    """
    if drawn.constant:
        st.markdown(md_escape(drawn.alt))
        return
    config = modebar(f"cuiscope-{file or key}", "png" if context.choice.plain else "svg")
    config |= {"displayModeBar": False} if context.theme.narrow else {}  # a finger cannot point, only cover
    chosen: Any = {"on_select": "ignore"}
    if clicked is not None:
        chosen = {"on_select": lambda: _clicked(key, clicked), "selection_mode": "points"}
    elif opens is not None:
        chosen = {"on_select": "rerun", "selection_mode": "points"}
    with st.container(key=f"square-{key}") if square else nullcontext():
        st.plotly_chart(drawn.figure, theme=None, key=key, config=config, alt=drawn.alt, **chosen, **look)
    if note:
        how_to_read(context, drawn)
    if opens is not None:
        _clicked(key, opens)


def within(context: Context, columns: int, least: int) -> Context:
    """The context for a figure in one of several columns of at least so many pixels each."""
    theme = context.theme
    columns = min(columns, theme.width // least)
    if columns < 2:
        return context
    return replace(context, theme=replace(theme, width=theme.width // columns - 12))


def how_to_read(context: Context, drawn: AccessibleFigure) -> None:
    """The line under a figure, or under several of one kind."""
    st.caption(md_escape(drawn.how_to_read.at(context.reading)))


def _clicked(key: str, act: Callable[[Any], None]) -> None:
    """Call ``act`` with what the first clicked mark carries that carries something; one value by itself."""
    chosen = st.session_state.get(key)
    for point in chosen["selection"]["points"] if chosen else []:
        if carried := point.get("customdata"):
            alone = isinstance(carried, (list, tuple)) and len(carried) == 1
            act(carried[0] if alone else carried)
            return
