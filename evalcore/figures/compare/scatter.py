"""Which queries are worth opening? Score of one system against the other, query by query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import BETTER, Y_AXIS, by_id, note, segment
from evalcore.figures.numbers import number, things
from evalcore.figures.theme import pair_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats, Offsets

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
    theme: Theme,
) -> Drawn:
    """Every query as a dot: score of ``a`` across, of ``b`` upwards, on the diagonal no difference.

    Parameters
    ----------
    query_ids, values_a, values_b
        Aligned, shape (n,). Pairs with a NaN are left out and counted.
    good_at
        The score from which a result counts as good; it draws the four named quarters.
    poor_below
        The score below which it counts as poor; None where that is all that is not good.

    Queries at the same position share one dot whose area grows with their number; it opens the first
    of them by id. Beyond 2,000 positions a dot stands in the middle of a cell of the plane.
    """
    known = by_id(query_ids, np.flatnonzero(np.isfinite(values_a) & np.isfinite(values_b)))
    if not len(known):
        return nothing(f"{a} and {b} share no query with a value under {metric}.", HOW_TO_READ, theme=theme)
    poor_below = good_at if poor_below is None else poor_below
    top = max(float(np.max(values_a[known])), float(np.max(values_b[known])), good_at) or 1.0
    places = _places(values_a[known], values_b[known], top)
    ids = [query_ids[i] for i in known[places.first]]
    both: dict[str, Any] = {"nticks": 6, "automargin": False, "constrain": "domain"}
    both["range"] = [-0.1 * top, 1.1 * top]
    across = axis(theme, title=safe(f"{short(a, 24)} · {BETTER}"), **both)
    upward = axis(theme, title=safe(f"{short(b, 24)} · {BETTER}"), **both)
    drawn = figure(
        theme=theme, height=SIDE, title="Query by query", left=Y_AXIS, bottom=48, right=8,
        subtitle=_subtitle(metric, len(known), len(values_a) - len(known), int(places.sizes.max())),
        traces=[_dots(ids, places, (a, b), theme)], notes=_quarter_names(a, b, theme),
        shapes=_quarters({good_at, poor_below}, top, theme),
        x=across, y=upward | {"scaleanchor": "x", "constraintoward": "top"},
    )  # fmt: skip
    reading = MERGED if places.sizes.max() > 1 else HOW_TO_READ
    said = _take_away(values_a[known], values_b[known], (a, b), metric, (good_at, poor_below))
    return Drawn(drawn, said, reading)


def _take_away(
    values_a: Floats, values_b: Floats, names: tuple[str, str], metric: str, limits: tuple[float, float]
) -> str:
    """The take-away: how many queries are good under both, one or none of the systems."""
    (a, b), (good_at, poor_below) = names, limits
    good_a, good_b = values_a >= good_at, values_b >= good_at
    poor = int(np.sum((values_a < poor_below) & (values_b < poor_below)))
    meant = "" if good_at == poor_below else f", poor at most {number(poor_below)}"
    return (
        f"{metric} over {things(len(values_a), 'query')}; "
        f"good means at least {number(good_at)}{meant}: "
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


def _dots(ids: Sequence[str], places: Places, names: tuple[str, str], theme: Theme) -> Parts:
    """Each in the colour of the system that is better, grey on the diagonal."""
    first, second = pair_of(*names, theme)
    side = np.sign(places.x - places.y).astype(int)
    hover = [
        safe(name) if n == 1 else f"{things(int(n), 'query')} here; select to open {safe(name)}"
        for name, n in zip(ids, places.sizes, strict=True)
    ]
    # The most crowded dot is as wide as its neighbours are apart, the others by area.
    apart = SIDE / 1.2 / max(len(np.unique(places.x)), len(np.unique(places.y)))
    alone = 9 if len(ids) <= 500 else 7
    largest = np.clip(apart, alone, 26) if places.sizes.max() > 1 else alone
    return {
        "type": "scatter", "x": places.x, "y": places.y, "mode": "markers", "customdata": list(ids),
        "hovertext": hover, "meta": [safe(name) for name in names], "cliponaxis": False,
        "hovertemplate": "%{hovertext}<br>%{meta[0]}: %{x:.3g}<br>%{meta[1]}: %{y:.3g}<extra></extra>",
        "marker": {
            "size": np.maximum(largest * np.sqrt(places.sizes / places.sizes.max()), min(largest, 5)),
            "color": np.array([second, theme.neutral, first])[side + 1], "opacity": 0.85,
            "line": {"color": theme.surface, "width": 0.75},
        },
    }  # fmt: skip


def _subtitle(metric: str, n: int, left_out: int, largest: int) -> str:
    parts = [f"{metric} · n = {things(n, 'query')}"]
    if left_out:
        parts.append(f"{left_out:,} without a value")
    if largest > 1:
        parts.append(f"larger dots hold more queries, up to {largest:,}")
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
            safe(text), float(side == "right"), float(end == "top"), theme.muted, xref="x domain",
            yref="y domain", xanchor=side, yanchor=end, borderpad=1,
        )
        for (side, end), text in corners.items()
    ]  # fmt: skip
