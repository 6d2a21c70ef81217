"""Which queries are worth opening? Score of one system against the other, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import Y_AXIS, across, bars, better, by_id, note, segment, ticks_to, toward_better
from evalcore.figures.theme import TEXT_CONTRAST, Theme, pair_of, readable
from evalcore.stats.sums import mean_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.model import Comparison
from evalcore.values.writing import number, pluralize, safe, share, short, signed

_LINE = "On the line both systems do equally well; dots far from it are cases worth opening."
HOW_TO_READ = Reading(
    f"Each dot is one query. {_LINE}",
    "Per-query values of both systems; dashed lines at the cut between good and poor.",
)
MERGED = Reading(
    f"Each dot is one query, a larger one several with the same scores. {_LINE}",
    "Per-query values of both systems; dashed lines at the cut between good and poor; dots at one place "
    "are merged, area by number of queries, beyond 2,000 places in a grid of 24 x 24 cells.",
)
MAX_MARKS = 2_000
CELLS = 24
"""Beyond this many different positions, queries are gathered in cells of 1/24 of the axis."""
SIDE = 380
"""Pixels along the axes; dots are kept from covering their neighbours in it."""


class Places(NamedTuple):
    """The dots: where each lies, which query it opens, and for how many queries it stands."""

    x: Floats
    y: Floats
    first: Offsets
    sizes: Offsets


def score_scatter(
    query_ids: Sequence[str],
    values_a: Floats,
    values_b: Floats,
    *,
    a: str,
    b: str,
    metric: str,
    good_at: float,
    poor_below: float | None = None,
    lower_is_better: bool = False,
    theme: Theme,
) -> Drawn:
    """Every query as a dot: score of ``a`` across, of ``b`` upwards, on the diagonal no difference.

    Right and up is better: both axes are turned round where ``lower_is_better``, and good and poor with them.

    ``query_ids``, ``values_a``, ``values_b``: aligned, shape (n,). Pairs with a NaN are left out and counted.
    ``good_at``: the score from which a result counts as good; it draws the four named quarters.
    ``poor_below``: the score below which it counts as poor; None where that is all that is not good.

    Queries at the same position share one dot whose area grows with their number; it opens the first
    of them by id. Beyond 2,000 positions a dot stands in the middle of a cell of the plane.
    """
    known = by_id(query_ids, np.flatnonzero(np.isfinite(values_a) & np.isfinite(values_b)))
    if not len(known):
        return nothing(f"{a} and {b} share no query with a value under {metric}.", HOW_TO_READ, theme=theme)
    poor_below = good_at if poor_below is None else poor_below
    sign = -1 if lower_is_better else 1
    top = max(float(np.max(values_a[known])), float(np.max(values_b[known])), good_at) or 1.0
    places = _places(values_a[known], values_b[known], top)
    ids = [query_ids[i] for i in known[places.first]]
    both: dict[str, Any] = {"nticks": 6, "automargin": False, "constrain": "domain"}
    both["range"] = [1.1 * top, -0.1 * top] if lower_is_better else [-0.1 * top, 1.1 * top]
    across = axis(theme, title=safe(f"{short(a, 24)} · {better(lower_is_better)}"), **both)
    upward = axis(theme, title=safe(f"{short(b, 24)} · {better(lower_is_better)}"), **both)
    drawn = figure(
        theme=theme,
        height=SIDE,
        title="Query by query",
        left=Y_AXIS,
        bottom=48,
        right=8,
        subtitle=_subtitle(metric, len(known), len(values_a) - len(known), int(places.sizes.max())),
        traces=[_dots(ids, places, (a, b), theme, sign)],
        notes=_quarter_names(a, b, theme),
        shapes=_quarters({good_at, poor_below}, top, theme),
        x=across,
        y=upward | {"scaleanchor": "x", "constraintoward": "top"},
    )
    reading = MERGED if places.sizes.max() > 1 else HOW_TO_READ
    take_away = _scatter_take_away(
        sign * values_a[known], sign * values_b[known], (a, b), metric, (good_at, poor_below), sign
    )
    return Drawn(drawn, take_away, reading)


def _scatter_take_away(
    values_a: Floats,
    values_b: Floats,
    names: tuple[str, str],
    metric: str,
    limits: tuple[float, float],
    sign: int,
) -> str:
    """The take-away: how many queries are good under both, one or none of the systems.

    ``values_a``, ``values_b``: times ``sign``, so that higher is better; the limits as they are.
    """
    (a, b), (good_at, poor_below) = names, limits
    good_a, good_b = values_a >= sign * good_at, values_b >= sign * good_at
    poor = int(np.sum((values_a < sign * poor_below) & (values_b < sign * poor_below)))
    least, most = ("at least", "at most")[::sign]
    meant = "" if good_at == poor_below else f", poor {most} {number(poor_below)}"
    return (
        f"{metric} over {pluralize(len(values_a), 'query')}; "
        f"good means {least} {number(good_at)}{meant}: "
        f"both good on {int(np.sum(good_a & good_b)):,}, only {a} on {int(np.sum(good_a & ~good_b)):,}, "
        f"only {b} on {int(np.sum(~good_a & good_b)):,}, both poor on {poor:,}."
    )


def _places(x: Floats, y: Floats, top: float) -> Places:
    """One dot per position, or per cell of the plane beyond 2,000 positions."""
    positions, first, sizes = np.unique(
        np.stack([x, y], axis=1), axis=0, return_index=True, return_counts=True
    )
    if len(first) > MAX_MARKS:
        cells = np.minimum(np.floor(np.stack([x, y], axis=1) / top * CELLS), CELLS - 1)
        cells, first, sizes = np.unique(cells, axis=0, return_index=True, return_counts=True)
        positions = (cells + 0.5) / CELLS * top
    return Places(positions[:, 0], positions[:, 1], first.astype(np.int64), sizes.astype(np.int64))


def _dots(ids: Sequence[str], places: Places, names: tuple[str, str], theme: Theme, sign: int) -> Parts:
    """Each in the colour of the system that is better, grey on the diagonal."""
    first, second = pair_of(*names, theme)
    side = sign * np.sign(places.x - places.y).astype(int)
    hover = [
        safe(name) if n == 1 else f"{pluralize(int(n), 'query')} here; select to open {safe(name)}"
        for name, n in zip(ids, places.sizes, strict=True)
    ]
    # The most crowded dot is as wide as its neighbours are apart, the others by area.
    apart = SIDE / 1.2 / max(len(np.unique(places.x)), len(np.unique(places.y)))
    alone = 9 if len(ids) <= 500 else 7
    largest = np.clip(apart, alone, 26) if places.sizes.max() > 1 else alone
    return {
        "type": "scatter",
        "x": places.x,
        "y": places.y,
        "mode": "markers",
        "customdata": list(ids),
        "hovertext": hover,
        "meta": [safe(name) for name in names],
        "cliponaxis": False,
        "hovertemplate": "%{hovertext}<br>%{meta[0]}: %{x:.3g}<br>%{meta[1]}: %{y:.3g}<extra></extra>",
        "marker": {
            "size": np.maximum(largest * np.sqrt(places.sizes / places.sizes.max()), min(largest, 5)),
            "color": np.array([second, theme.neutral, first])[side + 1],
            "opacity": 0.85,
            "line": {"color": theme.surface, "width": 0.75},
        },
    }


def _subtitle(metric: str, n: int, left_out: int, largest: int) -> str:
    parts = [f"{metric} · n = {pluralize(n, 'query')}"]
    if left_out:
        parts.append(f"{left_out:,} without a value")
    if largest > 1:
        parts.append(f"larger dots: more queries, up to {largest:,}")
    return " · ".join(parts)


def _quarters(limits: set[float], top: float, theme: Theme) -> list[Parts]:
    """The diagonal and two lines at each limit of good and poor."""
    lines = [segment(0.0, 0.0, top, top, theme.muted, layer="below")]
    dashed = {"color": theme.muted, "width": 1, "dash": "4px,4px"}
    for at in sorted(limits):
        for ends in ((at, 0.0, at, top), (0.0, at, top, at)):
            lines.append(segment(*ends, theme.muted, layer="below") | {"line": dashed})
    return lines


def _quarter_names(a: str, b: str, theme: Theme) -> list[Parts]:
    """What each quarter means, in the margin of the plane where no dot can lie."""
    corners = {
        ("right", "top"): "both good",
        ("left", "bottom"): "both poor",
        ("right", "bottom"): f"only {short(a, 14)} good",
        ("left", "top"): f"only {short(b, 14)} good",
    }
    return [
        note(
            safe(text),
            float(side == "right"),
            float(end == "top"),
            theme.muted,
            xref="x domain",
            yref="y domain",
            xanchor=side,
            yanchor=end,
            borderpad=1,
        )
        for (side, end), text in corners.items()
    ]


# Where do two systems differ? One bar per query, sorted by the difference; a click opens the query.

_SIDES = "Above the line the first system found better images, below the line the second did."
_SORTED = (
    "Per-query difference of the metric, sorted descending, ties by query id; queries undefined for either "
    "system left out."
)
DELTAS_READING = Reading(f"Each bar is one query. {_SIDES} Select a bar to open the query.", _SORTED)
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
    lower_is_better: bool = False,
) -> Drawn:
    """Score of ``a`` minus score of ``b`` for every query, largest gain of ``a`` first.

    Up is better for ``a``: the axis is turned round where ``lower_is_better``.

    ``query_ids``, ``deltas``: aligned, shape (n,). NaN differences are left out and counted. Equal
    differences stand in the order of the ids. Above 1,500 queries each bar is the mean of neighbours in this
    order and opens the query in its middle; the hover text says so.
    """
    sign = -1 if lower_is_better else 1
    order = _order(query_ids, sign * deltas)
    if not len(order):
        return nothing(
            f"{a} and {b} share no query with a value under {metric}.", DELTAS_READING, theme=theme
        )
    tied, left_out = int(np.sum(deltas[order] == 0)), len(deltas) - len(order)
    many = len(order) > MAX_BARS
    bars = _grouped(query_ids, deltas, order) if many else _single(query_ids, deltas, order)
    reach = 1.15 * float(np.max(np.abs(bars.y))) or 1.0
    drawn = figure(
        theme=theme,
        height=280,
        title=f"{short(a, 24)} − {short(b, 24)}",
        left=Y_AXIS,
        bottom=30,
        subtitle=f"{metric} · {pluralize(len(order), 'query')} · {f'{tied:,} tied' if tied else 'no ties'}"
        + (f" · {left_out:,} without a value" if left_out else ""),
        traces=[_trace(bars, (a, b), theme, sign)],
        notes=_directions(sign * deltas[order], a, b, theme),
        shapes=[across(0, theme.muted, 1)],
        bargap=0 if len(bars.x) > CROWDED else 0.15,
        x=axis(
            theme,
            title="queries, sorted by difference",
            grid=False,
            showticklabels=False,
            automargin=False,
            range=[0.5, len(order) + 0.5],
        ),
        y=axis(
            theme,
            title=safe(f"difference · {better()} for {short(a, 18)}"),
            nticks=6,
            automargin=False,
            range=toward_better(-reach, reach, lower_is_better),
            tickformat=ticks_to(reach),
        ),
    )
    said = _deltas_take_away(deltas[order], a, b, metric, sign)
    return Drawn(drawn, said, GROUPED if many else DELTAS_READING)


def _deltas_take_away(known: Floats, a: str, b: str, metric: str, sign: int) -> str:
    """The take-away: on how many queries each is better, and the largest differences."""
    wins, losses = int(np.sum(sign * known > 0)), int(np.sum(sign * known < 0))
    return (
        f"{metric} over {pluralize(len(known), 'query')}: {a} is better on {wins:,}, {b} on "
        f"{losses:,}, tied on {len(known) - wins - losses:,}; the differences run from "
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
    return Bars(
        ids,
        x,
        deltas[order],
        np.full(len(order), 1.0 if len(order) > CROWDED else 0.85),
        [safe(name) for name in ids],
    )


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


def _trace(bars: Bars, names: tuple[str, str], theme: Theme, sign: int) -> Parts:
    """In the colour of the first system above the line, in that of the second below it."""
    first, second = pair_of(*names, theme)
    colours = np.array([second, theme.neutral, first])[sign * np.sign(bars.y).astype(int) + 1].tolist()
    # Edges in the bar's own colour close the seams between crowded bars.
    edge = {"color": colours, "width": 1 if len(bars.x) > CROWDED else 0}
    return {
        "type": "bar",
        "x": bars.x,
        "y": bars.y,
        "width": bars.width,
        "customdata": bars.ids,
        "hovertext": bars.hover,
        "meta": [safe(name) for name in names],
        "hovertemplate": "%{hovertext}<br>%{meta[0]} − %{meta[1]}: %{y:+.3g}<extra></extra>",
        "marker": {"color": colours, "line": edge},
    }


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
            f"{sign} <b>{safe(short(name, 20))} better</b><br>{n:,} · {safe(share(n / n_all))}",
            corner,
            corner,
            readable(colour, theme.surface, TEXT_CONTRAST),
            size=13,
            xref="paper",
            yref="paper",
            xanchor=side,
            yanchor=end,
            align=side,
        )
        for sign, name, n, colour, corner, side, end in corners
    ]


# Who is better how often? Wins, ties and losses of two systems as one bar in three parts.

WINS_READING = Reading(
    "On how many queries each system found the better images, and on how many they are tied.",
    "Counts of positive, zero and negative per-query differences, without a margin for ties.",
)


def win_tie_loss(comparison: Comparison, *, theme: Theme) -> Drawn:
    """On how many queries is the system better than, equal to, worse than the baseline: one bar."""
    c = comparison
    total = c.wins + c.ties + c.losses
    if not total:
        message = f"{c.system} and {c.baseline} share no query with a value."
        return nothing(message, WINS_READING, theme=theme)
    first, second = pair_of(c.system, c.baseline, theme)
    parts = (
        (f"{short(c.system, 18)} better", c.wins, first, "left", 0.0),
        ("tied", c.ties, theme.neutral, "center", 0.5),
        (f"{short(c.baseline, 18)} better", c.losses, second, "right", 1.0),
    )
    traces, notes = [], []
    for name, n, colour, side, place in parts:
        of_all = safe(share(n / total))
        hover = [f"{safe(name)}: {pluralize(n, 'query')}, {of_all}"]
        marker = {"color": colour, "line": {"color": theme.surface, "width": 2}}
        traces.append(bars([n], hover, marker, name=safe(name), width=0.9))
        notes.append(
            note(
                f"<b>{safe(name)}</b><br>{n:,} · {of_all}",
                place,
                1,
                readable(colour, theme.surface, TEXT_CONTRAST),
                size=13,
                align=side,
                xanchor=side,
                xref="paper",
                yref="paper",
                yanchor="top",
            )
        )
    drawn = figure(
        theme=theme,
        height=84,
        bottom=4,
        right=4,
        title="How often is each system better?",
        subtitle=f"{c.metric} · {pluralize(total, 'query')} scored for both",
        traces=traces,
        notes=notes,
        barmode="stack",
        bargap=0,
        x=NO_AXIS | {"range": [0, total]},
        y=NO_AXIS | {"range": [-0.5, 1.6]},
    )
    return Drawn(drawn, _take_away(c, total), WINS_READING)


def _take_away(c: Comparison, total: int) -> str:
    """The take-away in counts."""
    return (
        f"Of {pluralize(total, 'query')}, {c.system} is better on {c.wins:,}, "
        f"{c.baseline} on {c.losses:,}, and they are tied on {c.ties:,} under {c.metric}."
    )
