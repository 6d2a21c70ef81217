"""Which system is better? A dot with its interval per system, under one metric or several."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from plotly.subplots import make_subplots

from evalcore.figures.frame import empty_figure, figure
from evalcore.figures.marks import (
    BETTER,
    COLUMN,
    ROW,
    beside,
    dot_on_interval,
    level_line,
    muted,
    n_of,
    row_axis,
    score_axis,
)
from evalcore.figures.theme import style_of
from evalcore.figures.words import count, safe, short, span, three

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

    from evalcore.figures.theme import Theme
    from evalcore.model import Interval

SMALL_ROW = 26
PANEL_HEAD = 70


def leaderboard_dots(
    intervals: Mapping[str, Interval],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
) -> go.Figure:
    """Mean and interval of every system under one metric, best first, the baseline pinned on top.

    Parameters
    ----------
    intervals
        {system: its mean with interval}. A NaN mean is listed without a mark.
    systems
        All systems of the study: they fix the colours.
    baseline
        Pinned first; a dotted line carries its mean through all rows.
    """
    if not _any_value(intervals):
        return empty_figure(f"No system has a value under {metric}.", theme=theme)
    order = ranked(intervals, baseline)
    level = intervals[order[0]].level
    fig = figure(
        theme=theme, height=ROW * len(order) + 8, title=f"{metric} by system", right=COLUMN, bottom=48,
        subtitle=f"Mean over the queries and its {level:.0%} interval",
    )  # fmt: skip
    for row, name in enumerate(order):
        fig.add_traces(_dot(intervals[name], row, name, systems, theme))
        fig.add_annotation(**beside(row, three(intervals[name].mean), _ends(intervals[name]), theme))
    if baseline is not None and baseline in intervals and math.isfinite(intervals[baseline].mean):
        level_line(fig, intervals[baseline].mean, theme)
    title = safe(f"{metric} · {n_of(i.n for i in intervals.values())} · {BETTER}")
    fig.update_xaxes(score_axis(intervals.values(), theme, title=title, nticks=6))
    ticks = [_tick(name, name == baseline, theme) for name in order]
    fig.update_yaxes(row_axis(ticks, theme))
    return fig


def leaderboard_dots_alt(
    intervals: Mapping[str, Interval], *, metric: str, baseline: str | None = None
) -> str:
    """The take-away: first, second, whether their intervals overlap, and where the baseline is."""
    order = [name for name in ranked(intervals, None) if math.isfinite(intervals[name].mean)]
    if not order:
        return f"No system has a value under {metric}."
    first = intervals[order[0]]
    told = f"{metric}: {order[0]} has the highest mean, {three(first.mean)} ({span(first.low, first.high)})"
    if len(order) > 1:
        second = intervals[order[1]]
        apart = "overlap" if second.high >= first.low else "do not overlap"
        told += f", then {order[1]} with {three(second.mean)}; their intervals {apart}"
    if baseline in order[1:]:
        told += f"; the baseline {baseline} has {three(intervals[baseline].mean)}"
    return f"{told}. {count(len(order), 'system')}, {n_of(i.n for i in intervals.values())}."


def leaderboard_multiples(
    table: Mapping[str, Mapping[str, Interval]],
    *,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
    columns: int = 3,
) -> go.Figure:
    """One panel per metric, every panel with the same systems in the same rows.

    ``table`` is {metric: {system: interval}}. The rows are ordered by the first metric, so a change
    of order shows as dots that do not fall in line. Each panel has its own scale, from 0.
    """
    table = {metric: row for metric, row in table.items() if _any_value(row)}
    if not table:
        return empty_figure("No system has a value under the chosen metrics.", theme=theme)
    everyone = {name: interval for row in reversed(table.values()) for name, interval in row.items()}
    order = ranked(everyone, baseline)
    down = -(-len(table) // columns)
    columns = -(-len(table) // down)
    fig = _panels(table, len(order), (down, columns), theme)
    for i, (metric, row) in enumerate(table.items()):
        at = {"row": i // columns + 1, "col": i % columns + 1}
        for place, name in enumerate(order):
            if name in row:
                for trace in _dot(row[name], place, name, systems, theme, size=10, metric=metric):
                    fig.add_trace(trace, **at)
        fig.update_xaxes(score_axis(row.values(), theme, nticks=5), **at)
        fig.add_annotation(
            text=f"<b>{safe(short(metric, 22))}</b>", font={"size": 13, "color": theme.ink}, showarrow=False,
            xref=f"x{i + 1 if i else ''} domain", yref=f"y{i + 1 if i else ''} domain",
            x=0, y=1, yshift=18, xanchor="left",
        )  # fmt: skip
    ticks = [safe(short(name, 16)) for name in order]
    bold = [f"<b>{text}</b>" if name == baseline else text for name, text in zip(order, ticks, strict=True)]
    fig.update_yaxes(row_axis(bold, theme))
    return fig


def leaderboard_multiples_alt(table: Mapping[str, Mapping[str, Interval]]) -> str:
    """The take-away: which system is highest under how many of the metrics."""
    firsts = [ranked(row, None)[0] for row in table.values() if _any_value(row)]
    if not firsts:
        return "No system has a value under the chosen metrics."
    best = sorted(set(firsts), key=lambda name: (-firsts.count(name), name))
    told = ", ".join(f"{name} under {firsts.count(name)}" for name in best)
    return f"Highest mean, over {count(len(firsts), 'metric')}: {told}."


def ranked(intervals: Mapping[str, Interval], baseline: str | None) -> list[str]:
    """Systems by mean, highest first, equal means by name, NaN last; the baseline in front."""

    def key(name: str) -> tuple[bool, bool, float, str]:
        mean = intervals[name].mean
        return name != baseline, math.isnan(mean), 0.0 if math.isnan(mean) else -mean, name

    return sorted(intervals, key=key)


def _panels(
    table: Mapping[str, Mapping[str, Interval]], n_rows: int, shape: tuple[int, int], theme: Theme
) -> go.Figure:
    """The empty grid of panels; every row of panels as high as its systems need."""
    down, across = shape
    height = (SMALL_ROW * n_rows + PANEL_HEAD) * down
    sizes = n_of(interval.n for row in table.values() for interval in row.values())
    fig = figure(
        theme=theme, height=height, title="Systems under each metric", right=20, bottom=30,
        subtitle=f"Mean and interval · {sizes} · {BETTER}",
    )  # fmt: skip
    fig.update_layout(margin_t=fig.layout.margin.t + 22, height=fig.layout.height + 22)
    return make_subplots(
        rows=down, cols=across, shared_yaxes=True, figure=fig, horizontal_spacing=0.16 / across,
        vertical_spacing=PANEL_HEAD / height if down > 1 else 0,
    )  # fmt: skip


def _dot(
    interval: Interval,
    row: int,
    name: str,
    systems: Sequence[str],
    theme: Theme,
    *,
    size: int = 12,
    metric: str = "mean",
) -> list[go.Scatter]:
    told = (
        f"<b>{safe(name)}</b><br>{safe(metric)} {three(interval.mean)}<br>{interval.level:.0%} interval "
        f"{span(interval.low, interval.high)}<br>{count(interval.n, 'query', 'queries')}"
    )
    style = style_of(name, systems, theme)
    return dot_on_interval(
        interval.mean, interval.low, interval.high, row=row, style=style, told=told, size=size
    )


def _any_value(intervals: Mapping[str, Interval]) -> bool:
    return any(math.isfinite(interval.mean) for interval in intervals.values())


def _ends(interval: Interval) -> str:
    if not math.isfinite(interval.low):
        return "no interval"
    return f"{three(interval.low)} – {three(interval.high)}"


def _tick(name: str, is_baseline: bool, theme: Theme) -> str:
    text = safe(short(name, 20))
    return f"{text}<br>{muted('baseline', theme)}" if is_baseline else text
