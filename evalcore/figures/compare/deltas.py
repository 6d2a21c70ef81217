"""Where do two systems differ? One bar per query, sorted by the difference; a click opens the query."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.figures.colour import TEXT_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import BETTER, Y_AXIS, across, by_id, note
from evalcore.figures.numbers import share, signed, things
from evalcore.figures.theme import pair_of
from evalcore.figures.words import safe, short
from evalcore.stats.sums import mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats, Offsets

_SIDES = "Above the line the first system found better images, below the line the second did."
_SORTED = (
    "Per-query difference of the metric, sorted descending, ties by query id; queries undefined for either "
    "system left out."
)
HOW_TO_READ = Reading(f"Each bar is one query. {_SIDES} Select a bar to open the query.", _SORTED)
GROUPED = Reading(
    f"Each bar is the average of several queries with similar differences. {_SIDES} Select a bar to open the "
    "query in its middle.",
    f"{_SORTED} Each bar is the mean of neighbours in this order.",
)
MAX_BARS = 1_500
BINS = 500
"""Up to how many queries each has its own bar, and how many bars there are beyond that."""
CROWDED = 60


class Bars(NamedTuple):
    """The bars: which query each opens, where it stands, how high and wide it is, what it says."""

    ids: list[str]
    x: Floats
    y: Floats
    width: Floats
    hover: list[str]


def delta_bars(
    query_ids: Sequence[str],
    deltas: Floats,
    *,
    a: str,
    b: str,
    metric: str,
    theme: Theme,
) -> Drawn:
    """Score of ``a`` minus score of ``b`` for every query, largest gain of ``a`` first.

    Parameters
    ----------
    query_ids, deltas
        Aligned, shape (n,). NaN differences are left out and counted. Equal differences stand in
        the order of the ids. Above 1,500 queries each bar is the mean of neighbours in this order
        and opens the query in its middle; the hover text says so.
    """
    order = _order(query_ids, deltas)
    if not len(order):
        return nothing(f"{a} and {b} share no query with a value under {metric}.", HOW_TO_READ, theme=theme)
    equal, left_out = int(np.sum(deltas[order] == 0)), len(deltas) - len(order)
    many = len(order) > MAX_BARS
    bars = _grouped(query_ids, deltas, order) if many else _single(query_ids, deltas, order)
    reach = 1.15 * float(np.max(np.abs(bars.y))) or 1.0
    drawn = figure(
        theme=theme, height=280, title=f"{short(a, 24)} − {short(b, 24)}", left=Y_AXIS, bottom=44,
        subtitle=f"{metric} · n = {things(len(order), 'query')} · {equal:,} equal"
        + (f" · {left_out:,} without a value" if left_out else ""),
        traces=[_trace(bars, (a, b), theme)], notes=_directions(deltas[order], a, b, theme),
        shapes=[across(0, theme.muted, 1)], bargap=0 if len(bars.x) > CROWDED else 0.15,
        x=axis(theme, title="queries, sorted by difference", grid=False, showticklabels=False,
               automargin=False, range=[0.5, len(order) + 0.5]),
        y=axis(theme, title=safe(f"difference · {BETTER} for {short(a, 18)}"), nticks=6,
               automargin=False, range=[-reach, reach], tickformat=".3~g"),
    )  # fmt: skip
    return Drawn(drawn, _take_away(deltas[order], a, b, metric), GROUPED if many else HOW_TO_READ)


def _take_away(known: Floats, a: str, b: str, metric: str) -> str:
    """The take-away: on how many queries each is better, and the largest differences."""
    wins, losses = int(np.sum(known > 0)), int(np.sum(known < 0))
    return (
        f"{metric} over {things(len(known), 'query')}: {a} is better on {wins:,}, {b} on "
        f"{losses:,}, equal on {len(known) - wins - losses:,}; the differences run from "
        f"{signed(float(known.min()))} to {signed(float(known.max()))}."
    )


def _order(query_ids: Sequence[str], deltas: Floats) -> Offsets:
    """Positions of the queries with a value: difference descending, then id."""
    known = by_id(query_ids, np.flatnonzero(np.isfinite(deltas)))
    return known[np.argsort(-deltas[known], kind="stable")]


def _single(query_ids: Sequence[str], deltas: Floats, order: Offsets) -> Bars:
    """One bar per query."""
    ids = [query_ids[i] for i in order]
    x = np.arange(1, len(order) + 1, dtype=np.float64)
    return Bars(ids, x, deltas[order], np.full(len(order), 1.0 if len(order) > CROWDED else 0.85),
                [safe(name) for name in ids])  # fmt: skip


def _grouped(query_ids: Sequence[str], deltas: Floats, order: Offsets) -> Bars:
    """One bar per group of neighbours in the order: mean difference, id of the middle query."""
    groups = np.array_split(order, BINS)
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    ids = [query_ids[group[len(group) // 2]] for group in groups]
    means = np.array([mean_of(deltas[group]) for group in groups])
    hover = [
        f"mean of {things(len(group), 'query')}; select to open {safe(name)}"
        for group, name in zip(groups, ids, strict=True)
    ]
    return Bars(ids, np.cumsum(sizes) - (sizes - 1) / 2, means, sizes, hover)


def _trace(bars: Bars, names: tuple[str, str], theme: Theme) -> Parts:
    """In the colour of the first system above the line, in that of the second below it."""
    first, second = pair_of(*names, theme)
    colours = np.array([second, theme.neutral, first])[np.sign(bars.y).astype(int) + 1].tolist()
    # Edges in the bar's own colour close the seams between crowded bars.
    edge = {"color": colours, "width": 1 if len(bars.x) > CROWDED else 0}
    return {
        "type": "bar", "x": bars.x, "y": bars.y, "width": bars.width, "customdata": bars.ids,
        "hovertext": bars.hover, "meta": [safe(name) for name in names],
        "hovertemplate": "%{hovertext}<br>%{meta[0]} − %{meta[1]}: %{y:+.3g}<extra></extra>",
        "marker": {"color": colours, "line": edge},
    }  # fmt: skip


def _directions(known: Floats, a: str, b: str, theme: Theme) -> list[Parts]:
    """Above the line "A better: n", below it "B better: n", in the corners the bars leave free."""
    first, second = pair_of(a, b, theme)
    corners = (
        ("▲", a, int(np.sum(known > 0)), first, 1, "right", "top"),
        ("▼", b, int(np.sum(known < 0)), second, 0, "left", "bottom"),
    )
    n_all = len(known)
    return [
        note(
            f"{sign} <b>{safe(short(name, 20))} better</b><br>{n:,} · {safe(share(n / n_all))}", corner,
            corner, readable(colour, theme.surface, TEXT_CONTRAST), size=13, xref="paper", yref="paper",
            xanchor=side, yanchor=end, align=side,
        )
        for sign, name, n, colour, corner, side, end in corners
    ]  # fmt: skip
