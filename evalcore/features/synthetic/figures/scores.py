"""How similar to the real images is each group of generated images? Dots, quartiles, the mean's interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.matrix import heat, numbers_in_cells
from evalcore.figures.theme import Theme, blend, faded, style_of
from evalcore.values.arrays import Floats
from evalcore.values.writing import brief, listed, number, pluralize, safe, share, short, signed, span

HOW_TO_READ = Reading(
    "Each dot is one image, the box the middle half of its group. 1: everything the real images have in "
    "common is there; 0: nothing of it. The large mark is the average with its 95% interval.",
    "Dots: score of each image (in large groups evenly spaced ranks); box: quartiles; mark: mean with its "
    "percentile bootstrap interval over images.",
)
NOTHING = "No image has a score: there are no features to compare, or none that the real images share."
ROW, NAME, COLUMN = 72, 32, 84
DOTS = 900
"""Dots in all, so that the figure stays quick."""


class ScoredGroup(NamedTuple):
    """A group: its name, the scores of its images (NaN for none), the interval of their mean."""

    name: str
    values: Floats
    low: float
    high: float


def score_rows(groups: Sequence[ScoredGroup], *, score: str, theme: Theme) -> Drawn:
    """Groups down, scores across from 0 to 1."""
    known = [group._replace(values=np.sort(group.values[np.isfinite(group.values)])) for group in groups]
    known = [one for one in known if len(one.values)]
    if not known:
        return nothing(NOTHING, HOW_TO_READ, theme=theme)
    names = [short(one.name, NAME) for one in known]
    traces, notes, shapes = [], [], []
    for row, one in enumerate(known):
        style = style_of(one.name, [each.name for each in groups], theme)
        mean = float(one.values.mean())
        traces.append(_dots(one, row, max(DOTS // len(known), 20), style.colour))
        hover = f"<b>{safe(one.name)}</b><br>mean {number(mean)} ({span(one.low, one.high)})"
        traces.append(
            marks.dot_on_interval(mean, one.low, one.high, row=row, style=style, hover=hover, size=13)
        )
        # Above its row, so that narrow screens keep their width for the scores.
        notes.append(
            marks.note(safe(names[row]), 0, row, theme.ink, size=13, xref="paper", xanchor="left", yshift=25)
        )
        notes.append(
            marks.beside(row, number(mean), pluralize(len(one.values), "image"), theme, width=COLUMN)
        )
        first, third = np.quantile(one.values, [0.25, 0.75])
        ends = first, row - 0.16, third, row + 0.34
        shapes.append(marks.rectangle(*ends, {"width": 0}, layer="below", fillcolor=faded(style.fill, 0.18)))
    drawn = figure(
        theme=theme,
        height=ROW * len(known),
        left=14,
        right=COLUMN,
        bottom=44,
        title="How similar to the real images?",
        subtitle=f"{score} of each image, mean and 95% interval",
        traces=traces,
        notes=notes,
        shapes=shapes,
        hoverdistance=12,
        x=axis(theme, title="→ more similar to the real images", range=[-0.02, 1.02], tickformat=".1f"),
        y=marks.row_axis([""] * len(names), theme, grid=False, automargin=False),
    )
    means = [f"{one.name} {number(float(one.values.mean()))}" for one in known]
    return Drawn(drawn, f"Mean {score} of each group: {listed(means)}.", HOW_TO_READ)


def _dots(group: ScoredGroup, row: int, most: int, colour: str) -> Parts:
    """The images as dots, those of equal scores side by side."""
    n = len(group.values)
    kept = np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
    values = group.values[kept]
    # a fixed low-discrepancy sequence spreads equal scores over the row, the same way every time
    above = row + 0.09 + 0.42 * ((np.arange(len(values)) * 0.6180339887498949) % 1.0 - 0.5)
    return marks.scatter(
        values,
        above,
        "markers",
        [f"{safe(group.name)}: {number(value)}" for value in values.tolist()],
        marker={"size": 5, "color": colour, "opacity": 0.45},
    )


# Which features do generated images have? The range of the real images, and the share within it.

RANGE = Reading(
    "The band covers most real images, for each feature on its own scale. A mark is the median of a group: "
    "outside the band, most of its images are outside the range. An arrow marks a value further out than is "
    "drawn.",
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
ROW_FEATURES, NAME_FEATURES, GROUP = 26, 28, 18
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
    drawn_rows = [row for row in rows if np.isfinite(row.low) and row.high > row.low]
    if not drawn_rows:
        return nothing(NO_FEATURE, RANGE, theme=theme)
    n, names = len(drawn_rows), [short(row.name, NAME_FEATURES) for row in drawn_rows]
    traces = [_ends(drawn_rows, theme)]
    for g, group in enumerate(groups[: max(1, MARKS // n - 1)]):
        traces.append(_group(drawn_rows, g, group, groups, theme))
    band = marks.rectangle(
        0, -0.5, 1, n - 0.5, {"width": 0}, layer="below", fillcolor=faded(theme.accent, 0.14)
    )
    figure_ = figure(
        theme=theme,
        height=max(ROW_FEATURES * n, 90),
        left=marks.room_for(names),
        right=16,
        bottom=52,
        title="What the real images allow",
        subtitle=f"{of} · {pluralize(n, 'feature')}",
        traces=traces,
        shapes=[band],
        hoverdistance=10,
        x=axis(
            theme,
            title="within the band: as in the real images",
            range=[-CLIP - 0.12, 1 + CLIP + 0.12],
            tickvals=[0, 1],
            ticktext=["lower end", "upper end"],
        ),
        y=marks.row_axis([safe(name) for name in names], theme, grid=False, automargin=False),
    )
    return Drawn(figure_, _outside(drawn_rows, groups), RANGE)


def _ends(rows: Sequence[ToleranceRow], theme: Theme) -> Parts:
    """The bootstrap intervals of both ends of every feature, as pieces of one line."""
    xs: list[float | None] = []
    ys: list[int | None] = []
    for row, one in enumerate(rows):
        for low, high in (one.low_sure, one.high_sure):
            xs += [_scaled(one, low), _scaled(one, high), None]
            ys += [row, row, None]
    return marks.scatter(
        xs, ys, "lines", connectgaps=False, line={"color": faded(theme.accent, 0.45), "width": 3}
    )


def _scaled(row: ToleranceRow, value: float) -> float | None:
    if not np.isfinite(value):
        return None
    return float(np.clip((value - row.low) / (row.high - row.low), -CLIP, 1 + CLIP))


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
    return marks.scatter(
        x,
        y,
        "markers",
        hover,
        name=safe(group),
        marker=style.marker(10) | {"symbol": symbols, "opacity": 0.9},
    )


def _outside(rows: Sequence[ToleranceRow], groups: Sequence[str]) -> str:
    out = []
    for g, group in enumerate(groups):
        n = sum(not row.low <= row.medians[g] <= row.high for row in rows)
        out.append(f"{group} {n}")
    return f"Features of {len(rows)} whose median is outside the real images' range: {listed(out)}."


def presence_map(features: Sequence[str], groups: Sequence[str], shares: Floats, *, theme: Theme) -> Drawn:
    """Features down, groups across, the share of images that have the feature as colour.

    ``shares``: shape (features, groups), 0 to 1, NaN where no image has a known value.
    """
    if not len(features) or not np.isfinite(shares).any():
        return nothing(NO_FEATURE, PRESENCE, theme=theme)
    names, columns = (
        [short(feature, NAME_FEATURES) for feature in features],
        [short(group, GROUP) for group in groups],
    )
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
        theme=theme,
        height=max(ROW_FEATURES * n, 60),
        left=marks.room_for(names),
        right=14,
        bottom=22 + 4.6 * max(map(len, columns)),
        title="Which features are there?",
        subtitle=f"share of images with each feature · {pluralize(m, 'group')} · {pluralize(n, 'feature')}",
        traces=[
            heat(shares, (theme.surface, theme.up), 0, 1, hover=hover),
            *(numbers if n * m <= MARKS else []),
        ],
        x=marks.column_axis([safe(column) for column in columns], theme, tickangle=-38 if m > 3 else 0),
        y=marks.row_axis([safe(name) for name in names], theme, grid=False, automargin=False),
    )
    low = divmod(int(np.nanargmin(shares)), m)
    alt = (
        f"Shares of images with each of {pluralize(n, 'feature')} in {pluralize(m, 'group')}; the least: "
        f"{features[low[0]]} in {share(float(shares[low]))} of {groups[low[1]]}."
    )
    return Drawn(drawn, alt, PRESENCE)


# How much do the settings decide? Scores over both weights, and without each feature.

MAP = Reading(
    "Each square is the average score of the group under one pair of settings; the framed one is used on "
    "this page. If the colours hardly change, the result does not depend on the setting.",
    "Mean score over the images of the group at each setting, everything else as chosen; frame: the current "
    "setting.",
)
DROPPED = Reading(
    "How the average changes when a feature is left out. A bar to the right: the group does better without "
    "the feature, so this is where it loses; to the left: this feature speaks for the group.",
    "Mean score without the feature minus mean score with all, weights otherwise unchanged; largest first.",
)
NO_MAP = "No setting gives a score: the images share no feature with a tolerance interval."
ROW_SETTINGS, NAME_SETTINGS, CELL = 26, 28, 34
MOST_NUMBERS = 200


def settings_map(
    across: Sequence[str],
    down: Sequence[str],
    values: Floats,
    *,
    axes: tuple[str, str],
    group: str,
    now: tuple[int, int] | None,
    theme: Theme,
    what: str = "what the settings change",
) -> Drawn:
    """Mean scores of one group over two settings, the first across.

    ``values``: shape (down, across); ``now``: row and column of the current setting, None when it is not
    among them.
    """
    if not np.isfinite(values).any():
        return nothing(NO_MAP, MAP, theme=theme)
    n, m = values.shape
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    end = high if high > low else low + 1.0
    hover = [
        [
            f"{safe(axes[0])} {safe(x)}, {safe(axes[1])} {safe(y)}<br>mean {number(value)}"
            for x, value in zip(across, row, strict=True)
        ]
        for y, row in zip(down, values.tolist(), strict=True)
    ]
    numbers = numbers_in_cells(
        values,
        cell=lambda value: blend(theme.surface, theme.up, max(value / end, 0.0) if end else 0.0),
        text=brief,
        size=11,
        theme=theme,
    )
    drawn = figure(
        theme=theme,
        height=max(CELL * n, 80),
        left=marks.room_for(down) + 30,
        right=14,
        bottom=52,
        title=short(f"{group}: {what}", 60),
        subtitle=f"mean score from {number(low)} to {number(high)} · {n * m} settings",
        traces=[
            heat(values, (theme.surface, theme.up), 0, end, hover=hover),
            *(numbers if n * m <= MOST_NUMBERS else []),
        ],
        shapes=[] if now is None else [_frame(*now, theme)],
        x=marks.column_axis([safe(x) for x in across], theme, colour=theme.muted, title=safe(axes[0])),
        y=marks.column_axis([safe(y) for y in down], theme, colour=theme.muted, title=safe(axes[1])),
    )
    alt = f"Mean score of {group} over {axes[0]} and {axes[1]}: from {number(low)} to {number(high)}."
    return Drawn(drawn, alt, MAP)


def _frame(row: int, column: int, theme: Theme) -> Parts:
    line = {"color": theme.ink, "width": 2}
    return marks.rectangle(column - 0.5, row - 0.5, column + 0.5, row + 0.5, line)


def dropped_bars(
    features: Sequence[str], changes: Floats, *, group: str, theme: Theme, most: int = 25
) -> Drawn:
    """Changes of the mean score without each feature, the largest in size first; ``changes``: shape (m,)."""
    known = np.flatnonzero(np.isfinite(changes))
    if not len(known):
        return nothing("No feature can be left out: there is only one, or no score.", DROPPED, theme=theme)
    kept = known[np.argsort(-np.abs(changes[known]), kind="stable")][:most]
    values = changes[kept]
    names = [short(features[i], NAME_SETTINGS) for i in kept]
    hover = [f"without {safe(features[i])}: {signed(float(changes[i]))}" for i in kept]
    colours = [theme.up if value >= 0 else theme.down for value in values.tolist()]
    reach = max(float(np.abs(values).max()) * 1.15, 1e-6)
    which = f"the {len(kept)} with the largest change of {len(known)}" if len(kept) < len(known) else "all"
    drawn = figure(
        theme=theme,
        height=max(ROW_SETTINGS * len(kept), 90),
        left=marks.room_for(names),
        right=16,
        bottom=48,
        bargap=0.35,
        title=short(f"{group}: each feature left out", 60),
        subtitle=f"change of the mean score · {which} features",
        traces=[marks.bars(values.tolist(), hover, {"color": colours})],
        x=axis(
            theme,
            title="change of the mean score",
            range=[-reach, reach],
            zeroline=True,
            zerolinecolor=theme.muted,
        ),
        y=marks.row_axis([safe(name) for name in names], theme, grid=False, automargin=False),
    )
    most_said = listed([f"{features[i]} {signed(float(changes[i]))}" for i in kept[:3]])
    alt = f"{pluralize(len(known), 'feature')} of {group} left out in turn; largest changes: {most_said}."
    return Drawn(drawn, alt, DROPPED)
