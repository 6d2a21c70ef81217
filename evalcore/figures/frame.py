"""The frame of every figure: title, margins, axes, the download button, the empty figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go

from evalcore.figures.theme import Theme
from evalcore.values.writing import safe, short, wrapped

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
class AccessibleFigure:
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


def axis(theme: Theme, *, title: str = "", grid: bool = True, **options: Any) -> Parts:
    """Options of one cartesian axis: quiet grid, muted ticks, no zoom by accident."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": theme.muted}, "standoff": 10},
        "showgrid": grid,
        "gridcolor": theme.grid,
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 4,
        "tickfont": {"size": 12, "color": theme.muted},
        "automargin": True,
        "fixedrange": True,
        **options,
    }


def spoken(title: str, parts: Sequence[str], *, most: int = 6) -> str:
    """The take-away of a figure that lists what it shows, the first of it.

    >>> spoken("Means", ["a 0.5", "b 0.4", "c 0.1"], most=2)
    'Means: a 0.5; b 0.4; and 1 more.'
    """
    rest = [f"and {len(parts) - most:,} more"] if len(parts) > most else []
    return f"{title}{':' * (title[-1:] != '?')} {'; '.join([*parts[:most], *rest])}."


def nothing(
    message: str, how: Reading, *, theme: Theme, height: int = 200, title: str = ""
) -> AccessibleFigure:
    """A figure without data: the message, in it and as its take-away, says why there is none."""
    return AccessibleFigure(empty_figure(message, theme=theme, height=height, title=title), message, how)


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


# On a phone or in a column of a journal: the same marks, with the words elsewhere. Names go over their rows
# and under the plot instead of beside it, and long titles of axes are broken.

_BESIDE = 100
"""Pixels that names beside the rows may take; wider ones go over their rows."""
_CHARACTER, _EM = 7.2, 0.6
"""Width of a letter at 13 pixels; and of one of a wide font (DejaVu Sans: .55 on average) in font sizes."""
_LINE, _NAME, _MARK = 15, 17, 14
"""Pixels of a line of 12, of a name over its row, and of a mark on it."""
_ENTRY, _SYMBOL = 20, 48
"""Pixels of a line of a legend, and of the line and the gaps of an entry."""
_CELLS = 15
"""Characters of a name beside cells, which leave no room over them."""


CHECKED = False
"""Whether plotly checks each name and value of a figure, which takes ten times as long. Tests do."""


def built(traces: Sequence[Parts], layout: Parts) -> go.Figure:
    """The figure of these traces and this layout."""
    return go.Figure(data=list(traces), layout=layout, _validate=CHECKED)


def narrowed(traces: Sequence[Parts], layout: Parts, width: int) -> go.Figure:
    """Return the figure of these traces and this layout with its words where ``width`` pixels have room."""
    traces = [dict(trace) for trace in traces]
    layout = _squared(layout, width)
    layout, traces = _names_over_rows(traces, layout)
    layout = _names_under_plot(traces, layout, width)
    return fitted(built(traces, layout), width)


def _squared(layout: Parts, width: int) -> Parts:
    """A plane with equal axes no higher than wide."""
    margin = layout["margin"]
    high, wide = layout["height"] - margin["t"] - margin["b"], width - margin["l"] - margin["r"]
    if "scaleanchor" not in layout["yaxis"] or high <= wide:
        return layout
    return layout | {"height": layout["height"] - high + wide}


def _names_over_rows(traces: list[Parts], layout: Parts) -> tuple[Parts, list[Parts]]:
    axis, margin = layout["yaxis"], layout["margin"]
    names = list(axis.get("ticktext", ()))
    beside = max((_CHARACTER * len(line) + 24 for name in names for line in _lines(name)), default=0)
    if beside <= _BESIDE or not axis.get("showticklabels", True):
        return layout, traces
    rows = all(trace["type"] == "scatter" or trace.get("orientation") == "h" for trace in traces)
    if not rows or not axis["range"][0] > axis["range"][1]:
        if margin["l"] <= _BESIDE:
            return layout, traces
        heads = [short(_lines(name)[0], _CELLS) for name in names]
        rests = ["".join(name.partition("<br>")[1:]) for name in names]
        ticks = [safe(head) + rest for head, rest in zip(heads, rests, strict=True)]
        room = 24 + round(_CHARACTER * max(len(head) for head in heads))
        return layout | {"yaxis": axis | {"ticktext": ticks}, "margin": margin | {"l": room}}, traces
    low, high = axis["range"]
    inside = layout["height"] - margin["t"] - margin["b"]
    row = inside / (low - high)
    gap = layout.get("bargap", 0.2)
    bars = [trace for trace in traces if trace["type"] == "bar"]
    sizes = [size for trace in traces for size in np.ravel(trace.get("marker", {}).get("size", 0))]
    mark = row * max((trace.get("width", 1 - gap) for trace in bars), default=max(_MARK, *sizes) / row)
    higher = max(row, mark + 2 * _NAME)
    for trace in bars:
        trace["width"] = trace.get("width", 1 - gap) * row / higher
    notes = [
        {
            "text": name.replace("<br>", " "),
            "x": 0,
            "y": place,
            "xref": "paper",
            "yref": "y",
            "xanchor": "left",
            "yanchor": "middle",
            "yshift": mark / 2 + _NAME / 2 + 1,
            "showarrow": False,
            "font": axis["tickfont"],
        }
        for place, name in zip(axis["tickvals"], names, strict=True)
    ]
    return layout | {
        "annotations": [*layout["annotations"], *notes],
        "yaxis": axis | {"showticklabels": False, "automargin": False},
        "height": round(layout["height"] - inside + higher * (low - high)),
        "margin": margin | {"l": 12},
    }, traces


def _lines(name: str) -> list[str]:
    """A tick's text as it is read, line by line."""
    return unescape(re.sub("<(?!br>)[^>]*>", "", name)).split("<br>")


def _names_under_plot(traces: list[Parts], layout: Parts, width: int) -> Parts:
    """Names at the ends of lines become a legend."""
    notes, margin = layout["annotations"], layout["margin"]
    tied = [note for note in notes if note["showarrow"]]
    if margin["r"] <= _BESIDE or not tied:
        return layout
    lines = [trace for trace in traces if trace["mode"].startswith("lines") and "fill" not in trace]
    for trace in traces:
        trace["showlegend"] = trace in lines
    entry = _SYMBOL + _CHARACTER * max(len(unescape(trace["name"])) for trace in lines)
    below = 10 + _ENTRY * -(-len(lines) // max(1, int(width / entry)))
    return layout | {
        "annotations": [note for note in notes if note not in tied],
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xref": "container",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "height": layout["height"] + below,
        "margin": margin | {"r": 16, "b": margin["b"] + below},
    }


def fitted(figure: go.Figure, wide: int) -> go.Figure:
    """Return the figure with titles of horizontal axes broken to fit ``wide`` pixels; itself if all fit.

    Plotly centres such a title on its axis and breaks no line. Which font will draw the figure is not known,
    so letters are taken to be as wide as those of the widest common one. A higher figure makes room.
    """
    layout = figure.layout
    left, right = layout.margin.l, layout.margin.r
    titles, most = {}, 1
    for axis in figure.select_xaxes():
        low, high = axis.domain or (0, 1)
        middle = left + (wide - left - right) * (low + high) / 2
        room = int(2 * min(middle, wide - middle) / (_EM * (axis.title.font.size or 12)))
        text = unescape(axis.title.text or "")
        if len(text) > room and "<" not in text:
            titles[axis.plotly_name] = wrapped(text.replace("↑ ", "↑\N{NO-BREAK SPACE}"), room)
            most = max(most, titles[axis.plotly_name].count("<br>") + 1)
    if not titles:
        return figure
    more = (most - 1) * _LINE
    taller = go.Figure(figure)
    taller.update_layout(height=layout.height + more, margin_b=layout.margin.b + more)
    for name, text in titles.items():
        taller.layout[name].title.text = text
    return taller
