"""Where a score comes from: shares of the relevance by kind of concept, and results by what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.colour import MARK_CONTRAST, TEXT_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import NO_AXIS, figure, nothing
from evalcore.figures.marks import bars, hatched, muted, n_of, note, room_for, row_axis
from evalcore.figures.numbers import share, things
from evalcore.figures.words import safe, short
from evalcore.values.concept_values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from evalcore.evaluate.by_kind import FromKinds
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

BY_KIND = Reading(
    "Of everything that counts in the first results, how much each kind of concept brings in. Two images of "
    "the same body part, taken in the same way, score points whatever they show.",
    "Shares of the summed relevance of the first k results, by the kind of the concept that adds it; a "
    "neighbour match counts for the concept that is matched.",
)
BY_RESULT = Reading(
    "Results that match in how and where they were taken and in nothing else look right at first sight, and "
    "may show something else altogether.",
    "Mean over queries of the share of the first k results whose relevance comes from modality, plane and "
    "anatomy alone, from other concepts too, or that have none.",
)
NOTHING = "No query has both concepts and results, so there is nothing to divide."
NAMES = {
    "finding": "Findings", "device": "Devices", "anatomy": "Anatomy", "plane": "Plane or view",
    "modality": "Modality", "other": "Other concepts", UNKNOWN: "Not classified",
}  # fmt: skip
"""Kinds as a legend names them, what an image shows first."""
_COLOURS = {
    "finding": "#D55E00", "device": "#CC79A7", "anatomy": "#0072B2", "plane": "#E69F00",
    "modality": "#009E73", "other": "#F0E442",
}  # fmt: skip
ROW, NAME = 44, 22
LEAST = 0.25
"""The smallest part of a bar with its number on it: there is room for it on narrow screens."""
LEGEND_WIDTH, LEGEND_LINE, LETTER = 340, 20, 6.6
"""Pixels of a line of the legend, its height, and of a letter."""


class _Part(NamedTuple):
    """One part of every bar: its name, colour and pattern, and how long it is on each row."""

    name: str
    colour: str
    pattern: str
    lengths: list[float]


def kind_shares(found: Sequence[FromKinds], *, theme: Theme) -> Drawn:
    """A bar per system: what each kind of concept adds to the relevance of its first results."""
    rows = [one for one in found if one.total]
    if not rows:
        return nothing(NOTHING, BY_KIND, theme=theme)
    kinds = [kind for kind in NAMES if any(one.shares.get(kind) for one in rows)]
    parts = [
        _Part(
            NAMES[kind], _COLOURS.get(kind, theme.neutral), "/" if kind == UNKNOWN else "",
            [one.shares.get(kind, 0.0) for one in rows],
        )
        for kind in kinds
    ]  # fmt: skip
    best = max(rows, key=lambda one: one.shares.get("finding", 0.0))
    alt = (
        f"Of the relevance of their first {things(rows[0].k, 'result')}, systems owe findings at most "
        f"{share(best.shares.get('finding', 0.0))} ({best.system})."
    )
    under = [f"findings {share(one.shares.get('finding', 0.0))}" for one in rows]
    return Drawn(_bars(rows, parts, under, "Where the score comes from", theme), alt, BY_KIND)


def results_by_kind(found: Sequence[FromKinds], *, theme: Theme) -> Drawn:
    """A bar per system: its first results by whether they share more than how and where they were taken."""
    rows = [one for one in found if one.n_results]
    if not rows:
        return nothing(NOTHING, BY_RESULT, theme=theme)
    parts = [
        _Part("Findings or other concepts too", _COLOURS["finding"], "", [one.with_more for one in rows]),
        _Part("Only modality, plane, anatomy", _COLOURS["anatomy"], "", [one.only_setting for one in rows]),
        _Part("Nothing", theme.neutral, "/", [one.nothing for one in rows]),
    ]
    most = max(rows, key=lambda one: one.only_setting)
    alt = (
        f"Of the first {things(most.k, 'result')} of {most.system}, {share(most.only_setting)} share only "
        f"modality, plane or anatomy with the query, {share(most.with_more)} more, "
        f"{share(most.nothing)} nothing."
    )
    under = [f"findings or more {share(one.with_more)}" for one in rows]
    drawn = _bars(rows, parts, under, "What the first results share with the query", theme)
    return Drawn(drawn, alt, BY_RESULT)


def _bars(
    rows: Sequence[FromKinds], parts: Sequence[_Part], under: Sequence[str], title: str, theme: Theme
) -> go.Figure:
    """The bars, with what is ``under`` the name of each."""
    names = [safe(short(one.system, NAME)) for one in rows]
    left = room_for([*names, *under])
    legend, lines = _legend(parts, left, theme)
    ticks = [f"{name}<br>{muted(safe(below), theme)}" for name, below in zip(names, under, strict=True)]
    return figure(
        theme=theme, height=ROW * len(rows), title=title, left=left, right=8,
        bottom=12 + LEGEND_LINE * lines, barmode="stack", bargap=0.36,
        subtitle=f"first {things(rows[0].k, 'result')} by {rows[0].relevance} · "
        f"{n_of(one.n_queries for one in rows)}",
        traces=[_trace(rows, part, theme) for part in parts],
        notes=[*_numbers(parts, theme), *legend],
        x=NO_AXIS | {"range": [0, 1]}, y=row_axis(ticks, theme, grid=False),
    )  # fmt: skip


def _legend(parts: Sequence[_Part], left: int, theme: Theme) -> tuple[list[Parts], int]:
    """The names of the parts below the bars, from the edge on, in as many lines as they need."""
    notes: list[Parts] = []
    line, right = 1, 0
    for part in parts:
        text = f"{'▨' if part.pattern else '■'} {part.name}"
        width = round(LETTER * len(text)) + 16
        if right and right + width > LEGEND_WIDTH:
            line, right = line + 1, 0
        notes.append(note(
            safe(text), 0, 0, readable(part.colour, theme.surface, TEXT_CONTRAST), xref="paper", yref="paper",
            xanchor="left", yanchor="top", xshift=right - left, yshift=-8 - LEGEND_LINE * (line - 1),
        ))  # fmt: skip
        right += width
    return notes, line


def _trace(rows: Sequence[FromKinds], part: _Part, theme: Theme) -> Parts:
    hover = [
        safe(f"{one.system}: {part.name.lower()} {share(length)}")
        for one, length in zip(rows, part.lengths, strict=True)
    ]
    marker = {
        "color": readable(part.colour, theme.surface, MARK_CONTRAST), "pattern": hatched(part.pattern, theme),
        "line": {"color": theme.surface, "width": 1},
    }  # fmt: skip
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
