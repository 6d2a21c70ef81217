"""The figures of a report, light and in a font for print, under names that are those of their files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.policy import counted
from evalcore.figures.compare.deltas import delta_bars
from evalcore.figures.differences import difference_dots
from evalcore.figures.leaderboard import leaderboard_dots
from evalcore.figures.printed import PAPER
from evalcore.stats.levels import difference
from evalcore.study import looks

if TYPE_CHECKING:
    from evalcore.figures.drawn import Drawn
    from evalcore.figures.theme import Theme
    from evalcore.report.found import Found, OfMetric


MOST_ROWS = 24
"""Differences in one figure, that it fits a page; more are drawn measure by measure."""


class Named(NamedTuple):
    """A figure and the name of its file, without an ending."""

    name: str
    drawn: Drawn


def figures_of(found: Found) -> list[Named]:
    """Of each measure every system's mean; all differences from the baseline; of each measure the queries on
    which the best system and the second differ."""
    theme = replace(PAPER, looks=looks.of_study(found.whole))
    systems = found.study.systems
    drawn = [
        Named(f"means-{number}", leaderboard_dots(
            one.intervals, metric=one.metric, systems=systems, theme=theme, baseline=found.view.baseline
        ))
        for number, one in enumerate(found.metrics, start=1)
    ]  # fmt: skip
    parts = {"differences": found.comparisons}
    if len(found.comparisons) > MOST_ROWS:
        parts = {
            f"differences-{number}": one.comparisons for number, one in enumerate(found.metrics, start=1)
        }
    drawn += [
        Named(name, difference_dots(rows, systems=systems, theme=theme))
        for name, rows in parts.items()
        if rows
    ]
    for number, one in enumerate(found.metrics, start=1):
        if one.gap is not None and one.gap.n_pairs:
            drawn.append(Named(f"queries-{number}", _queries(found, one, theme)))
    return drawn


def _queries(found: Found, of: OfMetric, theme: Theme) -> Drawn:
    """The best system minus the second, query by query."""
    assert of.gap is not None, "two systems were compared"
    scores = {one.system: one for one in of.scores}
    settings = found.view.settings
    (queries, theirs), (others, values) = (
        counted(scores[name], settings) for name in (of.gap.baseline, of.gap.system)
    )
    common, here, there = np.intersect1d(queries, others, assume_unique=True, return_indices=True)
    ids = [found.study.image_ids[query] for query in common]
    deltas = difference(values[there], theirs[here])
    return delta_bars(ids, deltas, a=of.gap.system, b=of.gap.baseline, metric=of.metric, theme=theme)
