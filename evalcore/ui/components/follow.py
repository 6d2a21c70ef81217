"""Curves that follow alpha and the maximum distance of the sidebar in the browser, before the page is drawn
again: from values sent with the page, so within a frame or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import streamlit as st

from evalcore.figures.frame import AccessibleFigure
from evalcore.figures.lines import Line
from evalcore.values.bundled import bundled


def sliders(
    drawn: AccessibleFigure,
    *,
    figure: str,
    alphas: Sequence[float],
    lines: Mapping[int, Sequence[Line]],
    titles: Mapping[int, str],
    at: tuple[float, int],
) -> None:
    """Draw the line of values, and let it and a figure of `alpha_lines` follow; call before it is drawn.

    ``figure``: the key it is drawn with. ``lines``, ``titles``: by the maximum distance, all with the systems
    of the figure in its order; a distance that is missing leaves the figure as it is. ``at``: alpha and
    maximum distance that the figure shows.
    """
    drawn.figure.layout.meta = {"alpha": at[0], "threshold": at[1]}
    component = st.components.v2.component(
        "cuiscope_follow",
        html='<p id="values" role="status"></p>',
        css=bundled(__package__, "follow.css"),
        js=bundled(__package__, "follow.js"),
    )
    component(
        data={
            "figure": figure,
            "alphas": list(alphas),
            "lines": {str(threshold): [_sent(line) for line in some] for threshold, some in lines.items()},
            "titles": {str(threshold): title for threshold, title in titles.items()},
            "at": list(at),
        },
        key=f"follow-{figure}",
        height="content",
    )


def _sent(line: Line) -> dict[str, object]:
    ends = {
        name: [value if isfinite(value) else None for value in (getattr(mean, name) for mean in line.row)]
        for name in ("mean", "low", "high")
    }
    return {"name": line.name, **ends}
