"""Which measure agrees best with readers? A dot on its interval per measure, the best first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.colour import MARK_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import NO_AXIS, axis, figure, nothing
from evalcore.figures.marks import BETTER, HOVER, above_line, level_line, muted
from evalcore.figures.numbers import brief, number, p_equals, span, things
from evalcore.figures.words import safe, short
from evalcore.stats.correction import CLEAR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.model import Interval

_PLAIN = (
    "Further right: the measure goes better with what readers say. At the dotted line it does no better than "
    "chance."
)
_RANGE = (
    "Only results that some system returned were judged: for a system’s own visual similarity that is the "
    "harder test, as it placed its results high."
)
HOW_TO_READ = Reading(
    f"{_PLAIN} Grey: clearly worse than the best, which is the open mark. {_RANGE}",
    "Bootstrap intervals over queries, the same draws for all measures. Open mark: the reference. Grey: "
    "p < .05 against it, paired sign flips over queries, Holm over the measures. Judged results are what "
    "systems returned, so a system’s own cosine is restricted in range.",
)
HOW_TO_READ_UNTESTED = Reading(
    f"{_PLAIN} {_RANGE}",
    "Bootstrap intervals over queries, the same draws for all measures; no test. Judged results are what "
    "systems returned, so a system’s own cosine is restricted in range.",
)
NAME = 34
ROW = 48


class MeasureRow(NamedTuple):
    """One measure: its name, what a click carries, the statistic, and p (corrected) against the reference.

    ``p`` None of the reference itself, NaN where nothing was tested.
    """

    name: str
    click: str
    value: Interval
    p: float | None


def measures_against_readers(
    rows: Sequence[MeasureRow], *, statistic: str, chance: float, readers: str, unit: str, theme: Theme
) -> Drawn:
    """The measures in the order given.

    Parameters
    ----------
    statistic
        What is on the axis, as in "Kendall's tau-b within queries".
    chance
        Its value for a measure that has nothing to do with the readers.
    unit
        What the statistic is over: "query", "result", "vote".
    readers
        Whom the measures are held against, such as "3 readers".
    """
    known = [row for row in rows if math.isfinite(row.value.mean)]
    if not known:
        return nothing(f"No measure has a value: {statistic}.", HOW_TO_READ, theme=theme)
    low, high = _reach(known, chance)
    of = known[0].value
    over = things(of.n_groups, "query", "queries")
    over = over if unit == "query" else f"{things(of.n, unit)}, {over}"
    notes = [note for place, row in enumerate(rows) for note in _words(row, place, theme)]
    drawn = figure(
        theme=theme, height=ROW * len(rows) + 8, left=8, right=8, bottom=48, above=18,
        title=f"Measures against {short(readers, 40)}",
        subtitle=f"{statistic} and its {of.level:.0%} interval · n = {over}",
        traces=[_mark(row, place, theme) for place, row in enumerate(rows) if row in known],
        notes=[*notes, above_line("chance", chance, theme)], shapes=[level_line(chance, theme)],
        x=axis(theme, title=safe(f"{statistic} · {BETTER.replace('↑', '→')}"), range=[low, high], nticks=6,
               tickformat=".2~f", automargin=False),
        y=NO_AXIS | {"range": [len(rows) - 0.6, -0.9]},
    )  # fmt: skip
    tested = any(row.p is None for row in rows)
    return Drawn(
        drawn, _take_away(known, statistic, readers), HOW_TO_READ if tested else HOW_TO_READ_UNTESTED
    )


def _mark(row: MeasureRow, place: int, theme: Theme) -> Parts:
    worse = row.p is not None and row.p < CLEAR
    colour = theme.neutral if worse else theme.accent
    line = readable(colour, theme.surface, MARK_CONTRAST)
    one = row.value
    return {
        "type": "scatter", "x": [one.low, one.mean, one.high], "y": [place] * 3, "mode": "lines+markers",
        "name": safe(row.name), "line": {"color": line, "width": 3}, "customdata": [row.click] * 3,
        "hovertext": [_hover(row)] * 3, "hovertemplate": HOVER,
        "marker": {
            "size": [0, 11, 0], "symbol": "circle", "opacity": 1, "line": {"color": line, "width": [0, 2, 0]},
            "color": theme.surface if row.p is None else colour,
        },
    }  # fmt: skip


def _hover(row: MeasureRow) -> str:
    one = row.value
    against = "the others are compared with it" if row.p is None else safe(p_equals(row.p))
    tested = f"<br>{against}" if row.p is None or math.isfinite(row.p) else ""
    return (
        f"<b>{safe(row.name)}</b><br>{number(one.mean)}, {one.level:.0%} interval "
        f"{span(one.low, one.high)}{tested}"
    )


def _words(row: MeasureRow, place: int, theme: Theme) -> list[Parts]:
    """Name and value over the mark, at both ends of the row: so they have room on a phone too."""
    one = row.value
    ends = f"{brief(one.low)} to {brief(one.high)}" if math.isfinite(one.low) else ""
    ends = ends if math.isfinite(one.mean) else "no value"
    said = f"<b>{brief(one.mean)}</b> {muted(safe(ends), theme)}"
    common = {
        "y": place, "yshift": 19, "xref": "paper", "showarrow": False, "bgcolor": theme.surface,
        "font": {"size": 13, "color": theme.ink},
    }  # fmt: skip
    return [
        {"text": safe(short(row.name, NAME)), "x": 0, "xanchor": "left", **common},
        {"text": said, "x": 1, "xanchor": "right", **common},
    ]


def _reach(rows: Sequence[MeasureRow], chance: float) -> tuple[float, float]:
    ends = [x for r in rows for x in (r.value.mean, r.value.low, r.value.high) if math.isfinite(x)]
    low, high = min([*ends, chance]), max([*ends, chance])
    room = 0.05 * (high - low) or 0.1
    return low - room, high + room


def _take_away(rows: Sequence[MeasureRow], statistic: str, readers: str) -> str:
    best = max(rows, key=lambda row: row.value.mean)
    said = (
        f"{statistic}, {len(rows)} measures against {readers}: {best.name} highest with "
        f"{number(best.value.mean)} ({span(best.value.low, best.value.high)})"
    )
    if not any(row.p is None for row in rows):
        return f"{said}."
    worse = sum(row.p is not None and row.p < CLEAR for row in rows)
    return f"{said}; {worse} clearly worse than the reference."
