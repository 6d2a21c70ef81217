"""A figure on a page: its toolbar, its alternative text, and the line on how to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.figures.frame import modebar
from evalcore.figures.reading import how_to_read
from evalcore.ui.components import messages

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from evalcore.ui.frame.context import Context

NARROWEST = 400
"""Pixels that two figures side by side need each; on narrower screens they stand one below the other."""


def toolbar(context: Context, file: str) -> dict[str, Any]:
    """The download button: a PNG for slides in the plain reading, an SVG for print in the technical one.

    Plotly's button knows one format at a time, and Streamlit passes no other button on.
    """
    return modebar(f"cuiscope-{file}", "png" if context.choice.plain else "svg")


def show(
    context: Context,
    name: str | None,
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    file: str | None = None,
    clicks: bool = False,
) -> Any:
    """Draw a figure; returns what was clicked in it.

    Parameters
    ----------
    name
        The figure's function, under which its line is kept; None draws no line.
    file
        Name of the downloaded file without "cuiscope-" (default: the key).
    clicks
        Whether a click on a mark draws the page again.
    """
    clicked = st.plotly_chart(
        figure, theme=None, key=key, config=toolbar(context, file or key), alt=alt,
        on_select="rerun" if clicks else "ignore", selection_mode="points",
    )  # fmt: skip
    if name is not None:
        messages.how_to_read(how_to_read(name, context.reading))
    return clicked
