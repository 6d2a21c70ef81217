"""Does the winner depend on the measure? Ranks of the systems under each, joined by lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.cells import slanted_room
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, column_axis, note
from evalcore.figures.numbers import number, things
from evalcore.figures.theme import style_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import SystemStyle, Theme
    from evalcore.values.arrays import Floats, Offsets

HOW_TO_READ = Reading(
    "Follow one line from left to right. Lines that cross mean that the better system depends on how "
    "“relevant” is defined.",
    "Ranks by mean over the common queries; equal means in the order of names. A crossing need not be "
    "significant: see the p-values.",
)
ROW = 38
NAME, MEASURE = 20, 28


def rank_slopes(
    places: Offsets,
    means: Floats,
    *,
    names: Sequence[str],
    labels: Sequence[str],
    systems: Sequence[str],
    theme: Theme,
    of: str = "",
) -> Drawn:
    """One line per system through its ranks under the measures, best on top.

    Parameters
    ----------
    places, means
        Shape (systems, measures); ranks from 1.
    names, labels
        Of the rows and the columns.
    systems
        All systems of the study: they fix the colours.
    of
        What the means are over, for the subtitle.
    """
    if len(names) < 2 or not np.isfinite(means).any():
        message = "A ranking takes two systems with a value. Add rankings or vectors on the Data page."
        return nothing(message, HOW_TO_READ, theme=theme)
    styles = [style_of(name, systems, theme) for name in names]
    widest = max(len(short(name, NAME)) for name in names)
    last = len(labels) - 1
    drawn = figure(
        theme=theme, height=ROW * len(names), title="Ranking of the systems under each measure",
        subtitle=f"1 is best{f' · {of}' if of else ''} · systems whose lines cross swap ranks",
        right=28 + 7.2 * widest, bottom=slanted_room([short(label, MEASURE) for label in labels]),
        traces=[_line(places[i], means[i], style, labels) for i, style in enumerate(styles)],
        notes=[_name(style, last, int(places[i, last])) for i, style in enumerate(styles)],
        x=column_axis([safe(short(label, MEASURE)) for label in labels], theme, grid=True,
                      range=[-0.2, last + 0.12], tickangle=-38 if len(labels) > 5 else 0),
        y=axis(theme, title="rank", grid=False, range=[len(names) + 0.5, 0.5],
               tickvals=list(range(1, len(names) + 1))),
    )  # fmt: skip
    return Drawn(drawn, _take_away(places, names, labels), HOW_TO_READ)


def _take_away(places: Offsets, names: Sequence[str], labels: Sequence[str]) -> str:
    """Who is first under how many measures, and who moves most."""
    firsts = [names[int(np.argmin(places[:, j]))] for j in range(len(labels))]
    leaders = sorted(set(firsts), key=lambda name: (-firsts.count(name), name))
    first = ", ".join(f"{name} under {firsts.count(name)}" for name in leaders)
    moves = places.max(axis=1) - places.min(axis=1)
    most = int(np.argmax(moves))
    moved = (
        f"; {names[most]} moves most, by {things(int(moves[most]), 'rank')}"
        if moves[most]
        else "; no two swap ranks"
    )
    return f"Rank 1 over {things(len(labels), 'measure')}: {first}{moved}."


def _line(places: Offsets, means: Floats, style: SystemStyle, labels: Sequence[str]) -> Parts:
    hover = [
        f"{safe(style.name)}<br>{safe(label)}: rank {place}, mean {number(mean)}"
        for label, place, mean in zip(labels, places, means, strict=True)
    ]
    return {
        "type": "scatter", "x": list(range(len(labels))), "y": places.tolist(), "mode": "lines+markers",
        "name": safe(style.name), "hovertext": hover, "hovertemplate": HOVER, "cliponaxis": False,
        "line": style.line(2.5), "marker": style.marker(11),
    }  # fmt: skip


def _name(style: SystemStyle, x: int, y: int) -> Parts:
    return note(safe(short(style.name, NAME)), x, y, style.text, size=13, xanchor="left", xshift=12)
