"""What people say: measures held against readers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from evalcore.figures.bands import Mark, against_chance
from evalcore.figures.frame import Drawn, Reading, nothing
from evalcore.figures.theme import Theme
from evalcore.stats.correction import CLEAR
from evalcore.values.model import Interval
from evalcore.values.writing import number, p_equals, pluralize, safe, short, span

# Which measure agrees best with readers? A dot on its interval per measure, the best first.

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
UNTESTED_READING = Reading(
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

    ``statistic``: what is on the axis, as in "Kendall's tau-b within queries". ``chance``: its value for a
    measure that has nothing to do with the readers. ``unit``: what the statistic is over: "query", "result",
    "vote". ``readers``: whom the measures are held against, such as "3 readers".
    """
    known = [row for row in rows if math.isfinite(row.value.mean)]
    if not known:
        return nothing(f"No measure has a value: {statistic}.", HOW_TO_READ, theme=theme)
    of = known[0].value
    over = pluralize(of.n_groups, "query")
    over = over if unit == "query" else f"{pluralize(of.n, unit)}, {over}"
    drawn = against_chance(
        [_mark(row, theme) for row in rows],
        statistic=statistic,
        chance=chance,
        theme=theme,
        row=ROW,
        width=NAME,
        title=f"Measures against {short(readers, 40)}",
        subtitle=f"{statistic} and its {of.level:.0%} interval · n = {over}",
    )
    tested = any(row.p is None for row in rows)
    return Drawn(drawn, _take_away(known, statistic, readers), HOW_TO_READ if tested else UNTESTED_READING)


def _mark(row: MeasureRow, theme: Theme) -> Mark:
    one, worse = row.value, row.p is not None and row.p < CLEAR
    against = "the others are compared with it" if row.p is None else safe(p_equals(row.p))
    tested = f"<br>{against}" if row.p is None or math.isfinite(row.p) else ""
    hover = (
        f"<b>{safe(row.name)}</b><br>{number(one.mean)}, {one.level:.0%} interval "
        f"{span(one.low, one.high)}{tested}"
    )
    colour = theme.neutral if worse else ""
    return Mark(row.name, one.mean, one.low, one.high, hover, row.p is None, row.click, colour)


def _take_away(rows: Sequence[MeasureRow], statistic: str, readers: str) -> str:
    best = max(rows, key=lambda row: row.value.mean)
    text = (
        f"{statistic}, {pluralize(len(rows), 'measure')} against {readers}: {best.name} highest with "
        f"{number(best.value.mean)} ({span(best.value.low, best.value.high)})"
    )
    if not any(row.p is None for row in rows):
        return f"{text}."
    worse = sum(row.p is not None and row.p < CLEAR for row in rows)
    return f"{text}; {worse} clearly worse than the reference."
