"""How much better? Paired differences against the baseline, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Reading, axis, figure, nothing
from evalcore.figures.theme import Theme, style_of
from evalcore.values.model import Comparison
from evalcore.values.writing import p_equals, safe, short, signed, signed_span, things

HOW_TO_READ = Reading(
    "Each mark is how much better (right of the line) or worse (left) a system is on average. If its "
    "bar crosses the line, the difference may be due to chance.",
    "Mean paired difference over the queries both have a value for, bootstrap interval over queries, "
    "two-sided paired permutation test, p corrected over all comparisons shown unless switched off.",
)
NAME, LABEL = 20, 24
"""Characters of a system's and of a metric's name at most."""
NOTHING = "No two systems share a query with a value, so nothing is compared."


def difference_dots(comparisons: Sequence[Comparison], *, systems: Sequence[str], theme: Theme) -> Drawn:
    """System minus baseline with its interval, one row per comparison, a line at "no difference".

    Comparisons keep their order; with several metrics each row says which. Right of the line the
    system is better. The column beside the plot gives the difference and the corrected p.
    """
    shown = [c for c in comparisons if math.isfinite(c.difference)]
    if not shown:
        return nothing(NOTHING, HOW_TO_READ, theme=theme)
    metrics = {c.metric for c in shown}
    against = shown[0].baseline if len({c.baseline for c in shown}) == 1 else "baseline"
    metric = shown[0].metric if len(metrics) == 1 else "Each metric"
    traces, notes = [], []
    for row, c in enumerate(shown):
        style = style_of(c.system, systems, theme)
        traces.append(
            marks.dot_on_interval(c.difference, c.low, c.high, row=row, style=style, hover=_hover(c))
        )
        notes.append(marks.beside(row, signed(c.difference), p_equals(c.p_corrected), theme))
    names = [short(c.system, NAME) for c in shown]
    names += [short(c.metric, LABEL) for c in shown if len(metrics) > 1]
    pairs = marks.n_of((c.n_pairs for c in shown), "pair")
    title = safe(f"system − {short(against, 20)} · {pairs} · {marks.BETTER} right of 0")
    drawn = figure(
        theme=theme,
        height=marks.ROW * len(shown) + 8,
        left=marks.room_for(names),
        right=marks.COLUMN,
        bottom=48,
        title=f"Difference from {against}",
        subtitle=f"{metric} · mean paired difference and its {shown[0].level:.0%} interval",
        traces=traces,
        notes=notes,
        shapes=[marks.level_line(0, theme, dash="solid", colour=theme.ink)],
        x=axis(theme, title=title, range=_reach(shown), nticks=6, tickformat=".3~g", automargin=False),
        y=marks.row_axis([_row_name(c, len(metrics) > 1, theme) for c in shown], theme, automargin=False),
    )
    return Drawn(drawn, _take_away(shown), HOW_TO_READ)


def _take_away(shown: Sequence[Comparison]) -> str:
    """The take-away: how far each system is from the baseline, with interval and corrected p."""
    summary = "; ".join(
        f"{c.system} minus {c.baseline} under {c.metric}: {signed(c.difference)} "
        f"({signed_span(c.low, c.high)}), {p_equals(c.p_corrected)}"
        for c in shown[:6]
    )
    return f"{summary}{f'; and {len(shown) - 6} more' if len(shown) > 6 else ''}."


def _hover(c: Comparison) -> str:
    """Hover text of one comparison."""
    return (
        f"<b>{safe(c.system)} − {safe(c.baseline)}</b><br>{safe(c.metric)} {signed(c.difference)}<br>"
        f"{c.level:.0%} interval {signed_span(c.low, c.high)}<br>"
        f"{safe(p_equals(c.p_corrected))} ({safe(c.correction)})<br>"
        f"{things(c.n_pairs, 'pair')}: {c.wins:,} better, {c.ties:,} equal, {c.losses:,} worse"
    )


def _reach(shown: Sequence[Comparison]) -> list[float]:
    """Axis range: symmetric around 0 unless every interval lies on the right of it."""
    reach = farthest(shown)
    return [-reach if any(min(c.difference, c.low) < 0 for c in shown) else -reach / 4, reach]


def farthest(found: Iterable[Comparison]) -> float:
    """Just beyond the difference or end of an interval that is farthest from 0; 1 when all are 0."""
    ends = [abs(x) for c in found for x in (c.difference, c.low, c.high) if math.isfinite(x)]
    return 1.1 * max(ends) or 1.0


def _row_name(c: Comparison, with_metric: bool, theme: Theme) -> str:
    name = safe(short(c.system, NAME))
    return f"{name}<br>{marks.muted(safe(short(c.metric, LABEL)), theme)}" if with_metric else name
