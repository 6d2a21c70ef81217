"""Where a score comes from: shares of the relevance by kind of concept, and results by what they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from evalcore.evaluate.by_kind import FromKinds
from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import HOVER, bars, hatched, muted, n_of, note, room_for, row_axis
from evalcore.figures.theme import MARK_CONTRAST, TEXT_CONTRAST, Theme, readable
from evalcore.graph.distances import DistanceCounts
from evalcore.values.arrays import Offsets
from evalcore.values.concept_values import UNKNOWN
from evalcore.values.writing import count, pluralize, safe, share, short

BY_KIND = Reading(
    "Of everything that counts in the first results, how much each kind of concept brings in. Two "
    "images of the same body part and modality score points even when the findings differ.",
    "Shares of the summed relevance of the first k results, by the kind of the concept that adds it; a "
    "neighbour match counts for the concept that is matched.",
)
BY_RESULT = Reading(
    "Results that match in how and where they were taken and in nothing else look right at first sight, and "
    "may show a different disease.",
    "Mean over queries of the share of the first k results whose relevance comes from modality, plane and "
    "anatomy alone, from other concepts too, or that have none.",
)
NOTHING = "No query has both concepts and results, so there is nothing to divide."
NAMES = {
    "finding": "Findings",
    "device": "Devices",
    "anatomy": "Anatomy",
    "plane": "Plane or view",
    "modality": "Modality",
    "other": "Other concepts",
    UNKNOWN: "Not classified",
}
"""Kinds as a legend names them, what an image shows first."""
_COLOURS = {
    "finding": "#D55E00",
    "device": "#CC79A7",
    "anatomy": "#0072B2",
    "plane": "#E69F00",
    "modality": "#009E73",
    "other": "#F0E442",
}
ROW, NAME = 44, 22
LEAST = 0.25
"""The smallest part of a bar with its number on it: there is room for it on narrow screens."""
LEGEND_LINE, LETTER = 20, 6.6
"""Pixels of a line of the legend, its height, and of a letter."""


class _Part(NamedTuple):
    """One part of every bar: its name, colour and pattern, and how long it is on each row."""

    name: str
    colour: str
    pattern: str
    lengths: list[float]


def kind_shares(shares: Sequence[FromKinds], *, theme: Theme) -> Drawn:
    """A bar per system: what each kind of concept adds to the relevance of its first results."""
    rows = [kinds for kinds in shares if kinds.total]
    if not rows:
        return nothing(NOTHING, BY_KIND, theme=theme)
    kinds = [kind for kind in NAMES if any(kinds.shares.get(kind) for kinds in rows)]
    parts = [
        _Part(
            NAMES[kind],
            _COLOURS.get(kind, theme.neutral),
            "/" if kind == UNKNOWN else "",
            [kinds.shares.get(kind, 0.0) for kinds in rows],
        )
        for kind in kinds
    ]
    best = max(rows, key=lambda kinds: kinds.shares.get("finding", 0.0))
    alt = (
        f"Findings contribute at most {share(best.shares.get('finding', 0.0))} ({best.system}) of the "
        f"relevance of any system's first {pluralize(rows[0].k, 'result')}."
    )
    under = [f"findings {share(kinds.shares.get('finding', 0.0))}" for kinds in rows]
    return Drawn(_bars(rows, parts, under, "Where the score comes from", theme), alt, BY_KIND)


def results_by_kind(kinds: Sequence[FromKinds], *, theme: Theme) -> Drawn:
    """A bar per system: its first results by whether they share more than how and where they were taken."""
    rows = [kinds for kinds in kinds if kinds.n_results]
    if not rows:
        return nothing(NOTHING, BY_RESULT, theme=theme)
    parts = [
        _Part("Findings or other concepts too", _COLOURS["finding"], "", [row.with_more for row in rows]),
        _Part("Only modality, plane, anatomy", _COLOURS["anatomy"], "", [row.only_setting for row in rows]),
        _Part("Nothing", theme.neutral, "/", [row.nothing for row in rows]),
    ]
    most = max(rows, key=lambda row: row.only_setting)
    alt = (
        f"Of the first {pluralize(most.k, 'result')} of {most.system}, {share(most.only_setting)} share only "
        f"modality, plane or anatomy with the query, {share(most.with_more)} more, "
        f"{share(most.nothing)} nothing."
    )
    under = [f"findings or more {share(row.with_more)}" for row in rows]
    drawn = _bars(rows, parts, under, "What the first results share with the query", theme)
    return Drawn(drawn, alt, BY_RESULT)


def _bars(
    rows: Sequence[FromKinds], parts: Sequence[_Part], under: Sequence[str], title: str, theme: Theme
) -> go.Figure:
    """The bars, with what is ``under`` the name of each."""
    names = [safe(short(kinds.system, NAME)) for kinds in rows]
    left = room_for([*names, *under])
    legend, lines = _legend(parts, theme.width - (0 if theme.narrow else left), theme)
    ticks = [f"{name}<br>{muted(safe(below), theme)}" for name, below in zip(names, under, strict=True)]
    return figure(
        theme=theme,
        height=ROW * len(rows),
        title=title,
        left=left,
        right=8,
        bottom=12 + LEGEND_LINE * lines,
        barmode="stack",
        bargap=0.36,
        subtitle=f"first {pluralize(rows[0].k, 'result')} by {rows[0].relevance} · "
        f"{n_of(kinds.n_queries for kinds in rows)}",
        traces=[_trace(rows, part, theme) for part in parts],
        notes=[*_numbers(parts, theme), *legend],
        x=NO_AXIS | {"range": [0, 1]},
        y=row_axis(ticks, theme, grid=False),
    )


def _legend(parts: Sequence[_Part], room: int, theme: Theme) -> tuple[list[Parts], int]:
    """The names of the parts below the bars, in as many lines as they need."""
    notes: list[Parts] = []
    line, right = 1, 0
    for part in parts:
        text = f"{'▨' if part.pattern else '■'} {part.name}"
        width = round(LETTER * len(text)) + 16
        if right and right + width > room:
            line, right = line + 1, 0
        notes.append(
            note(
                safe(text),
                0,
                0,
                readable(part.colour, theme.surface, TEXT_CONTRAST),
                xref="paper",
                yref="paper",
                xanchor="left",
                yanchor="top",
                xshift=right,
                yshift=-8 - LEGEND_LINE * (line - 1),
            )
        )
        right += width
    return notes, line


def _trace(rows: Sequence[FromKinds], part: _Part, theme: Theme) -> Parts:
    hover = [
        safe(f"{kinds.system}: {part.name.lower()} {share(length)}")
        for kinds, length in zip(rows, part.lengths, strict=True)
    ]
    marker = {
        "color": readable(part.colour, theme.surface, MARK_CONTRAST),
        "pattern": hatched(part.pattern, theme),
        "line": {"color": theme.surface, "width": 1},
    }
    return bars(part.lengths, hover, marker, name=safe(part.name))


def _numbers(parts: Sequence[_Part], theme: Theme) -> list[Parts]:
    """The shares on the bars, where there is room."""
    notes: list[Parts] = []
    for row in range(len(parts[0].lengths)):
        start = 0.0
        for part in parts:
            length = part.lengths[row]
            if length >= LEAST:
                text, middle = f"<b>{share(length)}</b>", start + length / 2
                notes.append(note(text, middle, row, theme.ink, bgcolor=theme.surface, borderpad=1))
            start += length
    return notes


# How far are the concepts of a study from each other? Steps between pairs, and the pairs without any.

HISTOGRAM_READING = Reading(
    "Each step is one link in the terminology. Concepts a step or two apart are close in meaning; those that "
    "are not in the terminology can only match exactly. Filled: close enough to count as related now.",
    "All unordered pairs of different concepts of the study, breadth-first distances on the whole graph; "
    "weighted: by the product of the two concepts' numbers of images; filled bars: within the threshold.",
)
NOTHING_HISTOGRAM = "The study has fewer than two different concepts, so there is nothing to measure."
SHARES = 0.30
"""Part of the height that the three bars on top take."""
KINDS = ("Connected", "No path", "Not in the terminology")


def distance_bars(
    counts: DistanceCounts, *, weighted: bool, theme: Theme, threshold: int | None = None
) -> Drawn:
    """On top the shares of pairs that are connected, without a path, and not in the graph; below, how many
    steps the connected ones are apart.

    ``weighted`` counts each pair as often as images hold the two; ``threshold`` marks the steps that count as
    neighbours now.
    """
    by_steps, no_path, unknown = counts.of(weighted=weighted)
    connected = int(by_steps.sum())
    total = connected + no_path + unknown
    if not total:
        return nothing(NOTHING_HISTOGRAM, HISTOGRAM_READING, theme=theme)
    what = "pairs of occurrences" if weighted else "concept pairs"
    drawn = figure(
        theme=theme,
        height=380,
        title="How far apart the study's concepts are",
        bottom=44,
        above=4,
        right=76,
        subtitle=f"n = {count(total)} {what} · {count(counts.n_known)} of {count(counts.n_concepts)} "
        "concepts in the terminology",
        traces=[*_shares((connected, no_path, unknown), theme), _steps(by_steps, threshold, theme)],
        notes=_share_texts((connected, no_path, unknown), theme),
        bargap=0.25,
        x=axis(theme, range=[0, 1.01], grid=False, showticklabels=False, anchor="y"),
        y=axis(
            theme,
            domain=[1 - SHARES, 1],
            range=[2.5, -0.5],
            tickvals=[0, 1, 2],
            ticktext=list(KINDS),
            grid=False,
            tickfont={"size": 13, "color": theme.ink},
        ),
        xaxis2=axis(
            theme,
            title="Steps apart",
            grid=False,
            anchor="y2",
            dtick=1,
            range=[0.4, max(len(by_steps) - 0.4, 1.6)],
        ),
        yaxis2=axis(
            theme,
            title=what.capitalize(),
            domain=[0, 1 - SHARES - 0.12],
            anchor="x2",
            nticks=5,
            rangemode="tozero",
            tickformat=".3~s",
        ),
    )
    alt = (
        f"{count(total)} {what}: {share(connected / total)} connected, {share(no_path / total)} without a "
        f"path, {share(unknown / total)} with a concept that is not in the terminology."
    )
    if connected:
        alt += f" Half of the connected ones are at most {pluralize(half_within(by_steps), 'step')} apart."
    return Drawn(drawn, alt, HISTOGRAM_READING)


def half_within(by_steps: Offsets) -> int:
    """Within how many steps do at least half of the connected pairs lie? ``by_steps[d]`` of them, at least
    one in all, are d steps apart."""
    return int(np.searchsorted(np.cumsum(by_steps), by_steps.sum() / 2))


def _shares(parts: Sequence[int], theme: Theme) -> list[Parts]:
    total = sum(parts)
    hover = [f"{kind}: {count(n)}" for kind, n in zip(KINDS, parts, strict=True)]
    marker = {
        "color": [theme.accent, theme.neutral, theme.neutral],
        "pattern": {"shape": ["", "/", "x"], "fgcolor": theme.surface, "size": 6, "solidity": 0.2},
    }
    place = {"width": 0.5, "offset": -0.25}
    return [
        bars([1, 1, 1], None, {"color": theme.grid}, **place),
        bars([n / total for n in parts], hover, marker, **place),
    ]


def _share_texts(parts: Sequence[int], theme: Theme) -> list[Parts]:
    return [
        note(f"<b>{share(n / sum(parts))}</b> {count(n)}", 1.02, row, theme.ink, xanchor="left")
        for row, n in enumerate(parts)
    ]


def _steps(by_steps: Offsets, threshold: int | None, theme: Theme) -> Parts:
    """One bar per distance; those that count as neighbours now are solid, the others hollow."""
    steps = list(range(1, len(by_steps)))
    heights = [int(by_steps[d]) for d in steps]
    near = [threshold is None or d <= threshold for d in steps]
    return {
        "type": "bar",
        "x": steps,
        "y": heights,
        "xaxis": "x2",
        "yaxis": "y2",
        "hovertemplate": HOVER,
        "hovertext": [
            f"{pluralize(n, 'pair')} {pluralize(d, 'step')} "
            f"apart{' · neighbours now' if at and threshold else ''}"
            for d, n, at in zip(steps, heights, near, strict=True)
        ],
        "marker": {
            "color": [theme.accent if at else theme.raised for at in near],
            "line": {"color": theme.accent, "width": 1.5},
        },
    }
