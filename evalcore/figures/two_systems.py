"""Where do two systems differ? Query by query: a bar for each difference, a dot for each pair of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.figures import marks
from evalcore.figures.clouds import cloud
from evalcore.figures.frame import PLACES, SIX, AccessibleFigure, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import TEXT_CONTRAST, Theme, pair_of, readable
from evalcore.stats.sums import means_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.writing import number, pluralize, safe, share, short

# The difference of each query, sorted; a click opens the query.

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


def delta_bars(
    query_ids: Sequence[str],
    deltas: Floats,
    *,
    a: str,
    b: str,
    metric: str,
    theme: Theme,
    lower_is_better: bool = False,
) -> AccessibleFigure:
    """Score of ``a`` minus score of ``b`` for every query, largest gain of ``a`` first.

    Up is better for ``a``: the axis is turned round where ``lower_is_better``.

    ``query_ids``, ``deltas``: aligned, shape (n,). NaN differences are left out and counted. Equal
    differences are in the order of the ids. Above 1,500 queries each bar is the mean of neighbours in this
    order and opens the query in its middle; the hover text says so.
    """
    sign = -1 if lower_is_better else 1
    known = marks.by_id(query_ids, np.flatnonzero(np.isfinite(deltas)))
    order = known[np.argsort(-sign * deltas[known], kind="stable")]
    if not len(order):
        return nothing(f"{a} and {b} share no query with a value under {metric}.", DELTAS, theme=theme)
    many = len(order) > MAX_BARS
    groups = np.array_split(order, BINS if many else len(order))
    heights = np.array(means_of([deltas[group] for group in groups]))
    sizes = np.array([*map(len, groups)], float)
    ids = [query_ids[group[len(group) // 2]] for group in groups]
    first, second = pair_of(a, b, theme)
    colours = np.array([second, theme.neutral, first])[sign * np.sign(heights).astype(int) + 1].tolist()
    reach, crowded = 1.15 * float(np.max(np.abs(heights))) or 1.0, len(groups) > CROWDED
    tied, lost = int(np.sum(deltas[order] == 0)), len(deltas) - len(order)
    leads = sign * deltas[order]
    wins, losses = int(np.sum(leads > 0)), int(np.sum(leads < 0))
    # Edges in the bar's own colour close the seams between crowded bars.
    edge = {"color": colours, "width": 1} if crowded else {"width": 0}
    bars: Parts = {
        "type": "bar",
        "x": np.cumsum(sizes) - (sizes - 1) / 2,
        "y": heights,
        "width": sizes if crowded else 0.85 * sizes,
        "marker": {"color": colours, "line": edge},
        "customdata": ids,
        "meta": [safe(name) for name in (a, b)],
        "hovertext": [
            f"mean of {pluralize(len(group), 'query')}; select to open {safe(name)}" if many else safe(name)
            for group, name in zip(groups, ids, strict=True)
        ],
        "hovertemplate": "%{hovertext}<br>%{meta[0]} − %{meta[1]}: %{y:+.3g}<extra></extra>",
    }
    drawn = figure(
        theme=theme,
        height=280,
        left=marks.Y_AXIS,
        bottom=46,
        traces=[bars],
        bargap=0 if crowded else 0.15,
        x=axis(
            theme,
            title="queries, sorted by difference",
            showticklabels=False,
            range=[0.5, len(order) + 0.5],
            **PLACES,
        ),
        y=axis(
            theme,
            title=safe(f"difference · {marks.better()} for {short(a, 18)}"),
            range=marks.toward_better(-reach, reach, lower_is_better),
            tickformat=marks.ticks_to(reach),
            **SIX,
        ),
        title=f"{short(a, 24)} − {short(b, 24)}",
        subtitle=f"{metric} · {pluralize(len(order), 'query')} · {f'{tied:,} tied' if tied else 'no ties'}"
        + (f" · {lost:,} without a value" if lost else ""),
        notes=[
            _better(a, wins, len(order), first, theme),
            _better(b, losses, len(order), second, theme, below=True),
        ],
        shapes=[marks.across(0, theme.muted, 1)],
    )
    return AccessibleFigure(
        drawn,
        f"{metric} over {pluralize(len(order), 'query')}: {a} is better on {wins:,}, {b} on "
        f"{losses:,}, tied on {len(order) - wins - losses:,}; the differences run from "
        f"{number(float(deltas[order].min()), sign=True)} to "
        f"{number(float(deltas[order].max()), sign=True)}.",
        GROUPED if many else DELTAS,
    )


def _better(name: str, n: int, total: int, colour: str, theme: Theme, *, below: bool = False) -> Parts:
    """On how many queries a system is better, above or below the line, in the corner the bars leave free."""
    sign, side, end = ("▼", "left", "bottom") if below else ("▲", "right", "top")
    return marks.note(
        f"{sign} <b>{safe(short(name, 20))} better</b><br>{n:,} · {safe(share(n / total))}",
        *(float(not below), float(not below)),
        readable(colour, theme.surface, TEXT_CONTRAST),
        size=13,
        xref="paper",
        yref="paper",
        xanchor=side,
        yanchor=end,
        align=side,
    )


# Which queries are worth opening? Score of one system against the other.

_LINE = "On the line both systems do equally well; dots far from it are cases worth opening."
QUERIES = Reading(
    f"Each dot is one query. {_LINE}",
    "Per-query values of both systems; dashed lines at the cut between good and poor.",
)
MERGED = Reading(
    f"Each dot is one query, a larger one several with the same scores. {_LINE}",
    "Per-query values of both systems; dashed lines at the cut between good and poor; dots at one place "
    "are merged, area by number of queries, beyond 2,000 places in a grid of 24 x 24 cells.",
)
MAX_MARKS, CELLS = 2_000, 24
"""Beyond this many different positions, queries are gathered in cells of 1/24 of the axis."""
SIDE = 380
"""Pixels along the axes; dots are kept from covering their neighbours in it."""


def score_scatter(
    query_ids: Sequence[str],
    values_a: Floats,
    values_b: Floats,
    *,
    a: str,
    b: str,
    metric: str,
    good_at: float,
    lower_is_better: bool = False,
    theme: Theme,
) -> AccessibleFigure:
    """Every query as a dot: score of ``a`` across, of ``b`` upwards, on the diagonal no difference.

    Right and up is better: both axes are turned round where ``lower_is_better``, and good and poor with them.

    ``query_ids``, ``values_a``, ``values_b``: aligned, shape (n,). Pairs with a NaN are left out and counted.
    ``good_at``: the score from which a result counts as good, else as poor; it draws the four named quarters.

    Queries at the same position share one dot whose area grows with their number; it opens the first
    of them by id. Beyond 2,000 positions a dot is in the middle of a cell of the plane.
    """
    known = marks.by_id(query_ids, np.flatnonzero(np.isfinite(values_a) & np.isfinite(values_b)))
    if not len(known):
        return nothing(f"{a} and {b} share no query with a value under {metric}.", QUERIES, theme=theme)
    sign = -1 if lower_is_better else 1
    both = np.stack([values_a[known], values_b[known]], axis=1)
    top = max(float(both.max()), good_at) or 1.0
    places, first, sizes = _places(both, top)
    n, largest, lost = len(known), int(sizes.max()), len(values_a) - len(known)
    ends = [1.1 * top, -0.1 * top] if lower_is_better else [-0.1 * top, 1.1 * top]
    x, y = (
        {"title": safe(f"{short(name, 24)} · {marks.better(lower_is_better)}"), "range": ends}
        for name in (a, b)
    )
    return cloud(
        [_dots([query_ids[i] for i in known[first]], places, sizes, (a, b), theme, sign)],
        x=x,
        y=y,
        square=True,
        height=SIDE,
        right=8,
        title="Query by query",
        subtitle=f"{metric} · n = {pluralize(n, 'query')}"
        + (f" · {lost:,} without a value" if lost else "")
        + (f" · larger dots: more queries, up to {largest:,}" if largest > 1 else ""),
        notes=_quarter_names(a, b, theme),
        shapes=_quarters(good_at, top, theme),
        theme=theme,
        alt=_about_queries(sign * both, (a, b), metric, good_at, sign),
        reading=MERGED if largest > 1 else QUERIES,
    )


def _about_queries(values: Floats, names: tuple[str, str], metric: str, good_at: float, sign: int) -> str:
    """How many queries are good under both, one or none of the systems.

    ``values``: shape (queries, 2), times ``sign``, so that higher is better; the limit as it is.
    """
    (a, b), good = names, values >= sign * good_at
    least = "at least" if sign > 0 else "at most"
    only = [int(np.sum(good[:, i] & ~good[:, 1 - i])) for i in (0, 1)]
    return (
        f"{metric} over {pluralize(len(values), 'query')}; good means {least} {number(good_at)}: both "
        f"good on {int(np.sum(good.all(axis=1))):,}, only {a} on {only[0]:,}, only {b} on {only[1]:,}, both "
        f"poor on {int(np.sum(~good.any(axis=1))):,}."
    )


def _places(at: Floats, top: float) -> tuple[Floats, Offsets, Offsets]:
    """The dots: the place of each, shape (dots, 2), the query it opens, and how many are there. One dot a
    position, or a cell of the plane beyond 2,000 positions."""
    positions, first, sizes = np.unique(at, axis=0, return_index=True, return_counts=True)
    if len(first) > MAX_MARKS:
        cells = np.minimum(np.floor(at / top * CELLS), CELLS - 1)
        cells, first, sizes = np.unique(cells, axis=0, return_index=True, return_counts=True)
        positions = (cells + 0.5) / CELLS * top
    return positions, first.astype(np.int64), sizes.astype(np.int64)


def _dots(
    ids: Sequence[str], places: Floats, sizes: Offsets, names: tuple[str, str], theme: Theme, sign: int
) -> Parts:
    """Each in the colour of the system that is better, grey on the diagonal."""
    first, second = pair_of(*names, theme)
    x, y = places.T
    hover = [
        safe(name) if n == 1 else f"{pluralize(n, 'query')} here; select to open {safe(name)}"
        for name, n in zip(ids, sizes.tolist(), strict=True)
    ]
    # The most crowded dot is as wide as its neighbours are apart, the others by area.
    apart = SIDE / 1.2 / max(len(np.unique(x)), len(np.unique(y)))
    alone = 9 if len(ids) <= 500 else 7
    largest = np.clip(apart, alone, 26) if sizes.max() > 1 else alone
    look = {
        "size": np.maximum(largest * np.sqrt(sizes / sizes.max()), min(largest, 5)),
        "color": np.array([second, theme.neutral, first])[sign * np.sign(x - y).astype(int) + 1],
        "opacity": 0.85,
        "line": {"color": theme.surface, "width": 0.75},
    }
    template = "%{hovertext}<br>%{meta[0]}: %{x:.3g}<br>%{meta[1]}: %{y:.3g}<extra></extra>"
    shown: Parts = {
        "customdata": list(ids),
        "meta": [safe(name) for name in names],
        "hovertemplate": template,
    }
    return marks.scatter(x, y, "markers", hover, cliponaxis=False, marker=look, **shown)


def _quarters(good_at: float, top: float, theme: Theme) -> list[Parts]:
    """The diagonal and two lines at the limit of good and poor."""
    return [
        marks.segment(0.0, 0.0, top, top, theme.muted, layer="below"),
        *(
            marks.segment(*ends, theme.muted, 1, dash="4px,4px", layer="below")
            for ends in ((good_at, 0.0, good_at, top), (0.0, good_at, top, good_at))
        ),
    ]


def _quarter_names(a: str, b: str, theme: Theme) -> list[Parts]:
    """What each quarter means, in the margin of the plane where no dot can lie."""
    corners = {
        ("right", "top"): "both good",
        ("left", "bottom"): "both poor",
        ("right", "bottom"): f"only {short(a, 14)} good",
        ("left", "top"): f"only {short(b, 14)} good",
    }
    place: Parts = {"xref": "x domain", "yref": "y domain", "borderpad": 1}
    return [
        marks.note(
            safe(text),
            float(side == "right"),
            float(end == "top"),
            theme.muted,
            xanchor=side,
            yanchor=end,
            **place,
        )
        for (side, end), text in corners.items()
    ]
