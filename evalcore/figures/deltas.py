"""Where do two systems differ? One bar per query, sorted by the difference; a click opens the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.figures import marks
from evalcore.figures.bars import columns
from evalcore.figures.frame import Drawn, Parts, Reading, nothing
from evalcore.figures.theme import TEXT_CONTRAST, Theme, pair_of, readable
from evalcore.stats.sums import mean_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.writing import pluralize, safe, share, short, signed

_SIDES = "Above the line the first system found better images, below the line the second did."
_SORTED = (
    "Per-query difference of the metric, sorted descending, ties by query id; queries undefined for either "
    "system left out."
)
DELTAS = Reading(f"Each bar is one query. {_SIDES} Select a bar to open the query.", _SORTED)
GROUPED = Reading(
    f"Each bar is the average of several queries with similar differences. {_SIDES} Select a bar to open the "
    "query in its middle.",
    f"{_SORTED} Each bar is the mean of neighbours in this order.",
)
MAX_BARS, BINS = 1_500, 500
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
    lower_is_better: bool = False,
) -> Drawn:
    """Score of ``a`` minus score of ``b`` for every query, largest gain of ``a`` first.

    Up is better for ``a``: the axis is turned round where ``lower_is_better``.

    ``query_ids``, ``deltas``: aligned, shape (n,). NaN differences are left out and counted. Equal
    differences stand in the order of the ids. Above 1,500 queries each bar is the mean of neighbours in this
    order and opens the query in its middle; the hover text says so.
    """
    sign = -1 if lower_is_better else 1
    known = marks.by_id(query_ids, np.flatnonzero(np.isfinite(deltas)))
    order = known[np.argsort(-sign * deltas[known], kind="stable")]
    if not len(order):
        return nothing(f"{a} and {b} share no query with a value under {metric}.", DELTAS, theme=theme)
    many = len(order) > MAX_BARS
    bars = (_grouped if many else _single)(query_ids, deltas, order)
    first, second = pair_of(a, b, theme)
    colours = np.array([second, theme.neutral, first])[sign * np.sign(bars.y).astype(int) + 1].tolist()
    reach = 1.15 * float(np.max(np.abs(bars.y))) or 1.0
    tied, lost, crowded = int(np.sum(deltas[order] == 0)), len(deltas) - len(order), len(bars.x) > CROWDED
    return columns(
        bars.x,
        bars.y,
        colours=colours,
        hover=bars.hover,
        # Edges in the bar's own colour close the seams between crowded bars.
        edge={"color": colours, "width": 1} if crowded else None,
        options={
            "width": bars.width,
            "customdata": bars.ids,
            "meta": [safe(name) for name in (a, b)],
            "hovertemplate": "%{hovertext}<br>%{meta[0]} − %{meta[1]}: %{y:+.3g}<extra></extra>",
        },
        across={
            "title": "queries, sorted by difference",
            "showticklabels": False,
            "range": [0.5, len(order) + 0.5],
        },
        upward={
            "title": safe(f"difference · {marks.better()} for {short(a, 18)}"),
            "range": marks.toward_better(-reach, reach, lower_is_better),
            "tickformat": marks.ticks_to(reach),
        },
        height=280,
        gap=0 if crowded else 0.15,
        title=f"{short(a, 24)} − {short(b, 24)}",
        subtitle=f"{metric} · {pluralize(len(order), 'query')} · {f'{tied:,} tied' if tied else 'no ties'}"
        + (f" · {lost:,} without a value" if lost else ""),
        notes=_directions(sign * deltas[order], (a, b), (first, second), theme),
        shapes=[marks.across(0, theme.muted, 1)],
        theme=theme,
        alt=_about(deltas[order], a, b, metric, sign),
        reading=GROUPED if many else DELTAS,
    )


def _about(known: Floats, a: str, b: str, metric: str, sign: int) -> str:
    """On how many queries each is better, and the largest differences."""
    wins, losses = int(np.sum(sign * known > 0)), int(np.sum(sign * known < 0))
    return (
        f"{metric} over {pluralize(len(known), 'query')}: {a} is better on {wins:,}, {b} on "
        f"{losses:,}, tied on {len(known) - wins - losses:,}; the differences run from "
        f"{signed(float(known.min()))} to {signed(float(known.max()))}."
    )


def _single(query_ids: Sequence[str], deltas: Floats, order: Offsets) -> Bars:
    """One bar per query."""
    ids, n = [query_ids[i] for i in order], len(order)
    x, width = np.arange(1, n + 1, dtype=np.float64), np.full(n, 1.0 if n > CROWDED else 0.85)
    return Bars(ids, x, deltas[order], width, [safe(name) for name in ids])


def _grouped(query_ids: Sequence[str], deltas: Floats, order: Offsets) -> Bars:
    """One bar per group of neighbours in the order: mean difference, id of the middle query."""
    groups = np.array_split(order, BINS)
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    ids = [query_ids[group[len(group) // 2]] for group in groups]
    means = np.array([mean_of(deltas[group]) for group in groups])
    hover = [
        f"mean of {pluralize(len(group), 'query')}; select to open {safe(name)}"
        for group, name in zip(groups, ids, strict=True)
    ]
    return Bars(ids, np.cumsum(sizes) - (sizes - 1) / 2, means, sizes, hover)


def _directions(leads: Floats, names: tuple[str, str], colours: tuple[str, str], theme: Theme) -> list[Parts]:
    """Above the line "A better: n", below it "B better: n", in the corners the bars leave free."""
    counts = int(np.sum(leads > 0)), int(np.sum(leads < 0))
    corners = (("▲", 1, "right", "top"), ("▼", 0, "left", "bottom"))
    place: Parts = {"size": 13, "xref": "paper", "yref": "paper"}
    return [
        marks.note(
            f"{sign} <b>{safe(short(name, 20))} better</b><br>{n:,} · {safe(share(n / len(leads)))}",
            corner,
            corner,
            readable(colour, theme.surface, TEXT_CONTRAST),
            xanchor=side,
            yanchor=end,
            align=side,
            **place,
        )
        for name, n, colour, (sign, corner, side, end) in zip(names, counts, colours, corners, strict=True)
    ]
