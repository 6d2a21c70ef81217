"""Measures against readers: a dot on its interval per measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from evalcore.figures.frame import AccessibleFigure, Reading
from evalcore.figures.measures import chance_axis, measure_row
from evalcore.figures.rows import Row, interval_rows
from evalcore.figures.theme import Theme, plain_style
from evalcore.stats.correction import CLEAR
from evalcore.values.model import Interval
from evalcore.values.writing import number, p_equals, pluralize, safe, short, span

# Which measure agrees best with readers? A dot on its interval per measure, the best first.

_PLAIN = "Further right: the measure agrees better with readers. The dotted line is agreement by chance."
_RANGE = (
    "Only results that some system returned were judged, which is harder on that system’s own similarity."
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
) -> AccessibleFigure:
    """The measures in the order given, at least one.

    ``statistic``: what is on the axis, as in "Kendall's tau-b within queries". ``chance``: its value for a
    measure that has nothing to do with the readers. ``unit``: what the statistic is over: "query", "result",
    "vote". ``readers``: whom the measures are held against, such as "3 readers".
    """
    first = next((row.value for row in rows if math.isfinite(row.value.mean)), rows[0].value)
    over = pluralize(first.n_groups, "query")
    over = over if unit == "query" else f"{pluralize(first.n, unit)}, {over}"
    drawn, tested = [_row(row, theme) for row in rows], any(row.p is None for row in rows)
    return interval_rows(
        drawn,
        title=f"Measures against {short(readers, 40)}",
        subtitle=f"{statistic} and its {first.level:.0%} interval · n = {over}",
        x=chance_axis(drawn, statistic, chance),
        lines=[(chance, "chance")],
        name=34,
        theme=theme,
        reading=HOW_TO_READ if tested else UNTESTED_READING,
        none=f"No measure has a value: {statistic}.",
    )


def _row(row: MeasureRow, theme: Theme) -> Row:
    mean, worse = row.value, row.p is not None and row.p < CLEAR
    against = "the others are compared with it" if row.p is None else safe(p_equals(row.p))
    tested = f"<br>{against}" if row.p is None or math.isfinite(row.p) else ""
    hover = (
        f"<b>{safe(row.name)}</b><br>{number(mean.mean)}, {mean.level:.0%} interval "
        f"{span(mean.low, mean.high)}{tested}"
    )
    style = plain_style(row.name, theme.neutral if worse else theme.accent, theme)
    at = mean.mean, mean.low, mean.high
    return measure_row(row.name, at, hover, style, hollow=row.p is None, click=row.click)
