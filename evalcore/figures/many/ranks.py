"""In which place does each system stand, and how sure is that? Ranks on their intervals, and letters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalcore.evaluate.pairs.ranks import RankInterval
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import ROW, beside, dot_on_interval, room_for, row_axis
from evalcore.figures.theme import Theme, style_of
from evalcore.values.writing import number, safe, share, short, things

HOW_TO_READ = Reading(
    "The mark is a system's rank by its average, 1 for the best; the line shows the ranks it has when "
    "other queries of the same kind are asked. Systems that share a letter do not differ clearly with these "
    "queries, which does not prove that they are equally good.",
    "Rank by the mean and percentile bootstrap interval over the queries with a value under every system; "
    "level means share their mean rank. Letters: compact display (Piepho 2004) of paired permutation tests, "
    "corrected p < .05 over all pairs. Between nearly equal systems the interval of a rank is too narrow "
    "(Hall & Miller 2009): go by the letters.",
)
NAME = 24
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
        return nothing(f"No query has a value under every system for {metric}.", HOW_TO_READ, theme=theme)
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
        left=room_for([short(of.system, NAME) for of in ranks]),
        subtitle=f"{metric} · {things(one.n, 'query')} · rank and its {one.level:.0%} interval · "
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
        y=row_axis([safe(short(of.system, NAME)) for of in ranks], theme, automargin=False),
    )
    return Drawn(drawn, _take_away(ranks, letters, metric), HOW_TO_READ)


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
        f"{things(best.n, 'query')}."
    )
