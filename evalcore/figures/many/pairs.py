"""Which systems differ from which? Every pair's difference as a heat map with numbers and marks."""

from __future__ import annotations

from functools import partial

import numpy as np

from evalcore.evaluate.pairs.every_pair import Matrix
from evalcore.figures.frame import Drawn, Parts, Reading, figure, nothing
from evalcore.figures.many.squares import MOST_NUMBERS, frame_of, marks
from evalcore.figures.marks import heat, how_many, numbers_in_cells
from evalcore.figures.theme import Theme, blend
from evalcore.stats.correction import CLEAR
from evalcore.values.arrays import Floats
from evalcore.values.model import Comparison
from evalcore.values.writing import MINUS, p_equals, safe, signed, signed_span, things

HOW_TO_READ = Reading(
    "Each square is the average of its row's system minus that of its column's. Blue: the row is better; "
    "orange: the column is. A star: unlikely to be due to chance, even with so many pairs compared. "
    "Select a square to compare the two above.",
    "Mean paired difference, row minus column, over the queries with a value for both; two-sided paired "
    "permutation test. Star: p < .05, corrected over all pairs shown. The lower half mirrors the upper one. "
    "Selecting a square makes the row system A and the column system B.",
)
FEW = 8
"""Up to so many systems the squares have room for three decimals."""


def pair_matrix(found: Matrix, *, metric: str, theme: Theme) -> Drawn:
    """Systems by systems in the order of the matrix, colours centred at 0. A click carries row and column."""
    differences = found.differences
    if not np.isfinite(differences).any():
        return nothing(f"No two systems share a query with a value under {metric}.", HOW_TO_READ, theme=theme)
    reach = float(np.nanmax(np.abs(differences))) or 1.0
    known = [
        one for row in found.comparisons for one in row if one is not None and np.isfinite(one.difference)
    ]
    queries = how_many(one.n_pairs for one in known)
    drawn = figure(
        theme=theme,
        title="Every system against every other",
        subtitle=f"{metric} · row minus column · {queries} · * corrected p < .05",
        traces=[
            heat(differences, (theme.down, theme.surface, theme.up), -reach, reach),
            *_numbers(found, reach, theme),
            marks(found.systems, _hovers(found)),
        ],
        **frame_of(found.systems, theme),
    )
    return Drawn(drawn, _take_away(found, metric, queries), HOW_TO_READ)


def _numbers(found: Matrix, reach: float, theme: Theme) -> list[Parts]:
    """The differences, those with a star apart from those without."""
    k = len(found.systems)
    if k > MOST_NUMBERS:
        return []
    places, size = (3, 12) if k <= FEW else (2, 11)

    def cell(value: float) -> str:
        return blend(theme.surface, theme.up if value > 0 else theme.down, abs(value) / reach)

    with np.errstate(invalid="ignore"):
        clear = found.p_corrected < CLEAR
    parts: list[Parts] = []
    for shown, star in ((clear, "*"), (~clear, "")):
        values: Floats = np.where(shown, found.differences, np.nan)
        parts += numbers_in_cells(
            values, cell=cell, text=partial(brief_signed, places=places, mark=star), size=size, theme=theme
        )
    return parts


def brief_signed(value: float, places: int, mark: str = "") -> str:
    """A difference where space is short: its sign, no leading 0, and a mark behind.

    >>> brief_signed(0.104, 2), brief_signed(-0.5, 2), brief_signed(0.0, 2), brief_signed(0.001, 2)
    ('+.10', '−.50', '0', '+.00')
    """
    if value == 0:
        return f"0{mark}"
    written = f"{abs(value):.{places}f}"
    return ("+" if value > 0 else MINUS) + written.removeprefix("0") + mark


def _hovers(found: Matrix) -> list[list[str]]:
    return [
        ["" if one is None else _hover(found, i, j, one) for j, one in enumerate(row)]
        for i, row in enumerate(found.comparisons)
    ]


def _hover(found: Matrix, i: int, j: int, one: Comparison) -> str:
    a, b = found.systems[i], found.systems[j]
    head = f"<b>{safe(a)}</b> − {safe(b)}"
    if not np.isfinite(one.difference):
        return f"{head}<br>no query has a value for both"
    same = one.system == a
    low, high = (one.low, one.high) if same else (0.0 - one.high, 0.0 - one.low)
    better, worse = (one.wins, one.losses) if same else (one.losses, one.wins)
    corrected = f"{safe(p_equals(one.p_corrected))} ({safe(one.correction)})"
    return (
        f"{head} {signed(float(found.differences[i, j]))}<br>{one.level:.0%} interval "
        f"{signed_span(low, high)}<br>{safe(p_equals(one.p))}, corrected {corrected}<br>"
        f"{things(one.n_pairs, 'query')}: {better:,} better, {one.ties:,} equal, {worse:,} worse"
    )


def _take_away(found: Matrix, metric: str, queries: str) -> str:
    """How many pairs are told apart, and which of all differ the most."""
    upper = np.triu(np.ones_like(found.differences, bool), 1) & np.isfinite(found.differences)
    with np.errstate(invalid="ignore"):
        clear = int(np.count_nonzero(upper & (found.p_corrected < CLEAR)))
    i, j = np.unravel_index(int(np.argmax(np.where(upper, np.abs(found.differences), -1))), upper.shape)
    return (
        f"{things(len(found.systems), 'system')} under {metric} over {queries}: {clear:,} of "
        f"{things(int(upper.sum()), 'pair')} differ clearly (corrected p < .05); the largest difference is "
        f"{found.systems[i]} minus {found.systems[j]}, {signed(float(found.differences[i, j]))}."
    )
