"""Which features do generated images have? The range of the real images, and the share within it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.figures.cells import heat, numbers_in_cells
from evalcore.figures.colour import blend, faded
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, column_axis, rectangle, room_for, row_axis
from evalcore.figures.numbers import listed, number, share, span, things
from evalcore.figures.theme import style_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats

RANGE = Reading(
    "The band is where most real images lie, for each feature on its own scale. A mark is the middle image "
    "of a group: outside the band, most of its images are outside the range. An arrow lies further out than "
    "is drawn.",
    "Band: tolerance interval from the lower to the upper quantile of the archetypes, scaled to 0 and 1; "
    "thin lines: bootstrap intervals of its ends; marks: medians of the groups, clipped to one interval "
    "beyond.",
)
PRESENCE = Reading(
    "Each square is the share of a group's images that have the feature. Strong colour: nearly all of them. "
    "Pale squares in a column show what a generator does not get right.",
    "Share of images within the tolerance of the archetypes, over the images with a known value; of the "
    "archetypes themselves about the width of the quantiles by construction.",
)
NO_FEATURE = "No feature has a tolerance interval: the real images have no values to take it from."
ROW, NAME, GROUP = 26, 28, 18
CLIP = 1.0
"""Intervals beyond the band that are drawn."""
MARKS = 1_700


class ToleranceRow(NamedTuple):
    """A feature: its interval, the bootstrap intervals of both ends, and the median of each group."""

    name: str
    low: float
    high: float
    low_sure: tuple[float, float]
    high_sure: tuple[float, float]
    medians: Sequence[float]


def tolerance_rows(rows: Sequence[ToleranceRow], groups: Sequence[str], *, of: str, theme: Theme) -> Drawn:
    """Features down, the interval of each scaled to the same band, groups as marks.

    ``of``: what the interval is, for the subtitle. Features of one value only have no width, and no row.
    """
    drawn_rows = [one for one in rows if np.isfinite(one.low) and one.high > one.low]
    if not drawn_rows:
        return nothing(NO_FEATURE, RANGE, theme=theme)
    n, names = len(drawn_rows), [short(one.name, NAME) for one in drawn_rows]
    traces = [_ends(drawn_rows, theme)]
    for g, group in enumerate(groups[: max(1, MARKS // n - 1)]):
        traces.append(_group(drawn_rows, g, group, groups, theme))
    band = rectangle(
        0, -0.5, 1, n - 0.5, {"width": 0}, layer="below", fillcolor=faded(theme.accent, 0.14)
    )  # fmt: skip
    figure_ = figure(
        theme=theme, height=max(ROW * n, 90), left=room_for(names), right=16, bottom=52,
        title="What the real images allow", subtitle=f"{of} · {things(n, 'feature')}",
        traces=traces, shapes=[band], hoverdistance=10,
        x=axis(theme, title="within the band: as in the real images", range=[-CLIP - 0.12, 1 + CLIP + 0.12],
               tickvals=[0, 1], ticktext=["lower end", "upper end"]),
        y=row_axis([safe(name) for name in names], theme, grid=False, automargin=False),
    )  # fmt: skip
    return Drawn(figure_, _outside(drawn_rows, groups), RANGE)


def _ends(rows: Sequence[ToleranceRow], theme: Theme) -> Parts:
    """The bootstrap intervals of both ends of every feature, as pieces of one line."""
    xs: list[float | None] = []
    ys: list[int | None] = []
    for row, one in enumerate(rows):
        for low, high in (one.low_sure, one.high_sure):
            xs += [_scaled(one, low), _scaled(one, high), None]
            ys += [row, row, None]
    return {
        "type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "connectgaps": False,
        "line": {"color": faded(theme.accent, 0.45), "width": 3},
    }  # fmt: skip


def _scaled(one: ToleranceRow, value: float) -> float | None:
    if not np.isfinite(value):
        return None
    return float(np.clip((value - one.low) / (one.high - one.low), -CLIP, 1 + CLIP))


def _group(rows: Sequence[ToleranceRow], g: int, group: str, groups: Sequence[str], theme: Theme) -> Parts:
    style = style_of(group, groups, theme)
    x, y, symbols, hover = [], [], [], []
    for row, one in enumerate(rows):
        place = _scaled(one, one.medians[g])
        if place is None:
            continue
        x.append(place)
        y.append(row)
        beyond = place >= 1 + CLIP or place <= -CLIP
        symbols.append(("triangle-right" if place > 0 else "triangle-left") if beyond else style.symbol)
        hover.append(
            f"<b>{safe(group)}</b>, {safe(one.name)}<br>median {number(one.medians[g])}<br>real images "
            f"{span(one.low, one.high)}"
        )
    return {
        "type": "scatter", "mode": "markers", "x": x, "y": y, "hovertext": hover, "hovertemplate": HOVER,
        "name": safe(group), "marker": style.marker(10) | {"symbol": symbols, "opacity": 0.9},
    }  # fmt: skip


def _outside(rows: Sequence[ToleranceRow], groups: Sequence[str]) -> str:
    out = []
    for g, group in enumerate(groups):
        n = sum(not one.low <= one.medians[g] <= one.high for one in rows)
        out.append(f"{group} {n}")
    return f"Features of {len(rows)} whose middle image lies outside the real images' range: {listed(out)}."


def presence_map(features: Sequence[str], groups: Sequence[str], shares: Floats, *, theme: Theme) -> Drawn:
    """Features down, groups across, the share of images that have the feature as colour.

    ``shares``: shape (features, groups), 0 to 1, NaN where no image has a known value.
    """
    if not len(features) or not np.isfinite(shares).any():
        return nothing(NO_FEATURE, PRESENCE, theme=theme)
    names, columns = [short(one, NAME) for one in features], [short(one, GROUP) for one in groups]
    n, m = shares.shape
    hover = [
        [
            f"<b>{safe(group)}</b><br>{safe(feature)}: "
            + (f"{share(value)} of the images" if np.isfinite(value) else "not measured")
            for group, value in zip(groups, row, strict=True)
        ]
        for feature, row in zip(features, shares.tolist(), strict=True)
    ]
    numbers = numbers_in_cells(
        shares, cell=lambda value: blend(theme.surface, theme.up, value), text=share, size=11, theme=theme
    )
    drawn = figure(
        theme=theme, height=max(ROW * n, 60), left=room_for(names), right=14,
        bottom=22 + 4.6 * max(map(len, columns)), title="Which features are there?",
        subtitle=f"share of images with each feature · {things(m, 'group')} · {things(n, 'feature')}",
        traces=[
            heat(shares, (theme.surface, theme.up), 0, 1, hover=hover), *(numbers if n * m <= MARKS else []),
        ],
        x=column_axis([safe(one) for one in columns], theme, tickangle=-38 if m > 3 else 0),
        y=row_axis([safe(name) for name in names], theme, grid=False, automargin=False),
    )  # fmt: skip
    low = divmod(int(np.nanargmin(shares)), m)
    alt = (
        f"Shares of images with each of {things(n, 'feature')} in {things(m, 'group')}; the least: "
        f"{features[low[0]]} in {share(float(shares[low]))} of {groups[low[1]]}."
    )
    return Drawn(drawn, alt, PRESENCE)
