"""Who is better how often? Wins, ties and losses of two systems as one bar in three parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.colour import TEXT_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import NO_AXIS, figure, nothing
from evalcore.figures.marks import bars, note
from evalcore.figures.numbers import share, things
from evalcore.figures.theme import pair_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from evalcore.figures.theme import Theme
    from evalcore.values.model import Comparison

HOW_TO_READ = Reading(
    "On how many queries each system found the better images, and on how many they did equally well.",
    "Counts of positive, zero and negative per-query differences, without a margin for ties.",
)


def win_tie_loss(comparison: Comparison, *, theme: Theme) -> Drawn:
    """On how many queries is the system better than, equal to, worse than the baseline: one bar."""
    c = comparison
    total = c.wins + c.ties + c.losses
    if not total:
        message = f"{c.system} and {c.baseline} share no query with a value."
        return nothing(message, HOW_TO_READ, theme=theme)
    first, second = pair_of(c.system, c.baseline, theme)
    parts = (
        (f"{short(c.system, 18)} better", c.wins, first, "left", 0.0),
        ("equal", c.ties, theme.neutral, "center", 0.5),
        (f"{short(c.baseline, 18)} better", c.losses, second, "right", 1.0),
    )
    traces, notes = [], []
    for name, n, colour, side, place in parts:
        of_all = safe(share(n / total))
        hover = [f"{safe(name)}: {things(n, 'query')}, {of_all}"]
        marker = {"color": colour, "line": {"color": theme.surface, "width": 2}}
        traces.append(bars([n], hover, marker, name=safe(name), width=0.9))
        notes.append(note(
            f"<b>{safe(name)}</b><br>{n:,} · {of_all}", place, 1,
            readable(colour, theme.surface, TEXT_CONTRAST), size=13, align=side, xanchor=side, xref="paper",
            yref="paper", yanchor="top",
        ))  # fmt: skip
    drawn = figure(
        theme=theme, height=84, bottom=4, right=4, title="How often is each system better?",
        subtitle=f"{c.metric} · n = {things(total, 'query')} with a value for both",
        traces=traces, notes=notes, barmode="stack", bargap=0,
        x=NO_AXIS | {"range": [0, total]}, y=NO_AXIS | {"range": [-0.5, 1.6]},
    )  # fmt: skip
    return Drawn(drawn, _take_away(c, total), HOW_TO_READ)


def _take_away(c: Comparison, total: int) -> str:
    """The take-away in counts."""
    return (
        f"Of {things(total, 'query')}, {c.system} is better on {c.wins:,}, "
        f"{c.baseline} on {c.losses:,}, and they are equal on {c.ties:,} under {c.metric}."
    )
