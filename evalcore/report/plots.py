"""The figures of what the library answers, as plotly figures: those that the pages draw of the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evalcore.figures.ablation import alpha_lines
from evalcore.figures.frame import Figure
from evalcore.figures.lines import Line
from evalcore.figures.measures import leaderboard_multiples
from evalcore.figures.systems import difference_dots, leaderboard_dots
from evalcore.figures.theme import LIGHT, Theme, style_of
from evalcore.report.groups import slice_means
from evalcore.report.settings import reach_of

if TYPE_CHECKING:
    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.sweep import SweepRow
    from evalcore.values.model import Comparison, Interval, Study


def theme_of(study: Study) -> Theme:
    """The light theme, systems in the colours that the study has for them."""
    return replace(LIGHT, looks=study.looks)


def means(study: Study, table: Mapping[str, Mapping[str, Interval]], *, baseline: str | None) -> Figure:
    """Systems by their mean with intervals, best first: {metric: {system: mean}}, side by side if several."""
    systems, theme = study.systems, theme_of(study)
    if len(table) > 1:
        return leaderboard_multiples(table, systems=systems, theme=theme, baseline=baseline, columns=2).figure
    ((metric, of),) = table.items()
    return leaderboard_dots(of, metric=metric, systems=systems, theme=theme, baseline=baseline).figure


def differences(study: Study, rows: Sequence[Comparison]) -> Figure:
    """A row per comparison: the difference with its interval."""
    return difference_dots(rows, systems=study.systems, theme=theme_of(study)).figure


def slices(analysis: Analysis, metric: str, by: str) -> Figure:
    """Slices down, systems across, the clearly best framed."""
    return slice_means(analysis, metric, by, theme=theme_of(analysis.study)).figure


def sweep(study: Study, rows: Sequence[SweepRow], *, alpha: float) -> Figure:
    """A line per system over alpha, of rows of one metric and threshold; ``alpha``: the one in use."""
    alphas, theme = sorted({row.alpha for row in rows}), theme_of(study)
    of = {(row.system, row.alpha): row.interval for row in rows}
    lines = [
        Line(name, [of[name, alpha] for alpha in alphas], style_of(name, study.systems, theme))
        for name in dict.fromkeys(row.system for row in rows)
    ]
    title, metric = reach_of(rows[0].threshold), rows[0].metric
    return alpha_lines(
        lines, alphas, title=title, metric=metric, theme=theme, current=alpha, zero=True
    ).figure
