"""Many systems at once: who differs from whom, the place of each, and how alike their results are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from evalcore.evaluate.comparison import Matrix
from evalcore.evaluate.overlap import Overlap, Overlaps
from evalcore.evaluate.ranks import RankInterval
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import (
    ROW,
    ROW_CELLS,
    all_same,
    beside,
    click_marks,
    dot_on_interval,
    heat,
    how_many,
    numbers_in_cells,
    room_for,
    row_axis,
    square,
)
from evalcore.figures.theme import Theme, blend, style_of
from evalcore.stats.correction import CLEAR
from evalcore.values.arrays import Floats
from evalcore.values.model import Comparison
from evalcore.values.writing import (
    MINUS,
    brief,
    number,
    p_equals,
    pluralize,
    safe,
    share,
    short,
    signed,
    signed_span,
    span,
)

# A square of systems by systems: the frame of both matrices, and the marks that a click meets.

NAME_SQUARES = 22
"""Characters of a name at most."""
MOST_NUMBERS = 16
"""With more systems the squares are too small for numbers."""


def frame_of(systems: Sequence[str], theme: Theme) -> Parts:
    """Axes, height and margins of a square with these rows and columns."""
    row = ROW_CELLS if len(systems) <= MOST_NUMBERS else 22
    return square(systems, theme, width=NAME_SQUARES, row=row) | {"hoverdistance": -1}


def marks(systems: Sequence[str], hover: Sequence[Sequence[str]]) -> Parts:
    """Invisible marks over the squares off the diagonal: plotly cannot report clicks on a heat map.

    Each carries its row and its column; ``hover``: by row and column, escaped already, "" for no mark.
    """
    cells = [(i, j) for i in range(len(systems)) for j in range(len(systems)) if i != j and hover[i][j]]
    return click_marks(
        [(j, i) for i, j in cells],
        [[systems[i], systems[j]] for i, j in cells],
        [hover[i][j] for i, j in cells],
        ROW_CELLS - 4,
    )


# How similar are the results of the systems? Rank-biased overlap and shared results of every two.

OVERLAPS_READING = Reading(
    "Strong colour: the two systems find the same images. Above the diagonal the order counts, and the first "
    "results count most; below it is the share of the first results that both find. Similar does "
    "not mean good: two systems can make the same mistakes. Select a square to compare its two systems.",
    "Above the diagonal mean rank-biased overlap, extrapolated (Webber et al. 2010), below it mean overlap "
    "at k, over the queries both answer; equal scores in the order of the run. Bounds and bootstrap "
    "intervals: point at a square, or see the table.",
)


def overlap_matrix(overlaps: Overlaps, *, theme: Theme) -> Drawn:
    """Systems by systems, from 0 to 1; a click carries row and column."""
    known = [pair for pair in overlaps.pairs if math.isfinite(pair.rbo)]
    if not known:
        return nothing("No two systems answer the same query.", OVERLAPS_READING, theme=theme)
    k = len(overlaps.systems)
    place = {name: i for i, name in enumerate(overlaps.systems)}
    values, hover = np.full((k, k), np.nan), [[""] * k for _ in range(k)]
    for pair in overlaps.pairs:
        i, j = place[pair.a], place[pair.b]
        values[i, j], values[j, i] = pair.rbo, pair.shared
        hover[i][j] = hover[j][i] = _overlaps_hover(pair, overlaps)
    queries = how_many(one.n for one in known)
    numbers = (
        []
        if k > MOST_NUMBERS
        else numbers_in_cells(
            values,
            cell=lambda value: blend(theme.surface, theme.up, value),
            text=brief,
            size=13 if k <= 10 else 11,
            theme=theme,
        )
    )
    drawn = figure(
        theme=theme,
        title="Do the systems find the same images?",
        subtitle=f"Above the diagonal rank-biased overlap (p = {overlaps.p:g}, first {overlaps.depth:,} "
        f"results), below shared of the first {overlaps.k:,} · {queries}",
        traces=[heat(values, (theme.surface, theme.up), 0, 1), *numbers, marks(overlaps.systems, hover)],
        **frame_of(overlaps.systems, theme),
    )
    take_away = _overlaps_take_away({f"{one.a} and {one.b}": one for one in known}, queries)
    return Drawn(drawn, take_away, OVERLAPS_READING, all_same(values))


def _overlaps_hover(overlap: Overlap, overlaps: Overlaps) -> str:
    head = f"<b>{safe(overlap.a)}</b> and <b>{safe(overlap.b)}</b>"
    if not math.isfinite(overlap.rbo):
        return f"{head}<br>no query is answered by both"
    return (
        f"{head}<br>rank-biased overlap {number(overlap.rbo)} ({span(overlap.rbo_low, overlap.rbo_high)})<br>"
        f"between {number(overlap.at_least)} and {number(overlap.at_most)}, whatever comes below<br>"
        f"shared of the first {overlaps.k:,}: {number(overlap.shared)} "
        f"({span(overlap.shared_low, overlap.shared_high)})<br>"
        f"{pluralize(overlap.n, 'query')}, {overlap.left_out:,} left out"
    )


def _overlaps_take_away(known: Mapping[str, Overlap], queries: str) -> str:
    """The most and the least similar."""
    order = sorted(known, key=lambda name: known[name].rbo)
    least, most = order[0], order[-1]
    return (
        f"Rank-biased overlap of {pluralize(len(known), 'pair')} of systems over {queries}: most "
        f"similar {most} ({number(known[most].rbo)}), least similar {least} ({number(known[least].rbo)})."
    )


# Which systems differ from which? Every pair's difference as a heat map with numbers and marks.

PAIRS_READING = Reading(
    "Each square: row system’s average minus column system’s. Blue: the row is better; "
    "orange: the column is. A star: unlikely to be due to chance, even with so many pairs compared. "
    "Select a square to compare its two systems.",
    "Mean paired difference, row minus column, over the queries with a value for both; two-sided paired "
    "permutation test. Star: p < .05, corrected over all pairs shown. The lower half mirrors the upper one. "
    "Selecting a square makes the row system A and the column system B.",
)
FEW = 8
"""Up to so many systems the squares have room for three decimals."""


def pair_matrix(matrix: Matrix, *, metric: str, theme: Theme) -> Drawn:
    """Systems by systems in the order of the matrix, colours centred at 0. A click carries row and column."""
    differences = matrix.differences
    if not np.isfinite(differences).any():
        return nothing(
            f"No two systems share a query with a value under {metric}.", PAIRS_READING, theme=theme
        )
    reach = float(np.nanmax(np.abs(differences))) or 1.0
    known = [
        one for row in matrix.comparisons for one in row if one is not None and np.isfinite(one.difference)
    ]
    queries = how_many(one.n_pairs for one in known)
    better, worse = _sides(matrix, theme)
    drawn = figure(
        theme=theme,
        title="Every system against every other",
        subtitle=f"{metric} · row minus column · {queries} · * corrected p < .05",
        traces=[
            heat(differences, (worse, theme.surface, better), -reach, reach),
            *_numbers(matrix, reach, theme),
            marks(matrix.systems, _hovers(matrix)),
        ],
        **frame_of(matrix.systems, theme),
    )
    return Drawn(drawn, _pairs_take_away(matrix, metric, queries), PAIRS_READING, all_same(differences))


def _sides(matrix: Matrix, theme: Theme) -> tuple[str, str]:
    """The colours of differences above and below 0: of the better row, and of the better column."""
    return (theme.down, theme.up) if matrix.lower_is_better else (theme.up, theme.down)


def _numbers(matrix: Matrix, reach: float, theme: Theme) -> list[Parts]:
    """The differences, those with a star apart from those without."""
    k = len(matrix.systems)
    if k > MOST_NUMBERS:
        return []
    places, size = (3, 12) if k <= FEW else (2, 11)
    places = max(0, places - len(f"{reach:.0f}")) if reach >= 1.5 else places
    above, below = _sides(matrix, theme)

    def cell(value: float) -> str:
        return blend(theme.surface, above if value > 0 else below, abs(value) / reach)

    with np.errstate(invalid="ignore"):
        clear = matrix.p_corrected < CLEAR
    parts: list[Parts] = []
    for shown, star in ((clear, "*"), (~clear, "")):
        values: Floats = np.where(shown, matrix.differences, np.nan)
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


def _hovers(matrix: Matrix) -> list[list[str]]:
    return [
        ["" if one is None else _hover(matrix, i, j, one) for j, one in enumerate(row)]
        for i, row in enumerate(matrix.comparisons)
    ]


def _hover(matrix: Matrix, i: int, j: int, comparison: Comparison) -> str:
    a, b = matrix.systems[i], matrix.systems[j]
    head = f"<b>{safe(a)}</b> − {safe(b)}"
    if not np.isfinite(comparison.difference):
        return f"{head}<br>no query has a value for both"
    same = comparison.system == a
    low, high = (comparison.low, comparison.high) if same else (0.0 - comparison.high, 0.0 - comparison.low)
    better, worse = (comparison.wins, comparison.losses) if same else (comparison.losses, comparison.wins)
    corrected = f"{safe(p_equals(comparison.p_corrected))} ({safe(comparison.correction)})"
    return (
        f"{head} {signed(float(matrix.differences[i, j]))}<br>{comparison.level:.0%} interval "
        f"{signed_span(low, high)}<br>{safe(p_equals(comparison.p))}, corrected {corrected}<br>"
        f"{pluralize(comparison.n_pairs, 'query')}: {better:,} better, {comparison.ties:,} tied, "
        f"{worse:,} worse"
    )


def _pairs_take_away(matrix: Matrix, metric: str, queries: str) -> str:
    """How many pairs are told apart, and which of all differ the most."""
    upper = np.triu(np.ones_like(matrix.differences, bool), 1) & np.isfinite(matrix.differences)
    with np.errstate(invalid="ignore"):
        clear = int(np.count_nonzero(upper & (matrix.p_corrected < CLEAR)))
    i, j = np.unravel_index(int(np.argmax(np.where(upper, np.abs(matrix.differences), -1))), upper.shape)
    return (
        f"{pluralize(len(matrix.systems), 'system')} under {metric} over {queries}: {clear:,} of "
        f"{pluralize(int(upper.sum()), 'pair')} differ clearly (corrected p < .05); the largest difference "
        "is "
        f"{matrix.systems[i]} minus {matrix.systems[j]}, {signed(float(matrix.differences[i, j]))}."
    )


# In which place does each system stand, and how sure is that? Ranks on their intervals, and letters.

RANKS_READING = Reading(
    "The mark is a system's rank by its average, 1 for the best; the line shows the ranks it has when "
    "other queries of the same kind are asked. Systems that share a letter do not differ clearly with these "
    "queries, which does not prove that they are equally good.",
    "Rank by the mean and percentile bootstrap interval over the queries with a value under every system; "
    "level means share their mean rank. Letters: compact display (Piepho 2004) of paired permutation tests, "
    "corrected p < .05 over all pairs. Between nearly equal systems the interval of a rank is too narrow "
    "(Hall & Miller 2009): go by the letters.",
)
NAME_RANKS = 24
COLUMN = 108


def rank_dots(
    ranks: Sequence[RankInterval],
    letters: Sequence[str],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
) -> Drawn:
    """Rank and interval of each system, in the order given; its letters and how often it is first beside.

    ``systems``: all systems of the study, which fix the colours.
    """
    if not ranks or not math.isfinite(ranks[0].rank):
        return nothing(f"No query has a value under every system for {metric}.", RANKS_READING, theme=theme)
    k, one = ranks[0].k, ranks[0]
    traces, notes = [], []
    for row, (of, text) in enumerate(zip(ranks, letters, strict=True)):
        traces.append(_dot(of, row, systems, theme))
        first = f"first in {share(of.first)}" if math.isfinite(of.first) else "no interval"
        notes.append(beside(row, text, first, theme, width=COLUMN))
    drawn = figure(
        theme=theme,
        height=ROW * k + 8,
        title="Rank of each system",
        right=COLUMN,
        bottom=48,
        left=room_for([short(of.system, NAME_RANKS) for of in ranks]),
        subtitle=f"{metric} · {pluralize(one.n, 'query')} · rank and its {one.level:.0%} interval · "
        "systems that share a letter do not differ clearly",
        traces=traces,
        notes=notes,
        x=axis(
            theme,
            title="rank by the mean · ← better",
            range=[0.6, k + 0.4],
            tickmode="array",
            tickvals=_ticks(k),
            automargin=False,
        ),
        y=row_axis([safe(short(of.system, NAME_RANKS)) for of in ranks], theme, automargin=False),
    )
    return Drawn(drawn, _take_away(ranks, letters, metric), RANKS_READING)


def _ticks(k: int) -> list[int]:
    """Whole ranks, about ten of them."""
    step = max(1, math.ceil(k / 10))
    return list(range(1, k + 1, step))


def _dot(of: RankInterval, row: int, systems: Sequence[str], theme: Theme) -> Parts:
    hover = f"<b>{safe(of.system)}</b><br>rank {of.rank:g} of {of.k:,}, mean {number(of.mean)}"
    if math.isfinite(of.low):
        hover += (
            f"<br>{of.level:.0%} interval {of.low:g} to {of.high:g}<br>mean rank of the resamples "
            f"{number(of.expected)}<br>first in {safe(share(of.first))} of them"
        )
    style = style_of(of.system, systems, theme)
    return dot_on_interval(of.rank, of.low, of.high, row=row, style=style, hover=hover)


def _take_away(ranks: Sequence[RankInterval], letters: Sequence[str], metric: str) -> str:
    """Who is first, how surely, and who else is not told apart from it."""
    best = ranks[0]
    others = [
        of.system for of, text in zip(ranks[1:], letters[1:], strict=True) if set(text) & set(letters[0])
    ]
    sure = f", first in {share(best.first)} of the resamples" if math.isfinite(best.first) else ""
    rest = (
        f"not clearly different from it: {', '.join(others)}"
        if others
        else "all others differ clearly from it"
    )
    return (
        f"{metric}: {best.system} has rank {best.rank:g} of {best.k:,}{sure}; {rest}. "
        f"{pluralize(best.n, 'query')}."
    )
