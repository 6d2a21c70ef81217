"""The figures of what the library answers, as plotly figures: those that the pages draw of the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalcore.figures.ablation import alpha_lines
from evalcore.figures.bands import Line
from evalcore.figures.curves import leaderboard_multiples
from evalcore.figures.leaderboard import difference_dots, leaderboard_dots
from evalcore.figures.theme import LIGHT, Theme, style_of
from evalcore.report.figures import by_slice, reach_of, slice_means
from evalcore.study import naming

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from evalcore.report.library import Board, Differences, Slices, Sweep
    from evalcore.values.model import Study


def theme_of(study: Study) -> Theme:
    """The light theme, systems in the colours that the study has for them."""
    return replace(LIGHT, looks=naming.of_study(study))


def means(board: Board, metric: str | None) -> go.Figure:
    """Systems by their mean with intervals, best first, under one metric or under all side by side."""
    metrics = board.metrics if metric is None else (metric,)
    table = {one: {name: board.interval(name, one) for name in board.systems} for one in metrics}
    systems, theme, baseline = board.asked.systems, theme_of(board.asked), board.baseline
    if len(metrics) > 1:
        return leaderboard_multiples(table, systems=systems, theme=theme, baseline=baseline, columns=2).figure
    of = table[metrics[0]]
    return leaderboard_dots(of, metric=metrics[0], systems=systems, theme=theme, baseline=baseline).figure


def differences(found: Differences) -> go.Figure:
    """A row per comparison: the difference with its interval."""
    return difference_dots(found.rows, systems=found.study.systems, theme=theme_of(found.study)).figure


def slices(found: Slices, metric: str, by: str) -> go.Figure:
    """Slices down, systems across, the clearly best of each framed."""
    board = found.board
    rows = [row for row in found.rows if (row.by, row.scores.metric) == (by, metric)]
    intervals = {name: board.interval(name, metric) for name in board.systems}
    drawn = slice_means(
        intervals, by_slice(rows), board.view, by=by, metric=metric, theme=theme_of(board.asked)
    )
    return drawn.figure


def sweep(found: Sweep, metric: str, threshold: int) -> go.Figure:
    """A line per system over alpha, related concepts within ``threshold`` links."""
    rows = [row for row in found.rows if (row.metric, row.threshold) == (metric, threshold)]
    alphas, theme = sorted({row.alpha for row in rows}), theme_of(found.study)
    of = {(row.system, row.alpha): row.interval for row in rows}
    lines = [
        Line(name, [of[name, alpha] for alpha in alphas], style_of(name, found.study.systems, theme))
        for name in dict.fromkeys(row.system for row in rows)
    ]
    title, current = reach_of(threshold), found.settings.alpha
    return alpha_lines(
        lines, alphas, title=title, metric=metric, theme=theme, current=current, zero=True
    ).figure
