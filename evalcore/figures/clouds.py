"""The family of clouds: dots in a plane, or their number in cells of it, and what the queries of two systems
and the pairs of two measures look like in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.figures import marks
from evalcore.figures.frame import SIX, Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.matrix import heat
from evalcore.figures.theme import CIVIDIS_6, Theme, pair_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.writing import number, pluralize, safe, short


def cloud(
    traces: Sequence[Parts],
    *,
    x: Parts,
    y: Parts,
    title: str,
    subtitle: str,
    theme: Theme,
    alt: str,
    reading: Reading,
    height: float = 340,
    right: float = 20,
    square: bool = False,
    notes: Sequence[Parts] = (),
    shapes: Sequence[Parts] = (),
) -> Drawn:
    """Dots or cells in a plane. ``x``, ``y``: options of its axes (`axis`); ``square``: both have one scale;
    ``right``: pixels beside it, for a scale of colours."""
    if square:
        x, y = (
            x | {"constrain": "domain"},
            y | {"scaleanchor": "x", "constraintoward": "top", "constrain": "domain"},
        )
    shown = figure(
        theme=theme,
        height=height,
        title=title,
        subtitle=subtitle,
        left=marks.Y_AXIS,
        right=right,
        bottom=48,
        traces=traces,
        notes=notes,
        shapes=shapes,
        hoverdistance=12,
        x=axis(theme, **SIX | x),
        y=axis(theme, **SIX | y),
    )
    return Drawn(shown, alt, reading)


def colour_bar(theme: Theme, **options: object) -> Parts:
    """The scale of colours beside a plane, or beside cells."""
    return {
        "thickness": 10,
        "len": 1,
        "outlinewidth": 0,
        "nticks": 5,
        "tickfont": {"size": 11, "color": theme.muted},
        **options,
    }


# Which queries are worth opening? Score of one system against the other, query by query.

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
    known = marks.by_id(query_ids, np.flatnonzero(np.isfinite(values_a) & np.isfinite(values_b)))
    if not len(known):
        return nothing(f"{a} and {b} share no query with a value under {metric}.", QUERIES, theme=theme)
    poor_below = good_at if poor_below is None else poor_below
    sign = -1 if lower_is_better else 1
    top = max(float(np.max(values_a[known])), float(np.max(values_b[known])), good_at) or 1.0
    places = _places(values_a[known], values_b[known], top)
    n, largest = len(known), int(places.sizes.max())
    lost, ends = len(values_a) - n, [1.1 * top, -0.1 * top] if lower_is_better else [-0.1 * top, 1.1 * top]
    x, y = (
        {"title": safe(f"{short(name, 24)} · {marks.better(lower_is_better)}"), "range": ends}
        for name in (a, b)
    )
    return cloud(
        [_dots([query_ids[i] for i in known[places.first]], places, (a, b), theme, sign)],
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
        shapes=_quarters({good_at, poor_below}, top, theme),
        theme=theme,
        alt=_about_queries(
            sign * values_a[known], sign * values_b[known], (a, b), metric, (good_at, poor_below), sign
        ),
        reading=MERGED if largest > 1 else QUERIES,
    )


def _about_queries(
    values_a: Floats,
    values_b: Floats,
    names: tuple[str, str],
    metric: str,
    limits: tuple[float, float],
    sign: int,
) -> str:
    """How many queries are good under both, one or none of the systems.

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
    at = np.stack([x, y], axis=1)
    positions, first, sizes = np.unique(at, axis=0, return_index=True, return_counts=True)
    if len(first) > MAX_MARKS:
        cells = np.minimum(np.floor(at / top * CELLS), CELLS - 1)
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
    look = {
        "size": np.maximum(largest * np.sqrt(places.sizes / places.sizes.max()), min(largest, 5)),
        "color": np.array([second, theme.neutral, first])[side + 1],
        "opacity": 0.85,
        "line": {"color": theme.surface, "width": 0.75},
    }
    return marks.scatter(
        places.x,
        places.y,
        "markers",
        hover,
        customdata=list(ids),
        meta=[safe(name) for name in names],
        cliponaxis=False,
        hovertemplate="%{hovertext}<br>%{meta[0]}: %{x:.3g}<br>%{meta[1]}: %{y:.3g}<extra></extra>",
        marker=look,
    )


def _quarters(limits: set[float], top: float, theme: Theme) -> list[Parts]:
    """The diagonal and two lines at each limit of good and poor."""
    lines = [marks.segment(0.0, 0.0, top, top, theme.muted, layer="below")]
    dashed = {"color": theme.muted, "width": 1, "dash": "4px,4px"}
    for at in sorted(limits):
        for ends in ((at, 0.0, at, top), (0.0, at, top, at)):
            lines.append(marks.segment(*ends, theme.muted, layer="below") | {"line": dashed})
    return lines


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


# Two measures on the same pairs of images: where do they fall, and which pairs do they disagree on?

PAIRS = Reading(
    "Each square contains pairs of images. At the left edge the measure named below the figure finds nothing "
    "in common where the other one does. The rings are the pairs listed below; select one to see why.",
    "26 x 26 cells, colour by the logarithm of the number of pairs; rings by the largest difference of "
    "mid-ranks.",
)
GRID = 26
"""Cells along each side."""
SHADES = {"light": CIVIDIS_6, "dark": ("#575C6E", "#75746F", "#948E77", "#B4A76F", "#D9C75A", "#FEE838")}
"""The whole scale on a light page; on a dark one its lighter two thirds, so that single pairs show."""
NAME = 26


class Marked(NamedTuple):
    """A pair worth opening: where it lies, the text a click carries, and what it is called."""

    x: float
    y: float
    carries: str
    name: str


def measure_cloud(
    x: Floats,
    y: Floats,
    *,
    a: str,
    b: str,
    theme: Theme,
    marked: Sequence[Marked] = (),
    of: str = "",
    rho: float = np.nan,
) -> Drawn:
    """Value of every pair under measure ``a`` (across) and ``b`` (upwards), counted in cells.

    ``x``, ``y``: shape (n,), no NaN. The plane is cut into 26 x 26 cells; their colour is the number of pairs
    on a logarithmic scale, because most pairs have nothing in common. ``marked``: pairs drawn as numbered
    rings that a click opens. ``of``: what the pairs are, for the subtitle. ``rho``: Spearman's correlation of
    the two, for the take-away; NaN where there is none.
    """
    if not len(x):
        return nothing(f"No pair of images has a value under both {a} and {b}.", PAIRS, theme=theme)
    only_a, only_b = int(np.sum((x > 0) & (y <= 0))), int(np.sum((y > 0) & (x <= 0)))
    alike = f"; Spearman's rho {number(rho)}" if np.isfinite(rho) else ""
    rings = marks.scatter(
        [pair.x for pair in marked],
        [pair.y for pair in marked],
        "markers",
        [safe(pair.name) for pair in marked],
        customdata=[pair.carries for pair in marked],
        cliponaxis=False,
        marker={"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.down, "width": 2.5}},
    )
    return cloud(
        [_cells(x, y, a, b, theme), *([rings] if marked else [])],
        x=_side(a, x),
        y=_side(b, y),
        right=64,
        title=f"{short(b, NAME)} against {short(a, NAME)}",
        subtitle=(f"{of} · " if of else "")
        + "colour: how many pairs share a cell, in steps of ten"
        + (" · rings: the pairs listed below" if marked else ""),
        theme=theme,
        alt=f"{pluralize(len(x), 'pair')} of images under {a} and {b}: {only_a:,} are relevant under "
        f"{a} only, {only_b:,} under {b} only{alike}.",
        reading=PAIRS,
    )


def _ends(values: Floats) -> tuple[float, float]:
    """The range of an axis: 0 to 1 widened to what there is."""
    return min(0.0, float(values.min())), max(1.0, float(values.max()))


def _side(name: str, values: Floats) -> Parts:
    low, high = _ends(values)
    pad = 0.03 * (high - low)
    return {"title": f"{safe(short(name, NAME))} · → closer", "grid": False, "range": [low - pad, high + pad]}


def _cells(x: Floats, y: Floats, a: str, b: str, theme: Theme) -> Parts:
    """The number of pairs of every cell that holds any; edges lie half a cell outside the range."""
    centres = [np.linspace(*_ends(values), GRID) for values in (x, y)]
    at = [
        np.clip(np.rint((values - c[0]) / (c[1] - c[0])).astype(int), 0, GRID - 1)
        for values, c in zip((x, y), centres, strict=True)
    ]
    counts = np.bincount(at[1] * GRID + at[0], minlength=GRID * GRID).reshape(GRID, GRID)
    with np.errstate(divide="ignore"):
        depth = np.where(counts > 0, np.log10(counts), np.nan)
    hover = [
        [
            f"{safe(short(a, NAME))} about {number(cx)}<br>{safe(short(b, NAME))} about {number(cy)}<br>"
            f"{pluralize(int(counts[j, i]), 'pair')}"
            for i, cx in enumerate(centres[0])
        ]
        for j, cy in enumerate(centres[1])
    ]
    top = max(1, int(np.ceil(np.nanmax(depth))))
    ticks = list(range(top + 1))
    scale = colour_bar(theme, y=0.5, tickvals=ticks, ticktext=[f"{10**i:,}" for i in ticks])
    look: Parts = {"xgap": 1, "ygap": 1, "showscale": True, "colorbar": scale}
    return heat(depth, SHADES[theme.name], 0, top, hover=hover, x=centres[0], y=centres[1], **look)
