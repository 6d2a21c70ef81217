"""Figures on a phone or in a column of a journal: the same marks, with the words elsewhere.

Names go over their rows and under the plot instead of beside it, and long titles of axes are broken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from evalcore.values.writing import safe, short, wrapped

Parts = dict[str, Any]
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
