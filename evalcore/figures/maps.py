"""Maps of numbers: systems by systems, measures by measures, and groups of queries by systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import isfinite
from typing import NamedTuple

import numpy as np

from evalcore.evaluate.comparison import both_ways
from evalcore.evaluate.overlap import Overlap, Overlaps
from evalcore.evaluate.slices import FEW
from evalcore.figures import marks
from evalcore.figures.frame import AccessibleFigure, Reading, nothing
from evalcore.figures.matrix import MOST_NUMBERS, matrix, square, table
from evalcore.figures.theme import Theme
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import MINUS, number, p_equals, pluralize, safe, short, span

# How similar are the results of the systems? Rank-biased overlap and shared results of every two.

OVERLAPS = Reading(
    "Strong colour: the two systems find the same images. Above the diagonal the order counts, and the first "
    "results count most; below it is the share of the first results that both find. Similar does "
    "not mean good: two systems can make the same mistakes. Select a square to compare its two systems.",
    "Above the diagonal mean rank-biased overlap, extrapolated (Webber et al. 2010), below it mean overlap "
    "at k, over the queries both answer; equal scores in the order of the run. Bounds and bootstrap "
    "intervals: point at a square, or see the table.",
)
NAME = 22
"""Characters of a system's name at most."""


def overlap_matrix(overlaps: Overlaps, *, theme: Theme) -> AccessibleFigure:
    """Systems by systems, from 0 to 1; a click carries row and column."""
    known = [pair for pair in overlaps.pairs if isfinite(pair.rbo.mean)]
    if not known:
        return nothing("No two systems answer the same query.", OVERLAPS, theme=theme)
    k = len(overlaps.systems)
    place = {name: i for i, name in enumerate(overlaps.systems)}
    values, hover = np.full((k, k), np.nan), [[""] * k for _ in range(k)]
    for pair in overlaps.pairs:
        i, j = place[pair.a], place[pair.b]
        values[i, j], values[j, i] = pair.rbo.mean, pair.shared.mean
        hover[i][j] = hover[j][i] = _hover_of_overlap(pair, overlaps)
    queries = marks.how_many(pair.rbo.n for pair in known)
    return matrix(
        values,
        colours=(theme.surface, theme.up),
        low=0,
        high=1,
        axes=square(overlaps.systems, theme, width=NAME),
        title="Do the systems find the same images?",
        subtitle=f"Above the diagonal rank-biased overlap (p = {overlaps.p:g}, first {overlaps.depth:,} "
        f"results), below shared of the first {overlaps.k:,} · {queries}",
        numbers=[(values, partial(number, places=2))] if k <= MOST_NUMBERS else [],
        size=13 if k <= 10 else 11,
        hover=hover,
        click=_row_and_column(overlaps.systems, hover),
        theme=theme,
        names=(overlaps.systems, overlaps.systems),
        reading=OVERLAPS,
        constant=True,
    )


def _row_and_column(names: Sequence[str], hover: Sequence[Sequence[str]]) -> list[list[object]]:
    """What a click off the diagonal carries, None for cells without a hover text."""
    return [
        [[a, b] if a != b and text else None for b, text in zip(names, row, strict=True)]
        for a, row in zip(names, hover, strict=True)
    ]


def _hover_of_overlap(overlap: Overlap, overlaps: Overlaps) -> str:
    head = f"<b>{safe(overlap.a)}</b> and <b>{safe(overlap.b)}</b>"
    rbo, shared = overlap.rbo, overlap.shared
    if not isfinite(rbo.mean):
        return f"{head}<br>no query is answered by both"
    return (
        f"{head}<br>rank-biased overlap {number(rbo.mean)} ({span(rbo.low, rbo.high)})<br>"
        f"shared of the first {overlaps.k:,}: {number(shared.mean)} ({span(shared.low, shared.high)})<br>"
        f"{pluralize(rbo.n, 'query')}, {overlap.left_out:,} left out"
    )


# Which systems differ from which? Every pair's difference as a heat map with numbers and marks.

PAIRS = Reading(
    "Each square: row system’s average minus column system’s. Blue: the row is better; "
    "orange: the column is. A star: unlikely to be due to chance, even with so many pairs compared. "
    "Select a square to compare its two systems.",
    "Mean paired difference, row minus column, over the queries with a value for both; two-sided paired "
    "permutation test. Star: p < .05, corrected over all pairs shown. The lower half mirrors the upper one. "
    "Selecting a square makes the row system A and the column system B.",
)
FEW_SYSTEMS = 8
"""Up to so many systems the squares have room for three decimals."""


def pair_matrix(
    comparisons: Sequence[Comparison], *, metric: str, theme: Theme, tested: bool = True
) -> AccessibleFigure:
    """Systems by systems in the order of their comparisons (see `Analysis.pairs`), colours
    centred at 0. A click carries row and column. p values are in words only where ``tested``."""
    systems = tuple(dict.fromkeys(name for c in comparisons for name in (c.system, c.baseline)))
    both, k = both_ways(comparisons), len(systems)
    cells = [[both.get((row, column)) for column in systems] for row in systems]
    differences, p = (
        np.array([[np.nan if c is None else getattr(c, name) for c in row] for row in cells], float)
        for name in ("difference", "p_corrected")
    )
    if not np.isfinite(differences).any():
        return nothing(f"No two systems share a query with a value under {metric}.", PAIRS, theme=theme)
    reach = float(np.nanmax(np.abs(differences))) or 1.0
    queries = marks.how_many(c.n_pairs for c in comparisons if isfinite(c.difference))
    hover = [["" if c is None else _hover_of_pair(c, tested=tested) for c in row] for row in cells]
    decimals = 3 if k <= FEW_SYSTEMS else 2
    decimals = max(0, decimals - len(f"{reach:.0f}")) if reach >= 1.5 else decimals
    with np.errstate(invalid="ignore"):
        clear = p < CLEAR
    numbers = [
        (np.where(shown, differences, np.nan), partial(brief_signed, places=decimals, mark=star))
        for shown, star in ((clear, "*"), (~clear, ""))
    ]
    worse, better = (theme.up, theme.down) if comparisons[0].lower_is_better else (theme.down, theme.up)
    return matrix(
        differences,
        colours=(worse, theme.surface, better),
        low=-reach,
        high=reach,
        axes=square(systems, theme, width=NAME),
        title="Every system against every other",
        subtitle=f"{metric} · row minus column · {queries}{' · * corrected p < .05' if tested else ''}",
        numbers=numbers if k <= MOST_NUMBERS else [],
        size=12 if k <= FEW_SYSTEMS else 11,
        hover=hover,
        click=_row_and_column(systems, hover),
        theme=theme,
        names=(systems, systems),
        reading=PAIRS,
        constant=True,
    )


def brief_signed(value: float, places: int, mark: str = "") -> str:
    """A difference where space is short: its sign, no leading 0, and a mark behind.

    >>> brief_signed(0.104, 2), brief_signed(-0.5, 2), brief_signed(0.0, 2), brief_signed(0.001, 2)
    ('+.10', '−.50', '0', '+.00')
    """
    if value == 0:
        return f"0{mark}"
    written = f"{abs(value):.{places}f}"
    return ("+" if value > 0 else MINUS) + written.removeprefix("0") + mark


def _hover_of_pair(c: Comparison, *, tested: bool) -> str:
    head = f"<b>{safe(c.system)}</b> − {safe(c.baseline)}"
    if not isfinite(c.difference):
        return f"{head}<br>no query has a value for both"
    corrected = f"{safe(p_equals(c.p_corrected))} ({safe(c.correction)})"
    p = f"{safe(p_equals(c.p))}, corrected {corrected}<br>" if tested else ""
    return (
        f"{head} {number(c.difference, sign=True)}<br>{c.level:.0%} interval "
        f"{span(c.low, c.high, sign=True)}<br>{p}"
        f"{pluralize(c.n_pairs, 'query')}: {c.wins:,} better, {c.ties:,} tied, {c.losses:,} worse"
    )


# How good is each system for each kind of query? Means of groups by systems as a heat map with numbers.

GROUPS = Reading(
    "Each row is a group of queries, each column a system. Stronger colour means a better average. The frame "
    "in the first row marks the best average; further down, a system that is clearly better there.",
    "Mean over the queries of a slice with a value. First row: the frame marks the best mean, without a "
    "test. Slices: a frame marks a system better than that one, corrected p < .05 over all systems and "
    "slices, at least 5 queries. Empty: no query has a value.",
)


class MapRow(NamedTuple):
    """One row: its name, the number of its queries, {system: mean with interval}, and which is framed.

    ``framed``: of all queries the system with the best mean; of a group one that is clearly better there,
    "" for none.
    """

    name: str
    n: int
    means: Mapping[str, Interval]
    framed: str = ""


def slice_map(
    rows: Sequence[MapRow], systems: Sequence[str], *, by: str, metric: str, theme: Theme
) -> AccessibleFigure:
    """Groups down, systems across, in the orders given; the first row is that of all queries."""
    values = np.array([[row.means[name].mean for name in systems] for row in rows], float)
    first = next(iter(rows[0].means.values()))
    if not np.isfinite(values).any():
        return nothing(f"No query has a value under {metric}.", GROUPS, theme=theme)
    colours, low, high = (theme.surface, theme.up), float(np.nanmin(values)), float(np.nanmax(values))
    if first.lower_is_better:
        colours, high = colours[::-1], high if high - low > SAME else low + 1.0
    elif high - low <= SAME:  # all level: all in full colour
        low = high - 1.0
    few = [" · few" if row.n < FEW else "" for row in rows]
    return matrix(
        values,
        colours=colours,
        low=low,
        high=high,
        axes=table(
            [(short(row.name, 32), f"n = {row.n:,}{mark}") for row, mark in zip(rows, few, strict=True)],
            systems,
            theme,
        ),
        title=f"Each system, by {short(by, 24)}",
        subtitle=f"{metric} · {first.centre} · {marks.better(first.lower_is_better)}",
        numbers=[(values, partial(number, places=2))],
        hover=[[_hover_of_group(row, name) for name in systems] for row in rows],
        framed=[
            (i, j)
            for i, row in enumerate(rows)
            for j, name in enumerate(systems)
            if name == row.framed and isfinite(row.means[name].mean)
        ],
        shapes=[marks.across(0.5, theme.muted, 1)],
        gap=3,
        theme=theme,
        names=([row.name for row in rows], systems),
        reading=GROUPS,
    )


def _hover_of_group(row: MapRow, name: str) -> str:
    mean = row.means[name]
    return (
        f"<b>{safe(name)}</b><br>{safe(row.name)}: {number(mean.mean)} ({span(mean.low, mean.high)})<br>"
        f"{pluralize(mean.n, 'query')} with a value"
    )
