"""How alike are the results of the systems? Rank-biased overlap and shared results of every two."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from evalcore.evaluate.pairs.overlap import Overlap, Overlaps
from evalcore.figures.frame import Drawn, Reading, figure, nothing
from evalcore.figures.many.squares import MOST_NUMBERS, frame_of, marks
from evalcore.figures.marks import heat, how_many, numbers_in_cells
from evalcore.figures.theme import Theme, blend
from evalcore.values.writing import brief, number, safe, span, things

HOW_TO_READ = Reading(
    "Strong colour: the two systems find the same images. Above the diagonal the order counts, and the first "
    "results count most; below it is the share of the first results that both find. Alike does not mean "
    "good: two systems can make the same mistakes. Select a square to compare the two above.",
    "Above the diagonal mean rank-biased overlap, extrapolated (Webber et al. 2010), below it mean overlap "
    "at k, over the queries both answer; equal scores in the order of the run. Bounds and bootstrap "
    "intervals: point at a square, or see the table.",
)


def overlap_matrix(found: Overlaps, *, theme: Theme) -> Drawn:
    """Systems by systems, from 0 to 1; a click carries row and column."""
    known = [one for one in found.pairs if math.isfinite(one.rbo)]
    if not known:
        return nothing("No two systems answer the same query.", HOW_TO_READ, theme=theme)
    k = len(found.systems)
    place = {name: i for i, name in enumerate(found.systems)}
    values, hover = np.full((k, k), np.nan), [[""] * k for _ in range(k)]
    for one in found.pairs:
        i, j = place[one.a], place[one.b]
        values[i, j], values[j, i] = one.rbo, one.shared
        hover[i][j] = hover[j][i] = _hover(one, found)
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
        subtitle=f"Above the diagonal rank-biased overlap (p = {found.p:g}, first {found.depth:,} results), "
        f"below shared of the first {found.k:,} · {queries}",
        traces=[heat(values, (theme.surface, theme.up), 0, 1), *numbers, marks(found.systems, hover)],
        **frame_of(found.systems, theme),
    )
    return Drawn(drawn, _take_away({f"{one.a} and {one.b}": one for one in known}, queries), HOW_TO_READ)


def _hover(one: Overlap, found: Overlaps) -> str:
    head = f"<b>{safe(one.a)}</b> and <b>{safe(one.b)}</b>"
    if not math.isfinite(one.rbo):
        return f"{head}<br>no query is answered by both"
    return (
        f"{head}<br>rank-biased overlap {number(one.rbo)} ({span(one.rbo_low, one.rbo_high)})<br>between "
        f"{number(one.at_least)} and {number(one.at_most)}, whatever comes below<br>shared of the first "
        f"{found.k:,}: {number(one.shared)} ({span(one.shared_low, one.shared_high)})<br>"
        f"{things(one.n, 'query')}, {one.left_out:,} left out"
    )


def _take_away(known: Mapping[str, Overlap], queries: str) -> str:
    """The most and the least alike."""
    order = sorted(known, key=lambda name: known[name].rbo)
    least, most = order[0], order[-1]
    return (
        f"Rank-biased overlap of {things(len(known), 'pair')} of systems over {queries}: most alike {most} "
        f"({number(known[most].rbo)}), least alike {least} ({number(known[least].rbo)})."
    )
