"""The critical-difference diagram of Demsar 2006: mean ranks on a line, bars over those not told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalcore.evaluate.pairs.ranks import MeanRanks
from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import note, scatter, segment
from evalcore.figures.theme import SystemStyle, Theme, style_of
from evalcore.values.writing import number, p_equals, safe, short, things

HOW_TO_READ = Reading(
    "Every query puts the systems in order; the line shows the rank each has on average, the best on the "
    "left. Systems under one thick bar do not differ clearly. Beware: the ranks depend on which other "
    "systems take part; leave one out, and the bars can change. Trust the comparison of two systems instead.",
    "Mean ranks over queries (groups of queries count once), ties shared; Friedman's test, and Nemenyi's "
    "critical difference at .05 without a correction for ties (Demsar 2006). Mean-rank tests depend on the "
    "other systems in the pool (Benavoli et al. 2016): prefer the paired tests of “Differences”.",
)
NAME = 20
UNIT = 26
"""Pixels from one name to the next."""
BELOW, BAR = 0.2, 0.42
"""Room under the line, and from bar to bar, in such steps."""


def critical_diagram(found: MeanRanks, *, systems: Sequence[str], theme: Theme) -> Drawn:
    """Mean ranks with names on both sides, bars over groups. ``systems``: of the study, for the colours."""
    if not found.n:
        return nothing(
            f"No query has a value under every system for {found.metric}.", HOW_TO_READ, theme=theme
        )
    k = len(found.systems)
    styles = [style_of(name, systems, theme) for name in found.systems]
    left, bars = (k + 1) // 2, BELOW + BAR * (len(found.groups) + 1)
    heights = [-bars - (i if i < left else k - 1 - i) - 0.5 for i in range(k)]
    wide = 26 + round(7.2 * max(len(short(name, NAME)) + 7 for name in found.systems))
    drawn = figure(
        theme=theme,
        height=round(UNIT * (2 - min(heights))),
        title="Mean ranks",
        left=wide,
        right=wide,
        subtitle=f"{found.metric} · {_of(found)} · Friedman {p_equals(found.p)} · bars: closer than the "
        f"critical difference of {number(found.distance)} (Nemenyi, .05)",
        traces=[_marks(found, styles)],
        notes=[
            *(_name(found, i, heights[i], i < left, styles[i]) for i in range(k)),
            *_scale_words(found, k, theme),
        ],
        shapes=[
            *_lines(found, heights, left, styles, k),
            *_bars(found, theme),
            *_scale(found, k, theme),
            segment(1, 0, k, 0, theme.muted, 1.5),
        ],
        x=axis(theme, range=[1, k], grid=False, showticklabels=False, automargin=False),
        y=NO_AXIS | {"range": [min(heights) - 0.4, 1.6]},
    )
    return Drawn(drawn, _take_away(found), HOW_TO_READ)


def _of(found: MeanRanks) -> str:
    queries = things(found.n, "query")
    return f"{queries} in {things(found.n_blocks, 'group')}" if found.grouped_by else queries


def _lines(
    found: MeanRanks, heights: Sequence[float], left: int, styles: Sequence[SystemStyle], k: int
) -> list[Parts]:
    """From each mark down, and to the side where its name stands."""
    parts = []
    for i, rank in enumerate(found.mean_ranks):
        parts.append(segment(rank, 0, rank, heights[i], styles[i].colour, 1.5))
        parts.append(segment(rank, heights[i], 1 if i < left else k, heights[i], styles[i].colour, 1.5))
    return parts


def _bars(found: MeanRanks, theme: Theme) -> list[Parts]:
    rank = dict(zip(found.systems, found.mean_ranks, strict=True))
    parts = []
    for j, group in enumerate(found.groups):
        y = -BELOW - BAR * (j + 1)
        parts.append(segment(rank[group[0]] - 0.02, y, rank[group[-1]] + 0.02, y, theme.ink, 5))
    return parts


def _scale(found: MeanRanks, k: int, theme: Theme) -> list[Parts]:
    """The critical difference as a length over the line, and ticks at whole ranks."""
    ends = (1.0, min(1 + found.distance, float(k)))
    parts = [segment(ends[0], 1.25, ends[1], 1.25, theme.ink, 2)]
    parts += [segment(x, 1.1, x, 1.4, theme.ink, 2) for x in ends]
    return parts + [segment(x, 0, x, 0.16, theme.muted, 1.5) for x in range(1, k + 1)]


def _scale_words(found: MeanRanks, k: int, theme: Theme) -> list[Parts]:
    ticks = range(1, k + 1, max(1, math.ceil(k / 12)))
    notes = [note(str(x), x, 0.2, theme.muted, yanchor="bottom") for x in ticks]
    words = f"critical difference {number(found.distance)}"
    if 1 + found.distance > k:
        words += ", more than all ranks"
    end = min(1 + found.distance, float(k))
    place: Parts = {"xanchor": "left", "xshift": 8}
    if end > 1 + 0.55 * (k - 1):
        place = {"xanchor": "right", "xshift": -8, "yshift": 11}
    return [*notes, note(words, end, 1.25, theme.ink, yanchor="middle", **place)]


def _marks(found: MeanRanks, styles: Sequence[SystemStyle]) -> Parts:
    """The systems on the line."""
    hover = [
        f"<b>{safe(name)}</b><br>mean rank {number(rank)}"
        for name, rank in zip(found.systems, found.mean_ranks, strict=True)
    ]
    return scatter(
        list(found.mean_ranks),
        [0] * len(hover),
        "markers",
        hover,
        cliponaxis=False,
        marker={
            "size": 11,
            "opacity": 1,
            "color": [one.fill for one in styles],
            "symbol": [one.symbol for one in styles],
            "line": {"color": [one.colour for one in styles], "width": 2},
        },
    )


def _name(found: MeanRanks, i: int, height: float, on_left: bool, style: SystemStyle) -> Parts:
    name, rank = safe(short(found.systems[i], NAME)), number(found.mean_ranks[i])
    text = f"{name} <b>{rank}</b>" if on_left else f"<b>{rank}</b> {name}"
    side: Parts = {"xanchor": "right", "xshift": -6} if on_left else {"xanchor": "left", "xshift": 6}
    return note(text, 0 if on_left else 1, height, style.text, xref="paper", **side)


def _take_away(found: MeanRanks) -> str:
    """Friedman's result, the best mean rank, and the groups."""
    groups = "; ".join(", ".join(group) for group in found.groups) or "none"
    return (
        f"Mean ranks of {things(len(found.systems), 'system')} under {found.metric} over {_of(found)}: best "
        f"{found.systems[0]} with {number(found.mean_ranks[0])}, last {found.systems[-1]} with "
        f"{number(found.mean_ranks[-1])}; Friedman {p_equals(found.p)}, critical difference "
        f"{number(found.distance)}; not clearly different: {groups}."
    )
