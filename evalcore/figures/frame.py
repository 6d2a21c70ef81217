"""The frame of every figure: title, margins, axes, the download button, the empty figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import plotly.graph_objects as go

from evalcore.figures.narrow import built, narrowed
from evalcore.figures.theme import Theme
from evalcore.values.writing import wrapped

# What a figure function returns: the figure, its take-away in a sentence, and how to read it.


Figure = go.Figure
"""plotly's, for rooms that hand figures on without drawing any."""


class Reading(NamedTuple):
    """The line under a figure: in everyday words, and on the method."""

    plain: str
    technical: str

    def at(self, level: Literal["plain", "technical"]) -> str:
        """The line for one level of detail."""
        return self.plain if level == "plain" else self.technical


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A figure as a page shows it.

    ``alt`` is the take-away in one sentence, for those who do not see the figure; ``how_to_read`` is the line
    under it. A figure without data says in its place, and in ``alt``, why there is none. ``constant``: a map
    whose values are all the same; pages and reports show ``alt`` in its place.
    """

    figure: go.Figure
    alt: str
    how_to_read: Reading
    constant: bool = False


Parts = dict[str, Any]
NO_AXIS: Parts = {"visible": False, "fixedrange": True}
SIX: Parts = {"nticks": 6, "automargin": False}
PLACES: Parts = {"grid": False, "automargin": False}
"""Options of an axis with some six numbers, and of one with places, within fixed margins."""
NO_TEMPLATE: Parts = {"data": {"scatter": [{"type": "scatter"}]}}
"""What plotly calls "none"."""


def modebar(filename: str = "cuiscope", image: Literal["svg", "png"] = "svg") -> Parts:
    """plotly ``config``: only the download button, which saves ``filename`` as SVG or as PNG at 3x."""
    return {
        "displaylogo": False,
        "displayModeBar": "hover",
        "modeBarButtonsToRemove": [
            "zoom2d",
            "pan2d",
            "select2d",
            "lasso2d",
            "zoomIn2d",
            "zoomOut2d",
            "autoScale2d",
            "resetScale2d",
            "hoverClosestCartesian",
            "hoverCompareCartesian",
            "toggleSpikelines",
        ],
        "toImageButtonOptions": {"format": image, "filename": filename, "scale": 1 if image == "svg" else 3},
    }


def heading(title: str, subtitle: str, theme: Theme) -> tuple[Parts, int]:
    """Title and subtitle as plotly's title, wrapped to the theme's width, and the top margin they need."""
    head = wrapped(title, int(theme.width / 7.4))
    text, lines = f"<b>{head}</b>", head.count("<br>") + 1
    if subtitle:
        below = wrapped(subtitle, theme.width // 6)
        text += f'<br><span style="font-size:12px;color:{theme.muted}">{below}</span>'
        lines += below.count("<br>") + 1
    font = {"size": 15, "color": theme.ink, "family": theme.font}
    place = {"x": 0, "xref": "container", "xanchor": "left", "y": 1, "yref": "container", "yanchor": "top"}
    # plotly lifts text of several lines by about half a line above the place it is anchored to.
    pad = {"t": 15 if lines > 1 else 4, "l": 0}
    return {"text": text, "font": font, "pad": pad, **place}, 16 + 19 * lines


def figure(
    *,
    theme: Theme,
    height: float,
    title: str,
    subtitle: str = "",
    left: float = 8,
    right: float = 16,
    bottom: float = 8,
    above: float = 0,
    traces: Sequence[Parts] = (),
    x: Parts | None = None,
    y: Parts | None = None,
    notes: Sequence[Parts] = (),
    shapes: Sequence[Parts] = (),
    **layout: Any,
) -> go.Figure:
    """A figure in our look, built in one go (plotly takes far longer to change a figure than to make it).

    ``height``: of the plot area, in pixels; title and margins come on top. The width is the container's.
    ``above``: room between the title and the plot area. ``traces``, ``x``, ``y``, ``notes``, ``shapes``:
    plotly's traces, axes, annotations and shapes as plain dictionaries. ``layout``: further layout options.
    """
    head, top = heading(title, subtitle, theme)
    top += round(above)
    base = {
        "template": NO_TEMPLATE,
        "title": head,
        "height": round(height + top + bottom),
        "showlegend": False,
        "dragmode": False,
        "paper_bgcolor": theme.surface,
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": round(left), "r": round(right), "t": top, "b": round(bottom), "pad": 0},
        "font": {"family": theme.font, "size": 13, "color": theme.ink},
        "hoverlabel": {
            "bgcolor": theme.raised,
            "bordercolor": theme.grid,
            "align": "left",
            "font": {"family": theme.font, "size": 13, "color": theme.ink},
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.accent},
        "xaxis": x or NO_AXIS,
        "yaxis": y or NO_AXIS,
        "annotations": list(notes),
        "shapes": list(shapes),
    } | layout
    if theme.narrow:
        return narrowed(traces, base, theme.width)
    return built(traces, base)


def axis(theme: Theme, *, title: str = "", grid: bool = True, line: bool = False, **options: Any) -> Parts:
    """Options of one cartesian axis: quiet grid, muted ticks, no zoom by accident."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": theme.muted}, "standoff": 10},
        "showgrid": grid,
        "gridcolor": theme.grid,
        "gridwidth": 1,
        "zeroline": False,
        "showline": line,
        "linecolor": theme.muted,
        "ticks": "",
        "ticklabelstandoff": 4,
        "tickfont": {"size": 12, "color": theme.muted},
        "automargin": True,
        "fixedrange": True,
        **options,
    }


def nothing(message: str, how: Reading, *, theme: Theme, height: int = 200, title: str = "") -> Drawn:
    """A figure without data: the message, in it and as its take-away, says why there is none."""
    return Drawn(empty_figure(message, theme=theme, height=height, title=title), message, how)


def empty_figure(message: str, *, theme: Theme, height: int = 200, title: str = "") -> go.Figure:
    """A figure without data that says why there is none and what would fill it."""
    border = {
        "type": "rect",
        "xref": "paper",
        "yref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.grid, "width": 1, "dash": "4px,4px"},
        "layer": "below",
    }
    note = {
        "text": wrapped(message, 46, lines=6),
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "y": 0.5,
        "showarrow": False,
        "font": {"size": 14, "color": theme.muted},
        "align": "center",
    }
    return figure(theme=theme, height=height, title=title, right=8, notes=[note], shapes=[border])
